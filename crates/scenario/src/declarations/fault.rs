//! `[[fault]]`.

use crate::declarations::codecs::{DURATION, NAME, POSITIVE_DURATION, plain};
use crate::declarations::composite::read_composite;
use crate::declarations::key::Section;
use crate::declarations::key_row::{optional, required, section, with_default};
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::lines::Lines;
use crate::declarations::names::{self, Selector};
use crate::declarations::places::{
    DIRECTION, Direction, HOST_LIST, INTERFACES, LINK_LIST, Numbers, ROUTER_LIST,
};
use crate::declarations::queue::{QueueContext, QueueDefaults, read_queue};
use crate::declarations::reader::{MisplacedKey, ParamReading, Reader};
use crate::declarations::rows::read_rows;
use crate::model::{Fault, FaultConfig};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use crate::text::write::{plain as plain_text, text};
use core::cell::RefCell;
use tailrace_core::Duration;
use tailrace_core::params::{Kind, ParamInfo};
use tailrace_impair::faults::catalog;

section! {
    /// Keys of `[[fault]]` beside those of its kind, which `crates/impair` describes.
    pub FAULT = "[[fault]]", "Something that happens to links during the run: one goes down, becomes slower, or loses packets.";
    pub(crate) struct FaultKeys {
        name: Option<At<String>> = optional(NAME, "none"), "A name, so that paths such as `fault.NAME.at` can refer to it; no other fault may have it.";
        at: At<Duration> = required(DURATION), "When it starts.";
        until: Option<At<Duration>> = optional(DURATION, "the end"), "When it ends.";
        link: Option<At<Vec<At<Selector>>>> = optional(LINK_LIST, "none; then `host` or `router`"), "The links that it happens to, by their names or ends.";
        host: Option<At<Vec<At<Selector>>>> = optional(HOST_LIST, "none; then `link` or `router`"), "The hosts to whose links it happens.";
        router: Option<At<Vec<At<Selector>>>> = optional(ROUTER_LIST, "none; then `link` or `host`"), "The routers to whose links it happens.";
        interface: Option<At<Vec<At<Numbers>>>> = optional(INTERFACES, "all"), "Links of `host` by their numbers, from 1 on, in the order of the file.";
        direction: At<Direction> = with_default(DIRECTION, "both"),
            "In which direction it happens. For `link`: \"forward\", from its first end to the second, or \"reverse\". For `host` or `router`: \"up\", away from it, or \"down\", towards it.";
        every: Option<At<Duration>> = optional(POSITIVE_DURATION, "all at once"), "With several links: it starts at one link after the other, so much time apart.";
        count: Option<At<u32>> = optional(plain::<u32>(), "all"), "With several links: at how many of them it happens, the first ones.";
        back_every: Option<At<Duration>> = optional(POSITIVE_DURATION, "all at `until`"),
            "With several links, instead of `until`: after it has started at the last link, it ends at one link after the other, so much time apart, in the same order.";
        overlap: At<bool> = with_default(plain::<bool>(), "false"), "Whether it may partly overlap in time with other faults of its kind at the same link. Otherwise one must lie within the other.";
    }
}

/// A `[[fault]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FaultDecl {
    pub(crate) keys: FaultKeys,
    pub(crate) kind: FaultConfig,
}

impl FaultDecl {
    /// The declaration that makes this fault of the link called `name`.
    pub(crate) fn of(fault: &Fault, name: &str) -> Self {
        let origin = Origin::Scenario;
        let link = names::link_selector(name).expect("the name of a link selects it");
        let keys = FaultKeys {
            name: None,
            at: At { value: fault.at, origin },
            until: fault.until.map(|value| At { value, origin }),
            link: Some(At { value: vec![At { value: link, origin }], origin }),
            host: None,
            router: None,
            interface: None,
            direction: At { value: Direction::Both, origin },
            every: None,
            count: None,
            back_every: None,
            // Whoever changes a link while it runs does so whatever the file says.
            overlap: At { value: true, origin },
        };
        Self { keys, kind: fault.kind.clone() }
    }

