//! What a new endpoint consists of, as files: the embedded example, or the same wiring without its content.

use std::path::Path;

use anyhow::Context as _;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A file of a new endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// Its path in the endpoint, with `/` between the parts.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// What a new endpoint holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    /// The example, complete.
    Example,
    /// No documents yet, and no words for them.
    Empty,
    /// A folder or an export of the user's, as the configuration names it.
    Folder {
        /// The path as it is written into the configuration.
        path: &'a str,
        /// What is there.
        kind: CorpusKind,
        /// A pattern of what in that folder is not to be read: the endpoint itself.
        exclude: Option<&'a str>,
        /// With the general ontology instead of an empty one.
        general: bool,
    },
}

/// What a user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CorpusKind {
    /// A folder of Markdown files.
    Markdown,
    /// A folder of documents of other formats.
    Documents,
    /// A MediaWiki export.
    Export,
}

/// The file that a source is configured in.
const SOURCES: &str = include_str!("scaffold/sources.jsonc");

/// What the example says of itself, and what an endpoint without its content says instead.
const NEUTRAL: [(&str, &str, &str); 4] = [
    (
        "mge_endpoint.jsonc",
        "\t\"description\": [\n\t\t\"A ferry town, its marine institute and its museum, told in sixteen documents.\",\n\t\t\"Ask who directed what and when, who owns which ship, who works on which project.\"\n\t],",
        "\t\"description\": [\n\t\t\"-- Say here what this endpoint is about. --\"\n\t],",
    ),
    (
        "evidence_graphs.jsonc",
        "\"What the documents around Hallin Sound claim.\"",
        "\"What the documents claim.\"",
    ),
    (
        "agents.jsonc",
        "Answers questions about the ferry town from the evidence graph.",
        "Answers questions from the evidence graph.",
    ),
    (
        "ontologies.jsonc",
        "\"The people, organisations, ships and places by name.\"",
        "\"What is known by name.\"",
    ),
];

/// Returns the files of a new endpoint.
///
/// # Errors
/// Only when the embedded example no longer has the lines that are to be filled in, which a test rules out.
pub(crate) fn files(name: &str, date: &str, content: Content<'_>) -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    for (path, text) in EXAMPLE {
        let mut text = (*text).to_owned();
        if *path == "mge_endpoint.jsonc" {
            text = fill(&text, "name", name)?;
            text = fill(&text, "creation_date", date)?;
            text = fill(&text, "mge_version", env!("CARGO_PKG_VERSION"))?;
        }
        if let Content::Empty | Content::Folder { .. } = content {
            if path.starts_with("documents/") {
                continue;
            }
            for (_, from, to) in NEUTRAL.iter().filter(|(file, ..)| file == path) {
                anyhow::ensure!(text.contains(from), "the example's {path} no longer says {from:?}");
                text = text.replace(from, to);
            }
            if *path == "sources.jsonc" {
                text = sources(content)?;
            }
            if let Some(file) = path.strip_prefix("ontology_source/") {
                text = ontology(file, &text, content);
            }
        }
        files.push(File { path: (*path).to_owned(), text });
    }
    Ok(files)
}

/// Replaces the text behind a key that stands once in a file.
fn fill(text: &str, key: &str, value: &str) -> anyhow::Result<String> {
    let head = format!("\t\"{key}\": \"");
    let (before, rest) = text.split_once(&head).with_context(|| format!("the example has no {key}"))?;
    let (_, after) = rest.split_once('"').with_context(|| format!("the example's {key} has no end"))?;
    Ok(format!("{before}{head}{value}\"{after}"))
}

fn sources(content: Content<'_>) -> anyhow::Result<String> {
    let (path, exclude, kind) = match content {
        Content::Folder { path, exclude, kind, .. } => (path, exclude, kind),
        Content::Example | Content::Empty => ("documents", None, CorpusKind::Markdown),
    };
    let exclude: Vec<&str> = exclude.into_iter().collect();
    let path = serde_json::to_string(path)?;
    let text = SOURCES.replace("\"@EXCLUDE@\"", &serde_json::to_string(&exclude)?);
    let kind = match kind {
        CorpusKind::Markdown => return Ok(text.replace("\"@PATH@\"", &path)),
        CorpusKind::Documents => "pdf_mirror",
        CorpusKind::Export => "xml_stream",
    };
    let mut text = text.replace("\"@PATH@\"", "\"documents\"");
    for (from, to) in [
        ("\"type\": \"markdown_tree\",", format!("\"type\": \"{kind}\",\n\t\t\t\"src_path\": {path},")),
        ("// The folder, as seen from this one.", "// Where the Markdown goes.".to_owned()),
        ("\t\t\t\"extensions\": [\"md\"],\n", String::new()),
    ] {
        anyhow::ensure!(text.contains(from), "the scaffold of sources.jsonc no longer says {from:?}");
        text = text.replace(from, &to);
    }
    Ok(text)
}

