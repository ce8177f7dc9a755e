//! A parameter that a class of Python declares, and its value on both sides.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use tailrace_core::params::Bounds;
use tailrace_core::params::{Choice, Kind, ParamInfo, ParamType, Value};
use tailrace_core::{Bytes, Duration, Limit, Probability, Rate};

/// A parameter as Python declares it: name, kind, default, meaning, least and most, words with their meanings.
pub(super) type DeclaredParameter =
    (String, String, PlainValue, String, Option<(String, String)>, Vec<(String, String)>);

/// A plain value.
#[derive(FromPyObject)]
pub(super) enum PlainValue {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

impl From<PlainValue> for Value {
    fn from(plain: PlainValue) -> Self {
        match plain {
            PlainValue::Bool(b) => Self::Bool(b),
            PlainValue::Integer(n) => Self::Integer(n),
            PlainValue::Float(x) => Self::Float(x),
            PlainValue::Text(t) => Self::Text(t),
        }
    }
}

/// The row of the table, and the default; what is wrong with the declaration otherwise. Tables of parameters are static
/// where algorithms are compiled, so the texts stay as long as the process.
pub(super) fn read(declared: DeclaredParameter) -> Result<(ParamInfo, Value), String> {
    let (name, word, default, doc, ends, words) = declared;
    let at = |why: String| format!("parameter {name}: {why}");
    let kind = kind_of(&word, &words).map_err(at)?;
    let bounds = match ends {
        None => usual(kind),
        Some((least, most)) => {
            Some(Bounds::read(kind, least.leak(), most.leak(), "its class says so").map_err(at)?)
        }
    };
    let choices: Vec<Choice> =
        words.into_iter().map(|(word, doc)| Choice { word: word.leak(), doc: doc.leak() }).collect();
    let default = settled(kind, &default.into()).map_err(at)?;
    let info = ParamInfo {
        name: name.clone().leak(),
        kind,
        required: false,
        auto: false,
        choices: choices.leak(),
        bounds,
        doc: doc.leak(),
        source: "its class",
    };
    info.check(&default).map_err(at)?;
    Ok((info, default))
}

fn kind_of(word: &str, words: &[(String, String)]) -> Result<Kind, String> {
    Ok(match word {
        "flag" => Kind::Bool,
        "count" => Kind::Count,
        "number" => Kind::Number,
        "duration" => Kind::Duration,
        "rate" => Kind::Rate,
        "bytes" => Kind::Bytes,
        "limit" => Kind::Limit,
        "probability" => Kind::Probability,
        "choice" => {
            let words: Vec<&'static str> = words.iter().map(|(word, _)| &*word.clone().leak()).collect();
            Kind::Choice(words.leak())
        }
        other => {
            return Err(format!(
                "there is no kind {other:?}: flag, count, number, duration, rate, bytes, limit, probability, choice"
            ));
        }
    })
}

/// The bounds of a kind.
fn usual(kind: Kind) -> Option<Bounds> {
    match kind {
        Kind::Count => u64::BOUNDS,
        Kind::Number => f64::BOUNDS,
        Kind::Duration => Duration::BOUNDS,
        Kind::Rate => Rate::BOUNDS,
        Kind::Bytes => Bytes::BOUNDS,
        Kind::Limit => Limit::BOUNDS,
        Kind::Probability => Probability::BOUNDS,
        _ => None,
    }
}

/// The value as it is written out, where it is one of this kind.
pub(super) fn settled(kind: Kind, value: &Value) -> Result<Value, String> {
    fn again<T: ParamType>(value: &Value) -> Result<Value, String> {
        T::from_value(value).map(|read| read.to_value())
    }
    match kind {
        Kind::Bool => again::<bool>(value),
        Kind::Count => again::<u64>(value),
        Kind::Number => again::<f64>(value),
        Kind::Duration => again::<Duration>(value),
        Kind::Rate => again::<Rate>(value),
        Kind::Bytes => again::<Bytes>(value),
        Kind::Limit => again::<Limit>(value),
        Kind::Probability => again::<Probability>(value),
        Kind::Choice(words) => match value {
            Value::Text(word) if words.contains(&word.as_str()) => Ok(value.clone()),
            other => Err(format!("expected one of {}, found {}", words.join(", "), other.shown())),
        },
        other => Err(format!("no class of Python has a parameter of the kind {other:?}")),
    }
}

/// The value as instances have it: nanoseconds, bits a second, bytes; a limit as text.
pub(super) fn to_python(py: Python<'_>, kind: Kind, value: &Value) -> PyResult<Py<PyAny>> {
    match (kind, value) {
        (Kind::Duration, _) => Duration::from_value(value).unwrap_or_default().as_nanos().into_py_any(py),
        (Kind::Rate, _) => Rate::from_value(value).unwrap_or_default().as_bps().into_py_any(py),
        (Kind::Bytes, _) => Bytes::from_value(value).unwrap_or_default().get().into_py_any(py),
        (_, Value::Bool(b)) => b.into_py_any(py),
        (_, Value::Integer(n)) => n.into_py_any(py),
        (_, Value::Float(x)) => x.into_py_any(py),
        (_, Value::Text(t)) => t.into_py_any(py),
        (_, Value::List(_) | Value::Table(_)) => Ok(py.None()),
    }
}
