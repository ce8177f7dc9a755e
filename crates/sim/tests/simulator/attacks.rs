//! Attacks: they run as equivalent flows, and a disabled one changes nothing for the others.

use crate::support::{Run, Text};

const PULSES: &str = "kind = \"pulse\"\nperiod = \"200 ms\"\nburst = \"20 ms\"\nrate = \"20 Mbit/s\"\nsize = \"500 B\"\njitter = 0.2";

/// TCP and Poisson flows over a bottleneck that hashes ports, with room for an attack.
fn network() -> Text {
    Text::new("5 s")
        .dumbbell(2, "5 Mbit/s", "10 ms", "queue = { kind = \"sfq\", limit = \"60 packets\" }")
        .tcp("cc = \"reno\"", "\"bulk\"")
        .flow(
            "noise",
            ("src[*]", "dst[*]"),
            "\"udp\"",
            "{ kind = \"poisson\", rate = \"300 kbit/s\", size = \"200 B\" }",
        )
}

fn attack(name: &str, keys: &str) -> String {
    format!("[[attack]]\nname = \"{name}\"\nfrom = \"src[*]\"\nto = \"dst[*]\"\n{keys}")
}

#[test]
fn disabled_attack_equals_no_attack() {
    let without = network().run();
    for off in [
        network().add(&attack("pulses", &format!("{PULSES}\nenabled = false"))),
        network().add("[[flow]]\nname = \"more\"\nenabled = false\nfrom = \"src[0]\"\nto = \"dst[0]\"\ntransport = \"tcp\"\napp = \"bulk\""),
    ] {
        let off = off.run();
        assert_eq!(off.output.fingerprint, without.output.fingerprint);
        assert_eq!(off.json["groups"], without.json["groups"]);
    }
}

#[test]
fn disabled_attack_keeps_ports_and_draws_of_others() {
    // Hosts shared with an attack that is enabled but never begins, or is disabled.
    let second = |first: &str| {
        let flood = "kind = \"flood\"\nrate = \"4 Mbit/s\"\nsize = \"200 B\"\narrivals = \"poisson\"";
        let run = network()
            .add(&attack("first", &format!("{PULSES}\n{first}")))
            .add(&attack("second", flood))
            .add("[[capture]]\nat = \"src[0]\"")
            .run();
        let has_first = run.json["groups"].get("first").is_some();
        let bytes = &run.output.captures[0].bytes;
        let mut ports: Vec<u16> = datagrams(bytes).map(|ip| u16::from_be_bytes([ip[22], ip[23]])).collect();
        ports.sort_unstable();
        ports.dedup();
        (has_first, ports, run.flows("tcp", "lost_packets"), run.flows("second", "lost_packets"))
    };
    let (on, off) = (second("start = \"6 s\""), second("enabled = false"));
    assert_eq!((on.0, off.0), (true, false));
    // Ports of the TCP flows, the noise, and the first attack are assigned before.
    assert_eq!((&on.1, &off.1), (&vec![5002, 5004], &vec![5002, 5004]));
    assert_eq!((on.2, on.3), (off.2, off.3));
}

#[test]
fn attack_equals_its_equivalent_flow() {
    let told = network().add(&attack("x", PULSES)).run();
    let app = "{ kind = \"pulse\", period = \"200 ms\", burst = \"20 ms\", rate = \"20 Mbit/s\", size = \"500 B\", jitter = 0.2, restart = true }";
    let written = network().flow_with("x", ("src[*]", "dst[*]"), "\"udp\"", app, "role = \"attack\"").run();
    assert_eq!(told.output.fingerprint, written.output.fingerprint);
    assert_eq!(told.json["groups"]["x"]["role"], "attack");
}

#[test]
fn pulse_attack_mean_rate_is_independent_of_period() {
    for period in [50, 100, 400] {
        let keys = format!(
            "kind = \"pulse\"\nperiod = \"{period} ms\"\nduty = 0.25\nmean = \"400 kbit/s\"\nsize = \"500 B\""
        );
        let sent = network().add(&attack("x", &keys)).run().flows("x", "sent_packets");
        // At 100 packets/s for 5 s, with the last pulse possibly larger.
        let pulse = f64::from(period) / 10.0;
        assert!(sent.iter().all(|n| (500.0..=501.0 + pulse).contains(n)), "{sent:?}");
    }
}

#[test]
fn parallel_connections_attack_takes_one_share_each() {
    let run = network().add(&attack("x", "kind = \"parallel\"\nconnections = 4")).run();
    assert_eq!(run.leaf("groups.x.flows"), 8.0);
    let (attack, tcp) = (run.leaf("groups.x.goodput_bps.sum"), run.tcp("goodput_bps.sum"));
    assert!((2.5..6.0).contains(&(attack / tcp)), "{attack} {tcp}");
}

/// Datagram headers in a capture: 20 bytes of IPv4, then the ports.
fn datagrams(capture: &[u8]) -> impl Iterator<Item = &[u8]> {
    capture.windows(24).filter(|ip| ip[..2] == [0x45, 0] && ip[9] == 17 && ip[12] != 0)
}

/// Source addresses of the packets in a capture that go to the server port of an attack.
fn sources(run: &Run, capture: usize) -> Vec<u32> {
    let own = datagrams(&run.output.captures[capture].bytes);
    own.filter(|ip| ip[22..24] == 7777_u16.to_be_bytes())
        .map(|ip| u32::from_be_bytes([ip[12], ip[13], ip[14], ip[15]]))
        .collect()
}

