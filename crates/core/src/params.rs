//! Parameters described once.
//!
//! [`parameters!`](crate::parameters) turns one commented struct into the struct, its `Default`, and a table of its
//! parameters. Scenario parsing, the JSON Schema, `tailrace list`, the documentation pages and the resolved
//! scenario all read that table, so a parameter cannot be settable but undocumented, or the reverse.

use crate::bounds::Bounds;
use crate::text::Quantity;
use crate::time::Duration;
use crate::units::{Bytes, Limit, Probability, Rate};

/// A parameter value as it comes from a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text: a quantity with its unit, or one of the choices.
    Text(String),
    /// Several values.
    List(Vec<Self>),
    /// Values with their keys.
    Table(Vec<(String, Self)>),
}

/// What kind of value a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number, zero or more.
    Count,
    /// Any finite number.
    Number,
    /// See [`Duration`].
    Duration,
    /// See [`Rate`].
    Rate,
    /// See [`Bytes`].
    Bytes,
    /// See [`Limit`].
    Limit,
    /// See [`Probability`].
    Probability,
    /// See [`Dscp`](crate::Dscp).
    Dscp,
    /// See [`HostAddress`](crate::HostAddress).
    Address,
    /// See [`DurationDist`](crate::DurationDist).
    Distribution,
    /// See [`SizeDist`](crate::SizeDist).
    Sizes,
    /// See [`CountDist`](crate::CountDist).
    Counts,
    /// A list of `[time, rate]`.
    Steps,
    /// See [`Rates`](crate::Rates); bounds are those of each.
    Rates,
    /// A probability, or a process by its name and parameters.
    Loss,
    /// A queue discipline by its name and parameters.
    Queue,
    /// Text in a form that the parameter describes.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// One row of the parameter table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// Key in a scenario file.
    pub name: &'static str,
    /// What it takes.
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

/// Why a parameter could not be set. The caller knows the place in the file and adds it.
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

impl Value {
    /// The value as a user would type it, for messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Bool(b) => b.to_string(),
            Self::Integer(n) => n.to_string(),
            Self::Float(x) => x.to_string(),
            Self::Text(t) => format!("{t:?}"),
            Self::List(_) => "a list".into(),
            Self::Table(_) => "a table".into(),
        }
    }
}

impl ParamType for bool {
    const KIND: Kind = Kind::Bool;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => Err(format!("expected true or false, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ParamType for f64 {
    const KIND: Kind = Kind::Number;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual("-1000000000000", "1000000000000"));
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(n) => Ok(*n as Self),
            Value::Float(x) if x.is_finite() => Ok(*x),
            other => Err(format!("expected a number, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

macro_rules! count {
    ($($t:ty => $most:literal),*) => {$(
        impl ParamType for $t {
            const KIND: Kind = Kind::Count;
            const BOUNDS: Option<Bounds> = Some(Bounds::usual("0", $most));
            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Integer(n) => <$t>::try_from(*n)
                        .map_err(|_| format!("expected a whole number from 0 to {}, found {n}", <$t>::MAX)),
                    other => Err(format!("expected a whole number, found {}", other.shown())),
                }
            }
            fn to_value(&self) -> Value {
                // Larger than i64::MAX cannot come from a file; it shows as the largest that can.
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )*};
}
count!(u8 => "255", u16 => "65535", u32 => "4294967295", u64 => "1000000000000");

macro_rules! quantity {
    ($($t:ty => $kind:expr, $least:literal, $most:literal;)*) => {$(
        impl ParamType for $t {
            const KIND: Kind = $kind;
            const BOUNDS: Option<Bounds> = Some(Bounds::usual($least, $most));
            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(t) => <$t as Quantity>::parse(t),
                    other => Err(format!("{} is not {}", other.shown(), <$t as Quantity>::EXPECTED)),
                }
            }
            fn to_value(&self) -> Value {
                Value::Text(self.to_string())
            }
        }
    )*};
}
quantity! {
    Duration => Kind::Duration, "0 s", "10000 h";
    Rate => Kind::Rate, "0 bit/s", "1000000 Gbit/s";
    Bytes => Kind::Bytes, "0 B", "1000000 GB";
    Limit => Kind::Limit, "0", "1000000000000000";
}

impl ParamType for Probability {
    const KIND: Kind = Kind::Probability;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual("0", "1"));
    fn from_value(value: &Value) -> Result<Self, String> {
        let p = match value {
            Value::Text(t) => return <Self as Quantity>::parse(t),
            Value::Float(x) => *x,
            Value::Integer(n) => *n as f64,
            Value::Bool(_) | Value::List(_) | Value::Table(_) => f64::NAN,
        };
        Self::new(p).ok_or_else(|| format!("{} is not {}", value.shown(), <Self as Quantity>::EXPECTED))
    }
    fn to_value(&self) -> Value {
        Value::Float(self.get())
    }
}

impl<T: ParamType> ParamType for Box<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = T::AUTO;
    const CHOICES: &'static [Choice] = T::CHOICES;
    const BOUNDS: Option<Bounds> = T::BOUNDS;
    fn from_value(value: &Value) -> Result<Self, String> {
        T::from_value(value).map(Self::new)
    }
    fn to_value(&self) -> Value {
        T::to_value(self)
    }
}

