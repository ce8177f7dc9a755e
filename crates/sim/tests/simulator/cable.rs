//! Two hosts joined by a link, a datagram every 10 ms each way, and a fault from 2005 to 4005 ms, which hits the datagrams of
//! 2010 to 4000 ms: 200 each way.

use crate::support::{Run, Text};

/// Datagrams of 500 B every 10 ms.
pub(crate) const DATAGRAMS: &str = "{ kind = \"cbr\", rate = \"400 kbit/s\", size = \"500 B\" }";

/// Run with a fault, whose text names its place.
pub(crate) fn cable(fault: &str) -> Run {
    let udp = "{ kind = \"udp\", header = \"0 B\" }";
    Text::new("10 s")
        .top("record = { events = true }")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "10 Mbit/s", "1 ms", "name = \"cable\"\nqueue = \"droptail\"")
        .flow_with("there", ("src[0]", "dst[0]"), udp, DATAGRAMS, "stop = \"9 s\"")
        .flow_with("back", ("dst[0]", "src[0]"), udp, DATAGRAMS, "stop = \"9 s\"")
        .add(&format!("[[fault]]\nat = \"2005 ms\"\nuntil = \"4005 ms\"\n{fault}"))
        .run()
}

/// Run with a fault of both directions.
pub(crate) fn on_cable(fault: &str) -> Run {
    cable(&format!("link = \"cable\"\n{fault}"))
}

/// Datagrams lost in the forward and reverse direction.
pub(crate) fn lost(run: &Run) -> [f64; 2] {
    ["there", "back"].map(|flow| run.leaf(&format!("groups.{flow}.lost_packets")))
}

/// Number of drops or faults with this detail in the events table.
pub(crate) fn told(run: &Run, detail: &str) -> usize {
    run.words("events", "detail").iter().filter(|d| *d == detail).count()
}
