//! Errors and warnings with their place in the file, as text for people and as data for programs.

use crate::text::codes::Code;
use crate::text::place::Place;
use crate::text::severity::Severity;
use core::fmt::Write as _;

/// An error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Code, which stays once it is released.
    pub code: Code,
    /// Severity: error or warning.
    pub severity: Severity,
    /// Message in lower case, without a full stop.
    pub message: String,
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Where.
    pub place: Place,
    /// Beside the underline: what was expected, or the nearest name.
    pub label: Option<String>,
    /// Remedy.
    pub help: Option<String>,
    /// The names that would have been accepted, where the error is about a name.
    pub expected: Vec<String>,
}

/// Lines longer than this are cut around the underlined part.
const MAX_LINE: usize = 140;

impl Diagnostic {
    /// The diagnostic as text: place, the offending line, an underline, help. Ends with a line feed.
    pub fn render(&self, colour: bool) -> String {
        let paint = |hue: &str, text: &str| {
            if colour { format!("\x1b[{hue}m{text}\x1b[0m") } else { text.to_string() }
        };
        let hue = match self.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
        };
        let title = format!("{}[{}]", self.severity.word(), self.code.name());
        let mut out = format!("{}: {}\n", paint(hue, &title), paint("1", &self.message));
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
                let _ = writeln!(out, "{pad} {bar} {}", paint(hue, marks.trim_end()));
            }
            Place::Override { path, value } => {
                let word = shell_word(format!("{path}={value}"));
                let _ = writeln!(out, "  {} --set {word}", paint("34", "-->"));
                self.write_label(&mut out, gutter);
            }
            Place::Allow { code } => {
                let word = shell_word(code.clone());
                let _ = writeln!(out, "  {} --allow {word}", paint("34", "-->"));
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

    /// The diagnostic as data: `severity`, `code`, `message`, `file`, `line`, `column`, `span`, `override`, `allow`, `label`, `help`, `expected`.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::json!({
            "severity": self.severity.word(),
            "code": self.code.name(),
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
            Place::Allow { code } => json["allow"] = code.as_str().into(),
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

    /// Adds the names of the file that would have been accepted, and proposes the nearest.
    #[must_use]
    pub(crate) fn among<'a>(self, word: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.one_of(word, names, listed)
    }

    /// Adds the nearest name like [`Diagnostic::among`], for names that Tailrace itself has: `command` lists all of them.
    #[must_use]
    pub(crate) fn among_known<'a>(
        self,
        word: &str,
        names: impl IntoIterator<Item = &'a str>,
        command: &str,
    ) -> Self {
        self.one_of(word, names, |names| first_few(names, command))
    }

    fn one_of<'a>(
        mut self,
        word: &str,
        names: impl IntoIterator<Item = &'a str>,
        shown: impl Fn(&[String]) -> String,
    ) -> Self {
        self.expected = names.into_iter().map(str::to_string).collect();
        let known = self.expected.iter().map(String::as_str);
        if let Some(near) = tailrace_core::text::nearest(word, known) {
            self.label = Some(format!("did you mean `{near}`?"));
        } else if !self.expected.is_empty() {
            self.help = Some(format!("expected one of: {}", shown(&self.expected)));
        }
        self
    }
}

/// A word of a command line, in quotes where it needs them.
fn shell_word(word: String) -> String {
    let bare = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-=/:+,".contains(c));
    if bare { word } else { format!("'{}'", word.replace(char::is_control, " ")) }
}

/// Names of the file, separated by commas, at most thirty of them.
pub(crate) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(30).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 30 { format!("{shown}, and {} more", names.len() - 30) } else { shown }
}

/// Names that Tailrace itself has: the first few, and the command that tells all of them. So a name more changes no message.
pub(crate) fn first_few(names: &[impl AsRef<str>], command: &str) -> String {
    let shown = names.iter().take(8).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > 8 { format!("{shown}, and others (`{command}`)") } else { shown }
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
