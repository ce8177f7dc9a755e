//! `[sweep]`: which variants of the scenario are to be compared. Here paths and values are checked; expressions are
//! evaluated, and the variants run, by somebody else.

use crate::declarations::draft::Draft;
use crate::declarations::queue;
use crate::declarations::sections::SCENARIO;
use crate::declarations::sweep::{Preset, Range, Sweep, SweepAxis};
use crate::model::Plugins;
use crate::text::codes::Code;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use crate::text::{path, write};
use tailrace_core::params::Value;

/// Each cell is at least a run of the whole scenario, with a result of its own.
const MOST_CELLS: u128 = 1_000_000;

/// Codes of errors between several keys, each of which the sweep may set.
const BETWEEN_KEYS: [Code; 3] = [Code::ContradictingTimes, Code::PacketTooLarge, Code::TooManySubflows];

/// Reads the section; each of its values by itself must make a scenario that can be read.
pub(crate) fn read(root: &Table, plugins: &Plugins, sink: &Sink<'_>) -> Option<Sweep> {
    let Some(node) = root.get("sweep") else { return Some(Sweep::default()) };
    let table = table_of(node, "[sweep] is a table of paths", sink)?;
    let mut base = root.clone();
    base.restore("sweep", None);
    let before = sink.errors();
    let moves_together = ["derive", "zip", "preset"].iter().any(|key| table.get(key).is_some());
    let mut reader = Reader { base, plugins, sink, cells: 1, moves_together, sweep: Sweep::default() };
    for (key, node) in &table.entries {
        reader.entry(key, node);
    }
    reader.check_samples(node.origin);
    (sink.errors() == before).then_some(reader.sweep)
}

struct Reader<'s> {
    /// The scenario without its sweep, into which each value is set in turn.
    base: Table,
    plugins: &'s Plugins,
    sink: &'s Sink<'s>,
    cells: u128,
    /// Whether values change together, so that one by itself may contradict what the file says.
    moves_together: bool,
    sweep: Sweep,
}

