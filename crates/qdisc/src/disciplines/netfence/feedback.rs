//! Labels of NetFence in packets, and the hosts' part.
//!
//! A label is 32 bits: 2 of mode and action, 4 of class, 10 of time in grains of 10 ms, 16 of link. Ten bits wrap after
//! 10.24 s, more than twice as long as feedback is valid. What the paper's message authentication codes do is modelled by
//! the class: hosts can only present what they were given (`Class::Presented`), and never make what routers stamp.

use crate::host_rules::HostRules;
use tailrace_core::{Duration, Instant, Label};

/// The longest validity that ten bits of time can tell from older feedback.
pub const MOST_VALIDITY: Duration = Duration::from_millis(5_000);

/// The highest level that a request can have.
pub const MOST_LEVEL: u8 = 13;

const GRAIN: u64 = 10_000_000;
const STAMPS: u64 = 1 << 10;

/// Where a packet belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A request of this level, stamped by an access router.
    Request(u8),
    /// From a host, with the feedback that it was given; no router has seen it yet.
    Presented,
    /// Policed and stamped by an access router.
    Regular,
}

/// Feedback of routers about the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No link polices this sender.
    Nop,
    /// The link polices, and is not overloaded: the paper's upward arrow.
    Incr,
    /// The link polices, and is overloaded: the downward arrow.
    Decr,
}

/// A label, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Channel, and who wrote it.
    pub class: Class,
    /// Mode and action.
    pub mode: Mode,
    /// The link that polices; nothing with [`Mode::Nop`].
    pub link: u16,
    /// When an access router wrote it, in grains of 10 ms, modulo 2^10.
    stamp: u16,
}

fn grain(now: Instant) -> u64 {
    now.as_nanos() / GRAIN
}

impl Feedback {
    /// Feedback written at `now`.
    pub fn new(class: Class, mode: Mode, link: u16, now: Instant) -> Self {
        Self { class, mode, link, stamp: (grain(now) % STAMPS) as u16 }
    }

    /// The same with the downward arrow of `link`; channel and time stay.
    pub fn decreased(self, link: u16) -> Self {
        Self { mode: Mode::Decr, link, ..self }
    }

    /// Label of this feedback; never [`Label::NONE`].
    pub fn label(self) -> Label {
        let mode = match self.mode {
            Mode::Nop => 1,
            Mode::Incr => 2,
            Mode::Decr => 3,
        };
        let class = match self.class {
            Class::Request(level) => u32::from(level.min(MOST_LEVEL)),
            Class::Presented => 14,
            Class::Regular => 15,
        };
        Label(mode << 30 | class << 26 | u32::from(self.stamp) << 16 | u32::from(self.link))
    }

    /// Feedback in a label; none in a legacy packet.
    pub fn of(label: Label) -> Option<Self> {
        let mode = match label.0 >> 30 {
            0 => return None,
            1 => Mode::Nop,
            2 => Mode::Incr,
            _ => Mode::Decr,
        };
        let class = match label.0 >> 26 & 15 {
            14 => Class::Presented,
            15 => Class::Regular,
            level => Class::Request(level as u8),
        };
        Some(Self { class, mode, link: label.0 as u16, stamp: (label.0 >> 16 & 0x3ff) as u16 })
    }

    /// When it was stamped, rounded down to a grain: the last such time that is not in the future.
    pub fn stamped(self, now: Instant) -> Instant {
        let age = grain(now).wrapping_sub(u64::from(self.stamp)) % STAMPS;
        Instant::from_nanos(grain(now).saturating_sub(age) * GRAIN)
    }
}

/// The feedback of one end of a flow: what came for the peer, and what the peer returned.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostFeedback {
    received: Label,
    newest: Option<(Feedback, Instant)>,
    incr: Option<(Feedback, Instant)>,
}

impl HostFeedback {
    /// A packet arrived with this label, which its sender wants to know.
    pub fn received(&mut self, label: Label) {
        if Feedback::of(label).is_some_and(|f| f.class != Class::Presented) {
            self.received = label;
        }
    }

