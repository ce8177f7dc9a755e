//! The table of queue disciplines: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new discipline is one file in
//! `disciplines/` and one line here.

use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::registry::{Discipline, Invalid, QdiscInfo, qdiscs};
use crate::tc::{TcError, TcWords};
use tailrace_core::params::{ParamInfo, Parameters, SetError, Value};
use tailrace_core::{Instant, Limit, Packet};

qdiscs! {
    "droptail" => droptail::Droptail(DroptailConfig),
    "red" => red::Red(RedConfig),
    "codel" => codel::Codel(CodelConfig),
    "sfq" => sfq::Sfq(SfqConfig),
}
