use super::*;
use crate::ipv4::Ipv4Repr;
use crate::tcp::TcpRepr;
use crate::udp::UdpRepr;
use proptest::prelude::*;

/// A packet as the file has it.
#[derive(Debug, PartialEq)]
struct ReadPacket {
    interface: u32,
    at: u64,
    data: Vec<u8>,
    original: u32,
    comment: Option<String>,
}

/// A small reader that insists on what the format demands: both lengths equal and a multiple of four, options in
/// bounds and ended, zero padding, nothing left over.
struct BlockReader<'a>(&'a [u8]);

impl<'a> BlockReader<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(n);
        self.0 = rest;
        head
    }
    fn padded(&mut self, n: usize) -> &'a [u8] {
        let value = self.take(n);
        assert!(self.take(n.next_multiple_of(4) - n).iter().all(|&b| b == 0), "padding is zero");
        value
    }
    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take(2).try_into().unwrap())
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }
    fn block(&mut self) -> (u32, Self) {
        let (kind, total) = (self.u32(), self.u32());
        assert_eq!(total % 4, 0);
        let body = self.take(total as usize - 12);
        assert_eq!(self.u32(), total, "both lengths agree");
        (kind, Self(body))
    }
    fn options(mut self) -> Vec<(u16, Vec<u8>)> {
        let mut options = Vec::new();
        while !self.0.is_empty() {
            let (code, length) = (self.u16(), self.u16());
            if code == 0 {
                assert_eq!((length, self.0.len()), (0, 0), "the end of options ends the block");
                return options;
            }
            options.push((code, self.padded(usize::from(length)).to_vec()));
        }
        assert!(options.is_empty(), "options are ended");
        options
    }
    fn packet(mut self) -> ReadPacket {
        let (interface, high, low) = (self.u32(), self.u32(), self.u32());
        let (captured, original) = (self.u32(), self.u32());
        let data = self.padded(captured as usize).to_vec();
        let comment = self.options().into_iter().find(|(code, _)| *code == OPT_COMMENT);
        let comment = comment.map(|(_, text)| String::from_utf8(text).unwrap());
        ReadPacket { interface, at: u64::from(high) << 32 | u64::from(low), data, original, comment }
    }
}

fn packets(file: &[u8]) -> Vec<ReadPacket> {
    let mut reader = BlockReader(file);
    let mut packets = Vec::new();
    while !reader.0.is_empty() {
        let (kind, body) = reader.block();
        if kind == ENHANCED_PACKET {
            packets.push(body.packet());
        }
    }
    packets
}

fn capture(interface: InterfaceId, data: &[u8], zeros: usize) -> CapturedPacket<'_> {
    CapturedPacket { interface, at: Instant::ZERO, data, zeros, comment: None }
}

#[test]
fn a_file_begins_with_section_and_interface_to_the_byte() {
    let mut writer = PcapngWriter::new(Vec::new()).unwrap();
    writer.add_interface(&CaptureInterface { name: "h1", ..CaptureInterface::default() }).unwrap();
    #[rustfmt::skip]
    let expected = [
        0x0a, 0x0d, 0x0d, 0x0a, 44, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        4, 0, 8, 0, b't', b'a', b'i', b'l', b'r', b'a', b'c', b'e', 0, 0, 0, 0, 44, 0, 0, 0,
        1, 0, 0, 0, 40, 0, 0, 0, 228, 0, 0, 0, 128, 0, 0, 0,
        2, 0, 2, 0, b'h', b'1', 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0,
    ];
    assert_eq!(writer.finish().unwrap(), expected);
}

#[test]
fn the_rate_of_a_link_is_its_speed() {
    let mut writer = PcapngWriter::new(Vec::new()).unwrap();
    let rate = Some(Rate::from_mbit(45));
    writer.add_interface(&CaptureInterface { name: "g1->g2", rate, ..CaptureInterface::default() }).unwrap();
    let file = writer.finish().unwrap();
    let mut reader = BlockReader(&file);
    reader.block();
    let (kind, mut interface) = reader.block();
    assert_eq!((kind, interface.take(8).len()), (INTERFACE_DESCRIPTION, 8));
    let expected = [
        (IF_NAME, b"g1->g2".to_vec()),
        (IF_SPEED, 45_000_000u64.to_le_bytes().to_vec()),
        (IF_TSRESOL, vec![9]),
    ];
    assert_eq!(interface.options(), expected);
}

