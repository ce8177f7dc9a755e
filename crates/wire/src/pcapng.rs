//! Writes captures in pcapng (draft-ietf-opsawg-pcapng), which Wireshark, tshark and tcpdump read.
//!
//! One section per file, one interface per link or host, nanosecond time stamps. Time zero of the run is the Unix
//! epoch. All integers are little-endian on every machine, so that equal runs give equal files. Each block reaches the
//! output in a single write; put a buffered writer below.

use crate::headers::{self, PacketHeaders};
use std::io::{self, Write};
use tailrace_core::{Instant, Rate};

/// First header of an interface's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u16)]
pub enum LinkType {
    /// LINKTYPE_RAW: an IP header of the version that its first four bits say.
    Raw = 101,
    /// LINKTYPE_IPV4: an IPv4 header.
    #[default]
    Ipv4 = 228,
}

/// Part of each packet that is kept. The original length is always recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapLength {
    /// The bytes given, up to [`SnapLength::HEADERS_LEN`], without the zeros behind them.
    #[default]
    Headers,
    /// Up to that many bytes, zeros included; at least one.
    Bytes(u32),
    /// Everything.
    Whole,
}

impl SnapLength {
    /// Snap length of [`SnapLength::Headers`]: more than IPv4 and TCP headers with all options (80) or IPv6 and TCP (100).
    pub const HEADERS_LEN: u32 = 128;

    /// The value in the interface description block, where zero means no limit.
    const fn limit(self) -> u32 {
        match self {
            Self::Headers => Self::HEADERS_LEN,
            Self::Bytes(0) => 1,
            Self::Bytes(n) => n,
            Self::Whole => 0,
        }
    }
    /// Numbers of data bytes, and of the zeros behind them, that are kept.
    fn cut(self, data: u32, zeros: u32) -> (u32, u32) {
        let limit = if self == Self::Whole { u32::MAX } else { self.limit() };
        let kept = data.min(limit);
        (kept, if self == Self::Headers { 0 } else { zeros.min(limit - kept) })
    }
}

/// A place where packets are captured.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureInterface<'a> {
    /// Name of the link or host.
    pub name: &'a str,
    /// First header of its packets.
    pub link_type: LinkType,
    /// Part of its packets that is kept.
    pub snap: SnapLength,
    /// Rate of the link, where it has one.
    pub rate: Option<Rate>,
}

/// An interface of the writer that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InterfaceId(u32);

/// A captured packet: `data`, followed by `zeros` zero bytes that need not exist.
#[derive(Clone, Copy, Debug)]
pub struct CapturedPacket<'a> {
    /// Where.
    pub interface: InterfaceId,
    /// When.
    pub at: Instant,
    /// Headers, or a whole packet.
    pub data: &'a [u8],
    /// Zero bytes behind `data`.
    pub zeros: usize,
    /// A remark, such as why the packet was dropped or marked.
    pub comment: Option<&'a str>,
}

/// Writes one pcapng file.
///
/// ```
/// use tailrace_core::Instant;
/// use tailrace_wire::pcapng::{CapturedPacket, CaptureInterface, PcapngWriter};
/// use tailrace_wire::{PacketHeaders, Ipv4Repr, UdpRepr};
///
/// let ip = Ipv4Repr::new([10, 0, 0, 1].into(), [10, 0, 0, 2].into(), 0, 0);
/// let headers = PacketHeaders::udp(ip, &UdpRepr { src_port: 5000, dst_port: 6000 }, 1000)?;
/// let mut writer = PcapngWriter::new(Vec::new())?;
/// let interface = writer.add_interface(&CaptureInterface { name: "g1->g2", ..CaptureInterface::default() })?;
/// writer.write(&CapturedPacket {
///     interface,
///     at: Instant::from_millis(20),
///     data: headers.as_bytes(),
///     zeros: headers.payload_len(),
///     comment: Some("drop: overlimit"),
/// })?;
/// let file = writer.finish()?;
/// assert_eq!(file[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PcapngWriter<W> {
    output: W,
    /// The block under construction; kept, so that a packet costs no allocation.
    block: Vec<u8>,
    snaps: Vec<SnapLength>,
}

