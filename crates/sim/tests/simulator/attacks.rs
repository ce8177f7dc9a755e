//! Attacks: they run as the flows that they come to, and one that is switched off changes nothing for anybody else.

use crate::support::{Run, Text};

const PULSES: &str = "kind = \"pulse\"\nperiod = \"200 ms\"\nburst = \"20 ms\"\nrate = \"20 Mbit/s\"\nsize = \"500 B\"\njitter = 0.2";

/// TCP and Poisson flows over one bottleneck that hashes ports, with room for an attack.
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
fn switched_off_everything_else_is_as_without_it() {
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
fn others_keep_their_ports_and_draws_whether_it_is_on_or_off() {
    // Between the same hosts as an attack that is on but never begins, or is off.
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
    // Those of TCP, noise, and the first attack come before.
    assert_eq!((&on.1, &off.1), (&vec![5002, 5004], &vec![5002, 5004]));
    assert_eq!((on.2, on.3), (off.2, off.3));
}

#[test]
fn an_attack_runs_as_the_flow_that_it_comes_to() {
    let told = network().add(&attack("x", PULSES)).run();
    let app = "{ kind = \"pulse\", period = \"200 ms\", burst = \"20 ms\", rate = \"20 Mbit/s\", size = \"500 B\", jitter = 0.2, restart = true }";
    let written = network().flow_with("x", ("src[*]", "dst[*]"), "\"udp\"", app, "role = \"attack\"").run();
    assert_eq!(told.output.fingerprint, written.output.fingerprint);
    assert_eq!(told.json["groups"]["x"]["role"], "attack");
}

#[test]
fn pulses_of_a_mean_rate_send_that_much_whatever_the_period() {
    for period in [50, 100, 400] {
        let keys = format!(
            "kind = \"pulse\"\nperiod = \"{period} ms\"\nduty = 0.25\nmean = \"400 kbit/s\"\nsize = \"500 B\""
        );
        let sent = network().add(&attack("x", &keys)).run().flows("x", "sent_packets");
        // 100 packets a second for 5 s, and of the last pulse more than its share.
        let pulse = f64::from(period) / 10.0;
        assert!(sent.iter().all(|n| (500.0..=501.0 + pulse).contains(n)), "{sent:?}");
    }
}

#[test]
fn many_connections_take_as_many_shares() {
    let run = network().add(&attack("x", "kind = \"parallel\"\nconnections = 4")).run();
    assert_eq!(run.leaf("groups.x.flows"), 8.0);
    let (attack, tcp) = (run.leaf("groups.x.goodput_bps.sum"), run.tcp("goodput_bps.sum"));
    assert!((2.5..6.0).contains(&(attack / tcp)), "{attack} {tcp}");
}

/// The headers of datagrams in a capture: 20 bytes of IPv4, and behind them the ports.
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
fn packets_come_from_spoofed_addresses_as_far_as_anybody_can_see() {
    let run = spoofing("{ per = \"packet\", pool = 8 }");
    let sent = sources(&run, 0);
    assert_eq!(sent.len() as f64, run.flows("x", "sent_packets").iter().sum::<f64>());
    let mut different = sent;
    different.sort_unstable();
    different.dedup();
    assert_eq!(different, (0xf000_0000..0xf000_0008).collect::<Vec<u32>>());
    // They arrive, and are counted to the flow that they are of.
    let arrived = sources(&run, 1);
    assert_eq!(arrived.len() as f64, run.flows("x", "received_packets").iter().sum::<f64>());
    assert!(!arrived.is_empty() && arrived.iter().all(|source| different.contains(source)));
}

#[test]
fn a_pulse_comes_from_one_address_and_the_next_from_another() {
    let sent = sources(&spoofing("{ per = \"pulse\" }"), 0);
    let mut each = sent.clone();
    each.dedup();
    // 25 pulses in 5 s, and one that begins at the end.
    assert!((25..=26).contains(&each.len()), "{}", each.len());
    assert!(sent.len() > 24 * each.len());
}

#[test]
fn whoever_is_flagged_by_a_spoofed_address_is_the_attack() {
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
fn nothing_comes_back_to_a_spoofed_address() {
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

/// A download by one host beside another's over a link of 5 Mbit/s, where one of the two is an attack, or a flow with the same
/// transport and no lie; goodput of the attacker and of the other.
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
fn who_repeats_acks_takes_the_link_where_they_count_for_all_that_is_out() {
    // 30 in flight are more than the path takes by itself, about 18, and are no fewer after a loss.
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
fn who_hides_losses_or_does_not_heed_them_takes_the_link() {
    let rfc = "\"tcp\"";
    let honest = downloads("", rfc)[1];
    for attack in ["kind = \"optimistic_acks\"", "kind = \"no_backoff\"\nwindow = 60\ndirection = \"down\""] {
        let [one, other] = downloads(attack, rfc);
        assert!(one > 2.0 * other && other < honest / 2.0, "{attack}: {one} {other}, honest {honest}");
    }
}
