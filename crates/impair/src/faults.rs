//! The table of kinds of faults: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new kind is one file in `faults/` and one line here.

use crate::condition::{ChangedFields, LinkCondition};
use crate::fault::{FaultInfo, FaultKind, faults};
use crate::profile::FaultProfile;
use tailrace_core::Duration;
use tailrace_core::params::{Invalid, Parameters, check_bounds};
use tailrace_qdisc::QdiscConfig;

faults! {
    "down" => down::Down(DownConfig),
    "blackhole" => blackhole::Blackhole(BlackholeConfig),
    "flap" => flap::Flap(FlapConfig),
    "restart" => restart::Restart(RestartConfig),
    "rate" => rate::Rate(RateConfig),
    "random_rate" => random_rate::RandomRate(RandomRateConfig),
    "delay" => delay::Delay(DelayConfig),
    "random_delay" => random_delay::RandomDelay(RandomDelayConfig),
    "loss" => loss::Loss(LossConfig),
    "duplication" => duplication::Duplication(DuplicationConfig),
    "corruption" => corruption::Corruption(CorruptionConfig),
    "reordering" => reordering::Reordering(ReorderingConfig),
    "queue" => queue::Queue(QueueConfig),
    "trace" => trace::Trace(TraceConfig),
    "address" => address::Address(AddressConfig),
}

impl FaultConfig {
    /// The condition of a link after this fault is applied.
    #[must_use]
    pub fn applied_to(&self, mut link: LinkCondition) -> LinkCondition {
        self.apply(&mut link);
        link
    }

    /// Fields of a link's condition that it changes.
    pub fn changed_fields(&self) -> ChangedFields {
        self.applied_to(LinkCondition::default()).set()
    }
}
