//! From bytes to text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::ConvertError;

/// How far into a page its declaration of an encoding stands, in bytes.
const DECLARED_WITHIN: usize = 1024;

/// Decodes a text: by its byte order mark, as UTF-8, else by the encoding that it seems to be in.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, ConvertError> {
    decode_as(bytes, None)
}

/// Decodes a page, which may say what its encoding is.
pub(crate) fn decode_html(bytes: &[u8]) -> Result<String, ConvertError> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_ascii_lowercase();
    let declared = start.find("charset=").map(|at| &start[at + "charset=".len()..]);
    let label: Option<String> = declared.map(|rest| {
        let rest = rest.trim_start_matches(['"', '\'', ' ']);
        rest.chars().take_while(|sign| sign.is_ascii_alphanumeric() || "-_:".contains(*sign)).collect()
    });
    decode_as(bytes, label.and_then(|label| Encoding::for_label(label.as_bytes())))
}

fn decode_as(bytes: &[u8], declared: Option<&'static Encoding>) -> Result<String, ConvertError> {
    let not_text = |reason: &str| ConvertError::NotText { reason: reason.to_owned() };
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None if std::str::from_utf8(bytes).is_ok() => (UTF_8, 0),
        None => match declared {
            Some(declared) => (declared, 0),
            None => {
                let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
                detector.feed(bytes, true);
                (detector.guess(None, Utf8Detection::Deny), 0)
            }
        },
    };
    let (text, malformed) = encoding.decode_without_bom_handling(&bytes[mark..]);
    if malformed && declared.is_none() {
        return Err(not_text(&format!("it is malformed {}", encoding.name())));
    }
    if text.contains('\0') {
        return Err(not_text("it holds NUL bytes"));
    }
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_declarations_and_guesses_are_followed() {
        assert_eq!(decode(b"\xef\xbb\xbfa"), Ok("a".to_owned()));
        assert_eq!(decode(b"\xff\xfea\0"), Ok("a".to_owned()));
        assert_eq!(
            decode_html(b"<meta charset=\"iso-8859-2\">\xb1"),
            Ok("<meta charset=\"iso-8859-2\">ą".to_owned())
        );
        assert_eq!(decode_html("<meta charset=latin1>é".as_bytes()), Ok("<meta charset=latin1>é".to_owned()));
        assert!(decode(b"a\0b").is_err());
    }
}
