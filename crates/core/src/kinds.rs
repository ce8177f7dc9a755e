//! Kinds of something, one line each, and values that name a kind and its parameters.
//!
//! [`kinds!`](crate::kinds) turns a table of `"name" => file::Variant(Config)` into the modules and the enum of configurations
//! with what every table of kinds has: names, defaults, parameters, and the value that a scenario file has for one.

use crate::params::{ParamInfo, SetError, Value};

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

/// What every table of kinds turns into: the modules, and the enum of their configurations. The traits
/// [`Parameters`](crate::params::Parameters) of each is what it needs.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident { $( $name:literal => $module:ident::$variant:ident($config:ident) ),+ $(,)? }
    ) => {
        $( pub mod $module; )+

        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $enum {
            $( #[doc = concat!("`", $name, "`")] $variant($module::$config), )+
        }

        impl $enum {
            /// The registered names, in the order of the table.
            pub const fn names() -> &'static [&'static str] {
                &[$($name),+]
            }
            /// The one called `name` with its defaults; what must be stated is yet to be set.
            pub fn default_of(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some(Self::$variant(Default::default())), )+
                    _ => None,
                }
            }
            /// The registered name.
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $name, )+ }
            }
            /// Its parameters.
            pub fn params(&self) -> &'static [$crate::params::ParamInfo] {
                match self { $( Self::$variant(_) => <$module::$config as $crate::params::Parameters>::params(), )+ }
            }
            /// Sets one parameter.
            ///
            /// # Errors
            /// Where the name is unknown or the value does not fit.
            pub fn set(
                &mut self,
                name: &str,
                value: &$crate::params::Value,
            ) -> Result<(), $crate::params::SetError> {
                match self { $( Self::$variant(c) => $crate::params::Parameters::set(c, name, value), )+ }
            }
            /// The value of one parameter in the form that `set` reads.
            pub fn get(&self, name: &str) -> Option<$crate::params::Value> {
                match self { $( Self::$variant(c) => $crate::params::Parameters::get(c, name), )+ }
            }
        }
    };
}
