//! Attacks: what they say in place of a transport and an application. Which kinds there are, and what each comes to, they say
//! themselves.

use super::app::report;
use super::conduct;
use super::decl::FlowDecl;
use super::shared::{CarriedTransport, OwnKeys, SharedKeys};
use super::spoof;
use super::transport::is_tcp;
use crate::declarations::composite::read_composite;
use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::names::LooseSelectors;
use crate::declarations::reader::{MisplacedKey, Reader};
use crate::declarations::sections::ATTACK;
use crate::model::{Plugins, Role};
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use tailrace_app::attacks::catalog;
use tailrace_app::{AttackConfig, RequiredTransport};
use tailrace_core::params::{ParamInfo, Value};

const KINDS: Kinds<'_> =
    Kinds { what: "attack", names: AttackConfig::names(), command: "tailrace list attacks" };

impl FlowDecl {
    /// Reads one `[[attack]]`.
    pub(crate) fn read_attack(
        node: &Node,
        plugins: &Plugins,
        sink: &Sink<'_>,
    ) -> Result<Self, LooseSelectors> {
        let Some(table) = node.as_table() else {
            // Reports that it is no table.
            let _ = Reader::new(node, &ATTACK, sink);
            return Err(Vec::new());
        };
        let kind = kind_of(node, &KINDS, sink).and_then(|(kind, _)| AttackConfig::default_of(kind));
        let section = Section { title: kind.as_ref().map_or(ATTACK.title, AttackConfig::title), ..ATTACK };
        // Where the kind is not known, a key may be that of any.
        let params = kind.as_ref().map_or_else(params_of_all, |kind| kind.params().to_vec());
        let others = keys_elsewhere(&params);
        let r =
            Reader::of(table, node.origin, &section, sink).kinded().with_params(&params).elsewhere(&others);
        let shared = SharedKeys::read(&r);
        let mut carried = kind.as_ref().and_then(|kind| carried(kind.over(), &r, plugins));
        let kind = kind.and_then(|kind| set_keys(kind, &r));
        if let (Some(kind), Some(of)) = (&kind, &mut carried)
            && conduct::set(of, kind, &r).is_none()
        {
            carried = None;
        }
        let spoof = kind.as_ref().and_then(|kind| spoof::read(&r, &kind.app()));
        r.finish();
        let loose = shared.loose();
        let own = || {
            let attack = kind?;
            let (app, app_origin) = (attack.app(), node.origin);
            Some(OwnKeys {
                role: Role::Attack,
                carried: carried?,
                app,
                app_origin,
                attack: Some(attack),
                spoof: spoof?,
            })
        };
        own().and_then(|own| shared.complete(own, sink)).ok_or(loose)
    }
}

/// The attack with the keys of its kind.
fn set_keys(mut attack: AttackConfig, r: &Reader<'_>) -> Option<AttackConfig> {
    let composite = |p: &ParamInfo, node: &Node| read_composite(p, node, r.sink());
    if !r.set_params_by(composite, |name, value| attack.set(name, value)) {
        return None;
    }
    match attack.validate() {
        Ok(()) => Some(attack),
        Err(misfit) => {
            report(&misfit, attack.title(), r);
            None
        }
    }
}

/// The transport that is written, or the plain one of what carries the attack.
fn carried(over: RequiredTransport, r: &Reader<'_>, plugins: &Plugins) -> Option<CarriedTransport> {
    let usual = if over == RequiredTransport::Streams { "tcp" } else { "udp" };
    let Some(node) = r.node("transport") else {
        let node = Node { data: Data::Plain(Value::Text(usual.into())), origin: r.origin() };
        return CarriedTransport::read(&node, plugins, r.sink());
    };
    if let Some(tcp) = is_tcp(node).filter(|tcp| *tcp != (over == RequiredTransport::Streams)) {
        let (needs, has) = if tcp { ("UDP", "TCP") } else { ("TCP", "UDP") };
        let message = format!("this attack needs {needs}, but the transport is {has}");
        let error = r.sink().at(Code::WrongTransport, node.origin, message);
        r.sink().push(error.help(format!("leave `transport` out: it is {usual} by itself")));
        return None;
    }
    CarriedTransport::read(node, plugins, r.sink())
}

fn params_of_all() -> Vec<ParamInfo> {
    catalog().iter().flat_map(|info| info.params).copied().collect()
}

/// Keys of flows, and of other kinds than the one that has `own`.
fn keys_elsewhere(own: &[ParamInfo]) -> Vec<MisplacedKey> {
    let of_flows = [
        ("role", "an attack has the role attack; what looks like one and is none is a [[flow]]"),
        (
            "app",
            "an attack says by its `kind` what its flows do; another application makes it a [[flow]] with role = \"attack\"",
        ),
    ];
    let mut keys: Vec<MisplacedKey> =
        of_flows.iter().map(|(name, help)| MisplacedKey { name, help: (*help).into() }).collect();
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
