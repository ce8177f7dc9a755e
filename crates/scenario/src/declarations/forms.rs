//! Forms of values, for rows of sections.

use crate::declarations::key::Shape;
use crate::declarations::names::{self, Selector};
use crate::declarations::row::{Form, Read};
use crate::declarations::values;
use crate::text::write;
use tailrace_core::Duration;
use tailrace_core::params::ParamType;

/// Plain value.
pub(crate) const fn plain<P: ParamType>() -> Form<P> {
    Form {
        shape: Shape::Plain(P::KIND),
        read: Read::Value(values::plain),
        write: |value| write::plain(&value.to_value()),
    }
}

/// A whole number of at least one.
pub(crate) const fn positive_count<N: ParamType + PartialEq + From<u8>>() -> Form<N> {
    Form { read: Read::Value(values::positive_count), ..plain() }
}

/// A name.
pub(crate) const NAME: Form<String> =
    Form { shape: Shape::Name, read: Read::Value(names::read_name), write: |name| write::text(name) };

/// A duration of sensible length.
pub(crate) const DURATION: Form<Duration> = Form { read: Read::Value(values::duration), ..plain() };

/// A duration of more than nothing.
pub(crate) const POSITIVE_DURATION: Form<Duration> =
    Form { read: Read::Value(values::positive_duration), ..plain() };

/// Text.
pub(crate) const TEXT: Form<String> =
    Form { shape: Shape::Text, read: Read::Value(values::text), write: |text| write::text(text) };

/// Links, by their names or their ends; or hosts and routers.
pub(crate) const LINKS: Form<Selector> =
    Form { shape: Shape::Selector, read: Read::Value(names::read_link_selector), write: |s| write::shown(s) };
