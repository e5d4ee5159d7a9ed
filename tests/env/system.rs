//! What the machine allows a test to do, and how to do without.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Tells whether the tests run with all rights, for which no file is read-only.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

/// Returns the words before a command that take from it what root may do beyond the owner of a file; none when the
/// tests run as someone else.
///
/// Nothing, with a message, when that cannot be done here.
pub(crate) fn without_privileges() -> Option<Vec<&'static str>> {
    if !is_root() {
        return Some(Vec::new());
    }
    let words = vec!["setpriv", "--bounding-set=-all", "--inh-caps=-all"];
    if works(&[words.clone(), vec!["true"]].concat()) {
        return Some(words);
    }
    println!("skipped: the tests run as root, and there is no setpriv to give that up");
    None
}

/// Returns the words before a shell script that run it where it may mount what no one else sees.
///
/// Nothing, with a message, when that cannot be done here.
pub(crate) fn with_own_mounts() -> Option<Vec<&'static str>> {
    let words = vec!["unshare", "--mount", "sh", "-e", "-c"];
    let mounts = [words.clone(), vec!["mount -t tmpfs -o size=64k tmpfs /tmp"]].concat();
    if is_root() && works(&mounts) {
        return Some(words);
    }
    println!("skipped: no file system can be mounted here");
    None
}

/// Returns the words before a command that run it without any network; none, with a message, when that is not possible.
pub(crate) fn without_network() -> Vec<&'static str> {
    let words = vec!["unshare", "--net"];
    if works(&[words.clone(), vec!["true"]].concat()) {
        return words;
    }
    println!("the network cannot be taken away here: this ran with it");
    Vec::new()
}

fn works(words: &[&str]) -> bool {
    let run = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    run.is_ok_and(|status| status.success())
}

/// Lets everyone read a folder and all that is in it, and no one change it.
pub(crate) fn make_read_only(folder: &Path) {
    set_modes(folder, 0o555, 0o444);
}

/// Undoes [`make_read_only`], so that the room can be cleared away.
pub(crate) fn make_writable(folder: &Path) {
    set_modes(folder, 0o755, 0o644);
}

fn set_modes(folder: &Path, folders: u32, files: u32) {
    // From outside to inside when it opens, from inside to outside when it closes; both work on a folder one owns.
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            set_modes(&entry.path(), folders, files);
        } else {
            fs::set_permissions(entry.path(), Permissions::from_mode(files)).unwrap();
        }
    }
    fs::set_permissions(folder, Permissions::from_mode(folders)).unwrap();
}
