//! Applications.

use super::packet::{MAX_PACKET, check_gap};
use super::steps::read_steps;
use crate::declarations::kinds::{Kinds, kind_of, opened};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{TCP_APPS, UDP_APPS, section_of};
use crate::declarations::values::{
    distribution, plain, positive_count, positive_duration, positive_rate, positive_size,
};
use crate::model::{App, DurationDist};
use crate::text::codes::Code;
use crate::text::diagnostic::first_few;
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_core::{Duration, Probability};

/// Reads one; `tcp` says whether the transport is TCP, where that is known.
pub(super) fn read_app(node: &Node, tcp: Option<bool>, sink: &Sink<'_>) -> Option<App> {
    let kinds: Vec<&'static str> = TCP_APPS.iter().chain(UDP_APPS).map(|(k, _)| *k).collect();
    let (kind, _) =
        kind_of(node, &Kinds { what: "application", names: &kinds, command: "tailrace list apps" }, sink)?;
    let over_tcp = TCP_APPS.iter().any(|(k, _)| *k == kind);
    let section = section_of(if over_tcp { TCP_APPS } else { UDP_APPS }, kind);
    let table = opened(node);
    let r = Reader::new(&table, section, sink)?.kinded();
    let app = if over_tcp { read_tcp_app(kind, &r) } else { read_udp_app(kind, &r) };
    r.finish();
    if tcp.is_some_and(|tcp| tcp != over_tcp) {
        let (needs, has) = if over_tcp { ("TCP", "UDP") } else { ("UDP", "TCP") };
        let fitting = if over_tcp { UDP_APPS } else { TCP_APPS };
        let names: Vec<_> = fitting.iter().map(|(k, _)| *k).collect();
        let error = sink.at(
            Code::WrongTransport,
            node.origin,
            format!("app {kind:?} needs {needs}, but the transport is {has}"),
        );
        sink.push(error.help(format!("over {has} there are: {}", first_few(&names, "tailrace list apps"))));
        return None;
    }
    app
}

fn read_tcp_app(kind: &str, r: &Reader<'_>) -> Option<App> {
    let pause = DurationDist::Constant(Duration::ZERO);
    match kind {
        "bulk" => Some(App::Bulk),
        "transfer" => r.need("size", positive_size).map(|size| App::Transfer { size: size.value }),
        "request_response" => {
            let request = r.need("request", positive_size);
            let response = r.need("response", positive_size);
            let think = r.read_or("think", pause, distribution);
            let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
            Some(App::RequestResponse {
                request: request?.value,
                response: response?.value,
                think: think?,
                count: count?,
            })
        }
        "arrivals" => {
            let size = r.need("size", positive_size);
            let gap = r.need("gap", distribution);
            let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
            Some(App::Arrivals { size: size?.value, gap: gap?.value, count: count? })
        }
        _ => {
            let size = r.need("size", positive_size);
            let gap = r.read_or("gap", pause, distribution);
            let count = r.read_or("count", None, |n| positive_count::<u32>(n).map(Some));
            Some(App::Sequence { size: size?.value, gap: gap?, count: count? })
        }
    }
}

fn read_udp_app(kind: &str, r: &Reader<'_>) -> Option<App> {
    let size = r.need("size", positive_size).map(|s| s.value);
    if kind == "schedule" {
        let steps = r.required("steps").and_then(|node| read_steps(node, size, r.sink()));
        return Some(App::Schedule { steps: steps?, size: size? });
    }
    let rate = r.need("rate", |node| {
        let rate = positive_rate(node)?;
        check_gap(rate, size.unwrap_or(MAX_PACKET)).map(|()| rate)
    });
    let rate = rate.map(|r| r.value);
    match kind {
        "cbr" => {
            let jitter = r.read_or("jitter", Probability::ZERO, plain);
            let random_phase = r.read_or("random_phase", false, plain);
            Some(App::Cbr { rate: rate?, size: size?, jitter: jitter?, random_phase: random_phase? })
        }
        "poisson" => Some(App::Poisson { rate: rate?, size: size? }),
        "on_off" => {
            let on = r.need("on", distribution);
            let off = r.need("off", distribution);
            let (on, off) = (on?.value, off?.value);
            Some(App::OnOff { rate: rate?, size: size?, on, off })
        }
        _ => {
            let period = r.need("period", positive_duration);
            let burst = r.need("burst", positive_duration);
            let (period, burst) = (period?.value, burst?.value);
            if burst > period {
                let message = format!("the burst of {burst} is longer than the period of {period}");
                r.sink().error(Code::ContradictingTimes, r.origin_of("burst"), message);
                return None;
            }
            Some(App::Pulse { period, burst, rate: rate?, size: size? })
        }
    }
}