impl<W: Write> PcapngWriter<W> {
    /// Starts a file with its section header block.
    pub fn new(output: W) -> io::Result<Self> {
        let mut writer = Self { output, block: Vec::with_capacity(512), snaps: Vec::new() };
        writer.begin(SECTION_HEADER);
        writer.put_u32(BYTE_ORDER_MAGIC);
        writer.put_u16(1);
        writer.put_u16(0);
        // Section length: unknown while streaming.
        writer.block.extend(u64::MAX.to_le_bytes());
        writer.put_option(SHB_USERAPPL, b"tailrace")?;
        writer.end(true)?;
        Ok(writer)
    }
    /// Adds an interface; interfaces may be added between packets.
    pub fn add_interface(&mut self, interface: &CaptureInterface<'_>) -> io::Result<InterfaceId> {
        let id = length(self.snaps.len())?;
        self.begin(INTERFACE_DESCRIPTION);
        self.put_u16(interface.link_type as u16);
        self.put_u16(0);
        self.put_u32(interface.snap.limit());
        self.put_option(IF_NAME, interface.name.as_bytes())?;
        if let Some(rate) = interface.rate {
            self.put_option(IF_SPEED, &rate.as_bps().to_le_bytes())?;
        }
        self.put_option(IF_TSRESOL, &[NANOSECONDS])?;
        self.end(true)?;
        self.snaps.push(interface.snap);
        Ok(InterfaceId(id))
    }
    /// Adds a packet. An error of kind `InvalidInput` says that the interface is another writer's, or that packet or
    /// comment is too long for its length field (32 and 16 bits); nothing is written then.
    pub fn write(&mut self, capture: &CapturedPacket<'_>) -> io::Result<()> {
        let snap = self.snap_of(capture.interface)?;
        let original = length(capture.data.len().saturating_add(capture.zeros))?;
        // Neither exceeds their sum, which fits 32 bits.
        let (data, zeros) = snap.cut(capture.data.len() as u32, capture.zeros as u32);
        let kept = &capture.data[..data as usize];
        let fixed = PacketBlockFields {
            interface: capture.interface,
            at: capture.at,
            captured: data + zeros,
            original,
        };
        self.block.clear();
        self.block.extend_from_slice(fixed.bytes(0).as_flattened()); // the length is known at the end
        self.block.extend_from_slice(kept);
        // Blocks start aligned, so alignment within the block is alignment in the file.
        let filled = FIXED + (kept.len() + zeros as usize).next_multiple_of(4);
        self.block.resize(filled, 0);
        if let Some(comment) = capture.comment {
            self.put_option(OPT_COMMENT, comment.as_bytes())?;
        }
        self.end(capture.comment.is_some())
    }
    /// The same of a packet that consists of these headers and zeros, without a comment, as most packets of a simulation: the
    /// block is one piece of a fixed size, of which the beginning is written.
    #[inline]
    pub fn write_headers(
        &mut self,
        interface: InterfaceId,
        at: Instant,
        headers: &PacketHeaders,
    ) -> io::Result<()> {
        let (data, zeros) = (headers.as_bytes(), headers.payload_len());
        let (kept, kept_zeros) = self.snap_of(interface)?.cut(data.len() as u32, zeros as u32);
        let captured = kept + kept_zeros;
        let padded = (captured as usize).next_multiple_of(4);
        if (kept as usize) < data.len() || padded > SMALL {
            return self.write(&CapturedPacket { interface, at, data, zeros, comment: None });
        }
        let end = FIXED + padded;
        let total = (end + 4) as u32;
        let fixed = PacketBlockFields { interface, at, captured, original: headers.packet_len() as u32 };
        let mut block = [0; FIXED + SMALL + 4];
        block[..FIXED].copy_from_slice(fixed.bytes(total).as_flattened());
        block[FIXED..FIXED + headers::ROOM].copy_from_slice(headers.and_zeros());
        block[end..end + 4].copy_from_slice(&total.to_le_bytes());
        self.output.write_all(&block[..end + 4])
    }
    /// Passes everything on to where the output writes to.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
    /// Where the output goes: to take out what is there. Blocks are whole between two calls.
    pub fn output_mut(&mut self) -> &mut W {
        &mut self.output
    }
    /// Ends the file and gives the output back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    #[inline]
    fn snap_of(&self, interface: InterfaceId) -> io::Result<SnapLength> {
        let snap = self.snaps.get(interface.0 as usize);
        snap.copied().ok_or_else(|| invalid("pcapng: no such interface"))
    }
    fn begin(&mut self, block_type: u32) {
        self.block.clear();
        self.put_u32(block_type);
        self.put_u32(0); // the length, known at the end
    }
    /// Closes the options, if there are any, and writes the block between its two length fields.
    fn end(&mut self, options: bool) -> io::Result<()> {
        if options {
            self.put_u32(OPT_ENDOFOPT);
        }
        let total = length(self.block.len() + 4)?;
        self.put_u32(total);
        self.block[4..8].copy_from_slice(&total.to_le_bytes());
        self.output.write_all(&self.block)
    }
    fn put_option(&mut self, code: u16, value: &[u8]) -> io::Result<()> {
        let length =
            u16::try_from(value.len()).map_err(|_| invalid("pcapng: option longer than 65535 bytes"))?;
        self.put_u16(code);
        self.put_u16(length);
        self.block.extend_from_slice(value);
        self.pad();
        Ok(())
    }
    fn put_u16(&mut self, n: u16) {
        self.block.extend_from_slice(&n.to_le_bytes());
    }
    fn put_u32(&mut self, n: u32) {
        self.block.extend_from_slice(&n.to_le_bytes());
    }
    /// Fills up to four bytes. Blocks start aligned, so alignment within the block is alignment in the file.
    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }
}

/// Fields of an enhanced packet block before the packet.
struct PacketBlockFields {
    interface: InterfaceId,
    at: Instant,
    captured: u32,
    original: u32,
}

impl PacketBlockFields {
    /// The fields as bytes, in a block of this length.
    #[inline(always)]
    fn bytes(&self, length: u32) -> [[u8; 4]; FIXED / 4] {
        let at = self.at.as_nanos();
        let time = [(at >> 32) as u32, at as u32];
        [ENHANCED_PACKET, length, self.interface.0, time[0], time[1], self.captured, self.original]
            .map(u32::to_le_bytes)
    }
}

fn length(n: usize) -> io::Result<u32> {
    u32::try_from(n).map_err(|_| invalid("pcapng: packet longer than 32 bits can say"))
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Bytes of a packet's block before the packet.
const FIXED: usize = 28;
/// Blocks of headers with at most so much of a packet are made in one piece.
const SMALL: usize = 128;
const _: () = assert!(SMALL >= headers::ROOM);
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Code 0 and length 0.
const OPT_ENDOFOPT: u32 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_SPEED: u16 = 8;
const IF_TSRESOL: u16 = 9;
/// if_tsresol: ten to the power of minus this many seconds.
const NANOSECONDS: u8 = 9;

#[cfg(test)]
mod tests;
