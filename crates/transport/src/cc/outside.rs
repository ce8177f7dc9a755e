//! Congestion controls that are not in the table: whoever reads a scenario hands them in.

use super::{Algorithm, CongestionControl, Setup};
use core::fmt;
use tailrace_core::params::plugin::{Named, PluginParameters, equal};
use tailrace_core::params::{Invalid, ParamInfo, Parameters, SetError, Value};

/// A running congestion control from outside.
pub type BoxedControl = Box<dyn CongestionControl + Send>;

/// The configuration of a congestion control from outside: what [`Algorithm`] says, of an object.
pub trait OutsideAlgorithm: PluginParameters {
    /// Whether the parameters go together; each lies within its bounds.
    ///
    /// # Errors
    /// The parameter at fault and why.
    fn validate(&self) -> Result<(), Invalid>;
    /// A fresh instance for one connection. The configuration has passed [`OutsideAlgorithm::validate`].
    fn build(&self, setup: &Setup) -> BoxedControl;
    /// A copy.
    fn copy(&self) -> Box<dyn OutsideAlgorithm>;
}

/// An algorithm of Rust under a name.
struct Typed<A: Algorithm>(Named<A::Config>);

impl<A: Algorithm> fmt::Debug for Typed<A>
where
    A::Config: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<A: Algorithm> PluginParameters for Typed<A>
where
    A::Config: Parameters + fmt::Debug + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn params(&self) -> &'static [ParamInfo] {
        self.0.params()
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        self.0.set(name, value)
    }
    fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }
}

impl<A> OutsideAlgorithm for Typed<A>
where
    A: Algorithm + Send + 'static,
    A::Config: fmt::Debug + Send + Sync,
{
    fn validate(&self) -> Result<(), Invalid> {
        A::validate(&self.0.config)
    }
    fn build(&self, setup: &Setup) -> BoxedControl {
        Box::new(A::build(&self.0.config, setup))
    }
    fn copy(&self) -> Box<dyn OutsideAlgorithm> {
        Box::new(Self(self.0.clone()))
    }
}

/// The configuration of a congestion control from outside, as the variant of [`CcConfig`](super::CcConfig).
#[derive(Debug)]
pub struct OutsideControl(Box<dyn OutsideAlgorithm>);

impl OutsideControl {
    /// Prototype in its default configuration, which others are copies of.
    pub fn new(algorithm: impl OutsideAlgorithm + 'static) -> Self {
        Self(Box::new(algorithm))
    }
    /// An algorithm of Rust, under the name that scenarios give it.
    pub fn named<A>(name: &'static str) -> Self
    where
        A: Algorithm + Send + 'static,
        A::Config: fmt::Debug + Send + Sync,
    {
        Self::new(Typed::<A>(Named { name, config: A::Config::default() }))
    }
    /// Name in scenarios.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
    /// Description in a sentence; empty where there is none.
    pub fn about(&self) -> &'static str {
        self.0.about()
    }
    /// The parameter table.
    pub fn params(&self) -> &'static [ParamInfo] {
        self.0.params()
    }
    /// Sets one parameter.
    ///
    /// # Errors
    /// Where the name is unknown or the value does not fit.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        self.0.set(name, value)
    }
    /// The value of one parameter in the form that `set` reads; `None` for an unknown name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }
    pub(super) fn validate(&self) -> Result<(), Invalid> {
        self.0.validate()
    }
    pub(super) fn build(&self, setup: &Setup) -> BoxedControl {
        self.0.build(setup)
    }
}

impl Clone for OutsideControl {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl PartialEq for OutsideControl {
    fn eq(&self, other: &Self) -> bool {
        equal(&*self.0, &*other.0)
    }
}

/// A running control from outside.
pub struct Outside(BoxedControl);

impl Outside {
    pub(super) fn new(control: BoxedControl) -> Self {
        Self(control)
    }
    pub(super) fn control(&self) -> &dyn CongestionControl {
        &*self.0
    }
    pub(super) fn control_mut(&mut self) -> &mut dyn CongestionControl {
        &mut *self.0
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside").field("cwnd", &self.0.cwnd()).finish_non_exhaustive()
    }
}
