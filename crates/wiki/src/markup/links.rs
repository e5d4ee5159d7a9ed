//! Links to pages, pictures and addresses.

use std::ops::Range;

use super::Converter;
use super::escape;
use super::inline::decoded;
use super::marks::BREAK;
use super::pairs::{Kind, Pair, is_address};
use crate::name::{link_target, push_address};
use crate::site::{CATEGORY, FILE};

/// What is shown of a link.
pub(super) enum Shown {
    /// A text, and where the link ends in what was read.
    As(String, usize),
    /// Its brackets are text.
    Literally,
}

/// Languages of large wikis: a page's link to itself in another language stands beside the text, not in it.
const LANGUAGES: &str = "\
    aa ab ace af ak als am an ang ar arc arz as ast av ay az azb ba bar bat-smg bcl be be-tarask \
    be-x-old bg bh bi bm bn bo bpy br bs bug bxr ca cdo ce ceb ch chr chy ckb co cr crh cs csb cu cv \
    cy da de diq dsb dv dz ee el eml en eo es et eu ext fa ff fi fiu-vro fj fo fr frp frr fur fy ga \
    gag gan gd gl glk gn got gu gv ha hak haw he hi hif hr hsb ht hu hy ia id ie ig ik ilo io is it \
    iu ja jbo jv ka kaa kab kbd kg ki kk kl km kn ko koi krc ks ksh ku kv kw ky la lad lb lbe lez lg \
    li lij lmo ln lo lt ltg lv mai map-bms mdf mg mhr mi min mk ml mn mr mrj ms mt mwl my myv mzn na \
    nah nap nds nds-nl ne new nl nn no nov nrm nso nv ny oc om or os pa pag pam pap pcd pdc pfl pi \
    pih pl pms pnb pnt ps pt qu rm rmy rn ro roa-rup roa-tara ru rue rw sa sah sc scn sco sd se sg \
    sh si simple sk sl sm sn so sq sr srn ss st stq su sv sw szl ta te tet tg th ti tk tl tn to tpi \
    tr ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo wa war wo wuu xal xh xmf yi yo za \
    zea zh zh-classical zh-min-nan zh-yue zu";

/// Names of other wikis and places that links may start with.
const ELSEWHERE: &str = "\
    w wikt wiktionary s wikisource c commons q wikiquote b wikibooks n wikinews v wikiversity voy \
    wikivoyage species wikispecies d wikidata m meta mw mediawikiwiki wmf foundation phab \
    phabricator bugzilla doi arxiv pmid iarchive google imdb toollabs";

/// Words that say how a picture is shown, in large wikis. In small letters.
const PICTURE_WORDS: &str = "\
    border left right center centre none baseline sub super top text-top middle bottom text-bottom \
    upright muted loop noicon links rechts zentriert ohne hochkant gauche droite centré néant \
    redresse izquierda izda derecha dcha dch centro centrado no sinistra destra esquerda direita \
    venstre høyre høgre midt vänster höger lewo prawo centruj слева справа центр без ліворуч \
    праворуч regs sentreer верх gecentreerd";

/// Words that make a picture one with a caption.
const FRAME_WORDS: &str = "\
    thumb thumbnail frame framed enframed frameless mini miniatur gerahmt rahmenlos vignette cadre \
    encadré sans_cadre miniatura miniaturadeimagen miniaturadaimagem miniatyr ramme ram ramka мини \
    миниатюра мініатюра обрамить duimnael duimnagel thumbnaal pienoiskuva bélyegkép náhľad náhled \
    küçükresim 缩略图 縮圖 サムネイル 섬네일";

/// Starts of what is set about a picture.
const PICTURE_SETTINGS: &str = "\
    link page seite lang class thumbtime start end upright hochkant verweis lien klasse redresse \
    ссылка thumb thumbnail mini";

