//! Errors about warm-up, windows and captures.

use super::Case;

pub(super) const CASES: &[Case] = &[
    ("warmup", &[("warmup = \"10 s\"", "warmup = \"60 s\"")]),
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
];
