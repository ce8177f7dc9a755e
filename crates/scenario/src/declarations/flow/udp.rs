//! UDP.

use super::elsewhere::keys_elsewhere;
use crate::declarations::reader::Reader;
use crate::declarations::sections::UDP;
use crate::declarations::values::plain;
use crate::model::Transport;
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_core::Bytes;

/// Reads the table.
pub(super) fn read(node: &Node, sink: &Sink<'_>) -> Option<Transport> {
    let others = keys_elsewhere("udp");
    let r = Reader::new(node, &UDP, sink)?.kinded().elsewhere(&others);
    let header = r.read_or("header", Bytes(28), plain);
    let ecn = r.read_or("ecn", false, plain);
    r.finish();
    Some(Transport::Udp { header: header?, ecn: ecn? })
}
