//! Loads that the tests of CHOKe and its kin share.

use crate::discipline::{Cx, LinkView, QueueDiscipline, Sink};
use crate::testing::TestPacket;
use tailrace_core::{Duration, Instant, Rate, Rng};

pub(crate) const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

/// A configuration whose average is the queue, and whose RED never signals.
macro_rules! matching_only {
    ($config:ident, $limit:expr) => {
        $config {
            limit: tailrace_core::Limit::Packets($limit),
            min_th: Some(tailrace_core::Limit::Packets(1)),
            max_th: Some(tailrace_core::Limit::Packets(1_000_000)),
            max_p: tailrace_core::Probability::ZERO,
            weight: Some(tailrace_core::Probability::ONE),
            ..$config::default()
        }
    };
}
pub(crate) use matching_only;

/// A flood: flow 0 sends `a` times the capacity, a packet a millisecond, among so many others that none of them meets
/// itself, which keep `waiting` packets in the queue. The result is its share of the departures after the first 5000
/// packets.
pub(crate) fn flood_among_many(
    queue: &mut impl QueueDiscipline<TestPacket>,
    a: f64,
    waiting: u64,
    sink: &mut dyn Sink<TestPacket>,
) -> f64 {
    let (mut rng, mut load) = (Rng::new(3), Rng::new(4));
    let (mut flow, mut flood, mut sent) = (0, 0, 0);
    for round in 0..40_000 {
        let mut cx = Cx { now: Instant::from_millis(round), rng: &mut rng, sink };
        while queue.backlog().packets < waiting {
            flow += 1;
            queue.enqueue(TestPacket::new(0, flow, 1000), &mut cx);
        }
        let mut until = load.exponential(1.0 / a);
        while until < 1.0 {
            queue.enqueue(TestPacket::new(1, 0, 1000), &mut cx);
            until += load.exponential(1.0 / a);
        }
        if let Some((packet, _)) = queue.dequeue(&mut cx)
            && round > 5_000
        {
            flood += packet.id;
            sent += 1;
        }
    }
    flood as f64 / f64::from(sent)
}

/// A million arrivals, a microsecond apart, each of a flow of its own but for every second one, which repeats the one
/// before; a departure for every third.
pub(crate) fn spoofed(queue: &mut impl QueueDiscipline<TestPacket>, sink: &mut dyn Sink<TestPacket>) {
    let mut rng = Rng::new(1);
    for n in 0..1_000_000_u32 {
        let mut cx = Cx { now: Instant::from_nanos(u64::from(n) * 1000), rng: &mut rng, sink };
        queue.enqueue(TestPacket::new(0, n / 2, 1000), &mut cx);
        if n % 3 == 0 {
            queue.dequeue(&mut cx);
        }
    }
}
