//! The table of attacks: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new attack is one file in `attacks/` and one line here.

use crate::attack::{AttackInfo, AttackKind, attacks};
use crate::kinds::AppConfig;
use crate::registry::{KeyConflict, RequiredTransport};
use tailrace_core::params::{Parameters, Value};

attacks! {
    "pulse" => pulse::Pulse(PulseConfig),
    "flood" => flood::Flood(FloodConfig),
    "on_off" => on_off::OnOff(OnOffConfig),
    "schedule" => schedule::Schedule(ScheduleConfig),
    "shrew" => shrew::Shrew(ShrewConfig),
    "roq" => roq::Roq(RoqConfig),
    "ack_division" => ack_division::AckDivision(AckDivisionConfig),
    "optimistic_acks" => optimistic_acks::OptimisticAcks(OptimisticAcksConfig),
    "repeated_acks" => repeated_acks::RepeatedAcks(RepeatedAcksConfig),
    "no_backoff" => no_backoff::NoBackoff(NoBackoffConfig),
    "parallel" => parallel::Parallel(ParallelConfig),
}
