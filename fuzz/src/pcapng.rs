//! Captures: whatever packets, names and remarks are written, the file is made of whole blocks that hold them.

use crate::input::Input;
use tailrace_core::{Instant, Rate};
use tailrace_wire::pcapng::{CaptureInterface, CapturedPacket, LinkType, PcapngWriter, SnapLength};

/// Tries one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut writer = PcapngWriter::new(Vec::new()).expect("memory takes all");
    let (mut interfaces, mut written) = (Vec::new(), Vec::new());
    for _ in 0..=input.byte() % 4 {
        let len = usize::from(input.byte());
        let name = String::from_utf8_lossy(input.take(len)).into_owned();
        let snap = *input.one(&[
            SnapLength::Headers,
            SnapLength::Whole,
            SnapLength::Bytes(0),
            SnapLength::Bytes(120),
        ]);
        let link_type = *input.one(&[LinkType::Raw, LinkType::Ipv4]);
        let rate = (input.byte() & 1 != 0).then(|| Rate::from_bps(input.wide()));
        interfaces.push(
            writer
                .add_interface(&CaptureInterface { name: &name, link_type, snap, rate })
                .expect("memory takes all"),
        );
    }
    while !input.is_empty() {
        let interface = *input.one(&interfaces);
        let at = Instant::from_nanos(input.wide());
        let (len, zeros) = (usize::from(input.byte()), usize::from(input.word()));
        let packet = input.take(len);
        let len = usize::from(input.byte() % 64);
        let comment = String::from_utf8_lossy(input.take(len)).into_owned();
        let comment = (!comment.is_empty()).then_some(comment.as_str());
        writer
            .write(&CapturedPacket { interface, at, data: packet, zeros, comment })
            .expect("memory takes all");
        written.push((at.as_nanos(), packet.len() + zeros));
    }
    let file = writer.finish().expect("memory takes all");
    assert_eq!(read(&file, interfaces.len()), written);
}

/// Reads the blocks one after the other: time and original length of each packet.
fn read(file: &[u8], interfaces: usize) -> Vec<(u64, usize)> {
    let word =
        |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (mut rest, mut described, mut packets) = (file, 0, Vec::new());
    while !rest.is_empty() {
        let (kind, len) = (word(rest, 0), word(rest, 4) as usize);
        assert!(len >= 12 && len % 4 == 0 && len <= rest.len(), "a block of {len} bytes");
        let block = &rest[..len];
        assert_eq!(word(block, len - 4) as usize, len, "both lengths of a block");
        match kind {
            0x0a0d_0d0a => assert_eq!(rest.len(), file.len(), "one section"),
            1 => described += 1,
            6 => {
                assert!((word(block, 8) as usize) < interfaces, "the interface is one");
                let kept = word(block, 20) as usize;
                let original = word(block, 24) as usize;
                assert!(kept <= original && 28 + kept + 4 <= len, "{kept} of {original} bytes in {len}");
                let at = u64::from(word(block, 12)) << 32 | u64::from(word(block, 16));
                packets.push((at, original));
            }
            other => panic!("a block of kind {other}"),
        }
        rest = &rest[len..];
    }
    assert_eq!(described, interfaces);
    packets
}
