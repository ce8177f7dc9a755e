//! Faults: what a declaration comes to at which times.

use crate::declarations::fault::{FaultDecl, FaultKeys};
use crate::declarations::places::Direction;
use crate::model::{Fault, LinkDirection};
use crate::resolving::sides::{FaultSide, Places, steps, together};
use crate::text::codes::Code;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use std::collections::BTreeMap;
use tailrace_core::Duration;

/// The faults that one `[[fault]]` stands for, and of how many steps: one a step; or for each link of a step, where it changes
/// while it lasts, since each link draws by itself.
pub(crate) fn faults(
    decl: &FaultDecl,
    places: &Places<'_>,
    duration: Duration,
    sink: &Sink<'_>,
) -> Option<(usize, Vec<Fault>)> {
    let keys = &decl.keys;
    let sides = if decl.kind.changed_fields().address {
        interface(keys, places, sink)?
    } else {
        places.sides(keys, sink)?
    };
    let steps = if goes_by_steps(keys) { steps(sides, sink)? } else { vec![together(sides)] };
    let count = counted(keys, steps.len(), sink)?;
    let times = StepTimes { keys, count: count as u64, duration };
    if !times.fit(sink) {
        return None;
    }
    let apart = decl.kind.profile().is_some();
    let fault = |(k, ways): (u64, Vec<LinkDirection>)| {
        let parts = if apart { by_link(ways) } else { vec![ways] };
        let (at, until) = (times.start(k), times.end(k));
        parts.into_iter().map(move |ways| Fault { ways, at, until, kind: decl.kind.clone() })
    };
    Some((count, (0..).zip(steps.into_iter().take(count)).flat_map(fault).collect()))
}

/// The one interface whose address changes: the direction that begins there.
fn interface(keys: &FaultKeys, places: &Places<'_>, sink: &Sink<'_>) -> Option<Vec<FaultSide>> {
    let up = At { value: Direction::Up, origin: keys.direction.origin };
    let sides = places.sides(&FaultKeys { direction: up, ..keys.clone() }, sink)?;
    let found: usize = sides.iter().map(FaultSide::len).sum();
    if found == 1 {
        return Some(sides);
    }
    let (origin, help) = match (&keys.host, &keys.interface) {
        (_, Some(interface)) if sides.len() == 1 => (interface.origin, "name one of them"),
        (Some(host), _) if sides.len() == 1 => (host.origin, "name one of them: interface = 1, say"),
        (host, _) => (
            host.as_ref().map_or(keys.at.origin, |host| host.origin),
            "name one host, and write a [[fault]] with an address of its own for each",
        ),
    };
    let message = format!("an address is one interface's, but these are {found}");
    sink.push(sink.at(Code::WrongMember, origin, message).help(help));
    None
}

/// The directions of each link by themselves, in the order in which links come first.
fn by_link(ways: Vec<LinkDirection>) -> Vec<Vec<LinkDirection>> {
    let mut parts: Vec<Vec<LinkDirection>> = Vec::new();
    let mut places = BTreeMap::new();
    for way in ways {
        let place = *places.entry(way.link).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Vec::new());
        }
        parts[place].push(way);
    }
    parts
}

/// Whether links are taken one after the other.
const fn goes_by_steps(keys: &FaultKeys) -> bool {
    keys.every.is_some() || keys.count.is_some() || keys.back_every.is_some()
}

/// The resolved file says how many steps there are.
pub(crate) fn settle(decl: &mut FaultDecl, steps: usize) {
    let keys = &mut decl.keys;
    if goes_by_steps(keys) && keys.count.is_none() {
        keys.count = Some(At { value: steps as u32, origin: keys.at.origin });
    }
}

/// Number of steps that are wanted.
fn counted(keys: &FaultKeys, steps: usize, sink: &Sink<'_>) -> Option<usize> {
    let Some(count) = &keys.count else { return Some(steps) };
    if count.value as usize > steps {
        let message =
            format!("`count` is {}, but the fault has {steps} links to go one after the other", count.value);
        sink.push(
            sink.at(Code::WrongMember, count.origin, message)
                .help("let `link` or `host` name more, or count less"),
        );
        return None;
    }
    Some(count.value as usize)
}

/// When steps start and end.
struct StepTimes<'k> {
    keys: &'k FaultKeys,
    count: u64,
    duration: Duration,
}

impl StepTimes<'_> {
    fn start(&self, k: u64) -> Duration {
        let apart = self.keys.every.as_ref().map_or(Duration::ZERO, |every| every.value);
        later(self.keys.at.value, apart, k)
    }

    fn end(&self, k: u64) -> Option<Duration> {
        match &self.keys.back_every {
            Some(back) => Some(later(self.start(self.count.saturating_sub(1)), back.value, k + 1)),
            None => self.keys.until.as_ref().map(|until| until.value),
        }
    }

    /// Whether all of them start within the run, and before they end.
    fn fit(&self, sink: &Sink<'_>) -> bool {
        let last = self.start(self.count.saturating_sub(1));
        if self.keys.at.value >= self.duration || last >= self.duration {
            self.too_late(last, sink);
            return false;
        }
        let Some(until) = self.keys.until.as_ref().filter(|until| until.value <= last) else { return true };
        let message = format!("the fault ends at {} but starts at the last link at {last}", until.value);
        let help = "let it end later, or write `back_every`, which counts from the last one on";
        sink.push(sink.at(Code::ContradictingTimes, until.origin, message).help(help));
        false
    }

    fn too_late(&self, last: Duration, sink: &Sink<'_>) {
        let (at, duration) = (&self.keys.at, self.duration);
        let (origin, message): (Origin, String) = match &self.keys.every {
            Some(At { origin, .. }) if at.value < duration => (
                *origin,
                format!(
                    "the fault starts at the last of {} links at {last}, when the run is over",
                    self.count
                ),
            ),
            _ => (at.origin, format!("the fault starts at {}, when the run is over", at.value)),
        };
        let help = format!("the run lasts {duration}: lengthen `duration`, or let the fault come earlier");
        sink.push(sink.at(Code::ContradictingTimes, origin, message).help(help));
    }
}

/// The time `times` intervals `by` after `than`.
fn later(than: Duration, by: Duration, times: u64) -> Duration {
    Duration::from_nanos(than.as_nanos().saturating_add(by.saturating_mul(times).as_nanos()))
}
