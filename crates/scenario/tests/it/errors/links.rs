//! Errors about links, media and traces of rates.

use super::Case;

pub(super) const CASES: &[Case] = &[
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
    (
        "gilbert_elliott_with_steps_of_packets",
        &[(
            "rate = \"1 Mbit/s\"",
            "rate = \"1 Mbit/s\"\nloss = { kind = \"gilbert_elliott\", p = 0.01, r = 0.1 }",
        )],
    ),
    (
        "gemodel_with_times",
        &[(
            "rate = \"1 Mbit/s\"",
            "rate = \"1 Mbit/s\"\nloss = { kind = \"gemodel\", p = 0.01, r = 0.1, mean_bad = \"1 s\" }",
        )],
    ),
    ("zero_and_negative_rates", &[("1 Mbit/s", "0 Mbit/s"), ("10 Mbit/s", "-10 Mbit/s")]),
    ("link_to_itself", &[("[\"r1\", \"r2\"]", "[\"r1\", \"r1\"]")]),
    (
        "duplicate_links",
        &[
            ("name = \"bottleneck\"\n", "name = \"r2-dst\"\n"),
            ("link = \"bottleneck\"", "link = \"r2-dst\""),
            ("link.bottleneck.queue", "link.r2-dst.queue"),
        ],
    ),
    ("distribution", &[("delay = \"10 ms\"", "delay = \"unifrom(1 ms, 2 ms)\"")]),
    ("loss", &[("queue =", "loss = { kind = \"periodic\", every = 0 }\nqueue =")]),
    ("cost", &[("rate = \"1 Mbit/s\"", "rate = \"1 Mbit/s\"\ncost = 0\nreverse = { cost = 65536 }")]),
    ("cost_not_whole", &[("rate = \"1 Mbit/s\"", "rate = \"1 Mbit/s\"\ncost = 1.5")]),
    ("loss_percent", &[("queue =", "loss = 2\nqueue =")]),
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
];
