//! Rates that are drawn: `uniform(1 Mbit/s, 30 Mbit/s)`, `log_uniform(1 Mbit/s, 30 Mbit/s)`,
//! `markov(0.2, 1 Mbit/s, 5 Mbit/s, 30 Mbit/s)`.

use crate::bounds::RATES;
use core::fmt;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;
use tailrace_core::{Probability, Rate, Rng};

/// Distribution from which successive rates are drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum RateDist {
    /// Each between the two.
    Uniform(Rate, Rate),
    /// Each between the two, all orders of magnitude alike.
    LogUniform(Rate, Rate),
    /// Chain over these rates. The first is drawn uniformly; then, with this probability, it moves to the neighbour
    /// before or after (equally likely; at the ends there is one neighbour).
    Markov(Probability, Vec<Rate>),
}

const FORMS: &str = "\"uniform(1 Mbit/s, 30 Mbit/s)\", \"log_uniform(1 Mbit/s, 30 Mbit/s)\" or \
                     \"markov(0.2, 1 Mbit/s, 5 Mbit/s, 30 Mbit/s)\"";

impl RateDist {
    /// The largest that there is.
    pub fn largest(&self) -> Rate {
        match self {
            Self::Uniform(_, largest) | Self::LogUniform(_, largest) => *largest,
            Self::Markov(_, states) => states.iter().copied().max().unwrap_or_default(),
        }
    }

    /// Draws the next; `state` is that of a chain, or nothing at first.
    pub fn draw(&self, state: &mut Option<usize>, rng: &mut Rng) -> Rate {
        match self {
            Self::Uniform(low, high) => {
                let (low, high) = (low.as_bps(), high.as_bps());
                Rate::from_bps(low + ((high - low) as f64 * rng.uniform()) as u64)
            }
            Self::LogUniform(low, high) => {
                let [a, b] = [low, high].map(|r| tailrace_core::math::ln(r.as_bps() as f64));
                let drawn = tailrace_core::math::exp(a + (b - a) * rng.uniform()) as u64;
                Rate::from_bps(drawn.clamp(low.as_bps(), high.as_bps()))
            }
            Self::Markov(turns, states) => {
                let last = states.len() - 1;
                let next = match *state {
                    None => rng.below(states.len() as u64) as usize,
                    Some(at) if last == 0 || !rng.bernoulli(turns.get()) => at,
                    Some(0) => 1,
                    Some(at) if at == last => last - 1,
                    Some(at) => at - 1 + 2 * usize::from(rng.bernoulli(0.5)),
                };
                *state = Some(next);
                states[next]
            }
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.trim().strip_suffix(')').and_then(|text| text.split_once('('));
        let (name, inside) = parts.ok_or_else(|| format!("{text:?} is none of {FORMS}"))?;
        let args: Vec<&str> = inside.split(',').map(str::trim).collect();
        let rate = |text: &&str| {
            let rate = Rate::parse(text)?;
            RATES.check(Kind::Rate, &rate.to_value()).map(|()| rate)
        };
        let ends = || match args.as_slice() {
            [low, high] => match (rate(low)?, rate(high)?) {
                (low, high) if low > high => {
                    Err(format!("the lower end {low} is above the upper end {high}"))
                }
                ends => Ok(ends),
            },
            _ => Err(format!("{} arguments do not fit; known forms are {FORMS}", args.len())),
        };
        match name.trim() {
            "uniform" => ends().map(|(low, high)| Self::Uniform(low, high)),
            "log_uniform" => ends().map(|(low, high)| Self::LogUniform(low, high)),
            "markov" if args.len() > 1 => {
                let turns = args[0].parse().ok().and_then(Probability::new);
                let turns = turns.ok_or_else(|| format!("{:?} is no probability from 0 to 1", args[0]))?;
                let states: Result<Vec<Rate>, String> = args[1..].iter().map(rate).collect();
                Ok(Self::Markov(turns, states?))
            }
            _ => Err(format!("{text:?} is none of {FORMS}")),
        }
    }
}

impl Default for RateDist {
    /// None that could be drawn from: it must be stated.
    fn default() -> Self {
        Self::Uniform(Rate::default(), Rate::default())
    }
}

impl fmt::Display for RateDist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform(low, high) => write!(f, "uniform({low}, {high})"),
            Self::LogUniform(low, high) => write!(f, "log_uniform({low}, {high})"),
            Self::Markov(turns, states) => {
                write!(f, "markov({:?}", turns.get())?;
                states.iter().try_for_each(|rate| write!(f, ", {rate}"))?;
                f.write_str(")")
            }
        }
    }
}

impl ParamType for RateDist {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::read(text),
            _ => Err(format!("expected {FORMS}")),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(text: &str) -> RateDist {
        let law = RateDist::from_value(&Value::Text(text.into())).unwrap();
        assert_eq!(RateDist::from_value(&law.to_value()), Ok(law.clone()));
        law
    }

    fn draws(law: &RateDist, n: usize) -> Vec<f64> {
        let (mut state, mut rng) = (None, Rng::new(7));
        (0..n).map(|_| law.draw(&mut state, &mut rng).as_bps() as f64 / 1e6).collect()
    }

    #[test]
    fn draws_have_the_means_of_their_laws() {
        let mean = |xs: &[f64]| xs.iter().sum::<f64>() / xs.len() as f64;
        let uniform = draws(&law("uniform(1 Mbit/s, 30 Mbit/s)"), 20_000);
        assert!((mean(&uniform) - 15.5).abs() < 0.3 && uniform.iter().all(|x| (1.0..=30.0).contains(x)));
        let logarithmic = draws(&law("log_uniform(1 Mbit/s, 100 Mbit/s)"), 20_000);
        // Half of them lie below the geometric mean.
        let below = logarithmic.iter().filter(|x| **x < 10.0).count() as f64 / 20_000.0;
        assert!((below - 0.5).abs() < 0.02, "{below}");
        assert_eq!(law("markov(0.2, 1 Mbit/s, 5 Mbit/s, 30 Mbit/s)").largest(), Rate::from_mbit(30));
    }

    #[test]
    fn a_chain_goes_to_neighbours_only_and_as_often_as_it_is_to() {
        let chain = draws(&law("markov(0.2, 1 Mbit/s, 5 Mbit/s, 30 Mbit/s)"), 50_000);
        assert!(chain.windows(2).all(|w| w[0] == w[1] || w[0] == 5.0 || w[1] == 5.0));
        let turns = chain.windows(2).filter(|w| w[0] != w[1]).count() as f64 / 50_000.0;
        assert!((turns - 0.2).abs() < 0.01, "{turns}");
        // The middle state of a chain of three has half of the time.
        let middle = chain.iter().filter(|x| **x == 5.0).count() as f64 / 50_000.0;
        assert!((middle - 0.5).abs() < 0.03, "{middle}");
    }

    #[test]
    fn invalid_rate_distributions_are_refused() {
        for text in [
            "uniform(1 Mbit/s)",
            "uniform(2 Mbit/s, 1 Mbit/s)",
            "uniform(0 bit/s, 1 Mbit/s)",
            "normal(1 Mbit/s, 1 Mbit/s)",
            "markov(2, 1 Mbit/s)",
            "markov(0.5)",
            "5 Mbit/s",
            "uniform(1, 2)",
        ] {
            assert!(RateDist::from_value(&Value::Text(text.into())).is_err(), "{text}");
        }
    }
}
