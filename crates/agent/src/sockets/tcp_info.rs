//! State of connections in the kernel: `tcp_info` and `mptcp_info`.

use crate::raw::socket_option;
use core::net::{Ipv4Addr, SocketAddrV4};
use rustix::fd::AsFd;
use tailrace_agent::messages::{MptcpInfo, SocketPair, SocketReport, TcpInfo};

// Linux, `include/uapi/linux/tcp.h` and `mptcp.h`.
const TCP: i32 = 6;
const TCP_INFO: i32 = 11;
const SOL_MPTCP: i32 = 284;
const MPTCP_INFO: i32 = 1;
const MPTCP_TCPINFO: i32 = 2;
const MPTCP_SUBFLOW_ADDRS: i32 = 3;
/// Bytes of `struct mptcp_subflow_data`, which precedes what is said of the subflows.
const SUBFLOW_DATA: usize = 16;
/// Bytes of `struct tcp_info` that are of interest; older kernels have fewer.
const INFO: usize = 248;
/// Bytes of `struct mptcp_subflow_addrs`: two `struct __kernel_sockaddr_storage`.
const ADDRESSES: usize = 2 * ADDRESS;
const ADDRESS: usize = 128;
/// Bytes of `struct mptcp_info` up to the last of interest; kernels before 6.5 have fewer.
const STREAM: usize = 80;
/// Subflows that are looked at.
const MOST_SUBFLOWS: usize = 8;

/// `tcpi_state` of a connection that may carry data.
const ESTABLISHED: u8 = 1;
const CLOSE_WAIT: u8 = 8;

/// `tcpi_snd_ssthresh` before there is one.
const UNLIMITED: u32 = 0x7fff_ffff;

/// Reports of a TCP connection.
pub(super) fn of_tcp(socket: impl AsFd) -> Vec<SocketReport> {
    let mut info = [0; INFO];
    let len = socket_option(socket, (TCP, TCP_INFO), &mut info);
    len.map_or(Vec::new(), |len| vec![SocketReport::Counted(figures(&info[..len.min(INFO)]))])
}

/// Reports of a Multipath TCP connection: each of its subflows and its data level, then all together.
pub(super) fn of_multipath(socket: impl AsFd) -> Vec<SocketReport> {
    let info = each::<{ SUBFLOW_DATA + MOST_SUBFLOWS * INFO }>(&socket, MPTCP_TCPINFO, INFO);
    let addresses =
        each::<{ SUBFLOW_DATA + MOST_SUBFLOWS * ADDRESSES }>(&socket, MPTCP_SUBFLOW_ADDRS, ADDRESSES);
    let mut whole = [0; STREAM];
    let len = socket_option(&socket, (SOL_MPTCP, MPTCP_INFO), &mut whole).unwrap_or(0);
    let mut reports = reports(&info, &addresses);
    if !reports.is_empty() && len >= STREAM {
        reports.insert(0, SocketReport::Stream(stream(&whole)));
    }
    reports
}

fn stream(whole: &[u8; STREAM]) -> MptcpInfo {
    MptcpInfo { bytes_sent: long(whole, 56), bytes_again: long(whole, 48), bytes_acked: long(whole, 72) }
}

/// Structures of the subflows as the kernel writes them, with the header before them; empty where there are none.
fn each<const MOST: usize>(socket: impl AsFd, option: i32, size: usize) -> Vec<u8> {
    let mut all = vec![0; MOST];
    // Sizes of the two structures that we know.
    all[..4].copy_from_slice(&(SUBFLOW_DATA as u32).to_ne_bytes());
    all[12..16].copy_from_slice(&(size as u32).to_ne_bytes());
    let len = socket_option(socket, (SOL_MPTCP, option), &mut all).unwrap_or(0);
    all.truncate(len);
    all
}

/// Subflows, as the kernel puts them one behind the other: as much of each as it knows and was asked for, which of Linux 6.1 is less
/// than [`INFO`].
fn parts(all: &[u8]) -> impl Iterator<Item = &[u8]> {
    let size = word(all, 12) as usize;
    all.get(SUBFLOW_DATA..).unwrap_or_default().chunks_exact(size.max(1))
}

fn reports(info: &[u8], addresses: &[u8]) -> Vec<SocketReport> {
    let figures: Vec<TcpInfo> = parts(info).map(figures).collect();
    let Some(all) = figures.iter().copied().reduce(|sum, one| add(&sum, &one)) else { return Vec::new() };
    let pairs = parts(addresses)
        .filter_map(|both| Some((address(both.get(..ADDRESS)?)?, address(both.get(ADDRESS..)?)?)));
    let subflows = pairs.map(|(local, remote)| SocketPair { local, remote }).zip(&figures);
    let mut reports: Vec<_> = subflows.map(|(pair, one)| SocketReport::Subflow(pair, *one)).collect();
    reports.push(SocketReport::Counted(TcpInfo { multipath: true, ..all }));
    reports
}

