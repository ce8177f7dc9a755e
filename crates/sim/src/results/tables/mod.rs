//! Tables with one row for each flow, queue, path, connection or event of a run.

pub(crate) mod connections;
pub(crate) mod events;
pub(crate) mod flow_windows;
pub(crate) mod flows;
pub(crate) mod paths;
pub(crate) mod queues;
pub(crate) mod reordering;
