//! QUIC.

use super::elsewhere::keys_elsewhere;
use super::policy::{CC, read_named};
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::Reader;
use crate::declarations::sections::QUIC;
use crate::declarations::values::plain;
use crate::model::{Plugins, Transport};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::sink::Sink;
use std::sync::Arc;
use tailrace_core::params::Parameters as _;
use tailrace_transport::CcConfig;
use tailrace_transport::quic::{ControlOrigin, QuicConfig, QuicControl, QuicPlan, QuicStack, StackControl};

/// Reads the table.
pub(super) fn read(node: &Node, plugins: &Plugins, sink: &Sink<'_>) -> Option<Transport> {
    let others = keys_elsewhere("quic");
    let r = Reader::new(node, &QUIC, sink)?.kinded().with_params(QuicConfig::params()).elsewhere(&others);
    let mut config = QuicConfig::default();
    let fine = r.set_params(|name, value| config.set(name, value));
    let fine = check_sizes(&config, &r) && fine;
    let control =
        r.read_or("cc_from", ControlOrigin::Stack, plain).and_then(|origin| match (r.node("cc"), origin) {
            (None, ControlOrigin::Stack) => Some(QuicControl::Stack(StackControl::Cubic)),
            (None, ControlOrigin::Simulator) => {
                Some(QuicControl::Simulator(CcConfig::for_profile(tailrace_transport::Profile::Rfc)))
            }
            (Some(node), ControlOrigin::Stack) => read_stack_control(node, sink),
            (Some(node), ControlOrigin::Simulator) => {
                read_simulator_control(node, config.stack, plugins, sink)
            }
        });
    r.finish();
    let complete = Transport::Quic(Arc::new(QuicPlan { config, control: control? }));
    fine.then_some(complete)
}

/// Parameters that each fit but not together.
fn check_sizes(config: &QuicConfig, r: &Reader<'_>) -> bool {
    let is_small = config.mtu_discovery && config.mtu_discovery_limit < config.initial_mtu;
    if is_small && !r.has("mtu_discovery_limit") {
        return true;
    }
    if is_small {
        let name = "mtu_discovery_limit";
        let error = r.sink().at(Code::BadValue, r.origin_of(name), format!("bad value of `{name}`"));
        r.sink().push(error.label(format!("is below initial_mtu, {}", config.initial_mtu)));
    }
    !is_small
}

/// Controls of stacks that have them in another form, and why they are not among these.
const UNSEEDED: [&str; 2] = ["bbr", "bbr3"];

/// A control of the stack: a bare word, or a table with its kind alone.
fn read_stack_control(node: &Node, sink: &Sink<'_>) -> Option<QuicControl> {
    let named = node.as_table().map_or(Some(node), |table| table.get("kind"));
    if let Some(word) = named.and_then(Node::as_text).filter(|word| !StackControl::WORDS.contains(word))
        && CcConfig::names().contains(&word)
    {
        let message = format!("{word:?} is not among the stack's congestion controls here");
        let why = if UNSEEDED.contains(&word) {
            "the stack's own draws random numbers that cannot be seeded, so runs would not repeat"
        } else {
            "the stack has \"cubic\" and \"newreno\""
        };
        let error = sink.at(Code::UnknownKind, named.map_or(node.origin, |n| n.origin), message).label(why);
        sink.push(error.help(format!("for the simulator's {word}, add cc_from = \"simulator\"")));
        return None;
    }
    let kinds = Kinds { what: "congestion control", names: &StackControl::WORDS, command: "tailrace schema" };
    let (kind, table) = kind_of(node, &kinds, sink)?;
    if let Some((key, value)) = table.and_then(|table| table.entries.iter().find(|(k, _)| k.value != "kind"))
    {
        let message = format!("the stack's {kind} has no key `{}`", key.value);
        let error = sink.at(Code::UnknownKey, value.origin, message);
        sink.push(
            error.help(format!("leave it out, or take the simulator's {kind}: cc_from = \"simulator\"")),
        );
        return None;
    }
    StackControl::named(kind).map(QuicControl::Stack)
}

/// A control of the simulator, if the stack tells it all that it needs.
fn read_simulator_control(
    node: &Node,
    stack: QuicStack,
    plugins: &Plugins,
    sink: &Sink<'_>,
) -> Option<QuicControl> {
    let names: Vec<_> = CcConfig::names().iter().copied().chain(plugins.control_names()).collect();
    let cc: CcConfig = read_named(node, &CC, &names, None, plugins, sink)?;
    let why = match (cc.name(), stack) {
        ("ledbat", _) => "it needs one-way delays, which TCP has from timestamps and QUIC has not",
        ("dctcp" | "prague", _) => {
            "it needs to know how many bytes were marked, which stacks do not tell their controls"
        }
        ("bbr" | "bbr3", QuicStack::Quinn) => {
            "it sets a pacing rate, which quinn does not take from its control"
        }
        _ => return Some(QuicControl::Simulator(cc)),
    };
    let message = format!("congestion control {:?} does not work in {}", cc.name(), stack.word());
    let error = sink.at(Code::WrongTransport, node.origin, message).label(why);
    let other =
        if stack == QuicStack::Quinn { "take another control or stack" } else { "take another control" };
    sink.push(error.help(format!("{other}, or transport kind = \"tcp\"")));
    None
}
