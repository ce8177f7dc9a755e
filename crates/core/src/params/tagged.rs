//! Values that name a kind and its parameters, such as a queue discipline as the value of a parameter.

use crate::params::table::{ParamInfo, SetError};
use crate::params::value::Value;

/// A kind with its parameters as a value: `{ kind = "name", ... }`.
pub fn to_value(kind: &str, params: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) -> Value {
    let mut pairs = vec![("kind".to_string(), Value::Text(kind.into()))];
    pairs.extend(params.iter().filter_map(|p| Some((p.name.to_string(), get(p.name)?))));
    Value::Table(pairs)
}

/// Reads what [`to_value`] gives, or a name alone. What must be stated and is not has its type's default.
///
/// # Errors
/// Where there is no such kind, or a parameter does not fit.
pub fn from_value<C>(
    value: &Value,
    default_of: impl Fn(&str) -> Option<C>,
    set: impl Fn(&mut C, &str, &Value) -> Result<(), SetError>,
) -> Result<C, String> {
    let pairs: &[(String, Value)] = if let Value::Table(pairs) = value { pairs } else { &[] };
    let kind = match value {
        Value::Table(_) => pairs.iter().find(|(key, _)| key == "kind").map(|(_, value)| value),
        other => Some(other),
    };
    let Some(Value::Text(kind)) = kind else {
        return Err(format!("expected a name, or a table with a kind, found {}", value.shown()));
    };
    let mut config = default_of(kind).ok_or_else(|| format!("there is no {kind:?}"))?;
    for (key, value) in pairs.iter().filter(|(key, _)| key != "kind") {
        set(&mut config, key, value).map_err(|error| match error {
            SetError::Unknown => format!("{kind} has no {key:?}"),
            SetError::Invalid(why) => format!("{key}: {why}"),
        })?;
    }
    Ok(config)
}
