//! What every ACK delivered, for congestion controls that ask for it.

use crate::cc::{CongestionControl, Delivery, FlowSample};
use crate::segment::Segment;
use crate::tcp::Tcp;
use tailrace_core::{Bytes, Instant};

/// How things stood before an ACK.
pub(in crate::tcp) struct Watch {
    una: u64,
    sacked: u64,
    in_flight: u64,
    rtt_samples: u64,
}

impl Tcp {
    /// An ACK has come at `now` and is about to be dealt with.
    pub(in crate::tcp) fn watch(&mut self, now: Instant) -> Watch {
        if let Some(rates) = &mut self.board.rates {
            rates.begin(now);
        }
        Watch {
            una: self.board.una,
            sacked: self.board.sacked(),
            in_flight: self.pipe(),
            rtt_samples: self.rtt.samples,
        }
    }

    /// The ACK is dealt with: the congestion control hears what it brought.
    pub(in crate::tcp) fn tell_delivery(
        &mut self,
        before: &Watch,
        segment: &Segment,
        marked: u64,
        now: Instant,
    ) {
        let stamps = segment.timestamps.filter(|t| self.options.timestamps && t.echo != 0);
        let least = u64::from(self.mss);
        let flow = self.board.rates.as_mut().map_or(FlowSample::default(), |r| r.finish(least));
        let delivery = Delivery {
            now,
            acked: Bytes(self.board.una - before.una),
            delivered: Bytes(
                (self.board.una + self.board.sacked()).saturating_sub(before.una + before.sacked),
            ),
            marked: Bytes(marked),
            una: self.board.una,
            nxt: self.board.nxt,
            prior_in_flight: Bytes(before.in_flight),
            in_flight: Bytes(self.pipe()),
            rtt: (self.rtt.samples > before.rtt_samples).then_some(self.rtt.latest),
            smoothed_rtt: self.rtt.smoothed,
            cwnd_limited: self.is_cwnd_limited(),
            flow,
            one_way_ms: stamps.map(|t| t.value.wrapping_sub(t.echo) as i32),
            repair: self.recovery.repairs(),
        };
        self.cc.tell(|cc| cc.on_delivery(&delivery));
        if self.cc.holds_back() {
            self.limit_rates();
        }
    }

    /// Nothing is left to send: where the window would allow more, rates say nothing of the path.
    #[inline]
    pub(in crate::tcp) fn note_idle(&mut self) {
        if self.board.rates.is_some() && !self.cwnd_limited {
            self.limit_rates();
        }
    }

    #[cold]
    fn limit_rates(&mut self) {
        let in_flight = self.board.pipe();
        if let Some(rates) = &mut self.board.rates {
            rates.limit(in_flight);
        }
    }
}
