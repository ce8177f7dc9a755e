//! Applications: data sent, completions and completion times.

use crate::support::{Run, Text, assert_close};

/// A path without queues: RTT 20 ms, plus below 0.1 ms of serialisation at 1 Gbit/s for all sizes here.
fn direct(duration: &str) -> Text {
    Text::new(duration).hosts("src", 1).hosts("dst", 1).link("src[*]", "dst[*]", "1 Gbit/s", "10 ms", "")
}

const RTT: f64 = 0.02;
const TCP: &str = "cc = \"reno\", mss = \"1000 B\", delayed_ack = 1";

#[track_caller]
fn assert_about(x: f64, expected: f64) {
    assert!((x - expected).abs() < 2e-4, "{x}, not {expected}");
}

#[test]
fn sequence_transfers_complete_in_computed_time() {
    // Five segments fit the initial window: one RTT for the handshake and half an RTT for the data. The next transfer starts
    // after the FINs: half an RTT for the server's, and a gap of 5 ms.
    let run = direct("10 s")
        .tcp(TCP, "{ kind = \"sequence\", size = \"5000 B\", gap = \"5 ms\", count = 40 }")
        .run();
    assert_eq!(run.tcp("completed"), 40.0);
    assert_eq!(run.flows("tcp", "delivered_bytes"), [40.0 * 5000.0]);
    assert_eq!(run.tcp("sent_packets"), 200.0);
    assert_about(run.tcp("completion_s.mean"), 1.5 * RTT);
    assert_about(run.tcp("completion_s.max"), 1.5 * RTT);
    run.assert_drained();
    // Without a count transfers repeat: each takes two RTTs and the gap.
    let run = direct("10 s").tcp(TCP, "{ kind = \"sequence\", size = \"5000 B\", gap = \"5 ms\" }").run();
    assert!((run.tcp("completed") - 10.0 / (2.0 * RTT + 0.005)).abs() < 2.0, "{}", run.tcp("completed"));
}

#[test]
fn sequence_survives_port_wrap() {
    let text = Text::new("60 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "1 Gbit/s", "200 us", "loss = \"0.1 %\"")
        .tcp(
            "cc = \"reno\", mss = \"1000 B\", min_rto = \"10 ms\", initial_rto = \"10 ms\"",
            "{ kind = \"sequence\", size = \"1500 B\", count = 20000 }",
        );
    let run = text.run();
    assert_eq!(run.tcp("completed"), 20_000.0);
    assert_eq!(run.flows("tcp", "delivered_bytes"), [20_000.0 * 1500.0]);
    assert!(run.tcp("lost_packets") > 10.0);
    run.assert_drained();
}

#[test]
fn request_response_alternates_in_computed_time() {
    // Request of 2 segments, response of 8: each fits the initial window, so an exchange takes one RTT, the first also the
    // handshake.
    let app = "{ kind = \"request_response\", request = \"2000 B\", response = \"8000 B\", think = \"30 ms\", count = 50 }";
    let run = direct("10 s").tcp(TCP, app).run();
    assert_eq!(run.tcp("completed"), 50.0);
    assert_eq!(run.flows("tcp", "delivered_bytes"), [50.0 * 10_000.0]);
    assert_about(run.tcp("completion_s.p50"), RTT);
    assert_about(run.tcp("completion_s.max"), 2.0 * RTT);
    assert_about(run.tcp("completion_s.mean"), RTT * 51.0 / 50.0);
    run.assert_drained();
    // All data still arrives under loss, later.
    let lossy = Text::new("60 s")
        .hosts("src", 1)
        .hosts("dst", 1)
        .link("src[*]", "dst[*]", "1 Gbit/s", "10 ms", "loss = \"5 %\"")
        .tcp(TCP, app)
        .run();
    assert_eq!(lossy.tcp("completed"), 50.0);
    assert_eq!(lossy.flows("tcp", "delivered_bytes"), [50.0 * 10_000.0]);
    assert!(lossy.tcp("completion_s.mean") > 1.5 * RTT);
    lossy.assert_drained();
}

