//! Errors about sweeps.

use super::Case;

pub(super) const CASES: &[Case] = &[
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
];
