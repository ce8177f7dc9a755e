//! The table of parameters of an algorithm, and the traits behind it.

use crate::params::bounds::Bounds;
use crate::params::kind::Kind;
use crate::params::value::Value;

/// Row of the parameter table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Key in a scenario file.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Whether it must be stated.
    pub required: bool,
    /// Whether `"auto"` is a value, too.
    pub auto: bool,
    /// Its words and what they mean, where it takes one of some words.
    pub choices: &'static [Choice],
    /// Between which values it may lie, where it is a quantity.
    pub bounds: Option<Bounds>,
    /// Meaning, and what a larger or smaller value does. Empty on WebAssembly where there is a default.
    pub doc: &'static str,
    /// Where the default comes from; empty where there is none, and on WebAssembly.
    pub source: &'static str,
}

impl ParamInfo {
    /// Its meaning on one line.
    pub fn about(&self) -> String {
        self.doc.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_string()
    }

    /// Whether a value lies within the bounds.
    ///
    /// # Errors
    /// What the bounds are, and why.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.bounds.map_or(Ok(()), |bounds| bounds.check(self.kind, value))
    }
}

/// A word that a parameter can be, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The word.
    pub word: &'static str,
    /// Its meaning; empty on WebAssembly.
    pub doc: &'static str,
}

/// Error of setting a parameter. The caller knows the place in the file and adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// There is no such parameter.
    Unknown,
    /// The value does not fit; the text says what was expected.
    Invalid(String),
}

/// A configuration whose parameters are described by a table.
pub trait Parameters: Default + Clone {
    /// The table, in the order of declaration.
    fn params() -> &'static [ParamInfo];
    /// Sets one parameter.
    ///
    /// # Errors
    /// [`SetError`] where the name is unknown or the value does not fit.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError>;
    /// The value of one parameter, in the form that `set` reads back; `None` for an unknown name.
    fn get(&self, name: &str) -> Option<Value>;
}

/// A type that can be a parameter.
pub trait ParamType: Sized {
    /// Its kind.
    const KIND: Kind;
    /// Whether `"auto"` is a value.
    const AUTO: bool = false;
    /// The meaning of its words, where it takes one of some words.
    const CHOICES: &'static [Choice] = &[];
    /// Between which values it may lie, where the parameter does not say.
    const BOUNDS: Option<Bounds> = None;
    /// Reads a value.
    ///
    /// # Errors
    /// What was expected instead.
    fn from_value(value: &Value) -> Result<Self, String>;
    /// The value that [`ParamType::from_value`] reads back.
    fn to_value(&self) -> Value;
}

/// A parameter that fits by itself but makes no sense beside the others, or at all, and why.
pub type Invalid = (&'static str, String);

/// Reads the value of a parameter that `table` describes.
///
/// # Errors
/// Where it is of another kind, or out of bounds.
pub fn read<T: ParamType>(table: &[ParamInfo], name: &str, value: &Value) -> Result<T, SetError> {
    let read = T::from_value(value).map_err(SetError::Invalid)?;
    let info = table.iter().find(|p| p.name == name).ok_or(SetError::Unknown)?;
    info.check(value).map_err(SetError::Invalid)?;
    Ok(read)
}

/// Whether all values lie within their bounds, as those do that were set one by one.
///
/// # Errors
/// The first parameter of which it is not true, and why.
pub fn check_bounds(table: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) -> Result<(), Invalid> {
    for info in table {
        if let Some(value) = get(info.name) {
            info.check(&value).map_err(|why| (info.name, why))?;
        }
    }
    Ok(())
}
