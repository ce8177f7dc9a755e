//! Python classes as algorithms that scenarios may name, and the builders of their instances.

use super::class::{PluginClass, PluginConfig, PluginSort};
use super::control::PluginControl;
use super::law::ManagedLaw;
use super::parameter::{self, DeclaredParameter};
use super::queue::PluginQueue;
use crate::catalog;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::sync::Arc;
use tailrace_core::params::{Invalid, ParamInfo, Value};
use tailrace_qdisc::plugin::{self, PluginDiscipline, TicketQueue};
use tailrace_qdisc::{LinkView, Shaping};
use tailrace_scenario::Plugins;
use tailrace_transport::cc::outside::{BoxedControl, OutsideAlgorithm};
use tailrace_transport::cc::{OutsideControl, Setup};

/// A class of Python under the name that scenarios give it.
#[pyclass(frozen, module = "tailrace._native")]
pub(crate) struct Plugin(Arc<PluginClass>);

#[pymethods]
impl Plugin {
    /// `sort` is `law`, `queue` or `control`; `names` are that of scenarios, that of the class, and what it is in a sentence; `hooks` are those that the class has of its own. Tables of parameters live as
    /// long as the process, so there is to be one of these for each class.
    #[new]
    fn new(
        sort: &str,
        names: (String, String, String),
        parameters: Vec<DeclaredParameter>,
        states: Vec<String>,
        hooks: Vec<String>,
        make: Py<PyAny>,
    ) -> PyResult<Self> {
        let (name, class, about) = names;
        let sort = match sort {
            "law" => PluginSort::Law,
            "queue" => PluginSort::Queue,
            "control" => PluginSort::Control,
            other => return Err(PyValueError::new_err(format!("{other:?} is no sort of algorithm"))),
        };
        let read = parameters.into_iter().map(parameter::read).collect::<Result<Vec<_>, _>>();
        let read = read.map_err(|why| PyValueError::new_err(format!("{class}: {why}")))?;
        let (params, defaults): (Vec<ParamInfo>, Vec<Value>) = read.into_iter().unzip();
        let states: Vec<&'static str> = states.into_iter().map(|name| &*name.leak()).collect();
        let (name, about, params, states) = (name.leak(), about.leak(), params.leak(), states.leak());
        Ok(Self(Arc::new(PluginClass { sort, name, class, about, params, defaults, states, hooks, make })))
    }
}

impl Plugin {
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
        if kind.sort == PluginSort::Control {
            return ("cc", entry);
        }
        let law = kind.sort == PluginSort::Law;
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
            let config = PluginConfig { kind: Arc::clone(&one.0), values: one.0.defaults.clone() };
            match one.0.sort {
                PluginSort::Law | PluginSort::Queue => all.with_queue(plugin::PluginConfig::new(config)),
                PluginSort::Control => all.with_control(OutsideControl::new(config)),
            }
        });
        all.map_err(PyValueError::new_err)
    }
}

impl PluginDiscipline for PluginConfig {
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    fn build(&self, link: &LinkView) -> TicketQueue {
        match self.kind.sort {
            PluginSort::Law => Box::new(ManagedLaw::new(self, link)),
            PluginSort::Queue => Box::new(PluginQueue::new(self, link)),
            PluginSort::Control => unreachable!("a control is handed in as one"),
        }
    }
    fn classifies(&self) -> bool {
        false
    }
    fn shaping(&self) -> Shaping {
        // A queue that asks to be called at times of its own can keep packets while the link is free.
        let holds = self.kind.sort == PluginSort::Queue && self.kind.has("poll_timeout");
        if holds { Shaping::Unknown } else { Shaping::None }
    }
    fn copy(&self) -> Box<dyn PluginDiscipline> {
        Box::new(self.clone())
    }
}

impl OutsideAlgorithm for PluginConfig {
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    fn build(&self, setup: &Setup) -> BoxedControl {
        Box::new(PluginControl::new(self, setup))
    }
    fn copy(&self) -> Box<dyn OutsideAlgorithm> {
        Box::new(self.clone())
    }
}
