//! Rates that change at given times.

use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::{duration, plain};
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use tailrace_app::RateSteps;
use tailrace_core::Duration;

/// Whether a step, or a part of it, was reported already.
fn is_broken(step: &Node) -> bool {
    match &step.data {
        Data::Broken => true,
        Data::Array(pair) => pair.iter().any(|node| matches!(node.data, Data::Broken)),
        _ => false,
    }
}

/// Reads them; each that does not fit is reported where it stands.
pub(crate) fn read_steps(node: &Node, sink: &Sink<'_>) -> Option<RateSteps> {
    let items = match &node.data {
        Data::Array(items) if !items.is_empty() => items,
        Data::Broken => return None,
        _ => {
            let error = sink.at(Code::WrongType, node.origin, "`steps` is a list of [time, rate]");
            sink.push(error.help("such as steps = [[\"0 s\", \"1 Mbit/s\"], [\"5 s\", \"0 bit/s\"]]"));
            return None;
        }
    };
    let mut steps: Vec<(Duration, _)> = Vec::with_capacity(items.len());
    let before = sink.errors();
    for item in items {
        if is_broken(item) {
            continue;
        }
        let step = match &item.data {
            Data::Array(pair) if pair.len() == 2 => {
                duration(&pair[0]).and_then(|time| plain(&pair[1]).map(|rate| (time, rate)))
            }
            _ => Err(UnfitValue { code: Code::WrongType, why: "expected [time, rate]".into() }),
        };
        match step {
            Ok((time, _)) if steps.last().is_some_and(|(last, _)| *last >= time) => {
                sink.error(
                    Code::ContradictingTimes,
                    item.origin,
                    format!("steps ascend in time, but {time} is not after the step before"),
                );
            }
            Ok(step) => steps.push(step),
            Err(unfit) => sink.push(sink.at(unfit.code, item.origin, "bad step").label(unfit.why)),
        }
    }
    (sink.errors() == before).then_some(RateSteps(steps))
}
