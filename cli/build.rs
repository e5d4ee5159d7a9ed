//! Embeds the example endpoint and the general ontology, file by file, so that `mge init` needs nothing beside the
//! program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Each folder, and the constant that holds its files.
const FOLDERS: [(&str, &str); 2] =
    [("EXAMPLE", "../endpoints-template"), ("GENERAL_ONTOLOGY", "../tests/ontologies/general")];

fn main() -> io::Result<()> {
    let own = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let mut code = String::new();
    for (name, folder) in FOLDERS {
        let root = own.join(folder).canonicalize()?;
        let mut files = Vec::new();
        list(&root, &mut files)?;
        files.sort();
        let _ = writeln!(code, "pub(crate) const {name}: &[(&str, &str)] = &[");
        for file in files {
            let relative = file.strip_prefix(&root).map_err(io::Error::other)?;
            let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            let _ = writeln!(code, "    ({:?}, include_str!({file:?})),", parts.join("/"));
        }
        code.push_str("];\n");
    }
    fs::write(Path::new(&variable("OUT_DIR")?).join("embedded.rs"), code)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

/// Collects the files below a folder that belong to it: nothing hidden, nothing that running it has made.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // A folder's own line notices files that come and go.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let made = ["graphs", "mge_endpoint.free", "mge_endpoint.locked", "mge_endpoint_autopilot.json"];
        if name.starts_with('.') || made.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            list(&path, files)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
