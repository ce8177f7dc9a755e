//! Rows of sections: in one place what a key is called, what it takes, its default, its bounds and its meaning. The reader, the
//! schema and the resolved form follow from the row.

use crate::declarations::key::{Key, Shape};
use crate::declarations::lines::Lines;
use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::text::document::{Data, Node};
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_core::params::{Bounds, Value};

/// Form of a key's value: its type in the schema, and how it is read and written.
pub(crate) struct Form<T: 'static> {
    pub(crate) shape: Shape,
    pub(crate) read: Read<T>,
    /// Writes TOML.
    pub(crate) write: fn(&T) -> String,
}

/// Reader of a value.
pub(crate) enum Read<T: 'static> {
    /// Where there is one thing that can be wrong with it.
    Value(fn(&Node) -> Result<T, UnfitValue>),
    /// Where there are several, which are reported.
    Parts(fn(&Node, &Sink<'_>) -> Option<T>),
}

/// A row.
pub(crate) struct Row<T: 'static> {
    form: Form<T>,
    usual: RowDefault,
    bounds: Option<Bounds>,
}

/// Default of a key that is not written.
#[derive(Clone, Copy)]
enum RowDefault {
    /// It must be written.
    Nothing,
    /// This, as one would write it after `--set`.
    Value(&'static str),
    /// A default in words, which other code fills in.
    Words(&'static str),
}

/// A key that must be there.
pub(crate) const fn must<T>(form: Form<T>) -> Row<T> {
    Row { form, usual: RowDefault::Nothing, bounds: None }
}

/// A key with a default, as one would write it after `--set`.
pub(crate) const fn or<T>(form: Form<T>, default: &'static str) -> Row<T> {
    Row { form, usual: RowDefault::Value(default), bounds: None }
}

/// A key that may be missing; what holds then, in words.
pub(crate) const fn may<T>(form: Form<T>, otherwise: &'static str) -> Row<T> {
    Row { form, usual: RowDefault::Words(otherwise), bounds: None }
}

impl<T> Row<T> {
    /// The row as the schema and the reader know it.
    pub(crate) const fn key(&self, name: &'static str, doc: &'static str) -> Key {
        let (required, default) = match self.usual {
            RowDefault::Nothing => (true, ""),
            RowDefault::Value(text) | RowDefault::Words(text) => (false, text),
        };
        Key { name: plain_name(name), shape: self.form.shape, required, default, bounds: self.bounds, doc }
    }

    /// The same, between two values.
    pub(crate) const fn within(mut self, least: &'static str, most: &'static str, why: &'static str) -> Self {
        let kind = self.form.shape.quantity().expect("a quantity has bounds");
        self.bounds = Some(Bounds::declared(kind, least, most, why));
        self
    }

    /// Reads the key. `None` where it is missing or wrong; what is wrong is reported, and that it must be there.
    fn read(&self, name: &str, r: &Reader<'_>) -> Option<At<T>> {
        if matches!(self.usual, RowDefault::Nothing) {
            r.required(name)?;
        }
        match self.form.read {
            Read::Value(read) => r.read(name, read),
            Read::Parts(read) => {
                let node = r.node(name)?;
                read(node, r.sink()).map(|value| At { value, origin: node.origin })
            }
        }
    }

    /// The default, where there is one.
    fn default(&self, r: &Reader<'_>) -> Option<At<T>> {
        let RowDefault::Value(text) = self.usual else { return None };
        let node = Node { data: Data::Plain(bare(text)), origin: r.origin() };
        let value = match self.form.read {
            Read::Value(read) => read(&node).ok(),
            Read::Parts(read) => read(&node, r.sink()),
        };
        Some(At { value: value.expect("defaults can be read"), origin: r.origin() })
    }
}

/// Name of a key without the `r#` of a word of Rust.
pub(crate) const fn plain_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// A value as one writes it after `--set`.
fn bare(text: &str) -> Value {
    let number = || text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float)).ok();
    let truth = || text.parse().map(Value::Bool).ok();
    number().or_else(truth).unwrap_or_else(|| Value::Text(text.trim_matches('"').into()))
}

/// Field of a declaration that keeps a key's value.
pub(crate) trait Slot<T>: Sized {
    /// Reads it; `None` where it is wrong and nothing can stand for it.
    fn take(row: &Row<T>, name: &str, r: &Reader<'_>) -> Option<Self>;
    /// Value that the resolved form writes.
    fn said(&self) -> Option<&T>;
}

impl<T> Slot<T> for At<T> {
    fn take(row: &Row<T>, name: &str, r: &Reader<'_>) -> Option<Self> {
        if r.has(name) || matches!(row.usual, RowDefault::Nothing) {
            row.read(name, r)
        } else {
            row.default(r)
        }
    }
    fn said(&self) -> Option<&T> {
        Some(&self.value)
    }
}

/// A key that is wrong is as one that is missing: the rest can still be read, and what refers to it.
impl<T> Slot<T> for Option<At<T>> {
    fn take(row: &Row<T>, name: &str, r: &Reader<'_>) -> Option<Self> {
        // Where several sections are kept alike, one may not have the key.
        Some(if r.takes(name) { row.read(name, r) } else { None })
    }
    fn said(&self) -> Option<&T> {
        self.as_ref().map(|at| &at.value)
    }
}

/// Writes a key into the resolved form.
pub(crate) fn put<T>(row: &Row<T>, name: &str, slot: &impl Slot<T>, out: &mut Lines) {
    if let Some(value) = slot.said() {
        out.put(name, (row.form.write)(value));
    }
}

/// Declares a section and what is kept of it, a row a key: `name: At<T> = must(FORM), "What it means.";`. In place of `must`,
/// `or(FORM, "default")`; or `name: Option<At<T>> = may(FORM, "what holds else")`. What is kept beside the keys stands at the end.
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

        #[doc = concat!("What one `", $title, "` says.")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $decl {
            $( #[doc = $about] pub(crate) $key: $slot, )*
            $( pub(crate) $other: $kept, )?
        }

        impl $decl {
            /// Reads the keys; what is wrong is reported.
            pub(crate) fn take(
                r: &$crate::declarations::reader::Reader<'_>,
                $( $other: $kept, )?
            ) -> Option<Self> {
                $( let $key = $crate::declarations::row::Slot::take(
                    &$row,
                    $crate::declarations::row::plain_name(stringify!($key)),
                    r,
                ); )*
                Some(Self { $( $key: $key?, )* $( $other, )? })
            }

            /// Writes the keys as they are.
            pub(crate) fn put(&self, out: &mut $crate::declarations::lines::Lines) {
                $( $crate::declarations::row::put(
                    &$row,
                    $crate::declarations::row::plain_name(stringify!($key)),
                    &self.$key,
                    out,
                ); )*
            }
        }
    };
}
pub(crate) use section;
