//! Rates that change at given times, as a value of a key.

use tailrace_core::dist::duration::LONGEST;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::{Duration, Rate};

/// Times and the rates from then on, ascending in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateSteps(pub Vec<(Duration, Rate)>);

impl ParamType for RateSteps {
    const KIND: Kind = Kind::Steps;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::List(items) = value else {
            return Err(format!("expected a list of [time, rate], found {}", value.shown()));
        };
        let mut steps: Vec<(Duration, Rate)> = Vec::with_capacity(items.len());
        for item in items {
            let step = match item {
                Value::List(pair) if pair.len() == 2 => {
                    (Duration::from_value(&pair[0])?, Rate::from_value(&pair[1])?)
                }
                _ => return Err("expected [time, rate]".into()),
            };
            if step.0 > LONGEST {
                return Err("longer than ten years".into());
            }
            if steps.last().is_some_and(|(last, _)| *last >= step.0) {
                return Err(format!("steps ascend in time, but {} is not after the step before", step.0));
            }
            steps.push(step);
        }
        if steps.is_empty() { Err("expected at least one [time, rate]".into()) } else { Ok(Self(steps)) }
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.iter().map(|(t, r)| Value::List(vec![t.to_value(), r.to_value()])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_back_and_must_ascend() {
        let steps =
            RateSteps(vec![(Duration::ZERO, Rate::from_mbit(1)), (Duration::from_secs(5), Rate::default())]);
        assert_eq!(RateSteps::from_value(&steps.to_value()), Ok(steps.clone()));
        let again = RateSteps([&steps.0[..], &steps.0[1..]].concat());
        assert!(RateSteps::from_value(&again.to_value()).unwrap_err().contains("not after the step before"));
        assert!(RateSteps::from_value(&Value::List(vec![])).is_err());
    }
}
