//! Declarations: what a scenario file says, table by table, with its defaults filled in.

pub(crate) mod distribution;
pub(crate) mod draft;
pub(crate) mod emit;
pub(crate) mod fault;
pub(crate) mod flow;
pub(crate) mod link;
pub(crate) mod names;
pub(crate) mod queue;
pub(crate) mod reader;
pub(crate) mod schema;
pub mod sections;
