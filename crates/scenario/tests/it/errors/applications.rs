//! Errors about applications and sizes.

use super::Case;

pub(super) const CASES: &[Case] = &[
    ("sizes_of_a_file", &[("app = \"bulk\"", "app = { kind = \"transfer\", size = \"cdf(web.cdf)\" }")]),
    (
        "flash_crowd_that_is_too_dense",
        &[(
            "app = \"bulk\"",
            "app = { kind = \"flash_crowd\", size = \"20 kB\", gap = \"1 ms\", shock = 1000, sustained = \"1 s\" }",
        )],
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
    ("packet_too_large", &[("size = \"1000 B\"", "size = \"65535 B\"")]),
];
