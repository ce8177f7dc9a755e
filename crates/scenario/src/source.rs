//! A file that is read once and made a scenario as often as wanted: a sweep has thousands of variants.

use crate::advice;
use crate::declarations::declaration::Declaration;
use crate::declarations::draft::Draft;
use crate::declarations::queue;
use crate::declarations::sections::{SCENARIO, Shape};
use crate::model::{Plugins, Scenario};
use crate::resolving::memory::{Estimate, MemoryRoom};
use crate::resolving::scenario::{Resolved, resolve};
use crate::resolving::{faults, roles, sweep, windows};
use crate::text::allow::allowable;
use crate::text::codes::Code;
use crate::text::diagnostic::Diagnostic;
use crate::text::document::{Data, Table};
use crate::text::files::{Files, NoFiles};
use crate::text::place::Origin;
use crate::text::sink::Sink;
use crate::text::{path, read, write};
use std::sync::Arc;

/// A scenario that can run.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Counts expanded, every default filled in.
    pub scenario: Scenario,
    /// The same as it was written; see [`Parsed::to_toml`].
    pub declaration: Declaration,
    /// Warnings: values that are probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// Memory estimate.
    pub memory: Estimate,
}

impl Parsed {
    /// The scenario as a file with every default filled in, which reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        self.declaration.to_toml()
    }
}

/// Objection to a value of the file by a caller who knows more than the parser.
#[derive(Clone, Debug)]
pub struct Objection {
    /// The value's path, as of [`Source::value`].
    pub path: String,
    /// Reason; for a warning, its whole message.
    pub why: String,
    /// Remedy, if `why` does not name it.
    pub help: Option<String>,
}

/// The text of a scenario file.
#[derive(Clone, Debug)]
pub struct Source {
    text: String,
    file_name: String,
    allow: Vec<String>,
    plugins: Plugins,
    files: Arc<dyn Files>,
    /// `None` where there is something to say about it, which is found again for whom it is said to.
    root: Option<Table>,
}

impl Source {
    /// Reads the text. What is wrong with it is said when a scenario is made of it.
    pub fn new(text: &str, file_name: &str) -> Self {
        let sink = Sink::new(file_name, text, &[], &[], &NoFiles);
        let root = read::parse(text, &lists(), &sink);
        let root = root.filter(|_| sink.into_sorted().is_empty());
        Self {
            text: text.into(),
            file_name: file_name.into(),
            allow: Vec::new(),
            plugins: Plugins::NONE.clone(),
            files: Arc::new(NoFiles),
            root,
        }
    }

    /// Leaves out warnings with these codes, beside those that the file allows.
    #[must_use]
    pub fn allowing(mut self, codes: Vec<String>) -> Self {
        self.allow.extend(codes);
        self
    }

    /// With algorithms that the scenario may name beside the registered ones.
    #[must_use]
    pub fn with(mut self, plugins: Plugins) -> Self {
        self.plugins = plugins;
        self
    }

    /// Has files that the scenario names read so.
    #[must_use]
    pub fn reading(mut self, files: Arc<dyn Files>) -> Self {
        self.files = files;
        self
    }

    /// The scenario with these values set, where there is so much room; see [`crate::parse_within`].
    ///
    /// # Errors
    /// Every error found, in the order of the file.
    pub fn scenario(
        &self,
        overrides: &[(String, String)],
        room: impl Into<MemoryRoom>,
    ) -> Result<Parsed, Vec<Diagnostic>> {
        self.read(overrides, room.into(), true)
    }

    /// Makes one variant of the scenario, like [`Source::scenario`]: `[sweep]` is left out, unread.
    ///
    /// # Errors
    /// See [`Source::scenario`].
    pub fn variant(
        &self,
        overrides: &[(String, String)],
        room: impl Into<MemoryRoom>,
    ) -> Result<Parsed, Vec<Diagnostic>> {
        self.read(overrides, room.into(), false)
    }

