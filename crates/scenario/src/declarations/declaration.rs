//! The scenario as written, complete: what `to_toml` writes.

use crate::declarations::capture::CaptureDecl;
use crate::declarations::fault::FaultDecl;
use crate::declarations::figure::FigureDecl;
use crate::declarations::flow::FlowDecl;
use crate::declarations::head::Head;
use crate::declarations::link::LinkDecl;
use crate::declarations::medium::MediumDecl;
use crate::declarations::node::NodeDecl;
use crate::declarations::sweep::Sweep;
use crate::declarations::window::WindowDecl;
use crate::model::{Fault, Scenario};
use crate::text::codes::Code;

/// A scenario before expansion: what `to_toml` writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    pub(crate) head: Head,
    pub(crate) allow: Vec<Code>,
    pub(crate) windows: Vec<WindowDecl>,
    pub(crate) nodes: Vec<NodeDecl>,
    pub(crate) media: Vec<MediumDecl>,
    pub(crate) links: Vec<LinkDecl>,
    pub(crate) flows: Vec<FlowDecl>,
    pub(crate) faults: Vec<FaultDecl>,
    pub(crate) captures: Vec<CaptureDecl>,
    pub(crate) figures: Vec<FigureDecl>,
    pub(crate) sweep: Sweep,
}

impl Declaration {
    /// The same with more faults, of links of `scenario`, which was made of it.
    #[must_use]
    pub fn with_faults(&self, faults: &[Fault], scenario: &Scenario) -> Self {
        let mut more = self.clone();
        for fault in faults {
            let links = fault.links().into_iter();
            let names = links.map(|l| &scenario.links[l.0 as usize].name);
            more.faults.extend(names.map(|name| FaultDecl::of(fault, name)));
        }
        more
    }

    /// Keys and values of each `[[figure]]` that are written.
    pub fn figures(&self) -> impl Iterator<Item = impl Iterator<Item = (&'static str, &str)>> {
        self.figures.iter().map(FigureDecl::said)
    }

    /// The variants of `[sweep]`, which a single run ignores.
    pub const fn sweep(&self) -> &Sweep {
        &self.sweep
    }
}
