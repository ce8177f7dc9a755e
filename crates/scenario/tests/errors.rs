//! What users are told. Each case is a change to a good scenario and the exact text that comes of it, kept in
//! `tests/errors/` with lists of registered names shortened; with `TAILRACE_BLESS=1` the texts are written anew.

use std::collections::BTreeSet;
use std::path::Path;
use tailrace_app::{AppConfig, RequiredTransport};
use tailrace_core::{Bytes, Duration};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::{Code, Diagnostic, Leaving, Room, Severity, Source, parse, parse_within, render_all};
use tailrace_transport::CcConfig;
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;

const GOOD: &str = include_str!("files/small.toml");

/// The TCP flow of the good file.
const TCP: &str = "kind = \"tcp\", cc = \"reno\", sack = true";

/// A Multipath TCP flow through gateways, in the place of [`TCP`].
macro_rules! through {
    ($gateways:literal) => {
        concat!("kind = \"mptcp\", path_manager = { kind = \"binder\", gateways = \"", $gateways, "\" }")
    };
}

/// Where an attack can stand in the good file.
const ATTACK: &str = "[[fault]]";

/// Pulses with these keys, in the place of [`ATTACK`].
macro_rules! attack {
    ($keys:literal) => {
        concat!("[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"pulse\"\nsize = \"1000 B\"\n", $keys, "\n[[fault]]")
    };
}

/// The link of a file of its own, between its hosts `a` and `b`.
macro_rules! two_hosts {
    () => {
        "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n"
    };
}

