//! `parameters!` and `choices!`: one commented declaration makes the type, its defaults and its table.

/// Declares a configuration struct with its parameter table. Each field: doc comment (meaning, what too small
/// or too large does), `name: Type = default, "source of the default";`. Where extreme values break something,
/// `name: Type = default, "source", in "1 ms"..="10 s": "what breaks";`, or `within BOUNDS` where several share them. What
/// has no sensible default is `name: Type, required;`, and its type's own default until it is set.
///
/// `pub struct Config with part: Part {` adds a field whose parameters are a table of their own, named like the field.
/// `pub struct Config = NAME {` makes the defaults a constant, of which other constants can be made.
///
/// Bounds are written as in a scenario, and read at compile time. This does not compile, since no rate has such a unit:
///
/// ```compile_fail
/// tailrace_core::parameters! {
///     /// Parameters of a shaper.
///     pub struct ShaperConfig {
///         /// Rate of the shaper.
///         rate: tailrace_core::Rate, required, in "1 bit/s"..="100 Tbit/s": "a packet would take no time";
///     }
/// }
/// ```
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
                    $( $field: $crate::params::parameter_default!($($default)?), )*
                    $( $part: ::core::default::Default::default(), )?
                }
            }
        }

        $crate::params::parameter_constant! { [$($constant)?] $name { $( $field = [$($default)?]; )* } }

        impl $crate::params::Parameters for $name {
            fn params() -> &'static [$crate::params::ParamInfo] {
                // A constant with a name is evaluated by `cargo check`, too, so that wrong bounds show at once.
                const TABLE: &[$crate::params::ParamInfo] = &[ $( $crate::params::ParamInfo {
                    name: stringify!($field),
                    kind: <$ty as $crate::params::ParamType>::KIND,
                    required: $crate::params::stated(&[$($source)?]).is_none(),
                    auto: <$ty as $crate::params::ParamType>::AUTO,
                    choices: <$ty as $crate::params::ParamType>::CHOICES,
                    bounds: $crate::params::Bounds::first(
                        stringify!($field),
                        <$ty as $crate::params::ParamType>::KIND,
                        &[$( $crate::params::Bounds::of_parameter(
                            stringify!($field),
                            <$ty as $crate::params::ParamType>::KIND,
                            concat!($least),
                            concat!($most),
                            $why,
                        ), )? $($bounds)?],
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
                }, )* ];
                TABLE
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

#[doc(hidden)]
pub use {parameter_constant, parameter_default};

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
    use crate::params::{Bounds, Kind, Parameters, SetError, Value, check_bounds};
    use crate::{Duration, Rate};

    choices! {
        /// End that loses.
        pub enum End {
            /// The newest.
            Tail = "tail",
            /// The oldest.
            Head = "head",
        }
    }

    const RATES: Bounds = Bounds::declared(Kind::Rate, "1 bit/s", "1 Gbit/s", "a test");

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
