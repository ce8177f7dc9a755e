//! What the tables of algorithms have in common: a configuration by registered name that validates, and a catalog.

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
pub(crate) use algorithms;
