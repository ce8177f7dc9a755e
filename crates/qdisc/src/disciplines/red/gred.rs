//! RED at several levels (GRED, J. Hadi Salim): one FIFO in which each class of packets has thresholds of its own.
//!
//! Facts from Linux, `net/sched/sch_gred.c`. A level counts its own packets and has its own average; with `grio` the
//! averages of the levels of smaller `prio` that are not idle are added to it, so a level is hit the earlier the more of
//! the better ones is queued (RIO). Where two levels of `grio` have the same `prio`, all share one average of the whole
//! queue (WRED). What belongs to no level waits without RED.
//!
//! Linux picks a level by the low bits of `tc_index`, which a filter takes from the DiffServ codepoint; here the codepoint
//! picks it. Departure: `limit` of the queue binds all levels together, too; in Linux it only caps each.

use super::config::RedConfig;
use super::law::Red;
use super::levels::{Level, Levels};
use crate::discipline::{Aqm as _, Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::either::Either;
use crate::managed::Managed;
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::{DropReason, Dscp, Instant, Limit, Packet};

/// The discipline.
#[derive(Debug)]
pub struct Gred<P> {
    fifo: VecDeque<(P, Instant, u8)>,
    backlog: Backlog,
    limit: Limit,
    ecn: bool,
    levels: Vec<Virtual>,
    /// The level of each codepoint.
    of: [u8; Dscp::MAX as usize + 1],
    grio: bool,
    /// All levels have one average, of the whole queue.
    shared: bool,
}

/// In the place of a level: none.
const NO_LEVEL: u8 = u8::MAX;

/// A virtual queue.
#[derive(Debug)]
struct Virtual {
    red: Red,
    backlog: Backlog,
    limit: Limit,
    prio: u8,
}

impl<P: Packet> Gred<P> {
    pub(super) fn new(config: &RedConfig, levels: &Levels, link: &LinkView) -> Self {
        let list: Vec<&Level> = levels.iter().collect();
        let prios: Vec<u8> = list.iter().map(|l| l.prio()).collect();
        let twice = (1..prios.len()).any(|i| prios[..i].contains(&prios[i]));
        let other = list.iter().position(|l| l.other).map_or(NO_LEVEL, |i| i as u8);
        let mut of = [other; Dscp::MAX as usize + 1];
        for (i, level) in list.iter().enumerate() {
            for codepoint in &level.codepoints {
                of[usize::from(codepoint.0)] = i as u8;
            }
        }
        let level = |l: &&Level| Virtual {
            red: Red::new(&config.of_level(l), link),
            backlog: Backlog::default(),
            limit: l.limit.unwrap_or(config.limit),
            prio: l.prio(),
        };
        Self {
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
            limit: config.limit,
            ecn: config.ecn,
            levels: list.iter().map(level).collect(),
            of,
            grio: config.grio,
            shared: config.grio && twice,
        }
    }

    /// Verdict of RED for level `at`, and the amount that counts against that level's limit.
    fn judge(&mut self, at: usize, packet: &P, cx: &mut Cx<'_, P>) -> (Verdict, Backlog) {
        let prio = self.levels[at].prio;
        let better = |l: &&Virtual| l.prio < prio && !l.red.is_idle();
        let extra = if self.grio && !self.shared {
            self.levels.iter().filter(better).map(|l| l.red.average()).sum()
        } else {
            0.0
        };
        let backlog = if self.shared { self.backlog } else { self.levels[at].backlog };
        self.levels[at].red.observe(backlog, cx.now);
        if self.shared {
            let measured = self.levels[at].red.measured();
            self.levels.iter_mut().for_each(|l| l.red.set_measured(measured));
        }
        (self.levels[at].red.judge_above(extra, packet.size(), backlog, cx.rng), backlog)
    }

    /// A packet has left level `at`, which may have become idle.
    fn left(&mut self, at: u8, packet: &P, now: Instant) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        let empty = self.backlog.packets == 0;
        if let Some(level) = self.levels.get_mut(usize::from(at)) {
            level.backlog.packets -= 1;
            level.backlog.bytes -= packet.size();
            if level.backlog.packets == 0 && !self.shared {
                level.red.on_idle(now);
            }
        }
        if self.shared && empty {
            self.levels.iter_mut().for_each(|l| l.red.on_idle(now));
        }
    }
}

