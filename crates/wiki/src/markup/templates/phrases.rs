//! Templates within a line of text.

use std::ops::Range;

use super::arguments::Arguments;
use super::{BREAK, Converter, escape};

/// Templates of which the first argument is what is shown.
const FIRST: &[&str] = &[
    "nowrap",
    "nobr",
    "nobreak",
    "small",
    "smaller",
    "big",
    "bigger",
    "larger",
    "large",
    "abbr",
    "abbrv",
    "tooltip",
    "nobold",
    "noitalic",
    "longitem",
    "center",
    "centre",
    "block indent",
    "nastaliq",
    "unicode",
    "polytonic",
    "ipa",
    "pron",
    "mvar",
    "math",
    "var",
    "sub",
    "sup",
    "su",
    "strong",
    "em",
    "bold",
    "italics",
    "visible anchor",
    "vanchor",
    "keypress",
    "key",
    "button",
    "wikt",
    "w",
    "flag",
    "flagicon",
    "flagcountry",
    "flagu",
    "flagdeco",
    "flagg",
    "flagicon image",
    "fb",
    "fbw",
    "fbicon",
    "country",
    "flag icon",
    "rws",
    "stn",
    "birth-date",
    "death-date",
    "birth year and age",
    "death year",
    "bda",
    "start date text",
    "baseball year",
    "by",
    "nfly",
    "mlby",
    "avyear",
    "nts",
    "number table sorting",
    "ntsf",
    "hebrew",
    "arabic",
    "script/hebrew",
    "lang-",
    "yes2",
    "no2",
    "free",
    "good",
    "included",
    "dropped",
    "sic",
    "chem2",
    "air",
    "quote inline",
    "nq",
    "\"",
    "underline",
    "strike",
    "mono",
    "code",
    "samp",
    "monospace",
    "smallcaps",
    "sc",
    "zitat-de",
    "ru-icon",
    "decade",
    "decade link",
    "plain link",
    "no wrap",
    "subst",
    "resize text",
    "overline",
    "emph",
    "font",
    "allcaps",
    "title case",
    "nihongo core",
    "born",
    "died",
    "born in",
    "hyp",
    "shy",
    "wbr text",
    "heading",
    "cslist",
    "ordinal",
    "nth",
    "isbn text",
    "gloss",
    "gloss text",
    "translation",
    "respell",
    "angbr",
    "lit",
    "anglicise",
    "anglicized",
    "notatypo",
    "typo",
    "as written",
    "text",
    "dablink text",
    "okina text",
    "linktext",
];

/// Templates of which the second argument is what is shown.
const SECOND: &[&str] = &[
    "lang",
    "langx",
    "langue",
    "lang2",
    "color",
    "font color",
    "fontcolor",
    "legend",
    "legend2",
    "legend0",
    "legend inline",
    "align",
    "resize",
    "audio",
    "hover title",
    "sort",
    "sortkey",
    "version",
    "ipalink",
    "script",
    "hidden sort text",
    "colored text",
    "spracheText",
    "zh-full",
    "text color",
    "background color",
    "diff2text",
    "polytonisch",
    "link-interwiki",
    "sprache",
];

/// Templates that stand for a text of their own.
const TEXTS: &[(&str, &str)] = &[
    ("!", "|"),
    ("=", "="),
    ("(", "{"),
    (")", "}"),
    ("ndash", "–"),
    ("–", "–"),
    ("snd", " – "),
    ("spaced ndash", " – "),
    ("spnd", " – "),
    ("mdash", "—"),
    ("emdash", "—"),
    ("—", "—"),
    ("spaced mdash", " — "),
    ("dot", " · "),
    ("·", " · "),
    ("•", " • "),
    ("bullet", " • "),
    ("middot", " · "),
    ("nbsp", " "),
    ("sp", " "),
    ("spaces", " "),
    ("'", "'"),
    ("'s", "'s"),
    ("'-", "'"),
    ("\"'", "\"'"),
    ("'\"", "'\""),
    ("zwsp", ""),
    ("won", "Won"),
    ("nom", "Nominated"),
    ("yes", "Yes"),
    ("no", "No"),
    ("draw", "Draw"),
    ("n/a", "N/A"),
    ("partial", "Partial"),
    ("unknown", "Unknown"),
    ("pending", "Pending"),
    ("maybe", "Maybe"),
    ("tba", "TBA"),
    ("tbd", "TBD"),
    ("okina", "ʻ"),
    ("hamza", "ʼ"),
    ("ayin", "ʽ"),
    ("asterisk", "\\*"),
    ("*", "\\*"),
    ("pound", "#"),
    ("number sign", "#"),
    ("male", "male"),
    ("female", "female"),
    ("ya", "Yes"),
    ("na", "No"),
    ("reg", "®"),
    ("tm", "™"),
    ("ens", " "),
    ("pipe", "|"),
    ("degree", "°"),
];

