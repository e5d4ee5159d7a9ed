//! Replacing a file so that a reader sees the old or the new content, never a part, also after a crash.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Why a file could not be replaced.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file that was to be replaced.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// Replaces a file's content as one step that survives a crash and a loss of power.
///
/// The bytes go to a temporary file in the same folder, which is synced and renamed over the target; then
/// the folder is synced. An existing file's permissions are kept. A symbolic link is replaced itself, not
/// what it points to.
///
/// # Errors
///
/// When the folder or the disk does not allow it; the target is then as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, bytes).map_err(|source| WriteError { path: path.to_owned(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Some(prefix) = temporary_prefix(path) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY_SUFFIX);
    let kept = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.permissions());
    #[cfg(unix)]
    {
        // What others may read is the business of the umask, as for any file.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Some(permissions) = kept {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

const TEMPORARY_SUFFIX: &str = ".tmp";

fn temporary_prefix(path: &Path) -> Option<String> {
    Some(format!(".{}.", path.file_name()?.to_string_lossy()))
}

/// Makes renames in a folder durable, where the system knows how.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) {
        // A folder cannot be opened as a file there, and renames are journalled.
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some network and user-space file systems have no such call.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        done => done,
    }
}

/// Removes the temporary files that killed writers of this path left behind.
///
/// Only for paths of which the caller is the one writer.
pub(crate) fn sweep(path: &Path) {
    let (Some(folder), Some(prefix)) = (path.parent(), temporary_prefix(path)) else { return };
    // Left-overs only cost space: a failure here must not stop the writer.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&prefix) && name.ends_with(TEMPORARY_SUFFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_creates() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(&folder.path().join("no/state.json"), b"x").unwrap_err();
        assert!(error.to_string().contains("state.json"));
        assert!(write_atomically(Path::new("/"), b"x").is_err());
    }

    #[test]
    fn left_overs_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(folder.path().join(".a.x1.tmp"), "").unwrap();
        fs::write(folder.path().join(".b.x1.tmp"), "").unwrap();
        sweep(&path);
        assert!(!folder.path().join(".a.x1.tmp").exists());
        assert!(folder.path().join(".b.x1.tmp").exists());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&path, b"x").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
