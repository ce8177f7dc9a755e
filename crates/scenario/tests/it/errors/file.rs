//! Errors about the file as such: syntax, keys, units, bounds.

use super::{Case, TCP};

pub(super) const CASES: &[Case] = &[
    ("syntax", &[("runs = 2", "runs = = 2")]),
    ("unterminated", &[("name = \"small\"", "name = \"small")]),
    ("duplicate_key", &[("runs = 2", "runs = 2\nruns = 3")]),
    ("unknown_key", &[("runs = 2", "rusn = 2")]),
    ("unknown_key_far", &[("count = 4", "banana = 4\ncount = 4")]),
    ("missing_keys", &[("duration = \"60 s\"\n", ""), ("rate = \"10 Mbit/s\"\n", "")]),
    ("slip_of_a_required_key", &[("duration = \"60 s\"", "durtion = \"60 s\"")]),
    ("slip_of_a_required_parameter", &[("rate = \"100 kbit/s\"", "rte = \"100 kbit/s\"")]),
    ("no_unit", &[("rate = \"1 Mbit/s\"", "rate = \"1\""), ("delay = \"10 ms\"", "delay = 10")]),
    ("overflow", &[("60 s", "1e30 s"), ("runs = 2", "runs = 99999999999999999999")]),
    ("too_large_for_the_key", &[("runs = 2", "runs = 5000000000"), ("60 s", "1000000 h")]),
    ("not_a_list", &[("[[fault]]", "[fault]")]),
    ("table_expected", &[("[record]\ninterval = \"1 s\"", "record = 5")]),
    ("bad_name", &[("name = \"udp\"", "name = \"u.dp\"")]),
    (
        "allow",
        &[(
            "runs = 2",
            "runs = 2\nallow = [\"queue-stays-emtpy\", \"nothing\", \"unknown-key\", \"above-mtu\", 5]",
        )],
    ),
    ("bad_name_of_spaces", &[("name = \"udp\"", "name = \"u  dp\"")]),
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
