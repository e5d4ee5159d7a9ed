//! Tells an index that was left as it should be from one that was not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::shelf::{replace, stamp_of};

/// What the file of an index was like when it was closed in order, kept beside it.
///
/// An index that is as its seal says need not be proved sound before it is used: proving reads all of it.
pub(crate) struct Seal {
    index: PathBuf,
    place: PathBuf,
}

impl Seal {
    pub(crate) fn of(index: &Path) -> Self {
        Self { index: index.to_owned(), place: index.with_extension("seal") }
    }

    /// Tells whether the index is as it was closed.
    pub(crate) fn holds(&self) -> bool {
        fs::read_to_string(&self.place).is_ok_and(|sealed| self.state().is_ok_and(|state| state == sealed))
    }

    /// Says that the index is closed in order.
    pub(crate) fn set(&self) -> io::Result<()> {
        if self.holds() { Ok(()) } else { replace(&self.place, self.state()?.as_bytes()) }
    }

    fn state(&self) -> io::Result<String> {
        let stamp = stamp_of(&fs::metadata(&self.index)?);
        Ok(format!("1 {} {}\n", stamp.size, stamp.modified.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_until_the_file_is_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = folder.path().join("search.sqlite");
        let seal = Seal::of(&index);
        assert!(!seal.holds() && seal.set().is_err(), "there is nothing to seal");
        fs::write(&index, "abc").expect("a file");
        assert!(!seal.holds());
        seal.set().expect("a seal");
        assert!(seal.holds());
        fs::write(&index, "abcd").expect("a file");
        assert!(!seal.holds());
    }
}
