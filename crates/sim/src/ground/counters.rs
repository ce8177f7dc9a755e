//! Declaration of counters: one row gives a field, its differences and sums, and where it is published.

use tailrace_core::Duration;

/// Adds counters of two flows.
pub(crate) trait CounterSum: Copy {
    /// Adds another value, up to the largest one.
    fn accumulate(&mut self, other: Self);
}

impl CounterSum for u64 {
    fn accumulate(&mut self, other: Self) {
        *self = self.saturating_add(other);
    }
}

impl CounterSum for Duration {
    fn accumulate(&mut self, other: Self) {
        *self += other;
    }
}

/// Declares a struct of counters, each by its meaning and `name: Type;`, or `name: u64, "unit";`. A counter with a unit is
/// published: it is a column of the tables `flows` and `flow_windows` and a key of groups and of `whole_run`, under this name, unit and
/// meaning. `since` and `add` cover all counters.
macro_rules! counters {
    (
        $(#[$meta:meta])*
        pub(crate) struct $name:ident {
            $( #[doc = $doc:literal] $field:ident: $type:ty $(, $unit:literal)?; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $name {
            $( #[doc = $doc] pub(crate) $field: $type, )+
        }

        impl $name {
            /// Published counters.
            pub(crate) const KEYS: &'static [$crate::ground::keys::SummaryKey] = &[ $( $(
                $crate::ground::keys::SummaryKey {
                    name: stringify!($field),
                    unit: $unit,
                    doc: $doc,
                    serde: "",
                    below: &[],
                },
            )? )+ ];

            /// Difference from an earlier copy.
            pub(crate) fn since(&self, earlier: &Self) -> Self {
                Self { $( $field: self.$field - earlier.$field, )+ }
            }

            /// Adds the counters of another flow.
            pub(crate) fn add(&mut self, other: &Self) {
                $( $crate::ground::counters::CounterSum::accumulate(&mut self.$field, other.$field); )+
            }

            /// Values of the published counters, in the order of `KEYS`.
            pub(crate) fn published(&self) -> Vec<u64> {
                vec![ $( $( counters!(@value $unit, self.$field), )? )+ ]
            }
        }
    };
    (@value $unit:literal, $value:expr) => { $value };
}
pub(crate) use counters;
