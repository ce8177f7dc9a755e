//! Values of parameters that may be more than plain: rates over time, loss processes, sizes of files.

use crate::declarations::loss::read_loss;
use crate::declarations::reader::ParamReading;
use crate::declarations::sizes::read_sizes;
use crate::declarations::steps::read_steps;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use tailrace_core::params::{Kind, ParamInfo, ParamType as _, Value};

/// Reads one, for [`Reader::set_params_by`](crate::declarations::reader::Reader::set_params_by).
pub(crate) fn read_composite(p: &ParamInfo, node: &Node, sink: &Sink<'_>) -> ParamReading {
    let read = match (p.kind, &node.data) {
        (Kind::Loss, _) => read_loss(p.name, node, sink).map(|loss| loss.to_value()),
        (Kind::Steps, Data::Array(_) | Data::Table(_) | Data::Date) => {
            read_steps(node, sink).map(|steps| steps.to_value())
        }
        (Kind::Rates, Data::Array(items)) => read_rates(items, sink),
        (Kind::Sizes, _) => return read_sizes(p.name, node, sink),
        _ => return ParamReading::Plain,
    };
    read.map_or(ParamReading::Wrong, ParamReading::Value)
}

/// The rates of a list as such; what they may be is for whoever takes them.
fn read_rates(items: &[Node], sink: &Sink<'_>) -> Option<Value> {
    let plain = |node: &Node| match &node.data {
        Data::Plain(value) => Some(value.clone()),
        _ => {
            let error = sink.at(Code::WrongType, node.origin, "expected a rate");
            sink.push(error.label(format!("found {}", node.shown())));
            None
        }
    };
    items.iter().map(plain).collect::<Option<_>>().map(Value::List)
}
