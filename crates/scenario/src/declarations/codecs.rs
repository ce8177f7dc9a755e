//! Codecs of values for rows of keys.

use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader};
use crate::declarations::names::{self, Selector};
use crate::declarations::values;
use crate::text::write;
use tailrace_core::Duration;
use tailrace_core::params::ParamType;

/// Plain value.
pub(crate) const fn plain<P: ParamType>() -> ValueCodec<P> {
    ValueCodec {
        shape: Shape::Plain(P::KIND),
        read: ValueReader::ReturnsError(values::plain),
        write: |value| write::plain(&value.to_value()),
    }
}

/// A whole number of at least one.
pub(crate) const fn positive_count<N: ParamType + PartialEq + From<u8>>() -> ValueCodec<N> {
    ValueCodec { read: ValueReader::ReturnsError(values::positive_count), ..plain() }
}

/// A name.
pub(crate) const NAME: ValueCodec<String> = ValueCodec {
    shape: Shape::Name,
    read: ValueReader::ReturnsError(names::read_name),
    write: |name| write::text(name),
};

/// A duration of sensible length.
pub(crate) const DURATION: ValueCodec<Duration> =
    ValueCodec { read: ValueReader::ReturnsError(values::duration), ..plain() };

/// A duration of more than nothing.
pub(crate) const POSITIVE_DURATION: ValueCodec<Duration> =
    ValueCodec { read: ValueReader::ReturnsError(values::positive_duration), ..plain() };

/// Text.
pub(crate) const TEXT: ValueCodec<String> = ValueCodec {
    shape: Shape::Text,
    read: ValueReader::ReturnsError(values::text),
    write: |text| write::text(text),
};

/// Links, by their names or their ends; or hosts and routers.
pub(crate) const LINKS: ValueCodec<Selector> = ValueCodec {
    shape: Shape::Selector,
    read: ValueReader::ReturnsError(names::read_link_selector),
    write: |s| write::shown(s),
};
