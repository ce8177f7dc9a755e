//! Kinds of value that parameters take.

/// Kind of value that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number, zero or more.
    Count,
    /// Any finite number.
    Number,
    /// See [`Duration`].
    Duration,
    /// See [`Rate`].
    Rate,
    /// See [`Bytes`].
    Bytes,
    /// See [`Limit`].
    Limit,
    /// See [`Probability`].
    Probability,
    /// See [`Dscp`](crate::Dscp).
    Dscp,
    /// See [`HostAddress`](crate::HostAddress).
    Address,
    /// See [`DurationDist`](crate::DurationDist).
    Distribution,
    /// See [`SizeDist`](crate::SizeDist).
    Sizes,
    /// See [`CountDist`](crate::CountDist).
    Counts,
    /// A list of `[time, rate]`.
    Steps,
    /// See [`Rates`](crate::Rates); bounds are those of each.
    Rates,
    /// A probability, or a process by its name and parameters.
    Loss,
    /// A queue discipline by its name and parameters.
    Queue,
    /// Text in a form that the parameter describes.
    Text,
    /// A word of this list.
    Choice(&'static [&'static str]),
}
