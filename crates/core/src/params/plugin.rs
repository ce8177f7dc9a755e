//! Algorithms that no table has: a kind that whoever reads a scenario hands in, beside the registered ones.
//!
//! What a table makes of one line (a name, parameters with their defaults, a way to build) is here an object. So an
//! algorithm can live in another crate, or in another language, and its configuration is still read, checked, written
//! out and swept like any other.

use crate::params::table::{ParamInfo, Parameters, SetError};
use crate::params::value::Value;
use core::fmt::Debug;

/// The configuration of an algorithm from outside: [`Parameters`] as an object, with a name.
pub trait PluginParameters: Debug + Send + Sync {
    /// Name in scenarios.
    fn name(&self) -> &'static str;
    /// Summary in a sentence; empty where there is none.
    fn about(&self) -> &'static str {
        ""
    }
    /// The table, in the order of declaration.
    fn params(&self) -> &'static [ParamInfo];
    /// Sets one parameter.
    ///
    /// # Errors
    /// [`SetError`] where the name is unknown or the value does not fit.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError>;
    /// The value of one parameter, in the form that `set` reads back; `None` for an unknown name.
    fn get(&self, name: &str) -> Option<Value>;
}

/// Whether two are of one kind and have the same values.
pub fn equal(a: &dyn PluginParameters, b: &dyn PluginParameters) -> bool {
    let mut params = a.params().iter().map(|p| p.name);
    a.name() == b.name() && a.params() == b.params() && params.all(|p| a.get(p) == b.get(p))
}

/// A configuration of [`parameters!`](crate::parameters) under a name.
#[derive(Clone, Debug)]
pub struct Named<C> {
    /// Name in scenarios.
    pub name: &'static str,
    /// Its parameters.
    pub config: C,
}

impl<C: Parameters + Debug + Send + Sync> PluginParameters for Named<C> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [ParamInfo] {
        C::params()
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        self.config.set(name, value)
    }
    fn get(&self, name: &str) -> Option<Value> {
        self.config.get(name)
    }
}
