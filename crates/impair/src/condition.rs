//! Condition of one link direction: the file's values, changed by the faults that are active.

use crate::losses::LossConfig;
use crate::netem::{NetemConfig, Reordering};
use tailrace_core::{Duration, HostAddress, Probability, Rate};
use tailrace_qdisc::QdiscConfig;

/// Whether a link carries packets. The worst of what faults say holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkState {
    /// It does.
    #[default]
    Up,
    /// It does not, and routing does not notice: a silent black hole.
    Blackhole,
    /// It does not, and routes lead around it.
    Down,
}

/// Fields of a link's condition that a fault changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedFields {
    /// Whether it carries packets, and whether routes lead over it.
    pub state: bool,
    /// Its rate.
    pub rate: bool,
    /// Its delay.
    pub delay: bool,
    /// Its random loss.
    pub loss: bool,
    /// Packet duplication.
    pub duplication: bool,
    /// Packet corruption.
    pub corruption: bool,
    /// Packet reordering.
    pub reordering: bool,
    /// Its queue discipline.
    pub queue: bool,
    /// The address of the host at which it begins.
    pub address: bool,
}

/// Condition of one link direction. Active faults change it one after the other, in the order in which they began; it
/// records the fields that they set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkCondition {
    state: LinkState,
    is_unrouted: bool,
    rate: Rate,
    delay: Duration,
    loss: LossConfig,
    netem: NetemConfig,
    queue: Option<Box<QdiscConfig>>,
    address: Option<HostAddress>,
    set: ChangedFields,
}

impl LinkCondition {
    /// A link without faults.
    pub fn new(rate: Rate, delay: Duration, loss: LossConfig) -> Self {
        Self { rate, delay, loss, ..Self::default() }
    }

    /// Whether it carries packets.
    pub const fn state(&self) -> LinkState {
        self.state
    }

    /// It carries packets no better than so.
    pub fn lower_to(&mut self, state: LinkState) {
        self.set.state = true;
        self.state = self.state.max(state);
    }

    /// Whether no route leads over it, although its ends see that it is up.
    pub const fn is_unrouted(&self) -> bool {
        self.is_unrouted
    }

    /// No route leads over it.
    pub fn withdraw_routes(&mut self) {
        self.set.state = true;
        self.is_unrouted = true;
    }

    /// Its rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Its rate is this.
    pub fn set_rate(&mut self, rate: Rate) {
        self.set.rate = true;
        self.rate = rate;
    }

    /// Its one-way delay.
    pub const fn delay(&self) -> Duration {
        self.delay
    }

    /// Its one-way delay is this.
    pub fn set_delay(&mut self, delay: Duration) {
        self.set.delay = true;
        self.delay = delay;
    }

    /// Its random loss.
    pub const fn loss(&self) -> &LossConfig {
        &self.loss
    }

    /// Its random loss is this.
    pub fn set_loss(&mut self, loss: LossConfig) {
        self.set.loss = true;
        self.loss = loss;
    }

    /// Duplication, corruption and reordering.
    pub const fn netem(&self) -> &NetemConfig {
        &self.netem
    }

    /// Packets arrive twice with this probability.
    pub fn set_duplication(&mut self, probability: Probability) {
        self.set.duplication = true;
        self.netem.duplication = probability;
    }

    /// Packets are damaged with this probability.
    pub fn set_corruption(&mut self, probability: Probability) {
        self.set.corruption = true;
        self.netem.corruption = probability;
    }

    /// It holds these packets back.
    pub fn set_reordering(&mut self, reordering: Reordering) {
        self.set.reordering = true;
        self.netem.reordering = reordering;
    }

    /// Its queue discipline, where that is another than the file's.
    pub fn queue(&self) -> Option<&QdiscConfig> {
        self.queue.as_deref()
    }

    /// Its queue discipline is this.
    pub fn set_queue(&mut self, queue: Box<QdiscConfig>) {
        self.set.queue = true;
        self.queue = Some(queue);
    }

    /// Its queue discipline is the file's, and begins anew.
    pub fn renew_queue(&mut self) {
        self.set.queue = true;
        self.queue = None;
    }

    /// The address of the host's interface at which it begins, where that is another than the file's.
    pub const fn address(&self) -> Option<HostAddress> {
        self.address
    }

    /// The address of the host's interface at which it begins is this.
    pub fn set_address(&mut self, address: HostAddress) {
        self.set.address = true;
        self.address = Some(address);
    }

    /// Fields that faults have set.
    pub const fn set(&self) -> ChangedFields {
        self.set
    }
}
