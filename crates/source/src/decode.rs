//! From bytes to text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::error::DecodeError;

/// Starts of files that are no text, and what they are.
const SIGNATURES: [(&[u8], &str); 10] = [
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh9", "bzip2 data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a SQLite database"),
];

/// Decodes a file: UTF-8, UTF-16 with or without a byte order mark, else whatever encoding is recognised.
///
/// The mark is dropped; everything else stays, line ends too.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, DecodeError> {
    if let Some((_, what)) = SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(DecodeError::Known { what });
    }
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err(DecodeError::Unsupported { encoding: "UTF-32" });
    }
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes) {
        if encoding == encoding_rs::UTF_8 {
            let text = utf8(bytes[mark..].to_vec()).map_err(|(_, position)| DecodeError::Broken {
                encoding: "UTF-8",
                position: position + mark,
            })?;
            return sound(text);
        }
        return strict(encoding, &bytes[mark..]).and_then(sound);
    }
    if bytes.contains(&0) {
        let Some(encoding) = utf16_without_mark(&bytes) else { return Err(DecodeError::Nul) };
        return strict(encoding, &bytes).and_then(sound);
    }
    match utf8(bytes) {
        Ok(text) => sound(text),
        Err((bytes, _)) => {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(&bytes, true);
            let encoding = detector.guess(None, Utf8Detection::Deny);
            strict(encoding, &bytes).and_then(sound)
        }
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, (Vec<u8>, usize)> {
    String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        (error.into_bytes(), position)
    })
}

fn strict(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, DecodeError> {
    match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(text.into_owned()),
        None => Err(DecodeError::Malformed { encoding: encoding.name() }),
    }
}

/// Recognises UTF-16 by its zero bytes: in western text nearly all stand on one side of the pairs.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(4096)];
    if bytes.len() % 2 == 1 || sample.len() < 4 {
        return None;
    }
    let pairs = sample.len() / 2;
    let zeros = |side: usize| sample.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let (first, second) = (zeros(0), zeros(1));
    if second * 10 >= pairs * 4 && first * 50 <= pairs {
        Some(UTF_16LE)
    } else if first * 10 >= pairs * 4 && second * 50 <= pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Refuses a text of which more than every fiftieth character is a control that no text has.
fn sound(text: String) -> Result<String, DecodeError> {
    // A text without such bytes is the rule, and looking at bytes is fast.
    let control = |byte: &u8| u8::from(*byte < 0x20 && !(0x09..=0x0d).contains(byte));
    // Pieces whose counts fit a byte are counted many bytes at a time.
    let pieces = text.as_bytes().chunks(255);
    let controls: usize = pieces.map(|piece| usize::from(piece.iter().map(control).sum::<u8>())).sum();
    if controls > 0 && text.contains('\0') {
        return Err(DecodeError::Nul);
    }
    // Separators such as FS and RS occur in real exports, a few at a time.
    if controls > 8 && controls * 50 > text.chars().count() {
        return Err(DecodeError::Controls);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Título\n\nuna línea con ñ y más texto para reconocerlo\n";

    fn utf16(text: &str, little: bool, mark: bool) -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        assert_eq!(decode(TEXT.into()).as_deref(), Ok(TEXT));
        assert_eq!(decode(format!("\u{feff}{TEXT}").into_bytes()).as_deref(), Ok(TEXT));
        for little in [true, false] {
            for mark in [true, false] {
                assert_eq!(decode(utf16(TEXT, little, mark)).as_deref(), Ok(TEXT), "{little} {mark}");
            }
        }
        let latin: Vec<u8> = TEXT.chars().map(|character| character as u8).collect();
        assert_eq!(decode(latin).as_deref(), Ok(TEXT));
        let (japanese, _, _) =
            encoding_rs::SHIFT_JIS.encode("# 見出し\n\nこれは日本語の文章です。文字コードを調べます。\n");
        assert_eq!(
            decode(japanese.into_owned()).as_deref(),
            Ok("# 見出し\n\nこれは日本語の文章です。文字コードを調べます。\n")
        );
    }

    #[test]
    fn what_is_no_text_is_named() {
        assert_eq!(decode(b"abc\0def".to_vec()), Err(DecodeError::Nul));
        assert_eq!(decode(b"%PDF-1.7 x".to_vec()), Err(DecodeError::Known { what: "a PDF" }));
        assert_eq!(
            decode(b"\xef\xbb\xbfab\xff".to_vec()),
            Err(DecodeError::Broken { encoding: "UTF-8", position: 5 })
        );
        assert_eq!(
            decode(b"\xff\xfea\0\0\xd8".to_vec()),
            Err(DecodeError::Malformed { encoding: "UTF-16LE" })
        );
        assert_eq!(decode((1..9).cycle().take(400).collect()), Err(DecodeError::Controls));
        assert_eq!(
            decode(b"\xff\xfe\0\0a\0\0\0".to_vec()),
            Err(DecodeError::Unsupported { encoding: "UTF-32" })
        );
    }

    #[test]
    fn line_ends_and_lone_separators_stay() {
        for text in ["", "a\r\nb\rc\n", "a\u{1c}b\u{1d}c\u{1e}d\u{85}e\u{2028}f"] {
            assert_eq!(decode(text.into()).as_deref(), Ok(text));
        }
    }
}