/// Name, and pairs of what stands in the good file and what replaces it.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("syntax", &[("runs = 2", "runs = = 2")]),
    ("unterminated", &[("name = \"small\"", "name = \"small")]),
    ("duplicate_key", &[("runs = 2", "runs = 2\nruns = 3")]),
    ("unknown_key", &[("runs = 2", "rusn = 2")]),
    ("routing", &[("[[fault]]", "[routing]\nequal_path = \"first\"\nconvergence = \"-1 s\"\n[[fault]]")]),
    ("routing_by_an_unknown_hash", &[("[[fault]]", "[routing]\nequal_paths = \"ecmp\"\n[[fault]]")]),
    ("unknown_key_far", &[("count = 4", "banana = 4\ncount = 4")]),
    (
        "keys_of_kernels_without_one",
        &[("count = 4", "count = 4\nmemory = \"64 MB\"\nrun = [{ command = \"true\" }]")],
    ),
    (
        "datagrams_that_no_kernel_sends",
        &[
            ("count = 4", "count = 4\nkernel = \"6.12\""),
            ("{ kind = \"udp\" }", "{ kind = \"udp\", header = \"40 B\" }"),
        ],
    ),
    (
        "spoofed_datagrams_of_a_kernel",
        &[
            ("count = 4", "count = 4\nkernel = \"6.12\""),
            (
                ATTACK,
                attack!(
                    "rate = \"5 Mbit/s\"\nspoof = { per = \"packet\", pool = 16 }\nburst = \"1 s\"\nperiod = \"2 s\""
                ),
            ),
        ],
    ),
    (
        "attack_of_a_receiver_that_is_a_kernel",
        &[
            ("name = \"dst\"", "name = \"dst\"\nkernel = \"6.12\""),
            (
                "[[fault]]",
                "[[attack]]\nname = \"x\"\nfrom = \"dst\"\nto = \"src[0]\"\nkind = \"ack_division\"\n[[fault]]",
            ),
        ],
    ),
    (
        "attack_of_a_sender_that_is_a_kernel",
        &[
            ("count = 4", "count = 4\nkernel = \"6.12\""),
            (
                "[[fault]]",
                "[[attack]]\nname = \"x\"\nfrom = \"src[1]\"\nto = \"dst\"\nkind = \"no_backoff\"\nwindow = 50\nenabled = false\n\
                 [[fault]]",
            ),
        ],
    ),
    (
        "misbehaviour_of_a_kernel",
        &[
            ("name = \"dst\"", "name = \"dst\"\nkernel = \"6.12\""),
            (TCP, "kind = \"tcp\", misbehaviour = \"repeated_acks\""),
        ],
    ),
    (
        "bad_kernel",
        &[(
            "count = 4",
            "count = 4\nkernel = \"6.12\"\nmemory = \"1 MB\"\nsysctl = { \"net..ipv4\" = 1, net.ipv4 = [1] }\n\
             limits = { subflows = 9, subflow = 1 }\nendpoints = \"wlan0\"\nrun = [{ at = \"1 s\" }]",
        )],
    ),
    ("kernel_without_quotes", &[("count = 4", "count = 4\nkernel = 6.12")]),
    (
        "run_of_no_program",
        &[("count = 4", "count = 4\nkernel = \"6.12\"\nrun = [\"iperf3 -s\", 3, { command = \" \" }]")],
    ),
    (
        "setting_with_and_without_quotes",
        &[(
            "count = 4",
            "count = 4\nkernel = \"6.12\"\nsysctl = { \"net.ipv4.tcp_sack\" = 0, net.ipv4.tcp_sack = 1 }",
        )],
    ),
    ("run_is_no_list", &[("count = 4", "count = 4\nkernel = \"6.12\"\nrun = \"true\"\nsysctl = \"a=1\"")]),
    (
        "kernel_without_that_link_or_time",
        &[(
            "count = 4",
            "count = 4\nkernel = \"6.12\"\nendpoints = \"2 subflow\"\nrun = [{ at = \"70 s\", command = \"true\" }]",
        )],
    ),
    (
        "hosts_of_one_kernel_that_differ",
        &[(
            "count = 4",
            "count = 4\nkernel = \"6.12\"\nnamespace = \"lab\"\n[[host]]\nname = \"x\"\nkernel = \"6.1\"\nnamespace = \"lab\"\n\
             [[link]]\nbetween = [\"x\", \"r1\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"",
        )],
    ),
    (
        "settings_of_one_kernel_that_differ",
        &[(
            "count = 4",
            "count = 4\nkernel = \"6.12\"\nnamespace = \"lab\"\nsysctl = { vm.swappiness = 10, net.ipv4.tcp_sack = 0 }\n[[host]]\nname = \"x\"\n\
             kernel = \"6.12\"\nnamespace = \"lab\"\nsysctl = { vm.swappiness = 20, net.ipv4.tcp_sack = 1 }\n\
             [[link]]\nbetween = [\"x\", \"r1\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"",
        )],
    ),
    (
        "multipath_tcp_of_a_kernel_without_it",
        &[
            ("name = \"dst\"", "name = \"dst\"\nkernel = \"6.12\"\nsysctl = { net.mptcp.enabled = 0 }"),
            (TCP, "kind = \"mptcp\", cc = \"cubic\""),
        ],
    ),
    (
        "more_links_than_a_kernel_has_cards",
        &[("count = 4", "count = 53\nkernel = \"6.12\"\nnamespace = \"lab\"")],
    ),
    ("missing_keys", &[("duration = \"60 s\"\n", ""), ("rate = \"10 Mbit/s\"\n", "")]),
    ("no_unit", &[("rate = \"1 Mbit/s\"", "rate = \"1\""), ("delay = \"10 ms\"", "delay = 10")]),
    ("mbps", &[("rate = \"1 Mbit/s\"", "rate = \"1 mbps\"")]),
    ("trace_of_a_file", &[("rate = \"1 Mbit/s\"", "rate = \"trace(up.trace)\"")]),
    ("trace_of_nothing", &[("rate = \"1 Mbit/s\"", "rate = \"trace()\"")]),
    ("trace_of_no_time", &[("rate = \"1 Mbit/s\"", "rate = \"trace(0 0)\"")]),
    ("trace_that_goes_back", &[("rate = \"1 Mbit/s\"", "rate = \"\"\"trace(1\n2 7\n5)\"\"\"")]),
    ("trace_of_negative_times", &[("rate = \"1 Mbit/s\"", "rate = \"trace(-5 3)\"")]),
    ("trace_of_huge_times", &[("rate = \"1 Mbit/s\"", "rate = \"trace(5 99999999999)\"")]),
    ("trace_too_slow", &[("rate = \"1 Mbit/s\"", "rate = \"trace(4294967295)\"")]),
    ("grants_without_rates", &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lte\" }")]),
    (
        "grants_of_an_unknown_kind",
        &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lta\", rates = [\"1 Mbit/s\"] }")],
    ),
    (
        "grants_too_slow",
        &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lte\", rates = [\"1 Mbit/s\", \"1 kbit/s\"] }")],
    ),
    ("grants_with_one_rate", &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lte\", rates = \"1 Mbit/s\" }")]),
    (
        "grants_with_odd_rates",
        &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lte\", rates = [[1], \"1 Mbit/s\"] }")],
    ),
    (
        "grants_in_half_a_subframe",
        &[(
            "rate = \"1 Mbit/s\"",
            "rate = { kind = \"lte\", rates = [\"1 Mbit/s\"], request = \"7500 us\" }",
        )],
    ),
    (
        "grants_with_an_unknown_key",
        &[("rate = \"1 Mbit/s\"", "rate = { kind = \"lte\", rates = [\"1 Mbit/s\"], period = \"5 ms\" }")],
    ),
    ("sizes_of_a_file", &[("app = \"bulk\"", "app = { kind = \"transfer\", size = \"cdf(web.cdf)\" }")]),
    ("trace_in_a_fault", &[("kind = \"down\"", "kind = \"rate\"\nvalue = \"trace(1 2)\"")]),
    ("zero_and_negative_rates", &[("1 Mbit/s", "0 Mbit/s"), ("10 Mbit/s", "-10 Mbit/s")]),
    ("overflow", &[("60 s", "1e30 s"), ("runs = 2", "runs = 99999999999999999999")]),
    ("too_large_for_the_key", &[("runs = 2", "runs = 5000000000"), ("60 s", "1000000 h")]),
    ("warmup", &[("warmup = \"10 s\"", "warmup = \"60 s\"")]),
    (
        "unknown_host",
        &[("from = \"src[*]\"", "from = \"scr[*]\""), ("[\"r2\", \"dst\"]", "[\"r2\", \"dts\"]")],
    ),
    ("link_to_itself", &[("[\"r1\", \"r2\"]", "[\"r1\", \"r1\"]")]),
    ("flow_to_itself", &[("to = \"dst\"", "to = \"src[0]\"")]),
    ("flow_to_router", &[("to = \"dst\"", "to = \"r2\"")]),
    (
        "unequal_counts",
        &[("count = 4", "count = 4\n[[host]]\nname = \"x\"\ncount = 3"), ("to = \"dst\"", "to = \"x[*]\"")],
    ),
    (
        "which_member",
        &[("from = \"src[*]\"", "from = \"src\""), ("[\"src[*]\", \"r1\"]", "[\"src[2..5]\", \"r1\"]")],
    ),
    ("pattern_unknown", &[("to = \"dst\"", "to = \"dst\"\npattern = \"all_to_all\"")]),
    (
        "pattern_of_too_many",
        &[("from = \"src[*]\"", "from = \"dst\""), ("to = \"dst\"", "to = \"src[*]\"\npattern = \"incast\"")],
    ),
    ("pattern_of_other_counts", &[("to = \"dst\"", "to = \"dst\"\npattern = \"permutation\"")]),
    (
        "pattern_of_one_host",
        &[
            ("from = \"src[*]\"", "from = \"dst\""),
            ("to = \"dst\"", "to = \"dst\"\npattern = \"permutation\""),
        ],
    ),
    (
        "pattern_starts",
        &[
            ("to = \"dst\"", "to = \"src[*]\"\npattern = \"all_pairs\""),
            ("start = \"uniform(0 s, 1 s)\"", "start = [\"0 s\", \"1 s\"]"),
        ],
    ),
    ("pairs_among_themselves", &[("to = \"dst\"", "to = \"src[*]\"")]),
    ("pairs_with_one_of_them", &[("to = \"dst\"", "to = \"src[1]\"")]),
    (
        "pairs_from_one_of_them",
        &[("from = \"src[*]\"", "from = \"src[1]\""), ("to = \"dst\"", "to = \"src[*]\"")],
    ),
    ("bad_selector", &[("from = \"src[*]\"", "from = \"src[a]\"")]),
    ("duplicate_names", &[("name = \"dst\"", "name = \"src\""), ("name = \"udp\"", "name = \"tcp\"")]),
    (
        "duplicate_links",
        &[
            ("name = \"bottleneck\"\n", "name = \"r2-dst\"\n"),
            ("link = \"bottleneck\"", "link = \"r2-dst\""),
            ("link.bottleneck.queue", "link.r2-dst.queue"),
        ],
    ),
    (
        "fault_queue",
        &[("kind = \"down\"", "kind = \"queue\"\nvalue = { kind = \"codel\", targt = \"1 ms\" }")],
    ),
    (
        "duplicate_faults_and_captures",
        &[
            (
                "[[fault]]\n",
                "[[fault]]\nname = \"first\"\nat = \"5 s\"\nlink = \"bottleneck\"\nkind = \"down\"\n[[fault]]\nname = \"first\"\n",
            ),
            ("[[capture]]\n", "[[capture]]\nname = \"a\"\nat = \"dst\"\n[[capture]]\nname = \"a\"\n"),
        ],
    ),
    ("fault_queue_of_hosts", &[("kind = \"down\"", "kind = \"queue\"\nvalue = \"netfence\"")]),
    ("address_unfit", &[("count = 4", "count = 4\naddress = [\"10.0.0\", \"224.0.0.1\", 7]")]),
    ("address_lists_nothing", &[("count = 4", "count = 4\naddress = []")]),
    ("address_of_no_link", &[("count = 4", "count = 4\naddress = [\"10.1.0.1\", \"10.2.0.1\"]")]),
    ("address_counted", &[("count = 4", "count = 4\naddress = \"10.0.0.5\"")]),
    (
        "address_twice",
        &[
            ("count = 4", "count = 4\naddress = \"10.1.0.1\""),
            ("name = \"dst\"", "name = \"dst\"\naddress = \"10.1.0.2\""),
        ],
    ),
    ("address_beyond", &[("count = 4", "count = 4\naddress = \"223.255.255.254\"")]),
    ("lonely_host", &[("count = 4", "count = 4\n[[host]]\nname = \"lonely\"")]),
    ("no_route", &[("[\"r1\", \"r2\"]", "[\"src[0]\", \"src[1]\"]")]),
    ("unknown_queue", &[("kind = \"droptail\"", "kind = \"dorptail\"")]),
    ("unknown_queue_parameter", &[("limit = \"50 packets\"", "limti = \"50 packets\"")]),
    ("bad_queue_parameter", &[("limit = \"50 packets\"", "limit = 50")]),
    ("impossible_queue", &[("limit = \"50 packets\"", "limit = \"0 packets\"")]),
    (
        "drr_classes",
        &[(
            "{ kind = \"droptail\", limit = \"50 packets\" }",
            "{ kind = \"drr\", classes = \"EF: cdoel; other\" }",
        )],
    ),
    ("tc_line", &[("{ kind = \"droptail\", limit = \"50 packets\" }", "\"pfifo limti 50\"")]),
    ("tc_unknown", &[("{ kind = \"droptail\", limit = \"50 packets\" }", "\"pfito limit 50\"")]),
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
    ("no_capable_syn", &[(TCP, "kind = \"mptcp\", capable_syns = 0")]),
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
    (
        "tcp_app_on_udp",
        &[("app = \"bulk\"", "app = { kind = \"cbr\", rate = \"1 Mbit/s\", size = \"1000 B\" }")],
    ),
    (
        "udp_app_on_tcp",
        &[(
            "kind = \"cbr\", rate = \"100 kbit/s\", size = \"1000 B\"",
            "kind = \"transfer\", size = \"1 MB\"",
        )],
    ),
    (
        "sizes",
        &[(
            "app = \"bulk\"",
            "app = { kind = \"request_response\", request = \"web_serach\", response = \"cdf(1 kB 0.5; 2 kB 0.4)\" }",
        )],
    ),
    ("sizes_outside", &[("app = \"bulk\"", "app = { kind = \"transfer\", size = \"pareto(10 kB, 0.9)\" }")]),
    ("arrivals_never", &[("app = \"bulk\"", "app = { kind = \"arrivals\", size = \"10 kB\" }")]),
    (
        "arrivals_twice",
        &[(
            "app = \"bulk\"",
            "app = { kind = \"arrivals\", size = \"10 kB\", gap = \"1 s\", load = \"60 %\" }",
        )],
    ),
    (
        "load_by_a_permutation",
        &[
            ("to = \"dst\"", "to = \"src[*]\"\npattern = \"permutation\""),
            ("[\"src[*]\", \"r1\"]", "[\"src[0..2]\", \"r1\"]"),
            (
                "[\"r2\", \"dst\"]",
                "[\"r2\", \"dst\"]\nrate = \"10 Mbit/s\"\ndelay = \"2 ms\"\n[[link]]\nbetween = [\"r2\", \"src[2..4]\"]",
            ),
            ("app = \"bulk\"", "app = { kind = \"arrivals\", size = \"10 kB\", load = \"60 %\" }"),
        ],
    ),
    (
        "load_of_no_link",
        &[(
            "app = \"bulk\"",
            "app = { kind = \"arrivals\", size = \"10 kB\", load = \"60 %\", of = \"botleneck\" }",
        )],
    ),
    (
        "load_of_another_link",
        &[
            (
                "app = \"bulk\"",
                "app = { kind = \"arrivals\", size = \"10 kB\", load = \"60 %\", of = \"side\" }",
            ),
            (
                "[[flow]]",
                "[[link]]\nname = \"side\"\nbetween = [\"r1\", \"r2\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]",
            ),
        ],
    ),
    (
        "load_too_dense",
        &[(
            "app = \"bulk\"",
            "app = { kind = \"arrivals\", size = \"1 B\", load = 0.9, of = \"src[*]-r1\" }",
        )],
    ),
    ("app_without_kind", &[("kind = \"cbr\", ", "")]),
    ("pulse", &[("kind = \"cbr\",", "kind = \"pulse\", period = \"1 s\", burst = \"2 s\",")]),
    (
        "steps",
        &[(
            "kind = \"cbr\", rate = \"100 kbit/s\",",
            "kind = \"schedule\", steps = [[\"1 s\", \"1 Mbit/s\"], [\"1 s\", \"2 Mbit/s\"], 3],",
        )],
    ),
    ("huge_packet", &[("size = \"1000 B\"", "size = \"64 KiB\"")]),
    ("distribution", &[("delay = \"10 ms\"", "delay = \"unifrom(1 ms, 2 ms)\"")]),
    ("loss", &[("queue =", "loss = { kind = \"periodic\", every = 0 }\nqueue =")]),
    ("unknown_queue_form", &[("runs = 2", "runs = 2\nqueue_form = \"linxu\"")]),
    (
        "queue_limit_that_does_not_fit",
        &[(
            "queue = { kind = \"droptail\", limit = \"50 packets\" }",
            "queue = \"sfq\"\nqueue_limit = \"9 kB\"",
        )],
    ),
    ("loss_percent", &[("queue =", "loss = 2\nqueue =")]),
    (
        "attack_spoofed_over_tcp",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 2\nspoof = { pool = 5 }\n[[fault]]",
        )],
    ),
    (
        "attack_spoofed_by_pulses_that_it_has_not",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\nspoof = { per = \"pulse\" }\n[[fault]]",
        )],
    ),
    (
        "attack_spoofed_from_nowhere",
        &[(
            ATTACK,
            attack!(
                "period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\nspoof = { per = \"burst\", pool = 0, form = 3 }"
            ),
        )],
    ),
    (
        "attack_of_no_kind",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\n[[fault]]")],
    ),
    (
        "attack_of_unknown_kind",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"plus\"\n[[fault]]")],
    ),
    (
        "attack_without_keys",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"pulse\"\n[[fault]]")],
    ),
    (
        "attack_with_keys_of_flows",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nrole = \"attack\"\napp = \"bulk\"\n[[fault]]",
        )],
    ),
    (
        "attack_with_keys_of_others",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nperiod = \"1 s\"\n[[fault]]",
        )],
    ),
    (
        "attack_pulse_longer_than_its_period",
        &[(ATTACK, attack!("period = \"1 s\"\nburst = \"2 s\"\nrate = \"1 Mbit/s\""))],
    ),
    (
        "attack_pulse_at_two_rates",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\nmean = \"1 Mbit/s\""))],
    ),
    ("attack_pulse_of_no_length", &[(ATTACK, attack!("period = \"1 s\"\nrate = \"1 Mbit/s\""))]),
    (
        "attack_pulse_too_dense",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.000001\nmean = \"1 Gbit/s\""))],
    ),
    (
        "attack_over_tcp",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\ntransport = \"tcp\""))],
    ),
    (
        "attack_that_is_told_another_conduct",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"ack_division\"\ntransport = { kind = \"tcp\", misbehaviour = \"optimistic_acks\" }\n[[fault]]",
        )],
    ),
    (
        "attack_with_a_permutation_of_several",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\npattern = \"permutation\"\nkind = \"parallel\"\nconnections = 2\n[[fault]]",
        )],
    ),
    (
        "attack_called_like_a_flow",
        &[(
            ATTACK,
            "[[attack]]\nname = \"udp\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 2\n[[fault]]",
        )],
    ),
    (
        "attack_without_a_route",
        &[(
            ATTACK,
            "[[host]]\nname = \"far\"\n[[router]]\nname = \"r3\"\n[[link]]\nbetween = [\"far\", \"r3\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[attack]]\nname = \"x\"\nfrom = \"far\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 1\nenabled = false\n[[fault]]",
        )],
    ),
    (
        "attack_shrew_too_often",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"shrew\"\nn = 5\nburst = \"300 ms\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
    (
        "attack_roq_of_two_sizes",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"roq\"\nperiod = \"1 s\"\nmagnitude = 5\nduration = \"1 ms\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
    (
        "attack_flood_random_twice",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\narrivals = \"poisson\"\njitter = 0.1\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
    (
        "nothing_but_what_is_off",
        &[
            ("name = \"tcp\"", "name = \"tcp\"\nenabled = false"),
            ("name = \"udp\"", "name = \"udp\"\nenabled = false"),
        ],
    ),
    ("fault_link", &[("link = \"bottleneck\"", "link = \"bottelneck\"")]),
    ("fault_value", &[("kind = \"down\"", "kind = \"rate\"")]),
    (
        "medium_unknown",
        &[
            ("rate = \"1 Mbit/s\"", "rate = \"1 Mbit/s\"\nmedium = \"hoem\""),
            ("[[link]]", "[[medium]]\nname = \"home\"\nkind = \"wifi\"\n\n[[link]]"),
        ],
    ),
    ("medium_of_none", &[("rate = \"1 Mbit/s\"", "rate = \"1 Mbit/s\"\nmedium = \"home\"")]),
    (
        "medium_and_trace",
        &[
            ("rate = \"1 Mbit/s\"", "rate = \"trace(1 2)\"\nmedium = \"home\""),
            ("[[link]]", "[[medium]]\nname = \"home\"\nkind = \"wifi\"\n\n[[link]]"),
        ],
    ),
    (
        "medium_of_bad_values",
        &[(
            "[[link]]",
            "[[medium]]\nname = \"home\"\nkind = \"wifi\"\ncw_min = 63\ncw_max = 31\n\n[[medium]]\nname = \"home\"\nkind = \"wfi\"\nslto = \"9 us\"\n\n[[medium]]\nkind = \"wifi\"\nslot = \"0 s\"\n\n[[link]]",
        )],
    ),
    ("fault_of_no_kind", &[("kind = \"down\"\n", "")]),
    ("fault_of_unknown_kind", &[("kind = \"down\"", "kind = \"dwon\"\nvalue = 3")]),
    ("fault_with_a_key_of_others", &[("kind = \"down\"", "kind = \"down\"\nvalue = \"1 Mbit/s\"")]),
    ("fault_with_an_unknown_key", &[("kind = \"down\"", "kind = \"down\"\nunitl = \"21 s\"")]),
    ("fault_of_loss", &[("kind = \"down\"", "kind = \"loss\"\nvalue = 2")]),
    ("fault_order", &[("until = \"30 s\"", "until = \"20 s\"")]),
    ("fault_after_the_end", &[("at = \"20 s\"\nuntil = \"30 s\"", "at = \"70 s\"")]),
    ("fault_nowhere", &[("link = \"bottleneck\"\n", "")]),
    ("fault_at_links_and_hosts", &[("link = \"bottleneck\"", "link = \"bottleneck\"\nhost = \"dst\"")]),
    ("fault_at_nothing", &[("link = \"bottleneck\"", "link = []")]),
    ("fault_at_a_router", &[("link = \"bottleneck\"", "host = \"r1\"")]),
    ("fault_at_no_interface", &[("link = \"bottleneck\"", "host = \"dst\"\ninterface = [1, 2]")]),
    (
        "fault_at_interface_zero",
        &[("link = \"bottleneck\"", "host = \"dst\"\ninterface = [0, \"2..2\", \"x\"]")],
    ),
    ("fault_of_an_interface_of_a_link", &[("link = \"bottleneck\"", "link = \"bottleneck\"\ninterface = 1")]),
    ("fault_up_a_link", &[("link = \"bottleneck\"", "link = \"bottleneck\"\ndirection = \"up\"")]),
    ("fault_forward_of_a_host", &[("link = \"bottleneck\"", "host = \"dst\"\ndirection = \"forward\"")]),
    ("fault_with_two_ends", &[("link = \"bottleneck\"", "link = \"bottleneck\"\nback_every = \"1 s\"")]),
    (
        "fault_with_too_many_steps",
        &[("link = \"bottleneck\"", "link = \"src[*]-r1\"\nevery = \"1 s\"\ncount = 5")],
    ),
    (
        "fault_sides_that_differ",
        &[("link = \"bottleneck\"", "link = [\"src[*]-r1\", \"bottleneck\"]\nevery = \"1 s\"")],
    ),
    (
        "fault_steps_after_the_end",
        &[("link = \"bottleneck\"", "link = \"src[*]-r1\"\nevery = \"20 s\""), ("until = \"30 s\"\n", "")],
    ),
    (
        "fault_ends_before_its_last_step",
        &[("link = \"bottleneck\"", "link = \"src[*]-r1\"\nevery = \"4 s\"")],
    ),
    (
        "faults_that_contradict",
        &[(
            "[[fault]]\n",
            "[[fault]]\nat = \"15 s\"\nuntil = \"25 s\"\nlink = \"bottleneck\"\nkind = \"down\"\n[[fault]]\n",
        )],
    ),
    ("fault_address_of_a_link", &[("kind = \"down\"", "kind = \"address\"\nvalue = \"10.0.9.9\"")]),
    (
        "fault_address_of_nobody",
        &[("link = \"bottleneck\"\nkind = \"down\"", "kind = \"address\"\nvalue = \"10.0.9.9\"")],
    ),
    (
        "fault_address_one_way",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"dst\"\ndirection = \"up\"\nkind = \"address\"\nvalue = \"10.0.9.9\"",
        )],
    ),
    (
        "fault_address_of_several_hosts",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"src[*]\"\nkind = \"address\"\nvalue = \"10.0.9.9\"",
        )],
    ),
    (
        "fault_address_of_several_interfaces",
        &[
            (
                "link = \"bottleneck\"\nkind = \"down\"",
                "host = \"dst\"\nkind = \"address\"\nvalue = \"10.0.9.9\"",
            ),
            (
                "[[flow]]\n",
                "[[link]]\nbetween = [\"r1\", \"dst\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]\n",
            ),
        ],
    ),
    (
        "fault_address_of_two_interfaces",
        &[
            (
                "link = \"bottleneck\"\nkind = \"down\"",
                "host = \"dst\"\ninterface = [1, 2]\nkind = \"address\"\nvalue = \"10.0.9.9\"",
            ),
            (
                "[[flow]]\n",
                "[[link]]\nbetween = [\"r1\", \"dst\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[flow]]\n",
            ),
        ],
    ),
    (
        "fault_address_that_cannot_be",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"dst\"\nkind = \"address\"\nvalue = \"224.0.0.1\"",
        )],
    ),
    (
        "fault_address_without_one",
        &[("link = \"bottleneck\"\nkind = \"down\"", "host = \"dst\"\nkind = \"address\"")],
    ),
    (
        "fault_address_of_another",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"dst\"\nkind = \"address\"\nvalue = \"10.0.0.2\"",
        )],
    ),
    (
        "fault_address_that_another_has_later",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"dst\"\nkind = \"address\"\nvalue = \"10.0.9.9\"\n[[fault]]\nat = \"40 s\"\nhost = \"src[2]\"\nkind = \"address\"\nvalue = \"10.0.9.9\"",
        )],
    ),
    (
        "fault_addresses_that_contradict",
        &[(
            "link = \"bottleneck\"\nkind = \"down\"",
            "host = \"dst\"\nkind = \"address\"\nvalue = \"10.0.9.9\"\n[[fault]]\nat = \"25 s\"\nhost = \"dst\"\nkind = \"address\"\nvalue = \"10.0.9.8\"",
        )],
    ),
    ("fault_of_rows_in_no_file", &[("kind = \"down\"", "kind = \"trace\"\nrows = \"lte.csv\"")]),
    (
        "fault_of_rows_out_of_order",
        &[("kind = \"down\"", "kind = \"trace\"\nrows = \"time, rate; 0 s, 1 Mbit/s; 0 s, 2 Mbit/s\"")],
    ),
    (
        "fault_of_rows_with_an_unknown_queue",
        &[("kind = \"down\"", "kind = \"trace\"\nrows = \"time, queue; 0 s, red; 5 s, pfifi limit 20\"")],
    ),
    (
        "fault_of_rows_that_never_end",
        &[(
            "kind = \"down\"",
            "kind = \"trace\"\nrows = \"time, rate; 0 s, 1 Mbit/s; 5 s, 2 Mbit/s\"\nperiod = \"5 s\"",
        )],
    ),
    (
        "fault_of_a_rate_drawn_from_nothing",
        &[(
            "kind = \"down\"",
            "kind = \"random_rate\"\nhold = \"1 s\"\nvalue = \"normal(1 Mbit/s, 1 kbit/s)\"",
        )],
    ),
    ("fault_that_flaps_too_fast", &[("kind = \"down\"", "kind = \"flap\"\ndown = \"1 us\"\nup = \"1 s\"")]),
    ("fault_of_a_host_that_is_no_router", &[("link = \"bottleneck\"", "router = \"dst\"")]),
    (
        "fault_of_a_delay_of_routes_elsewhere",
        &[("kind = \"down\"", "kind = \"blackhole\"\nroute_delay = \"1 s\"")],
    ),
    (
        "window_within_the_warm_up",
        &[("[record]", "[[window]]\nname = \"early\"\nstart = \"5 s\"\nend = \"15 s\"\n\n[record]")],
    ),
    (
        "windows_beyond_the_end",
        &[(
            "[record]",
            "[[window]]\nname = \"late\"\nstart = \"20 s\"\nend = \"61 s\"\n\
             [[window]]\nname = \"never\"\nstart = \"60 s\"\n\n[record]",
        )],
    ),
    (
        "windows_out_of_order",
        &[(
            "[record]",
            "[[window]]\nname = \"b\"\nstart = \"30 s\"\nend = \"20 s\"\n\
             [[window]]\nname = \"a\"\nstart = \"25 s\"\nend = \"35 s\"\n\
             [[window]]\nname = \"c\"\nstart = \"32 s\"\n\n[record]",
        )],
    ),
    (
        "windows_alike",
        &[(
            "[record]",
            "[[window]]\nname = \"w\"\n[[window]]\nname = \"w\"\n[[window]]\nname = \"x.y\"\nstrat = \"30 s\"\n\n[record]",
        )],
    ),
    ("capture_router", &[("at = \"src[0]\"", "at = \"r1\"")]),
    ("capture_nowhere", &[("at = \"src[0]\"", "at = \"sink\"")]),
    ("not_a_list", &[("[[fault]]", "[fault]")]),
    ("table_expected", &[("[record]\ninterval = \"1 s\"", "record = 5")]),
    ("sweep_path", &[("\"link.bottleneck.queue.limit\"", "\"link.botleneck.queue.limit\"")]),
    ("sweep_value", &[("[\"20 packets\"]", "[\"20 packets\", 20]")]),
    ("sweep_unquoted", &[("\"link.bottleneck.queue.limit\"", "link.bottleneck.queue.limit")]),
    (
        "sweep_together",
        &[(
            "\"link.bottleneck.queue.limit\" = [\"20 packets\"]",
            "[[sweep.zip]]\n\"link.bottleneck.queue.limit\" = [\"20 packets\"]\nseed = [1, 2]\n[[sweep.zip]]\nseeds = [1]\n",
        )],
    ),
    (
        "sweep_drawn",
        &[(
            "[\"20 packets\"]",
            "\"unifrom(1 packets, 20 packets)\"\n\"link.bottleneck.delay\" = \"uniform(1 ms, 9 km)\"\nmethod = \"sobol\"",
        )],
    ),
    ("sweep_samples_of_nothing", &[("[\"20 packets\"]", "[\"20 packets\"]\nsamples = 9")]),
    ("sweep_without_samples", &[("[\"20 packets\"]", "\"uniform(1 packets, 20 packets)\"")]),
    (
        "sweep_words",
        &[(
            "[\"20 packets\"]",
            "[\"20 packets\"]\nwhen = 1\nsamples = \"many\"\n[sweep.let]\n\"a b\" = 1\nc = { d = 1 }\n[sweep.derive]\nseed = 7\n\
             [sweep.preset]\ncalm = 1\nstorm = { \"link.bottleneck.queue.limt\" = 1 }",
        )],
    ),
    ("sweep_of_nothing", &[("[\"20 packets\"]", "[]")]),
    ("bad_name", &[("name = \"udp\"", "name = \"u.dp\"")]),
    ("packet_too_large", &[("size = \"1000 B\"", "size = \"65535 B\"")]),
    (
        "ambiguous_name",
        &[
            ("between = [\"r2\", \"dst\"]", "name = \"dst\"\nbetween = [\"r2\", \"dst\"]"),
            ("at = \"src[0]\"", "at = \"dst\""),
        ],
    ),
    (
        "allow",
        &[(
            "runs = 2",
            "runs = 2\nallow = [\"queue-stays-emtpy\", \"nothing\", \"unknown-key\", \"above-mtu\", 5]",
        )],
    ),
    ("allow_not_a_list", &[("runs = 2", "runs = 2\nallow = \"above-mtu\"")]),
    ("value_not_plain", &[(TCP, "kind = \"tcp\", sack = [true]")]),
    (
        "several",
        &[
            ("runs = 2", "runs = 0"),
            ("1 Mbit/s", "1 mbps"),
            ("cc = \"reno\"", "cc = \"remo\""),
            ("to = \"dst\"", "to = \"dts\""),
        ],
    ),
];

