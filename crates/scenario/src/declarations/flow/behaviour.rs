//! `behaviour` of a transport: parameters that a profile sets and few scenarios change.

use crate::declarations::key::Section;
use crate::declarations::reader::{MisplacedKey, Reader};
use tailrace_core::params::{ParamInfo, SetError, Value};

/// Where keys of the transport belong that stand in its `behaviour`.
pub(super) fn keys_above(section: &Section, params: &[ParamInfo]) -> Vec<MisplacedKey> {
    let names = section.keys.iter().map(|k| k.name).chain(params.iter().map(|p| p.name));
    let help = "it belongs to the transport itself, beside `behaviour`";
    names.map(|name| MisplacedKey { name, help: help.into() }).collect()
}

/// Where parameters of `behaviour` belong that stand in the transport itself.
pub(super) fn keys_below(params: &'static [ParamInfo]) -> impl Iterator<Item = MisplacedKey> {
    params.iter().map(|p| {
        let name = p.name;
        let help = format!(
            "it belongs to the table `behaviour`: behaviour.{name} = ...; `tailrace migrate FILE` writes it there"
        );
        MisplacedKey { name, help }
    })
}

/// Sets the parameters of `behaviour` of the transport that `transport` reads, if it has that table. Whether all is fine.
pub(super) fn read(
    transport: &Reader<'_>,
    section: &Section,
    params: &[ParamInfo],
    above: &[MisplacedKey],
    set: impl FnMut(&str, &Value) -> Result<(), SetError>,
) -> bool {
    let Some(node) = transport.node("behaviour") else { return true };
    let sink = transport.sink();
    let before = sink.errors();
    let Some(r) = Reader::new(node, section, sink) else { return false };
    let r = r.with_params(params).elsewhere(above);
    r.set_params(set);
    r.finish();
    sink.errors() == before
}
