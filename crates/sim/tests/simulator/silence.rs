//! Silence: results say which flows ought to send and delivered nothing at the end, and why.

use crate::support::{Run, Text};

/// Words of the first flow of a run: what it did at the end, and whether it was silent.
fn end_of(run: &Run) -> (String, bool) {
    (run.words("flows", "activity").remove(0), run.column("flows", "silent")[0] == 1.0)
}

/// Asserts that the first flow, in a group called `f`, was silent for this reason, and since when, in all results.
fn assert_silent(run: &Run, reason: &str, since: std::ops::Range<f64>) {
    assert_eq!(end_of(run), (reason.to_string(), true));
    let (last, group) = (run.column("flows", "last_delivery_s")[0], &run.json["groups"]["f"]["silent"]);
    assert_eq!((&group["flows"], &group["reasons"][reason]), (&1.into(), &1.into()), "{group}");
    assert_eq!(group["never"], u64::from(last.is_nan()));
    assert_eq!(group["since_s"].as_f64().unwrap_or(f64::NAN).to_bits(), last.to_bits());
    assert!(
        last.is_nan() == since.is_empty() && (last.is_nan() || since.contains(&last)),
        "{reason}: {last}"
    );
}

const NEVER: std::ops::Range<f64> = 0.0..0.0;

/// Asserts that the flow was not silent.
fn assert_well(run: &Run, activity: &str) {
    assert_eq!(end_of(run), (activity.to_string(), false));
    assert_eq!(run.json["groups"]["f"]["silent"]["flows"], 0);
}

/// Two hosts with this number of direct links, and a flow between them.
fn direct(duration: &str, links: usize, transport: &str, app: &str) -> Text {
    let text = Text::new(duration).hosts("a", 1).hosts("b", 1);
    let text = (0..links)
        .fold(text, |text, i| text.link("a", "b", "10 Mbit/s", "10 ms", &format!("name = \"p{i}\"")));
    text.flow("f", ("a", "b"), transport, app)
}

fn fault(kind: &str, link: &str, times: &str) -> String {
    format!("[[fault]]\nkind = \"{kind}\"\nlink = \"{link}\"\n{times}")
}

#[test]
fn bulk_flow_over_a_sound_path_delivers() {
    for transport in ["\"tcp\"", "\"mptcp\""] {
        let run = direct("3 s", 1, transport, "\"bulk\"").run();
        assert_well(&run, "delivering");
        assert!(run.column("flows", "last_delivery_s")[0] > 2.9);
        assert_eq!(run.words("connections", "activity"), ["in_flight"]);
    }
}

#[test]
fn finished_and_paused_applications_are_not_silent() {
    let once = "{ kind = \"transfer\", size = \"100 kB\" }";
    let pauses = "{ kind = \"sequence\", size = \"100 kB\", gap = \"1 h\" }";
    let asks = "{ kind = \"request_response\", request = \"1 kB\", response = \"9 kB\", think = \"1 h\" }";
    let page = "{ kind = \"web\", count = 1, main = \"10 kB\", objects = 2, object = \"5 kB\" }";
    for transport in ["\"tcp\"", "\"mptcp\""] {
        for (app, activity) in [
            (once, "transfers_over"),
            (pauses, "application_waits"),
            (asks, "application_waits"),
            (page, "application_waits"),
        ] {
            assert_well(&direct("30 s", 1, transport, app).run(), activity);
        }
    }
    let pulse =
        "{ kind = \"pulse\", rate = \"1 Mbit/s\", size = \"500 B\", burst = \"100 ms\", period = \"20 s\" }";
    assert_well(&direct("19 s", 1, "\"udp\"", pulse).run(), "application_waits");
    let pings = "{ kind = \"ping\", count = 3 }";
    assert_well(&direct("30 s", 1, "\"udp\"", pings).run(), "application_waits");
}

#[test]
fn transfer_that_is_over_is_not_silent_though_its_link_is_down_after_it() {
    let once = "{ kind = \"transfer\", size = \"100 kB\" }";
    for transport in ["\"tcp\"", "\"mptcp\""] {
        let run = direct("30 s", 1, transport, once).add(&fault("blackhole", "p0", "at = \"3 s\"")).run();
        assert_well(&run, "transfers_over");
    }
}

#[test]
fn stopped_flow_and_one_that_starts_late_are_not_silent() {
    for (transport, app) in
        [("\"tcp\"", "\"bulk\""), ("\"udp\"", "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"500 B\" }")]
    {
        let flow = |more: &str| {
            let text = Text::new("30 s").hosts("a", 1).hosts("b", 1);
            let text = text.link("a", "b", "10 Mbit/s", "10 ms", "");
            text.flow_with("f", ("a", "b"), transport, app, more).run()
        };
        assert_well(&flow("stop = \"3 s\""), "stopped");
        assert_well(&flow("start = \"40 s\""), "not_started");
    }
}

#[test]
fn link_that_is_down_at_the_end_explains_silence() {
    let cbr = "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"500 B\" }";
    for (transport, app) in [("\"tcp\"", "\"bulk\""), ("\"mptcp\"", "\"bulk\""), ("\"udp\"", cbr)] {
        let text = direct("30 s", 1, transport, app);
        assert_silent(
            &text.clone().add(&fault("blackhole", "p0", "at = \"3 s\"")).run(),
            "link_down",
            2.9..3.2,
        );
        // Two thirds of the time are enough to be well; a link that is down from the start is not.
        assert_well(&text.clone().add(&fault("blackhole", "p0", "at = \"25 s\"")).run(), "delivering");
        let never = text.add(&fault("blackhole", "p0", "at = \"0 s\"")).run();
        assert_silent(&never, "link_down", NEVER);
    }
    let both = fault("blackhole", "p0", "at = \"3 s\"") + "\n" + &fault("blackhole", "p1", "at = \"8 s\"");
    let mesh = "{ kind = \"mptcp\", path_manager = \"fullmesh\" }";
    assert_silent(&direct("30 s", 2, mesh, "\"bulk\"").add(&both).run(), "link_down", 7.9..8.1);
}

