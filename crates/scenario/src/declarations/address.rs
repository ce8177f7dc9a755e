//! Addresses that a file gives to hosts.

use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader};
use crate::declarations::unfit::UnfitValue;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use crate::text::write::text;
use core::net::Ipv4Addr;
use tailrace_core::HostAddress;
use tailrace_core::host_address::NoAddress;

/// `address` of a host: one, or one for each of its links.
pub(crate) const ADDRESSES: ValueCodec<Vec<Ipv4Addr>> = ValueCodec {
    shape: Shape::Addresses,
    read: ValueReader::ReportsErrors(read_addresses),
    write: |all| {
        let all: Vec<_> = all.iter().map(|address| text(&address.to_string())).collect();
        format!("[{}]", all.join(", "))
    },
};

fn read_addresses(node: &Node, sink: &Sink<'_>) -> Option<Vec<Ipv4Addr>> {
    let items = match &node.data {
        Data::Broken => return None,
        Data::Array(items) if items.is_empty() => {
            sink.error(Code::EmptyList, node.origin, "`address` lists no addresses");
            return None;
        }
        Data::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let read = |item: &Node| {
        let wrong = |unfit: UnfitValue| {
            sink.push(sink.at(unfit.code, item.origin, "bad value of `address`").label(unfit.why));
        };
        address(item).map_err(wrong).ok()
    };
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
}

fn address(node: &Node) -> Result<Ipv4Addr, UnfitValue> {
    let Data::Plain(value) = &node.data else {
        return Err(format!("{} is not an IPv4 address such as \"192.168.1.7\"", node.shown()).into());
    };
    HostAddress::read(value).map(HostAddress::get).map_err(|wrong| match wrong {
        NoAddress::Form(why) => why.into(),
        NoAddress::Outside(why) => UnfitValue::outside(why),
    })
}
