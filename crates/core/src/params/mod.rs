//! Parameters of algorithms, described once.
//!
//! [`parameters!`](crate::parameters) turns one commented struct into the struct, its `Default`, and a table of its
//! parameters. Scenario parsing, the JSON Schema, `tailrace list`, the documentation pages and the resolved
//! scenario all read that table, so a parameter cannot be settable but undocumented, or the reverse.

mod bounds;
mod const_parse;
mod kind;
mod macros;
pub mod plugin;
mod rates;
mod registry;
mod table;
pub mod tagged;
mod types;
mod value;

pub use bounds::Bounds;
pub use kind::Kind;
#[doc(hidden)]
pub use macros::{described, parameter_constant, parameter_default, stated};
pub use rates::Rates;
pub use table::{Choice, Invalid, ParamInfo, ParamType, Parameters, SetError, check_bounds, read};
pub use value::Value;
