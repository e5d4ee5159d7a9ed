//! From bytes to text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::{ConvertError, Format};

/// Decodes text: by its byte order mark, by the encoding it declares, as UTF-8, else by what it looks like.
///
/// What no encoding explains becomes U+FFFD. Line ends become LF.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>, format: Format) -> Result<String, ConvertError> {
    let text = if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        encoding.decode_without_bom_handling(&bytes[mark..]).0
    } else if let Some(encoding) = bytes.contains(&0).then(|| utf16_without_mark(bytes)) {
        let Some(encoding) = encoding else {
            return Err(ConvertError::Broken { format, reason: "it holds binary data".to_owned() });
        };
        encoding.decode_without_bom_handling(bytes).0
    } else if let Ok(text) = std::str::from_utf8(bytes) {
        // Text that is sound UTF-8 is UTF-8, whatever it declares.
        text.into()
    } else {
        // A file cannot be UTF-16 when its declaration could be read as ASCII.
        let named = declared
            .and_then(|label| Encoding::for_label(label.as_bytes()))
            .filter(|encoding| ![UTF_16LE, UTF_16BE, UTF_8].contains(encoding));
        let encoding = named.unwrap_or_else(|| {
            let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
            detector.feed(bytes, true);
            detector.guess(None, Utf8Detection::Allow)
        });
        encoding.decode_without_bom_handling(bytes).0
    };
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.into_owned() })
}

/// Recognizes UTF-16 by where its zero bytes lie: text of any script has spaces and line ends.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let sample = &bytes[..bytes.len().min(4096)];
    let zeros = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, odd) if odd * 20 >= sample.len() => Some(UTF_16LE),
        (even, 0) if even * 20 >= sample.len() => Some(UTF_16BE),
        _ => None,
    }
}
