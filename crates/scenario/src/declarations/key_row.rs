//! Declaration of a section's keys, one row a key: name, type, default, bounds and meaning. Reader, schema and resolved form
//! are derived from the row.

use crate::declarations::key::{Key, Shape};
use crate::declarations::lines::Lines;
use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::text::document::{Data, Node};
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_core::params::{Bounds, Value};

/// Codec of a key's value: type in the schema, reader from TOML, writer to TOML.
pub(crate) struct ValueCodec<T: 'static> {
    pub(crate) shape: Shape,
    pub(crate) read: ValueReader<T>,
    /// Value as TOML.
    pub(crate) write: fn(&T) -> String,
}

/// Reader of a key's value from a TOML node.
pub(crate) enum ValueReader<T: 'static> {
    /// Returns the first error, which the caller reports.
    ReturnsError(fn(&Node) -> Result<T, UnfitValue>),
    /// Reports all errors to the sink: for lists and tables, which may have several.
    ReportsErrors(fn(&Node, &Sink<'_>) -> Option<T>),
}

/// Declaration of a key's value.
pub(crate) struct KeyRow<T: 'static> {
    codec: ValueCodec<T>,
    default_value: RowDefault,
    bounds: Option<Bounds>,
}

/// Value of a key that the scenario does not set.
#[derive(Clone, Copy)]
enum RowDefault {
    /// None: the key is required.
    Required,
    /// Default in the syntax of `--set`.
    Value(&'static str),
    /// Described in words, for the reference; other code fills it in.
    Described(&'static str),
}

/// Row of a required key.
pub(crate) const fn required<T>(codec: ValueCodec<T>) -> KeyRow<T> {
    KeyRow { codec, default_value: RowDefault::Required, bounds: None }
}

/// Row of a key with a default, in the syntax of `--set`.
pub(crate) const fn with_default<T>(codec: ValueCodec<T>, default: &'static str) -> KeyRow<T> {
    KeyRow { codec, default_value: RowDefault::Value(default), bounds: None }
}

/// Row of an optional key; `otherwise` describes the behaviour without it.
pub(crate) const fn optional<T>(codec: ValueCodec<T>, otherwise: &'static str) -> KeyRow<T> {
    KeyRow { codec, default_value: RowDefault::Described(otherwise), bounds: None }
}

impl<T> KeyRow<T> {
    /// Entry of the schema, by which the reader knows the key.
    pub(crate) const fn key(&self, name: &'static str, doc: &'static str) -> Key {
        let (required, default) = match self.default_value {
            RowDefault::Required => (true, ""),
            RowDefault::Value(text) | RowDefault::Described(text) => (false, text),
        };
        Key { name: plain_name(name), shape: self.codec.shape, required, default, bounds: self.bounds, doc }
    }

    /// Adds bounds, with the reason why values outside make no sense.
    pub(crate) const fn within(mut self, least: &'static str, most: &'static str, why: &'static str) -> Self {
        let kind = self.codec.shape.quantity().expect("a quantity has bounds");
        self.bounds = Some(Bounds::declared(kind, least, most, why));
        self
    }

    /// Reads the key. `None` if it is missing or invalid; errors, and a missing required key, are reported.
    fn read(&self, name: &str, r: &Reader<'_>) -> Option<At<T>> {
        if matches!(self.default_value, RowDefault::Required) {
            r.required(name)?;
        }
        match self.codec.read {
            ValueReader::ReturnsError(read) => r.read(name, read),
            ValueReader::ReportsErrors(read) => {
                let node = r.node(name)?;
                read(node, r.sink()).map(|value| At { value, origin: node.origin })
            }
        }
    }

    /// Default as a value with the section's origin; `None` without one.
    fn default(&self, r: &Reader<'_>) -> Option<At<T>> {
        let RowDefault::Value(text) = self.default_value else { return None };
        let node = Node { data: Data::Plain(parse_unquoted(text)), origin: r.origin() };
        let value = match self.codec.read {
            ValueReader::ReturnsError(read) => read(&node).ok(),
            ValueReader::ReportsErrors(read) => read(&node, r.sink()),
        };
        Some(At { value: value.expect("defaults can be read"), origin: r.origin() })
    }
}

/// Name of a key without the `r#` of a raw identifier.
pub(crate) const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Parses a value in the syntax of `--set`: number, boolean, or text without quotes.
fn parse_unquoted(text: &str) -> Value {
    let number = || text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float)).ok();
    let truth = || text.parse().map(Value::Bool).ok();
    number().or_else(truth).unwrap_or_else(|| Value::Text(text.trim_matches('"').into()))
}

