//! Snapshot files: the texts of many cases in one file a topic, compared case by case. With `TAILRACE_BLESS=1` the files
//! are written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Begins the line with the name of a case.
const HEADING: &str = "######## ";

/// Compares `cases`, each a name and its text, with the snapshot file of `topic`, or writes that file.
///
/// # Panics
/// If a text differs, or if the file lacks a case or has one more, with the lines that differ.
pub(crate) fn assert_snapshot(topic: &str, cases: &[(&str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{topic}.snap"));
    if std::env::var_os("TAILRACE_BLESS").is_some() {
        std::fs::write(&file, written(cases)).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let report = differences(&parsed(&kept), cases);
    assert!(report.is_empty(), "{topic}.snap differs; TAILRACE_BLESS=1 writes it anew\n{report}");
}

fn written(cases: &[(&str, String)]) -> String {
    cases.iter().map(|(name, text)| format!("{HEADING}{name}\n{text}\n")).collect()
}

fn parsed(file: &str) -> BTreeMap<&str, String> {
    let mut cases = BTreeMap::new();
    for case in file.split(HEADING).skip(1) {
        let (name, text) = case.split_once('\n').unwrap_or((case, ""));
        cases.insert(name, text.strip_suffix('\n').unwrap_or(text).to_string());
    }
    cases
}

fn differences(kept: &BTreeMap<&str, String>, found: &[(&str, String)]) -> String {
    let mut report = String::new();
    for (name, text) in found {
        match kept.get(name) {
            Some(kept) if kept == text => {}
            Some(kept) => write!(report, "{HEADING}{name}\n{}", diff(kept, text)).unwrap(),
            None => write!(report, "{HEADING}{name}: not in the file\n{}", diff("", text)).unwrap(),
        }
    }
    let names: BTreeSet<_> = found.iter().map(|(name, _)| *name).collect();
    for name in kept.keys().filter(|name| !names.contains(*name)) {
        writeln!(report, "{HEADING}{name}: in the file, but no case").unwrap();
    }
    report
}

/// Both texts as one, with `-` before lines of the old alone and `+` before lines of the new.
fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let common = common_lengths(&old, &new);
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        let (sign, line) = if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            (' ', old[i - 1])
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            i += 1;
            ('-', old[i - 1])
        } else {
            j += 1;
            ('+', new[j - 1])
        };
        writeln!(text, "{sign} {line}").unwrap();
    }
    text
}

/// The length of the longest common subsequence of `old[i..]` and `new[j..]`, for each `i` and `j`.
fn common_lengths(old: &[&str], new: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    common
}

#[test]
fn diff_of_snapshots_shows_changed_added_and_missing_lines() {
    let file = written(&[("same", "a\n".into()), ("changed", "a\nb\nc\n".into()), ("gone", "x\n".into())]);
    let found = [("same", "a\n".into()), ("changed", "a\nB\nc\nd\n".into()), ("new", "y\n".into())];
    let report = differences(&parsed(&file), &found);
    let expected = "######## changed\n  a\n- b\n+ B\n  c\n+ d\n\
                    ######## new: not in the file\n+ y\n\
                    ######## gone: in the file, but no case\n";
    assert_eq!(report, expected);
}
