//! Faults that contradict one another: of one kind, or of one thing about a link, in times that overlap although neither lies
//! within the other.

use crate::declarations::draft::Draft;
use crate::model::{Fault, Link, LinkDirection};
use crate::text::codes::Code;
use crate::text::sink::Sink;
use std::collections::{BTreeMap, BTreeSet};
use tailrace_core::Duration;

/// A fault at a direction of a link.
#[derive(Clone, Copy)]
struct Span<'f> {
    fault: &'f Fault,
    decl: usize,
}

impl Span<'_> {
    fn end(&self) -> Duration {
        self.fault.until.unwrap_or(Duration::from_nanos(u64::MAX))
    }

    /// Whether both change the same. A link that is down and a black hole, too, is no contradiction.
    fn meets(&self, other: &Self) -> bool {
        let (a, b) = (&self.fault.kind, &other.fault.kind);
        let (x, y) = (a.changed_fields(), b.changed_fields());
        // Copies, damage and order are of one kind each, which its name tells.
        let valued = (x.rate && y.rate) || (x.delay && y.delay) || (x.loss && y.loss) || (x.queue && y.queue);
        a.name() == b.name() || valued
    }
}

/// Reports contradictions, each pair of declarations once. `faults` are those of each declaration.
pub(crate) fn check(faults: &[Vec<Fault>], draft: &Draft, links: &[Link], sink: &Sink<'_>) {
    let mut at: BTreeMap<LinkDirection, Vec<Span<'_>>> = BTreeMap::new();
    for (decl, fault) in faults.iter().enumerate().flat_map(|(i, own)| own.iter().map(move |f| (i, f))) {
        if !draft.faults[decl].keys.overlap.value {
            fault.ways.iter().for_each(|way| at.entry(*way).or_default().push(Span { fault, decl }));
        }
    }
    let mut said = BTreeSet::new();
    for (way, mut spans) in at {
        // A fault within another comes after it.
        spans.sort_by_key(|span| (span.fault.at, std::cmp::Reverse(span.end())));
        for (i, span) in spans.iter().enumerate() {
            let within = spans[i + 1..].iter().take_while(|later| later.fault.at < span.end());
            let clash = within.filter(|later| span.meets(later)).find(|later| contradict(span, later));
            if let Some(later) = clash
                && said.insert((span.decl, later.decl))
            {
                report((span, later), &links[way.link.0 as usize].name, draft, sink);
            }
        }
    }
}

/// Whether the one that begins later, or ends sooner, outlasts the other; or sets another value at the same time.
fn contradict(first: &Span<'_>, second: &Span<'_>) -> bool {
    let same = first.fault.at == second.fault.at && first.end() == second.end();
    second.end() > first.end() || (same && first.fault.kind != second.fault.kind)
}

fn report((first, second): (&Span<'_>, &Span<'_>), link: &str, draft: &Draft, sink: &Sink<'_>) {
    let lasts = |span: &Span<'_>| {
        let until = span.fault.until.map_or("the end".to_string(), |until| until.to_string());
        format!("{} from {} to {until}", span.fault.kind.name(), span.fault.at)
    };
    let message = format!("faults of link {link} contradict: {}, and {}", lasts(first), lasts(second));
    let help = "let one end before the other begins, or lie within it; overlap = true lets the later one hold, and a link is up \
                when all have ended";
    let origin = draft.faults[first.decl.max(second.decl)].keys.at.origin;
    sink.push(sink.at(Code::ContradictingFaults, origin, message).help(help));
}