/// `None` is written `"auto"`.
impl<T: ParamType> ParamType for Option<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = true;
    const CHOICES: &'static [Choice] = T::CHOICES;
    const BOUNDS: Option<Bounds> = T::BOUNDS;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(t) if t == "auto" => Ok(None),
            other => T::from_value(other).map(Some).map_err(|e| format!("{e}, or \"auto\"")),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or_else(|| Value::Text("auto".into()), T::to_value)
    }
}

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

/// Declares a configuration struct with its parameter table. Each field: doc comment (meaning, what too small
/// or too large does), `name: Type = default, "source of the default";`. Where extreme values break something,
/// `name: Type = default, "source", in "1 ms"..="10 s": "what breaks";`, or `within BOUNDS` where several share them. What
/// has no sensible default is `name: Type, required;`, and its type's own default until it is set.
///
/// `pub struct Config with part: Part {` adds a field whose parameters are a table of their own, named like the field.
/// `pub struct Config = NAME {` makes the defaults a constant, of which other constants can be made.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(= $constant:ident)? $(with $part:ident: $part_type:ty)? {
            $( $(#[doc = $doc:literal])+ $field:ident : $ty:ty $(= $default:expr, $source:literal)? $(, required)?
                $(, in $least:literal ..= $most:literal : $why:literal)? $(, within $bounds:path)?; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $ty, )*
            $( #[doc = concat!("Parameters of the table `", stringify!($part), "`.")] pub $part: $part_type, )?
        }

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self {
                    $( $field: $crate::parameter_default!($($default)?), )*
                    $( $part: ::core::default::Default::default(), )?
                }
            }
        }

        $crate::parameter_constant! { [$($constant)?] $name { $( $field = [$($default)?]; )* } }

        impl $crate::params::Parameters for $name {
            fn params() -> &'static [$crate::params::ParamInfo] {
                const { &[ $( $crate::params::ParamInfo {
                    name: stringify!($field),
                    kind: <$ty as $crate::params::ParamType>::KIND,
                    required: $crate::params::stated(&[$($source)?]).is_none(),
                    auto: <$ty as $crate::params::ParamType>::AUTO,
                    choices: <$ty as $crate::params::ParamType>::CHOICES,
                    bounds: $crate::bounds::Bounds::first(
                        &[$( $crate::bounds::Bounds::declared(concat!($least), concat!($most), $why), )? $($bounds)?],
                        <$ty as $crate::params::ParamType>::BOUNDS,
                    ),
                    doc: match $crate::params::stated(&[$($source)?]) {
                        Some(_) => $crate::params::described(concat!($($doc, "\n"),+)),
                        None => concat!($($doc, "\n"),+),
                    },
                    source: match $crate::params::stated(&[$($source)?]) {
                        Some(source) => $crate::params::described(source),
                        None => "",
                    },
                }, )* ] }
            }
            fn set(&mut self, name: &str, value: &$crate::params::Value) -> Result<(), $crate::params::SetError> {
                match name {
                    $( stringify!($field) => {
                        self.$field = $crate::params::read(Self::params(), name, value)?;
                        Ok(())
                    } )*
                    _ => { let _ = value; Err($crate::params::SetError::Unknown) }
                }
            }
            fn get(&self, name: &str) -> Option<$crate::params::Value> {
                match name {
                    $( stringify!($field) => Some($crate::params::ParamType::to_value(&self.$field)), )*
                    _ => None,
                }
            }
        }
    };
}

/// The default of a parameter, and of its type where it must be stated.
#[doc(hidden)]
#[macro_export]
macro_rules! parameter_default {
    () => {
        ::core::default::Default::default()
    };
    ($default:expr) => {
        $default
    };
}

/// The defaults as a constant, where it has a name.
#[doc(hidden)]
#[macro_export]
macro_rules! parameter_constant {
    ([] $($rest:tt)*) => {};
    ([$constant:ident] $name:ident { $( $field:ident = [$default:expr]; )* }) => {
        impl $name {
            /// The defaults.
            pub const $constant: Self = Self { $( $field: $default, )* };
        }
    };
}