#[test]
fn small_send_buffer_delivers_all_data() {
    // The application writes as much as the buffer takes; the rest follows as ACKs free it.
    let transport = &format!("{TCP}, send_buffer = \"10 kB\"");
    let transfer = direct("10 s").tcp(transport, "{ kind = \"transfer\", size = \"200 kB\" }").run();
    assert_eq!(transfer.tcp("completed"), 1.0);
    assert_eq!(transfer.flows("tcp", "delivered_bytes"), [200_000.0]);
    // A window of 10 kB per RTT.
    assert_close(transfer.tcp("completion_s.max"), 20.0 * RTT + 0.5 * RTT, 0.05);
    let exchanges = direct("10 s")
        .tcp(
            transport,
            "{ kind = \"request_response\", request = \"1 kB\", response = \"30 kB\", count = 5 }",
        )
        .run();
    assert_eq!(exchanges.tcp("completed"), 5.0);
}

#[test]
fn flows_start_and_stop_at_configured_times() {
    let text = |start: &str, stop: &str| {
        Text::new("20 s").dumbbell(30, "10 Gbit/s", "5 ms", "").flow_with(
            "tcp",
            ("src[*]", "dst[*]"),
            "{ kind = \"tcp\", window = 10 }",
            "\"bulk\"",
            &format!("start = \"{start}\"\nstop = \"{stop}\""),
        )
    };
    let run = text("uniform(2 s, 6 s)", "8 s").run();
    let starts = run.flows("tcp", "start_s");
    assert!(starts.iter().all(|s| (2.0..6.0).contains(s)));
    let mean = starts.iter().sum::<f64>() / 30.0;
    // Standard error of the mean of 30 uniform draws over 4 s: 0.21.
    assert!((mean - 4.0).abs() < 0.7, "{mean}");
    run.assert_drained();
    // A window of 10 segments of 1460 B every 14 ms for 8 s less the start, and little more.
    for (start, bytes) in starts.iter().zip(run.flows("tcp", "delivered_bytes")) {
        assert_close(bytes, 14_600.0 / 0.0142 * (8.0 - start), 0.05);
    }
    // A start after the end of the run, or after the flow's stop, never happens.
    for never in [text("30 s", "40 s").run(), text("uniform(9 s, 10 s)", "8 s").run()] {
        assert_eq!(never.tcp("sent_packets"), 0.0);
        assert!(never.tcp("jain").is_nan() && never.tcp("loss_ratio").is_nan());
        assert_eq!(never.tcp("goodput_bps.sum"), 0.0);
    }
}

fn udp(app: &str, more: &str) -> Run {
    let run = Text::new("12 s")
        .dumbbell(1, "1 Gbit/s", "5 ms", "")
        .flow_with("udp", ("src[0]", "dst[0]"), "\"udp\"", app, more)
        .run();
    assert_eq!(run.leaf("groups.udp.lost_packets"), 0.0);
    run
}

#[test]
fn udp_sources_send_at_configured_rates() {
    let sent = |app: &str, more: &str| udp(app, more).leaf("groups.udp.sent_packets");
    // 125 B at 1 Mbit/s: one a millisecond. Bursts of 100 ms each second, ten of them.
    let pulse =
        "{ kind = \"pulse\", period = \"1 s\", burst = \"100 ms\", rate = \"1 Mbit/s\", size = \"125 B\" }";
    assert_eq!(sent(pulse, "start = \"500 ms\"\nstop = \"10500 ms\""), 1000.0);
    let schedule = "{ kind = \"schedule\", size = \"125 B\", steps = [[\"0 s\", \"1 Mbit/s\"], [\"2 s\", \"0 bit/s\"], [\"5 s\", \"2 Mbit/s\"], [\"6 s\", \"100 kbit/s\"]] }";
    // 2 s at 1000, 3 s of silence, 1 s at 2000, 4 s at 100 a second.
    assert_eq!(sent(schedule, "stop = \"10 s\""), 2000.0 + 2000.0 + 400.0);
    let on_off =
        "{ kind = \"on_off\", rate = \"1 Mbit/s\", size = \"125 B\", on = \"300 ms\", off = \"700 ms\" }";
    assert_eq!(sent(on_off, "stop = \"10 s\""), 3000.0);
    let cbr = "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"125 B\", random_phase = true, jitter = 0.5 }";
    // Jittered gaps: a random walk of 10 000 steps of 0.29 ms standard deviation.
    assert!((sent(cbr, "stop = \"10 s\"") - 10_000.0).abs() < 4.0 * 29.0);
    let poisson = "{ kind = \"poisson\", rate = \"1 Mbit/s\", size = \"125 B\" }";
    assert!((sent(poisson, "stop = \"10 s\"") - 10_000.0).abs() < 4.0 * 100.0);
}

