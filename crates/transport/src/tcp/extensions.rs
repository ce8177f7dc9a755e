//! State beyond the basic RFCs: optional parts of loss recovery, Linux's ACK policy and packets, receivers that attack.

use super::attacks::misbehaviour::MisbehavingReceiver;
use super::linux::ack_policy::LinuxAckPolicy;
use super::linux::segmentation::Segmentation;
use super::recovery::OptionalRecovery;
use super::recv::ack_policy::{AckPolicy, RfcAckPolicy};
use super::recv::acks::OwedAcks;
use super::recv::reassembly::Reassembly;
use crate::config::{AckDelay, DupLimit, Misbehaviour, Prr, SackReports, TcpConfig};
use crate::segment::{SackBlocks, Segment};
use tailrace_core::{Duration, Instant};

/// State of everything optional, in one allocation: an endpoint with all of it off has none.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Extensions {
    pub(in crate::tcp) repair: OptionalRecovery,
    pub(in crate::tcp) ack_policy: LinuxAckPolicy,
    pub(in crate::tcp) segmentation: Segmentation,
    pub(in crate::tcp) misbehaviour: MisbehavingReceiver,
}

impl Extensions {
    /// `None` where `config` asks for none of it.
    pub(in crate::tcp) fn build(config: &TcpConfig) -> Option<Box<Self>> {
        Self::are_wanted(config).then(|| {
            Box::new(Self {
                repair: OptionalRecovery::new(config),
                ack_policy: LinuxAckPolicy::default(),
                segmentation: Segmentation::default(),
                misbehaviour: MisbehavingReceiver::default(),
            })
        })
    }

    fn are_wanted(c: &TcpConfig) -> bool {
        let undoes = c.frto || c.eifel || c.dsack_undo || c.door;
        let repairs = c.rack || c.tlp || c.prr != Prr::Off || undoes || c.max_dup_thresh > 0;
        let acknowledges = c.push_acks
            || !c.ack_compression.is_zero()
            || c.sack_reports == SackReports::Remembered
            || c.ack_delay == AckDelay::Adaptive;
        let limits = c.dup_limit == DupLimit::Flight;
        repairs || acknowledges || limits || c.tso || c.misbehaviour != Misbehaviour::None
    }
}

/// Linux's ACK policy where there is one, else the RFCs'.
impl AckPolicy for Option<Box<Extensions>> {
    #[inline]
    fn on_data(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration, now: Instant) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_data(acks, config, rto, now),
            None => RfcAckPolicy.on_data(acks, config, rto, now),
        }
    }
    #[inline]
    fn on_segment_size(&mut self, acks: &mut OwedAcks, segment: &Segment, largest: u32) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_segment_size(acks, segment, largest),
            None => RfcAckPolicy.on_segment_size(acks, segment, largest),
        }
    }
    #[inline]
    fn ack_every(&self, unacknowledged: u64, config: &TcpConfig) -> u8 {
        match self.as_deref() {
            Some(extensions) => extensions.ack_policy.ack_every(unacknowledged, config),
            None => RfcAckPolicy.ack_every(unacknowledged, config),
        }
    }
    #[inline]
    fn enter_quick_ack(&mut self, acks: &mut OwedAcks, segments: u16) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.enter_quick_ack(acks, segments),
            None => RfcAckPolicy.enter_quick_ack(acks, segments),
        }
    }
    #[inline]
    fn delay_ack(&mut self, acks: &mut OwedAcks, config: &TcpConfig, smoothed: Duration, now: Instant) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.delay_ack(acks, config, smoothed, now),
            None => RfcAckPolicy.delay_ack(acks, config, smoothed, now),
        }
    }
    #[inline]
    fn ack_timeout(&self, config: &TcpConfig) -> Duration {
        match self.as_deref() {
            Some(extensions) => extensions.ack_policy.ack_timeout(config),
            None => RfcAckPolicy.ack_timeout(config),
        }
    }
    #[inline]
    fn on_gap(&mut self, acks: &mut OwedAcks, nxt: u64, wait: Duration, now: Instant) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_gap(acks, nxt, wait, now),
            None => RfcAckPolicy.on_gap(acks, nxt, wait, now),
        }
    }
    #[inline]
    fn on_deadline(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_deadline(acks, config, rto),
            None => RfcAckPolicy.on_deadline(acks, config, rto),
        }
    }
    #[inline]
    fn on_quick_acks_spent(&mut self, config: &TcpConfig) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_quick_acks_spent(config),
            None => RfcAckPolicy.on_quick_acks_spent(config),
        }
    }
    #[inline]
    fn is_pingpong(&self) -> bool {
        match self.as_deref() {
            Some(extensions) => extensions.ack_policy.is_pingpong(),
            None => RfcAckPolicy.is_pingpong(),
        }
    }
    #[inline]
    fn on_data_sent(&mut self, now: Instant) {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.on_data_sent(now),
            None => RfcAckPolicy.on_data_sent(now),
        }
    }
    #[inline]
    fn sack_blocks(&mut self, rcv: &mut Reassembly, room: usize, config: &TcpConfig) -> SackBlocks {
        match self.as_deref_mut() {
            Some(extensions) => extensions.ack_policy.sack_blocks(rcv, room, config),
            None => RfcAckPolicy.sack_blocks(rcv, room, config),
        }
    }
}