    /// Reads one `[[fault]]`.
    pub(crate) fn read(node: &Node, around: QueueContext<'_>, sink: &Sink<'_>) -> Option<Self> {
        let Some(table) = node.as_table() else {
            // Reports that it is no table.
            let _ = Reader::new(node, &FAULT, sink);
            return None;
        };
        let kind = kind_of(node, &KINDS, sink).and_then(|(kind, _)| FaultConfig::default_of(kind));
        let section = Section { title: kind.as_ref().map_or(FAULT.title, FaultConfig::title), ..FAULT };
        // Where the kind is not known, a key may be that of any.
        let params = kind.as_ref().map_or_else(params_of_all, |kind| kind.params().to_vec());
        let others = keys_elsewhere(&params);
        let r =
            Reader::of(table, node.origin, &section, sink).kinded().with_params(&params).elsewhere(&others);
        let keys = FaultKeys::read_keys(&r);
        let kind = kind.and_then(|kind| set_keys(kind, around, &r));
        let wrong = sink.errors();
        if let Some(keys) = &keys {
            check_times(keys, sink);
            if kind.as_ref().is_some_and(|kind| kind.changed_fields().address) {
                check_interface(keys, &r);
            } else {
                check_place(keys, &r);
            }
        }
        r.finish();
        if sink.errors() > wrong {
            return None;
        }
        Some(Self { keys: keys?, kind: kind? })
    }

    /// Writes it as it is.
    pub(crate) fn put(&self, out: &mut Lines) {
        self.keys.put(out);
        out.put("kind", text(self.kind.name()));
        let usual = FaultConfig::default_of(self.kind.name());
        for p in self.kind.params() {
            let value = self.kind.get(p.name).expect("it is in the table");
            // A key that another kind lacks is accepted with its default value, since a sweep may change the kind.
            let default = usual.as_ref().and_then(|usual| usual.get(p.name)).filter(|_| !p.required);
            let note = if default.as_ref() == Some(&value) { "# " } else { "" };
            out.put(&format!("{note}{}", p.name), plain_text(&value));
        }
    }
}

/// Whether it ends once, after it has started.
fn check_times(keys: &FaultKeys, sink: &Sink<'_>) {
    let (at, Some(until)) = (keys.at.value, &keys.until) else { return };
    if let Some(back) = &keys.back_every {
        let message = "`back_every` says when the fault ends, and so does `until`";
        sink.push(sink.at(Code::ContradictingTimes, back.origin, message).help("leave out one of the two"));
    } else if until.value <= at {
        let message = format!("the fault ends at {} but starts at {at}", until.value);
        sink.error(Code::ContradictingTimes, until.origin, message);
    }
}

/// Whether it says either links or hosts, and goes with them what it says beside.
fn check_place(keys: &FaultKeys, r: &Reader<'_>) {
    let (sink, direction) = (r.sink(), &keys.direction);
    let places = [("link", &keys.link), ("host", &keys.host), ("router", &keys.router)];
    let mut given = places.iter().filter_map(|(name, place)| place.as_ref().map(|place| (*name, place)));
    let first = given.next();
    if first.is_none() && !places.iter().any(|(name, _)| r.has(name)) {
        let error = sink.at(Code::MissingKey, r.origin(), "the fault needs `link`, `host` or `router`");
        let help = "`link`: links by their names or ends; `host`, `router`: those whose links are concerned";
        sink.push(error.help(help));
    }
    if let (Some((first, _)), Some((other, place))) = (first, given.next()) {
        let message = format!("the fault has `{first}`, and so takes no `{other}`");
        let error = sink.at(Code::MisplacedKey, place.origin, message);
        sink.push(error.help("leave out one of the two, or write two [[fault]]"));
    }
    if let (Some(("link" | "router", _)), Some(interface)) = (first, &keys.interface) {
        let error = sink.at(Code::MisplacedKey, interface.origin, "`interface` is a key beside `host`");
        sink.push(error.help("name the link of that interface, or the host in place of the link"));
    }
    let wrong = match direction.value {
        Direction::Both => None,
        Direction::Forward | Direction::Reverse => {
            first.filter(|(name, _)| *name != "link").map(|(name, _)| (name, "\"up\" or \"down\""))
        }
        Direction::Up | Direction::Down => keys.link.as_ref().map(|_| ("link", "\"forward\" or \"reverse\"")),
    };
    if let Some((place, words)) = wrong {
        let error = sink.at(Code::BadValue, direction.origin, "bad value of `direction`");
        sink.push(error.label(format!("of a `{place}` it is {words}, or \"both\"")));
    }
}