#[test]
fn ping_measures_rtt() {
    let pings = |loss: &str| {
        Text::new("12 s")
            .hosts("src", 1)
            .hosts("dst", 1)
            .link("src[*]", "dst[*]", "1 Mbit/s", "10 ms", loss)
            .flow(
                "ping",
                ("src[0]", "dst[0]"),
                "\"udp\"",
                "{ kind = \"ping\", interval = \"100 ms\", size = \"97 B\", count = 100 }",
            )
            .run()
    };
    let run = pings("");
    let of = |run: &Run, leaf: &str| run.leaf(&format!("groups.ping.{leaf}"));
    // A hundred packets each way, of 125 B with headers: 1 ms on the link, and 10 ms of propagation.
    assert_eq!((of(&run, "sent_packets"), of(&run, "rtt_s.max")), (200.0, 0.022));
    assert_about(run.flows("ping", "rtt_mean_s")[0], 0.022);
    assert_eq!(run.flows("ping", "delivered_bytes"), [200.0 * 97.0]);
    assert_eq!((of(&run, "one_way_delay_s.max"), of(&run, "reverse_one_way_delay_s.max")), (0.011, 0.011));
    run.assert_drained();
    // Packets lost in either direction give no RTT sample.
    let run = pings("loss = { kind = \"periodic\", every = 10 }");
    assert_eq!((of(&run, "sent_packets"), of(&run, "lost_packets")), (190.0, 19.0));
    assert!((of(&run, "rtt_s.mean") - 0.022).abs() < 1e-9);
}

#[test]
fn sequence_continues_after_a_broken_connection() {
    let run = direct("60 s")
        .top("record = { events = true }")
        .tcp(
            &format!("{TCP}, data_retries = 2, syn_retries = 2"),
            "{ kind = \"sequence\", size = \"5000 B\", gap = \"5 ms\" }",
        )
        .add("[[fault]]\nat = \"10 s\"\nuntil = \"40 s\"\nlink = \"src[0]-dst[0]\"\nkind = \"blackhole\"")
        .run();
    // The last 30 s of 60 s have no loss. A connection gives up after 1 + 2 + 4 s, so the first that gets through begins at most
    // 7 s late. Each takes two RTTs and the gap.
    let each = 2.0 * RTT + 0.005;
    let completed = run.tcp("completed");
    assert!(completed <= 30.0 / each && completed >= 23.0 / each - 3.0, "{completed}");
    // Three timeouts for each of four or five connections that gave up, and a few of servers and of the one that got through.
    assert!((12.0..=20.0).contains(&run.tcp("timeouts")), "{}", run.tcp("timeouts"));
    // Partial data of broken transfers was delivered, too.
    let extra = run.flows("tcp", "delivered_bytes")[0] - 5000.0 * completed;
    assert!((0.0..=10_000.0).contains(&extra), "{extra}");
}

#[test]
fn opposite_flows_both_fill_their_direction() {
    let run = Text::new("20 s")
        .top("warmup = \"5 s\"")
        .dumbbell(1, "10 Mbit/s", "5 ms", "queue = { kind = \"droptail\", limit = \"50 packets\" }")
        .tcp(TCP, "\"bulk\"")
        .flow("back", ("dst[0]", "src[0]"), &format!("{{ kind = \"tcp\", {TCP} }}"), "\"bulk\"")
        .run();
    // Each link carries one flow's segments of 1052 B and the other's ACKs of 52 B. ACK compression behind segments costs some of
    // the rate (Zhang, Shenker & Clark 1991).
    for goodput in [run.tcp("goodput_bps.sum"), run.leaf("groups.back.goodput_bps.sum")] {
        assert!(goodput > 0.85 * 1e7 * 1000.0 / 1104.0, "{goodput}");
    }
    assert!(run.leaf("queues.r2->r1.utilization") > 0.85);
}