#[test]
fn retransmissions_in_vain_explain_silence() {
    let lossy = fault("loss", "p0", "at = \"3 s\"\nvalue = 1.0");
    for transport in ["\"tcp\"", "\"mptcp\""] {
        let run = direct("30 s", 1, transport, "\"bulk\"").add(&lossy).run();
        assert_silent(&run, "retransmitting", 2.9..3.2);
        assert_eq!(run.words("connections", "activity"), ["retransmitting"]);
    }
}

#[test]
fn unanswered_handshake_explains_silence() {
    let lossy = fault("loss", "p0", "at = \"0 s\"\nvalue = 1.0");
    for transport in ["\"tcp\"", "\"mptcp\""] {
        for direction in ["up", "down"] {
            let app = format!("{{ kind = \"bulk\", direction = \"{direction}\" }}");
            let run = direct("30 s", 1, transport, &app).add(&lossy).run();
            assert_silent(&run, "handshake", NEVER);
        }
    }
    let cbr = "{ kind = \"cbr\", rate = \"1 Mbit/s\", size = \"500 B\" }";
    assert_silent(&direct("30 s", 1, "\"udp\"", cbr).add(&lossy).run(), "lost", NEVER);
}

#[test]
fn reader_that_reads_nothing_explains_silence() {
    let app = "{ kind = \"slow_reader\", rate = \"1 bit/s\" }";
    for transport in ["\"tcp\"", "\"mptcp\""] {
        assert_silent(&direct("60 s", 1, transport, app).run(), "peer_window", 0.0..9.0);
    }
}

#[test]
fn broken_connection_is_a_stop_for_good() {
    let lossy = fault("loss", "p0", "at = \"20 s\"\nvalue = 1.0");
    let tcp = "{ kind = \"tcp\", data_retries = 2 }";
    let run = direct("30 s", 1, tcp, "\"bulk\"").add(&lossy).run();
    // Data arrived in the last third of the time, but no more will.
    assert_silent(&run, "broken", 19.9..20.1);
    let again = "{ kind = \"sequence\", size = \"10 kB\", gap = \"10 ms\" }";
    let short = fault("loss", "p0", "at = \"20 s\"\nuntil = \"25 s\"\nvalue = 1.0");
    assert!(!end_of(&direct("30 s", 1, tcp, again).add(&short).run()).1);
}

#[test]
fn failed_transfers_are_accounted_for_and_no_silence() {
    let tcp = "{ kind = \"tcp\", data_retries = 2, syn_retries = 2 }";
    let three = "{ kind = \"sequence\", size = \"1 MB\", gap = \"10 ms\", count = 3 }";
    // The second of three fails; the third completes.
    let lossy = fault("loss", "p0", "at = \"1 s\"\nuntil = \"10 s\"\nvalue = 1.0");
    let run = direct("60 s", 1, tcp, three).add(&lossy).run();
    let counts = &run.json["groups"]["f"]["transfers"];
    assert!(counts["failed"].as_u64() > Some(0) && counts["completed"].as_u64() > Some(0), "{counts}");
    assert_well(&run, "transfers_over");
}

#[test]
fn player_that_begins_segments_anew_has_none_left_over() {
    let tcp = "{ kind = \"tcp\", data_retries = 2, syn_retries = 2 }";
    let video = "{ kind = \"video\", count = 2, segment = \"1 s\" }";
    let lossy = fault("loss", "p0", "at = \"0 s\"\nuntil = \"100 s\"\nvalue = 1.0");
    let run = direct("300 s", 1, tcp, video).add(&lossy).run();
    let counts = &run.json["groups"]["f"]["transfers"];
    assert!(counts["started"].as_u64() > counts["asked"].as_u64(), "{counts}");
    assert_eq!((&counts["not_begun"], &counts["completed"]), (&0.into(), &2.into()), "{counts}");
    assert_well(&run, "transfers_over");
}

#[test]
fn data_that_was_acknowledged_and_never_arrived_is_no_error_of_the_simulator() {
    let once = "{ kind = \"transfer\", size = \"100 kB\" }";
    let lossy = fault("loss", "p0", "at = \"0 s\"\nuntil = \"2 s\"\nvalue = 0.05");
    for kind in ["tcp", "mptcp"] {
        let transport = format!("{{ kind = \"{kind}\", misbehaviour = \"optimistic_acks\" }}");
        let (activity, silent) = end_of(&direct("30 s", 1, &transport, once).add(&lossy).run());
        assert!(activity != "unexplained" && !silent, "{kind}: {activity}");
    }
}

#[test]
fn connection_without_a_subflow_is_a_stop_for_good() {
    let script = "{ kind = \"mptcp\", path_manager = { kind = \"manual\", client = \"25 s close 1 to 1\" } }";
    let run = direct("30 s", 1, script, "\"bulk\"").run();
    assert_silent(&run, "no_subflow", 24.9..26.0);
}