#[test]
fn the_snap_length_cuts_data_first_and_zeros_after_it() {
    let data: Vec<u8> = (1..=150).collect();
    let cases = [
        (SnapLength::Headers, 40, 1460, 40),
        (SnapLength::Headers, 150, 0, 128),
        (SnapLength::Bytes(100), 40, 1460, 100),
        (SnapLength::Bytes(100), 40, 10, 50),
        (SnapLength::Bytes(30), 40, 1460, 30),
        (SnapLength::Bytes(0), 40, 0, 1),
        (SnapLength::Whole, 40, 1460, 1500),
    ];
    for (snap, data_len, zeros, captured) in cases {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let id = writer.add_interface(&CaptureInterface { snap, ..CaptureInterface::default() }).unwrap();
        writer.write(&capture(id, &data[..data_len], zeros)).unwrap();
        let file = writer.finish().unwrap();
        let mut expected = data[..data_len].to_vec();
        expected.resize(data_len + zeros, 0);
        expected.truncate(captured);
        let read = packets(&file);
        assert_eq!((&read[0].data, read[0].original as usize), (&expected, data_len + zeros), "{snap:?}");
    }
}

#[test]
fn an_invalid_packet_is_an_error_and_leaves_the_file_whole() {
    let mut writer = PcapngWriter::new(Vec::new()).unwrap();
    let id = writer.add_interface(&CaptureInterface::default()).unwrap();
    let long = "x".repeat(65536);
    let bad = [
        capture(InterfaceId(1), &[1], 0),
        capture(id, &[1], u32::MAX as usize),
        capture(id, &[1], usize::MAX),
        CapturedPacket { comment: Some(&long), ..capture(id, &[1], 0) },
    ];
    for capture in bad {
        assert_eq!(writer.write(&capture).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
    writer.write(&CapturedPacket { comment: Some(&long[1..]), ..capture(id, &[1], 0) }).unwrap();
    let file = writer.finish().unwrap();
    assert_eq!(packets(&file).len(), 1);
}

#[test]
fn an_error_of_the_output_comes_through() {
    #[derive(Debug)]
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    assert_eq!(PcapngWriter::new(Full).unwrap_err().kind(), io::ErrorKind::StorageFull);
}

proptest! {
    #[test]
    fn every_packet_is_read_back(given in prop::collection::vec(
        (0..3u32, any::<u64>(), prop::collection::vec(any::<u8>(), 0..70), prop::option::of(".{0,20}")), 0..20)) {
        let mut writer = PcapngWriter::new(Vec::new()).unwrap();
        let ids: Vec<_> = ["a", "bc", "def"].iter()
            .map(|name| writer.add_interface(&CaptureInterface { name, ..CaptureInterface::default() }).unwrap()).collect();
        for (interface, at, data, comment) in &given {
            let (interface, at) = (ids[*interface as usize], Instant::from_nanos(*at));
            writer.write(&CapturedPacket { interface, at, data, zeros: 1, comment: comment.as_deref() }).unwrap();
        }
        let file = writer.finish().unwrap();
        let expected: Vec<_> = given.into_iter().map(|(interface, at, data, comment)| {
            let original = data.len() as u32 + 1;
            ReadPacket { interface, at, data, original, comment }
        }).collect();
        prop_assert_eq!(packets(&file), expected);
    }
    /// Headers are a packet like any other, however much of them is kept.
    #[test]
    fn headers_are_written_as_their_bytes(
        snap in prop_oneof![Just(SnapLength::Headers), (0..200u32).prop_map(SnapLength::Bytes), Just(SnapLength::Whole)],
        given in prop::collection::vec((any::<u32>(), any::<bool>(), any::<bool>(), 0..1500usize), 1..20),
    ) {
        let [as_headers, as_bytes] = [true, false].map(|of_headers| {
            let mut writer = PcapngWriter::new(Vec::new()).unwrap();
            let interface = writer.add_interface(&CaptureInterface { snap, ..CaptureInterface::default() }).unwrap();
            for (n, datagram, altered, payload) in &given {
                let (at, ip) = (Instant::from_nanos(u64::from(*n) << 16), Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 0, 0));
                let headers = if *datagram {
                    PacketHeaders::udp(ip, &UdpRepr { src_port: *n as u16, dst_port: 7 }, *payload)
                } else {
                    PacketHeaders::tcp(ip, &TcpRepr { seq: *n, ..TcpRepr::default() }, *payload)
                }.unwrap();
                let headers = if *altered { headers.altered() } else { headers };
                if of_headers {
                    writer.write_headers(interface, at, &headers).unwrap();
                } else {
                    let (data, zeros) = (headers.as_bytes(), headers.payload_len());
                    writer.write(&CapturedPacket { interface, at, data, zeros, comment: None }).unwrap();
                }
            }
            writer.finish().unwrap()
        });
        prop_assert_eq!(as_headers, as_bytes);
    }
}
