//! The only place that prints: the answer to stdout, everything else to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::process::{Command, Stdio};

use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

/// How a piece of text looks. Nothing is said by the look alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Italic,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Italic => "3",
            Self::Red => "1;31",
            Self::Green => "32",
            Self::Yellow => "1;33",
            Self::Cyan => "36",
        }
    }

    fn apply(self, text: impl Display, on: bool) -> String {
        if on { format!("\u{1b}[{}m{text}\u{1b}[0m", self.code()) } else { text.to_string() }
    }
}

/// Prints answers and notes as the global options want them.
pub(crate) struct Printer {
    /// The answer so far; it goes out as a whole, so that a long one can go to a pager.
    answer: Vec<u8>,
    quiet: u8,
    out_terminal: bool,
    err_terminal: bool,
    out_color: bool,
    err_color: bool,
    width: usize,
}

impl Printer {
    /// Looks at the terminal, if there is one.
    pub(crate) fn new(color: Color, quiet: u8) -> Self {
        let out_terminal = io::stdout().is_terminal();
        let err_terminal = io::stderr().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let wanted = |terminal: bool| match color {
            Color::Auto => terminal && !plain,
            Color::Always => true,
            Color::Never => false,
        };
        Self {
            answer: Vec::new(),
            quiet,
            out_terminal,
            err_terminal,
            out_color: wanted(out_terminal),
            err_color: wanted(err_terminal),
            width: width(out_terminal),
        }
    }

    /// Tells whether a person is reading notes as they come.
    pub(crate) fn is_watched(&self) -> bool {
        self.err_terminal
    }

    /// Tells whether colours go to stderr.
    pub(crate) fn has_color_on_stderr(&self) -> bool {
        self.err_color
    }

    /// Tells whether colours go to stdout.
    pub(crate) fn has_color(&self) -> bool {
        self.out_color
    }

    /// Tells whether notes are wanted.
    pub(crate) fn tells_notes(&self) -> bool {
        self.quiet == 0
    }

    /// Tells whether warnings are wanted.
    pub(crate) fn tells_warnings(&self) -> bool {
        self.quiet < 2
    }

    /// Returns how many columns an answer may take.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Gives a piece of the answer its look.
    pub(crate) fn paint(&self, paint: Paint, text: impl Display) -> String {
        paint.apply(text, self.out_color)
    }

    /// Adds a line to the answer.
    pub(crate) fn line(&mut self, text: impl Display) {
        if self.quiet < 2 {
            // Writing to memory cannot fail.
            let _ = writeln!(self.answer, "{text}");
        }
    }

