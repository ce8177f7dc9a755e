//! Random draws of basic values from a scenario's generator.

use tailrace_core::Rng;
use tailrace_core::math;

/// Random draws for one scenario.
pub(crate) struct Draw {
    rng: Rng,
    /// Probability that a parameter is set, and that it is set to a bound: scenarios range from tame to wild.
    pub(crate) wildness: f64,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self::of_stream(seed, "chaos")
    }

    /// Draws of another kind of scenario, which leave those of the seed as they are.
    pub(crate) fn of_stream(seed: u64, stream: &str) -> Self {
        let mut rng = Rng::named(seed, stream);
        let wildness = *pick(&mut rng, &[0.0, 0.1, 0.3, 0.6]);
        Self { rng, wildness }
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.rng.bernoulli(p)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }

    /// A number from `from` to `to`, both included.
    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.rng.below(to - from + 1)
    }

    /// A log-uniform number.
    pub(crate) fn scale(&mut self, from: f64, to: f64) -> f64 {
        let (from, to) = (math::ln(from), math::ln(to));
        math::exp(from + (to - from) * self.rng.uniform())
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        self.rng.uniform()
    }

    /// An element of `choices`.
    pub(crate) fn any<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        pick(&mut self.rng, choices)
    }

    /// A log-uniform time in seconds, as text.
    pub(crate) fn time(&mut self, from_s: f64, to_s: f64) -> String {
        seconds(self.scale(from_s, to_s))
    }
}

fn pick<'a, T>(rng: &mut Rng, choices: &'a [T]) -> &'a T {
    &choices[rng.below(choices.len() as u64) as usize]
}

/// A duration as text, to the microsecond.
pub(crate) fn seconds(s: f64) -> String {
    format!("{} us", (s * 1e6).max(1.0) as u64)
}