fn spoofing(spoof: &str) -> Run {
    let keys = format!("{PULSES}\nserver_port = 7777\nspoof = {spoof}");
    network()
        .add(&attack("x", &keys).replace("[*]", "[0]"))
        .add("[[capture]]\nat = \"src[0]\"\n[[capture]]\nat = \"dst[0]\"")
        .run()
}

#[test]
fn spoofed_source_addresses_appear_in_captures() {
    let run = spoofing("{ per = \"packet\", pool = 8 }");
    let sent = sources(&run, 0);
    assert_eq!(sent.len() as f64, run.flows("x", "sent_packets").iter().sum::<f64>());
    let mut different = sent;
    different.sort_unstable();
    different.dedup();
    assert_eq!(different, (0xf000_0000..0xf000_0008).collect::<Vec<u32>>());
    // Packets arrive and are counted for their flow.
    let arrived = sources(&run, 1);
    assert_eq!(arrived.len() as f64, run.flows("x", "received_packets").iter().sum::<f64>());
    assert!(!arrived.is_empty() && arrived.iter().all(|source| different.contains(source)));
}

#[test]
fn spoofed_source_address_changes_per_pulse() {
    let sent = sources(&spoofing("{ per = \"pulse\" }"), 0);
    let mut each = sent.clone();
    each.dedup();
    // In 5 s there are 25 pulses, and perhaps one at the very end.
    assert!((25..=26).contains(&each.len()), "{}", each.len());
    assert!(sent.len() > 24 * each.len());
}

#[test]
fn classifier_flag_on_spoofed_address_counts_for_the_attack() {
    let flagged = |spoof: &str| {
        let keys = format!("kind = \"flood\"\nrate = \"20 Mbit/s\"\nsize = \"500 B\"\n{spoof}");
        let run = network()
            .with("queue = { kind = \"sfq\", limit = \"60 packets\" }", "queue = { kind = \"fred\" }")
            .add(&attack("x", &keys).replace("[*]", "[0]"))
            .run();
        ["true_positive", "false_positive"].map(|key| run.queue(&format!("flagged.{key}")))
    };
    assert_eq!(flagged("spoof = { pool = 1 }")[0], 1.0);
    assert_eq!(flagged("")[0], 1.0);
}

#[test]
fn packets_to_spoofed_address_are_not_delivered() {
    let back = |spoof: &str| {
        let run = network()
            .with("queue = { kind = \"sfq\", limit = \"60 packets\" }", "queue = \"netfence\"")
            .add(&attack(
                "x",
                &format!(
                    "kind = \"flood\"\nrate = \"1 Mbit/s\"\nsize = \"500 B\"\nclient_port = 999\n{spoof}"
                ),
            ))
            .add("[[capture]]\nat = \"src[0]\"")
            .run();
        let file = &run.output.captures[0].bytes;
        datagrams(file).filter(|ip| ip[22..24] == 999_u16.to_be_bytes()).count()
    };
    assert!(back("") > 0);
    assert_eq!(back("spoof = {}"), 0);
}

/// Goodput of two downloads over a shared link of 5 Mbit/s: of an attacker, or an honest flow with the same transport, and of the
/// other.
fn downloads(attack: &str, transport: &str) -> [f64; 2] {
    let whole = |table: &str, name: &str, host: &str, more: &str| {
        format!(
            "[[{table}]]\nname = \"{name}\"\nfrom = \"{host}\"\nto = \"dst[0]\"\ntransport = {transport}\n{more}"
        )
    };
    let down = "app = { kind = \"bulk\", direction = \"down\" }";
    let other = whole("flow", "other", "src[1]", down);
    let one = match attack {
        "" => whole("flow", "one", "src[0]", down),
        kind => whole("attack", "one", "src[0]", kind),
    };
    let run = Text::new("20 s")
        .dumbbell(2, "5 Mbit/s", "20 ms", "queue = { kind = \"droptail\", limit = \"30 packets\" }")
        .add(&other)
        .add(&one)
        .run();
    if !attack.is_empty() {
        assert_eq!(run.json["groups"]["one"]["role"], "attack");
    }
    ["one", "other"].map(|flow| run.leaf(&format!("groups.{flow}.goodput_bps.sum")))
}

#[test]
fn dupack_spoofing_takes_the_link_without_flight_limit() {
    // A flight of 30 packets exceeds the path's capacity of about 18, and is not reduced after a loss.
    let repeats = |keys: &str| downloads("kind = \"repeated_acks\"\ntimes = 30", keys);
    let [one, other] = repeats("\"tcp\"");
    assert!(one > 1.5 * other, "{one} {other}");
    // RFC 5681 §3.2, the note to step 4; Linux.
    for bounded in
        ["{ kind = \"tcp\", behaviour.dup_limit = \"flight\" }", "{ kind = \"tcp\", profile = \"linux\" }"]
    {
        let [one, other] = repeats(bounded);
        assert!(one < other / 2.0, "{bounded}: {one} {other}");
    }
}

#[test]
fn optimistic_acks_and_no_backoff_take_the_link() {
    let rfc = "\"tcp\"";
    let honest = downloads("", rfc)[1];
    for attack in ["kind = \"optimistic_acks\"", "kind = \"no_backoff\"\nwindow = 60\ndirection = \"down\""] {
        let [one, other] = downloads(attack, rfc);
        assert!(one > 2.0 * other && other < honest / 2.0, "{attack}: {one} {other}, honest {honest}");
    }
}
