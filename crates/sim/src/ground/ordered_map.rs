//! A map from names to values in the order of insertion.

use serde::{Serialize, Serializer};

/// Values by name in the order of insertion.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderedMap<T>(pub(crate) Vec<(String, T)>);

impl<T> OrderedMap<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for OrderedMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