/// Field of a section's declaration: required or with a default (`At<T>`), or optional (`Option<At<T>>`).
pub(crate) trait KeySlot<T>: Sized {
    /// Reads the key into the field; `None` if it is invalid and the field cannot be empty.
    fn read_slot(row: &KeyRow<T>, name: &str, r: &Reader<'_>) -> Option<Self>;
    /// Value for the resolved form; `None` if the key is not set.
    fn value(&self) -> Option<&T>;
}

impl<T> KeySlot<T> for At<T> {
    fn read_slot(row: &KeyRow<T>, name: &str, r: &Reader<'_>) -> Option<Self> {
        if r.has(name) || matches!(row.default_value, RowDefault::Required) {
            row.read(name, r)
        } else {
            row.default(r)
        }
    }
    fn value(&self) -> Option<&T> {
        Some(&self.value)
    }
}

/// An invalid key counts as missing, so that the rest of the section and references to it are still checked.
impl<T> KeySlot<T> for Option<At<T>> {
    fn read_slot(row: &KeyRow<T>, name: &str, r: &Reader<'_>) -> Option<Self> {
        // A declaration shared by several sections (`[[host]]`, `[[router]]`) has keys that one of them does not accept.
        Some(if r.takes(name) { row.read(name, r) } else { None })
    }
    fn value(&self) -> Option<&T> {
        self.as_ref().map(|at| &at.value)
    }
}

/// Writes a key into the resolved form.
pub(crate) fn write_key<T>(row: &KeyRow<T>, name: &str, slot: &impl KeySlot<T>, out: &mut Lines) {
    if let Some(value) = slot.value() {
        out.put(name, (row.codec.write)(value));
    }
}

/// Declares a section's schema and the struct that holds its keys, one row a key:
/// `name: At<T> = required(CODEC), "Meaning.";`, `name: At<T> = with_default(CODEC, "default"), "Meaning.";` or
/// `name: Option<At<T>> = optional(CODEC, "behaviour without it"), "Meaning.";`. Fields that are no keys follow `beside`.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $public:vis $section:ident = $title:literal, $doc:literal;
        pub(crate) struct $decl:ident { $( $key:ident: $slot:ty = $row:expr, $about:literal; )* }
        $( beside { $other:ident: $kept:ty } )?
    ) => {
        $(#[$meta])*
        $public const $section: $crate::declarations::key::Section =
            $crate::declarations::key::Section {
                title: $title,
                doc: $doc,
                keys: &[$( $row.key(stringify!($key), $about) ),*],
            };

        #[doc = concat!("Keys of one `", $title, "` table.")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $decl {
            $( #[doc = $about] pub(crate) $key: $slot, )*
            $( pub(crate) $other: $kept, )?
        }

        impl $decl {
            /// Reads all keys and reports errors.
            pub(crate) fn read_keys(
                r: &$crate::declarations::reader::Reader<'_>,
                $( $other: $kept, )?
            ) -> Option<Self> {
                $( let $key = $crate::declarations::key_row::KeySlot::read_slot(
                    &$row,
                    $crate::declarations::key_row::plain_name(stringify!($key)),
                    r,
                ); )*
                Some(Self { $( $key: $key?, )* $( $other, )? })
            }

            /// Writes the keys that are set.
            pub(crate) fn put(&self, out: &mut $crate::declarations::lines::Lines) {
                $( $crate::declarations::key_row::write_key(
                    &$row,
                    $crate::declarations::key_row::plain_name(stringify!($key)),
                    &self.$key,
                    out,
                ); )*
            }
        }
    };
}
pub(crate) use section;
