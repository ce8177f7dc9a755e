//! Errors and warnings with their place in the file, as text for people and as data for programs.

use crate::text::document::Origin;
use core::fmt::Write as _;
use std::cell::{Cell, OnceCell, RefCell};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scenario cannot run.
    Error,
    /// It runs, but probably does not show what is meant.
    Warning,
}

/// Where a diagnostic points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A stretch of the file.
    File {
        /// Bytes `start..end` of the text.
        span: (usize, usize),
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The line's text.
        text: String,
        /// How many characters of the line are meant, at least 1.
        width: usize,
    },
    /// An override from the command line or the API.
    Override {
        /// Its path.
        path: String,
        /// Its value, as given.
        value: String,
    },
    /// The scenario as a whole.
    Scenario,
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in lower case, without a full stop.
    pub message: String,
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Where.
    pub place: Place,
    /// Beside the underline: what was expected, or the nearest name.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The names that would have been accepted, where the error is about a name.
    pub expected: Vec<String>,
}

/// Lines longer than this are cut around the underlined part.
const MAX_LINE: usize = 140;

impl Diagnostic {
    /// The diagnostic as text: place, the offending line, an underline, help. Ends with a line feed.
    pub fn render(&self, colour: bool) -> String {
        let paint = |code: &str, text: &str| {
            if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
        };
        let (word, code) = match self.severity {
            Severity::Error => ("error", "1;31"),
            Severity::Warning => ("warning", "1;33"),
        };
        let mut out = format!("{}: {}\n", paint(code, word), paint("1", &self.message));
        let mut gutter = 2;
        match &self.place {
            Place::File { line, column, text, width, .. } => {
                gutter = line.to_string().len();
                let pad = " ".repeat(gutter);
                let (arrow, bar) = (paint("34", "-->"), paint("34", "|"));
                let (text, column_shown, width) = clipped(text, *column, *width);
                let label = self.label.as_deref().unwrap_or("");
                let marks = format!("{}{} {label}", " ".repeat(column_shown - 1), "^".repeat(width));
                let _ = writeln!(out, "{pad}{arrow} {}:{line}:{column}", self.file);
                let _ = writeln!(out, "{pad} {bar}\n{line} {bar} {text}");
                let _ = writeln!(out, "{pad} {bar} {}", paint(code, marks.trim_end()));
            }
            Place::Override { path, value } => {
                let word = format!("{path}={value}");
                let bare = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-=/:+,".contains(c));
                let word = if bare { word } else { format!("'{}'", word.replace(char::is_control, " ")) };
                let _ = writeln!(out, "  {} --set {word}", paint("34", "-->"));
                self.write_label(&mut out, gutter);
            }
            Place::Scenario => {
                let _ = writeln!(out, "  {} {}", paint("34", "-->"), self.file);
                self.write_label(&mut out, gutter);
            }
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{} = help: {help}", " ".repeat(gutter));
        }
        out
    }

    fn write_label(&self, out: &mut String, gutter: usize) {
        if let Some(label) = &self.label {
            let _ = writeln!(out, "{} = {label}", " ".repeat(gutter));
        }
    }

    /// The diagnostic as data: `severity`, `message`, `file`, `line`, `column`, `span`, `override`, `label`, `help`, `expected`.
    pub fn to_json(&self) -> serde_json::Value {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        let mut json = serde_json::json!({
            "severity": severity,
            "message": self.message,
            "file": self.file,
            "label": self.label,
            "help": self.help,
            "expected": self.expected,
        });
        match &self.place {
            Place::File { span, line, column, .. } => {
                json["span"] = serde_json::json!([span.0, span.1]);
                json["line"] = (*line).into();
                json["column"] = (*column).into();
            }
            Place::Override { path, value } => {
                json["override"] = serde_json::json!({ "path": path, "value": value });
            }
            Place::Scenario => {}
        }
        json
    }

    /// Adds what stands beside the underline.
    #[must_use]
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the names that would have been accepted, and proposes the nearest.
    #[must_use]
    pub(crate) fn among<'a>(mut self, word: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.expected = names.into_iter().map(str::to_string).collect();
        let known = self.expected.iter().map(String::as_str);
        if let Some(near) = tailrace_core::text::nearest(word, known) {
            self.label = Some(format!("did you mean `{near}`?"));
        } else if !self.expected.is_empty() {
            self.help = Some(format!("expected one of: {}", listed(&self.expected)));
        }
        self
    }
}

/// Names separated by commas, at most thirty of them.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(30).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 30 { format!("{shown}, and {} more", names.len() - 30) } else { shown }
}

