//! Errors about Multipath TCP: subflows, path managers, schedulers.

use super::{Case, TCP};

pub(super) const CASES: &[Case] = &[
    (
        "no_subflows",
        &[(
            TCP,
            "kind = \"mptcp\", max_subflows = 0, path_manager = { kind = \"ndiffports\", num_subflows = 0 }",
        )],
    ),
    (
        "too_many_subflows",
        &[(
            TCP,
            "kind = \"mptcp\", max_subflows = 33, path_manager = { kind = \"ndiffports\", num_subflows = 40 }",
        )],
    ),
    (
        "more_subflows_than_allowed",
        &[(
            TCP,
            "kind = \"mptcp\", max_subflows = 4, path_manager = { kind = \"fullmesh\", num_subflows = 5 }",
        )],
    ),
    (
        "more_subflows_than_any",
        &[(TCP, "kind = \"mptcp\", path_manager = { kind = \"ndiffports\", num_subflows = 40 }")],
    ),
    (
        "too_many_addresses",
        &[
            (TCP, "kind = \"mptcp\""),
            (
                "[[link]]\nbetween = [\"r2\", \"dst\"]",
                "[[router]]\nname = \"x\"\ncount = 32\n\
                 [[link]]\nbetween = [\"r2\", \"x[*]\"]\nrate = \"1 Mbit/s\"\ndelay = \"2 ms\"\n\
                 [[link]]\nbetween = [\"x[*]\", \"dst\"]\nrate = \"1 Mbit/s\"\ndelay = \"2 ms\"\n\
                 [[link]]\nbetween = [\"r2\", \"dst\"]",
            ),
        ],
    ),
    ("gateway_unknown", &[(TCP, through!("r3; r1, r22"))]),
    ("gateway_host", &[(TCP, through!("r1; r2, dst"))]),
    (
        "gateway_several",
        &[(TCP, through!("r1; g[*]")), ("count = 4", "count = 4\n[[router]]\nname = \"g\"\ncount = 2")],
    ),
    (
        "gateway_which",
        &[(TCP, through!("g; g[2]")), ("count = 4", "count = 4\n[[router]]\nname = \"g\"\ncount = 2")],
    ),
    (
        "gateway_unreachable",
        &[(TCP, through!("r1; g")), ("count = 4", "count = 4\n[[router]]\nname = \"g\"")],
    ),
    (
        "gateway_on_another_link",
        &[
            (TCP, through!("r2")),
            ("[\"r2\", \"dst\"]", "[\"r2\", \"src[0]\"]"),
            ("[\"src[*]\", \"r1\"]", "[\"src[*]\", \"dst\"]"),
        ],
    ),
    ("gateway_bad_name", &[(TCP, through!("r1; r[x]"))]),
    ("gateway_left_out", &[(TCP, through!("r1;; r2"))]),
    ("gateways_too_many", &[(TCP, through!("r1; r2,r1,r2,r1,r2,r1,r2,r1,r2,r1"))]),
    (
        "gateways_not_text",
        &[(TCP, "kind = \"mptcp\", path_manager = { kind = \"binder\", gateways = [\"r1\"] }")],
    ),
    (
        "gateway_lists_more_than_subflows",
        &[(
            TCP,
            "kind = \"mptcp\", max_subflows = 3, path_manager = { kind = \"binder\", gateways = \"r1; r2; r1\" }",
        )],
    ),
    (
        "gateway_lists_more_than_any",
        &[(
            TCP,
            through!(
                "r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1;r1"
            ),
        )],
    ),
    (
        "endpoint_of_no_interface",
        &[
            (
                TCP,
                "kind = \"mptcp\", path_manager = { kind = \"linux\", client = \"1 subflow, 3 subflow backup\" }",
            ),
            (
                "[[link]]\nbetween = [\"r2\", \"dst\"]",
                "[[link]]\nname = \"second\"\nbetween = [\"src[*]\", \"r1\"]\nrate = \"1 Mbit/s\"\ndelay = \"2 ms\"\n\
                 [[link]]\nbetween = [\"r2\", \"dst\"]",
            ),
        ],
    ),
    (
        "endpoint_of_no_interface_at_the_server",
        &[(TCP, "kind = \"mptcp\", path_manager = { kind = \"linux\", server = \"2 signal\" }")],
    ),
    (
        "command_for_no_interface",
        &[(
            TCP,
            "kind = \"mptcp\", path_manager = { kind = \"manual\", client = \"1 s connect 1 to 2; 2 s backup 1\" }",
        )],
    ),
    (
        "bad_command",
        &[(TCP, "kind = \"mptcp\", path_manager = { kind = \"manual\", client = \"1 s conect 2 to 1\" }")],
    ),
    (
        "bad_endpoint",
        &[(
            TCP,
            "kind = \"mptcp\", path_manager = { kind = \"linux\", client = \"2 signal fullmesh\", server = \"1 subflwo\" }",
        )],
    ),
    (
        "too_many_endpoints",
        &[(
            TCP,
            "kind = \"mptcp\", path_manager = { kind = \"linux\", client = \"1 subflow, 2 subflow, 3 subflow, 4 subflow, 5 subflow, 6 subflow, 7 subflow, 8 subflow, 9 subflow\" }",
        )],
    ),
    ("beyond_linux_limits", &[(TCP, "kind = \"mptcp\", path_manager = { kind = \"linux\", subflows = 9 }")]),
    (
        "backups_only",
        &[
            (
                TCP,
                "kind = \"mptcp\", path_manager = { kind = \"linux\", client = \"1 backup, 2 subflow backup\" }",
            ),
            (
                "[[link]]\nbetween = [\"r2\", \"dst\"]",
                "[[link]]\nname = \"second\"\nbetween = [\"src[*]\", \"r1\"]\nrate = \"1 Mbit/s\"\ndelay = \"2 ms\"\n\
                 [[link]]\nbetween = [\"r2\", \"dst\"]",
            ),
        ],
    ),
    (
        "backups_only_at_the_server",
        &[
            (TCP, "kind = \"mptcp\", path_manager = { kind = \"linux\", server = \"1 backup\" }"),
            (
                "[[link]]\nbetween = [\"r2\", \"dst\"]",
                "[[link]]\nname = \"second\"\nbetween = [\"src[*]\", \"r1\"]\nrate = \"1 Mbit/s\"\ndelay = \"2 ms\"\n\
                 [[link]]\nbetween = [\"r2\", \"dst\"]",
            ),
        ],
    ),
    (
        "linux_limit_beyond_the_connections",
        &[(TCP, "kind = \"mptcp\", max_subflows = 4, path_manager = { kind = \"linux\", subflows = 4 }")],
    ),
    ("no_capable_syn", &[(TCP, "kind = \"mptcp\", behaviour.capable_syns = 0")]),
    ("mptcp_buffers", &[(TCP, "kind = \"mptcp\", send_buffer = \"1000 B\", receive_buffer = \"1 kB\"")]),
    (
        "impossible_scheduler",
        &[(TCP, "kind = \"mptcp\", scheduler = { kind = \"blest\", lambda = 2.0, min_lambda = 1.5 }")],
    ),
    (
        "impossible_scheduler_turn",
        &[(TCP, "kind = \"mptcp\", scheduler = { kind = \"round_robin\", num_segments = 0 }")],
    ),
    ("weighted_by_what", &[(TCP, "kind = \"mptcp\", scheduler = { kind = \"weighted\", by = \"zero\" }")]),
    (
        "impossible_coupled_control",
        &[(TCP, "kind = \"mptcp\", cc = { kind = \"wvegas\", total_alpha = 1.0 }")],
    ),
];