    /// Value at a path of the file, such as `link.bottleneck.rate`, with these values set, as TOML. Defaults are left out.
    ///
    /// # Errors
    /// Why the path leads to no value, in words.
    pub fn value(&self, overrides: &[(String, String)], path: &str) -> Result<String, String> {
        let sink = Sink::new(&self.file_name, &self.text, overrides, &self.allow, &*self.files);
        let mut root = self.root(false, &sink).ok_or("the file cannot be read")?;
        set(&mut root, overrides, &sink);
        path::find(&root, path, queue::long_form)
            .map(|node| write::node(&node))
            .map_err(path::PathError::said)
    }

    /// Objections as diagnostics at the values that they are about, in the order of the file; of a value that is not
    /// written the place is that of the nearest table around it.
    pub fn objected(&self, overrides: &[(String, String)], objections: &[Objection]) -> Vec<Diagnostic> {
        let sink = Sink::new(&self.file_name, &self.text, overrides, &self.allow, &*self.files);
        let root = self.root_with(overrides, &sink);
        for Objection { path, why, help } in objections {
            // The position of an element in a list would say nothing.
            let key = path.rsplit('.').find(|word| word.parse::<usize>().is_err()).unwrap_or(path);
            let message = format!("bad value of `{key}`");
            let mut found = sink.at(Code::BadValue, origin(&root, path), message).label(why);
            found.help.clone_from(help);
            sink.push(found);
        }
        sink.into_sorted()
    }

    /// Objections like those of [`Source::objected`], as warnings of this code: none if `parsed`, which was made of this, allows it.
    pub fn warned(
        &self,
        overrides: &[(String, String)],
        code: Code,
        parsed: &Declaration,
        objections: &[Objection],
    ) -> Vec<Diagnostic> {
        let sink = Sink::new(&self.file_name, &self.text, overrides, &self.allow, &*self.files);
        let root = self.root_with(overrides, &sink);
        sink.allow(&parsed.allow);
        for Objection { path, why, help } in objections {
            let mut found = sink.at(code, origin(&root, path), why);
            found.help.clone_from(help);
            sink.push(found);
        }
        sink.into_sorted()
    }

    /// The file as plain TOML, which readers of version 1.0 take: a line for each key of its top level, and no comments. `None` if
    /// it cannot be read.
    pub fn plain(&self) -> Option<String> {
        let sink = Sink::new(&self.file_name, &self.text, &[], &self.allow, &*self.files);
        let root = self.root(true, &sink)?;
        let lines = root.entries.iter();
        Some(
            lines
                .map(|(key, value)| format!("{} = {}\n", write::key(&key.value), write::node(value)))
                .collect(),
        )
    }

    fn read(
        &self,
        overrides: &[(String, String)],
        room: MemoryRoom,
        sweep: bool,
    ) -> Result<Parsed, Vec<Diagnostic>> {
        let sink = Sink::new(&self.file_name, &self.text, overrides, &self.allow, &*self.files);
        let allow = self.allow.iter().enumerate();
        let allow: Vec<Code> =
            allow.filter_map(|(i, word)| allowable(word, Origin::Allow(i), &sink)).collect();
        let read = self.root(sweep, &sink).and_then(|mut root| {
            set(&mut root, overrides, &sink);
            if !sweep {
                root.restore("sweep", None);
                root.restore("figure", None);
            }
            build(&root, allow, room, &self.plugins, &sink)
        });
        match read {
            Some((scenario, memory, declaration)) if sink.errors() == 0 => {
                Ok(Parsed { scenario, declaration, warnings: sink.into_sorted(), memory })
            }
            _ => Err(sink.into_sorted()),
        }
    }

    /// With these values set. What is wrong with them is somebody else's to say.
    fn root_with(&self, overrides: &[(String, String)], sink: &Sink<'_>) -> Table {
        let apart = sink.apart();
        let mut root = self.root(true, &apart).unwrap_or_default();
        set(&mut root, overrides, &apart);
        root
    }

