//! Reports of the programs of hosts.

use serde::Serialize;
use std::path::{Path, PathBuf};
use tailrace_agent::visible::is_visible;

/// Limit of the text of a program that an error quotes.
const MOST_QUOTED: usize = 80;

/// Report of a host's program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramReport {
    /// The host, as the scenario calls it.
    pub host: String,
    /// Command line as the shell read it.
    pub command: String,
    /// When it was started, in seconds.
    pub start_s: f64,
    /// When it ended; none where it had not when the run did.
    pub end_s: Option<f64>,
    /// Exit code; none if it was running at the end of the run.
    pub exit_code: Option<i32>,
    /// Output, standard output and standard error together.
    pub output: String,
    /// File of this machine that it did not see, where its command and its output name one and it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen_file: Option<String>,
    /// Bytes that it said before that.
    pub output_left_out_bytes: u64,
}

impl ProgramReport {
    /// Sentence that names a running program and its last output.
    pub(crate) fn running(&self) -> String {
        let last = self.output.lines().rfind(|line| !line.trim().is_empty());
        let said = last.map_or("nothing".to_string(), |line| format!("last {}", quoted(line)));
        format!("host {:?} runs {}, which has said {said}", self.host, quoted(&self.command))
    }
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    let end = text.char_indices().nth(MOST_QUOTED).map_or(text.len(), |(at, _)| at);
    let dots = if end < text.len() { "…" } else { "" };
    format!("\"{}{dots}\"", &text[..end])
}

/// The first file of this machine that a command names, its output complains of, and a guest with these named files and folders
/// does not see.
pub(crate) fn unseen_file(command: &str, output: &str, named: &[PathBuf]) -> Option<String> {
    let separates = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
    let paths = command.split(separates).filter(|word| word.starts_with('/') && output.contains(word));
    let unseen = |path: &Path| path.exists() && !is_visible(path, named);
    paths.into_iter().find(|path| unseen(path.as_ref())).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_runs_is_named_with_its_last_words() {
        let program = |command: &str, output: &str| ProgramReport {
            host: "a".into(),
            command: command.into(),
            start_s: 0.0,
            end_s: None,
            exit_code: None,
            output: output.into(),
            unseen_file: None,
            output_left_out_bytes: 0,
        };
        let of = |command: &str, output: &str| program(command, output).running();
        assert_eq!(of("one", ""), "host \"a\" runs \"one\", which has said nothing");
        assert_eq!(of("one\n", "x\ny z\n \n"), "host \"a\" runs \"one\", which has said last \"y z\"");
        let long = of(&"ä".repeat(99), "");
        assert_eq!(long, format!("host \"a\" runs \"{}…\", which has said nothing", "ä".repeat(80)));
    }

    #[test]
    fn a_file_that_a_guest_does_not_see_is_one_that_is_there_outside_and_is_complained_of() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, "").unwrap();
        let tool = path.to_str().unwrap();
        let (command, said) = (format!("'{tool}' --fast"), format!("sh: 1: {tool}: not found"));
        assert_eq!(unseen_file(&command, &said, &[]).as_deref(), Some(tool));
        assert_eq!(unseen_file(&command, "segmentation fault", &[]), None, "something else is wrong");
        assert_eq!(unseen_file(&command, &said, &[folder.path().into()]), None, "it is named");
        assert_eq!(unseen_file("/bin/sh -x", "/bin/sh: no", &[]), None, "all see the system's programs");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(unseen_file(&command, &said, &[]), None, "it is not there outside, either");
    }
}
