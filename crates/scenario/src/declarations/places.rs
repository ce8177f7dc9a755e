//! Where a fault happens: links or hosts, one or a list; which interfaces of these; which direction.

use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader};
use crate::declarations::names::{self, Selector};
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::choice;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::place::At;
use crate::text::sink::Sink;
use crate::text::write;
use tailrace_core::params::{Kind, Value};

/// Links by their names or their ends.
pub(crate) const LINK_LIST: ValueCodec<Vec<At<Selector>>> = ValueCodec {
    shape: Shape::Selectors,
    read: ValueReader::ReportsErrors(|node, sink| items(node, "link", sink, names::read_link_selector)),
    write: |all| listed(all, |s| write::shown(&s.value)),
};

/// Hosts.
pub(crate) const HOST_LIST: ValueCodec<Vec<At<Selector>>> = ValueCodec {
    shape: Shape::Selectors,
    read: ValueReader::ReportsErrors(|node, sink| items(node, "host", sink, names::read_selector)),
    write: |all| listed(all, |s| write::shown(&s.value)),
};

/// Routers.
pub(crate) const ROUTER_LIST: ValueCodec<Vec<At<Selector>>> = ValueCodec {
    read: ValueReader::ReportsErrors(|node, sink| items(node, "router", sink, names::read_selector)),
    ..HOST_LIST
};

/// Interfaces of a host, by their numbers.
pub(crate) const INTERFACES: ValueCodec<Vec<At<Numbers>>> = ValueCodec {
    shape: Shape::Interfaces,
    read: ValueReader::ReportsErrors(|node, sink| items(node, "interface", sink, numbers)),
    write: |all| listed(all, |n| n.value.shown()),
};

/// Directions of a link that a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    /// From the link's first end to its second.
    Forward,
    Reverse,
    /// From the host or router.
    Up,
    /// To the host or router.
    Down,
}

const WORDS: &[(&str, Direction)] = &[
    ("both", Direction::Both),
    ("forward", Direction::Forward),
    ("reverse", Direction::Reverse),
    ("up", Direction::Up),
    ("down", Direction::Down),
];

/// A direction.
pub(crate) const DIRECTION: ValueCodec<Direction> = ValueCodec {
    shape: Shape::Plain(Kind::Choice(&["both", "forward", "reverse", "up", "down"])),
    read: ValueReader::ReturnsError(|node| choice(WORDS)(node)),
    write: |direction| write::text(direction.word()),
};

impl Direction {
    /// Word in a scenario file.
    pub(crate) fn word(self) -> &'static str {
        WORDS.iter().find(|(_, d)| *d == self).expect("each has a word").0
    }
}

/// Numbers from one on: from the first, up to but not including the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) u64, pub(crate) u64);

impl Numbers {
    fn shown(self) -> String {
        if self.1 == self.0 + 1 { self.0.to_string() } else { format!("\"{}..{}\"", self.0, self.1) }
    }
}

/// A number, or a range such as `"2..5"`.
fn numbers(node: &Node) -> Result<Numbers, UnfitValue> {
    let expected = || {
        let found = node.shown();
        format!(
            "expected a number such as 2, counted from 1, or a range such as \"2..5\" (end exclusive), found {found}"
        )
    };
    let (from, to) = match &node.data {
        Data::Plain(Value::Integer(n)) => {
            let n = u64::try_from(*n).map_err(|_| expected())?;
            (n, n.saturating_add(1))
        }
        Data::Plain(Value::Text(text)) => {
            let (from, to) = text.split_once("..").ok_or_else(expected)?;
            let number = |digits: &str| digits.trim().parse::<u64>().map_err(|_| expected());
            (number(from)?, number(to)?)
        }
        _ => return Err(expected().into()),
    };
    if from == 0 {
        return Err(UnfitValue::outside(
            "interfaces are counted from 1, in the order of the host's links in the file",
        ));
    }
    if from >= to {
        return Err(format!("the range {from}..{to} is empty (its end is exclusive)").into());
    }
    Ok(Numbers(from, to))
}

/// Reads a single value, or a list of them.
fn items<T>(
    node: &Node,
    key: &str,
    sink: &Sink<'_>,
    read: fn(&Node) -> Result<T, UnfitValue>,
) -> Option<Vec<At<T>>> {
    let items = match &node.data {
        Data::Broken => return None,
        Data::Array(items) if items.is_empty() => {
            sink.error(Code::EmptyList, node.origin, format!("`{key}` lists nothing"));
            return None;
        }
        Data::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let read = |item: &Node| match read(item) {
        Ok(value) => Some(At { value, origin: item.origin }),
        Err(unfit) => {
            sink.push(sink.at(unfit.code, item.origin, format!("bad value of `{key}`")).label(unfit.why));
            None
        }
    };
    // All of them are looked at, for their errors.
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
}

fn listed<T>(all: &[At<T>], shown: impl Fn(&At<T>) -> String) -> String {
    match all {
        [one] => shown(one),
        all => format!("[{}]", all.iter().map(shown).collect::<Vec<_>>().join(", ")),
    }
}
