use proptest::prelude::*;

use super::*;

fn shown(text: &str, reference: Option<&str>) -> Vec<String> {
    let reference = reference.map(|date| Interval::parse(date).expect("a date"));
    find_times(text, reference)
        .iter()
        .map(|time| format!("{} | {:?} {}", &text[time.span.range()], time.kind, time.valid))
        .collect()
}

fn one(text: &str) -> String {
    shown(text, None).join(" & ")
}

#[test]
fn dates_with_prepositions() {
    for (text, expected) in [
        ("She led it since 2019 with care.", "since 2019 | Since 2019-01-01.."),
        ("from 2012 to 2017", "from 2012 to 2017 | Between 2012-01-01..2018-01-01"),
        ("He served from 2012 through 2017.", "from 2012 through 2017 | Between 2012-01-01..2018-01-01"),
        ("from 2012 until 2017", "from 2012 until 2017 | Between 2012-01-01..2017-01-01"),
        (
            "between March 2001 and June 2003",
            "between March 2001 and June 2003 | Between 2001-03-01..2003-07-01",
        ),
        ("open until May 2021.", "until May 2021 | Until ..2021-05-01"),
        ("until the end of 2016", "until the end of 2016 | Until ..2017-01-01"),
        ("in 2003, when", "in 2003 | Point 2003-01-01..2004-01-01"),
        ("In 2003 people moved away", "In 2003 | Point 2003-01-01..2004-01-01"),
        ("during 2003", "during 2003 | During 2003-01-01..2004-01-01"),
        ("by 2020", "by 2020 | Before ..2021-01-01"),
        ("As of 2020, he", "As of 2020 | Point 2020-01-01..2021-01-01"),
        ("before 2010", "before 2010 | Before ..2010-01-01"),
        ("prior to May 2010", "prior to May 2010 | Before ..2010-05-01"),
        ("after 2010", "after 2010 | After 2011-01-01.."),
        ("from 2015 onwards", "from 2015 onwards | Since 2015-01-01.."),
        ("from 2012 to the present", "from 2012 to the present | Since 2012-01-01.."),
        ("in or around 1850", "in or around 1850 | Point 1850-01-01..1851-01-01"),
        ("up to and including 2017", "up to and including 2017 | Until ..2018-01-01"),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
}

#[test]
fn days_and_months() {
    for (text, expected) in [
        ("on 3 May 2019", "on 3 May 2019 | Point 2019-05-03..2019-05-04"),
        ("on May 3, 2019, they", "on May 3, 2019 | Point 2019-05-03..2019-05-04"),
        ("the 3rd of May 2019", "the 3rd of May 2019 | Point 2019-05-03..2019-05-04"),
        ("on Monday, 3 May 2021", "on Monday, 3 May 2021 | Point 2021-05-03..2021-05-04"),
        ("dated 2019-05-03.", "2019-05-03 | Point 2019-05-03..2019-05-04"),
        ("at 2019-05-03T10:00:00Z.", "at 2019-05-03T10:00:00Z | Point 2019-05-03..2019-05-04"),
        ("25/12/2019", "25/12/2019 | Point 2019-12-25..2019-12-26"),
        ("12/25/2019", "12/25/2019 | Point 2019-12-25..2019-12-26"),
        ("03.05.2019", "03.05.2019 | Point 2019-05-03..2019-05-04"),
        ("2019/05/03", "2019/05/03 | Point 2019-05-03..2019-05-04"),
        ("in Sept. 2019", "in Sept. 2019 | Point 2019-09-01..2019-10-01"),
        ("in May 2019", "in May 2019 | Point 2019-05-01..2019-06-01"),
        ("since June 2019", "since June 2019 | Since 2019-06-01.."),
        ("3–7 May 2019", "3–7 May 2019 | Between 2019-05-03..2019-05-08"),
        ("from March to June 2003", "from March to June 2003 | Between 2003-03-01..2003-07-01"),
        ("from 3 May to 7 June 2019", "from 3 May to 7 June 2019 | Between 2019-05-03..2019-06-08"),
        ("May 3–7, 2019", "May 3–7, 2019 | Between 2019-05-03..2019-05-08"),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
    assert_eq!(one("on 03/05/2019"), "", "either the third of May or the fifth of March");
    assert_eq!(one("on 31 February 2019"), "", "there is no such day");
}

#[test]
fn ranges_of_years() {
    for (text, expected) in [
        ("Albert Einstein (1879–1955) was", "1879–1955 | Between 1879-01-01..1956-01-01"),
        ("director 1998-2004", "1998-2004 | Between 1998-01-01..2005-01-01"),
        ("1998–99", "1998–99 | Between 1998-01-01..2000-01-01"),
        ("1999/00", "1999/00 | Between 1999-01-01..2001-01-01"),
        ("2014–present", "2014–present | Since 2014-01-01.."),
        ("director (2019–)", "2019– | Since 2019-01-01.."),
        ("between 1995 and 2003", "between 1995 and 2003 | Between 1995-01-01..2004-01-01"),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
    assert_eq!(one("from 2017 to 2012"), "from 2017 | Since 2017-01-01..", "an inverted range is none");
}

#[test]
fn parts_of_years_and_longer_times() {
    for (text, expected) in [
        ("in early 2019", "in early 2019 | Point 2019-01-01..2019-05-01"),
        ("in mid-2019", "in mid-2019 | Point 2019-05-01..2019-09-01"),
        ("in late 2019", "in late 2019 | Point 2019-09-01..2020-01-01"),
        ("early May 2019", "early May 2019 | Point 2019-05-01..2019-05-11"),
        ("in Q3 2020", "in Q3 2020 | Point 2020-07-01..2020-10-01"),
        ("in the third quarter of 2020", "in the third quarter of 2020 | Point 2020-07-01..2020-10-01"),
        ("the first half of 2020", "the first half of 2020 | Point 2020-01-01..2020-07-01"),
        ("in spring 2019", "in spring 2019 | Point 2019-03-01..2019-06-01"),
        ("in the winter of 2019/20", "in the winter of 2019/20 | Point 2019-12-01..2020-03-01"),
        ("in the 1990s", "in the 1990s | Point 1990-01-01..2000-01-01"),
        ("1990s", "1990s | Point 1990-01-01..2000-01-01"),
        ("the '90s", "the '90s | Point 1990-01-01..2000-01-01"),
        ("since the late 1990s", "since the late 1990s | Since 1997-01-01.."),
        ("in the early 1990s", "in the early 1990s | Point 1990-01-01..1994-01-01"),
        ("in the 19th century", "in the 19th century | Point 1800-01-01..1900-01-01"),
        ("the nineteenth century", "the nineteenth century | Point 1800-01-01..1900-01-01"),
        ("the twenty-first century", "the twenty-first century | Point 2000-01-01..2100-01-01"),
        ("circa 1850", "circa 1850 | Point 1845-01-01..1856-01-01"),
        ("c. 1850", "c. 1850 | Point 1845-01-01..1856-01-01"),
        ("in AD 79", "in AD 79 | Point 0079-01-01..0080-01-01"),
        ("in 44 BC", "in 44 BC | Point -000043-01-01..-000042-01-01"),
        ("in 300 B.C.", "in 300 B.C. | Point -000299-01-01..-000298-01-01"),
        ("the year 2019", "the year 2019 | Point 2019-01-01..2020-01-01"),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
}

#[test]
fn relative_times_need_a_reference() {
    let day = Some("2023-03-14");
    for (text, expected) in [
        ("last year", "last year | Point 2022-01-01..2023-01-01"),
        ("two years ago", "two years ago | Point 2021-01-01..2022-01-01"),
        ("since last month", "since last month | Since 2023-02-01.."),
        ("this month", "this month | Point 2023-03-01..2023-04-01"),
        ("yesterday", "yesterday | Point 2023-03-13..2023-03-14"),
        ("today", "today | Point 2023-03-14..2023-03-15"),
        ("last May", "last May | Point 2022-05-01..2022-06-01"),
        ("last summer", "last summer | Point 2022-06-01..2022-09-01"),
        ("last week", "last week | Point 2023-03-06..2023-03-13"),
        ("10 days ago", "10 days ago | Point 2023-03-04..2023-03-05"),
        ("a decade ago", "a decade ago | Point 2010-01-01..2020-01-01"),
    ] {
        assert_eq!(shown(text, day), [expected], "{text}");
        assert!(shown(text, None).is_empty(), "{text}");
    }
    // A year says nothing of days and months.
    assert_eq!(shown("last year", Some("2023")), ["last year | Point 2022-01-01..2023-01-01"]);
    assert!(shown("yesterday, last month", Some("2023")).is_empty());
    assert!(shown("last May Lee came", day).is_empty());
}

#[test]
fn numbers_that_are_no_dates() {
    for text in [
        "2019 people came",
        "in 2019 cases",
        "between 1200 and 1500 people",
        "from 1200 to 1500 metres",
        "it cost $2019",
        "for 2000 euros",
        "a population of 2000",
        "page 1984",
        "pp. 1984-1990",
        "call 555 2019",
        "call +44 20 7946 2019",
        "version 2019.1",
        "version 2019",
        "Windows 2000",
        "room 2019",
        "No. 1984",
        "1,2019",
        "it sold 2000 copies",
        "at 1800 hours",
        "the number is 1234-5678-9012",
        "2019%",
        "about 1850 passengers",
        "B2019",
        "2019-20-33",
        "more than 2000",
        "postponed to 2021",
        "12:30",
        "a total of 1990.",
    ] {
        assert_eq!(one(text), "", "{text}");
    }
}

#[test]
fn names_of_months_are_names_too() {
    for text in [
        "May Lee sings",
        "April Hudson and June Carter",
        "March on, friends",
        "You may 2019 times",
        "August was hot",
    ] {
        assert_eq!(one(text), "", "{text}");
    }
    assert_eq!(one("April Hudson left in 2003."), "in 2003 | Point 2003-01-01..2004-01-01");
}

#[test]
fn lone_years_stand_in_their_places() {
    for (text, expected) in [
        ("2004", "2004"),
        ("Petrel (2004)", "2004"),
        ("founded 1921, it", "1921"),
        ("(born 1879)", "1879"),
        ("(Oslo, 1999)", "1999"),
        ("2004: Sofia joined", "2004"),
    ] {
        let found = find_times(text, None);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(&text[found[0].span.range()], expected);
        assert_eq!(found[0].kind, TimeKind::Point);
    }
    assert_eq!(
        one("in 2001, 2005 and 2009"),
        "in 2001 | Point 2001-01-01..2002-01-01 & 2005 | Point 2005-01-01..2006-01-01 & 2009 | Point 2009-01-01..2010-01-01"
    );
}

#[test]
fn several_times_in_a_sentence() {
    assert_eq!(
        one("From 2003 to 2016 she led it, and since May 2019 she advises."),
        "From 2003 to 2016 | Between 2003-01-01..2017-01-01 & since May 2019 | Since 2019-05-01.."
    );
    assert_eq!(
        one("The Petrel was built in 2004 and carries 180 passengers."),
        "in 2004 | Point 2004-01-01..2005-01-01"
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(\\PC|[0-9]{1,5}|[-–/., ]|May |in |to |from |between |the |s|BC|\\n){0,40}", dated in any::<bool>()) {
        let reference = dated.then(|| Interval::parse("2020-02-29").expect("a date"));
        let mut last = 0;
        for time in find_times(&text, reference) {
            prop_assert!(time.span.slice(&text).is_some_and(|part| !part.is_empty()));
            prop_assert!(time.span.start >= last);
            last = time.span.end;
            prop_assert!(time.valid != Interval::ALWAYS);
        }
    }
}

#[test]
fn a_long_text_is_read_in_linear_time() {
    let text = "from 1 to 2 in 2019-2019-2019 May 3, the early mid late 1990s ".repeat(5_000);
    let _ = find_times(&text, None);
    let digits = "1".repeat(1_000_000);
    assert!(find_times(&digits, None).is_empty());
}
