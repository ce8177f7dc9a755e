//! Sink: collects diagnostics while a file is read.

use crate::text::codes::Code;
use crate::text::diagnostic::Diagnostic;
use crate::text::files::Files;
use crate::text::place::{Origin, Place};
use crate::text::severity::Severity;
use std::cell::{Cell, OnceCell, RefCell};

/// Collects diagnostics while one file is read.
pub(crate) struct Sink<'a> {
    file: &'a str,
    text: &'a str,
    overrides: &'a [(String, String)],
    /// Codes that are allowed beside the file, as given.
    allow: &'a [String],
    /// Reader of the files that the scenario names.
    files: &'a dyn Files,
    allowed: RefCell<Vec<Code>>,
    /// Where lines end, found when first asked for: a large file may be full of errors.
    lines: OnceCell<Vec<usize>>,
    found: RefCell<Vec<(usize, Diagnostic)>>,
    errors: Cell<usize>,
}

/// More errors than this are counted only: nobody reads them, and their cause is mostly one.
const MOST_ERRORS: usize = 100;

impl<'a> Sink<'a> {
    pub(crate) fn new(
        file: &'a str,
        text: &'a str,
        overrides: &'a [(String, String)],
        allow: &'a [String],
        files: &'a dyn Files,
    ) -> Self {
        Self {
            file,
            text,
            overrides,
            allow,
            files,
            allowed: RefCell::default(),
            lines: OnceCell::new(),
            found: RefCell::default(),
            errors: Cell::new(0),
        }
    }

    /// A diagnostic to be completed and handed to [`Sink::push`].
    pub(crate) fn at(&self, code: Code, origin: Origin, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            file: self.file.to_string(),
            place: self.place(origin),
            label: None,
            help: None,
            expected: Vec::new(),
        }
    }

    /// Reports something without further ado.
    pub(crate) fn error(&self, code: Code, origin: Origin, message: impl Into<String>) {
        self.push(self.at(code, origin, message));
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
            Place::Override { .. } | Place::Allow { .. } => usize::MAX - 1,
            Place::Scenario => usize::MAX,
        };
        self.found.borrow_mut().push((order, diagnostic));
    }

    /// A sink of its own for the same file, for reading that is only tried.
    pub(crate) fn apart(&self) -> Self {
        Self::new(self.file, self.text, self.overrides, self.allow, self.files)
    }

    /// Takes over what was found apart, but for these codes.
    pub(crate) fn join(&self, apart: Self, without: &[Code]) {
        let found = apart.found.into_inner().into_iter();
        found.filter(|(_, d)| !without.contains(&d.code)).for_each(|(_, d)| self.push(d));
    }

    /// Reader of the files that the scenario names.
    pub(crate) const fn files(&self) -> &'a dyn Files {
        self.files
    }

    /// Leaves out these warnings, also those that were found before.
    pub(crate) fn allow(&self, codes: &[Code]) {
        self.allowed.borrow_mut().extend(codes);
    }

    pub(crate) fn errors(&self) -> usize {
        self.errors.get()
    }

    /// Everything found, in the order of the file.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        if let Some(more @ 1..) = self.errors.get().checked_sub(MOST_ERRORS) {
            let message = format!("and {more} more error{}", if more == 1 { "" } else { "s" });
            let last = self.at(Code::MoreErrors, Origin::Scenario, message);
            self.found.borrow_mut().push((usize::MAX, last));
        }
        let (mut found, allowed) = (self.found.into_inner(), self.allowed.into_inner());
        found.retain(|(_, d)| d.severity == Severity::Error || !allowed.contains(&d.code));
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, d)| d).collect()
    }

    /// Value of an override as it was written.
    pub(crate) fn written(&self, origin: Origin) -> Option<&'a str> {
        let Origin::Override(i) = origin else { return None };
        self.overrides.get(i).map(|(_, value)| value.trim())
    }

    fn place(&self, origin: Origin) -> Place {
        match origin {
            Origin::Scenario => Place::Scenario,
            Origin::Allow(i) => {
                self.allow.get(i).map_or(Place::Scenario, |code| Place::Allow { code: code.clone() })
            }
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