/// The address in a `struct sockaddr_in`; none of another family.
fn address(bytes: &[u8]) -> Option<SocketAddrV4> {
    const AF_INET: u16 = 2;
    let &[f0, f1, p0, p1, a, b, c, d, ..] = bytes else { return None };
    let is_ours = u16::from_ne_bytes([f0, f1]) == AF_INET;
    is_ours.then(|| SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), u16::from_be_bytes([p0, p1])))
}

fn figures(info: &[u8]) -> TcpInfo {
    let mss = word(info, 16);
    let segments = |n: u32| u64::from(n) * u64::from(mss);
    let [unacknowledged, sacked, lost, again] = [24, 28, 32, 36].map(|at| word(info, at));
    let some = |value: u32, none: u32| (value != none).then_some(value);
    TcpInfo {
        multipath: false,
        usable: info.first().is_some_and(|state| [ESTABLISHED, CLOSE_WAIT].contains(state)),
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
        bytes_sent: long(info, 200),
        retransmitted_bytes: long(info, 208),
        bytes_acked: long(info, 120),
        bytes_waiting: word(info, 144).into(),
        timeouts: info.get(240..242).map(|two| u16::from_ne_bytes([two[0], two[1]]).into()),
    }
}

fn add(sum: &TcpInfo, one: &TcpInfo) -> TcpInfo {
    TcpInfo {
        usable: sum.usable || one.usable,
        cwnd: sum.cwnd + one.cwnd,
        in_flight: sum.in_flight + one.in_flight,
        segments_sent: sum.segments_sent + one.segments_sent,
        retransmitted_segments: sum.retransmitted_segments + one.retransmitted_segments,
        bytes_sent: sum.bytes_sent + one.bytes_sent,
        retransmitted_bytes: sum.retransmitted_bytes + one.retransmitted_bytes,
        bytes_acked: sum.bytes_acked + one.bytes_acked,
        bytes_waiting: sum.bytes_waiting + one.bytes_waiting,
        timeouts: sum.timeouts.zip(one.timeouts).map(|(a, b)| a + b),
        ..*sum
    }
}

/// A word of a structure; zero where it is shorter.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_ne_bytes)
}

/// Two of them.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
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
    fn the_data_level_is_where_linux_has_it() {
        let mut whole = [0; STREAM];
        for (at, value) in [(48, 7_u64), (56, 6_000_000_000), (64, 9), (72, 5)] {
            whole[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        }
        let expected = MptcpInfo { bytes_sent: 6_000_000_000, bytes_again: 7, bytes_acked: 5 };
        assert_eq!(stream(&whole), expected);
    }

    #[test]
    fn subflows_are_as_long_as_their_kernel_has_them() {
        let addresses = addresses(&[[1, 9], [2, 9], [3, 9]]);
        for each in [232, INFO] {
            let mut all = vec![0; SUBFLOW_DATA + 3 * each];
            all[12..16].copy_from_slice(&(each as u32).to_ne_bytes());
            for (info, again) in all[SUBFLOW_DATA..].chunks_exact_mut(each).zip([4_u32, 2, 1]) {
                info[0] = if again == 2 { ESTABLISHED } else { 4 };
                info[100..104].copy_from_slice(&again.to_ne_bytes());
            }
            let found = reports(&all, &addresses);
            let [
                SocketReport::Subflow(..),
                SocketReport::Subflow(pair, second),
                SocketReport::Subflow(..),
                SocketReport::Counted(sum),
            ] = &found[..]
            else {
                panic!("{found:?}")
            };
            assert_eq!(
                (pair.local.to_string(), pair.remote.to_string()),
                ("10.0.0.2:80".into(), "10.0.0.9:80".into())
            );
            assert_eq!((second.retransmitted_segments, second.usable), (2, true));
            assert_eq!((sum.retransmitted_segments, sum.usable, sum.multipath), (7, true, true));
            assert_eq!(sum.timeouts.is_some(), each == INFO, "{each} bytes each");
            assert_eq!(reports(&all[..SUBFLOW_DATA], &addresses), [], "none is left");
            assert_eq!(reports(&all, &[]).len(), 1, "of all together, wherever they are");
        }
    }

    /// Subflow addresses as the kernel writes them, between hosts of 10.0.0.0/24.
    fn addresses(ends: &[[u8; 2]]) -> Vec<u8> {
        let mut all = vec![0; SUBFLOW_DATA];
        all[12..16].copy_from_slice(&(ADDRESSES as u32).to_ne_bytes());
        for host in ends.iter().flatten() {
            let at = all.len();
            all.resize(at + ADDRESS, 0);
            all[at..at + 2].copy_from_slice(&2_u16.to_ne_bytes());
            all[at + 2..at + 8].copy_from_slice(&[0, 80, 10, 0, 0, *host]);
        }
        all
    }
}
