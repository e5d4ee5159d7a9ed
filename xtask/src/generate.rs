//! The files that are made from the program: they say what it says, because it wrote them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::steps::{self, cargo};

/// Each generated file, and what `mge` is asked for it.
const FILES: [(&str, &[&str]); 2] =
    [("docs/cli.md", &["man", "--markdown"]), ("docs/config.schema.json", &["schema"])];

/// Writes all generated files, and the transcript of the README.
///
/// # Errors
/// The program does not build, or a file cannot be written.
pub(crate) fn write(root: &Path) -> Result<(), String> {
    for (path, fresh) in all(root)? {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        }
        let before = fs::read(&path).ok();
        let changed = before.as_deref() != Some(fresh.as_slice());
        if changed {
            fs::write(&path, &fresh).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        println!("{} {}", if changed { "wrote" } else { "unchanged" }, path.display());
    }
    // The transcript is compared by a test, which can also write it.
    let mut transcript = cargo();
    transcript.args([
        "test",
        "--quiet",
        "-p",
        "mge",
        "--test",
        "e2e",
        "the_transcript_of_the_readme_is_true",
    ]);
    transcript.env("MGE_TEST_UPDATE", "1").current_dir(root);
    steps::run(&mut transcript).map_err(|error| format!("cannot write the transcript of README.md: {error}"))
}

/// Tells whether all generated files are up to date.
///
/// # Errors
/// Names the files that are not, and how to write them.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut stale = Vec::new();
    for (path, fresh) in all(root)? {
        // A checkout may have turned line ends.
        let kept = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if kept.as_bytes() != fresh {
            stale.push(path.strip_prefix(root).unwrap_or(&path).display().to_string());
        }
    }
    if stale.is_empty() {
        println!("all generated files are up to date");
        return Ok(());
    }
    Err(format!("not up to date: {}; run cargo xtask gen", stale.join(", ")))
}

fn all(root: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    FILES.iter().map(|(path, arguments)| Ok((root.join(path), ask(root, arguments)?))).collect()
}

/// Runs `mge` in the profile that the tests have built already.
fn ask(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = cargo()
        .args(["run", "--quiet", "-p", "mge", "--"])
        .args(arguments)
        .current_dir(root)
        .env_remove("MGE_ENDPOINT")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("mge {} ended with {}", arguments.join(" "), output.status));
    }
    Ok(output.stdout)
}
