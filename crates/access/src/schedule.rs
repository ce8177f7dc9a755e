//! Sending times of a link direction in place of a plain rate.

use crate::grant::{GrantProcess, Transmission};
use crate::grants::{AnyGrants, GrantConfig};
use crate::trace::TraceOpportunities;
use std::sync::Arc;
use tailrace_core::{Bytes, DeliveryTrace, Instant, Rate, Rng};

/// When a direction may send, as a scenario has it.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkSchedule {
    /// At the opportunities of a trace.
    Trace(Arc<DeliveryTrace>),
    /// When it is granted.
    Grants(Arc<GrantConfig>),
}

impl LinkSchedule {
    /// Whether it draws anything.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Trace(_) => false,
            Self::Grants(config) => config.is_random(),
        }
    }

    /// The mean over a long time of what it can carry.
    pub fn mean(&self) -> Rate {
        match self {
            Self::Trace(trace) => trace.mean(),
            Self::Grants(config) => config.mean(),
        }
    }

    /// Starts the schedule at the beginning of a run; `rng` is its own.
    pub fn start(&self, rng: Rng) -> RunningSchedule {
        match self {
            Self::Trace(trace) => RunningSchedule::Trace(TraceOpportunities::new(Arc::clone(trace))),
            Self::Grants(config) => RunningSchedule::Grants(Box::new(config.build(rng))),
        }
    }

    /// Bits that the one started with `rng` could carry after `from`, up to and including `to`.
    pub fn bits(&self, rng: Rng, from: Instant, to: Instant) -> f64 {
        match self {
            Self::Trace(trace) => trace.count(from, to) as f64 * DeliveryTrace::OPPORTUNITY.as_f64() * 8.0,
            Self::Grants(config) => config.bits(rng, from, to),
        }
    }
}

/// A [`LinkSchedule`] under way.
#[derive(Debug)]
pub enum RunningSchedule {
    /// Where a link is in its trace.
    Trace(TraceOpportunities),
    /// Grants.
    Grants(Box<AnyGrants>),
}

impl GrantProcess for RunningSchedule {
    #[inline]
    fn opens(&mut self, at: Instant) -> Result<(), Instant> {
        match self {
            Self::Trace(trace) => trace.opens(at),
            Self::Grants(grants) => grants.opens(at),
        }
    }
    #[inline]
    fn send(&mut self, bytes: Bytes, at: Instant) -> Transmission {
        match self {
            Self::Trace(trace) => trace.send(bytes, at),
            Self::Grants(grants) => grants.send(bytes, at),
        }
    }
    #[inline]
    fn idle(&mut self, at: Instant) {
        match self {
            Self::Trace(trace) => trace.idle(at),
            Self::Grants(grants) => grants.idle(at),
        }
    }
    fn reset(&mut self, at: Instant) {
        match self {
            Self::Trace(trace) => trace.reset(at),
            Self::Grants(grants) => grants.reset(at),
        }
    }
}
