//! What the kernel says of a connection.

use crate::raw::socket_option;
use rustix::fd::AsFd;
use tailrace_agent::messages::Figures;

// Linux, `include/uapi/linux/tcp.h` and `mptcp.h`.
const TCP: i32 = 6;
const TCP_INFO: i32 = 11;
const SOL_MPTCP: i32 = 284;
const MPTCP_TCPINFO: i32 = 2;
/// Bytes of `struct mptcp_subflow_data`, which precedes what is said of the subflows.
const SUBFLOW_DATA: usize = 16;
/// Bytes of `struct tcp_info` that are of interest; older kernels have fewer.
const INFO: usize = 248;
/// Subflows that are looked at.
const MOST_SUBFLOWS: usize = 8;

/// `tcpi_snd_ssthresh` before there is one.
const UNLIMITED: u32 = 0x7fff_ffff;

/// Of a connection of TCP.
pub(super) fn of_tcp(socket: impl AsFd) -> Option<Figures> {
    let mut info = [0; INFO];
    let len = socket_option(socket, (TCP, TCP_INFO), &mut info).ok()?;
    Some(figures(&info[..len.min(INFO)]))
}

/// Of a connection of Multipath TCP: all its subflows together.
pub(super) fn of_multipath(socket: impl AsFd) -> Option<Figures> {
    let mut all = [0; SUBFLOW_DATA + MOST_SUBFLOWS * INFO];
    // What we know of the structures: sizes of the first and of the second.
    all[..4].copy_from_slice(&(SUBFLOW_DATA as u32).to_ne_bytes());
    all[12..16].copy_from_slice(&(INFO as u32).to_ne_bytes());
    let len = socket_option(socket, (SOL_MPTCP, MPTCP_TCPINFO), &mut all).ok()?;
    together(all.get(..len)?)
}

/// What is said of subflows, as the kernel puts it one behind the other: as much of each as it knows and was asked for, which of
/// Linux 6.1 is less than [`INFO`].
fn together(all: &[u8]) -> Option<Figures> {
    let each = word(all, 12) as usize;
    let subflows = all.get(SUBFLOW_DATA..)?.chunks_exact(each.max(1));
    let all = subflows.map(figures).reduce(|sum, one| add(&sum, &one))?;
    Some(Figures { multipath: true, ..all })
}

fn figures(info: &[u8]) -> Figures {
    let long = |at| u64::from(word(info, at)) | u64::from(word(info, at + 4)) << 32;
    let mss = word(info, 16);
    let segments = |n: u32| u64::from(n) * u64::from(mss);
    let [unacknowledged, sacked, lost, again] = [24, 28, 32, 36].map(|at| word(info, at));
    let some = |value: u32, none: u32| (value != none).then_some(value);
    Figures {
        multipath: false,
        subflows: 1,
        mss,
        cwnd: segments(word(info, 80)),
        ssthresh: some(word(info, 76), UNLIMITED).map(segments),
        in_flight: segments((unacknowledged + again).saturating_sub(sacked + lost)),
        rtt: word(info, 68),
        rtt_var: word(info, 72),
        min_rtt: some(word(info, 148), u32::MAX).filter(|_| info.len() > 148),
        rto: word(info, 8),
        segments_sent: word(info, 136).into(),
        retransmitted_segments: word(info, 100).into(),
        bytes_sent: long(200),
        retransmitted_bytes: long(208),
        bytes_acked: long(120),
        timeouts: info.get(240..242).map(|two| u16::from_ne_bytes([two[0], two[1]]).into()),
    }
}

fn add(sum: &Figures, one: &Figures) -> Figures {
    Figures {
        subflows: sum.subflows + one.subflows,
        cwnd: sum.cwnd + one.cwnd,
        in_flight: sum.in_flight + one.in_flight,
        segments_sent: sum.segments_sent + one.segments_sent,
        retransmitted_segments: sum.retransmitted_segments + one.retransmitted_segments,
        bytes_sent: sum.bytes_sent + one.bytes_sent,
        retransmitted_bytes: sum.retransmitted_bytes + one.retransmitted_bytes,
        bytes_acked: sum.bytes_acked + one.bytes_acked,
        timeouts: sum.timeouts.zip(one.timeouts).map(|(a, b)| a + b),
        ..*sum
    }
}

/// A word of a structure; zero where it is shorter.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_where_linux_has_them() {
        let mut info = [0; INFO];
        for (at, value) in
            [(16, 1448_u32), (24, 10), (28, 3), (32, 2), (36, 1), (68, 20_000), (76, UNLIMITED)]
        {
            info[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        }
        info[80..84].copy_from_slice(&14_u32.to_ne_bytes());
        info[200..208].copy_from_slice(&5_000_000_000_u64.to_ne_bytes());
        info[240..242].copy_from_slice(&7_u16.to_ne_bytes());
        let found = figures(&info);
        assert_eq!((found.cwnd, found.ssthresh, found.in_flight), (14 * 1448, None, 6 * 1448));
        assert_eq!((found.rtt, found.bytes_sent, found.timeouts), (20_000, 5_000_000_000, Some(7)));
        // Linux 6.1 has 232 bytes.
        assert_eq!(figures(&info[..232]).timeouts, None);
    }

    #[test]
    fn subflows_are_as_long_as_their_kernel_has_them() {
        for each in [232, INFO] {
            let mut all = vec![0; SUBFLOW_DATA + 3 * each];
            all[12..16].copy_from_slice(&(each as u32).to_ne_bytes());
            for (info, again) in all[SUBFLOW_DATA..].chunks_exact_mut(each).zip([4_u32, 2, 1]) {
                info[100..104].copy_from_slice(&again.to_ne_bytes());
            }
            let found = together(&all).unwrap();
            assert_eq!((found.subflows, found.retransmitted_segments), (3, 7), "{each} bytes each");
            assert_eq!(found.timeouts.is_some(), each == INFO);
            assert_eq!(together(&all[..SUBFLOW_DATA]), None, "none is left");
        }
    }
}