impl<P: Packet> QueueDiscipline<P> for Gred<P> {
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        let at = self.of[usize::from(packet.dscp().0 & Dscp::MAX)];
        let place = usize::from(at);
        let (verdict, fits) = if at == NO_LEVEL {
            (Verdict::Pass, true)
        } else {
            let (verdict, backlog) = self.judge(place, &packet, cx);
            (verdict, backlog.has_room(self.levels[place].limit, size))
        };
        let fate = fate(verdict, self.ecn, packet.ecn());
        if fate == Fate::Drop {
            cx.sink.dropped(packet, DropReason::Aqm, cx.now);
            return;
        }
        if !fits || !self.backlog.has_room(self.limit, size) {
            if let Some(level) = self.levels.get_mut(place) {
                level.red.on_overlimit(cx.now);
            }
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        if let Some(level) = self.levels.get_mut(place) {
            level.backlog.packets += 1;
            level.backlog.bytes += size;
        }
        self.fifo.push_back((packet, cx.now, at));
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let (packet, arrival, at) = self.fifo.pop_front()?;
        self.left(at, &packet, cx.now);
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.levels.iter_mut().for_each(|level| level.red.link_changed(link, cx.now));
    }

    fn state_names(&self) -> &'static [&'static str] {
        Red::state_names()
    }

    /// The averages of all levels together, or the one they share; the largest probability and slope.
    fn state(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (i, level) in self.levels.iter().enumerate() {
            let mut own = [0.0; 4];
            level.red.state(&mut own);
            if i == 0 || !self.shared {
                out[0] += own[0];
                out[1] += own[1];
            }
            out[2] = out[2].max(own[2]);
            out[3] = out[3].max(own[3]);
        }
    }
}

/// Queue of `red`: one level, or several.
pub type RedQueue<P> = Either<Managed<Red, P>, Gred<P>>;

