//! The access router: polices requests by tokens, and regular packets by a limiter for each sender and link.

use super::NetfenceConfig;
use super::feedback::{Class, Feedback, Mode};
use crate::classifier::{Flags, salted};
use crate::discipline::{Backlog, Cx};
use crate::flow_hash::mix64;
use crate::flow_queue::End;
use crate::packet_lists::{Ends, Store};
use crate::sets::Sets;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::math::pow;
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Packet};

/// Where an arriving packet goes.
pub(super) enum Police<P> {
    /// On to the output, stamped.
    Pass(P),
    /// It waits in a limiter, or is gone.
    Done,
}

/// At least two full packets may wait, however slow the limiter.
const LEAST_QUEUE: f64 = 3000.0;

/// A leaky bucket with a queue, and its rate (NF10 §4.3.4).
#[derive(Debug)]
struct Limiter {
    src: u32,
    link: u16,
    /// bit/s.
    rate: f64,
    /// The control interval since when, and what it has seen.
    since: Instant,
    has_incr: bool,
    forwarded: u64,
    offered: u64,
    dropped: u64,
    /// The link's last downward arrow.
    decreased: Instant,
    waiting: Ends,
    packets: u64,
    bytes: u64,
    /// When the last packet will have left at the limiter's rate.
    free: Instant,
}

/// Tokens of one sender, for requests.
#[derive(Clone, Copy, Debug)]
struct Tokens {
    tokens: f64,
    since: Instant,
}

#[derive(Debug)]
pub(super) struct Access<P> {
    senders: Sets<u32, Tokens>,
    table: Sets<(u32, u16), u32>,
    limiters: Vec<Limiter>,
    packets: Store<P>,
    backlog: Backlog,
    /// When the first packet of each limiter with a queue may leave.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    flags: Flags,
    /// Drawn with the first packet.
    salt: Option<u64>,
    rules: Rules,
}

/// The parameters.
#[derive(Debug)]
struct Rules {
    interval: Duration,
    validity: Duration,
    initial: f64,
    least: f64,
    increase: f64,
    /// Part of the rate that remains after a decrease.
    kept: f64,
    queue: f64,
    forget: Duration,
    token_interval: f64,
    max_level: u8,
}

impl<P: Packet> Access<P> {
    pub(super) fn new(config: &NetfenceConfig) -> Self {
        Self {
            senders: Sets::new(config.senders),
            table: Sets::new(config.limiters),
            limiters: Vec::new(),
            packets: Store::new(),
            backlog: Backlog::default(),
            due: BinaryHeap::new(),
            flags: Flags::new(),
            salt: None,
            rules: Rules {
                interval: config.interval,
                validity: config.validity,
                initial: config.initial_rate.as_bps() as f64,
                least: config.min_rate.as_bps() as f64,
                increase: config.increase.as_bps() as f64,
                kept: 1.0 - config.decrease.get(),
                queue: config.limiter_queue.as_secs_f64(),
                forget: config.quiet,
                token_interval: config.token_interval.as_secs_f64(),
                max_level: config.max_level,
            },
        }
    }

    /// Backlog of the limiters.
    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Limiters, and the mean of their rates, bit/s.
    pub(super) fn summary(&self) -> (f64, f64) {
        let n = self.limiters.len() as f64;
        (n, if n == 0.0 { 0.0 } else { self.limiters.iter().map(|l| l.rate).sum::<f64>() / n })
    }

    /// When the next packet leaves a limiter.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// A packet arrives. What an access router has stamped already passes as it is.
    pub(super) fn police(&mut self, mut packet: P, cx: &mut Cx<'_, P>) -> Police<P> {
        self.salt.get_or_insert_with(|| cx.rng.next_u64());
        let feedback = Feedback::of(packet.label());
        match feedback {
            Some(f) if f.class != Class::Presented => return Police::Pass(packet),
            Some(f) if cx.now.saturating_since(f.stamped(cx.now)) <= self.rules.validity => {
                if f.mode != Mode::Nop {
                    return self.limit(packet, f, cx);
                }
                packet.set_label(Feedback::new(Class::Regular, Mode::Nop, 0, cx.now).label());
            }
            _ => {
                let level = self.request(packet.flow().src, cx.now);
                packet.set_label(Feedback::new(Class::Request(level), Mode::Nop, 0, cx.now).label());
            }
        }
        Police::Pass(packet)
    }

    /// The highest level that the sender's tokens pay for: who has waited longer goes first. Level k costs 2^(k-1).
    fn request(&mut self, src: u32, now: Instant) -> u8 {
        let depth = f64::from(1_u32 << (self.rules.max_level.max(1) - 1));
        let hash = mix64(u64::from(src) ^ self.salt.unwrap_or_default());
        // A new sender has one token; so has, again and again, whoever spoofs his address.
        let fresh = |_| Tokens { tokens: 1.0, since: now };
        let sender = self.senders.entry((src, hash), now, |_| true, fresh).expect("every sender may go");
        let earned = now.saturating_since(sender.since).as_secs_f64() / self.rules.token_interval;
        sender.tokens = (sender.tokens + earned).min(depth);
        sender.since = now;
        // The largest k whose cost they pay for is the number of binary digits of their whole part.
        let Some(digits) = (sender.tokens as u32).checked_ilog2() else { return 0 };
        let level = (digits as u8 + 1).min(self.rules.max_level);
        sender.tokens -= f64::from(1_u32 << (level - 1));
        level
    }

