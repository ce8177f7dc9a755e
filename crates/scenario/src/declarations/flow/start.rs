//! When flows start.

use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::{distribution, duration};
use crate::model::DurationDist;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::place::{At, Origin};
use tailrace_core::Duration;

/// The start of all flows, or that of each: nothing, or an empty list, stands for the other.
pub(super) fn read_starts(r: &Reader<'_>) -> (Option<DurationDist>, Option<At<Vec<Duration>>>) {
    let at_once = DurationDist::Constant(Duration::ZERO);
    let none = At { value: Vec::new(), origin: r.origin_of("start") };
    let Some(Node { data: Data::Array(items), origin }) = r.node("start") else {
        return (r.read_or("start", at_once, distribution), Some(none));
    };
    let each: Result<Vec<Duration>, (Origin, UnfitValue)> =
        items.iter().map(|item| duration(item).map_err(|unfit| (item.origin, unfit))).collect();
    let starts = match each {
        Ok(value) if !value.is_empty() => Some(At { value, origin: *origin }),
        Ok(_) => {
            r.sink().error(Code::EmptyList, *origin, "`start` lists no times");
            None
        }
        Err((origin, unfit)) => {
            r.sink().push(r.sink().at(unfit.code, origin, "bad value of `start`").label(unfit.why));
            None
        }
    };
    (Some(at_once), starts)
}