    /// A copy to be changed, with or without its sweep, which may be most of it.
    fn root(&self, sweep: bool, sink: &Sink<'_>) -> Option<Table> {
        let Some(root) = &self.root else { return read::parse(&self.text, &lists(), sink) };
        let entries =
            root.entries.iter().filter(|(key, _)| sweep || !matches!(key.value.as_str(), "sweep" | "figure"));
        Some(Table { entries: entries.cloned().collect() })
    }
}

/// Applies overrides. What is wide comes before what is narrow, in whatever order they are given:
/// `--set link.a.queue=red` would otherwise drop what `--set link.a.queue.limit=...` had set, and its errors with it.
fn set(root: &mut Table, overrides: &[(String, String)], sink: &Sink<'_>) {
    let mut ordered: Vec<_> = overrides.iter().enumerate().collect();
    ordered.sort_by_key(|(_, (path, _))| path::split(path).map_or(0, |segments| segments.len()));
    for (i, (path, value)) in ordered {
        let value = read::parse_override(value, i, sink);
        if let Err(unplaced) = path::check_beginning(root, path, &SCENARIO.names()) {
            unplaced.report(Origin::Override(i), sink);
            continue;
        }
        if let Err(lost) = path::set(root, path, Origin::Override(i), value, queue::long_form) {
            lost.report(Origin::Override(i), sink);
        }
    }
}

/// Where the value at a path was written, or the nearest table around it.
fn origin(root: &Table, path: &str) -> Origin {
    let mut path = path;
    loop {
        if let Ok(node) = path::find(root, path, queue::long_form) {
            return node.origin;
        }
        match path.rsplit_once('.') {
            Some((around, _)) => path = around,
            None => return Origin::Scenario,
        }
    }
}

fn build(
    root: &Table,
    allow: Vec<Code>,
    room: MemoryRoom,
    plugins: &Plugins,
    sink: &Sink<'_>,
) -> Option<(Scenario, Estimate, Declaration)> {
    let mut draft = Draft::read(root, plugins, sink);
    draft.allow.extend(allow);
    draft.allow.sort_unstable();
    draft.allow.dedup();
    sink.allow(&draft.allow);
    roles::apply(&mut draft, sink);
    windows::fill(&mut draft, sink);
    let nodes = tables(root, "host") + tables(root, "router");
    let incomplete = draft.links.len() != tables(root, "link") || draft.nodes.len() != nodes;
    let resolved = resolve(&draft, incomplete, room, sink);
    if let Some(resolved) = &resolved {
        // The resolved file says what loads have come to.
        let settled = draft
            .flows
            .iter_mut()
            .zip(&resolved.scenario.flows)
            .filter(|(decl, _)| decl.app.load().is_some());
        settled.for_each(|(decl, group)| decl.app = group.app.clone());
        for (decl, steps) in draft.faults.iter_mut().zip(&resolved.steps) {
            faults::settle(decl, *steps);
        }
        advice::advise(resolved, &draft, sink);
    }
    if sink.errors() > 0 {
        return None;
    }
    let declaration = draft.complete(sweep::read(root, plugins, sink)?)?;
    let Resolved { scenario, memory, .. } = resolved?;
    Some((scenario, memory, declaration))
}

/// The keys of the file that take lists of tables.
fn lists() -> Vec<&'static str> {
    SCENARIO
        .keys
        .iter()
        .filter(|k| matches!(k.shape, Shape::Sections(_) | Shape::Faults | Shape::Attacks | Shape::Media))
        .map(|k| k.name)
        .collect()
}

fn tables(root: &Table, key: &str) -> usize {
    match root.get(key).map(|node| &node.data) {
        Some(Data::Array(items)) => items.len(),
        _ => 0,
    }
}