/// Templates that show an amount of money, with its sign.
const MONEY: &[(&str, &str)] = &[
    ("us$", "US$"),
    ("usd", "US$"),
    ("a$", "A$"),
    ("aud", "A$"),
    ("c$", "C$"),
    ("cad", "C$"),
    ("nz$", "NZ$"),
    ("€", "€"),
    ("eur", "€"),
    ("euro", "€"),
    ("£", "£"),
    ("gbp", "£"),
    ("¥", "¥"),
    ("jpy", "¥"),
    ("cny", "CN¥"),
    ("inr", "₹"),
    ("indian rupee", "₹"),
    ("₹", "₹"),
    ("php", "₱"),
    ("chf", "CHF "),
];

/// Templates that link to what their first argument names.
const LINKS: &[&str] = &[
    "ill",
    "interlanguage link",
    "interlanguage link multi",
    "link-interwiki",
    "ill2",
    "illm",
    "iw",
    "нп3",
    "нп5",
    "lien",
];

const DATES: &[&str] = &[
    "birth date",
    "birth date and age",
    "bda",
    "dob",
    "birth-date and age",
    "birth date and age2",
    "death date",
    "death date and age",
    "dda",
    "death-date and age",
    "start date",
    "start date and age",
    "start date and years ago",
    "end date",
    "end date and age",
    "launch date and age",
    "release date",
    "date",
    "dts",
    "date table sorting",
    "dtsh",
    "datum",
    "formatdate",
    "birth date text",
    "bdat",
    "opened date",
    "start-date",
    "end-date",
    "geboortedatum",
    "geburtsdatum",
    "fecha",
    "fecha de nacimiento",
    "fecha de inicio",
    "data",
    "date de naissance",
    "дата",
    "released",
    "birth based on age as of date",
    "disestablished date",
    "birth year",
    "death year and age",
    "start and end dates",
    "iso date",
    "dtext",
];

