//! Attacks: they run as the flows that they come to, and one that is switched off changes nothing for anybody else.

use crate::support::Text;

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
    // Between the same hosts as an attack that is on but never begins, or is off: ports decide who shares a queue of SFQ.
    let second = |first: &str| {
        let flood = "kind = \"flood\"\nrate = \"4 Mbit/s\"\nsize = \"200 B\"\narrivals = \"poisson\"";
        let run = network()
            .add(&attack("first", &format!("{PULSES}\n{first}")))
            .add(&attack("second", flood))
            .run();
        let has_first = run.json["groups"].get("first").is_some();
        (has_first, run.flows("tcp", "lost_packets"), run.flows("second", "lost_packets"))
    };
    let (on, off) = (second("start = \"6 s\""), second("enabled = false"));
    assert_eq!((on.0, off.0), (true, false));
    assert_eq!((on.1, on.2), (off.1, off.2));
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
