//! How much the streams of a file unpack to: the library that reads them has no limit of its own.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::ConvertError;
use crate::limits::Clock;

/// How far before its data a stream's dictionary is looked for.
const DICTIONARY: usize = 2048;
/// Packings inside each other that are followed.
const MOST_LAYERS: usize = 8;
/// A stream of so few bytes cannot unpack to more than the smallest limit that makes sense.
const SHORTEST: usize = 64;

/// Fails when a stream unpacks to more than the limit.
///
/// It unpacks what is packed by Flate, once, and keeps nothing of it; images are passed over, because they are never
/// unpacked later. Streams that are encrypted, or whose dictionaries hide how they are packed, cannot be checked.
pub(super) fn check(bytes: &[u8], limit: u64, clock: Clock) -> Result<(), ConvertError> {
    let mut buffer = vec![0; 1 << 16];
    let mut from = 0;
    while let Some(at) = find(&bytes[from..], b"stream") {
        let at = from + at;
        from = at + 6;
        if bytes[..at].ends_with(b"end") {
            continue;
        }
        let data = &bytes[from..];
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        let near = &bytes[at.saturating_sub(DICTIONARY)..at];
        let dictionary = &near[find_last(near, b"obj").unwrap_or(0)..];
        if data.len() < SHORTEST || !is_zlib(data) || find(dictionary, b"/Image").is_some() {
            continue;
        }
        let layers = count(dictionary, b"/Fl").clamp(1, MOST_LAYERS);
        for layers in 1..=layers {
            let mut reader: Box<dyn Read> = Box::new(data);
            for _ in 0..layers {
                reader = Box::new(ZlibDecoder::new(reader));
            }
            let mut unpacked = 0_u64;
            // A damaged stream ends where its damage is.
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                unpacked += read as u64;
                if unpacked > limit {
                    return Err(ConvertError::TooLarge { what: "unpacked bytes of a stream", limit });
                }
                clock.check()?;
            }
        }
    }
    Ok(())
}

/// Tells whether data begins as zlib does: the method, and a checksum of two bytes.
fn is_zlib(data: &[u8]) -> bool {
    data[0] & 0x0f == 8 && (u32::from(data[0]) * 256 + u32::from(data[1])).is_multiple_of(31)
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}

fn find_last(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).rposition(|window| window == word)
}

fn count(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).filter(|window| *window == word).count()
}