/// Name, overrides.
const OVERRIDES: &[(&str, &[(&str, &str)])] = &[
    ("set_unknown_link", &[("link.botleneck.queue", "droptail")]),
    ("set_unknown_key", &[("link.bottleneck.rat", "1 Mbit/s")]),
    ("set_unknown_section", &[("lnik.bottleneck.rate", "1 Mbit/s")]),
    ("set_bad_value", &[("link.bottleneck.rate", "10 mbps"), ("runs", "many")]),
    ("set_list", &[("link", "5"), ("link.bottleneck", "5")]),
    ("set_into_value", &[("runs.x", "5")]),
    ("set_bad_path", &[("link..rate", "5")]),
    ("set_queue_parameter", &[("link.bottleneck.queue.limti", "5 packets")]),
    ("set_fault_index", &[("fault.7.at", "5 s")]),
];

/// Name, a whole file.
const FILES: &[(&str, &str)] = &[
    ("nothing", "name = \"nothing\"\nduration = \"1 s\"\n"),
    (
        "no_flow",
        concat!(
            "name = \"quiet\"\nduration = \"1 s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n",
            two_hosts!()
        ),
    ),
    (
        "programs_without_a_kernel",
        concat!(
            "name = \"quiet\"\nduration = \"1 s\"\n[[host]]\nname = \"a\"\nrun = [{ command = \"ping -c 3 b\" }]\n",
            "[[host]]\nname = \"b\"\n",
            two_hosts!()
        ),
    ),
];

