//! Stamp of a datagram: the first bytes of its payload, little-endian.

use tailrace_wire::checksum;

const IP_HEADER_UNIT: usize = 4;
const UDP_HEADER: usize = 8;
const UDP_CHECKSUM: usize = 6;

/// Stamp at the start of a payload; of a shorter payload its bytes.
pub(crate) fn read(payload: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = payload.len().min(bytes.len());
    bytes[..len].copy_from_slice(&payload[..len]);
    u64::from_le_bytes(bytes)
}

/// Writes the stamp, as far as there is room, into a UDP packet with a payload of zeros, and updates the checksum.
pub(crate) fn write(packet: &mut [u8], stamp: u64) {
    let udp = usize::from(packet[0] & 15) * IP_HEADER_UNIT;
    let (headers, payload) = packet.split_at_mut(udp + UDP_HEADER);
    let len = payload.len().min(8);
    payload[..len].copy_from_slice(&stamp.to_le_bytes()[..len]);
    let field = udp + UDP_CHECKSUM;
    let mut sum = u16::from_be_bytes([headers[field], headers[field + 1]]);
    for word in payload[..len].chunks(2) {
        let word = u16::from(word[0]) << 8 | word.get(1).map_or(0, |low| u16::from(*low));
        sum = checksum::update(sum, 0, word);
    }
    // Zero means that there is no checksum (RFC 768).
    let sum = if sum == 0 { 0xffff } else { sum };
    headers[field..field + 2].copy_from_slice(&sum.to_be_bytes());
}
