//! What is wrong, where, and what to do: data first, drawn by [`Diagnostic::render`].

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The configuration works, but probably not as meant.
    Warning,
    /// The configuration cannot be used as it is.
    Error,
}

/// One problem of a configuration file.
///
/// Serialized, it has the shape of `mge check --json`: absent members are left out.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable short name of the kind of problem, such as `unknown-key`.
    pub code: Cow<'static, str>,
    /// What is wrong: a lowercase fragment without a full stop.
    pub message: String,
    /// The file, as a path that can be opened from where the endpoint's path was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The places to show; the first one is where the problem is.
    #[serde(skip)]
    pub labels: Vec<Label>,
    /// The `$ref`s that led to the file, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<Site>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A marked stretch of one line, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Label {
    /// Where the stretch starts.
    pub site: Site,
    /// The line around it: tabs expanded, cut when long, without control characters.
    pub excerpt: String,
    /// The display column in the excerpt where the stretch starts, counted from 0.
    pub indent: usize,
    /// The stretch's width in display columns; at least 1.
    pub width: usize,
    /// What to say beside the mark; often nothing.
    pub message: String,
}

impl Diagnostic {
    /// Creates an error that belongs to no place in a file.
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: code.into(),
            message: message.into(),
            file: None,
            line: None,
            column: None,
            hint: None,
            labels: Vec::new(),
            trail: Vec::new(),
        }
    }

    /// Replaces the severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Replaces the code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.code = code.into();
        self
    }

    /// Replaces the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Names the file, for problems of the file as a whole.
    #[must_use]
    pub fn with_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Adds a place; the first one gives the problem its file, line and column.
    #[must_use]
    pub fn with_label(mut self, label: Label) -> Self {
        if self.labels.is_empty() {
            self.file = Some(label.site.file.clone());
            self.line = Some(label.site.line);
            self.column = Some(label.site.column);
        }
        self.labels.push(label);
        self
    }

    /// Says by which `$ref`s the file was reached.
    #[must_use]
    pub fn with_trail(mut self, trail: Vec<Site>) -> Self {
        self.trail = trail;
        self
    }

    /// Draws the problem for a person: the message, the line with a caret, the trail and the hint.
    ///
    /// The text ends with a newline. Colours are ANSI sequences and are only used when asked for.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let paint = Paint(colour);
        let (word, shade) = match self.severity {
            Severity::Error => ("error", Paint::RED),
            Severity::Warning => ("warning", Paint::YELLOW),
        };
        let mut out = format!("{}: {}\n", paint.with(shade, word), paint.with(Paint::BOLD, &self.message));
        let gutter = self.labels.iter().map(|label| label.site.line.to_string().len()).max().unwrap_or(1);
        let margin = " ".repeat(gutter);
        let bar = paint.with(Paint::BLUE, "|");
        // Writing to a String cannot fail.
        let mut previous: Option<&Site> = None;
        for label in &self.labels {
            if previous.is_none_or(|site| site.file != label.site.file) {
                let arrow = paint.with(Paint::BLUE, if previous.is_none() { "-->" } else { ":::" });
                let _ = writeln!(out, "{margin}{arrow} {}", label.site);
                let _ = writeln!(out, "{margin} {bar}");
            }
            let mark = if previous.is_none() { "^" } else { "-" };
            let shade = if previous.is_none() { shade } else { Paint::BLUE };
            let number = format!("{:>gutter$}", label.site.line);
            let _ = writeln!(out, "{} {bar} {}", paint.with(Paint::BLUE, &number), label.excerpt.trim_end());
            let marks = format!("{} {}", mark.repeat(label.width), label.message);
            let marks = paint.with(shade, marks.trim_end());
            let _ = writeln!(out, "{margin} {bar} {}{marks}", " ".repeat(label.indent));
            previous = Some(&label.site);
        }
        if let (None, Some(file)) = (previous, &self.file) {
            // A table's row has a line, but no column that a caret could point at.
            let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
            let _ = writeln!(out, "{margin}{} {}{line}", paint.with(Paint::BLUE, "-->"), file.display());
        }
        for site in self.trail.iter().rev() {
            let _ = writeln!(out, "{margin} = by the $ref at {site}");
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "{}: {hint}", paint.with(Paint::CYAN, "hint"));
        }
        out
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

struct Paint(bool);

impl Paint {
    const BOLD: &str = "1";
    const RED: &str = "1;31";
    const YELLOW: &str = "1;33";
    const BLUE: &str = "1;34";
    const CYAN: &str = "1;36";

    fn with(&self, shade: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{shade}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Collects problems: each place and message once, and not more than anyone would read.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Diagnostic>,
    dropped: usize,
}

impl Problems {
    pub(crate) const MOST: usize = 200;

    /// Tells whether another problem would be kept, and counts it if not.
    ///
    /// Placing a problem takes time, and a hostile file can have millions.
    pub(crate) fn has_room(&mut self) -> bool {
        let has_room = self.list.len() < Self::MOST;
        self.dropped += usize::from(!has_room);
        has_room
    }

    /// Counts problems that were not even looked at.
    pub(crate) fn drop_more(&mut self, count: usize) {
        self.dropped += count;
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if !self.has_room() {
            return;
        }
        let known = self.list.iter().any(|other| {
            other.message == diagnostic.message
                && (&other.file, other.line, other.column)
                    == (&diagnostic.file, diagnostic.line, diagnostic.column)
        });
        if !known {
            self.list.push(diagnostic);
        }
    }

    /// Tells whether an error marks exactly this place already.
    pub(crate) fn marks(&self, label: &Label) -> bool {
        self.list.iter().any(|other| other.labels.first().is_some_and(|first| first.site == label.site))
    }

    /// Returns the problems by file, in the order in which the files came up, and by place.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let mut files: Vec<Option<PathBuf>> = Vec::new();
        for diagnostic in &self.list {
            if !files.contains(&diagnostic.file) {
                files.push(diagnostic.file.clone());
            }
        }
        self.list.sort_by_cached_key(|diagnostic| {
            (files.iter().position(|file| *file == diagnostic.file), diagnostic.line, diagnostic.column)
        });
        if self.dropped > 0 {
            let message = format!("{} more problems are not shown", self.dropped);
            self.list.push(Diagnostic::error("too-many", message));
        }
        self.list
    }
}