/// Name, what the command line allows.
const ALLOWED: &[(&str, &[&str])] = &[("allow_beside_the_file", &["phase-efect", "no such", "no-route"])];

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(GOOD.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is not in the good file");
        text.replacen(from, to, 1)
    })
}

/// A text in which lists of registered names, which every new one would change, end after their first.
fn shortened(text: &str) -> String {
    let apps = |over| tailrace_app::catalog().iter().filter(|a| a.over == over).map(|a| a.name).collect();
    let warnings = Code::ALL.iter().filter(|code| code.severity() == Severity::Warning);
    let registries: [Vec<&str>; 8] = [
        AppConfig::names().to_vec(),
        apps(RequiredTransport::Datagrams),
        QdiscConfig::names().to_vec(),
        CcConfig::names().to_vec(),
        CoupledConfig::names().to_vec(),
        SchedulerConfig::names().to_vec(),
        PathManagerConfig::names().to_vec(),
        warnings.map(|code| code.name()).collect(),
    ];
    let mut short = text.to_string();
    for names in registries {
        // However many of them a message lists, and whether it says that there are others.
        for listed in (3..=names.len()).rev().map(|n| names[..n].join(", ")) {
            while let Some(at) = short.find(&listed) {
                let rest = &short[at + listed.len()..];
                let line = rest.find('\n').unwrap_or(rest.len());
                let others = if rest.starts_with(", and others (") { line } else { 0 };
                short = format!("{}{}, ...{}", &short[..at], names[0], &rest[others..]);
            }
        }
    }
    short
}

