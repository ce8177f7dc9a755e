//! Errors about hosts, addresses and routing.

use super::Case;

pub(super) const CASES: &[Case] = &[
    ("routing", &[("[[fault]]", "[routing]\nequal_path = \"first\"\nconvergence = \"-1 s\"\n[[fault]]")]),
    ("routing_by_an_unknown_hash", &[("[[fault]]", "[routing]\nequal_paths = \"ecmp\"\n[[fault]]")]),
    (
        "unknown_host",
        &[("from = \"src[*]\"", "from = \"scr[*]\""), ("[\"r2\", \"dst\"]", "[\"r2\", \"dts\"]")],
    ),
    (
        "which_member",
        &[("from = \"src[*]\"", "from = \"src\""), ("[\"src[*]\", \"r1\"]", "[\"src[2..5]\", \"r1\"]")],
    ),
    ("bad_selector", &[("from = \"src[*]\"", "from = \"src[a]\"")]),
    ("duplicate_names", &[("name = \"dst\"", "name = \"src\""), ("name = \"udp\"", "name = \"tcp\"")]),
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
    (
        "ambiguous_name",
        &[
            ("between = [\"r2\", \"dst\"]", "name = \"dst\"\nbetween = [\"r2\", \"dst\"]"),
            ("at = \"src[0]\"", "at = \"dst\""),
        ],
    ),
];
