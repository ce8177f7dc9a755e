//! The table of loss processes: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new process is one file in `losses/` and one line here.

use crate::loss::{LossBurst, LossInfo, LossKind, LossProcess, losses};
use bernoulli::BernoulliConfig;
use tailrace_core::params::tagged;
use tailrace_core::params::{Invalid, Kind, ParamType, Parameters, Value, check_bounds};
use tailrace_core::{Instant, Probability, Rng};

losses! {
    "bernoulli" => bernoulli::Bernoulli(BernoulliConfig),
    "periodic" => periodic::Periodic(PeriodicConfig),
    "gemodel" => gemodel::Gemodel(GemodelConfig),
    "gilbert_elliott" => gilbert_elliott::GilbertElliott(GilbertElliottConfig),
}

impl LossConfig {
    /// Whether values lie within their bounds.
    ///
    /// # Errors
    /// The key at fault and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_bounds(self.params(), |name| self.get(name))
    }
}

/// Each packet is lost independently.
impl From<Probability> for LossConfig {
    fn from(p: Probability) -> Self {
        Self::Bernoulli(BernoulliConfig { p })
    }
}

/// No loss.
impl Default for LossConfig {
    fn default() -> Self {
        Probability::ZERO.into()
    }
}

/// A probability stands for independent loss.
impl ParamType for LossConfig {
    const KIND: Kind = Kind::Loss;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Table(_) => tagged::from_value(value, Self::default_of, Self::set),
            plain => Probability::from_value(plain).map(Self::from),
        }
    }
    fn to_value(&self) -> Value {
        match self {
            Self::Bernoulli(c) => c.p.to_value(),
            other => tagged::to_value(other.name(), other.params(), |name| other.get(name)),
        }
    }
}
