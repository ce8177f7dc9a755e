//! Rows of the summary's keys: name and type, unit, and meaning.
//!
//! The JSON output, `tailrace list summary` and the lists of keys in docs/reference/results.md follow from these rows.

/// A key of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SummaryKey {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) doc: &'static str,
    /// Serde attributes. If they flatten the object, the keys below stand in its place.
    pub(crate) serde: &'static str,
    /// Keys of the nested object, if they are described with this one.
    pub(crate) below: &'static [SummaryKey],
}

/// A key by its path from an object: `transfers.asked`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Path.
    pub path: String,
    /// Unit; empty for a key without.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

/// An object of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Name.
    pub name: &'static str,
    /// Meaning.
    pub doc: &'static str,
    /// Keys in order.
    pub keys: Vec<KeyInfo>,
}

impl ObjectInfo {
    /// An object with these keys.
    pub(crate) fn new(name: &'static str, doc: &'static str, keys: &[SummaryKey]) -> Self {
        let mut all = Vec::new();
        keys.iter().for_each(|key| key.list("", &mut all));
        Self { name, doc, keys: all }
    }
}

impl SummaryKey {
    /// Appends the key, and the keys below it, under the path `above`.
    fn list(&self, above: &str, out: &mut Vec<KeyInfo>) {
        if self.serde == "flatten" {
            return self.below.iter().for_each(|key| key.list(above, out));
        }
        let path = format!("{above}{}", self.name);
        let below = format!("{path}.");
        out.push(KeyInfo { path, unit: self.unit, doc: self.doc.trim_start() });
        self.below.iter().for_each(|key| key.list(&below, out));
    }
}

/// Declares an object of the summary. Each key: doc comment, `name: Type, "unit";`, and after the unit `of Type` if the keys of
/// the nested object are described with it.
macro_rules! keys {
    (
        $(#[$meta:meta])*
        pub(crate) struct $object:ident {
            $( $(#[doc = $doc:literal])+ $(#[serde($($serde:tt)*)])? $key:ident: $type:ty, $unit:literal $(of $inner:ident)?; )+
        }
    ) => {
        $(#[$meta])*
        #[derive(serde::Serialize)]
        pub(crate) struct $object {
            $( $(#[doc = $doc])+ $(#[serde($($serde)*)])? pub(crate) $key: $type, )+
        }

        impl $object {
            pub(crate) const KEYS: &'static [$crate::ground::keys::SummaryKey] = &[ $(
                $crate::ground::keys::SummaryKey {
                    name: stringify!($key),
                    unit: $unit,
                    doc: concat!($($doc),+),
                    serde: concat!($(stringify!($($serde)*))?),
                    below: keys!(@below $($inner)?),
                },
            )+ ];
        }
    };
    (@below) => { &[] };
    (@below $inner:ident) => { $inner::KEYS };
}
pub(crate) use keys;

#[cfg(test)]
mod tests {
    use crate::ground::columns::tests::assert_described;

    #[test]
    fn summary_keys_have_units_and_meanings() {
        for object in crate::objects() {
            assert!(!object.keys.is_empty());
            object.keys.iter().for_each(|key| assert_described(&key.path, key.unit, key.doc));
        }
    }
}
