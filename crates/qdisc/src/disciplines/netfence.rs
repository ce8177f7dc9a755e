//! NetFence: senders policed at the access by feedback that bottlenecks stamp into packets.
//!
//! Liu, Yang, Xia, "NetFence: preventing Internet denial of service from inside out", SIGCOMM 2010 (report: arXiv
//! 1009.0033). A link under attack writes into each packet whether it is overloaded. Receivers return this feedback to
//! the senders, who show it with every packet. The routers in front of the senders limit each sender's rate for that
//! link: the limit rises while the feedback is good, and falls if it is bad or missing. If a receiver returns nothing,
//! the sender can only send requests, which share 5 % of a link.
//!
//! `role = "access"` polices. Requests are paid for with tokens, whose level is higher for senders that have waited
//! longer; higher levels go first. Packets that show feedback of a link pass a limiter for (sender, link), in which
//! they wait, since it lets no burst through. `role = "bottleneck"` has channels for requests, regular and legacy
//! packets, and stamps feedback. `role = "both"` is one after the other in a single queue. Hosts do their part
//! automatically in the simulator, see `HostFeedback`.
//!
//! Model and choices:
//! - The codes that authenticate feedback are modelled by rules about who may write what (`feedback`): hosts cannot
//!   forge what routers stamp. Further access routers leave alone what one has stamped, so the queue of a link's return
//!   path may be one, too.
//! - Requests get the highest level that the sender's tokens can pay for, as if each sender wanted that. A new sender
//!   has one token. A bottleneck stamps requests in the same way as regular packets.
//! - A link starts to police when the average loss of its regular channel over seconds is above 2 %. It is overloaded
//!   from the moment when RED's average queue reaches the lower threshold, or a packet is lost, until two control
//!   intervals later.
//! - Control intervals without any packet count as intervals without feedback: the rate of a silent sender falls.
//! - A packet names one link. If several links police, the last one to become overloaded is the one that limits.
//! - A sender is flagged if its limiter has dropped more than half of what it offered in a control interval.
//!
//! Packets of a sender may be reordered if requests of different levels, or requests and others, are in flight
//! together. Linux does not have NetFence.

mod access;
mod channels;
mod config;
pub mod feedback;

use self::access::{Access, Police};
use self::channels::Channels;
pub use self::config::{NetfenceConfig, NetfenceRole};
pub use self::feedback::HostFeedback;
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
pub use crate::host_rules::HostRules;
use std::collections::VecDeque;
use tailrace_core::{DropReason, Instant, Limit, Packet};

/// The discipline.
#[derive(Debug)]
pub struct Netfence<P> {
    limit: Limit,
    /// Where senders are policed.
    access: Option<Box<Access<P>>>,
    /// Where the link is a bottleneck.
    channels: Option<Box<Channels<P>>>,
    /// Packets that the access router has released, where the next channel is another router's.
    fifo: VecDeque<(P, Instant)>,
    backlog: Backlog,
}

impl<P: Packet> Netfence<P> {
    fn new(config: &NetfenceConfig, link: &LinkView) -> Self {
        let (access, channels) =
            (config.role != NetfenceRole::Bottleneck, config.role != NetfenceRole::Access);
        Self {
            limit: config.limit.unwrap_or(Limit::Packets(10_000)),
            access: access.then(|| Box::new(Access::new(config))),
            channels: channels.then(|| Box::new(Channels::new(config, link))),
            fifo: VecDeque::new(),
            backlog: Backlog::default(),
        }
    }

    /// Behind the access router.
    #[inline]
    fn forward(&mut self, packet: P, arrival: Instant, cx: &mut Cx<'_, P>) {
        match &mut self.channels {
            Some(channels) => channels.enqueue(packet, arrival, cx),
            None => {
                self.backlog.packets += 1;
                self.backlog.bytes += packet.size();
                self.fifo.push_back((packet, arrival));
            }
        }
    }

    /// Packets whose time in a limiter is over.
    #[inline]
    fn release(&mut self, cx: &mut Cx<'_, P>) {
        if self.access.as_ref().and_then(|access| access.poll_timeout()).is_some_and(|due| due <= cx.now) {
            self.release_due(cx);
        }
    }

    #[inline(never)]
    fn release_due(&mut self, cx: &mut Cx<'_, P>) {
        while let Some((packet, arrival)) = self.access.as_mut().and_then(|access| access.release(cx)) {
            self.forward(packet, arrival, cx);
        }
    }
}

impl<P: Packet> QueueDiscipline<P> for Netfence<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.release(cx);
        if !self.backlog().has_room(self.limit, packet.size()) {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        let police = match &mut self.access {
            Some(access) => access.police(packet, cx),
            None => Police::Pass(packet),
        };
        if let Police::Pass(packet) = police {
            self.forward(packet, cx.now, cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.release(cx);
        if let Some(channels) = &mut self.channels {
            return channels.dequeue(cx);
        }
        let (packet, arrival) = self.fifo.pop_front()?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        Some((packet, arrival))
    }

    fn backlog(&self) -> Backlog {
        let access = self.access.as_deref().map(Access::backlog).unwrap_or_default();
        let output = self.channels.as_deref().map_or(self.backlog, Channels::backlog);
        Backlog { packets: access.packets + output.packets, bytes: access.bytes + output.bytes }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        let access = self.access.as_deref().and_then(Access::poll_timeout);
        let output = self.channels.as_deref().and_then(Channels::poll_timeout);
        access.into_iter().chain(output).min()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.release(cx);
        if let Some(channels) = &mut self.channels {
            channels.handle_timeout(cx.now);
        }
    }

    fn attach(&mut self, link: u32) {
        if let Some(channels) = &mut self.channels {
            channels.attach(link as u16);
        }
    }

    fn link_changed(&mut self, link: &LinkView, _cx: &mut Cx<'_, P>) {
        if let Some(channels) = &mut self.channels {
            channels.link_changed(link);
        }
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["limiters", "mean_limit_bps", "monitoring", "overloaded", "regular_average_bytes", "loss_ratio"]
    }

    fn state(&self, out: &mut [f64]) {
        let (limiters, rate) = self.access.as_deref().map_or((0.0, 0.0), Access::summary);
        let [monitoring, overloaded, average, loss] =
            self.channels.as_deref().map_or([0.0; 4], Channels::state);
        out.copy_from_slice(&[limiters, rate, monitoring, overloaded, average, loss]);
    }
}

#[cfg(test)]
mod tests;
