//! The bottleneck: three channels, the detection of attacks and overload, and what is stamped on departure.

use super::NetfenceConfig;
use super::feedback::{Class, Feedback, MOST_LEVEL, Mode};
use crate::discipline::{Aqm, Backlog, Cx, LinkView};
use crate::disciplines::red::{Red, RedConfig};
use crate::signal::{Fate, fate};
use std::collections::VecDeque;
use tailrace_core::math::pow;
use tailrace_core::{Bytes, DropReason, Duration, Instant, Limit, Packet};

/// Windows over which losses are averaged (spec: one second).
const WINDOW: Duration = Duration::from_millis(1000);

/// A FIFO that counts.
#[derive(Debug)]
struct Channel<P> {
    fifo: VecDeque<(P, Instant)>,
    backlog: Backlog,
}

impl<P: Packet> Channel<P> {
    fn new() -> Self {
        Self { fifo: VecDeque::new(), backlog: Backlog::default() }
    }
    fn push(&mut self, packet: P, arrival: Instant) {
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        self.fifo.push_back((packet, arrival));
    }
    fn pop(&mut self) -> Option<(P, Instant)> {
        let taken = self.fifo.pop_front();
        self.left(taken)
    }
    fn pop_newest(&mut self) -> Option<(P, Instant)> {
        let taken = self.fifo.pop_back();
        self.left(taken)
    }
    fn left(&mut self, taken: Option<(P, Instant)>) -> Option<(P, Instant)> {
        let taken = taken?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= taken.0.size();
        Some(taken)
    }
}

#[derive(Debug)]
pub(super) struct Channels<P> {
    /// Number of the link in labels.
    name: u16,
    link: LinkView,
    config: NetfenceConfig,
    /// By level.
    requests: Vec<Channel<P>>,
    request_backlog: Backlog,
    /// When requests have used up no more than their share.
    request_due: Instant,
    /// Set where nothing but requests wait, and they must wait longer.
    wake: Option<Instant>,
    request_bps: f64,
    regular: Channel<P>,
    red: Red,
    legacy: Channel<P>,
    q_lim: Bytes,
    ecn: bool,
    monitor: Monitor,
}

/// Whether the link polices, and whether it is overloaded.
#[derive(Debug)]
struct Monitor {
    threshold: f64,
    weight: f64,
    quiet: Duration,
    hysteresis: Duration,
    window: Instant,
    arrived: u64,
    dropped: u64,
    /// Average loss of the regular channel.
    loss: f64,
    /// The last time when it was above the threshold, where the link polices.
    attacked: Option<Instant>,
    congested: Option<Instant>,
}

impl Monitor {
    /// Ends the windows that are over, and with them, perhaps, a state.
    #[inline]
    fn roll(&mut self, now: Instant) {
        let time = now.saturating_since(self.window);
        if time >= WINDOW {
            self.end_windows(time.as_nanos() / WINDOW.as_nanos(), now);
        }
    }

    #[cold]
    fn end_windows(&mut self, over: u64, now: Instant) {
        let sample = if self.arrived == 0 { 0.0 } else { self.dropped as f64 / self.arrived as f64 };
        self.loss += self.weight * (sample - self.loss);
        if self.loss > self.threshold {
            // The window's end, which may be long ago: nobody looked since.
            self.attacked = Some(self.window.saturating_add(WINDOW));
        }
        // Windows without packets have no loss.
        self.loss *= pow(1.0 - self.weight, (over - 1) as f64);
        self.window = self.window.saturating_add(WINDOW.saturating_mul(over));
        (self.arrived, self.dropped) = (0, 0);
        let ended = |last: Instant| now.saturating_since(last) > self.quiet;
        if self.attacked.is_some_and(ended) && self.congested.is_none_or(ended) {
            self.attacked = None;
        }
    }

    fn count(&mut self, dropped: bool) {
        self.arrived += 1;
        self.dropped += u64::from(dropped);
    }

    fn is_overloaded(&self, now: Instant) -> bool {
        self.congested.is_some_and(|last| now.saturating_since(last) <= self.hysteresis)
    }
}