#[test]
fn arrivals_reach_the_configured_load() {
    let app = |size: &str| {
        format!("{{ kind = \"arrivals\", size = \"{size}\", load = \"40 %\", of = \"bottleneck\" }}")
    };
    for size in ["20 kB", "exponential(20 kB)", "bounded_pareto(1 kB, 1 MB, 1.2)"] {
        let text = Text::new("300 s").dumbbell(4, "10 Mbit/s", "5 ms", "").tcp("", &app(size));
        let run = text.run();
        // Share of the payload rate over some thousands of arrivals of four flows.
        let share = run.tcp("goodput_bps.sum") / 10e6;
        assert!((share / 0.4 - 1.0).abs() < 0.12, "{size}: {share}");
        assert!(run.tcp("completed") > 3000.0, "{size}");
    }
}

#[test]
fn slowdown_is_relative_to_ideal_fct() {
    // Five segments of 1000 B at 1 Mbit/s fit the initial window: 30 ms of propagation and 40 ms of payload, besides headers and
    // store-and-forward.
    let text =
        Text::new("10 s").hosts("src", 1).hosts("dst", 1).link("src[*]", "dst[*]", "1 Mbit/s", "10 ms", "");
    let run = text.tcp(TCP, "{ kind = \"sequence\", size = \"5000 B\", gap = \"1 s\", count = 3 }").run();
    let least = 1.5 * RTT + 0.04;
    let slowdown = run.tcp("slowdown.mean");
    assert_close(slowdown, run.tcp("completion_s.mean") / least, 0.01);
    assert!(slowdown > 1.0 && slowdown < 1.1, "{slowdown}");
    let (sizes, took) = (run.column("connections", "size_bytes"), run.column("connections", "completion_s"));
    assert_eq!(sizes, [5000.0; 3]);
    for (took, slowdown) in took.iter().zip(run.column("connections", "slowdown")) {
        assert_close(took / least, slowdown, 1e-9);
    }
}

#[test]
fn completion_is_binned_by_transfer_size() {
    let app =
        "{ kind = \"arrivals\", size = \"cdf(1 kB 0.5; 1 kB 0.8; 300 kB 0.8; 300 kB 1)\", load = \"50 %\" }";
    let run =
        Text::new("60 s").top("warmup = \"20 s\"").dumbbell(2, "10 Mbit/s", "5 ms", "").tcp("", app).run();
    let bin = |name: &str, leaf: &str| run.tcp(&format!("completion_by_size.{name}.{leaf}"));
    let completed =
        ["below_10kB", "below_100kB", "below_1MB", "below_10MB", "larger"].map(|name| bin(name, "completed"));
    assert_eq!(completed.iter().sum::<f64>(), run.tcp("completed"));
    assert_eq!([completed[1], completed[3], completed[4]], [0.0; 3]);
    assert!(completed[0] > 2.0 * completed[2] && completed[2] > 20.0, "{completed:?}");
    assert!(bin("below_10kB", "completion_s.p99") < bin("below_1MB", "completion_s.mean"));
    assert!(bin("below_10kB", "slowdown.p50") >= 1.0 && bin("below_1MB", "slowdown.p50") > 1.0);
    // The ideal FCT is a lower bound, so no slowdown is below 1.
    let slowdowns = run.column("connections", "slowdown");
    assert!(slowdowns.iter().filter(|s| !s.is_nan()).all(|s| *s >= 1.0), "{slowdowns:?}");
    assert!(slowdowns.iter().filter(|s| !s.is_nan()).count() > 200);
    // Equal sizes have no bins.
    let equal = Text::new("5 s")
        .dumbbell(1, "10 Mbit/s", "5 ms", "")
        .tcp("", "{ kind = \"sequence\", size = \"1 kB\" }")
        .run();
    assert!(equal.json["groups"]["tcp"].get("completion_by_size").is_none());
}