fn compare(name: &str, found: &str, different: &mut Vec<String>) {
    let found = shortened(found);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors").join(format!("{name}.txt"));
    if std::env::var_os("TAILRACE_BLESS").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    if expected != found {
        different.push(format!("=== {name}: expected\n{expected}--- found\n{found}"));
    }
}

#[test]
fn the_good_file_is_good() {
    if let Err(errors) = parse(GOOD, "small.toml", &[]) {
        panic!("{}", render_all(&errors, false));
    }
}

/// Every case with its errors.
fn cases() -> Vec<(&'static str, Vec<Diagnostic>)> {
    let of_changes = CASES
        .iter()
        .map(|(name, changes)| (*name, parse(&changed(changes), "small.toml", &[]).expect_err(name)));
    let of_overrides = OVERRIDES.iter().map(|(name, overrides)| {
        let overrides: Vec<_> = overrides.iter().map(|(p, v)| (p.to_string(), v.to_string())).collect();
        (*name, parse(GOOD, "small.toml", &overrides).expect_err(name))
    });
    let of_files =
        FILES.iter().map(|(name, text)| (*name, parse(text, &format!("{name}.toml"), &[]).expect_err(name)));
    let of_allowed = ALLOWED.iter().map(|(name, codes)| {
        let codes = codes.iter().map(|c| (*c).to_string()).collect();
        let source = Source::new(GOOD, "small.toml").allowing(codes);
        (*name, source.scenario(&[], Bytes(1 << 30)).expect_err(name))
    });
    of_changes.chain(of_overrides).chain(of_files).chain(of_allowed).collect()
}

