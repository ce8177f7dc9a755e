//! Warnings as users read them, kept in `tests/snapshots/warnings.snap`, and warnings that are allowed and not shown.

use crate::small::{SMALL, TCP, changed};
use crate::snapshot::assert_snapshot;
use std::collections::BTreeSet;
use tailrace_core::Bytes;
use tailrace_scenario::{Code, Diagnostic, Objection, Source, parse, render_all};

/// The queue, and the rate of the CBR flow of the small scenario.
const QUEUE: &str = "queue = { kind = \"droptail\", limit = \"50 packets\" }";
const CBR: &str = "rate = \"100 kbit/s\", size = \"1000 B\", jitter = 0.1";

/// The sweep of a limit, which not every queue has.
const SWEEP: (&str, &str) = ("\"link.bottleneck.queue.limit\" = [\"20 packets\"]", "seed = [2]");

/// Code, and pairs of what stands in the small scenario and what replaces it.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("unused-role", &[("name = \"r1\"", "name = \"r1\"\nrole = \"edge\"")]),
    ("tc-word", &[(QUEUE, "queue = \"cake bandwidth 2mbit nat\""), SWEEP]),
    ("unused-limit", &[(QUEUE, "queue = \"cake\"\nqueue_limit = \"50 packets\""), SWEEP]),
    ("unused-medium", &[("[[link]]\nname", "[[medium]]\nname = \"air\"\nkind = \"wifi\"\n\n[[link]]\nname")]),
    (
        "uncoupled-kernel",
        &[
            (
                TCP,
                "kind = \"mptcp\", cc = \"lia\", path_manager = { kind = \"ndiffports\", num_subflows = 2 }",
            ),
            ("[[host]]\nname = \"dst\"", "[[host]]\nname = \"dst\"\nkernel = \"6.12\""),
        ],
    ),
    ("unusual-rate", &[("\"1 Mbit/s\"", "\"900 bit/s\"")]),
    ("unusual-delay", &[("delay = \"10 ms\"", "delay = \"11 s\"")]),
    ("tiny-limit", &[("50 packets", "1 packet")]),
    ("huge-limit", &[("50 packets", "2 MB")]),
    ("long-run", &[("60 s", "87600 h"), ("interval = \"1 s\"", "interval = \"100 h\"")]),
    ("other-form", &[("sack = true", "profile = \"linux\""), ("\"droptail\"", "\"codel\"")]),
    ("after-the-end", &[("start = \"uniform(0 s, 1 s)\"", "start = \"60 s\"")]),
    ("equal-runs", &[("start = \"uniform(0 s, 1 s)\"\n", ""), (", jitter = 0.1", "")]),
    (
        "unused-queue",
        &[(
            "[[link]]\nname",
            "[[router]]\nname = \"r3\"\n[[link]]\nbetween = [\"r2\", \"r3\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             queue = \"droptail\"\n[[link]]\nname",
        )],
    ),
    (
        "queue-stays-empty",
        &[("[\"r2\", \"dst\"]\nrate = \"10 Mbit/s\"", "[\"r2\", \"dst\"]\nrate = \"500 kbit/s\"")],
    ),
    ("small-windows", &[("sack = true", "sack = true, mss = \"500 B\", window = 1")]),
    ("few-round-trips", &[("delay = \"10 ms\"", "delay = \"2 s\"")]),
    ("above-mtu", &[("sack = true", "sack = true, mss = \"1460 B\"")]),
    ("single-subflow", &[(TCP, "kind = \"mptcp\"")]),
    ("phase-effect", &[(CBR, "rate = \"1 Mbit/s\", size = \"1000 B\"")]),
    (
        "rate-tie",
        &[
            ("from = \"src[0]\"", "from = \"src[*]\""),
            ("{ kind = \"udp\" }", "{ kind = \"udp\", header = \"0 B\" }"),
            (CBR, "rate = \"250 kbit/s\", size = \"1000 B\""),
        ],
    ),
    ("missing-counterpart", &[(QUEUE, "queue = { kind = \"csfq\", role = \"core\" }")]),
    (
        "long-loss-bursts",
        &[("delay = \"10 ms\"", "delay = \"10 ms\"\nloss = { kind = \"gemodel\", p = 0.01, r = 0.1 }")],
    ),
    (
        "long-loss-bursts",
        &[(
            "delay = \"10 ms\"",
            "delay = \"10 ms\"\nloss = { kind = \"gilbert_elliott\", mean_good = \"10 s\", mean_bad = \"2 s\" }",
        )],
    ),
    ("only-link-down", &[(TCP, "kind = \"mptcp\""), ("link = \"bottleneck\"", "link = \"r2-dst\"")]),
];

