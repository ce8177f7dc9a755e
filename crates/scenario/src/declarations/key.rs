//! Description of a table: its keys, their types and meanings.

use tailrace_core::params::{Bounds, Kind};

/// Type of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A plain value of this kind.
    Plain(Kind),
    /// Text.
    Text,
    /// A name of a host, router, link or flow.
    Name,
    /// Hosts, routers or links: `g1`, `src[*]`, `src[3]`, `path[0..4]`.
    Selector,
    /// A selector, or a list of them.
    Selectors,
    /// A number from 1 on, a range of them such as `"2..5"`, or a list of these.
    Interfaces,
    /// Two selectors.
    Ends,
    /// A duration, or a distribution of durations.
    Distribution,
    /// A distribution, or a list of durations, one for each flow.
    Starts,
    /// A rate, a trace, or what grants.
    LinkRate,
    /// A duration, or `"off"`.
    DurationOrOff,
    /// A coupled congestion control, or one of TCP's.
    MultipathControl,
    /// A scheduler of subflows.
    Scheduler,
    /// A path manager.
    PathManager,
    /// The `reverse` table of a link.
    Reverse,
    /// A transport.
    Transport,
    /// The `behaviour` table of a TCP transport.
    TcpBehaviour,
    /// The `behaviour` table of a Multipath TCP transport, with that of its subflows' TCP.
    MptcpBehaviour,
    /// A congestion control.
    CongestionControl,
    /// An application.
    App,
    /// A table of its own.
    Section(&'static Section),
    /// A list of tables.
    Sections(&'static Section),
    /// A list of faults: tables with further keys, as their kind has it.
    Faults,
    /// A list of media, likewise.
    Media,
    /// The `spoof` table of an attack.
    Spoof,
    /// A list of attacks, likewise.
    Attacks,
    /// An IPv4 address, or a list of them, one for each link.
    Addresses,
    /// A list of paths of files and folders.
    Paths,
    /// Settings of a kernel, by their names.
    Settings,
    /// A list of codes of warnings.
    Codes,
    /// The grid of a sweep.
    Sweep,
}

/// A key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name in a scenario file.
    pub name: &'static str,
    /// Type of its value.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// The default in words, or empty.
    pub default: &'static str,
    /// Between which values it may lie, where it is a quantity; a distribution's mean.
    pub bounds: Option<Bounds>,
    /// Meaning, in sentences.
    pub doc: &'static str,
}

/// A table of a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name in messages.
    pub title: &'static str,
    /// Meaning, in sentences.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

impl Section {
    /// Names of its keys.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

/// A key that must be there.
pub(super) const fn must(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, default: "", bounds: None, doc }
}

/// A key with a default in words, or none.
pub(super) const fn may(name: &'static str, shape: Shape, default: &'static str, doc: &'static str) -> Key {
    Key { name, shape, required: false, default, bounds: None, doc }
}

impl Key {
    /// The same, between two values.
    pub(super) const fn within(self, least: &'static str, most: &'static str, why: &'static str) -> Self {
        let kind = self.shape.quantity().expect("a quantity has bounds");
        self.bounded(Bounds::declared(kind, least, most, why))
    }

    /// The same, within bounds that others have, too.
    pub(super) const fn bounded(mut self, bounds: Bounds) -> Self {
        self.bounds = Some(bounds);
        self
    }
}

impl Shape {
    /// The kind of quantity that it is, where it is one.
    pub const fn quantity(self) -> Option<Kind> {
        match self {
            Self::Plain(kind) => Some(kind),
            Self::LinkRate => Some(Kind::Rate),
            Self::Distribution | Self::DurationOrOff => Some(Kind::Duration),
            _ => None,
        }
    }
}

pub(super) const COUNT: Shape = Shape::Plain(Kind::Count);
pub(super) const DURATION: Shape = Shape::Plain(Kind::Duration);
pub(super) const SIZE: Shape = Shape::Plain(Kind::Bytes);
pub(super) const SWITCH: Shape = Shape::Plain(Kind::Bool);
pub(super) const LOSS: Shape = Shape::Plain(Kind::Loss);
pub(super) const PROBABILITY: Shape = Shape::Plain(Kind::Probability);
pub(super) const QUEUE: Shape = Shape::Plain(Kind::Queue);
