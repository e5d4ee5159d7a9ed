//! Where a document is converted: on a thread of its own, so that a panic or an endless loop of a library stays there.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use crate::limits::Clock;
use crate::writer::Writer;
use crate::{ConvertError, Converted, Format, Limits, decode, docx, epub, html, pdf, table, text};

/// Readers of foreign libraries recurse; address space costs nothing until it is touched.
const STACK: usize = 64 << 20;

/// Converts one document to Markdown.
///
/// `format` is best taken from [`Format::detect`]. The same bytes always give the same result. A panic inside a
/// library is contained, though the panic hook of the process still speaks of it.
///
/// The time limit always holds for the caller. The work itself stops at the next block, page or drawing operation;
/// a library that loops without any of them cannot be stopped from outside, and its thread then lives on without a
/// caller until it ends by itself.
///
/// # Errors
/// The document is encrypted, scanned, broken, too large, too slow or of no supported kind; see [`ConvertError`].
pub fn convert(bytes: Vec<u8>, format: Format, limits: &Limits) -> Result<Converted, ConvertError> {
    if bytes.len() as u64 > limits.bytes_in {
        return Err(ConvertError::TooLarge { what: "bytes of a document", limit: limits.bytes_in });
    }
    let clock = Clock::start(limits.time);
    let (sender, receiver) = sync_channel(1);
    let own = limits.clone();
    let work = move || {
        // Nobody listens any more after the deadline.
        let _ = sender.send(run(bytes, format, &own, clock));
    };
    let failed = |reason: String| ConvertError::Failed { format, reason };
    let thread = thread::Builder::new()
        .name("convert".to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| failed(error.to_string()))?;
    match receiver.recv_timeout(clock.left()) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(clock.over()),
        // The work ended itself when its time was over, a moment before this one did.
        Err(RecvTimeoutError::Disconnected) if clock.left().is_zero() => Err(clock.over()),
        // A drawing that is stopped for its time ends the thread.
        Err(RecvTimeoutError::Disconnected) if clock.left().is_zero() => Err(clock.over()),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = thread.join().err();
            let said = panic.as_ref().and_then(|payload| {
                payload
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or(payload.downcast_ref::<&str>().copied())
            });
            Err(failed(said.unwrap_or("no reason given").to_owned()))
        }
    }
}

fn run(bytes: Vec<u8>, format: Format, limits: &Limits, clock: Clock) -> Result<Converted, ConvertError> {
    let mut writer = Writer::new(limits, clock);
    match format {
        Format::Pdf => pdf::convert(bytes, limits, clock, &mut writer)?,
        Format::Html => html::convert(&bytes, &mut writer)?,
        Format::Docx => docx::convert(&bytes, limits, clock, &mut writer)?,
        Format::Epub => epub::convert(&bytes, limits, clock, &mut writer)?,
        Format::Text => text::convert(&bytes, &mut writer)?,
        Format::Csv => table::convert(&bytes, &mut writer)?,
        Format::Markdown => writer.verbatim(&decode::decode(&bytes, None, Format::Markdown)?)?,
    }
    Ok(writer.finish())
}
