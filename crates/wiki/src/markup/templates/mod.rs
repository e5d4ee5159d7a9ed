//! Templates that carry text or values; all others are left out.

mod arguments;
mod boxes;
mod citations;
mod phrases;
mod shape;
mod values;

use super::marks::BREAK;
use super::{Converter, escape, flattened, links, with_breaks};
