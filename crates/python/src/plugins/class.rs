//! A Python class as a kind of algorithm: its name, the table of its parameters, and the values that a scenario gives them.

use super::failure;
use super::parameter;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use tailrace_core::params::plugin::PluginParameters;
use tailrace_core::params::{ParamInfo, SetError, Value};

/// Kind of algorithm that a class implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PluginSort {
    Law,
    Queue,
    Control,
}

/// A class that scenarios may name.
#[derive(Debug)]
pub(crate) struct PluginClass {
    pub(super) sort: PluginSort,
    pub(super) name: &'static str,
    /// The class, as errors call it.
    pub(super) class: String,
    /// Description in one sentence.
    pub(super) about: &'static str,
    pub(super) params: &'static [ParamInfo],
    pub(super) defaults: Vec<Value>,
    /// Names of what its instances show of themselves.
    pub(super) states: &'static [&'static str],
    /// The hooks that it has of its own.
    pub(super) hooks: Vec<String>,
    /// Makes an instance of the values by name, and what it is for.
    pub(super) make: Py<PyAny>,
}

impl PluginClass {
    /// Whether the class has this hook of its own; those that it does not have are not called.
    pub(super) fn has(&self, hook: &str) -> bool {
        self.hooks.iter().any(|own| own == hook)
    }
}

/// A class with values of its parameters.
#[derive(Clone, Debug)]
pub(super) struct PluginConfig {
    pub(super) kind: Arc<PluginClass>,
    pub(super) values: Vec<Value>,
}

impl PluginConfig {
    /// An instance, made for what `setting` says.
    pub(super) fn instance<'py>(&self, py: Python<'py>, setting: impl IntoPyObject<'py>) -> Py<PyAny> {
        let made = || {
            let values = PyDict::new(py);
            for (info, value) in self.kind.params.iter().zip(&self.values) {
                values.set_item(info.name, parameter::to_python(py, info.kind, value)?)?;
            }
            let setting = setting.into_bound_py_any(py)?;
            Ok(self.kind.make.bind(py).call1((values, setting))?.unbind())
        };
        made().unwrap_or_else(|error| failure::raised(py, &self.kind.class, "start", error))
    }
}

impl PluginParameters for PluginConfig {
    fn name(&self) -> &'static str {
        self.kind.name
    }
    fn about(&self) -> &'static str {
        self.kind.about
    }
    fn params(&self) -> &'static [ParamInfo] {
        self.kind.params
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        let place = self.kind.params.iter().position(|p| p.name == name).ok_or(SetError::Unknown)?;
        let info = &self.kind.params[place];
        let settled = parameter::settled(info.kind, value).map_err(SetError::Invalid)?;
        info.check(&settled).map_err(SetError::Invalid)?;
        self.values[place] = settled;
        Ok(())
    }
    fn get(&self, name: &str) -> Option<Value> {
        let place = self.kind.params.iter().position(|p| p.name == name)?;
        Some(self.values[place].clone())
    }
}