    /// A packet with valid feedback of a link that polices.
    fn limit(&mut self, mut packet: P, feedback: Feedback, cx: &mut Cx<'_, P>) -> Police<P> {
        let (now, size, src) = (cx.now, packet.size(), packet.flow().src);
        let Some(at) = self.find((src, feedback.link), now) else {
            cx.sink.dropped(packet, DropReason::Overlimit, now);
            return Police::Done;
        };
        self.roll(at, cx);
        let (rules, limiter) = (&self.rules, &mut self.limiters[at as usize]);
        if feedback.mode == Mode::Decr {
            limiter.decreased = now;
        } else if limiter.packets == 0 && now.saturating_since(limiter.decreased) > rules.forget {
            packet.set_label(Feedback::new(Class::Regular, Mode::Nop, 0, now).label());
            return Police::Pass(packet);
        }
        // The stamp is rounded down: an arrow of the grain in which the interval began counts.
        let stamped = feedback.stamped(now).saturating_add(Duration::from_millis(10));
        limiter.has_incr |= feedback.mode == Mode::Incr && stamped > limiter.since;
        limiter.offered += size.get();
        if limiter.packets == 0 && limiter.free <= now {
            limiter.forward(size, now);
            packet.set_label(Feedback::new(Class::Regular, Mode::Incr, feedback.link, now).label());
            return Police::Pass(packet);
        }
        let most = (rules.queue * limiter.rate / 8.0).max(LEAST_QUEUE);
        if limiter.bytes as f64 + size.as_f64() > most {
            limiter.dropped += size.get();
            cx.sink.dropped(packet, DropReason::Aqm, now);
            return Police::Done;
        }
        if limiter.packets == 0 {
            self.due.push(Reverse((limiter.free, at)));
        }
        limiter.packets += 1;
        limiter.bytes += size.get();
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        self.packets.push(&mut limiter.waiting, packet, now);
        Police::Done
    }

    /// The limiter of a sender and link. `None` where all that share its set have packets waiting.
    fn find(&mut self, key: (u32, u16), now: Instant) -> Option<u32> {
        let Self { table, limiters, rules, salt, .. } = self;
        let hash = mix64((u64::from(key.0) << 16 | u64::from(key.1)) ^ salt.unwrap_or_default());
        let spare = table.entry(
            (key, hash),
            now,
            |at| limiters[*at as usize].packets == 0,
            |old| old.unwrap_or(u32::MAX),
        )?;
        if *spare == u32::MAX {
            *spare = limiters.len() as u32;
            limiters.push(Limiter::new(key, rules.initial, now));
        } else if (limiters[*spare as usize].src, limiters[*spare as usize].link) != key {
            limiters[*spare as usize] = Limiter::new(key, rules.initial, now);
        }
        Some(*spare)
    }

    /// Ends the control intervals that are over (NF10 §4.3.4).
    fn roll(&mut self, at: u32, cx: &mut Cx<'_, P>) {
        let (rules, limiter) = (&self.rules, &mut self.limiters[at as usize]);
        let over = cx.now.saturating_since(limiter.since).as_nanos() / rules.interval.as_nanos();
        if over == 0 {
            return;
        }
        let throughput = limiter.forwarded as f64 * 8.0 / rules.interval.as_secs_f64();
        if !limiter.has_incr {
            limiter.rate *= rules.kept;
        } else if throughput > limiter.rate / 2.0 {
            limiter.rate += rules.increase;
        }
        // Intervals without any packet have no upward arrow.
        limiter.rate = (limiter.rate * pow(rules.kept, (over - 1) as f64)).max(rules.least);
        limiter.since = limiter.since.saturating_add(rules.interval.saturating_mul(over));
        let flagged = over == 1 && 2 * limiter.dropped > limiter.offered;
        (limiter.has_incr, limiter.forwarded, limiter.offered, limiter.dropped) = (false, 0, 0, 0);
        let key = FlowKey { src: limiter.src, ..FlowKey::default() };
        self.flags.set(key, || salted(key, self.salt.unwrap_or_default()), flagged, cx);
    }

    /// The next packet that a limiter lets go by now, stamped, with its time of arrival.
    pub(super) fn release(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let Reverse((when, at)) = *self.due.peek()?;
        if when > cx.now {
            return None;
        }
        self.due.pop();
        self.roll(at, cx);
        let limiter = &mut self.limiters[at as usize];
        let taken = self.packets.pop(&mut limiter.waiting, End::Oldest);
        let (mut packet, arrival) = taken.expect("a limiter that is due has a packet");
        limiter.packets -= 1;
        limiter.bytes -= packet.size().get();
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        limiter.forward(packet.size(), when);
        if limiter.packets > 0 {
            self.due.push(Reverse((limiter.free, at)));
        }
        packet.set_label(Feedback::new(Class::Regular, Mode::Incr, limiter.link, cx.now).label());
        Some((packet, arrival))
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> (usize, usize, usize) {
        (self.limiters.len(), self.table.len(), self.senders.len())
    }
}

impl Limiter {
    fn new((src, link): (u32, u16), rate: f64, now: Instant) -> Self {
        Self {
            src,
            link,
            rate,
            since: now,
            has_incr: false,
            forwarded: 0,
            offered: 0,
            dropped: 0,
            decreased: now,
            waiting: Ends::EMPTY,
            packets: 0,
            bytes: 0,
            free: now,
        }
    }

    /// A packet leaves at `now`; the next one not before this one's time at the limiter's rate is over.
    fn forward(&mut self, size: Bytes, now: Instant) {
        self.forwarded += size.get();
        let time = Duration::from_secs_f64(size.as_f64() * 8.0 / self.rate).max(Duration::from_nanos(1));
        self.free = now.max(self.free).saturating_add(time);
    }
}
