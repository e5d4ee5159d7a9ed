//! Which files a source has.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use mge_core::{Cancel, Progress};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::error::OpenError;

/// The number of a file in its [`FileTable`].
pub(crate) type FileId = u32;

/// Which files belong to a source.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Lower-case endings with their dot; empty for all files.
    endings: Vec<String>,
    filtered: bool,
    exclude: Gitignore,
}

impl Rules {
    pub(crate) fn new(extensions: &[String], exclude: &[String]) -> Result<Self, OpenError> {
        let endings = extensions
            .iter()
            .map(|extension| extension.trim().trim_start_matches('.').to_lowercase())
            .filter(|extension| !extension.is_empty())
            .map(|extension| format!(".{extension}"))
            .collect();
        Ok(Self { endings, filtered: !extensions.is_empty(), exclude: globs(exclude)? })
    }

    /// Tells whether a file belongs to the source by its name. A file named `md` has no ending `md`.
    fn takes(&self, name: &str) -> bool {
        if !self.filtered {
            return !is_backup(name);
        }
        let name = name.to_lowercase();
        self.endings.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending.as_str()))
    }

    /// Tells whether a file belongs to the source that lies in no folder of the disk.
    pub(crate) fn lists(&self, path: &str) -> bool {
        self.takes(path.rsplit('/').next().unwrap_or(path)) && !self.excludes(path, false)
    }

    fn excludes(&self, path: &str, is_folder: bool) -> bool {
        self.exclude.matched(Path::new(path), is_folder).is_ignore()
    }
}

/// Reads patterns as `.gitignore` has them, relative to the source's folder.
pub(crate) fn globs(patterns: &[String]) -> Result<Gitignore, OpenError> {
    let mut builder = GitignoreBuilder::new("");
    let bad = |glob: &str, error: ignore::Error| OpenError::BadGlob {
        glob: glob.to_owned(),
        reason: error.to_string(),
    };
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(|error| bad(pattern, error))?;
    }
    builder.build().map_err(|error| bad("", error))
}

/// What editors leave behind; without a filter by extension it would be read as well.
fn is_backup(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with('~')
        || [".bak", ".orig", ".swp", ".swo", ".tmp"].iter().any(|ending| lower.ends_with(ending))
        || (name.starts_with('#') && name.ends_with('#'))
}

/// Something of the folder that is not in the source, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The path relative to the source's folder.
    pub(crate) path: String,
    pub(crate) reason: String,
    /// It should have been readable; otherwise it is left out on purpose.
    pub(crate) failed: bool,
}

/// The files of a source, sorted bytewise by their paths.
///
/// Names live once, end to end, in blocks: a source of millions of files has no allocation a name.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    blocks: Vec<String>,
    entries: Vec<Entry>,
    /// Files whose names are not NFC, by the NFC form, sorted.
    decomposed: Vec<(String, FileId)>,
    /// Rises whenever a new listing numbers the files differently.
    pub(crate) generation: u64,
    pub(crate) skipped: Vec<Skipped>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    block: u32,
    start: u32,
    length: u32,
}

const BLOCK: usize = 1 << 20;

impl FileTable {
    pub(crate) fn push(&mut self, path: &str) {
        if self.blocks.last().is_none_or(|block| block.len() + path.len() > block.capacity()) {
            self.blocks.push(String::with_capacity(BLOCK.max(path.len())));
        }
        let block = self.blocks.len() - 1;
        let start = self.blocks[block].len();
        self.blocks[block].push_str(path);
        self.entries.push(Entry { block: block as u32, start: start as u32, length: path.len() as u32 });
    }

    pub(crate) fn sort(&mut self) {
        let blocks = &self.blocks;
        self.entries.sort_unstable_by(|left, right| name_in(blocks, *left).cmp(name_in(blocks, *right)));
        self.entries.shrink_to_fit();
        let mut decomposed = Vec::new();
        for (id, entry) in self.entries.iter().enumerate() {
            let name = name_in(blocks, *entry);
            if !name.is_ascii() && !is_nfc(name) {
                decomposed.push((name.nfc().collect::<String>(), id as FileId));
            }
        }
        decomposed.sort();
        self.decomposed = decomposed;
        self.skipped.sort_by(|left, right| left.path.cmp(&right.path));
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn same_names(&self, other: &FileTable) -> bool {
        self.len() == other.len() && (0..self.len() as FileId).all(|id| self.path(id) == other.path(id))
    }

    /// Returns a file's path relative to the source's folder, with `/`.
    pub(crate) fn path(&self, id: FileId) -> &str {
        self.entries.get(id as usize).map_or("", |entry| name_in(&self.blocks, *entry))
    }

    /// Finds a file by its path; NFC and NFD name the same file unless both exist.
    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        let exact = |path: &str| {
            self.entries
                .binary_search_by(|entry| name_in(&self.blocks, *entry).cmp(path))
                .ok()
                .map(|id| id as FileId)
        };
        if let Some(id) = exact(path) {
            return Some(id);
        }
        if path.is_ascii() {
            return None;
        }
        let composed: String = path.nfc().collect();
        exact(&composed).or_else(|| {
            let position = self.decomposed.partition_point(|(name, _)| *name < composed);
            self.decomposed.get(position).filter(|(name, _)| *name == composed).map(|(_, id)| *id)
        })
    }