impl Converter<'_> {
    /// Returns what a template shows in a line. One that is not known shows nothing, or, where nothing else is there,
    /// its first argument.
    pub(super) fn phrase(&mut self, inner: &Range<usize>, is_alone: bool) -> String {
        let (name, end) = self.template_name(inner);
        if let Some((function, _)) = name.split_once(':') {
            let function = function.trim().to_owned();
            return self.function(&function, inner, end);
        }
        let arguments = self.arguments(inner);
        if let Some(text) = self.known(&name, &arguments) {
            return text;
        }
        let written = self.text[inner.start..end].trim();
        let is_country = written.len() == 3 && written.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_country && arguments.positional.is_empty() && arguments.named.is_empty() {
            return written.to_owned();
        }
        // No value is longer.
        let short = |range: &Range<usize>| {
            range.len() < 120 && self.text[range.clone()].contains(char::is_alphanumeric)
        };
        match arguments.at(0).filter(|range| is_alone && short(range)) {
            Some(range) => self.flat(range),
            None => String::new(),
        }
    }

    fn known(&mut self, name: &str, arguments: &Arguments) -> Option<String> {
        let is = |names: &[&str]| names.contains(&name);
        if let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == name) {
            let shown = arguments.at(0).map(|range| self.flat(range)).filter(|text| !text.is_empty());
            return Some(shown.unwrap_or_else(|| (*text).to_owned()));
        }
        if Self::is_citation(name) {
            return Some(self.citation(arguments));
        }
        if is(DATES) {
            return Some(self.date(arguments));
        }
        if is(FIRST) || name.starts_with("lang-") || name.starts_with("ipa-") {
            return Some(self.argument(arguments, &["text", "content"], 0));
        }
        if is(SECOND) {
            return Some(self.argument(arguments, &["text", "label"], 1));
        }
        if is(LINKS) {
            let label =
                arguments.first(&["lt", "display", "text", "label"]).map(|range| self.one_line(range));
            return Some(arguments.at(0).map(|range| self.page(range, label)).unwrap_or_default());
        }
        if let Some((_, sign)) = MONEY.iter().find(|(known, _)| *known == name) {
            return Some(format!("{sign}{}", self.argument(arguments, &[], 0)));
        }
        let text = match name {
            "transl" | "transliteration" | "transcription" => {
                let last = arguments.positional.last().cloned();
                last.map(|range| self.flat(range)).unwrap_or_default()
            }
            "nihongo" | "nihongo2" | "nihongo3" | "nihongo foot" | "korean" => self.with_readings(arguments),
            "zh" | "zh-cn" | "lang-zh" => {
                let values: Vec<String> = arguments
                    .named
                    .iter()
                    .map(|(_, range)| range.clone())
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|range| self.one_line(range))
                    .collect();
                values.join(", ")
            }
            "ipac-en" | "ipac-fr" | "ipac-de" => {
                let sounds: String = arguments
                    .positional
                    .clone()
                    .into_iter()
                    .map(|range| self.text[range].trim().to_owned())
                    .collect();
                format!("/{}/", escape::plain(&sounds))
            }
            "chem" | "chem name" | "long link" => {
                arguments.positional.clone().into_iter().map(|range| self.one_line(range)).collect()
            }
            "convert" | "cvt" | "conv" | "convinfobox" | "unité" | "unit" => self.measure(arguments),
            "val" => {
                let (number, unit) =
                    (self.argument(arguments, &[], 0), self.argument(arguments, &["u", "ul", "up"], 9));
                format!("{number} {unit}").trim().to_owned()
            }
            "frac" | "fraction" | "sfrac" | "bruch" => self.fraction(arguments),
            "e" | "esp" => format!("×10^{}", self.argument(arguments, &[], 0)),
            "height" => self.height(arguments),
            "coord" | "coordinates" | "coor" | "coor dms" | "coor dm" | "coor d" => {
                self.coordinates(arguments)
            }
            "film date" => self.film_dates(arguments),
            "as of" | "asof" | "stand" => self.as_of(arguments),
            "circa" | "c." | "ca." | "c" | "ca" => format!("c. {}", self.joined(arguments, "–")),
            "floruit" | "fl." | "fl" => format!("fl. {}", self.joined(arguments, "–")),
            "reign" | "r." => format!("r. {}", self.joined(arguments, "–")),
            "marriage" | "married" => self.marriage(arguments),
            "url" | "official website" | "official url" | "official" | "website" | "webseite"
            | "homepage" | "plainlink" => self.website(arguments),
            "isbn" | "isbnt" => format!("ISBN {}", self.joined(arguments, ", ")),
            "hlist" | "cslist2" | "flatlist2" | "horizontal list" | "comma separated entries" => {
                self.joined(arguments, ", ")
            }
            "br separated entries" | "brlist" => self.joined(arguments, &BREAK.to_string()),
            "br" | "crlf" | "break" => BREAK.to_string(),
            "pagename" | "pagenamee" | "basepagename" | "fullpagename" | "subpagename" | "title" => {
                escape::plain(self.title)
            }
            "sortname" | "sortkeyname" => self.person(arguments),
            "fs player" | "football squad player" | "fs2 player" | "football squad player2" => {
                self.player(arguments)
            }
            "refn" | "efn" | "note" | "#tag" | "efn-la" | "efn-ua" | "notetag" | "anmerkung"
            | "scref note" | "fn text" => self.template_note(arguments, 0),
            "harv" | "harvtxt" | "harvnb" | "harvcol" | "harvcolnb" | "harvs" | "harvp" => {
                self.short_reference(arguments)
            }
            "ship" => self.joined(arguments, " "),
            "hms" | "uss" | "ss" | "mv" | "rms" | "hmas" | "hmcs" | "sms" => {
                format!("{} {}", name.to_uppercase(), self.argument(arguments, &[], 0))
            }
            "sclass" | "sclass-" | "sclass2" => {
                format!("{}-class {}", self.argument(arguments, &[], 0), self.argument(arguments, &[], 1))
            }
            "section link" | "slink" => self.joined(arguments, " § "),
            "col-begin" | "clear" | "clr" | "-" | "0" => String::new(),
            _ => return None,
        };
        Some(text)
    }

    /// Returns an argument by one of some names, or by its place.
    fn argument(&mut self, arguments: &Arguments, names: &[&str], place: usize) -> String {
        arguments
            .first(names)
            .or_else(|| arguments.at(place))
            .map(|range| self.flat(range))
            .unwrap_or_default()
    }

    fn joined(&mut self, arguments: &Arguments, between: &str) -> String {
        let mut values = Vec::new();
        for range in arguments.positional.clone() {
            let value = self.flat(range);
            values.push(value);
        }
        values.retain(|value| !value.is_empty());
        values.join(between)
    }

    fn with_readings(&mut self, arguments: &Arguments) -> String {
        let mut values: Vec<String> = Vec::new();
        for place in 0..3 {
            let value = self.argument(arguments, &[], place);
            values.push(value);
        }
        let readings: Vec<String> = values.drain(1..).filter(|value| !value.is_empty()).collect();
        match (values[0].is_empty(), readings.is_empty()) {
            (false, false) => format!("{} ({})", values[0], readings.join(", ")),
            (true, _) => readings.join(", "),
            (false, true) => values.remove(0),
        }
    }

    fn marriage(&mut self, arguments: &Arguments) -> String {
        let spouse = self.argument(arguments, &[], 0);
        let (start, end) = (self.argument(arguments, &[], 1), self.argument(arguments, &[], 2));
        match (start.is_empty(), end.is_empty()) {
            (true, true) => spouse,
            (false, true) => format!("{spouse} (married {start})"),
            _ => format!("{spouse} ({start}–{end})"),
        }
    }

    fn website(&mut self, arguments: &Arguments) -> String {
        let address = arguments.first(&["url", "1"]).or_else(|| arguments.at(0));
        let address = self.raw(address).to_owned();
        if address.is_empty() || address.contains(['[', '{', ' ']) {
            return self.argument(arguments, &[], 0);
        }
        let label = self.argument(arguments, &["name", "title", "text"], 1);
        let has_scheme = address.contains("://") || address.starts_with("//");
        let whole = if has_scheme { address } else { format!("http://{address}") };
        self.address(&whole, &label)
    }

    /// Returns a name in its parts, as a link to the person's page.
    fn person(&mut self, arguments: &Arguments) -> String {
        let name =
            format!("{} {}", self.argument(arguments, &["first"], 0), self.argument(arguments, &["last"], 1));
        let name = name.trim().to_owned();
        let target = self.raw(arguments.first(&["link"]).or_else(|| arguments.at(2))).to_owned();
        let addition = self.raw(arguments.first(&["dab"])).to_owned();
        let is_plain = !self.raw(arguments.first(&["nolink"])).is_empty() || self.in_label;
        if is_plain || name.is_empty() || name.contains(['[', '\\', '*']) || target.contains(['[', '{']) {
            return name;
        }
        let target = match (target.is_empty(), addition.is_empty()) {
            (false, _) => target,
            (true, false) => format!("{name} ({addition})"),
            (true, true) => name.clone(),
        };
        crate::markup::links::page_link(&self.site.title(&target), &name)
    }

    fn player(&mut self, arguments: &Arguments) -> String {
        let mut words = Vec::new();
        for names in ["no", "pos", "name", "nat", "other"] {
            let word = arguments.first(&[names]).map(|range| self.one_line(range));
            words.extend(word.filter(|word| !word.is_empty()));
        }
        format!("{}{BREAK}", words.join(", "))
    }

    /// Returns a note that is made by a template, with its text at a place.
    fn template_note(&mut self, arguments: &Arguments, place: usize) -> String {
        let text =
            arguments.first(&["text"]).or_else(|| arguments.at(place)).map(|range| self.one_line(range));
        let name = self.raw(arguments.first(&["name"])).to_owned();
        let group = self.raw(arguments.first(&["group"])).to_owned();
        let name =
            (!name.is_empty()).then(|| format!("{}/{}", group.trim_matches('"'), name.trim_matches('"')));
        if name.is_none() && text.as_ref().is_none_or(String::is_empty) {
            return String::new();
        }
        let number = self.notes.add(name, text);
        crate::markup::notes::Notes::mark(number)
    }

    /// Returns what a function of the software shows: `{{name:first|second|third}}`.
    fn function(&mut self, name: &str, inner: &Range<usize>, end: usize) -> String {
        let colon = self.text[inner.start..end].find(':').map_or(end, |at| inner.start + at + 1);
        let rest = self.parts(end.min(inner.end)..inner.end);
        // The first part is empty: it ends at the bar after the name.
        let part = |number: usize| rest.get(number).cloned();
        match name {
            "formatnum" | "lc" | "uc" | "ucfirst" | "lcfirst" | "nowrap" | "#formatdate" | "#dateformat"
            | "plural" => self.flat(colon..end),
            "#tag" if self.text[colon..end].trim().eq_ignore_ascii_case("ref") => {
                let arguments = self.arguments(inner);
                self.template_note(&arguments, 0)
            }
            "#if" => {
                let chosen = if self.text[colon..end].trim().is_empty() { part(2) } else { part(1) };
                chosen.map(|range| self.flat(range)).unwrap_or_default()
            }
            _ => String::new(),
        }
    }
}
