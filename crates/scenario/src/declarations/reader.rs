//! A cursor over one table: typed access to its keys, errors for keys that do not exist.

use crate::declarations::key::Section;
use crate::declarations::unfit::UnfitValue;
use crate::text::codes::Code;
use crate::text::diagnostic::Diagnostic;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use std::cell::RefCell;
use tailrace_core::dist::error::DistributionError;
use tailrace_core::params::{Kind, ParamInfo, ParamType as _, SetError, Value};
use tailrace_core::text::nearest;
use tailrace_core::{CountDist, DurationDist, SizeDist};

/// A table with the keys it may have.
pub(crate) struct Reader<'d> {
    table: &'d Table,
    section: &'d Section,
    params: &'d [ParamInfo],
    kinded: bool,
    elsewhere: &'d [MisplacedKey],
    origin: Origin,
    sink: &'d Sink<'d>,
    /// Keys that do not exist and were reported.
    reported: RefCell<Vec<String>>,
}

/// Outcome of reading a parameter's value that may be composite.
pub(crate) enum ParamReading {
    /// Nothing but a plain value will do.
    Plain,
    /// The value of a composite.
    Value(Value),
    /// A value that was set while it was read.
    Set,
    /// Something that was reported.
    Wrong,
}

/// A key that is none of this table's, but another's: what to say to those who write it here.
pub(crate) struct MisplacedKey {
    pub(crate) name: &'static str,
    pub(crate) help: String,
}

impl<'d> Reader<'d> {
    /// A reader of `node`, which must be a table, with the keys of `section`.
    pub(crate) fn new(node: &'d Node, section: &'d Section, sink: &'d Sink<'d>) -> Option<Self> {
        if matches!(node.data, Data::Broken) {
            return None;
        }
        let Some(table) = node.as_table() else {
            let message = format!("{} is a table, found {}", section.title, node.shown());
            sink.error(Code::WrongType, node.origin, message);
            return None;
        };
        Some(Self::of(table, node.origin, section, sink))
    }

    /// A reader of a table.
    pub(crate) fn of(table: &'d Table, origin: Origin, section: &'d Section, sink: &'d Sink<'d>) -> Self {
        Self {
            table,
            section,
            params: &[],
            kinded: false,
            elsewhere: &[],
            origin,
            sink,
            reported: RefCell::default(),
        }
    }

    /// Also takes a `kind`, which somebody else has read.
    pub(crate) fn kinded(mut self) -> Self {
        self.kinded = true;
        self
    }

    /// Also takes these parameters.
    pub(crate) fn with_params(mut self, params: &'d [ParamInfo]) -> Self {
        self.params = params;
        self
    }

    /// Says of these keys where they belong.
    pub(crate) fn elsewhere(mut self, keys: &'d [MisplacedKey]) -> Self {
        self.elsewhere = keys;
        self
    }

    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    pub(crate) fn sink(&self) -> &'d Sink<'d> {
        self.sink
    }

