//! Errors about attacks.

use super::{ATTACK, Case};

pub(super) const CASES: &[Case] = &[
    (
        "attack_spoofed_over_tcp",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 2\nspoof = { pool = 5 }\n[[fault]]",
        )],
    ),
    (
        "attack_spoofed_by_pulses_that_it_has_not",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\nspoof = { per = \"pulse\" }\n[[fault]]",
        )],
    ),
    (
        "attack_spoofed_from_nowhere",
        &[(
            ATTACK,
            attack!(
                "period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\nspoof = { per = \"burst\", pool = 0, form = 3 }"
            ),
        )],
    ),
    (
        "attack_of_no_kind",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\n[[fault]]")],
    ),
    (
        "attack_of_unknown_kind",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"plus\"\n[[fault]]")],
    ),
    (
        "attack_without_keys",
        &[(ATTACK, "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"pulse\"\n[[fault]]")],
    ),
    (
        "attack_with_keys_of_flows",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nrole = \"attack\"\napp = \"bulk\"\n[[fault]]",
        )],
    ),
    (
        "attack_with_keys_of_others",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\nperiod = \"1 s\"\n[[fault]]",
        )],
    ),
    (
        "attack_pulse_longer_than_its_period",
        &[(ATTACK, attack!("period = \"1 s\"\nburst = \"2 s\"\nrate = \"1 Mbit/s\""))],
    ),
    (
        "attack_pulse_at_two_rates",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\nmean = \"1 Mbit/s\""))],
    ),
    ("attack_pulse_of_no_length", &[(ATTACK, attack!("period = \"1 s\"\nrate = \"1 Mbit/s\""))]),
    (
        "attack_pulse_too_dense",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.000001\nmean = \"1 Gbit/s\""))],
    ),
    (
        "attack_over_tcp",
        &[(ATTACK, attack!("period = \"1 s\"\nduty = 0.1\nrate = \"1 Mbit/s\"\ntransport = \"tcp\""))],
    ),
    (
        "attack_that_is_told_another_conduct",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"ack_division\"\ntransport = { kind = \"tcp\", misbehaviour = \"optimistic_acks\" }\n[[fault]]",
        )],
    ),
    (
        "attack_with_a_permutation_of_several",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\npattern = \"permutation\"\nkind = \"parallel\"\nconnections = 2\n[[fault]]",
        )],
    ),
    (
        "attack_called_like_a_flow",
        &[(
            ATTACK,
            "[[attack]]\nname = \"udp\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 2\n[[fault]]",
        )],
    ),
    (
        "attack_without_a_route",
        &[(
            ATTACK,
            "[[host]]\nname = \"far\"\n[[router]]\nname = \"r3\"\n[[link]]\nbetween = [\"far\", \"r3\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n[[attack]]\nname = \"x\"\nfrom = \"far\"\nto = \"dst\"\nkind = \"parallel\"\nconnections = 1\nenabled = false\n[[fault]]",
        )],
    ),
    (
        "attack_shrew_too_often",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"shrew\"\nn = 5\nburst = \"300 ms\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
    (
        "attack_roq_of_two_sizes",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"roq\"\nperiod = \"1 s\"\nmagnitude = 5\nduration = \"1 ms\"\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
    (
        "attack_flood_random_twice",
        &[(
            ATTACK,
            "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\narrivals = \"poisson\"\njitter = 0.1\nrate = \"1 Mbit/s\"\nsize = \"50 B\"\n[[fault]]",
        )],
    ),
];