/// The line with control characters blanked, cut to [`MAX_LINE`] around the underlined part.
fn clipped(text: &str, column: usize, width: usize) -> (String, usize, usize) {
    let chars: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.len() <= MAX_LINE {
        return (chars.into_iter().collect(), column, width);
    }
    let first = (column - 1).saturating_sub(40).min(chars.len());
    let last = (first + MAX_LINE).min(chars.len());
    let shown: String = chars[first..last].iter().collect();
    let column = column - first;
    (shown, column, width.min((last - first + 1).saturating_sub(column - 1)).max(1))
}

/// Renders all of them, errors first as given, with a closing line that counts them.
pub fn render_all(diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut out = String::new();
    for d in diagnostics {
        out += &d.render(colour);
        out.push('\n');
    }
    let count = |s| diagnostics.iter().filter(|d| d.severity == s).count();
    let plural = |n: usize, word| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    match (errors, warnings) {
        (0, 0) => {}
        (0, w) => out += &plural(w, "warning"),
        (e, 0) => out += &plural(e, "error"),
        (e, w) => out += &format!("{}, {}", plural(e, "error"), plural(w, "warning")),
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Collects diagnostics while one file is read.
pub(crate) struct Sink<'a> {
    file: &'a str,
    text: &'a str,
    overrides: &'a [(String, String)],
    /// Where lines end, found when first asked for: a large file may be full of errors.
    lines: OnceCell<Vec<usize>>,
    found: RefCell<Vec<(usize, Diagnostic)>>,
    errors: Cell<usize>,
}

/// More errors than this are counted only: nobody reads them, and their cause is mostly one.
const MOST_ERRORS: usize = 100;

impl<'a> Sink<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, overrides: &'a [(String, String)]) -> Self {
        Self {
            file,
            text,
            overrides,
            lines: OnceCell::new(),
            found: RefCell::default(),
            errors: Cell::new(0),
        }
    }

    /// A diagnostic to be completed and handed to [`Sink::push`].
    pub(crate) fn at(&self, severity: Severity, origin: Origin, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            file: self.file.to_string(),
            place: self.place(origin),
            label: None,
            help: None,
            expected: Vec::new(),
        }
    }

    /// Reports an error without further ado.
    pub(crate) fn error(&self, origin: Origin, message: impl Into<String>) {
        self.push(self.at(Severity::Error, origin, message));
    }

    /// An error to be completed.
    pub(crate) fn an_error(&self, origin: Origin, message: impl Into<String>) -> Diagnostic {
        self.at(Severity::Error, origin, message)
    }

    pub(crate) fn push(&self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors.set(self.errors.get() + 1);
            if self.errors.get() > MOST_ERRORS {
                return;
            }
        }
        let order = match diagnostic.place {
            Place::File { span, .. } => span.0,
            Place::Override { .. } => usize::MAX - 1,
            Place::Scenario => usize::MAX,
        };
        self.found.borrow_mut().push((order, diagnostic));
    }

    pub(crate) fn errors(&self) -> usize {
        self.errors.get()
    }

    /// Everything found, in the order of the file.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        if let Some(more @ 1..) = self.errors.get().checked_sub(MOST_ERRORS) {
            let message = format!("and {more} more error{}", if more == 1 { "" } else { "s" });
            let last = self.an_error(Origin::Scenario, message);
            self.found.borrow_mut().push((usize::MAX, last));
        }
        let mut found = self.found.into_inner();
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, d)| d).collect()
    }

    fn place(&self, origin: Origin) -> Place {
        match origin {
            Origin::Scenario => Place::Scenario,
            Origin::Override(i) => self.overrides.get(i).map_or(Place::Scenario, |(path, value)| {
                Place::Override { path: path.clone(), value: value.clone() }
            }),
            Origin::Span(start, end) => self.place_in_text(start, end),
        }
    }

    /// The number of the line that holds a byte.
    fn line_of(&self, position: usize) -> usize {
        let breaks = self.lines.get_or_init(|| self.text.match_indices('\n').map(|(i, _)| i).collect());
        breaks.partition_point(|b| *b < position) + 1
    }

    fn place_in_text(&self, start: usize, end: usize) -> Place {
        let floor = |mut i: usize| {
            i = i.min(self.text.len());
            while !self.text.is_char_boundary(i) {
                i -= 1;
            }
            i
        };
        let (start, end) = (floor(start), floor(end.max(start)));
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |i| start + i);
        let text = self.text[line_start..line_end].trim_end_matches('\r');
        let meant = &self.text[start..end.min(line_start + text.len()).max(start)];
        Place::File {
            span: (start, end),
            line: self.line_of(start),
            column: self.text[line_start..start].chars().count() + 1,
            text: text.to_string(),
            width: meant.chars().count().max(1),
        }
    }
}
