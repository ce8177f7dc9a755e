//! A class of Python as a kind of algorithm: its name, the table of its parameters, how an instance is made.

use super::control::Control;
use super::failure;
use super::law::ManagedLaw;
use super::parameter::{self, Declared};
use super::queue::Queue;
use crate::catalog;
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::sync::Arc;
use tailrace_core::params::plugin::PluginParameters;
use tailrace_core::params::{Invalid, ParamInfo, SetError, Value};
use tailrace_qdisc::LinkView;
use tailrace_qdisc::outside::{OutsideConfig, OutsideDiscipline, TicketQueue};
use tailrace_scenario::Plugins;
use tailrace_transport::cc::outside::{BoxedControl, OutsideAlgorithm};
use tailrace_transport::cc::{OutsideControl, Setup};

/// What a class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Law,
    Queue,
    Control,
}

/// A class that scenarios may name.
#[derive(Debug)]
pub(crate) struct Kind {
    sort: Sort,
    name: &'static str,
    /// The class, as errors call it.
    pub(super) class: String,
    /// What it is, in a sentence.
    about: &'static str,
    params: &'static [ParamInfo],
    defaults: Vec<Value>,
    /// Names of what its instances show of themselves.
    pub(super) states: &'static [&'static str],
    /// The hooks that it has of its own.
    hooks: Vec<String>,
    /// Makes an instance of the values by name, and what it is for.
    make: Py<PyAny>,
}

impl Kind {
    /// Whether the class has this hook of its own; those that it does not have are not called.
    pub(super) fn has(&self, hook: &str) -> bool {
        self.hooks.iter().any(|own| own == hook)
    }
}

/// A class of Python under the name that scenarios give it.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Outsider(Arc<Kind>);

#[pymethods]
impl Outsider {
    /// `sort` is `law`, `queue` or `control`; `names` are that of scenarios, that of the class, and what it is in a sentence; `hooks` are those that the class has of its own. Tables of parameters live as
    /// long as the process, so there is to be one of these for each class.
    #[new]
    fn new(
        sort: &str,
        names: (String, String, String),
        parameters: Vec<Declared>,
        states: Vec<String>,
        hooks: Vec<String>,
        make: Py<PyAny>,
    ) -> PyResult<Self> {
        let (name, class, about) = names;
        let sort = match sort {
            "law" => Sort::Law,
            "queue" => Sort::Queue,
            "control" => Sort::Control,
            other => return Err(PyValueError::new_err(format!("{other:?} is no sort of algorithm"))),
        };
        let read = parameters.into_iter().map(parameter::read).collect::<Result<Vec<_>, _>>();
        let read = read.map_err(|why| PyValueError::new_err(format!("{class}: {why}")))?;
        let (params, defaults): (Vec<ParamInfo>, Vec<Value>) = read.into_iter().unzip();
        let states: Vec<&'static str> = states.into_iter().map(|name| &*name.leak()).collect();
        let (name, about, params, states) = (name.leak(), about.leak(), params.leak(), states.leak());
        Ok(Self(Arc::new(Kind { sort, name, class, about, params, defaults, states, hooks, make })))
    }
}

impl Outsider {
    /// The list of the catalog that it belongs to, and its entry.
    pub(crate) fn entry(&self) -> (&'static str, serde_json::Value) {
        let kind = &*self.0;
        let default = |name: &str| {
            let place = kind.params.iter().position(|p| p.name == name)?;
            kind.defaults.get(place).cloned()
        };
        let mut entry = json!({
            "name": kind.name,
            "doc": kind.about,
            "citation": format!("class {}", kind.class),
            "params": catalog::params(kind.params, default),
        });
        if kind.sort == Sort::Control {
            return ("cc", entry);
        }
        let law = kind.sort == Sort::Law;
        entry["family"] = "own".into();
        entry["ecn"] = if law { "marks instead of dropping with `ecn`" } else { "as it decides" }.into();
        entry["per_flow_state"] = if law { "none" } else { "as it decides" }.into();
        entry["classifies"] = false.into();
        entry["in_linux"] = false.into();
        entry["states"] = json!(kind.states);
        ("queues", entry)
    }

    /// All of these, for whoever reads a scenario.
    pub(crate) fn all(these: &[PyRef<'_, Self>]) -> PyResult<Plugins> {
        let all = these.iter().try_fold(Plugins::default(), |all, one| {
            let config = Config { kind: Arc::clone(&one.0), values: one.0.defaults.clone() };
            match one.0.sort {
                Sort::Law | Sort::Queue => all.with_queue(OutsideConfig::new(config)),
                Sort::Control => all.with_control(OutsideControl::new(config)),
            }
        });
        all.map_err(PyValueError::new_err)
    }
}

/// A class with values of its parameters.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) kind: Arc<Kind>,
    values: Vec<Value>,
}

impl Config {
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

impl PluginParameters for Config {
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

impl OutsideDiscipline for Config {
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    fn build(&self, link: &LinkView) -> TicketQueue {
        match self.kind.sort {
            Sort::Law => Box::new(ManagedLaw::new(self, link)),
            Sort::Queue => Box::new(Queue::new(self, link)),
            Sort::Control => unreachable!("a control is handed in as one"),
        }
    }
    fn classifies(&self) -> bool {
        false
    }
    fn copy(&self) -> Box<dyn OutsideDiscipline> {
        Box::new(self.clone())
    }
}

impl OutsideAlgorithm for Config {
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    fn build(&self, setup: &Setup) -> BoxedControl {
        Box::new(Control::new(self, setup))
    }
    fn copy(&self) -> Box<dyn OutsideAlgorithm> {
        Box::new(self.clone())
    }
}
