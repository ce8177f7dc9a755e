//! Tables of algorithms: a configuration by registered name that validates itself, and a catalog for documentation.

use tailrace_core::params::ParamInfo;

/// Documentation of one registered algorithm.
#[derive(Clone, Copy, Debug)]
pub struct CatalogEntry {
    /// Name in a scenario.
    pub name: &'static str,
    /// Summary of one line.
    pub summary: &'static str,
    /// Source that defines it.
    pub citation: &'static str,
    /// Its parameters.
    pub params: &'static [ParamInfo],
}

/// `Name, Trait, "word" => Type, ...`: an enum with the configuration of each type, which implements the trait with
/// its `Config`, `SUMMARY` and `CITATION`.
macro_rules! algorithms {
    ($(#[$doc:meta])* $name:ident, $trait:ident, $( $word:literal => $variant:ident, )+
        $( outside $other:ident($outside:ident), )?) => {
        tailrace_core::config_enum! {
            $(#[$doc])*
            pub enum $name {
                $( $word => $variant(<$variant as $trait>::Config), )+
                $( outside $other($outside), )?
            }
        }

        impl $name {
            /// Whether the parameters lie within their bounds and fit together.
            ///
            /// # Errors
            /// The name of one that does not, and why.
            pub fn validate(&self) -> Result<(), tailrace_core::params::Invalid> {
                tailrace_core::params::check_bounds(self.params(), |name| self.get(name))?;
                match self {
                    $( Self::$variant(c) => <$variant as $trait>::validate(c), )+
                    $( Self::$other(c) => c.validate(), )?
                }
            }
            /// Documentation of each algorithm.
            pub fn catalog() -> Vec<$crate::registry::CatalogEntry> {
                vec![$( $crate::registry::CatalogEntry {
                    name: $word,
                    summary: <$variant as $trait>::SUMMARY,
                    citation: <$variant as $trait>::CITATION,
                    params: <<$variant as $trait>::Config as tailrace_core::params::Parameters>::params(),
                }, )+]
            }
        }
    };
}
pub(crate) use algorithms;
