//! Errors about hosts with a kernel.

use super::{ATTACK, Case, TCP};

pub(super) const CASES: &[Case] = &[
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
    (
        "paths_that_no_kernel_takes_from_the_machine",
        &[("count = 4", "count = 4\nkernel = \"6.12\"\nfiles = [\"/proc/1\", \"/processes\", 7, \" \"]")],
    ),
    ("files_is_no_list", &[("count = 4", "count = 4\nkernel = \"6.12\"\nfiles = \"/opt\"")]),
    ("files_without_a_kernel", &[("count = 4", "count = 4\nfiles = [\"/opt\"]")]),
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
];