/// Returns whether a word is in a list of words.
fn is_among(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Returns a link to a page with a label in Markdown.
pub(super) fn page_link(title: &str, label: &str) -> String {
    format!("[{label}]({})", link_target(title))
}

impl Converter<'_> {
    /// Returns what is shown of a link to a page.
    pub(super) fn link(&mut self, pair: &Pair, limit: usize) -> Shown {
        let bar = self.find_outside(pair.inner.start, pair.inner.end, b'|');
        let target_range = pair.inner.start..bar.unwrap_or(pair.inner.end);
        let label_range = bar.map(|bar| bar + 1..pair.inner.end);
        let raw = &self.text[target_range.clone()];
        let has_colon = raw.trim_start().starts_with(':');
        if raw.trim().is_empty() {
            return Shown::Literally;
        }
        let decoded = decoded(raw.trim().trim_start_matches(':').trim());
        let prefix = decoded.split_once(':').map(|(prefix, _)| prefix.trim());
        let namespace = prefix.and_then(|prefix| self.site.namespace(prefix));
        if namespace == Some(FILE) && !has_colon {
            let (caption, is_framed) = label_range.map_or((None, false), |range| self.picture(range));
            let caption = caption.map(|range| self.flat(range)).unwrap_or_default();
            let apart = if is_framed && !caption.is_empty() { BREAK.to_string() } else { String::new() };
            return Shown::As(format!("{apart}{caption}{apart}"), pair.end);
        }
        if raw.contains(['\n', '[', '{', '<']) {
            // No title has these: what is shown is all there is.
            return match label_range {
                Some(range) if !raw.contains('\n') => Shown::As(self.inline(range), pair.end),
                _ => Shown::Literally,
            };
        }
        if namespace == Some(CATEGORY) && !has_colon {
            let name = decoded.split_once(':').map_or("", |(_, name)| name);
            let name = self.site.title(name);
            if !name.is_empty() {
                self.categories.push(name);
            }
            return Shown::As(String::new(), pair.end);
        }
        let prefix = prefix.filter(|_| namespace.is_none()).map(str::to_lowercase);
        let is_language = prefix.as_deref().is_some_and(|prefix| is_among(LANGUAGES, prefix));
        if is_language && !has_colon && label_range.is_none() {
            return Shown::As(String::new(), pair.end);
        }
        let is_elsewhere = is_language || prefix.as_deref().is_some_and(|prefix| is_among(ELSEWHERE, prefix));
        let mut label = match label_range {
            Some(range) if !self.text[range.clone()].trim().is_empty() => self.label(range),
            Some(_) => escape::plain(shortened(&decoded)),
            None if is_elsewhere => {
                escape::plain(decoded.split_once(':').map_or("", |(_, rest)| rest.trim()))
            }
            None => label_text(decoded.trim_start_matches('#')),
        };
        let end = self.trail(pair.end, limit, &mut label);
        if label.is_empty() {
            return Shown::As(String::new(), end);
        }
        // Markdown has no link in a link.
        if is_elsewhere || self.in_label || label.contains("](") {
            return Shown::As(label, end);
        }
        let (title, section) = decoded.split_once('#').unwrap_or((&decoded, ""));
        let title = self.site.title(title);
        let mut address = if title.is_empty() { String::new() } else { link_target(&title) };
        if !section.is_empty() {
            address.push('#');
            push_address(&mut address, section.trim());
        }
        Shown::As(format!("[{label}]({address})"), end)
    }

    /// Returns the text of a range as the label of a link.
    fn label(&mut self, range: Range<usize>) -> String {
        let was_in_label = std::mem::replace(&mut self.in_label, true);
        let label = self.inline(range);
        self.in_label = was_in_label;
        label
    }

    /// Appends the letters that follow a link to its label: `[[bus]]es`.
    fn trail(&self, end: usize, limit: usize, label: &mut String) -> usize {
        let rest = &self.text[end..limit];
        let length = rest.find(|letter: char| !letter.is_lowercase()).unwrap_or(rest.len());
        if !label.is_empty() {
            label.push_str(&rest[..length]);
            return end + length;
        }
        end
    }

    /// Returns where the caption is among the settings of a picture, and whether it stands in a frame of its own.
    fn picture(&self, settings: Range<usize>) -> (Option<Range<usize>>, bool) {
        let (mut caption, mut alternative, mut is_framed) = (None, None, false);
        for part in self.parts(settings) {
            let text = self.text[part.clone()].trim();
            // No setting is longer.
            let word = if text.len() < 80 { text.to_lowercase() } else { String::new() };
            let setting = word.split_once('=').map(|(name, _)| name.trim_end());
            if is_among(FRAME_WORDS, &word) {
                is_framed = true;
            } else if text.is_empty() || is_among(PICTURE_WORDS, &word) || is_size(&word) {
            } else if setting.is_some_and(|name| is_among(PICTURE_SETTINGS, name)) {
                is_framed |= setting.is_some_and(|name| is_among(FRAME_WORDS, name));
            } else if text.len() > 4 && text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("alt="))
            {
                let start = part.start + self.text[part.clone()].find('=').map_or(0, |at| at + 1);
                alternative = Some(start..part.end);
            } else {
                caption = Some(part);
            }
        }
        (caption.or(alternative), is_framed)
    }

    /// Returns where the caption of a picture with a frame is, if a link is one.
    pub(super) fn framed_picture(&self, pair: &Pair) -> Option<Option<Range<usize>>> {
        if pair.kind != Kind::Link {
            return None;
        }
        let inner = &self.text[pair.inner.clone()];
        let (prefix, _) = inner.split_at_checked(inner.find(':')?)?;
        if self.site.namespace(prefix) != Some(FILE) {
            return None;
        }
        let bar = self.find_outside(pair.inner.start, pair.inner.end, b'|')?;
        let (caption, is_framed) = self.picture(bar + 1..pair.inner.end);
        is_framed.then_some(caption)
    }

    /// Returns a link to an address: "[http://… label]".
    pub(super) fn external(&mut self, inner: Range<usize>) -> String {
        let text = &self.text[inner.clone()];
        let end = text.find([' ', '\t', '\n', '<', '[', '"', '\u{a0}']).unwrap_or(text.len());
        let end = text[..end].find("{{").or_else(|| text[..end].find("''")).unwrap_or(end);
        let address = decoded(&text[..end]);
        let label = self.label(inner.start + end..inner.end);
        self.address(&address, &label)
    }

    /// Returns a link to an address with a label, or the address when the label is empty.
    pub(super) fn address(&self, address: &str, label: &str) -> String {
        let mut escaped = String::with_capacity(address.len());
        for letter in address.trim().chars() {
            match letter {
                '(' => escaped.push_str("%28"),
                ')' => escaped.push_str("%29"),
                '<' => escaped.push_str("%3C"),
                '>' => escaped.push_str("%3E"),
                '|' => escaped.push_str("%7C"),
                '\\' => escaped.push_str("%5C"),
                _ if letter.is_whitespace() => escaped.push_str("%20"),
                _ => escaped.push(letter),
            }
        }
        match (label.is_empty(), self.in_label || label.contains("](") || !is_address(address)) {
            (true, true) => escape::plain(address),
            (true, false) if escaped.starts_with("//") => format!("<https:{escaped}>"),
            (true, false) => format!("<{escaped}>"),
            (false, true) => label.to_owned(),
            (false, false) => format!("[{label}]({escaped})"),
        }
    }
}

/// Returns plain text as the label of a link.
pub(super) fn label_text(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for piece in text.split_inclusive(['[', ']']) {
        let plain = piece.trim_end_matches(['[', ']']);
        escape::push(&mut label, plain);
        if plain.len() < piece.len() {
            label.push('\\');
            label.push_str(&piece[plain.len()..]);
        }
    }
    label
}

/// Returns what the pipe trick leaves of a title: no namespace, nothing in brackets or after a comma at the end.
fn shortened(title: &str) -> &str {
    let name = title.split_once(':').map_or(title, |(_, name)| name).trim();
    let without_brackets =
        name.strip_suffix(')').and_then(|start| start.rsplit_once(" (")).map(|(start, _)| start);
    without_brackets.or_else(|| name.split_once(", ").map(|(start, _)| start)).unwrap_or(name)
}

/// Returns whether a setting is a size such as `200px` or `200x300px`.
fn is_size(word: &str) -> bool {
    let digits = word.strip_suffix("px").map(|word| word.trim_end_matches("px").trim());
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x')
    })
}
