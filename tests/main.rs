//! The acceptance tests: the program as people and scripts meet it, each in a clean room of its own ([`env`]).
//!
//! They are written from the specification and look only at what the program prints, how it ends, and what it leaves on
//! the disk. Every seed is printed, nothing goes to the network, and nothing waits for a fixed time.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![expect(clippy::print_stdout, reason = "figures and seeds belong into the report of a run")]

mod env;

mod claims;
mod cli_conventions;
mod complaints;
mod concurrent;
mod formats;
mod hostile;
mod incremental;
mod kill;
mod readme;
mod real;
mod renamed;
mod search;
mod spine;

/// A module that nobody named above would pass by never running.
#[test]
fn every_file_of_this_folder_is_one_of_the_modules() {
    let folder = env::repository().join("tests");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|name| !["main", "layering"].contains(name)) {
            assert!(main.contains(&format!("\nmod {module};\n")), "tests/{name} is in no test binary");
        }
    }
}
