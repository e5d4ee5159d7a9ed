//! Pages that only lead to another.

use super::Converter;
use super::pairs::Kind;

/// The word for a redirect in large wikis, in capitals, without the number sign; every wiki knows the first.
const WORDS: &[&str] = &[
    "REDIRECT",
    "ALIH",
    "ANAKATEYTHYNSH",
    "ALIDIREKTU",
    "ATHCHUIR",
    "AIL-CYFEIRIO",
    "AANSTUUR",
    "BIRZUZENDU",
    "DOORVERWIJZING",
    "ĐỔI",
    "LENCONG",
    "NUMIRĖDITS",
    "OHJAUS",
    "OMDIRIGERING",
    "OMDIRIGER",
    "OMDIRIGÉRING",
    "PATRZ",
    "PERADRASACYJA",
    "PREUSMERI",
    "PREUSMJERI",
    "PRESMERUJ",
    "PŘESMĚRUJ",
    "PRZEKIERUJ",
    "TAM",
    "REDIRECCIÓN",
    "REDIRECCION",
    "REDIRECIONAMENTO",
    "REDIRECTEAZA",
    "REDIRECTEAZĂ",
    "REDIRECTION",
    "RINVIA",
    "SUUNA",
    "TILVÍSUN",
    "UUDELLEENOHJAUS",
    "WEITERLEITUNG",
    "YÖNLENDİRME",
    "YÖNLENDİR",
    "ÁTIRÁNYÍTÁS",
    "ΑΝΑΚΑΤΕΥΘΥΝΣΗ",
    "ПЕРЕНАПРАВЛЕНИЕ",
    "ПЕРЕНАПР",
    "ПЕРЕНАПРАВЛЕННЯ",
    "ПРЕНАСОЧВАНЕ",
    "ПРЕУСМЕРИ",
    "ВИДИ",
    "АЙДАУ",
    "הפניה",
    "تحويل",
    "تغییر_مسیر",
    "تغییرمسیر",
    "पुनर्प्रेषित",
    "अनुप्रेषित",
    "เปลี่ยนทาง",
    "転送",
    "リダイレクト",
    "重定向",
    "넘겨주기",
];

impl Converter<'_> {
    /// Returns the title that the page redirects to, if it starts as such pages do, and where the redirect ends.
    pub(super) fn redirect(&self) -> Option<(String, usize)> {
        let start = self.text.len() - self.text.trim_start().len();
        let rest = self.text[start..].strip_prefix(['#', '＃'])?.trim_start();
        let word_end =
            rest.find(|letter: char| letter.is_whitespace() || matches!(letter, ':' | '[')).unwrap_or(0);
        // The longest word has less than 100 bytes.
        let word = rest.get(..word_end).filter(|word| word.len() < 100)?.to_uppercase();
        if !WORDS.contains(&word.as_str()) {
            return None;
        }
        let link = rest[word_end..].trim_start().trim_start_matches(':').trim_start();
        let pair = self.pair(self.text.len() - link.len(), self.text.len())?;
        if pair.kind != Kind::Link {
            return None;
        }
        let target = self.text[pair.inner.clone()].split(['|', '#']).next()?.trim().trim_start_matches(':');
        let title = self.site.title(target);
        (!title.is_empty() && !title.contains(['[', '{', '<'])).then_some((title, pair.end))
    }
}
