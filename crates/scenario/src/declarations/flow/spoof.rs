//! `spoof` of an attack.

use crate::declarations::reader::Reader;
use crate::declarations::sections::SPOOF;
use crate::declarations::values::plain;
use crate::model::{Spoof, SpoofPer};
use crate::text::codes::Code;
use crate::text::write::{self, inline};
use tailrace_app::{AppConfig, RequiredTransport};
use tailrace_core::params::ParamType as _;

/// The table of an attack whose flows do this, if it has one; `None` where it is wrong.
pub(super) fn read(r: &Reader<'_>, app: &AppConfig) -> Option<Option<Spoof>> {
    let Some(node) = r.node("spoof") else { return Some(None) };
    let sink = r.sink();
    let own = Reader::new(node, &SPOOF, sink)?;
    let per = own.read_or("per", SpoofPer::Packet, plain);
    let pool = own.read_or("pool", 65_536, plain);
    let per_origin = own.origin_of("per");
    own.finish();
    let (per, pool) = (per?, pool?);
    if app.over() == RequiredTransport::Streams {
        let message = "what comes from a spoofed address gets no answer, and TCP needs one";
        let error = sink.at(Code::WrongTransport, node.origin, message);
        sink.push(error.help("leave `spoof` out, or choose a kind over UDP, such as \"flood\""));
        return None;
    }
    if per == SpoofPer::Pulse && !app.has_pulses() {
        let error = sink.at(Code::BadValue, per_origin, "this attack has no pulses");
        sink.push(error.help("per = \"packet\" draws an address for each packet"));
        return None;
    }
    Some(Some(Spoof { per, pool }))
}

/// TOML of the resolved file.
pub(crate) fn written(spoof: Spoof) -> String {
    inline(vec![("per".into(), write::plain(&spoof.per.to_value())), ("pool".into(), spoof.pool.to_string())])
}
