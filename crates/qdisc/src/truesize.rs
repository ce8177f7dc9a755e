//! Memory that a waiting packet costs a Linux kernel: its `truesize`, by which memory limits count.
//!
//! The model is a packet in one piece, as most drivers deliver it and sockets of UDP send it: its bytes, room for a
//! link's header, and `skb_shared_info` lie in one allocation, whose sizes are powers of two here; `sk_buff` lies beside
//! it. Measured in Linux 6.1 by CAKE's `memory used`: 768 bytes for packets of 60 to 150, 1280 for 200 to 660, 2304 for
//! 1000 and 1500, which this gives. A segment that leaves the host that made it costs more: 1280 for an acknowledgment,
//! 2728 for 1448 bytes of data, which lie in pages.

use tailrace_core::Bytes;

/// `struct sk_buff` and `struct skb_shared_info` on 64-bit machines, in whole cache lines.
const SK_BUFF: u64 = 256;
const SHARED_INFO: u64 = 320;
/// An Ethernet header, aligned.
const LINK_HEADER: u64 = 31;

/// The memory that a packet of `size` bytes of IP takes.
#[inline]
pub(crate) const fn truesize(size: Bytes) -> u64 {
    // No sizes are larger than 2^62: they are those of packets.
    let data = size.get().saturating_add(LINK_HEADER + SHARED_INFO);
    match data.checked_next_power_of_two() {
        Some(allocated) => allocated.saturating_add(SK_BUFF),
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_takes_what_it_was_measured_to_take() {
        let found = [60, 100, 150, 200, 660, 1000, 1500].map(|size| truesize(Bytes(size)));
        assert_eq!(found, [768, 768, 768, 1280, 1280, 2304, 2304]);
    }
}
