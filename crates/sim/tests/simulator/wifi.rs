//! Links that share an 802.11 channel.

use crate::support::{Run, Text, assert_close};

/// Phones at an access point with a server behind it: all links share the channel.
fn home(medium: &str, phones: &[(&str, &str)], duration: &str) -> Text {
    let text = Text::new(duration)
        .top("warmup = \"1 s\"")
        .hosts("server", 1)
        .router("r1")
        .link("r1", "server[*]", "1 Gbit/s", "5 ms", "")
        .add(&format!("[[medium]]\nname = \"home\"\nkind = \"wifi\"\n{medium}"));
    phones.iter().fold(text, |text, (phone, rate)| {
        text.hosts(phone, 1).link(
            &format!("{phone}[*]"),
            "r1",
            rate,
            "1 us",
            "medium = \"home\"\nqueue = \"droptail\"",
        )
    })
}

/// Datagrams of 1472 B, 1500 B with headers, at a rate above the channel's capacity.
fn flood(text: Text, name: &str, ends: (&str, &str)) -> Text {
    text.flow(
        name,
        ends,
        "\"udp\"",
        "{ kind = \"cbr\", rate = \"200 Mbit/s\", size = \"1472 B\", jitter = 0.1 }",
    )
}

fn bulk(text: Text, name: &str, ends: (&str, &str)) -> Text {
    text.flow(name, ends, "{ kind = \"tcp\", profile = \"linux\" }", "\"bulk\"")
}

fn goodput(run: &Run, group: &str) -> f64 {
    run.leaf(&format!("groups.{group}.goodput_bps.sum"))
}

#[test]
fn wifi_single_sender_rate_matches_access_timing() {
    let text = flood(home("aggregate = 1", &[("a", "65 Mbit/s")], "10 s"), "up", ("a[0]", "server[0]"));
    // DIFS 34 us, 7.5 slots of 9 us, preamble 36 us, 1538 B at 65 Mbit/s, SIFS 16 us, ACK 28 us: 370.79 us a packet.
    let each = 34.0 + 67.5 + 36.0 + 1538.0 * 8.0 / 65.0 + 16.0 + 28.0;
    assert_close(goodput(&text.run(), "up"), 1472.0 * 8.0 / each * 1e6, 0.003);
}

#[test]
fn wifi_aggregation_amortises_access_overhead() {
    let text = flood(home("", &[("a", "65 Mbit/s")], "10 s"), "up", ("a[0]", "server[0]"));
    // Aggregates of 28 frames of 1544 B in 5484 us, and a BlockAck.
    let each = 34.0 + 67.5 + 36.0 + 28.0 * 1544.0 * 8.0 / 65.0 + 16.0 + 32.0;
    assert_close(goodput(&text.run(), "up"), 28.0 * 1472.0 * 8.0 / each * 1e6, 0.003);
}

#[test]
fn wifi_performance_anomaly_slows_fast_station() {
    // Heusse et al., "Performance anomaly of 802.11b", INFOCOM 2003: each gets as many frames.
    let phones = [("fast", "54 Mbit/s"), ("slow", "6 Mbit/s")];
    let alone = flood(home("aggregate = 1", &phones, "10 s"), "fast", ("fast[0]", "server[0]"));
    let both = flood(alone.clone(), "slow", ("slow[0]", "server[0]")).run();
    assert_close(goodput(&both, "fast"), goodput(&both, "slow"), 0.05);
    assert!(goodput(&both, "fast") < 0.2 * goodput(&alone.run(), "fast"));
    // With accesses bounded by time instead of frames, the anomaly is gone but for the preambles.
    let timed = home("aggregate_time = \"2 ms\"", &phones, "10 s");
    let timed = flood(flood(timed, "fast", ("fast[0]", "server[0]")), "slow", ("slow[0]", "server[0]")).run();
    assert!(goodput(&timed, "fast") > 4.0 * goodput(&timed, "slow"));
}

#[test]
fn wifi_downloads_contend_as_one_station_per_link() {
    let phones = [("a", "65 Mbit/s"), ("b", "65 Mbit/s")];
    let text = bulk(home("", &phones, "20 s"), "down", ("server[0]", "a[0]"));
    let text = bulk(text, "up", ("b[0]", "server[0]"));
    let both = text.run();
    let (down, up) = (goodput(&both, "down"), goodput(&both, "up"));
    let alone = goodput(&bulk(home("", &phones, "20 s"), "down", ("server[0]", "a[0]")).run(), "down");
    // ACKs contend with the data: TCP alone is slower than UDP, and both directions together share the capacity.
    assert!(alone < 50e6 && down + up > 0.8 * alone && down + up < 1.2 * alone, "{alone} {down} {up}");
    assert!(down.min(up) > 0.2 * alone, "{down} {up}");
}

#[test]
fn wifi_frame_retries_and_residual_loss_match_theory() {
    let medium = "frame_error = \"30 %\"\nretries = 2";
    let text = home(medium, &[("a", "65 Mbit/s")], "20 s");
    let run = text
        .flow(
            "up",
            ("a[0]", "server[0]"),
            "\"udp\"",
            "{ kind = \"cbr\", rate = \"20 Mbit/s\", size = \"1000 B\" }",
        )
        .run();
    assert_close(run.leaf("groups.up.loss_ratio"), 0.027, 0.05);
    let medium = |leaf: &str| run.leaf(&format!("media.home.{leaf}"));
    // Retransmissions of frames: a share p is sent a second time, and p^2 a third time.
    assert_close(medium("resent_frames") / medium("frames"), 0.39 / 1.39, 0.03);
    assert_eq!(medium("collisions"), 0.0);
    assert!((0.2..0.9).contains(&medium("utilization")) && medium("frames_per_access") >= 1.0);
}

#[test]
fn wifi_runs_are_deterministic_per_run_number() {
    let text = bulk(home("", &[("a", "65 Mbit/s")], "2 s"), "down", ("server[0]", "a[0]"));
    let fingerprint = |run| text.run_number(run).output.fingerprint;
    assert_eq!(fingerprint(1), fingerprint(1));
    assert_ne!(fingerprint(1), fingerprint(2));
}