    /// Label that goes back to the peer.
    pub fn returned(&self) -> Label {
        self.received
    }

    /// The peer returned this label of a packet that was sent from here.
    pub fn given(&mut self, label: Label, now: Instant) {
        let Some(feedback) = Feedback::of(label) else { return };
        let at = feedback.stamped(now);
        let replaces = |old: Option<(Feedback, Instant)>| old.is_none_or(|(_, when)| at >= when);
        if replaces(self.newest) {
            self.newest = Some((feedback, at));
        }
        if feedback.mode == Mode::Incr && replaces(self.incr) {
            self.incr = Some((feedback, at));
        }
    }

    /// The label of a packet sent now. An upward arrow is shown while it is younger than a control interval (NF10's
    /// robust rule: it may still raise the limit, and hiding what is newer gains nothing); else what is newest, while it
    /// is valid.
    pub fn presents(&self, rules: HostRules, now: Instant) -> Label {
        let young =
            |kept: Option<(Feedback, Instant)>, most| kept.filter(|(_, at)| now.saturating_since(*at) < most);
        young(self.incr, rules.interval)
            .or_else(|| young(self.newest, rules.validity))
            .map_or(Label::NONE, |(feedback, _)| Feedback { class: Class::Presented, ..feedback }.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: HostRules =
        HostRules { interval: Duration::from_millis(2000), validity: Duration::from_millis(4000) };

    proptest! {
        #[test]
        fn a_label_survives_packing_and_its_time_to_a_grain(
            level in 0u8..16, mode in 0u8..3, link in any::<u16>(), ms in 0u64..1_000_000, later in 0u64..10_000,
        ) {
            let class = match level {
                14 => Class::Presented,
                15 => Class::Regular,
                level => Class::Request(level),
            };
            let mode = [Mode::Nop, Mode::Incr, Mode::Decr][usize::from(mode)];
            let feedback = Feedback::new(class, mode, link, Instant::from_millis(ms));
            prop_assert_eq!(Feedback::of(feedback.label()), Some(feedback));
            let stamped = feedback.stamped(Instant::from_millis(ms + later));
            prop_assert_eq!(stamped, Instant::from_millis(ms / 10 * 10));
        }
    }

    #[test]
    fn no_label_is_no_feedback() {
        assert_eq!(Feedback::of(Label::NONE), None);
    }

    #[test]
    fn a_host_shows_an_upward_arrow_for_an_interval_and_then_what_is_newest() {
        let (mut host, ms) = (HostFeedback::default(), Instant::from_millis);
        assert_eq!(host.presents(RULES, ms(0)), Label::NONE);
        host.given(Feedback::new(Class::Regular, Mode::Incr, 7, ms(1000)).label(), ms(1020));
        host.given(Feedback::new(Class::Regular, Mode::Decr, 7, ms(1500)).label(), ms(1520));
        // Older feedback that comes late changes nothing.
        host.given(Feedback::new(Class::Regular, Mode::Nop, 0, ms(1400)).label(), ms(1530));
        let mode = |now| Feedback::of(host.presents(RULES, ms(now))).map(|f| (f.class, f.mode));
        assert_eq!(mode(2990), Some((Class::Presented, Mode::Incr)));
        assert_eq!(mode(3010), Some((Class::Presented, Mode::Decr)));
        assert_eq!(mode(5490), Some((Class::Presented, Mode::Decr)));
        assert_eq!(mode(5510), None);
    }

    #[test]
    fn what_a_host_presents_is_not_returned_as_if_a_router_had_stamped_it() {
        let mut host = HostFeedback::default();
        host.received(Feedback::new(Class::Presented, Mode::Incr, 1, Instant::ZERO).label());
        assert_eq!(host.returned(), Label::NONE);
        let stamped = Feedback::new(Class::Request(3), Mode::Decr, 1, Instant::ZERO).label();
        host.received(stamped);
        assert_eq!(host.returned(), stamped);
    }
}