#[test]
fn voip_quality_falls_beside_a_bloated_buffer() {
    let call = |app: &str, more: &str| {
        let text = Text::new("60 s").top("warmup = \"10 s\"").dumbbell(
            2,
            "2 Mbit/s",
            "20 ms",
            "queue = { kind = \"droptail\", limit = \"200 packets\" }",
        );
        text.flow("call", ("src[0]", "dst[0]"), "{ kind = \"udp\" }", app).add(more).run()
    };
    let fixed = "{ kind = \"voip\", buffer = \"60 ms\" }";
    let of = |run: &Run, leaf: &str| run.leaf(&format!("groups.call.voice.{leaf}"));
    // 22 ms of propagation, 0.8 ms of sending, and 60 ms of playout or a packet's 20; 20 ms of codec, and nothing lost:
    // 94.2 - 0.024 d.
    for (app, playout) in [(fixed, 60.0), ("\"voip\"", 20.0)] {
        let alone = call(app, "");
        let network = alone.leaf("groups.call.one_way_delay_s.mean") * 1e3;
        assert!((network - 22.8).abs() < 0.2, "{network}");
        assert_close(of(&alone, "playout_delay_s.mean") * 1e3, network + playout, 1e-6);
        assert_close(of(&alone, "r_factor.mean"), 94.2 - 0.024 * (network + playout + 20.0), 1e-6);
        assert!(of(&alone, "mos.min") > 4.3 && of(&alone, "late_packets") == 0.0);
        assert_eq!(of(&alone, "heard_packets"), alone.leaf("groups.call.sent_packets"));
    }
    let bulk =
        "[[flow]]\nname = \"bulk\"\nfrom = \"src[1]\"\nto = \"dst[1]\"\ntransport = \"tcp\"\napp = \"bulk\"";
    let shared = call(fixed, bulk);
    // The queue varies by hundreds of milliseconds, mostly beyond the fixed playout buffer.
    assert!(of(&shared, "late_packets") > 500.0, "{}", of(&shared, "late_packets"));
    assert!(of(&shared, "mos.mean") < 2.0, "{}", of(&shared, "mos.mean"));
    // An adaptive one follows it: what harms the call is the delay.
    let shared = call("\"voip\"", bulk);
    assert!(of(&shared, "late_packets") < 25.0, "{}", of(&shared, "late_packets"));
    assert!(of(&shared, "playout_delay_s.mean") > shared.leaf("groups.call.one_way_delay_s.mean"));
    assert!(of(&shared, "mos.mean") < 3.0, "{}", of(&shared, "mos.mean"));
}

/// A call over a line that another flow fills is better than the same call while an attack drops a tenth of its packets.
#[test]
fn voip_is_worse_under_attack() {
    let call = |burst: &str| {
        Text::new("30 s")
            .top("warmup = \"10 s\"")
            .dumbbell(2, "50 Mbit/s", "10 ms", "queue = { kind = \"droptail\", limit = \"500 packets\" }")
            .flow("call", ("src[0]", "dst[0]"), "\"udp\"", "\"voip\"")
            .flow("bulk", ("src[1]", "dst[1]"), "{ kind = \"tcp\", profile = \"linux\" }", "\"bulk\"")
            .add(burst)
            .run()
            .leaf("groups.call.voice.mos.mean")
    };
    let fine = call("");
    let attack = "[[attack]]\nname = \"pulse\"\nfrom = \"src[1]\"\nto = \"dst[1]\"\nkind = \"pulse\"\nperiod = \"1 s\"\nburst = \"200 ms\"\nrate = \"100 Mbit/s\"\nsize = \"1000 B\"";
    let attacked = call(attack);
    assert!(fine > 4.0 && attacked < 3.5, "{fine} alone, {attacked} under attack");
}

#[test]
fn web_page_load_time_matches_rtt_count() {
    // The main object takes a handshake and an RTT. Of two objects that follow, one uses the same connection, the other a new one
    // with two RTTs, during which the third is fetched on the first: four RTTs in all, each object within the initial window.
    let app = "{ kind = \"web\", main = \"5000 B\", object = \"2000 B\", objects = 3, request = \"300 B\", connections = 2, \
               think = \"1 s\", count = 3 }";
    let run = direct("10 s").tcp(TCP, app).run();
    assert_eq!(run.tcp("pages.loaded"), 3.0);
    assert_about(run.tcp("pages.load_s.mean"), 4.0 * RTT);
    assert_about(run.tcp("pages.load_s.max"), 4.0 * RTT);
    assert_eq!((run.tcp("completed"), run.tcp("connections.opened")), (12.0, 6.0));
    assert_eq!(run.flows("tcp", "delivered_bytes"), [3.0 * (11_000.0 + 4.0 * 300.0)]);
    assert_eq!(run.tcp("connections.open"), 0.0);
    run.assert_drained();
    // With one connection: a handshake and four RTTs.
    let one = direct("10 s").tcp(TCP, &app.replace("connections = 2", "connections = 1")).run();
    assert_about(one.tcp("pages.load_s.mean"), 5.0 * RTT);
    assert_eq!(one.tcp("connections.opened"), 3.0);
}

