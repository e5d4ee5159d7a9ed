//! PDF.

use crate::limits::Clock;
use crate::writer::Writer;
use crate::{ConvertError, Limits};

pub(crate) fn convert(
    _bytes: Vec<u8>,
    _limits: &Limits,
    _clock: Clock,
    _writer: &mut Writer,
) -> Result<(), ConvertError> {
    Ok(())
}
