//! Errors about transports and congestion controls.

use super::{Case, TCP};

pub(super) const CASES: &[Case] = &[
    ("unknown_congestion_control", &[("cc = \"reno\"", "cc = \"remo\"")]),
    ("bad_tcp_parameter", &[("sack = true", "sack = 1, min_rto = \"0 s\", mss = \"99 kB\"")]),
    ("unknown_transport", &[("kind = \"udp\"", "kind = \"upd\"")]),
    (
        "mptcp_keys_on_tcp",
        &[(TCP, "kind = \"tcp\", scheduler = \"ecf\", path_manager = \"fullmesh\", max_subflows = 4")],
    ),
    (
        "tcp_keys_on_udp",
        &[("kind = \"udp\"", "kind = \"udp\", cc = \"reno\", sack = true, scheduler = \"ecf\"")],
    ),
    ("mptcp_key_misspelt_on_tcp", &[(TCP, "kind = \"tcp\", schedular = \"ecf\"")]),
    ("multipath_profile_on_tcp", &[(TCP, "kind = \"tcp\", profile = \"mptcp_0_94\"")]),
    ("kernel_profile_on_tcp", &[(TCP, "kind = \"tcp\", profile = \"linux_6_1\"")]),
    ("unknown_profile", &[(TCP, "kind = \"mptcp\", profile = \"mptcp_0_95\"")]),
    ("coupled_control_on_tcp", &[(TCP, "kind = \"tcp\", cc = \"olia\"")]),
    ("coupled_control_table_on_tcp", &[(TCP, "kind = \"tcp\", cc = { kind = \"lia\", cap = false }")]),
    ("unknown_coupled_control", &[(TCP, "kind = \"mptcp\", cc = \"something\"")]),
    ("coupled_control_misspelt_on_tcp", &[(TCP, "kind = \"tcp\", cc = \"lai\"")]),
    ("policy_keys_on_mptcp", &[(TCP, "kind = \"mptcp\", num_subflows = 3, beta = 0.5")]),
    ("policy_key_of_another", &[(TCP, "kind = \"mptcp\", scheduler = { kind = \"ecf\", num_segments = 3 }")]),
    ("behaviour_beside_its_table", &[(TCP, "kind = \"tcp\", halve_base = \"window\"")]),
    (
        "multipath_behaviour_beside_its_table",
        &[(TCP, "kind = \"mptcp\", hands_out = \"packets\", halve_base = \"window\"")],
    ),
    ("multipath_behaviour_on_tcp", &[(TCP, "kind = \"tcp\", behaviour = { hands_out = \"packets\" }")]),
    (
        "options_in_behaviour",
        &[(
            TCP,
            "kind = \"mptcp\", behaviour = { sack = true, scheduler = \"ecf\", halv_base = \"window\", tso = 1 }",
        )],
    ),
    ("unknown_quic_stack", &[(TCP, "kind = \"quic\", stack = \"quiche\"")]),
    ("tcp_keys_on_quic", &[(TCP, "kind = \"quic\", delayed_ack = 1, profile = \"linux\"")]),
    ("stack_control_without_seed", &[(TCP, "kind = \"quic\", cc = \"bbr\"")]),
    ("key_of_a_stack_control", &[(TCP, "kind = \"quic\", cc = { kind = \"cubic\", beta = 0.5 }")]),
    ("control_without_delays_on_quic", &[(TCP, "kind = \"quic\", cc = \"ledbat\", cc_from = \"simulator\"")]),
    (
        "paced_control_on_quinn",
        &[(TCP, "kind = \"quic\", stack = \"quinn\", cc = \"bbr\", cc_from = \"simulator\"")],
    ),
    (
        "quic_sizes",
        &[(
            TCP,
            "kind = \"quic\", packet_threshold = 1, initial_mtu = \"1400 B\", mtu_discovery_limit = \"1300 B\"",
        )],
    ),
    ("quic_with_several_paths", &[(TCP, "kind = \"mpquic\", stack = \"noq\"")]),
    ("behaviour_that_is_no_table", &[(TCP, "kind = \"tcp\", behaviour = \"linux\"")]),
];
