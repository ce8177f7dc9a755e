//! Repeated ACKs: a receiver that has its sender take the window that it wants (Savage, Cardwell, Wetherall and Anderson,
//! "TCP congestion control with a misbehaving receiver", CCR 29(5), 1999, §2.2).
//!
//! Without SACK each duplicate ACK stands for a segment that has left, whatever it was sent for. So after an ACK that tells
//! what has come the receiver repeats it many times: three begin fast recovery, the rest lets new segments out, up to about
//! as many in flight as there were repetitions. From then on it repeats it for each segment that comes, which keeps them as
//! many. When the segment comes that fast recovery sends again needlessly, all that was sent before it has come: two
//! ACKs tell the truth, as RFC 6582 ends one recovery when what had been sent is acknowledged, and begins the next when more
//! is, and the second is repeated. While something is missing, or comes again as after a timeout, ACKs are honest: they are
//! duplicates anyway, and the sender would wait for what is held back.

/// At most so many repetitions go out at once: queues on the way back take no more.
const AT_ONCE: u16 = 8;

/// What the next ACK is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The truth.
    #[default]
    Honest,
    /// The truth once more, and repetitions of it.
    Flood,
    /// A repetition of this acknowledgment, and of the window beside it.
    Repeat(u64, u16),
}

/// Where the receiver stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tcp) struct DupackSpoofing {
    stage: Stage,
    /// Repetitions still to go out beyond one for each segment that comes.
    left: u16,
    /// Those of them that go out now.
    now: u16,
}

impl DupackSpoofing {
    /// A segment that starts at `seq` comes, where `nxt` is expected and something above it is there already if `gap`.
    pub(in crate::tcp) fn on_data(&mut self, seq: u64, nxt: u64, gap: bool) {
        self.now = self.left.min(AT_ONCE);
        let repairs = matches!(self.stage, Stage::Repeat(told, _) if seq == told && gap);
        if seq < nxt || repairs {
            *self = Self::default();
        }
    }

    /// An ACK goes out that would tell `honest`, an acknowledgment and a window: what it tells, and whether another follows at
    /// once. Where nothing is missing (no `gap`), every other truth is repeated so many `times` more.
    pub(in crate::tcp) fn on_ack(&mut self, honest: (u64, u16), gap: bool, times: u16) -> ((u64, u16), bool) {
        let tells = match self.stage {
            Stage::Repeat(ack, window) => (ack, window),
            _ if gap => honest,
            Stage::Honest => {
                self.stage = Stage::Flood;
                honest
            }
            Stage::Flood => {
                let stage = Stage::Repeat(honest.0, honest.1);
                *self = Self { stage, left: times, now: times.min(AT_ONCE) };
                honest
            }
        };
        let more = self.now > 0;
        if more {
            (self.left, self.now) = (self.left - 1, self.now - 1);
        }
        (tells, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The acknowledgments that go out together after a segment that starts at `seq`, with `times = 3`: `before` and `after`
    /// it, what is expected and whether there is something above.
    fn acks(repeats: &mut DupackSpoofing, seq: u64, before: (u64, bool), after: (u64, bool)) -> Vec<u64> {
        repeats.on_data(seq, before.0, before.1);
        let mut all = Vec::new();
        loop {
            let ((ack, _), more) = repeats.on_ack((after.0, 60), after.1, 3);
            all.push(ack);
            if !more {
                return all;
            }
        }
    }

    #[test]
    fn every_other_truth_is_repeated_until_it_is_needlessly_repaired() {
        let mut repeats = DupackSpoofing::default();
        let mut in_order = |seq| acks(&mut repeats, seq, (seq, false), (seq + 100, false));
        assert_eq!(in_order(0), [100]);
        assert_eq!(in_order(100), [200; 4]);
        assert_eq!([in_order(200), in_order(300)], [[200], [200]]);
        assert_eq!(acks(&mut repeats, 200, (400, false), (400, false)), [400]);
        assert_eq!(acks(&mut repeats, 400, (400, false), (500, false)), [500; 4]);
    }

    #[test]
    fn what_is_missing_is_told_honestly() {
        let mut repeats = DupackSpoofing::default();
        assert_eq!(acks(&mut repeats, 0, (0, false), (100, false)), [100]);
        assert_eq!(acks(&mut repeats, 100, (100, false), (200, false)), [200; 4]);
        // 200..300 is lost, and 400..500.
        assert_eq!(acks(&mut repeats, 300, (200, false), (200, true)), [200]);
        assert_eq!(acks(&mut repeats, 500, (200, true), (200, true)), [200]);
        assert_eq!(acks(&mut repeats, 200, (200, true), (400, true)), [400]);
        assert_eq!(acks(&mut repeats, 600, (400, true), (400, true)), [400]);
        assert_eq!(acks(&mut repeats, 400, (400, true), (700, false)), [700]);
        assert_eq!(acks(&mut repeats, 700, (700, false), (800, false)), [800; 4]);
    }

    #[test]
    fn many_repetitions_are_spread_over_the_segments_that_come() {
        let mut repeats = DupackSpoofing::default();
        let mut count = |seq| {
            repeats.on_data(seq, seq, false);
            (1..).find(|_| !repeats.on_ack((seq + 100, 60), false, 20).1)
        };
        // The truth, the truth and 8, one for the segment and 8, and 4, and that alone.
        assert_eq!([0, 100, 200, 300, 400].map(&mut count), [1, 9, 9, 5, 1].map(Some));
    }

    #[test]
    fn what_comes_again_after_a_timeout_is_told_honestly() {
        let mut repeats = DupackSpoofing::default();
        assert_eq!(acks(&mut repeats, 0, (500, false), (500, false)), [500]);
        assert_eq!(acks(&mut repeats, 100, (500, false), (500, false)), [500]);
        assert_eq!(acks(&mut repeats, 500, (500, false), (600, false)), [600; 4]);
        assert_eq!(acks(&mut repeats, 200, (700, false), (700, false)), [700], "one that is not asked for");
    }

    #[test]
    fn the_window_stays_beside_what_is_repeated() {
        let mut repeats = DupackSpoofing::default();
        assert_eq!(repeats.on_ack((100, 50), false, 1), ((100, 50), false));
        assert_eq!(repeats.on_ack((200, 60), false, 1), ((200, 60), true));
        assert_eq!(repeats.on_ack((200, 70), false, 1), ((200, 60), false));
        assert_eq!(repeats.on_ack((300, 80), false, 1), ((200, 60), false));
    }
}
