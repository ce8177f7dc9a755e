//! Tables with one row for each flow, queue, path or connection of a run.

pub(crate) mod flow_windows;
pub(crate) mod flows;
pub(crate) mod paths;
pub(crate) mod queues;
pub(crate) mod reordering;