    /// Returns the files whose paths start with a folder's, e.g. `guide/`.
    pub(crate) fn below(&self, folder: &str) -> std::ops::Range<FileId> {
        let start = self.entries.partition_point(|entry| name_in(&self.blocks, *entry) < folder);
        let length =
            self.entries[start..].partition_point(|entry| name_in(&self.blocks, *entry).starts_with(folder));
        start as FileId..(start + length) as FileId
    }
}

fn name_in(blocks: &[String], entry: Entry) -> &str {
    let start = entry.start as usize;
    &blocks[entry.block as usize][start..start + entry.length as usize]
}

/// Lists the files below a folder.
///
/// Hidden files and folders are left out. Links to files inside the folder count as files; links to folders are
/// not followed, since what they lead to is either listed already or none of the source's, and a loop of them
/// would have no end.
pub(crate) fn walk(
    root: &Path,
    rules: &Rules,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<FileTable, OpenError> {
    let real_root = open_root(root)?;
    let mut table = FileTable::default();
    let mut open: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        if cancel.is_cancelled() {
            return Err(OpenError::Cancelled);
        }
        let listing = match fs::read_dir(&folder) {
            Ok(listing) => listing,
            Err(error) if prefix.is_empty() => {
                return Err(OpenError::Unreadable { path: root.to_owned(), reason: error.to_string() });
            }
            Err(error) => {
                let path = prefix.trim_end_matches('/').to_owned();
                table.skipped.push(Skipped { path, reason: error.to_string(), failed: true });
                continue;
            }
        };
        for entry in listing {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = prefix.trim_end_matches('/').to_owned();
                    table.skipped.push(Skipped { path, reason: error.to_string(), failed: true });
                    continue;
                }
            };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let path = format!("{prefix}{}", name.to_string_lossy());
                let reason = "its name is not Unicode".to_owned();
                table.skipped.push(Skipped { path, reason, failed: true });
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{prefix}{name}");
            let skip = |reason: String, failed: bool| Skipped { path: path.clone(), reason, failed };
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) => {
                    table.skipped.push(skip(error.to_string(), true));
                    continue;
                }
            };
            if kind.is_dir() {
                if !rules.excludes(&path, true) {
                    open.push((entry.path(), format!("{path}/")));
                }
            } else if kind.is_file() {
                if rules.takes(name) && !rules.excludes(&path, false) {
                    table.push(&path);
                }
            } else if kind.is_symlink() {
                match link_target(&entry.path(), &real_root) {
                    Ok(Target::File) if rules.takes(name) && !rules.excludes(&path, false) => {
                        table.push(&path)
                    }
                    Ok(Target::File) => {}
                    Ok(Target::Folder) if rules.excludes(&path, true) => {}
                    Ok(Target::Folder) => {
                        let reason = "it links to a folder; folders are listed where they are".to_owned();
                        table.skipped.push(skip(reason, false));
                    }
                    Ok(Target::Other) => {}
                    Err(_) if rules.excludes(&path, false) => {}
                    // A broken link whose name would not count is nobody's business.
                    Err(reason) if rules.takes(name) || !name.contains('.') => {
                        table.skipped.push(skip(reason, false));
                    }
                    Err(_) => {}
                }
            }
        }
        progress.report("files", table.len() as u64, None);
    }
    table.sort();
    Ok(table)
}

pub(super) fn open_root(root: &Path) -> Result<PathBuf, OpenError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => OpenError::NoFolder { path: root.to_owned() },
        _ => OpenError::Unreadable { path: root.to_owned(), reason: error.to_string() },
    };
    if !fs::metadata(root).map_err(unreadable)?.is_dir() {
        return Err(OpenError::NotAFolder { path: root.to_owned() });
    }
    fs::canonicalize(root).map_err(unreadable)
}

enum Target {
    File,
    Folder,
    Other,
}

/// Returns what a link leads to, or why it leads nowhere.
fn link_target(link: &Path, real_root: &Path) -> Result<Target, String> {
    let target = fs::canonicalize(link).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "it links to nothing".to_owned(),
        _ => format!("its link cannot be followed: {error}"),
    })?;
    if !target.starts_with(real_root) {
        return Err("it links out of the source's folder".to_owned());
    }
    let kind = fs::metadata(&target).map_err(|error| error.to_string())?;
    Ok(if kind.is_dir() {
        Target::Folder
    } else if kind.is_file() {
        Target::File
    } else {
        Target::Other
    })
}
