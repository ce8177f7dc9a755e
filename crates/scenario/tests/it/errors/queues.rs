//! Errors about queue disciplines.

use super::Case;

pub(super) const CASES: &[Case] = &[
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
    ("unknown_queue_form", &[("runs = 2", "runs = 2\nqueue_form = \"linxu\"")]),
    (
        "queue_limit_that_does_not_fit",
        &[(
            "queue = { kind = \"droptail\", limit = \"50 packets\" }",
            "queue = \"sfq\"\nqueue_limit = \"9 kB\"",
        )],
    ),
];
