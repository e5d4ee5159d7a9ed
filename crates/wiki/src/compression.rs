//! Compressed streams, told by their first bytes.

use std::io::{BufRead, BufReader, Cursor, Read};

use crate::ExportError;

/// The longest signature looked at.
const SIGNATURE: usize = 6;

/// The largest window of a zstd stream, as a power of two: 128 MiB.
const ZSTD_WINDOW: u32 = 27;

/// Opens the decompressor that the first bytes of a stream ask for.
///
/// Bytes of gzip, bzip2 and zstd are unpacked, also when several streams follow each other (as in the multistream
/// dumps); all others are passed on as they are.
///
/// # Errors
///
/// [`ExportError::Read`] when the first bytes cannot be read, [`ExportError::UnknownCompression`] for xz, 7z and zip.
pub fn decompress<'a>(mut stream: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>, ExportError> {
    let broken = |reason| ExportError::Read { position: 0, reason };
    let mut first = Vec::with_capacity(SIGNATURE);
    stream.by_ref().take(SIGNATURE as u64).read_to_end(&mut first).map_err(broken)?;
    let unknown = |format| Err(ExportError::UnknownCompression { format });
    let kind = first.clone();
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(first).chain(stream));
    match kind.as_slice() {
        [0x1f, 0x8b, ..] => Ok(Box::new(flate2::bufread::MultiGzDecoder::new(whole))),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Ok(Box::new(bzip2::bufread::MultiBzDecoder::new(whole))),
        // A frame, or a frame to be skipped.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            unpack_zstd(whole).map_err(broken)
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0] => unknown("xz"),
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c] => unknown("7z"),
        [b'P', b'K', 3, 4, ..] => unknown("zip"),
        _ => Ok(Box::new(whole)),
    }
}

fn unpack_zstd<'a>(stream: impl BufRead + Send + 'a) -> std::io::Result<Box<dyn Read + Send + 'a>> {
    let mut decoder = zstd::Decoder::with_buffer(stream)?;
    decoder.window_log_max(ZSTD_WINDOW)?;
    Ok(Box::new(decoder))
}
