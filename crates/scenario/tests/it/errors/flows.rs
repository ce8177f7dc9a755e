//! Errors about flows and their patterns.

use super::Case;

pub(super) const CASES: &[Case] = &[
    ("flow_to_itself", &[("to = \"dst\"", "to = \"src[0]\"")]),
    ("flow_to_router", &[("to = \"dst\"", "to = \"r2\"")]),
    (
        "unequal_counts",
        &[("count = 4", "count = 4\n[[host]]\nname = \"x\"\ncount = 3"), ("to = \"dst\"", "to = \"x[*]\"")],
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
    (
        "nothing_but_what_is_off",
        &[
            ("name = \"tcp\"", "name = \"tcp\"\nenabled = false"),
            ("name = \"udp\"", "name = \"udp\"\nenabled = false"),
        ],
    ),
];
