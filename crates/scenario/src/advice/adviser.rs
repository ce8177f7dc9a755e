//! Adviser: the scenario and the file that advice is about, and the sink that takes warnings.

use crate::declarations::draft::Draft;
use crate::declarations::link::LinkDecl;
use crate::model::Scenario;
use crate::text::codes::Code;
use crate::text::place::Origin;
use crate::text::sink::Sink;

/// A scenario that can run, beside what the file says.
pub(crate) struct Adviser<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) draft: &'a Draft,
    pub(crate) firsts: &'a [usize],
    /// Number of faults that each `[[fault]]` has become.
    pub(crate) parts: &'a [usize],
    pub(crate) sink: &'a Sink<'a>,
}

impl Adviser<'_> {
    pub(crate) fn warn(&self, code: Code, origin: Origin, message: String, help: &str) {
        self.sink.push(self.sink.at(code, origin, message).help(help));
    }

    pub(crate) fn flow_origin(&self, group: usize) -> Origin {
        self.draft.flows[group].name.origin
    }

    pub(crate) fn fault_origin(&self, fault: usize) -> Origin {
        let mut beyond = fault;
        let past = |parts: &&usize| {
            let within = beyond < **parts;
            beyond = beyond.saturating_sub(**parts);
            !within
        };
        let decl = self.parts.iter().take_while(past).count();
        self.draft.faults[decl].keys.at.origin
    }

    /// The declaration that made a link.
    pub(crate) fn decl(&self, link: usize) -> &LinkDecl {
        &self.draft.links[self.decl_index(link)]
    }

    pub(crate) fn decl_index(&self, link: usize) -> usize {
        self.firsts.partition_point(|first| *first <= link) - 1
    }
}
