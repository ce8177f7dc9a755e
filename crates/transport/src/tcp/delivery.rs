//! What every ACK delivered, for congestion controls that ask for it.

use super::Tcp;
use crate::cc::{CongestionControl, Delivery};
use crate::segment::Segment;
use tailrace_core::{Bytes, Instant};

/// How things stood before an ACK.
pub(super) struct Watch {
    una: u64,
    rtt_samples: u64,
}

impl Tcp {
    pub(super) fn watch(&self) -> Watch {
        Watch { una: self.board.una, rtt_samples: self.rtt.samples }
    }

    /// The ACK is dealt with: the congestion control hears what it brought.
    pub(super) fn tell_delivery(&mut self, before: &Watch, segment: &Segment, marked: bool, now: Instant) {
        let stamps = segment.timestamps.filter(|t| self.options.timestamps && t.echo != 0);
        let delivery = Delivery {
            now,
            acked: Bytes(self.board.una - before.una),
            marked,
            una: self.board.una,
            nxt: self.board.nxt,
            in_flight: Bytes(self.pipe()),
            rtt: (self.rtt.samples > before.rtt_samples).then_some(self.rtt.latest),
            one_way_ms: stamps.map(|t| t.value.wrapping_sub(t.echo) as i32),
            repair: self.recovery.repairs(),
        };
        self.cc.on_delivery(&delivery);
    }
}
