//! What the tables of algorithms have in common: a configuration enum by registered name.

/// `Name, Trait, "word" => Type, ...`: an enum with the configuration of each type, which implements the trait with
/// its `Config`, `SUMMARY` and `CITATION`.
macro_rules! config_enum {
    ($(#[$doc:meta])* $name:ident, $trait:ident, $( $word:literal => $variant:ident, )+) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $( #[doc = concat!("`", $word, "`")] $variant(<$variant as $trait>::Config), )+
        }

        impl $name {
            /// Registered names, in the table's order.
            pub const fn names() -> &'static [&'static str] {
                &[$($word),+]
            }
            /// The default configuration of the one called `name`.
            pub fn default_of(name: &str) -> Option<Self> {
                match name {
                    $( $word => Some(Self::$variant(Default::default())), )+
                    _ => None,
                }
            }
            /// The registered name.
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$variant(_) => $word, )+ }
            }
            /// The parameter table.
            pub fn params(&self) -> &'static [tailrace_core::params::ParamInfo] {
                match self { $( Self::$variant(_) => <<$variant as $trait>::Config as tailrace_core::params::Parameters>::params(), )+ }
            }
            /// Sets one parameter.
            ///
            /// # Errors
            /// [`SetError`](tailrace_core::params::SetError) where the name is unknown or the value does not fit.
            pub fn set(
                &mut self,
                name: &str,
                value: &tailrace_core::params::Value,
            ) -> Result<(), tailrace_core::params::SetError> {
                match self { $( Self::$variant(c) => tailrace_core::params::Parameters::set(c, name, value), )+ }
            }
            /// The value of one parameter; `None` for an unknown name.
            pub fn get(&self, name: &str) -> Option<tailrace_core::params::Value> {
                match self { $( Self::$variant(c) => tailrace_core::params::Parameters::get(c, name), )+ }
            }
            /// Whether the parameters lie within their bounds and fit together.
            ///
            /// # Errors
            /// The name of one that does not, and why.
            pub fn validate(&self) -> Result<(), tailrace_core::params::Invalid> {
                tailrace_core::params::check_bounds(self.params(), |name| self.get(name))?;
                match self { $( Self::$variant(c) => <$variant as $trait>::validate(c), )+ }
            }
            /// What documentation says about each.
            pub fn catalog() -> Vec<$crate::cc::CatalogEntry> {
                vec![$( $crate::cc::CatalogEntry {
                    name: $word,
                    summary: <$variant as $trait>::SUMMARY,
                    citation: <$variant as $trait>::CITATION,
                    params: <<$variant as $trait>::Config as tailrace_core::params::Parameters>::params(),
                }, )+]
            }
        }
    };
}
pub(crate) use config_enum;