fn warnings(text: &str, allow: &[&str]) -> Vec<Diagnostic> {
    let source = Source::new(text, "small.toml").allowing(allow.iter().map(|c| (*c).to_string()).collect());
    let parsed = source.scenario(&[], Bytes(1 << 30));
    parsed.unwrap_or_else(|e| panic!("{}", render_all(&e, false))).warnings
}

fn codes(warnings: &[Diagnostic]) -> Vec<&'static str> {
    warnings.iter().map(|w| w.code.name()).collect()
}

#[test]
fn warning_texts_equal_their_snapshots() {
    let mut texts: Vec<(&'static str, String)> = Vec::new();
    for (name, changes) in CASES {
        let text = render_all(&warnings(&changed(changes), &[]), false);
        // A warning in several situations has one entry.
        match texts.iter_mut().find(|(known, _)| known == name) {
            Some((_, texts)) => *texts += &text,
            None => texts.push((name, text)),
        }
    }
    assert_snapshot("warnings", &texts);
}

#[test]
fn every_warning_has_a_case_and_can_be_allowed() {
    let mut named: BTreeSet<_> = CASES.iter().map(|(code, _)| *code).collect();
    // Not the parser's, but of whoever knows what kernels obey, another reader of TOML, or classes of Python: below.
    let others = [Code::IgnoredKey, Code::OneSidedKey, Code::NewerToml, Code::OwnClass];
    assert!(others.iter().all(|code| named.insert(code.name())));
    assert_eq!(named, Code::warnings().map(Code::name).collect());
    for (code, changes) in CASES {
        let text = changed(changes);
        let all = codes(&warnings(&text, &[]));
        assert!(all.contains(code), "{code}: {all:?}");
        let mut rest = all;
        rest.retain(|c| c != code);
        assert_eq!(codes(&warnings(&text, &[code])), rest, "{code} beside the file");
        let own = format!("allow = [\"{code}\"]\n{text}");
        assert_eq!(codes(&warnings(&own, &[])), rest, "{code} in the file");
    }
}

#[test]
fn what_others_warn_of_stands_at_the_key_and_can_be_allowed_too() {
    let objection = Objection {
        path: "flow.tcp.transport.sack".into(),
        why: "flow tcp: only some obey `sack`".into(),
        help: Some("leave it out".into()),
    };
    let warned = |text: &str, allow: &[&str]| {
        let source =
            Source::new(text, "small.toml").allowing(allow.iter().map(|c| (*c).to_string()).collect());
        let parsed = source.scenario(&[], Bytes(1 << 30)).unwrap();
        source.warned(&[], Code::OneSidedKey, &parsed.declaration, std::slice::from_ref(&objection))
    };
    let found = warned(SMALL, &[]);
    let text = found[0].render(false);
    assert!(text.starts_with("warning[one-sided-key]: flow tcp: only some obey `sack`\n"), "{text}");
    assert!(text.contains("sack = true") && text.contains("leave it out"), "{text}");
    assert_eq!(codes(&found), ["one-sided-key"]);
    assert_eq!(codes(&warned(SMALL, &["one-sided-key"])), Vec::<&str>::new());
    let own = format!("allow = [\"one-sided-key\"]\n{SMALL}");
    assert_eq!(codes(&warned(&own, &[])), Vec::<&str>::new());
}

#[test]
fn what_the_file_allows_and_what_comes_beside_it_is_allowed_together() {
    let two = [("50 packets", "1 packet"), ("sack = true", "sack = true, mss = \"1460 B\"")];
    let text = changed(&two);
    assert_eq!(codes(&warnings(&text, &[])), ["tiny-limit", "above-mtu"]);
    let own = format!("allow = [\"tiny-limit\"]\n{text}");
    assert_eq!(codes(&warnings(&own, &["above-mtu"])), Vec::<&str>::new());
    // An override of the key replaces it, as any other.
    let overridden = parse(&own, "small.toml", &[("allow".into(), "[\"above-mtu\"]".into())]).unwrap();
    assert_eq!(codes(&overridden.warnings), ["tiny-limit"]);
}

#[test]
fn huge_limit_of_a_reverse_queue_underlines_that_queue() {
    let reverse = "reverse = { rate = \"1 Mbit/s\", queue = { kind = \"codel\", limit = \"3 MB\" } }";
    let found = warnings(&changed(&[(QUEUE, &format!("{QUEUE}\n{reverse}"))]), &[]);
    assert_eq!(codes(&found), ["huge-limit"]);
    let text = found[0].render(false);
    assert!(text.contains("holds 3 MB"), "{text}");
    let underlined = text.lines().find(|line| line.contains('^')).unwrap();
    let column = text.lines().find_map(|line| line.find("{ kind = \"codel\"")).unwrap();
    assert_eq!(underlined.find('^'), Some(column), "{text}");
}

#[test]
fn a_limit_that_nobody_wrote_is_no_slip() {
    // 10240 packets of 1500 B are 123 s at 1 Mbit/s, and the default of `fq_codel`.
    let with = |queue: &str| codes(&warnings(&changed(&[(QUEUE, &format!("queue = {queue}")), SWEEP]), &[]));
    assert_eq!(with("\"fq_codel\""), Vec::<&str>::new());
    assert_eq!(with("\"fq_codel limit 10240\""), Vec::<&str>::new());
    assert_eq!(with("{ kind = \"fq_codel\", limit = \"10241 packets\" }"), ["huge-limit"]);
}

#[test]
fn the_resolved_form_says_what_was_allowed() {
    let text = changed(&[("50 packets", "1 packet"), ("sack = true", "sack = true, mss = \"1460 B\"")]);
    let own = format!("allow = [\"tiny-limit\"]\n{text}");
    let source = Source::new(&own, "small.toml").allowing(vec!["above-mtu".into(), "tiny-limit".into()]);
    let parsed = source.scenario(&[], Bytes(1 << 30)).unwrap();
    assert!(parsed.to_toml().contains("\nallow = [\"tiny-limit\", \"above-mtu\"]\n"), "{}", parsed.to_toml());
    let again = parse(&parsed.to_toml(), "resolved.toml", &[]).unwrap();
    assert_eq!((again.declaration, again.warnings), (parsed.declaration, parsed.warnings));
    assert!(!parse(SMALL, "small.toml", &[]).unwrap().to_toml().contains("allow"));
}

#[test]
fn errors_come_without_the_warnings_that_are_allowed() {
    let text = changed(&[
        (QUEUE, "queue = \"cake\"\nqueue_limit = \"50 packets\""),
        SWEEP,
        ("runs = 2", "runs = 0"),
    ]);
    let found = |allow: &[String]| {
        let errors = Source::new(&text, "small.toml").allowing(allow.to_vec()).scenario(&[], Bytes(1 << 30));
        codes(&errors.unwrap_err())
    };
    assert_eq!(found(&[]), ["out-of-bounds", "unused-limit"]);
    assert_eq!(found(&["unused-limit".into()]), ["out-of-bounds"]);
}

#[test]
fn a_link_that_draws_its_rate_makes_runs_differ() {
    let equal = [("start = \"uniform(0 s, 1 s)\"\n", ""), (", jitter = 0.1", "")];
    let with = |rate: &str| {
        let text = changed(&equal).replace("rate = \"1 Mbit/s\"", &format!("rate = {rate}"));
        codes(&warnings(&text, &[])).contains(&"equal-runs")
    };
    let lte = |keys: &str| with(&format!("{{ kind = \"lte\", {keys} }}"));
    assert!(with("\"trace(1 4 9)\"") && lte("rates = [\"1 Mbit/s\"], block_error = 0.0"));
    assert!(!lte("rates = [\"1 Mbit/s\"]"));
    assert!(!lte("rates = [\"1 Mbit/s\", \"2 Mbit/s\"], block_error = 0.0"));
}

/// The small scenario with a host of its own for the attack's rate, and this queue at its bottleneck.
fn shaped(queue: &str, rate: &str) -> String {
    changed(&[(QUEUE, &format!("queue = \"{queue}\"")), SWEEP, ("\"1 Mbit/s\"", &format!("\"{rate}\""))])
}

#[test]
fn a_shaper_that_is_slower_than_its_link_is_the_bottleneck() {
    // The flows can bring 10 Mbit/s over the link behind.
    assert_eq!(codes(&warnings(&shaped("cake", "20 Mbit/s"), &[])), ["queue-stays-empty"]);
    assert_eq!(codes(&warnings(&shaped("cake bandwidth 8Mbit", "20 Mbit/s"), &[])), Vec::<&str>::new());
    // A shaper above the line that flows come through has nothing to do.
    assert_eq!(codes(&warnings(&shaped("cake bandwidth 15Mbit", "20 Mbit/s"), &[])), ["queue-stays-empty"]);
    // A rate that follows the traffic is not known.
    let autorate = codes(&warnings(&shaped("cake bandwidth 8Mbit autorate-ingress", "20 Mbit/s"), &[]));
    assert_eq!(autorate, Vec::<&str>::new());
}

#[test]
fn a_queue_behind_a_shaper_is_meant_to_stay_empty() {
    let modem = |before: &str| {
        format!(
            r#"name = "home"
duration = "10 s"
runs = 1
host = [{{ name = "pc", count = 20 }}, {{ name = "server" }}]
router = [{{ name = "home" }}, {{ name = "modem" }}, {{ name = "isp" }}]
link = [
  {{ name = "lan", between = ["pc[*]", "home"], rate = "1 Gbit/s", delay = "100 us" }},
  {{ name = "sqm", between = ["home", "modem"], rate = "1 Gbit/s", delay = "100 us"{before} }},
  {{ name = "line", between = ["modem", "isp"], rate = "20 Mbit/s", delay = "8 ms", queue = "droptail limit 500" }},
  {{ name = "net", between = ["isp", "server"], rate = "1 Gbit/s", delay = "10 ms" }},
]
flow = [{{ name = "up", from = "pc[*]", to = "server", transport = "tcp", app = "bulk", start = "uniform(0 s, 1 s)" }}]
"#
        )
    };
    let with = |queue: &str| codes(&warnings(&modem(queue), &[]));
    assert_eq!(with(""), Vec::<&str>::new());
    assert_eq!(with(", queue = \"cake bandwidth 18Mbit overhead 18\""), Vec::<&str>::new());
    // Without its shaper, the queue before the modem stays empty.
    assert_eq!(with(", queue = \"cake\""), ["queue-stays-empty"]);
}

#[test]
fn flows_offer_no_more_than_the_line_that_they_come_through() {
    // Three sources of 4 Mbit/s come over one line of 10 Mbit/s.
    let access = |rate: &str| {
        format!(
            r#"name = "line"
duration = "10 s"
runs = 1
host = [{{ name = "a", count = 3 }}, {{ name = "b" }}]
router = [{{ name = "r" }}, {{ name = "s" }}, {{ name = "t" }}]
link = [
  {{ between = ["a[*]", "r"], rate = "100 Mbit/s", delay = "1 ms" }},
  {{ between = ["r", "s"], rate = "{rate}", delay = "1 ms" }},
  {{ name = "w", between = ["s", "t"], rate = "11 Mbit/s", delay = "1 ms", queue = "codel" }},
  {{ between = ["t", "b"], rate = "100 Mbit/s", delay = "1 ms" }},
]
flow = [{{ name = "f", from = "a[*]", to = "b", transport = "udp", app = {{ kind = "cbr", rate = "4 Mbit/s", size = "1000 B", jitter = 0.1 }} }}]
"#
        )
    };
    let with = |rate: &str| warnings(&access(rate), &[]);
    assert_eq!(codes(&with("100 Mbit/s")), Vec::<&str>::new());
    let found = with("10 Mbit/s");
    assert_eq!(codes(&found), ["queue-stays-empty"]);
    assert!(found[0].render(false).contains("at most 10 Mbit/s reach its 11 Mbit/s"), "{found:?}");
}

#[test]
fn a_flood_that_comes_over_a_slower_line_locks_nobody_out() {
    let with = |access: &str| {
        let text = format!(
            r#"name = "slow"
duration = "10 s"
runs = 1
host = [{{ name = "a" }}, {{ name = "x" }}, {{ name = "b" }}]
router = [{{ name = "r" }}]
link = [
  {{ between = ["a", "r"], rate = "100 Mbit/s", delay = "1 ms" }},
  {{ between = ["x", "r"], rate = "{access}", delay = "1 ms" }},
  {{ name = "w", between = ["r", "b"], rate = "10 Mbit/s", delay = "1 ms" }},
]
flow = [
  {{ name = "f", from = "a", to = "b", transport = "tcp", app = "bulk" }},
  {{ name = "x", from = "x", to = "b", transport = "udp", app = {{ kind = "cbr", rate = "20 Mbit/s", size = "1000 B" }} }},
]
"#
        );
        codes(&warnings(&text, &[]))
    };
    assert_eq!(with("100 Mbit/s"), ["phase-effect"]);
    assert_eq!(with("5 Mbit/s"), Vec::<&str>::new());
}

#[test]
fn a_duration_of_years_is_warned_of_and_one_of_minutes_is_not() {
    let with = |duration: &str| {
        warnings(&changed(&[("60 s", duration), ("interval = \"1 s\"", "interval = \"100 h\"")]), &[])
    };
    let found = with("87600 h");
    assert_eq!(codes(&found), ["long-run"]);
    let text = found[0].render(false);
    assert!(text.contains("which takes about 8 hours") && text.contains("order of magnitude"), "{text}");
    assert_eq!(codes(&with("10 min")), Vec::<&str>::new());
}
