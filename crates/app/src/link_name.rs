//! The name of a link, as a value of a key. Which links there are, only the scenario knows.

use tailrace_core::params::{Kind, ParamType, Value};

/// Name of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkName(pub String);

impl ParamType for LinkName {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(name) => Ok(Self(name.clone())),
            other => Err(format!("expected the name of a link, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }
}
