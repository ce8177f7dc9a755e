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
    ("behaviour_that_is_no_table", &[(TCP, "kind = \"tcp\", behaviour = \"linux\"")]),
];