#[test]
fn web_pages_count_in_the_window_of_completion() {
    let text = Text::new("60 s")
        .top("window = [{ name = \"a\" }, { name = \"b\", start = \"20 s\" }]")
        .dumbbell(8, "10 Mbit/s", "10 ms", "")
        .tcp("", "{ kind = \"web\", think = \"exponential(2 s)\" }");
    let run = text.run();
    let loaded = |window: &str| run.leaf(&format!("windows.{window}.groups.tcp.pages.loaded"));
    assert_eq!(loaded("a") + loaded("b"), run.tcp("pages.loaded"));
    assert!(loaded("a") > 30.0 && loaded("b") > 60.0, "{} {}", loaded("a"), loaded("b"));
    assert!(run.tcp("pages.load_s.p95") > run.tcp("pages.load_s.p50"));
}

#[test]
fn video_at_twice_the_link_rate_stalls_half_of_the_time() {
    // A segment of 4 s at 2 Mbit/s is 1 MB, and takes 8 s at 1 Mbit/s and 4 % for headers.
    let text =
        Text::new("120 s").hosts("src", 1).hosts("dst", 1).link("src[*]", "dst[*]", "1 Mbit/s", "10 ms", "");
    let text = text.tcp(TCP, "{ kind = \"video\", ladder = \"2 Mbit/s\", buffer = \"20 s\" }");
    let run = text.clone().top("window = [{ name = \"a\" }, { name = \"b\", start = \"50 s\" }]").run();
    let startup = run.tcp("video.startup_s.mean");
    assert!((8.3..8.5).contains(&startup), "{startup}");
    assert_eq!((run.tcp("video.rate_bps.mean"), run.tcp("video.switches.sum")), (2e6, 0.0));
    let stalled = run.tcp("video.stalled_s.sum");
    assert!((stalled - (120.0 - startup) * (1.0 - 4.0 / 8.34)).abs() < 4.5, "{stalled}");
    let of = |window: &str, leaf: &str| run.leaf(&format!("windows.{window}.groups.tcp.video.{leaf}"));
    assert!((of("a", "stalled_s.sum") + of("b", "stalled_s.sum") - stalled).abs() < 1e-9);
    assert_eq!(of("a", "segments") + of("b", "segments"), run.tcp("video.segments"));
    assert_eq!(of("a", "stalls.sum") + of("b", "stalls.sum"), run.tcp("video.stalls.sum"));
    assert!(of("b", "startup_s.mean").is_nan(), "it began before");
    // The throughput rule chooses a rate that fits and does not stall.
    let ladder = "ladder = \"500 kbit/s, 900 kbit/s, 2 Mbit/s\", rule = \"throughput\"";
    let wise = text.with("ladder = \"2 Mbit/s\"", ladder).run();
    assert_eq!((wise.tcp("video.stalls.sum"), wise.tcp("video.switches.sum")), (0.0, 1.0));
}

#[test]
fn video_player_with_full_buffer_fetches_at_playback_rate() {
    let text = direct("62 s").top("[record]\ninterval = \"100 ms\"");
    let run = text.tcp(TCP, "{ kind = \"video\", ladder = \"1 Mbit/s, 3 Mbit/s\", buffer = \"48 s\" }").run();
    // Twelve segments fill the buffer, then one follows every 4 s: fifteen by 62 s, of the highest rate because the buffer is at
    // nine tenths.
    assert_eq!(run.tcp("video.segments"), 27.0);
    assert_eq!((run.tcp("video.stalls.sum"), run.tcp("completed")), (0.0, 27.0));
    let buffer = run.column("flow_series", "playback_buffer_s");
    assert!(buffer[100..].iter().all(|s| (43.5..=48.0).contains(s)), "{buffer:?}");
    assert!(run.tcp("video.rate_bps.mean") > 2e6);
}
