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
    let text = |(name, changes): &(&'static str, &[_])| {
        (*name, render_all(&warnings(&changed(changes), &[]), false))
    };
    assert_snapshot("warnings", &CASES.iter().map(text).collect::<Vec<_>>());
}

#[test]
fn every_warning_has_a_case_and_can_be_allowed() {
    let mut named: BTreeSet<_> = CASES.iter().map(|(code, _)| *code).collect();
    // Not the parser's, but of whoever knows what kernels obey: below.
    assert!([Code::IgnoredKey, Code::OneSidedKey].iter().all(|code| named.insert(code.name())));
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