    /// Adds a line to the answer and sends it out at once, for answers that grow while one waits.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(crate) fn line_now(&mut self, text: impl Display) -> io::Result<()> {
        self.line(text);
        self.flush()
    }

    /// Adds to the answer what another program printed, and sends it out.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.quiet < 2 {
            self.answer.extend_from_slice(bytes);
        }
        self.flush()
    }

    /// Adds an object to the answer: on one line, or spread out where a person reads it.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> serde_json::Result<()> {
        let text = if self.out_terminal {
            serde_json::to_string_pretty(value)?
        } else {
            serde_json::to_string(value)?
        };
        self.line(text);
        Ok(())
    }

    /// Adds a JSON document to the answer, spread out: one that people keep in a file.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub(crate) fn document(&mut self, value: &impl Serialize) -> serde_json::Result<()> {
        self.line(serde_json::to_string_pretty(value)?);
        Ok(())
    }

    /// Sends out what there is of the answer.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let answer = std::mem::take(&mut self.answer);
        let mut out = io::stdout().lock();
        out.write_all(&answer)?;
        out.flush()
    }

    /// Sends out the rest of the answer, through a pager when it is longer than the terminal.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let lines = self.answer.iter().filter(|byte| **byte == b'\n').count();
        let height = terminal_size::terminal_size().map_or(usize::MAX, |(_, height)| usize::from(height.0));
        if self.out_terminal && lines >= height && self.page().is_ok() {
            self.answer.clear();
            return Ok(());
        }
        self.flush()
    }

    /// Shows the answer in the pager of the environment.
    fn page(&self) -> io::Result<()> {
        let set = ["MGE_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
        // -F ends at once when all fits, -R lets colours through, -X leaves the text on the screen.
        let wanted = set.unwrap_or_else(|| "less -FRX".to_owned());
        let mut words = wanted.split_whitespace();
        let Some(program) = words.next() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut pager = Command::new(program).args(words).stdin(Stdio::piped()).spawn()?;
        if let Some(mut input) = pager.stdin.take() {
            // Leaving the pager before the end closes the pipe, which is no error.
            let _ = input.write_all(&self.answer);
        }
        pager.wait().map(|_| ())
    }

    /// Prints a note.
    pub(crate) fn note(&self, text: impl Display) {
        if self.quiet == 0 {
            print_error_line(text);
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&self, text: impl Display) {
        if self.tells_warnings() {
            print_error_line(format_args!("{}: {text}", Paint::Yellow.apply("warning", self.err_color)));
        }
    }

    /// Says which command comes next; only to a person.
    pub(crate) fn next(&self, command: &str, why: &str) {
        if self.quiet == 0 && self.err_terminal {
            let command = Paint::Bold.apply(command, self.err_color);
            print_error_line(format_args!("{} {command}  {why}", Paint::Dim.apply("next:", self.err_color)));
        }
    }

    /// Prints an error with its causes and its hint.
    pub(crate) fn error(&self, error: &anyhow::Error, hint: Option<&str>) {
        if self.quiet > 1 {
            return;
        }
        print_error_line(format_args!("{}: {error}", Paint::Red.apply("error", self.err_color)));
        let mut said = error.to_string();
        for cause in error.chain().skip(1) {
            let text = cause.to_string();
            // A message that already holds its cause need not say it twice.
            if !said.contains(&text) {
                print_error_line(format_args!("{}: {text}", Paint::Red.apply("caused by", self.err_color)));
                said = text;
            }
        }
        if let Some(hint) = hint {
            print_error_line(format_args!("{}: {hint}", Paint::Cyan.apply("hint", self.err_color)));
        }
    }

    /// Prints text that is drawn already.
    pub(crate) fn drawn(&self, draw: impl FnOnce(bool) -> String) {
        if self.quiet < 2 {
            let _ = write!(io::stderr().lock(), "{}", draw(self.err_color));
        }
    }
}

/// Without stderr there is nobody to tell, and nothing to be done about it.
pub(crate) fn print_error_line(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Files and pipes get whole lines, unless COLUMNS says otherwise.
fn width(terminal: bool) -> usize {
    const NARROWEST: usize = 40;
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { seen().or(set).or(Some(80)) } else { set };
    width.map_or(usize::MAX, |width| width.max(NARROWEST))
}

/// Returns how many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Cuts a text to a number of columns; an ellipsis stands for what is gone. Line ends become spaces.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let text = one_line(text);
    if text.width() <= most {
        return text;
    }
    let mut kept = String::new();
    let mut taken = 0;
    for character in text.chars() {
        let width = character.width().unwrap_or(0);
        if taken + width + 1 > most {
            break;
        }
        taken += width;
        kept.push(character);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// Cuts a text to a number of columns like [`cut`], but keeps its end.
pub(crate) fn cut_start(text: &str, most: usize) -> String {
    let text = one_line(text);
    if text.width() <= most {
        return text;
    }
    let mut taken = 1;
    let fits = |character: &char| {
        taken += character.width().unwrap_or(0);
        taken <= most
    };
    let kept: Vec<char> = text.chars().rev().take_while(fits).collect();
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

/// Makes one line of a text: white space in a row becomes a space, what could move the cursor is gone.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|character| !is_unsafe(*character)).collect()
}

/// Takes out what a text of unknown origin could do to a terminal; line ends and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().filter(|character| matches!(character, '\n' | '\t') || !is_unsafe(*character)).collect()
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Breaks a text into lines of at most so many columns, at spaces where there are any.
pub(crate) fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in one_line(text).split(' ') {
        if !line.is_empty() && line.width() + 1 + word.width() > most {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars() {
            // Scripts without spaces, and words longer than a line, break anywhere.
            if line.width() + character.width().unwrap_or(0) > most && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_double_when_cut() {
        assert_eq!(cut("plain", 10), "plain");
        assert_eq!(cut("a longer text", 8), "a longe…");
        assert_eq!(cut("東京タワー", 7), "東京タ…");
        assert_eq!(columns(&cut("東京タワー", 6)), 5);
        assert_eq!(cut("two\nlines", 20), "two lines");
        assert_eq!(cut_start("docs/東京.md:12", 11), "…東京.md:12");
        assert_eq!(cut_start("docs/東京.md:12", 10), "…京.md:12");
    }

    #[test]
    fn text_cannot_play_with_the_terminal() {
        assert_eq!(one_line("a\u{1b}[2Jb\u{202e}c"), "a[2Jbc");
        assert_eq!(harmless("a\u{7}\n\tb"), "a\n\tb");
    }

    #[test]
    fn lines_break_at_spaces_and_elsewhere_when_they_must() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("東京東京", 5), ["東京", "東京"]);
        assert!(wrap("", 5).is_empty());
    }
}
