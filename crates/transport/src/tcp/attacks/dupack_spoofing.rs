//! Duplicate-ACK spoofing: a receiver that makes its sender's window as large as it likes (Savage, Cardwell, Wetherall and
//! Anderson, "TCP congestion control with a misbehaving receiver", CCR 29(5), 1999, §2.2).
//!
//! Without SACK each duplicate ACK stands for a segment that has left the network. So the receiver repeats an ACK many times:
//! three begin fast recovery, the others let new segments out, about as many as there are repetitions. From then on it repeats
//! the ACK for each segment that arrives, which keeps the flight at that size. When the needless retransmission arrives,
//! everything sent before it has arrived, too: two normal ACKs follow, as RFC 6582 ends one recovery when all is acknowledged
//! and begins the next when more is, and the second is repeated. During losses and timeouts the receiver sends normal ACKs:
//! they are duplicates already, and withholding data would stall the sender.

/// Most repetitions that leave at once: queues on the way back hold no more.
const AT_ONCE: u16 = 8;

/// Kind of the next ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// A normal ACK.
    #[default]
    Honest,
    /// A normal ACK, and repetitions of it.
    Flood,
    /// A repetition of this acknowledgment, and of the window beside it.
    Repeat(u64, u16),
}

/// State of the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::tcp) struct DupackSpoofing {
    stage: Stage,
    /// Repetitions still to go out beyond one for each segment that comes.
    left: u16,
    /// Repetitions that leave now.
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

    /// An ACK leaves that would carry `honest`, an acknowledgment and a window. Returns what it carries instead, and whether
    /// another follows at once. Without a gap every other normal ACK is repeated so many `times`.
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
    fn spoofing_receiver_acknowledges_losses_honestly() {
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
    fn spoofing_receiver_acknowledges_timeouts_honestly() {
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