    /// The value of a key, or nothing where it is not written.
    pub(crate) fn node(&self, key: &str) -> Option<&'d Node> {
        debug_assert!(self.takes(key), "{key} is not in the table of keys");
        self.table.get(key)
    }

    /// The value of a key, with an error where it is not written.
    pub(crate) fn required(&self, key: &str) -> Option<&'d Node> {
        let node = self.node(key);
        if node.is_none() {
            let doc = self.section.keys.iter().find(|k| k.name == key).map_or("", |k| k.doc);
            self.missing(key, doc);
        }
        node
    }

    fn missing(&self, key: &str, doc: &str) {
        if self.report_slip(key) {
            return;
        }
        let message = format!("{} needs `{key}`", self.section.title);
        self.sink.push(self.sink.at(Code::MissingKey, self.origin, message).help(format!("`{key}`: {doc}")));
    }

    /// Reports a key that does not exist and is this one with a slip, which is then not missing; whether there is such a key.
    fn report_slip(&self, missing: &str) -> bool {
        let written = self.table.entries.iter().map(|(key, _)| key);
        let is_known = |key: &str| self.known().any(|known| known == key);
        let is_elsewhere = |key: &str| self.elsewhere.iter().any(|e| e.name == key);
        let mut strange = written.filter(|key| !is_known(&key.value) && !is_elsewhere(&key.value));
        let Some(slip) = strange.find(|key| nearest(&key.value, self.known()) == Some(missing)) else {
            return false;
        };
        let mut reported = self.reported.borrow_mut();
        if !reported.contains(&slip.value) {
            self.sink.push(self.unknown(slip));
            reported.push(slip.value.clone());
        }
        true
    }

    /// Reads a key that may be missing. `None` where it is missing or wrong; a wrong one is reported.
    pub(crate) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Node) -> Result<T, UnfitValue>,
    ) -> Option<At<T>> {
        self.node(key).and_then(|node| self.convert(key, node, read))
    }

    /// Reads a key that must be there.
    pub(crate) fn need<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Node) -> Result<T, UnfitValue>,
    ) -> Option<At<T>> {
        self.required(key).and_then(|node| self.convert(key, node, read))
    }

    /// Reads a key that has a default.
    pub(crate) fn read_or<T>(
        &self,
        key: &str,
        default: T,
        read: impl FnOnce(&Node) -> Result<T, UnfitValue>,
    ) -> Option<T> {
        match self.node(key) {
            None => Some(default),
            Some(node) => self.convert(key, node, read).map(|at| at.value),
        }
    }

    fn convert<T>(
        &self,
        key: &str,
        node: &Node,
        read: impl FnOnce(&Node) -> Result<T, UnfitValue>,
    ) -> Option<At<T>> {
        if matches!(node.data, Data::Broken) {
            return None;
        }
        match read(node).and_then(|value| self.within_bounds(key, node).map(|()| value)) {
            Ok(value) => Some(At { value, origin: node.origin }),
            Err(unfit) => {
                // A value that the type cannot hold may be beyond the bounds as well.
                let outside = unfit.code == Code::BadValue && self.within_bounds(key, node).is_err();
                let code = if outside { Code::OutOfBounds } else { unfit.code };
                let error = self.sink.at(code, node.origin, format!("bad value of `{key}`"));
                self.sink.push(error.label(unfit.why));
                None
            }
        }
    }

    /// Whether a quantity, or the mean of a distribution, lies within the bounds of its key.
    fn within_bounds(&self, key: &str, node: &Node) -> Result<(), UnfitValue> {
        let found = self.section.keys.iter().find(|k| k.name == key);
        let bounded = found.and_then(|k| Some((k.bounds?, k.shape.quantity()?)));
        let (Some((bounds, kind)), Data::Plain(value)) = (bounded, &node.data) else { return Ok(()) };
        match value {
            // Whoever reads a trace knows its mean.
            Value::Text(text) if text.trim_start().starts_with("trace(") => Ok(()),
            Value::Text(text) if text.contains('(') => {
                let mean = DurationDist::read(text)?.mean();
                bounds
                    .check(kind, &mean.to_value())
                    .map_err(|why| UnfitValue::outside(format!("the mean of {why}")))
            }
            value => bounds.check(kind, value).map_err(UnfitValue::outside),
        }
    }

    /// Reports the keys that do not exist.
    pub(crate) fn finish(self) {
        for (key, _) in &self.table.entries {
            let is_reported = self.reported.borrow().contains(&key.value);
            if !is_reported && !self.known().any(|k| k == key.value) {
                self.sink.push(self.unknown(key));
            }
        }
    }

    fn known(&self) -> impl Iterator<Item = &'static str> {
        let kind = self.kinded.then_some("kind");
        kind.into_iter()
            .chain(self.section.keys.iter().map(|k| k.name))
            .chain(self.params.iter().map(|p| p.name))
    }

    fn unknown(&self, key: &At<String>) -> Diagnostic {
        let message = format!("unknown key `{}` in {}", key.value, self.section.title);
        if let Some(other) = self.elsewhere.iter().find(|e| e.name == key.value) {
            // The names it has stay with the error for programs; the nearest of them would only mislead.
            let mut error = self.sink.at(Code::MisplacedKey, key.origin, message).help(&other.help);
            error.expected = self.known().map(str::to_string).collect();
            return error;
        }
        let error = self.sink.at(Code::UnknownKey, key.origin, message);
        if self.known().next().is_none() {
            return error.label("it takes no keys");
        }
        error.among_known(&key.value, self.known(), "tailrace schema")
    }

    /// Sets the parameters that are written by `set`, reporting those that do not fit, and those that are missing.
    pub(crate) fn set_params(&self, set: impl FnMut(&str, &Value) -> Result<(), SetError>) -> bool {
        self.set_params_by(|_, _| ParamReading::Plain, set)
    }

    /// Sets parameters like [`Reader::set_params`]; `composite` reads values that may be more than plain.
    pub(crate) fn set_params_by(
        &self,
        composite: impl Fn(&ParamInfo, &Node) -> ParamReading,
        mut set: impl FnMut(&str, &Value) -> Result<(), SetError>,
    ) -> bool {
        let mut fine = true;
        for param in self.params.iter().filter(|p| p.required && !self.has(p.name)) {
            self.missing(param.name, &param.about());
            fine = false;
        }
        for (key, node) in &self.table.entries {
            let Some(param) = self.params.iter().find(|p| p.name == key.value) else { continue };
            let result = match (&node.data, composite(param, node)) {
                (Data::Broken, _) | (_, ParamReading::Set) => Ok(()),
                (_, ParamReading::Wrong) => {
                    fine = false;
                    continue;
                }
                (_, ParamReading::Value(value)) => {
                    set(param.name, &value).map_err(|error| (code_of(param, &value), error))
                }
                (Data::Plain(value), ParamReading::Plain) => {
                    set(param.name, value).map_err(|error| (code_of(param, value), error))
                }
                _ => {
                    let why = format!("expected a plain value, found {}", node.shown());
                    Err((Code::WrongType, SetError::Invalid(why)))
                }
            };
            if let Err((code, SetError::Invalid(why))) = result {
                let message = format!("bad value of `{}`", key.value);
                let mut error = self.sink.at(code, node.origin, message).label(why);
                // It does not say what a value of the right form would be.
                if code == Code::WrongType && !matches!(node.data, Data::Plain(_)) {
                    error = error.help(format!("`{}`: {}", param.name, param.about()));
                }
                self.sink.push(error);
                fine = false;
            }
        }
        fine
    }

    /// Reads the tables of a list; those that cannot be read are left out.
    pub(crate) fn list<T>(&self, key: &str, mut read: impl FnMut(&Node, &Sink<'_>) -> Option<T>) -> Vec<T> {
        match self.node(key) {
            None => Vec::new(),
            Some(Node { data: Data::Array(items), .. }) => {
                items.iter().filter_map(|item| read(item, self.sink)).collect()
            }
            Some(node) => {
                let message = format!("`{key}` is a list of tables, found {}", node.shown());
                let error = self.sink.at(Code::WrongType, node.origin, message);
                self.sink.push(error.help(format!("write it as [[{key}]]")));
                Vec::new()
            }
        }
    }

    /// Whether a key is one of this table's.
    pub(crate) fn takes(&self, key: &str) -> bool {
        self.section.keys.iter().any(|k| k.name == key)
    }

    /// Whether a key is written.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// Where a key's value stands, or the table where it is not written.
    pub(crate) fn origin_of(&self, key: &str) -> Origin {
        self.table.get(key).map_or(self.origin, |node| node.origin)
    }
}

/// Code of the error if a parameter does not take a value.
fn code_of(param: &ParamInfo, value: &Value) -> Code {
    let outside = match value {
        Value::Text(text) if param.kind == Kind::Distribution => {
            matches!(DurationDist::read(text), Err(DistributionError::Outside(_)))
        }
        Value::Text(text) if param.kind == Kind::Sizes => {
            matches!(SizeDist::read(text), Err(DistributionError::Outside(_)))
        }
        Value::Text(text) if param.kind == Kind::Counts => {
            matches!(CountDist::read(text), Err(DistributionError::Outside(_)))
        }
        _ => false,
    };
    let outside = outside || param.bounds.is_some_and(|bounds| bounds.check(param.kind, value).is_err());
    if outside { Code::OutOfBounds } else { Code::BadValue }
}
