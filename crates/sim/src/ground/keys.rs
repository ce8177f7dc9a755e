//! A key of the summary in one place: its name and type, its unit, and what it means.
//!
//! What is written, `tailrace list summary` and the lists of keys in docs/reference/results.md follow from these rows.

/// A key of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SummaryKey {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) doc: &'static str,
    /// What serde is told of it: of what it flattens, the keys below stand in its place.
    pub(crate) serde: &'static str,
    /// The keys of the object that stands there, if they are described with this one.
    pub(crate) below: &'static [SummaryKey],
}

/// A key of an object, by its path from there: `transfers.asked`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its path.
    pub path: String,
    /// Its unit; empty for what has none.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// What it is called.
    pub name: &'static str,
    /// What it tells of.
    pub doc: &'static str,
    /// Its keys, in their order.
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
    /// Itself and what is below it.
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

/// Declares an object of the summary. Each key: doc comment, `name: Type, "unit";`, and after the unit `of Type` where the
/// keys of the object that stands there are described with it.
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
    fn every_key_has_its_unit_and_a_meaning() {
        for object in crate::objects() {
            assert!(!object.keys.is_empty());
            object.keys.iter().for_each(|key| assert_described(&key.path, key.unit, key.doc));
        }
    }
}
