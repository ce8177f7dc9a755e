//! As much as goes, on one connection: the greedy source of most papers on congestion control.

use crate::application::{Application, Cx, Data};
use crate::registry::{AppKind, Over};

tailrace_core::parameters! {
    /// Keys of `bulk`.
    pub struct BulkConfig {}
}

impl AppKind for BulkConfig {
    const SUMMARY: &'static str = "As much as goes, until `stop`.";
    const OVER: Over = Over::Streams;
    type App = Bulk;

    fn build(&self) -> Bulk {
        Bulk
    }
}

/// One that runs.
#[derive(Debug)]
pub struct Bulk;

impl Application for Bulk {
    fn on_wake(&mut self, cx: &mut Cx<'_>) {
        cx.open(Data::Endless);
    }
}
