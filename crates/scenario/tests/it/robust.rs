//! Whatever the text, the parser answers: no panic, and what it accepts reads back as the same scenario.

use proptest::prelude::*;
use tailrace_scenario::{parse, render_all};

const FILES: &[&str] = &[include_str!("../files/small.toml"), include_str!("../files/everything.toml")];

/// Words that replace others: borders of every kind.
const WORDS: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "1e400",
    "9223372036854775807",
    "99999999999999999999",
    "0.5",
    "nan",
    "inf",
    "true",
    "\"0 s\"",
    "\"1 ns\"",
    "\"10 h\"",
    "\"0 bit/s\"",
    "\"9e18 bit/s\"",
    "\"1 B\"",
    "\"9 GB\"",
    "\"1 packet\"",
    "\"9000000000000000000 packets\"",
    "\"uniform(1 ms, 1 s)\"",
    "\"a[*]\"",
    "\"a[0..2]\"",
    "\"a[9]\"",
    "\"core[0]\"",
    "\"größe\"",
    "[]",
    "{}",
    "[[]]",
    "\"auto\"",
    "\"off\"",
    "1979-05-27",
    "\"red limit 1kb\"",
    "\"pfifo limit \"",
    "{ kind = \"red\" }",
    "{ kind = 1 }",
    "\"\\u0000\"",
    "'",
    "\"",
    "\n",
    "]",
    "[sweep]\n",
    "=",
    "\"link\"",
    "\"x.y\"",
];

#[derive(Clone, Debug)]
enum Change {
    Delete(usize, usize),
    Repeat(usize),
    Swap(usize, usize),
    Value(usize, usize),
    Insert(usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..4000_usize, 1..30_usize).prop_map(|(at, len)| Change::Delete(at, len)),
        (0..300_usize).prop_map(Change::Repeat),
        (0..300_usize, 0..300_usize).prop_map(|(a, b)| Change::Swap(a, b)),
        (0..300_usize, 0..WORDS.len()).prop_map(|(line, word)| Change::Value(line, word)),
        (0..300_usize, 0..WORDS.len()).prop_map(|(line, word)| Change::Value(line, word)),
        (0..4000_usize, "[ -~äß]{1,6}").prop_map(|(at, text)| Change::Insert(at, text)),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let n = lines.len().max(1);
    let at = |i: usize| {
        let mut i = i % (text.len() + 1);
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    match change {
        Change::Delete(from, len) => {
            let (a, b) = (at(*from), at((from % (text.len() + 1) + len).min(text.len())));
            return format!("{}{}", &text[..a.min(b)], &text[b.max(a)..]);
        }
        Change::Insert(i, word) => return format!("{}{word}{}", &text[..at(*i)], &text[at(*i)..]),
        Change::Repeat(i) if !lines.is_empty() => lines.insert(i % n, lines[i % n]),
        Change::Swap(i, j) if !lines.is_empty() => lines.swap(i % n, j % n),
        Change::Value(i, word) if !lines.is_empty() => {
            let key = lines[i % n].split('=').next().unwrap_or("");
            let line = format!("{key}= {}", WORDS[*word]);
            lines[i % n] = &line;
            return lines.join("\n");
        }
        _ => {}
    }
    lines.join("\n")
}

/// Reads, renders what comes of it, and resolves what is accepted.
fn survive(text: &str, overrides: &[(String, String)]) -> bool {
    match parse(text, "x.toml", overrides) {
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal gives a reason");
            render_all(&errors, true);
            errors.iter().for_each(|e| drop(e.to_json()));
            false
        }
        Ok(parsed) => {
            render_all(&parsed.warnings, false);
            let resolved = parsed.to_toml();
            let again = parse(&resolved, "y.toml", &[]);
            let again = again.unwrap_or_else(|e| panic!("{resolved}\n{}", render_all(&e, false)));
            assert_eq!(again.scenario, parsed.scenario);
            assert_eq!(again.to_toml(), resolved);
            true
        }
    }
}

/// The part of all cases that is tried with each change is one of so many; `.ci/nightly` tries all.
const SHARE: usize = if option_env!("TAILRACE_ALL_CASES").is_some() { 1 } else { 4 };

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600 / SHARE as u32) })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        survive(&text, &[]);
    }

    #[test]
    fn any_toml_like_text_is_answered(text in "([a-z]{1,8} = (\"[ -~]{0,9}\"|[0-9.e-]{1,5}|\\[\\]|\\{\\})\n|\\[\\[?(host|link|flow|sweep|record)\\]?\\]\n){0,12}") {
        survive(&text, &[]);
    }

    #[test]
    fn any_override_is_answered(path in "((link|host|flow|fault|sweep|record|runs|x)\\.?|bottleneck\\.|queue\\.|tcp\\.|[0-9]\\.|transport\\.|[ -~]){0,5}", value in "[ -~]{0,12}") {
        survive(FILES[0], &[(path, value)]);
    }

    #[test]
    fn changed_files_are_answered(file in 0..2_usize, changes in prop::collection::vec(change(), 1..4)) {
        let text = changes.iter().fold(FILES[file].to_string(), |text, c| apply(&text, c));
        survive(&text, &[]);
    }
}

/// The changes above are mild enough that many changed files are still scenarios: the round trip is tried.
#[test]
fn single_changes_often_leave_a_scenario() {
    let mut accepted = 0;
    for file in FILES {
        for line in 0..file.lines().count() {
            for word in (line % SHARE..WORDS.len()).step_by(SHARE) {
                accepted += usize::from(survive(&apply(file, &Change::Value(line, word)), &[]));
            }
        }
    }
    assert!(accepted > 150 / SHARE, "{accepted}");
}