impl<P: Packet> Channels<P> {
    pub(super) fn new(config: &NetfenceConfig, link: &LinkView) -> Self {
        let q_lim = q_lim(config.q_lim, link);
        Self {
            name: 0,
            link: *link,
            config: config.clone(),
            requests: (0..=MOST_LEVEL).map(|_| Channel::new()).collect(),
            request_backlog: Backlog::default(),
            request_due: Instant::ZERO,
            wake: None,
            request_bps: request_bps(config, link),
            regular: Channel::new(),
            red: Red::new(&red(config, q_lim), link),
            legacy: Channel::new(),
            q_lim,
            ecn: config.ecn,
            monitor: Monitor {
                threshold: config.loss_threshold.get(),
                weight: config.loss_weight.get(),
                quiet: config.quiet,
                hysteresis: config.interval.saturating_mul(2),
                window: Instant::ZERO,
                arrived: 0,
                dropped: 0,
                loss: 0.0,
                attacked: None,
                congested: None,
            },
        }
    }

    /// Sets the number of the link in labels.
    pub(super) fn attach(&mut self, link: u16) {
        self.name = link;
    }

    /// Times that are measured on the link follow its changes.
    pub(super) fn link_changed(&mut self, link: &LinkView) {
        self.link = *link;
        self.request_bps = request_bps(&self.config, link);
        self.q_lim = q_lim(self.config.q_lim, link);
        self.red.follow(&red(&self.config, self.q_lim), link);
    }

