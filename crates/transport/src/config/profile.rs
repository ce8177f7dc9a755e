//! Endpoint profiles: options and behaviour of implementations.

use super::choices::{
    AckDelay, EcnLeast, HalveBase, Handshake, IdleRestart, Increase, Nagle, Paws, Pipe, Prr, RecoveryExit,
    RepeatedRto, RtoAfterMark, RtoFloor, RtoWindow, RttSampling, RttVariance, SackReports, WindowUnit,
};
use super::{TcpBehaviour, TcpConfig};
use crate::buffer_sizes::BufferSizes;
use tailrace_core::{Bytes, Duration, choices};

choices! {
    /// The implementation whose defaults an endpoint has.
    pub enum Profile {
        /// The standards as written: RFC 5681, 6298, 6582, 6675, 6928.
        Rfc = "rfc",
        /// The one-way agents of ns-2 (`Agent/TCP` and its family, with `TCPSink`).
        Ns2 = "ns2",
        /// `TcpSocketBase` of ns-3.
        Ns3 = "ns3",
        /// Linux. Versions differ in Multipath TCP and in buffers; this is the newest version that Tailrace has.
        Linux = "linux",
        /// Linux 6.1 with its Multipath TCP.
        Linux61 = "linux_6_1",
        /// Linux 6.12 with its Multipath TCP.
        Linux612 = "linux_6_12",
        /// Multipath TCP 0.94, the older version outside of the Linux kernel; its TCP is Linux's.
        Mptcp094 = "mptcp_0_94",
    }
}

impl Profile {
    /// Upstream Linux, of whatever version.
    pub const fn is_linux(self) -> bool {
        matches!(self, Self::Linux | Self::Linux61 | Self::Linux612)
    }
}

impl TcpBehaviour {
    /// ns-2 2.35, `tcl/lib/ns-default.tcl` and `tcp/tcp.cc`.
    pub const NS2: Self = Self {
        clock_granularity: Duration::from_millis(10),
        rtt_tick: Duration::from_millis(10),
        rtt_sampling: RttSampling::OnePerRtt,
        delayed_ack_timeout: Duration::from_millis(100),
        halve_base: HalveBase::Window,
        repeated_rto_ssthresh: RepeatedRto::Again,
        rto_after_mark: RtoAfterMark::Keep,
        window_unit: WindowUnit::Ns2,
        increase: Increase::Acks,
        cwnd_validation: false,
        sack_rescue: false,
        limited_after_rto: true,
        repair_holes: true,
        pipe: Pipe::Ns2,
        sack_after_rto: false,
        recovery_exit: RecoveryExit::Ssthresh,
        idle_restart: IdleRestart::Off,
        handshake: Handshake::Ns2Syn,
        ..Self::RFC
    };

    /// ns-3-dev, `src/internet/model/tcp-socket-base.cc` and `tcp-socket.cc`, with `TcpCubic`, its default; for other controls see
    /// [`CcConfig::fit_behaviour`](crate::CcConfig::fit_behaviour).
    pub const NS3: Self = Self {
        abc_limit: u8::MAX,
        halve_base: HalveBase::Window,
        rtt_tick: Duration::ZERO,
        clock_granularity: Duration::from_millis(1),
        recovery_exit: RecoveryExit::Ssthresh,
        ecn_least: EcnLeast::Two,
        idle_restart: IdleRestart::Off,
        persist_timeout: Some(Duration::from_secs(6)),
        ..Self::RFC
    };

    /// Linux 6.12, `net/ipv4/tcp_{input,output,timer}.c` and `ip-sysctl`.
    pub const LINUX_6_12: Self = Self {
        spared_syns: 1,
        sack_reports: SackReports::Remembered,
        tcp_window_share: Some(170.0 / 256.0),
        packet_overhead: Bytes(728),
        send_overhead: Bytes(832),
        segment_memory: Bytes(2304),
        rto_floor: RtoFloor::Variance,
        clock_granularity: Duration::from_micros(1),
        delayed_ack_timeout: Duration::from_millis(40),
        paws: Paws::LetsAcksPass,
        ack_delay: AckDelay::Adaptive,
        jiffy: Duration::from_millis(1),
        handshake_ack: true,
        push_acks: true,
        ack_compression: Duration::from_millis(1),
        quick_acks: 16,
        quick_ecn: true,
        rtt_sampling: RttSampling::AckOrSack,
        rtt_variance: RttVariance::Peak,
        rto_restart: true,
        rto_window: RtoWindow::FlightAndOne,
        repeated_rto_ssthresh: RepeatedRto::Window,
        halve_base: HalveBase::Window,
        window_unit: WindowUnit::Packets,
        increase: Increase::Delivered,
        lasting_limit: true,
        abc_limit: u8::MAX,
        recovery_exit: RecoveryExit::Ssthresh,
        tso: true,
        sack_rescue: false,
        ecn_least: EcnLeast::Two,
        ecn_fallback: true,
        prr: Prr::Linux,
        frto: true,
        eifel: true,
        dsack_undo: true,
        heeds_local_drops: true,
        max_dup_thresh: 300,
        idle_restart: IdleRestart::Decay,
        ..Self::RFC
    };

