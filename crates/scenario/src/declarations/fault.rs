//! `[[fault]]`.

use crate::declarations::composite::read_composite;
use crate::declarations::forms::{DURATION, LINKS, NAME};
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::lines::Lines;
use crate::declarations::names::{self, Selector};
use crate::declarations::queue::{Around, QueueDefaults, read_queue};
use crate::declarations::reader::{Elsewhere, Given, Reader};
use crate::declarations::sections::key::Section;
use crate::declarations::sections::row::{may, must, section};
use crate::model::{Fault, FaultConfig};
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use crate::text::write::text;
use core::cell::RefCell;
use tailrace_core::Duration;
use tailrace_core::params::{Kind, ParamInfo};
use tailrace_impair::faults::catalog;

section! {
    /// Keys of `[[fault]]` beside those of its kind, which `crates/impair` describes.
    pub FAULT = "[[fault]]", "Something that happens to links.";
    pub(crate) struct FaultKeys {
        name: Option<At<String>> = may(NAME, "none"), "What paths call it, such as `fault.NAME.at`; unique among faults.";
        at: At<Duration> = must(DURATION), "When it starts.";
        until: Option<At<Duration>> = may(DURATION, "the end"), "When it ends.";
        link: At<Selector> = must(LINKS), "The links concerned, both directions.";
    }
}

/// One `[[fault]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FaultDecl {
    pub(crate) keys: FaultKeys,
    pub(crate) kind: FaultConfig,
}

impl FaultDecl {
    /// What would be written for a fault of the link called `name`.
    pub(crate) fn of(fault: &Fault, name: &str) -> Self {
        let written = Origin::Scenario;
        let link = names::link_selector(name).expect("the name of a link selects it");
        let keys = FaultKeys {
            name: None,
            at: At { value: fault.at, origin: written },
            until: fault.until.map(|value| At { value, origin: written }),
            link: At { value: link, origin: written },
        };
        Self { keys, kind: fault.kind.clone() }
    }

    /// Reads one `[[fault]]`.
    pub(crate) fn read(node: &Node, around: Around<'_>, sink: &Sink<'_>) -> Option<Self> {
        let Some(table) = node.as_table() else {
            // Which says so.
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
        let keys = FaultKeys::take(&r);
        let kind = kind.and_then(|kind| set_keys(kind, around, &r));
        if let Some(FaultKeys { at, until: Some(until), .. }) = &keys
            && until.value <= at.value
        {
            sink.error(
                Code::ContradictingTimes,
                until.origin,
                format!("the fault ends at {} but starts at {}", until.value, at.value),
            );
        }
        r.finish();
        Some(Self { keys: keys?, kind: kind? })
    }

    /// Writes it as it is.
    pub(crate) fn put(&self, out: &mut Lines) {
        self.keys.put(out);
        out.put("kind", text(self.kind.name()));
        out.params(self.kind.params(), |name| self.kind.get(name));
    }
}

const KINDS: Kinds<'_> =
    Kinds { what: "fault", names: FaultConfig::names(), command: "tailrace list faults" };

/// The fault with the keys of its kind.
fn set_keys(fault: FaultConfig, around: Around<'_>, r: &Reader<'_>) -> Option<FaultConfig> {
    let sink = r.sink();
    let fault = RefCell::new(fault);
    // Set as it is: of one that is not registered no value says all.
    let queue = |key: &str, node: &Node| {
        let queue = read_queue(Some(node), &QueueDefaults { around, limit: None }, sink)?;
        fault.borrow_mut().set_queue(key, queue).then_some(Given::Set)
    };
    let composite = |p: &ParamInfo, node: &Node| match p.kind {
        Kind::Queue => queue(p.name, node).unwrap_or(Given::Wrong),
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
fn keys_elsewhere(own: &[ParamInfo]) -> Vec<Elsewhere> {
    let mut keys: Vec<Elsewhere> = Vec::new();
    for p in params_of_all().iter().filter(|p| own.iter().all(|own| own.name != p.name)) {
        if keys.iter().all(|key| key.name != p.name) {
            let with = catalog().into_iter().filter(|info| info.params.iter().any(|q| q.name == p.name));
            let kinds: Vec<_> = with.map(|info| info.name).collect();
            keys.push(Elsewhere { name: p.name, help: format!("kinds that take it: {}", kinds.join(", ")) });
        }
    }
    keys
}
