//! `[sweep]`: a grid of values. Here its paths and values are checked; running it is somebody else's.

use crate::declarations::declaration::SweepAxis;
use crate::declarations::draft::Draft;
use crate::declarations::queue;
use crate::text::codes::Code;
use crate::text::document::{Data, Node, Table};
use crate::text::place::Origin;
use crate::text::sink::Sink;
use crate::text::{path, write};

/// Each cell is at least a run of the whole scenario, with a result of its own.
const MOST_CELLS: u128 = 1_000_000;

/// Reads the grid; each of its values by itself must make a scenario that can be read.
pub(crate) fn read(root: &Table, sink: &Sink<'_>) -> Option<Vec<SweepAxis>> {
    let Some(node) = root.get("sweep") else { return Some(Vec::new()) };
    let Some(table) = node.as_table() else {
        sink.error(
            Code::WrongType,
            node.origin,
            format!("[sweep] is a table of paths, found {}", node.shown()),
        );
        return None;
    };
    let mut base = root.clone();
    base.entries.retain(|(key, _)| key.value != "sweep");
    let before = sink.errors();
    let mut axes = Vec::new();
    for (key, node) in &table.entries {
        if matches!(node.data, Data::Broken) {
            continue;
        }
        let Data::Array(values) = &node.data else {
            let error = sink.at(Code::WrongType, node.origin, "an axis of a sweep is a list of values");
            let dotted = node.as_table().is_some();
            sink.push(if dotted { error.help("quote the path: \"link.a.rate\" = [...]") } else { error });
            continue;
        };
        if values.is_empty() {
            sink.error(Code::EmptyList, node.origin, "an axis of a sweep needs at least one value");
        }
        let cells = axes.iter().fold(values.len() as u128, |n: u128, axis: &SweepAxis| {
            n.saturating_mul(axis.values.len() as u128)
        });
        if cells > MOST_CELLS {
            let error =
                sink.at(Code::TooLarge, key.origin, format!("with this axis the sweep has {cells} cells"));
            sink.push(error.label(format!("at most {MOST_CELLS}")).help("leave out values, or axes"));
            break;
        }
        for value in values {
            if !check(&mut base, &key.value, key.origin, value, sink) {
                break;
            }
        }
        axes.push(SweepAxis { path: key.value.clone(), values: values.iter().map(write::node).collect() });
    }
    (sink.errors() == before).then_some(axes)
}

/// Whether the value can be read at its place; errors are reported. The rest of the axis is skipped where even
/// the path is wrong.
fn check(base: &mut Table, path: &str, origin: Origin, value: &Node, sink: &Sink<'_>) -> bool {
    let before = sink.errors();
    // Only the table that the path begins with changes, and only that is copied and read again.
    let top = path::split(path).ok().and_then(|segments| segments.into_iter().next()).unwrap_or_default();
    let written = base.get(&top).cloned();
    let set = path::set(base, path, origin, value.clone(), queue::long_form);
    if set.is_ok() {
        Draft::read_part(base, &top, sink);
    }
    base.restore(&top, written);
    if let Err(lost) = set {
        lost.report(origin, sink);
        return false;
    }
    sink.errors() == before
}