#[test]
fn errors_read_as_they_should() {
    let mut different = Vec::new();
    for (name, errors) in cases() {
        assert!(errors.iter().any(|e| e.severity == Severity::Error), "{name}");
        compare(name, &render_all(&errors, false), &mut different);
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn every_code_of_an_error_is_that_of_some_case() {
    let many: String = (0..101).map(|i| format!("key_{i} = 1\n")).collect();
    let many = parse(&many, "many.toml", &[]).expect_err("a hundred and one unknown keys");
    let huge = changed(&[("count = 4", "count = 4000000000")]);
    let huge = parse(&huge, "small.toml", &[]).expect_err("too many hosts");
    let cases = cases();
    let found: BTreeSet<_> =
        cases.iter().flat_map(|(_, errors)| errors).chain(&many).chain(&huge).map(|e| e.code).collect();
    let all: BTreeSet<_> = Code::ALL.iter().copied().filter(|c| c.severity() == Severity::Error).collect();
    let missing: Vec<_> = all.difference(&found).map(|code| code.name()).collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}

#[test]
fn what_does_not_fit_into_memory_is_refused_before_it_is_made() {
    let huge = changed(&[("count = 4", "count = 4000000000")]);
    let mut different = Vec::new();
    compare("memory", &render_all(&parse(&huge, "small.toml", &[]).unwrap_err(), false), &mut different);
    let series = changed(&[("interval = \"1 s\"", "interval = \"1 us\"")]);
    compare(
        "memory_series",
        &render_all(&parse(&series, "small.toml", &[]).unwrap_err(), false),
        &mut different,
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(parse_within(GOOD, "small.toml", &[], Bytes(10_000)).is_err());
    assert!(parse_within(GOOD, "small.toml", &[], Bytes(1 << 20)).is_ok());
}

#[test]
fn rows_that_leave_a_run_take_no_memory_of_it() {
    let text = changed(&[("interval = \"1 s\"", "interval = \"1 us\"")]);
    let at_once = Bytes(1 << 20);
    let room = |every| Room { memory: Bytes(1 << 30), leaving: Some(Leaving { at_once, every }) };
    let source = Source::new(&text, "small.toml");
    let taken = source.scenario(&[], room(Duration::from_millis(1))).unwrap().memory;
    // 1000 samples of each series between two looks, rows of some hundred bytes each, beside what leaves at once.
    let series = (taken.kept.get() - at_once.get()) / (1000 * 100);
    assert!((1..100).contains(&series), "{taken:?}");
    assert!(source.scenario(&[], room(Duration::from_secs(1))).is_err());
    assert!(source.scenario(&[], Bytes(1 << 30)).is_err());
}

#[test]
fn errors_as_data_carry_place_and_names() {
    let text = changed(&[("cc = \"reno\"", "cc = \"remo\"")]);
    let error = &parse(&text, "small.toml", &[]).unwrap_err()[0];
    let json = error.to_json();
    let at = text.find("\"remo\"").unwrap();
    assert_eq!(json["code"], "unknown-kind");
    assert_eq!(json["span"], serde_json::json!([at, at + 6]));
    assert_eq!(json["line"], text[..at].matches('\n').count() + 1);
    assert_eq!(json["column"], at - text[..at].rfind('\n').unwrap());
    assert!(json["expected"].as_array().unwrap().contains(&"cubic".into()));
    let error = &parse(GOOD, "small.toml", &[("runs".into(), "x".into())]).unwrap_err()[0];
    assert_eq!(error.to_json()["override"]["path"], "runs");
    let source = Source::new(GOOD, "small.toml").allowing(vec!["no-route".into()]);
    let error = &source.scenario(&[], Bytes(1 << 30)).unwrap_err()[0];
    assert_eq!(
        (&error.to_json()["code"], &error.to_json()["allow"]),
        (&"allowed-error".into(), &"no-route".into())
    );
}

#[test]
fn colour_changes_nothing_but_colour() {
    let errors = parse(&changed(&[("runs = 2", "rusn = 2")]), "small.toml", &[]).unwrap_err();
    let coloured = errors[0].render(true);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(plain + rest, errors[0].render(false));
    assert!(coloured.contains('\x1b'));
}