/// An ontology file: the general one's, or the example's first line alone.
fn ontology(file: &str, example: &str, content: Content<'_>) -> String {
    if let Content::Folder { general: true, .. } = content
        && let Some((_, text)) = GENERAL_ONTOLOGY.iter().find(|(path, _)| *path == file)
    {
        return (*text).to_owned();
    }
    example.split_inclusive('\n').next().unwrap_or_default().to_owned()
}

/// Returns the path from one folder to another, as it is written into a configuration; both are absolute.
///
/// `None` when there is none, as between two drives, or when it is no UTF-8 text.
pub(crate) fn relative(from: &Path, to: &Path) -> Option<String> {
    let mut from = from.components().peekable();
    let mut to = to.components().peekable();
    let mut shared = false;
    while let (Some(left), Some(right)) = (from.peek(), to.peek()) {
        if left != right {
            break;
        }
        shared = true;
        from.next();
        to.next();
    }
    if !shared {
        return None;
    }
    let mut parts: Vec<&str> = from.map(|_| "..").collect();
    for part in to {
        parts.push(part.as_os_str().to_str()?);
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<'a>(files: &'a [File], path: &str) -> &'a str {
        &files.iter().find(|file| file.path == path).expect("the file is there").text
    }

    #[test]
    fn the_example_bears_the_new_name() {
        let files = files("harbour", "2026-12-01", Content::Example).expect("it can be filled in");
        let main = text(&files, "mge_endpoint.jsonc");
        assert!(main.contains("\"name\": \"harbour\""));
        assert!(main.contains("\"creation_date\": \"2026-12-01\""));
        assert!(files.iter().any(|file| file.path.starts_with("documents/")));
    }

    #[test]
    fn an_endpoint_without_the_example_says_nothing_of_it() {
        let kind = CorpusKind::Markdown;
        let folder = Content::Folder { path: "../my notes", kind, exclude: Some("kb/**"), general: true };
        for content in [Content::Empty, folder] {
            for file in files("kb", "2026-12-01", content).expect("it can be filled in") {
                for word in ["Hallin", "Merrow", "Oskerby", "Petrel"] {
                    assert!(!file.text.contains(word), "{} says {word}", file.path);
                }
            }
        }
        let files = files("kb", "2026-12-01", folder).expect("it can be filled in");
        assert!(text(&files, "sources.jsonc").contains("\"dst_path\": \"../my notes\""));
        assert!(text(&files, "sources.jsonc").contains("\"exclude\": [\"kb/**\"]"));
        assert!(text(&files, "ontology_source/entities_concepts.csv").contains("person"));
    }

    #[test]
    fn a_source_is_of_the_type_of_what_is_there() {
        for (kind, lines) in [
            (
                CorpusKind::Documents,
                ["\"type\": \"pdf_mirror\",", "\"src_path\": \"../mine\",", "\"dst_path\": \"documents\""],
            ),
            (
                CorpusKind::Export,
                ["\"type\": \"xml_stream\",", "\"src_path\": \"../mine\",", "\"dst_path\": \"documents\""],
            ),
        ] {
            let content = Content::Folder { path: "../mine", kind, exclude: None, general: true };
            let files = files("kb", "2026-12-01", content).expect("it can be filled in");
            let sources = text(&files, "sources.jsonc");
            for line in lines {
                assert!(sources.contains(line), "{line} in {sources}");
            }
            assert!(!sources.contains("\"extensions\""), "{sources}");
        }
    }

    #[test]
    fn an_empty_ontology_keeps_its_columns() {
        let files = files("kb", "2026-12-01", Content::Empty).expect("it can be filled in");
        let concepts = text(&files, "ontology_source/entities_concepts.csv");
        assert!(concepts.starts_with("id\tdefinition"));
        assert_eq!(concepts.lines().count(), 1);
    }

    #[test]
    fn the_way_between_two_folders_goes_up_and_down() {
        let path = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(path("/a/b/kb", "/a/docs").as_deref(), Some("../../docs"));
        assert_eq!(path("/a/kb", "/a").as_deref(), Some(".."));
        assert_eq!(path("/a", "/a").as_deref(), Some("."));
        assert_eq!(path("/a", "/a/x").as_deref(), Some("x"));
    }
}
