//! Declarations: what a scenario file says, table by table, with its defaults filled in.
//!
//! Owns the tables of keys, the kinds of value, the reader that follows them, the schema and the emission of the resolved
//! file. Knows no other table than the one it reads: what names mean is for `resolving`.
//! May import: `model`, `text`.

pub(crate) mod allow;
pub(crate) mod capture;
pub(crate) mod declaration;
pub(crate) mod draft;
pub(crate) mod fault;
pub(crate) mod flow;
pub(crate) mod head;
pub(crate) mod key;
pub(crate) mod key_row;
pub(crate) mod link;
pub(crate) mod medium;
pub(crate) mod names;
pub(crate) mod node;
pub(crate) mod queue;
pub(crate) mod routing;
pub(crate) mod schema;
pub mod sections;
pub(crate) mod sweep;
pub(crate) mod window;

mod address;
mod codecs;
mod composite;
mod emit;
mod figure;
pub(crate) mod kernel;
mod kinds;
mod lines;
mod loss;
pub(crate) mod places;
mod rate;
mod reader;
mod rows;
mod sizes;
mod steps;
mod unfit;
mod values;