    /// Linux 6.1. It advertises by `tcp_adv_win_scale`, leaves packets as they were written (no `tcp_grow_skb`), and takes heads
    /// of packets to be sent from no store of their own, so each takes 64 B less (`skb_small_head_cache`, since 6.3).
    pub const LINUX_6_1: Self = Self {
        tcp_window_share: None,
        send_overhead: Bytes(768),
        fills_short_packets: false,
        ..Self::LINUX_6_12
    };

    /// Linux 4.14, with the memory of packets of kernels with wireless, whose headers may be longer (`MAX_TCP_HEADER`).
    pub const LINUX_4_14: Self = Self {
        push_acks: false,
        ack_compression: Duration::ZERO,
        packet_overhead: Bytes(1280),
        send_overhead: Bytes(1280),
        segment_memory: Bytes(4352),
        ..Self::LINUX_6_1
    };
}

impl TcpConfig {
    /// The defaults of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        match profile {
            Profile::Rfc => Self::default(),
            Profile::Ns2 => Self::ns2(),
            Profile::Ns3 => Self::ns3(),
            Profile::Linux | Profile::Linux612 => Self::linux(),
            Profile::Linux61 => Self { behaviour: TcpBehaviour::LINUX_6_1, ..Self::linux() },
            Profile::Mptcp094 => Self { behaviour: TcpBehaviour::LINUX_4_14, ..Self::linux() },
        }
    }

    /// ns-2's options.
    fn ns2() -> Self {
        Self {
            mss: Bytes(1000),
            iw: Some(2),
            initial_ssthresh: Some(20),
            window: Some(20),
            timestamps: false,
            receive_buffer: Bytes(1_000_000_000),
            min_rto: Duration::from_millis(200),
            initial_rto: Duration::from_secs(3),
            delayed_ack: 1,
            data_retries: None,
            syn_retries: None,
            behaviour: TcpBehaviour::NS2,
            ..Self::default()
        }
    }

    /// ns-3's options.
    fn ns3() -> Self {
        Self {
            mss: Bytes(536),
            iw: Some(10),
            send_buffer: Some(Bytes(131_072)),
            receive_buffer: Bytes(131_072),
            min_rto: Duration::from_secs(1),
            data_retries: Some(6),
            syn_retries: Some(6),
            behaviour: TcpBehaviour::NS3,
            ..Self::default()
        }
    }

    /// Linux's options, which are the same in all versions.
    fn linux() -> Self {
        Self {
            mss: Bytes(1448),
            iw: Some(10),
            tcp_rmem: Some(BufferSizes { least: 4096, initial: 131_072, most: 6_291_456 }),
            tcp_wmem: Some(BufferSizes { least: 4096, initial: 16_384, most: 4_194_304 }),
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(120),
            // Applications that send messages ask for TCP_NODELAY, as those of flows between kernels do.
            nagle: Nagle::Off,
            rack: true,
            tlp: true,
            syn_retries: Some(6),
            behaviour: TcpBehaviour::LINUX_6_12,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::params::Parameters;

    #[test]
    fn every_profile_survives_being_written_and_read_back() {
        for profile in [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux] {
            let config = TcpConfig::for_profile(profile);
            let mut copy = TcpConfig::default();
            for p in TcpConfig::params() {
                copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
            }
            for p in TcpBehaviour::params() {
                copy.behaviour.set(p.name, &config.behaviour.get(p.name).unwrap()).unwrap();
            }
            assert_eq!(copy, config);
        }
    }
}
