//! The two programs that the tests need beside Rust itself. Where they are missing they are built into the target
//! folder; nothing outside the tree changes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::steps;

/// A program of another project.
pub(crate) struct Tool {
    /// The package, which is also the name of the program.
    package: &'static str,
    /// The versions that do.
    version: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool { package: "cargo-nextest", version: "^0.9" };
pub(crate) const DENY: Tool = Tool { package: "cargo-deny", version: "^0.20" };

impl Tool {
    /// Returns a command that runs the tool, built first if need be.
    ///
    /// # Errors
    /// It is not here and cannot be built.
    pub(crate) fn command(&self, root: &Path) -> Result<Command, String> {
        let own = self.own(root);
        if own.is_file() {
            return Ok(self.start(&own));
        }
        if works(&mut self.start(Path::new(self.package))) {
            return Ok(self.start(Path::new(self.package)));
        }
        println!("{} is not on this machine: building it into target/tools", self.package);
        let target = root.join("target");
        let mut install = steps::cargo();
        // A debug build is ready in half the time, and the tool's own speed hardly matters.
        install
            .args(["install", "--locked", "--debug", "--no-track", "--version", self.version, self.package])
            .arg("--root")
            .arg(target.join("tools"))
            .arg("--target-dir")
            .arg(target.join("tools").join("build"));
        println!("$ {}", steps::shown(&install));
        steps::run(&mut install).map_err(|error| format!("cannot build {}: {error}", self.package))?;
        Ok(self.start(&own))
    }

    fn own(&self, root: &Path) -> PathBuf {
        let name = format!("{}{}", self.package, std::env::consts::EXE_SUFFIX);
        root.join("target").join("tools").join("bin").join(name)
    }

    /// Cargo hands a subcommand its own name as the first argument; started directly it wants the same.
    fn start(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.arg(self.package.trim_start_matches("cargo-"));
        command
    }
}

fn works(command: &mut Command) -> bool {
    let quiet = command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
