//! Scripted segment exchanges: the files `*.tcp` and `*.mptcp` beside this one.
//!
//! A script is one endpoint's life; time is in milliseconds. Sequence numbers are relative: this end's to its initial
//! number, the peer's to its own, so that the first data byte is 1 on both sides; so are data sequence numbers. The
//! syntax of lines is described in `tcp.rs` and `mptcp.rs`.

mod mptcp;
mod options;
mod tcp;
mod words;

use std::fmt::Write as _;

#[test]
fn scripts_play_as_written() {
    run("tcp", 80, tcp::play);
}

#[test]
fn multipath_scripts_play_as_written() {
    run("mptcp", 30, mptcp::play);
}

/// Plays all scripts whose names end in `kind`, of which there are `least` or more.
fn run(kind: &str, least: usize, play: fn(&str) -> Result<(), (usize, String)>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let all = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path());
    let mut files: Vec<_> = all.filter(|f| f.extension().is_some_and(|e| e == kind)).collect();
    files.sort();
    assert!(files.len() >= least, "the scripts are there");
    let mut failures = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if let Err((line, why)) = play(&text) {
            let shown = text.lines().nth(line).unwrap_or("(end)");
            writeln!(failures, "{name}:{}: {shown}\n    {why}", line + 1).unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