#[cfg(test)]
impl<P: Packet> RedQueue<P> {
    /// The law, or that of the first level.
    pub(crate) fn law(&self) -> &Red {
        match self {
            Self::Plain(queue) => queue.law(),
            Self::Other(queue) => &queue.levels[0].red,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Discipline as _;
    use crate::testing::{Counter, TestPacket};
    use tailrace_core::params::{ParamType as _, Value};
    use tailrace_core::{Bytes, Duration, Ecn, FlowKey, Probability, Rate, Rng};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    /// A packet with a codepoint.
    #[derive(Clone, Copy, Debug)]
    struct Classed(TestPacket, Dscp);

    impl Packet for Classed {
        fn size(&self) -> Bytes {
            self.0.size
        }
        fn flow(&self) -> FlowKey {
            self.0.flow
        }
        fn ecn(&self) -> Ecn {
            self.0.ecn
        }
        fn set_ce(&mut self) {
            self.0.ecn = Ecn::Ce;
        }
        fn dscp(&self) -> Dscp {
            self.1
        }
    }

    /// RED that drops everything from `min` on, with the queue for an average.
    fn step(levels: &str, grio: bool) -> RedConfig {
        RedConfig {
            limit: Limit::Packets(100),
            levels: Some(Levels::from_value(&Value::Text(levels.into())).unwrap()),
            grio,
            max_p: Probability::ONE,
            weight: Some(Probability::ONE),
            gentle: false,
            guard: 0,
            queue_in_bytes: Some(false),
            ..RedConfig::default()
        }
    }

    struct Bench {
        queue: RedQueue<Classed>,
        rng: Rng,
        sink: Counter,
    }

    impl Bench {
        fn new(config: &RedConfig) -> Self {
            assert_eq!(config.validate(), Ok(()));
            Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Counter::default() }
        }
        /// Number of `n` packets with this codepoint that get in.
        fn arrive(&mut self, name: &str, n: u64) -> u64 {
            let before = self.queue.backlog().packets;
            let mut cx = Cx { now: Instant::from_secs(1), rng: &mut self.rng, sink: &mut self.sink };
            for id in 0..n {
                let packet = Classed(TestPacket::new(id, 0, 1000), Dscp::named(name).unwrap());
                self.queue.enqueue(packet, &mut cx);
            }
            self.queue.backlog().packets - before
        }
        fn depart(&mut self, n: u64) {
            let mut cx = Cx { now: Instant::from_secs(1), rng: &mut self.rng, sink: &mut self.sink };
            for _ in 0..n {
                self.queue.dequeue(&mut cx);
            }
        }
    }

    /// From `max` on everything is dropped; between `min` and `max` hardly anything with the least `max_p`.
    const THREE: &str =
        "AF11 min 29p max 30p prio 1; AF12 min 19p max 20p prio 2; AF13 min 9p max 10p prio 3";

    #[test]
    fn each_level_counts_its_own_packets() {
        let mut bench = Bench::new(&RedConfig { max_p: Probability::ZERO, ..step(THREE, false) });
        assert_eq!(
            (bench.arrive("AF13", 50), bench.arrive("AF12", 50), bench.arrive("AF11", 50)),
            (10, 20, 30)
        );
        // Packets of no level wait without RED, up to the limit of the queue.
        assert_eq!(bench.arrive("EF", 50), 40);
        assert_eq!(bench.sink.dropped, 100);
        // AF13 waits in front; its ten leave, and make room for ten.
        bench.depart(10);
        assert_eq!((bench.arrive("AF12", 5), bench.arrive("AF13", 50)), (0, 10));
    }

    #[test]
    fn grio_adds_the_averages_of_better_levels() {
        let mut bench = Bench::new(&RedConfig { max_p: Probability::ZERO, ..step(THREE, true) });
        // The average of a level is what its last arrival found.
        assert_eq!(bench.arrive("AF11", 6), 6);
        // 5 of AF11 and 15 of its own.
        assert_eq!(bench.arrive("AF12", 50), 15);
        // 5 and 15 are more than 10.
        assert_eq!(bench.arrive("AF13", 50), 0);
        // The worse levels do not count for the best.
        assert_eq!(bench.arrive("AF11", 50), 24);
        // Once AF11 and AF12 are gone they are idle and do not count.
        bench.depart(45);
        assert_eq!(bench.arrive("AF13", 50), 10);
    }

    #[test]
    fn levels_of_one_priority_share_the_average_of_the_queue() {
        let levels = "AF11 min 29p max 30p prio 1; AF12 min 19p max 20p prio 1; AF13 min 9p max 10p prio 1";
        let mut bench = Bench::new(&RedConfig { max_p: Probability::ZERO, ..step(levels, true) });
        assert_eq!(
            (bench.arrive("AF13", 50), bench.arrive("AF12", 50), bench.arrive("AF11", 50)),
            (10, 10, 10)
        );
    }

    #[test]
    fn one_level_for_all_is_plain_red() {
        let plain = RedConfig { levels: None, ..step(THREE, false) };
        let one = RedConfig { weight: Some(Probability::clamped(0.02)), ..step("other", false) };
        let plain = RedConfig { weight: one.weight, ..plain };
        let (mut a, mut b) = (Bench::new(&plain), Bench::new(&one));
        let mut load = Rng::new(9);
        for _ in 0..5000 {
            let (n, out) = (load.below(4), load.below(4));
            assert_eq!(a.arrive("CS0", n), b.arrive("CS0", n));
            // Both stay busy: Linux starts a level's silence with its last departure, RED with the transmitter's.
            let waiting = a.queue.backlog().packets;
            a.depart(out.min(waiting.saturating_sub(1)));
            b.depart(out.min(waiting.saturating_sub(1)));
        }
        assert!(a.sink.dropped > 100);
        assert_eq!(a.sink, b.sink);
    }

    #[test]
    fn a_level_has_a_limit_and_a_slope_of_its_own() {
        let mut bench = Bench::new(&step("AF11 min 50p max 90p limit 7p; other min 50p max 90p", false));
        assert_eq!((bench.arrive("AF11", 50), bench.arrive("EF", 20)), (7, 20));
        let dropped = |prob: &str| {
            let mut bench = Bench::new(&step(&format!("other min 1p max 99p prob {prob}"), false));
            bench.arrive("EF", 90);
            bench.sink.dropped
        };
        assert_eq!(dropped("0"), 0);
        assert!(dropped("0.02") < dropped("0.5"));
    }
}
