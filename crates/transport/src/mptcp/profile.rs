//! Profiles of Multipath TCP connections: options, behaviour and policies of implementations.
//!
//! A profile is a set of defaults, no more: every difference between implementations is a parameter, so each can be
//! overridden by itself and no code asks for the profile.

use super::behaviour::{DataTimer, EchoWait, HandsOut, MptcpBehaviour, SendBufferOf, Speaker};
use super::config::{MptcpConfig, MptcpPlan, Penalisation, SubflowControl};
use super::coupled::{CoupledConfig, LiaConfig, LinkedIncreasesConfig};
use super::path_manager::{FullmeshConfig, LinuxPathsConfig, PathManagerConfig};
use super::scheduler::{LinuxSchedulerConfig, LowestRttConfig, RoundRobinConfig, SchedulerConfig};
use crate::cc::CcConfig;
use crate::config::{HalveBase, Handshake, Profile, TcpConfig};
use std::sync::Arc;
use tailrace_core::{Bytes, Duration};

impl MptcpPlan {
    /// The defaults of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        let lia = || SubflowControl::Coupled(CoupledConfig::Lia(LiaConfig::default()));
        let lowest_rtt = SchedulerConfig::LowestRtt(LowestRttConfig::default());
        let round_robin = SchedulerConfig::RoundRobin(RoundRobinConfig::default());
        let linux = SchedulerConfig::LinuxScheduler(LinuxSchedulerConfig::default());
        let (control, scheduler) = match profile {
            Profile::Rfc | Profile::Ns2 | Profile::Mptcp094 => (lia(), lowest_rtt),
            Profile::Ns3 => {
                let linked = CoupledConfig::LinkedIncreases(LinkedIncreasesConfig::default());
                (SubflowControl::Coupled(linked), round_robin)
            }
            // There is no coupled control upstream.
            Profile::Linux | Profile::Linux61 | Profile::Linux612 => {
                (SubflowControl::Uncoupled(CcConfig::for_profile(profile)), linux)
            }
        };
        let mut tcp = TcpConfig::for_profile(profile);
        // Subflows are Agent/TCP/FullTcp.
        tcp.behaviour.handshake = Handshake::ThreeWay;
        // Subflows are often short of data, and grow all the same.
        tcp.behaviour.lasting_limit = profile.is_linux();
        if profile == Profile::Ns3 {
            // Kheirkhah's model has a TCP of its own, `mp-tcp-socket-base.cc`: NewReno from one segment on.
            (tcp.iw, tcp.sack, tcp.limited_transmit) = (Some(1), false, false);
            (tcp.behaviour.abc_limit, tcp.behaviour.halve_base) = (1, HalveBase::Flight);
        }
        Self {
            mptcp: MptcpConfig::for_profile(profile),
            tcp: Arc::new(tcp),
            control,
            scheduler,
            path_manager: path_manager(profile),
        }
    }
}

fn path_manager(profile: Profile) -> PathManagerConfig {
    match profile {
        Profile::Linux | Profile::Linux61 | Profile::Linux612 => {
            PathManagerConfig::LinuxPaths(LinuxPathsConfig::default())
        }
        Profile::Mptcp094 => PathManagerConfig::Fullmesh(FullmeshConfig {
            event_delay: Duration::from_millis(500),
            retry_after: Some(Duration::from_secs(1)),
            create_on_err: false,
            ..FullmeshConfig::default()
        }),
        Profile::Rfc | Profile::Ns2 | Profile::Ns3 => PathManagerConfig::Fullmesh(FullmeshConfig::default()),
    }
}

impl MptcpConfig {
    /// Bytes that a mapping and a data-level acknowledgment take in a header.
    pub fn mapping_len(&self) -> u16 {
        let wide = |on: bool| if on { 8_u16 } else { 4 };
        let len = 4 + wide(self.wide_data_ack) + wide(self.wide_dsn) + 6 + if self.checksum { 2 } else { 0 };
        len.next_multiple_of(4)
    }

    /// The defaults of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        match profile {
            Profile::Rfc => Self::default(),
            Profile::Ns2 => Self::of(MptcpBehaviour::NS2),
            Profile::Ns3 => Self { max_subflows: 8, ..Self::of(MptcpBehaviour::NS2) },
            Profile::Linux61 => Self::of(MptcpBehaviour::LINUX_6_1),
            Profile::Linux | Profile::Linux612 => Self::of(MptcpBehaviour::LINUX_6_12),
            Profile::Mptcp094 => Self {
                checksum: true,
                max_subflows: 31,
                opportunistic_retransmission: true,
                penalisation: Penalisation::Linux,
                ..Self::of(MptcpBehaviour::MPTCP_0_94)
            },
        }
    }

    fn of(behaviour: MptcpBehaviour) -> Self {
        Self { behaviour, ..Self::default() }
    }
}

