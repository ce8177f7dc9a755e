//! Loss processes.

use super::key::{COUNT, PROBABILITY, Section, may, must};

/// Loss processes by kind.
pub const LOSSES: &[(&str, Section)] = &[
    (
        "bernoulli",
        Section {
            title: "loss \"bernoulli\"",
            doc: "Each packet is lost independently.",
            keys: &[must("p", PROBABILITY, "Loss probability.")],
        },
    ),
    (
        "periodic",
        Section {
            title: "loss \"periodic\"",
            doc: "Exactly every n-th packet is lost.",
            keys: &[must("every", COUNT, "n.")],
        },
    ),
    (
        "gilbert_elliott",
        Section {
            title: "loss \"gilbert_elliott\"",
            doc: "Two states, stepped once a packet (Gilbert 1960, Elliott 1963).",
            keys: &[
                must("p", PROBABILITY, "Probability of going from good to bad."),
                must("r", PROBABILITY, "Probability of going from bad to good."),
                may("good", PROBABILITY, "0", "Loss probability in the good state."),
                may("bad", PROBABILITY, "1", "Loss probability in the bad state."),
            ],
        },
    ),
];
