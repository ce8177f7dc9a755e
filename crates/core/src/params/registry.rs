//! Configurations of algorithms by registered name.

/// Declares an enum with the configuration of each algorithm, which implements [`Parameters`](crate::params::Parameters), under
/// its registered name: `"name" => Variant(Config)`. Behind the last line `outside Variant(Config)` adds one for algorithms
/// that are no line of the table; that type has the methods of [`OutsideParameters`](crate::params::plugin::PluginParameters).
///
/// ```
/// tailrace_core::parameters! {
///     /// Parameters of `constant`.
///     pub struct ConstantConfig {
///         /// The window, in segments.
///         window: u32 = 10, "own design";
///     }
/// }
/// tailrace_core::config_enum! {
///     /// A control with its parameters.
///     pub enum ControlConfig { "constant" => Constant(ConstantConfig), }
/// }
/// use tailrace_core::params::{SetError, Value};
/// let mut config = ControlConfig::default_of("constant").unwrap();
/// config.set("window", &Value::Integer(4)).unwrap();
/// assert_eq!(config, ControlConfig::Constant(ConstantConfig { window: 4 }));
/// assert_eq!((config.name(), config.get("window")), ("constant", Some(Value::Integer(4))));
/// assert_eq!(config.set("windwo", &Value::Integer(4)), Err(SetError::Unknown));
/// assert_eq!((ControlConfig::names(), ControlConfig::default_of("reno")), (&["constant"][..], None));
/// ```
#[macro_export]
macro_rules! config_enum {
    (
        $(#[$doc:meta])*
        pub enum $name:ident {
            $( $word:literal => $variant:ident($config:ty), )+
            $( outside $other:ident($outside:ty), )?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( #[doc = concat!("`", $word, "`")] $variant($config), )+
            $( #[doc = "One that is not registered."] $other($outside), )?
        }

        impl $name {
            /// The registered names, in the order of the table.
            pub const fn names() -> &'static [&'static str] {
                &[$($word),+]
            }
            /// The default configuration of the one called `name`; what must be stated is yet to be set.
            pub fn default_of(name: &str) -> Option<Self> {
                match name {
                    $( $word => Some(Self::$variant(::core::default::Default::default())), )+
                    _ => None,
                }
            }
            /// The registered name.
            pub fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $word, )+ $( Self::$other(c) => <$outside>::name(c), )? }
            }
            /// The parameter table.
            pub fn params(&self) -> &'static [$crate::params::ParamInfo] {
                match self {
                    $( Self::$variant(_) => <$config as $crate::params::Parameters>::params(), )+
                    $( Self::$other(c) => <$outside>::params(c), )?
                }
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
                match self {
                    $( Self::$variant(c) => $crate::params::Parameters::set(c, name, value), )+
                    $( Self::$other(c) => <$outside>::set(c, name, value), )?
                }
            }
            /// The value of one parameter in the form that `set` reads; `None` for an unknown name.
            pub fn get(&self, name: &str) -> Option<$crate::params::Value> {
                match self {
                    $( Self::$variant(c) => $crate::params::Parameters::get(c, name), )+
                    $( Self::$other(c) => <$outside>::get(c, name), )?
                }
            }
        }
    };
}