impl MptcpBehaviour {
    /// ns-2's and ns-3's models (Nishida's `tcp/mptcp.cc`; Kheirkhah's `mp-tcp-socket-base.cc`) send nothing again
    /// elsewhere when a subflow times out, and tell of addresses once.
    pub const NS2: Self = Self {
        reinject_on_timeout: false,
        avoid_failed: false,
        add_addr_retries: Some(0),
        add_addr_echo: false,
        ..Self::RFC
    };

    /// Out-of-tree Linux 0.94 (multipath-tcp/mptcp): `net/mptcp/mptcp_{ctrl,output,sched,fullmesh}.c`.
    pub const MPTCP_0_94: Self = Self {
        capable_syns: 4,
        join_syn_retries: 3,
        reinject_on_timeout: true,
        avoid_failed: true,
        add_addr_retries: Some(0),
        add_addr_echo: false,
        new_address_ids: true,
        ..Self::RFC
    };

    /// Linux 6.12: the differences from 6.1 in `net/mptcp/protocol.h` (`__mptcp_sync_sndbuf`), `protocol.c`
    /// (`__subflow_push_pending`, `mptcp_sk_clone_init`), `sockopt.c` (`mptcp_sockopt_sync_locked`) and, of its TCP,
    /// `net/ipv4/tcp_output.c` (`tcp_select_initial_window`) and `tcp_input.c` (`scaling_ratio`).
    pub const LINUX_6_12: Self = Self {
        send_buffer_of: SendBufferOf::Sum,
        hands_out: HandsOut::Fragments,
        first_window: None,
        window_share: Some(167.0 / 256.0),
        acks_after_reading: true,
        sizes_from_first_read: false,
        takes_after_close: false,
        ..Self::LINUX_6_1
    };

    /// Linux 6.1, `net/mptcp/{protocol,pm,ctrl}.c`.
    pub const LINUX_6_1: Self = Self {
        join_syn_retries: 6,
        counts_memory: true,
        hands_out: HandsOut::Packets,
        sizes_from_first_read: true,
        keeps_larger_window: true,
        wide_dsn: true,
        answer_wide_dsn: true,
        reinject_on_timeout: false,
        avoid_failed: false,
        data_timer: DataTimer::Subflows,
        data_rtx_bytes: Bytes(32_728),
        stale_loss_cnt: 4,
        reinject_all: true,
        closes_in_order: true,
        speaker: Speaker::First,
        add_addr_retries: Some(3),
        add_addr_wait: EchoWait::Timeout,
        add_addr_timeout: Duration::from_secs(120),
        close_timeout: Duration::from_secs(60),
        ..Self::RFC
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TcpBehaviour;

    #[test]
    fn ns_3_stands_for_a_model_with_a_tcp_of_its_own() {
        let tcp = MptcpPlan::for_profile(Profile::Ns3).tcp;
        assert_eq!((tcp.iw, tcp.sack, tcp.limited_transmit), (Some(1), false, false));
        let plain = TcpConfig::for_profile(Profile::Ns3);
        assert_eq!(
            (plain.iw, plain.sack, plain.limited_transmit),
            (Some(10), true, true),
            "ns-3's TCP has them"
        );
    }

    #[test]
    fn kernels_differ_in_their_buffers_and_the_newest_is_linux() {
        let of = MptcpPlan::for_profile;
        assert_eq!(of(Profile::Linux), of(Profile::Linux612));
        let (old, new) = (of(Profile::Linux61), of(Profile::Linux612));
        let as_old = TcpBehaviour {
            tcp_window_share: None,
            send_overhead: Bytes(768),
            fills_short_packets: false,
            ..new.tcp.behaviour.clone()
        };
        let tcp = Arc::new(TcpConfig { behaviour: as_old, ..TcpConfig::clone(&new.tcp) });
        assert_eq!(MptcpPlan { mptcp: old.mptcp.clone(), tcp, ..new.clone() }, old);
        let as_old = MptcpBehaviour {
            send_buffer_of: SendBufferOf::Largest,
            first_window: Some(Bytes(65_535)),
            hands_out: HandsOut::Packets,
            window_share: None,
            acks_after_reading: false,
            sizes_from_first_read: true,
            takes_after_close: true,
            ..new.mptcp.behaviour.clone()
        };
        assert_eq!(MptcpConfig { behaviour: as_old, ..new.mptcp }, old.mptcp);
    }
}
