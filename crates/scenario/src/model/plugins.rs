//! Algorithms that a scenario may name beside the registered ones.

use tailrace_qdisc::{PluginConfig, QdiscConfig};
use tailrace_transport::CcConfig;
use tailrace_transport::cc::OutsideControl;
use tailrace_transport::mptcp::SubflowControl;

/// Algorithms that no table has, each in its default configuration. Whoever reads a scenario hands them in; their names
/// are then as good as registered ones.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    queues: Vec<PluginConfig>,
    controls: Vec<OutsideControl>,
}

impl Plugins {
    /// None.
    pub const NONE: &'static Self = &Self { queues: Vec::new(), controls: Vec::new() };

    /// With one more discipline.
    ///
    /// # Errors
    /// Where the name is taken, or is none.
    pub fn with_queue(mut self, queue: PluginConfig) -> Result<Self, String> {
        let name = queue.name();
        check_name(name, "queue discipline")?;
        if QdiscConfig::default_of(name).is_some() {
            return Err(taken(name, "a queue discipline of Tailrace", "tailrace list queues"));
        }
        if QdiscConfig::tc_kinds().contains(&name) {
            return Err(taken(name, "the first word of a tc line", "tailrace list queues"));
        }
        if self.queues.iter().any(|known| known.name() == name) {
            return Err(format!("two queue disciplines are called {name:?}: give one another name"));
        }
        self.queues.push(queue);
        Ok(self)
    }

    /// With one more congestion control.
    ///
    /// # Errors
    /// Where the name is taken, or is none.
    pub fn with_control(mut self, control: OutsideControl) -> Result<Self, String> {
        let name = control.name();
        check_name(name, "congestion control")?;
        if SubflowControl::default_of(name).is_some() {
            return Err(taken(name, "a congestion control of Tailrace", "tailrace list cc"));
        }
        if self.controls.iter().any(|known| known.name() == name) {
            return Err(format!("two congestion controls are called {name:?}: give one another name"));
        }
        self.controls.push(control);
        Ok(self)
    }

    /// The disciplines.
    pub(crate) fn queues(&self) -> &[PluginConfig] {
        &self.queues
    }

    /// The congestion controls.
    pub(crate) fn controls(&self) -> &[OutsideControl] {
        &self.controls
    }

    /// The names of all disciplines, registered ones first.
    pub(crate) fn queue_names(&self) -> Vec<&'static str> {
        let own = self.queues.iter().map(PluginConfig::name);
        QdiscConfig::names().iter().copied().chain(own).collect()
    }

    /// The default configuration of a discipline, registered or not.
    pub(crate) fn queue(&self, name: &str) -> Option<QdiscConfig> {
        let own = || self.queues.iter().find(|queue| queue.name() == name);
        QdiscConfig::default_of(name).or_else(|| own().cloned().map(QdiscConfig::Plugin))
    }

    /// The names of congestion controls that are not registered.
    pub(crate) fn control_names(&self) -> impl Iterator<Item = &'static str> {
        self.controls.iter().map(OutsideControl::name)
    }

    /// A plug-in congestion control in its default configuration.
    pub(crate) fn control(&self, name: &str) -> Option<CcConfig> {
        self.controls.iter().find(|control| control.name() == name).cloned().map(CcConfig::Outside)
    }
}

/// Names go into files, paths and tables as they are.
fn check_name(name: &str, what: &str) -> Result<(), String> {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letter) {
        return Ok(());
    }
    Err(format!("{name:?} is no name of a {what}: take small letters, digits and _, a letter first"))
}

fn taken(name: &str, by: &str, command: &str) -> String {
    format!("{name:?} is {by}: give yours another name ({command} tells which are taken)")
}