    pub(super) fn backlog(&self) -> Backlog {
        let all = [self.request_backlog, self.regular.backlog, self.legacy.backlog];
        Backlog {
            packets: all.iter().map(|b| b.packets).sum(),
            bytes: all.iter().fold(Bytes::ZERO, |sum, b| sum + b.bytes),
        }
    }

    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }

    pub(super) fn handle_timeout(&mut self, now: Instant) {
        self.wake = self.wake.filter(|at| *at > now);
    }

    /// Monitoring, overloaded (0 or 1), average regular queue in bytes, average loss.
    pub(super) fn state(&self) -> [f64; 4] {
        let flag = |on: bool| f64::from(u8::from(on));
        let overloaded = self.monitor.is_overloaded(self.monitor.window);
        [flag(self.monitor.attacked.is_some()), flag(overloaded), self.red.average(), self.monitor.loss]
    }

    pub(super) fn enqueue(&mut self, packet: P, arrival: Instant, cx: &mut Cx<'_, P>) {
        self.monitor.roll(cx.now);
        match Feedback::of(packet.label()).map(|f| f.class) {
            Some(Class::Regular) => self.enqueue_regular(packet, arrival, cx),
            Some(Class::Request(level)) => self.enqueue_request(packet, level, arrival, cx),
            // Packets that no access router has stamped are legacy, whatever they present.
            Some(Class::Presented) | None => {
                if self.legacy.backlog.bytes + packet.size() > self.q_lim {
                    cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
                } else {
                    self.legacy.push(packet, arrival);
                }
            }
        }
    }

    fn enqueue_regular(&mut self, mut packet: P, arrival: Instant, cx: &mut Cx<'_, P>) {
        let backlog = self.regular.backlog;
        let verdict = self.red.on_enqueue(packet.size(), backlog, cx.now, cx.rng);
        let full = backlog.bytes + packet.size() > self.q_lim;
        let fate = fate(verdict, self.ecn, packet.ecn());
        let dropped = full || fate == Fate::Drop;
        self.monitor.count(dropped);
        if dropped || self.red.average() >= self.red.thresholds().0 {
            self.monitor.congested = Some(cx.now);
        }
        if dropped {
            let reason = if fate == Fate::Drop { DropReason::Aqm } else { DropReason::Overlimit };
            if reason == DropReason::Overlimit {
                self.red.on_overlimit(cx.now);
            }
            cx.sink.dropped(packet, reason, cx.now);
            return;
        }
        if fate == (Fate::Mark { fresh: true }) {
            packet.set_ce();
            cx.sink.marked(&packet, cx.now);
        }
        self.regular.push(packet, arrival);
    }

    /// Requests of lower levels make room.
    fn enqueue_request(&mut self, packet: P, level: u8, arrival: Instant, cx: &mut Cx<'_, P>) {
        let size = packet.size();
        while self.request_backlog.bytes + size > self.q_lim {
            let lower = (0..usize::from(level)).find(|l| self.requests[*l].backlog.packets > 0);
            let Some((victim, _)) = lower.and_then(|l| self.requests[l].pop_newest()) else {
                cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
                return;
            };
            self.request_backlog.packets -= 1;
            self.request_backlog.bytes -= victim.size();
            cx.sink.dropped(victim, DropReason::Overlimit, cx.now);
        }
        self.request_backlog.packets += 1;
        self.request_backlog.bytes += size;
        self.requests[usize::from(level)].push(packet, arrival);
    }

    /// Requests within their share, the highest level first; then regular packets; then legacy.
    pub(super) fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.wake = None;
        if self.request_backlog.packets > 0 && self.request_due <= cx.now {
            return self.dequeue_request(cx.now);
        }
        if let Some((packet, arrival)) = self.regular.pop() {
            if self.regular.backlog.packets == 0 {
                self.red.on_idle(cx.now);
            }
            return Some((self.stamped(packet, cx.now), arrival));
        }
        self.red.on_idle(cx.now);
        let legacy = self.legacy.pop();
        if legacy.is_none() && self.request_backlog.packets > 0 {
            self.wake = Some(self.request_due);
        }
        legacy
    }

    fn dequeue_request(&mut self, now: Instant) -> Option<(P, Instant)> {
        let level = self.requests.iter_mut().rev().find(|c| c.backlog.packets > 0)?;
        let (packet, arrival) = level.pop()?;
        self.request_backlog.packets -= 1;
        self.request_backlog.bytes -= packet.size();
        let size = self.link.wire_size(packet.size());
        let time = Duration::from_secs_f64(size.as_f64() * 8.0 / self.request_bps);
        self.request_due = now.saturating_add(time);
        Some((self.stamped(packet, now), arrival))
    }

    /// NF10 §4.3.2: a link that polices turns nop into its downward arrow, leaves others' downward arrows, and turns
    /// upward arrows into its downward one while it is overloaded.
    fn stamped(&self, mut packet: P, now: Instant) -> P {
        let Some(feedback) = Feedback::of(packet.label()) else { return packet };
        let decreases = match feedback.mode {
            Mode::Nop => true,
            Mode::Decr => false,
            Mode::Incr => self.monitor.is_overloaded(now),
        };
        if self.monitor.attacked.is_some() && decreases {
            packet.set_label(feedback.decreased(self.name).label());
        }
        packet
    }
}

/// The requests' share of the link.
fn request_bps(config: &NetfenceConfig, link: &LinkView) -> f64 {
    (link.rate.as_bps() as f64 * config.request_share.get()).max(f64::MIN_POSITIVE)
}

/// RED on a regular channel of length `q_lim`.
fn red(config: &NetfenceConfig, q_lim: Bytes) -> RedConfig {
    let part = |share: f64| Some(Limit::Bytes(Bytes((q_lim.as_f64() * share) as u64)));
    RedConfig {
        limit: Limit::Bytes(q_lim),
        min_th: part(config.min_th.get()),
        max_th: part(config.max_th.get()),
        max_p: config.max_p,
        weight: Some(config.weight),
        queue_in_bytes: Some(true),
        ..RedConfig::default()
    }
}

/// The length of a channel: what full packets take `time` of the link, at least two.
fn q_lim(time: Duration, link: &LinkView) -> Bytes {
    let rate = link.rate_for(LinkView::FULL_PACKET);
    let bytes = u128::from(rate.as_bps()) * u128::from(time.as_nanos()) / 8_000_000_000;
    Bytes(u64::try_from(bytes).unwrap_or(u64::MAX / 4).clamp(3000, u64::MAX / 4))
}
