//! Windows: from when to when they last, which the ones beside them, the warm-up and the end of the run say, too.

use crate::declarations::draft::Draft;
use crate::declarations::head::Head;
use crate::declarations::window::WindowDecl;
use crate::model::Window;
use crate::resolving::unique::check_unique;
use crate::text::codes::Code;
use crate::text::place::At;
use crate::text::sink::Sink;
use tailrace_core::Duration;

/// Fills in the times at which windows begin, where they are not written.
pub(crate) fn fill(draft: &mut Draft, sink: &Sink<'_>) {
    let mut before = draft.head.as_ref().map(|head| head.keys.warmup.value);
    for decl in &mut draft.windows {
        let origin = decl.name.origin;
        if let (None, Some(value)) = (&decl.start, before) {
            decl.start = Some(At { value, origin });
        } else if decl.start.is_none() && draft.head.is_some() {
            let message = format!("window {} needs `start`", decl.name.value);
            let help = "the window before it has no `end`: one of the two says when it begins";
            sink.push(sink.at(Code::MissingKey, origin, message).help(help));
        }
        before = decl.end.as_ref().map(|end| end.value);
    }
}

/// The windows, if they follow one another between the end of the warm-up and the end of the run.
pub(crate) fn resolve(decls: &[WindowDecl], head: &Head, sink: &Sink<'_>) -> Vec<Window> {
    check_unique("windows", decls.iter().map(|decl| &decl.name), sink);
    let starts = decls.iter().map(|decl| decl.start.as_ref().map(|start| start.value));
    let next = starts.skip(1).chain([None]).map(|start| start.unwrap_or(head.keys.duration.value));
    let windows = decls.iter().zip(next).filter_map(|(decl, next)| {
        let end = decl.end.as_ref().map_or(next, |end| end.value);
        Some(Window { name: decl.name.value.clone(), start: decl.start.as_ref()?.value, end })
    });
    let windows: Vec<Window> = windows.collect();
    if windows.len() == decls.len() {
        check_bounds(decls, &windows, head, sink);
        check_order(decls, &windows, sink);
    }
    windows
}

/// Each begins after the warm-up and ends with the run at the latest.
fn check_bounds(decls: &[WindowDecl], windows: &[Window], head: &Head, sink: &Sink<'_>) {
    let (warmup, duration) = (head.keys.warmup.value, head.keys.duration.value);
    let wrong = |at: &Option<At<Duration>>, decl: &WindowDecl, message: String, help: String| {
        let origin = at.as_ref().map_or(decl.name.origin, |at| at.origin);
        sink.push(sink.at(Code::ContradictingTimes, origin, message).help(help));
    };
    for (decl, Window { name, start, end }) in decls.iter().zip(windows) {
        let lasts = format!("the run lasts {duration}: lengthen `duration`, or let the window come earlier");
        if *start < warmup {
            let help = format!("let it begin at {warmup} or later, or shorten `warmup`");
            wrong(&decl.start, decl, format!("window {name} begins at {start}, within the warm-up"), help);
        } else if *start >= duration {
            wrong(&decl.start, decl, format!("window {name} begins at {start}, when the run is over"), lasts);
        } else if *end > duration && decl.end.is_some() {
            wrong(&decl.end, decl, format!("window {name} ends at {end}, when the run is over"), lasts);
        }
    }
}

/// Each begins when the one before it has ended, and ends after that.
fn check_order(decls: &[WindowDecl], windows: &[Window], sink: &Sink<'_>) {
    for (decl, window) in decls.iter().zip(windows) {
        if let Some(end) = decl.end.as_ref().filter(|end| end.value <= window.start) {
            let message =
                format!("window {} ends at {} but begins at {}", window.name, end.value, window.start);
            sink.error(Code::ContradictingTimes, end.origin, message);
        }
    }
    for (pair, decl) in windows.windows(2).zip(decls.iter().skip(1)) {
        let [before, window] = pair else { continue };
        if window.start <= before.start || window.start < before.end {
            let Window { name, start, .. } = window;
            let message = format!("window {name} begins at {start}, before window {} is over", before.name);
            let origin = decl.start.as_ref().map_or(decl.name.origin, |start| start.origin);
            let help = "windows follow one another: write them in order of time, none beginning before the last has ended";
            sink.push(sink.at(Code::ContradictingTimes, origin, message).help(help));
        }
    }
}