/// The source of a default, where there is one.
#[doc(hidden)]
pub const fn stated(source: &[&'static str]) -> Option<&'static str> {
    match source {
        [source, ..] => Some(*source),
        [] => None,
    }
}

/// A text that the schema and the documentation show, and no error. A web page has them in its schema, a file of its own, so
/// the simulator within it goes without: once is enough for who waits for the page.
#[doc(hidden)]
pub const fn described(text: &'static str) -> &'static str {
    if cfg!(target_arch = "wasm32") { "" } else { text }
}

/// A parameter that fits by itself but makes no sense beside the others, or at all, and why.
pub type Invalid = (&'static str, String);

/// Declares an enum of plain words that can be a parameter: `Variant = "word"`. The first is not special;
/// defaults are stated where the parameter is.
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[doc = $doc])+ $variant, )+ }

        impl $crate::params::ParamType for $name {
            const KIND: $crate::params::Kind = $crate::params::Kind::Choice(&[$($word),+]);
            const CHOICES: &'static [$crate::params::Choice] =
                &[$( $crate::params::Choice { word: $word, doc: $crate::params::described(concat!($($doc, "\n"),+)) } ),+];
            fn from_value(value: &$crate::params::Value) -> Result<Self, String> {
                match value {
                    $( $crate::params::Value::Text(t) if t == $word => Ok(Self::$variant), )+
                    other => Err(format!("expected one of {}, found {}", [$(concat!("\"", $word, "\"")),+].join(", "), other.shown())),
                }
            }
            fn to_value(&self) -> $crate::params::Value {
                $crate::params::Value::Text(match self { $( Self::$variant => $word, )+ }.into())
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macros declare public items")]
mod tests {
    use super::*;

    choices! {
        /// Which end loses.
        pub enum End {
            /// The newest.
            Tail = "tail",
            /// The oldest.
            Head = "head",
        }
    }

    const RATES: Bounds = Bounds::declared("1 bit/s", "1 Gbit/s", "a test");

    parameters! {
        /// A configuration.
        pub struct Config {
            /// Sojourn target.
            target: Duration = Duration::from_millis(5), "RFC 8289 §4.3";
            /// Drop end.
            end: End = End::Tail, "Linux pfifo";
            /// Weight.
            weight: Option<f64> = None, "ns-2", in 0.0..=1.0: "the average would run away";
            /// Rate.
            rate: Rate, required, within RATES;
        }
    }

    #[test]
    fn every_default_reads_back_as_itself() {
        let config = Config::default();
        let mut copy =
            Config { target: Duration::ZERO, end: End::Head, weight: Some(1.0), rate: Rate::default() };
        for p in Config::params().iter().filter(|p| !p.required) {
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
    }

    #[test]
    fn the_table_says_what_each_word_means() {
        let end = Config::params().iter().find(|p| p.name == "end").unwrap();
        let words: Vec<_> = end.choices.iter().map(|c| (c.word, c.doc.trim())).collect();
        assert_eq!(words, [("tail", "The newest."), ("head", "The oldest.")]);
        assert!(Config::params()[0].choices.is_empty());
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_with_the_reason_and_leaves_the_value() {
        let mut c = Config::default();
        let Err(SetError::Invalid(e)) = c.set("weight", &Value::Float(1.5)) else { panic!() };
        assert_eq!(e, "1.5 is outside 0.0 to 1.0: the average would run away");
        let Err(SetError::Invalid(e)) = c.set("target", &Value::Text("100000 h".into())) else { panic!() };
        assert!(e.contains("0 s to 10000 h"), "{e}");
        assert_eq!(c, Config::default());
        let wild = Config { weight: Some(-1.0), ..c };
        assert_eq!(check_bounds(Config::params(), |name| wild.get(name)).unwrap_err().0, "weight");
    }

    #[test]
    fn what_must_be_stated_is_said_so_and_has_no_source() {
        let of = |name| Config::params().iter().find(|p| p.name == name).unwrap();
        assert!(of("rate").required && !of("target").required);
        assert_eq!((of("rate").source, of("rate").bounds), ("", Some(RATES)));
        assert!(Config::default().set("rate", &Value::Text("2 Gbit/s".into())).is_err());
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let mut c = Config::default();
        assert_eq!(c.set("taget", &Value::Bool(true)), Err(SetError::Unknown));
        let Err(SetError::Invalid(e)) = c.set("end", &Value::Text("middle".into())) else { panic!() };
        assert!(e.contains("\"tail\", \"head\"") && e.contains("middle"), "{e}");
        let Err(SetError::Invalid(e)) = c.set("target", &Value::Integer(5)) else { panic!() };
        assert!(e.contains("a duration such as"), "{e}");
    }
}