impl Reader<'_> {
    fn entry(&mut self, key: &At<String>, node: &Node) {
        match key.value.as_str() {
            _ if matches!(node.data, Data::Broken) => {}
            "zip" => self.zips(node),
            "let" => self.names(node),
            "derive" => self.derived(node),
            "preset" => self.presets(key, node),
            "when" => self.sweep.when = self.text(node, "a condition such as \"burst < period\""),
            "samples" => self.samples(key, node),
            "method" => self.method(node),
            _ => {
                if let Some(range) = self.range(key, node, true) {
                    self.sweep.ranges.push(range);
                } else if let Some(axis) = self.axis(key, node, true) {
                    self.multiply(key, axis.values.len());
                    self.sweep.grid.push(axis);
                }
            }
        }
    }

    /// An axis of a grid: the values as they are set at a path, or those that a name has.
    fn axis(&mut self, key: &At<String>, node: &Node, is_path: bool) -> Option<SweepAxis> {
        let Data::Array(values) = &node.data else {
            let error = self.sink.at(Code::WrongType, node.origin, "an axis of a sweep is a list of values");
            let dotted = node.as_table().is_some();
            self.sink.push(if dotted {
                error.help("quote the path: \"link.a.rate\" = [...]")
            } else {
                error.help("for values drawn at random: \"uniform(1 ms, 10 ms)\", with samples = 100")
            });
            return None;
        };
        if values.is_empty() {
            self.sink.error(Code::EmptyList, node.origin, "an axis of a sweep needs at least one value");
        }
        // The rest of the axis is skipped where even the path is wrong.
        if is_path && values.len() as u128 <= MOST_CELLS {
            let _ = values.iter().all(|value| self.can_be_set(key, value));
        }
        Some(SweepAxis { path: key.value.clone(), values: values.iter().map(write::node).collect() })
    }

    /// `"uniform(a, b)"` or `"log_uniform(a, b)"`: values between two ends.
    fn range(&mut self, key: &At<String>, node: &Node, is_path: bool) -> Option<Range> {
        let (kind, ends) = node.as_text()?.split_once('(')?;
        let (low, high) = ends.strip_suffix(')')?.split_once(',')?;
        if !["uniform", "log_uniform"].contains(&kind.trim()) {
            return None;
        }
        for end in [low, high] {
            let data = Data::Plain(number_or_text(end.trim()));
            if is_path && !self.can_be_set(key, &Node { data, origin: node.origin }) {
                break;
            }
        }
        let [low, high] = [low, high].map(|end| end.trim().to_string());
        Some(Range { path: key.value.clone(), logarithmic: kind.trim() == "log_uniform", low, high })
    }

    fn zips(&mut self, node: &Node) {
        let Data::Array(items) = &node.data else {
            let error =
                self.sink.at(Code::WrongType, node.origin, "what goes together is written [[sweep.zip]]");
            self.sink.push(error.help("a table a group, each with lists of as many values"));
            return;
        };
        for item in items {
            let Some(table) = table_of(item, "[[sweep.zip]] is a table of paths", self.sink) else {
                continue;
            };
            let axes: Vec<SweepAxis> =
                table.entries.iter().filter_map(|(key, values)| self.axis(key, values, true)).collect();
            let Some(first) = axes.first() else { continue };
            if let Some(other) = axes.iter().find(|axis| axis.values.len() != first.values.len()) {
                let message = format!(
                    "values of [[sweep.zip]] go together, but {} has {} and {} has {}",
                    first.path,
                    first.values.len(),
                    other.path,
                    other.values.len()
                );
                self.sink.error(Code::UnequalCounts, item.origin, message);
            }
            let count = first.values.len();
            if let Some((key, _)) = table.entries.first() {
                self.multiply(key, count);
            }
            self.sweep.zips.push(axes);
        }
    }

    fn names(&mut self, node: &Node) {
        let Some(table) = table_of(node, "[sweep.let] is a table of names", self.sink) else { return };
        for (key, value) in &table.entries {
            if !is_name(&key.value) {
                let message = format!("{:?} is no name that a formula can use", key.value);
                let error = self.sink.at(Code::BadName, key.origin, message);
                self.sink.push(error.help("letters, digits and _, beginning with a letter"));
            } else if let Some(range) = self.range(key, value, false) {
                self.sweep.name_ranges.push(range);
            } else if matches!(value.data, Data::Plain(_)) {
                let values = vec![write::node(value)];
                self.sweep.names.push(SweepAxis { path: key.value.clone(), values });
            } else if let Some(axis) = self.axis(key, value, false) {
                self.multiply(key, axis.values.len());
                self.sweep.names.push(axis);
            }
        }
    }

    fn derived(&mut self, node: &Node) {
        let Some(table) = table_of(node, "[sweep.derive] is a table of paths", self.sink) else { return };
        for (key, value) in &table.entries {
            if let Some(formula) = self.text(value, "a formula such as \"mean * period / burst\"") {
                self.sweep.derived.push((key.value.clone(), formula));
            }
        }
    }

    fn presets(&mut self, key: &At<String>, node: &Node) {
        let Some(table) = table_of(node, "[sweep.preset] is a table of names", self.sink) else { return };
        for (name, body) in &table.entries {
            let what = "a preset is a table of paths and values";
            let Some(body) = table_of(body, what, self.sink) else { continue };
            let _ = body.entries.iter().all(|(key, value)| self.can_be_set(key, value));
            let values = body.entries.iter().map(|(key, value)| (key.value.clone(), write::node(value)));
            self.sweep.presets.push(Preset { name: name.value.clone(), values: values.collect() });
        }
        self.multiply(key, self.sweep.presets.len().max(1));
    }

    fn samples(&mut self, key: &At<String>, node: &Node) {
        match node.data {
            Data::Plain(Value::Integer(count)) if count > 0 => {
                self.sweep.samples = Some(u64::try_from(count).unwrap_or(u64::MAX));
                self.multiply(key, usize::try_from(count).unwrap_or(usize::MAX));
            }
            _ => {
                let message = format!("`samples` is a count of at least 1, found {}", node.shown());
                self.sink.error(Code::WrongType, node.origin, message);
            }
        }
    }

    fn method(&mut self, node: &Node) {
        match node.as_text() {
            Some("latin_hypercube") => self.sweep.independent = false,
            Some("random") => self.sweep.independent = true,
            _ => {
                let message =
                    format!("`method` is \"latin_hypercube\" or \"random\", found {}", node.shown());
                self.sink.error(Code::UnknownKind, node.origin, message);
            }
        }
    }

    fn check_samples(&self, origin: Origin) {
        let ranges = self.sweep.ranges.len() + self.sweep.name_ranges.len();
        match self.sweep.samples {
            None if ranges > 0 => {
                let error = self.sink.at(Code::MissingKey, origin, "`samples` says how many are to be drawn");
                self.sink.push(error.help("for example samples = 100"));
            }
            Some(_) if ranges == 0 => {
                let error = self.sink.at(Code::MissingKey, origin, "`samples` needs something to draw");
                self.sink
                    .push(error.help("for example \"link.bottleneck.delay\" = \"uniform(1 ms, 10 ms)\""));
            }
            _ => {}
        }
    }

    /// Adds an axis of `values` values; reports an error at its key if the cells become too many.
    fn multiply(&mut self, key: &At<String>, values: usize) {
        let before = self.cells;
        self.cells = before.saturating_mul(values as u128);
        if before <= MOST_CELLS && self.cells > MOST_CELLS {
            let message = format!("with this axis the sweep has {} cells", self.cells);
            let error = self.sink.at(Code::TooLarge, key.origin, message);
            let error = error.label(format!("at most {MOST_CELLS}"));
            self.sink.push(error.help("leave out values, or axes"));
        }
    }

    fn text(&self, node: &Node, what: &str) -> Option<String> {
        let found = node.as_text().map(str::to_string);
        if found.is_none() {
            self.sink.error(Code::WrongType, node.origin, format!("expected {what}, found {}", node.shown()));
        }
        found
    }

    /// Whether the value can be read at its place; errors are reported.
    fn can_be_set(&mut self, key: &At<String>, value: &Node) -> bool {
        let before = self.sink.errors();
        if let Err(unplaced) = path::check_beginning(&self.base, &key.value, &SCENARIO.names()) {
            unplaced.report(key.origin, self.sink);
            return false;
        }
        // Only the table that the path begins with changes, and only that is copied and read again.
        let segments = path::split(&key.value).ok();
        let top = segments.and_then(|segments| segments.into_iter().next()).unwrap_or_default();
        let written = self.base.get(&top).cloned();
        let set = path::set(&mut self.base, &key.value, key.origin, value.clone(), queue::long_form);
        if set.is_ok() {
            let apart = self.sink.apart();
            Draft::read_part(&self.base, &top, self.plugins, &apart);
            self.sink.join(apart, if self.moves_together { &BETWEEN_KEYS } else { &[] });
        }
        self.base.restore(&top, written);
        if let Err(lost) = set {
            lost.report(key.origin, self.sink);
            return false;
        }
        self.sink.errors() == before
    }
}

fn table_of<'n>(node: &'n Node, what: &str, sink: &Sink<'_>) -> Option<&'n Table> {
    let table = node.as_table();
    if table.is_none() && !matches!(node.data, Data::Broken) {
        sink.error(Code::WrongType, node.origin, format!("{what}, found {}", node.shown()));
    }
    table
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn number_or_text(word: &str) -> Value {
    match (word.parse(), word.parse()) {
        (Ok(whole), _) => Value::Integer(whole),
        (_, Ok(number)) => Value::Float(number),
        _ => Value::Text(word.into()),
    }
}
