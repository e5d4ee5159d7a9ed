//! What an export says of its wiki.

use std::collections::BTreeMap;

/// The number of the namespace of files.
pub(crate) const FILE: i32 = 6;
/// The number of the namespace of categories.
pub(crate) const CATEGORY: i32 = 14;

/// Describes the wiki that an export comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The name of the wiki, such as `Wikipedia`; empty when the export does not say.
    pub name: String,
    /// The language of its interface as a tag, such as `de`; empty when the export does not say.
    pub language: String,
    /// The address of its main page; empty when the export does not say.
    pub base: String,
    /// Whether `iPod` and `IPod` are one title, as on Wikipedia.
    pub first_letter: bool,
    /// The names of the namespaces in the language of the wiki, by number; articles are 0, without a name.
    pub namespaces: BTreeMap<i32, String>,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            name: String::new(),
            language: String::new(),
            base: String::new(),
            first_letter: true,
            namespaces: BTreeMap::new(),
        }
    }
}

/// Names of namespaces that every wiki understands, and those of large wikis for exports that list none. In small
/// letters.
const KNOWN: &[(&str, i32)] = &[
    ("media", -2),
    ("special", -1),
    ("talk", 1),
    ("user", 2),
    ("user talk", 3),
    ("project", 4),
    ("project talk", 5),
    ("wikipedia", 4),
    ("file", FILE),
    ("file talk", 7),
    ("image", FILE),
    ("mediawiki", 8),
    ("mediawiki talk", 9),
    ("template", 10),
    ("template talk", 11),
    ("help", 12),
    ("help talk", 13),
    ("category", CATEGORY),
    ("category talk", 15),
    ("portal", 100),
    ("draft", 118),
    ("module", 828),
    ("archivo", FILE),
    ("bestand", FILE),
    ("beeld", FILE),
    ("lêer", FILE),
    ("bild", FILE),
    ("datei", FILE),
    ("dosya", FILE),
    ("dosiero", FILE),
    ("berkas", FILE),
    ("fail", FILE),
    ("ficheiro", FILE),
    ("fichier", FILE),
    ("fil", FILE),
    ("fișier", FILE),
    ("fitxer", FILE),
    ("fájl", FILE),
    ("imagem", FILE),
    ("imagen", FILE),
    ("imatge", FILE),
    ("immagine", FILE),
    ("kép", FILE),
    ("plik", FILE),
    ("slika", FILE),
    ("soubor", FILE),
    ("tiedosto", FILE),
    ("tập tin", FILE),
    ("αρχείο", FILE),
    ("датотека", FILE),
    ("изображение", FILE),
    ("файл", FILE),
    ("зображення", FILE),
    ("קובץ", FILE),
    ("ملف", FILE),
    ("پرونده", FILE),
    ("चित्र", FILE),
    ("ファイル", FILE),
    ("画像", FILE),
    ("文件", FILE),
    ("파일", FILE),
    ("categoria", CATEGORY),
    ("categoría", CATEGORY),
    ("categorie", CATEGORY),
    ("catégorie", CATEGORY),
    ("kategoria", CATEGORY),
    ("kategorie", CATEGORY),
    ("kategori", CATEGORY),
    ("kategorio", CATEGORY),
    ("kategorija", CATEGORY),
    ("kategória", CATEGORY),
    ("luokka", CATEGORY),
    ("thể loại", CATEGORY),
    ("κατηγορία", CATEGORY),
    ("категория", CATEGORY),
    ("категорія", CATEGORY),
    ("категорија", CATEGORY),
    ("קטגוריה", CATEGORY),
    ("تصنيف", CATEGORY),
    ("رده", CATEGORY),
    ("श्रेणी", CATEGORY),
    ("カテゴリ", CATEGORY),
    ("分类", CATEGORY),
    ("分類", CATEGORY),
    ("분류", CATEGORY),
];

impl Site {
    /// Returns the number of the namespace with a name, in any case, in the wiki's language or English.
    pub(crate) fn namespace(&self, name: &str) -> Option<i32> {
        // No name of a namespace is longer.
        if name.len() > 80 {
            return None;
        }
        let name = name.trim().replace('_', " ").to_lowercase();
        let own = self.namespaces.iter().find(|(_, own)| !own.is_empty() && own.to_lowercase() == name);
        own.map(|(number, _)| *number)
            .or_else(|| KNOWN.iter().find(|(known, _)| *known == name).map(|(_, number)| *number))
    }

    /// Returns the number of the namespace of a page's title by its prefix; 0 without one.
    pub(crate) fn namespace_of(&self, title: &str) -> i32 {
        title.split_once(':').and_then(|(prefix, _)| self.namespace(prefix)).unwrap_or(0)
    }

    /// Returns a link's target as the title of a page: spaces, and the first letter where it does not count.
    pub(crate) fn title(&self, target: &str) -> String {
        let mut title = String::with_capacity(target.len());
        for word in target.split([' ', '_', '\t', '\n', '\r', '\u{a0}']).filter(|word| !word.is_empty()) {
            if !title.is_empty() {
                title.push(' ');
            }
            title.push_str(word);
        }
        let start = match title.split_once(':') {
            Some((prefix, rest)) if self.namespace(prefix).is_some() => {
                prefix.len() + 1 + (rest.len() - rest.trim_start().len())
            }
            _ => 0,
        };
        if start > 0 {
            let name = title[start..].to_owned();
            let prefix = title[..start].trim_end_matches([' ', ':']);
            let number = self.namespace(prefix).unwrap_or(0);
            let own = self.namespaces.get(&number).cloned().unwrap_or_else(|| capital(prefix));
            return format!("{own}:{}", self.cased(&name));
        }
        self.cased(&title)
    }

    fn cased(&self, title: &str) -> String {
        if self.first_letter { capital(title) } else { title.to_owned() }
    }
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    match rest.next() {
        // MediaWiki changes one letter into one letter: "ß" stays.
        Some(first) if first.to_uppercase().count() == 1 => first.to_uppercase().chain(rest).collect(),
        _ => text.to_owned(),
    }
}