/// Whether it says a host, where it is an interface's: which one is for later, when links are known.
fn check_interface(keys: &FaultKeys, r: &Reader<'_>) {
    let (sink, direction) = (r.sink(), &keys.direction);
    let help = "`host`: whose address it is; `interface`: which of its links, where it has several";
    for (name, place) in [("link", &keys.link), ("router", &keys.router)] {
        let Some(place) = place else { continue };
        let message = format!("an address is a host's, and so the fault takes no `{name}`");
        sink.push(sink.at(Code::MisplacedKey, place.origin, message).help(help));
    }
    if ["link", "host", "router"].iter().all(|name| !r.has(name)) {
        sink.push(sink.at(Code::MissingKey, r.origin(), "the fault needs `host`").help(help));
    }
    if direction.value != Direction::Both {
        let error = sink.at(Code::BadValue, direction.origin, "bad value of `direction`");
        sink.push(error.label("an interface has one address for both directions: leave it out"));
    }
}

const KINDS: Kinds<'_> =
    Kinds { what: "fault", names: FaultConfig::names(), command: "tailrace list faults" };

/// The fault with the keys of its kind.
fn set_keys(fault: FaultConfig, around: QueueContext<'_>, r: &Reader<'_>) -> Option<FaultConfig> {
    let sink = r.sink();
    let fault = RefCell::new(fault);
    // Set as it is: of one that is not registered no value says all.
    let queue = |key: &str, node: &Node| {
        let queue = read_queue(Some(node), &QueueDefaults { around, limit: None }, sink)?;
        fault.borrow_mut().set_queue(key, queue).then_some(ParamReading::Set)
    };
    let composite = |p: &ParamInfo, node: &Node| match p.kind {
        Kind::Queue => queue(p.name, node).unwrap_or(ParamReading::Wrong),
        Kind::Text if p.name == "rows" => read_rows(p.name, node, sink),
        _ => read_composite(p, node, sink),
    };
    if !r.set_params_by(composite, |name, value| fault.borrow_mut().set(name, value)) {
        return None;
    }
    let fault = fault.into_inner();
    if let Err((key, why)) = fault.validate() {
        sink.push(sink.at(Code::BadValue, r.origin_of(key), format!("bad value of `{key}`")).label(why));
        return None;
    }
    Some(fault)
}

fn params_of_all() -> Vec<ParamInfo> {
    catalog().iter().flat_map(|info| info.params).copied().collect()
}

/// Keys of other kinds than the one that has `own`.
fn keys_elsewhere(own: &[ParamInfo]) -> Vec<MisplacedKey> {
    let mut keys: Vec<MisplacedKey> = Vec::new();
    for p in params_of_all().iter().filter(|p| own.iter().all(|own| own.name != p.name)) {
        if keys.iter().all(|key| key.name != p.name) {
            let with = catalog().into_iter().filter(|info| info.params.iter().any(|q| q.name == p.name));
            let kinds: Vec<_> = with.map(|info| info.name).collect();
            keys.push(MisplacedKey {
                name: p.name,
                help: format!("kinds that take it: {}", kinds.join(", ")),
            });
        }
    }
    keys
}
