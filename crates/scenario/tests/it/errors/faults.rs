//! Errors about faults.

use super::Case;

pub(super) const CASES: &[Case] = &[
    ("trace_in_a_fault", &[("kind = \"down\"", "kind = \"rate\"\nvalue = \"trace(1 2)\"")]),
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
    ("fault_link", &[("link = \"bottleneck\"", "link = \"bottelneck\"")]),
    ("fault_value", &[("kind = \"down\"", "kind = \"rate\"")]),
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
];
