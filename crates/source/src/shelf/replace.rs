//! Files that are made here, put in their place whole.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Puts a file in its place whole. It may be lost in a power cut: whoever reads it checks its digest.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::Builder::new().prefix(".").suffix(".tmp").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    #[cfg(unix)]
    {
        // What others may read is what they may of any file that is made here.
        use std::os::unix::fs::PermissionsExt as _;
        temporary.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
