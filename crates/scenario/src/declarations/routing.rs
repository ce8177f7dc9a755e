//! `[routing]`.

use crate::declarations::codecs::{DURATION, plain};
use crate::declarations::key_row::{section, with_default};
use crate::declarations::lines::Lines;
use crate::declarations::reader::Reader;
use crate::model::{EqualPaths, Routing};
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::Duration;

section! {
    /// `[routing]`.
    pub ROUTING = "[routing]", "Forwarding of packets by routers. They know the shortest paths: those with the least sum of the links' `cost`, which are those with the fewest links where none is stated.";
    pub(crate) struct RoutingKeys {
        equal_paths: At<EqualPaths> = with_default(plain::<EqualPaths>(), "\"first\""),
            "If several paths are equally short, which one packets take: always the first in the order of the file, or one chosen by a hash of the packet's flow, so that flows spread over all of them (ECMP).";
        convergence: At<Duration> = with_default(DURATION, "0 s"),
            "Time that routers take to change their routes after a link has gone down or come up. Until then they send packets into links that are down. Hosts notice their own links at once.";
    }
}

impl RoutingKeys {
    /// Reads `[routing]`; where it is missing, its defaults hold.
    pub(crate) fn read(node: Option<&Node>, sink: &Sink<'_>) -> Option<Self> {
        let nothing = Node { data: Data::Table(Table::default()), origin: Origin::Scenario };
        let r = Reader::new(node.unwrap_or(&nothing), &ROUTING, sink)?;
        let keys = Self::read_keys(&r);
        r.finish();
        keys
    }

    /// The model's routing.
    pub(crate) const fn plain(&self) -> Routing {
        Routing { equal_paths: self.equal_paths.value, convergence: self.convergence.value }
    }

    /// Writes the table, unless it says what holds without it: most scenarios have none.
    pub(crate) fn put_table(&self, out: &mut Lines) {
        if self.plain() != Routing::default() {
            out.header(ROUTING.title);
            self.put(out);
        }
    }
}
