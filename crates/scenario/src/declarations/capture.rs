//! `[[capture]]`.

use crate::declarations::codecs::{LINKS, NAME};
use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader, optional, required, section, with_default};
use crate::declarations::names::Selector;
use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values::plain;
use crate::text::document::Node;
use crate::text::place::At;
use crate::text::sink::Sink;
use crate::text::write::text;
use tailrace_core::Bytes;
use tailrace_core::params::Kind;

section! {
    /// `[[capture]]`.
    pub CAPTURE = "[[capture]]", "A packet capture: a pcapng file with the packets at one place, for Wireshark.";
    pub(crate) struct CaptureDecl {
        name: Option<At<String>> = optional(NAME, "none"), "A name, so that paths such as `capture.NAME.snaplen` can refer to it; no other capture may have it.";
        at: At<Selector> = required(LINKS), "Where packets are captured: the name of a link or of a host.";
        snaplen: At<u32> = with_default(SNAPLEN, "128 B"), "Bytes of each packet that are kept, from its start.";
    }
}

impl CaptureDecl {
    /// Reads one `[[capture]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &CAPTURE, sink)?;
        let decl = Self::read_keys(&r);
        r.finish();
        decl
    }
}

const SNAPLEN: ValueCodec<u32> = ValueCodec {
    shape: Shape::Plain(Kind::Bytes),
    read: ValueReader::ReturnsError(read_snaplen),
    write: |snaplen| text(&format!("{snaplen} B")),
};

fn read_snaplen(node: &Node) -> Result<u32, UnfitValue> {
    let size: Bytes = plain(node)?;
    // IPv4 and TCP headers with all their options are 120 bytes; less would cut headers.
    match u32::try_from(size.get()) {
        Ok(n) if (120..=65_535).contains(&n) => Ok(n),
        _ => Err(UnfitValue::outside(format!("expected 120 B (all headers) to 65535 B, found {size}"))),
    }
}
