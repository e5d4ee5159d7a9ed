//! References to works: who, what, where, when.

use super::Converter;
use super::arguments::Arguments;

/// The most authors that are named.
const AUTHORS: usize = 20;

/// Names of templates that describe a work, besides those that start with "cite ".
const CITATIONS: &[&str] = &[
    "citation",
    "internetquelle",
    "literatur",
    "lien web",
    "ouvrage",
    "article",
    "lien brisé",
    "cita web",
    "cita libro",
    "cita noticia",
    "cita publicación",
    "cita news",
    "cita pubblicazione",
    "citar web",
    "citar livro",
    "citeer web",
    "citeer boek",
    "cytuj",
    "cytuj stronę",
    "cytuj książkę",
    "webbref",
    "bokref",
    "kilde www",
    "kilde bok",
    "книга",
    "статья",
    "cite",
    "wayback",
    "webarchive",
    "cita",
];

/// The words for each part of a reference, in the order in which they are shown.
const PLACES: &[&[&str]] = &[
    &[
        "work",
        "website",
        "journal",
        "newspaper",
        "magazine",
        "periodical",
        "encyclopedia",
        "encyclopaedia",
        "werk",
        "sammelwerk",
        "périodique",
        "site",
        "obra",
        "publicación",
        "opera",
        "rivista",
        "series",
        "series title",
        "издание",
    ],
    &["volume", "band", "volumen", "том"],
    &["issue", "number", "nummer", "numéro", "número"],
    &[
        "publisher",
        "hrsg",
        "verlag",
        "éditeur",
        "editorial",
        "editore",
        "institution",
        "agency",
        "издательство",
        "uitgever",
    ],
    &["location", "place", "ort", "lieu", "ubicación", "città", "место"],
];
const PAGES: &[(&[&str], &str)] = &[
    (&["page", "p", "página", "pagina"], "p. "),
    (&["pages", "pp", "seiten", "páginas", "pagine", "страницы"], "pp. "),
    (&["at", "passage"], ""),
];
const TITLES: &[&str] = &[
    "title",
    "titel",
    "titre",
    "título",
    "titolo",
    "tytuł",
    "rubrik",
    "tittel",
    "заглавие",
    "название",
    "chapter",
];
const DATES: &[&str] =
    &["date", "datum", "fecha", "data", "année", "year", "jahr", "año", "anno", "år", "rok", "год"];

impl Converter<'_> {
    /// Returns whether a template describes a work.
    pub(super) fn is_citation(name: &str) -> bool {
        name.starts_with("cite ") || name.starts_with("vcite ") || CITATIONS.contains(&name)
    }

    /// Returns a reference to a work as a line of text: author, title, places, date.
    pub(super) fn citation(&mut self, arguments: &Arguments) -> String {
        let mut parts = self.authors(arguments);
        let address = self.raw(arguments.first(&["url", "online", "lire en ligne", "href"])).to_owned();
        let chapter = arguments.first(&["chapter", "kapitel", "capítulo", "contribution", "entry"]);
        let title = arguments.first(TITLES);
        for range in [chapter.clone().filter(|_| chapter != title), title].into_iter().flatten() {
            let text = self.one_line(range);
            parts.push(text);
        }
        if !address.is_empty() && !address.contains(['{', '[', ' ']) {
            let label = parts.pop().unwrap_or_default();
            let link = self.address(&address, &label);
            parts.push(link);
        }
        for names in PLACES {
            if let Some(range) = arguments.first(names) {
                let text = self.one_line(range);
                parts.push(text);
            }
        }
        for (names, before) in PAGES {
            if let Some(range) = arguments.first(names) {
                parts.push(format!("{before}{}", self.one_line(range)));
            }
        }
        if let Some(range) = arguments.first(DATES) {
            let text = self.one_line(range);
            parts.push(text);
        }
        if let Some(range) = arguments.first(&["isbn"]) {
            parts.push(format!("ISBN {}", self.raw(Some(range))));
        }
        if let Some(range) = arguments.first(&["quote", "zitat", "quotation"]) {
            parts.push(format!("\"{}\"", self.one_line(range)));
        }
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            for range in arguments.positional.clone() {
                let text = self.one_line(range);
                parts.push(text);
            }
            parts.retain(|part| !part.is_empty());
        }
        parts.join(", ")
    }

    fn authors(&mut self, arguments: &Arguments) -> Vec<String> {
        let mut authors = Vec::new();
        for number in 0..=AUTHORS {
            let suffix = if number == 0 { String::new() } else { number.to_string() };
            let named = |names: &[&str]| {
                let names: Vec<String> = names.iter().map(|name| format!("{name}{suffix}")).collect();
                arguments.first(&names.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let last = named(&[
                "last",
                "surname",
                "nom",
                "apellido",
                "apellidos",
                "cognome",
                "nachname",
                "nazwisko",
                "efternamn",
            ]);
            let first = named(&["first", "given", "prénom", "nombre", "nome", "vorname", "imię", "förnamn"]);
            let whole = named(&[
                "author",
                "authors",
                "vauthors",
                "autor",
                "auteur",
                "autore",
                "автор",
                "auteurs",
                "editor",
            ]);
            let text = match (last, first, whole) {
                (Some(last), Some(first), _) => format!("{} {}", self.one_line(first), self.one_line(last)),
                (Some(last), None, _) => self.one_line(last),
                (None, _, Some(whole)) => self.one_line(whole),
                // "last" may be followed by "last2", but not "last2" by "last4".
                _ if number > 1 => break,
                _ => continue,
            };
            authors.push(text);
        }
        authors
    }

    /// Returns a short reference: "Smith & Jones 2004, p. 3".
    pub(super) fn short_reference(&mut self, arguments: &Arguments) -> String {
        let mut words: Vec<String> = Vec::new();
        for range in arguments.positional.clone() {
            let text = self.one_line(range);
            words.push(text);
        }
        words.retain(|word| !word.is_empty());
        let year = words.pop_if(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
        let mut text = words.join(" & ");
        if let Some(year) = year {
            text = format!("{text} {year}");
        }
        for (names, before) in
            [(&["p", "page"][..], "p. "), (&["pp", "pages"][..], "pp. "), (&["loc"][..], "")]
        {
            if let Some(range) = arguments.first(names) {
                text = format!("{text}, {before}{}", self.one_line(range));
            }
        }
        text.trim().to_owned()
    }
}
