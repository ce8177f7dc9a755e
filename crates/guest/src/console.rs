//! Console output of a guest.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tailrace_agent::{KernelRefusal, REFUSED};

/// Lines that an error has of it: the last.
const LINES: usize = 10;

/// Prefix of a line that each kernel writes: its launcher gives it no terminals of the machine, in which it would try signals.
const NO_TERMINALS: &[u8] = b"check_one_sigio failed";

/// The file that it is written to, within the guest's folder.
#[derive(Debug)]
pub(crate) struct GuestConsole(PathBuf);

impl GuestConsole {
    /// The console of the guest with this folder.
    pub(crate) fn of(folder: &Path) -> Self {
        Self(folder.join("console"))
    }

    /// A new one.
    pub(crate) fn create(&self) -> io::Result<File> {
        File::create(&self.0)
    }

    /// The agent's report of a request that the kernel refused.
    pub(crate) fn refusal(&self) -> Option<KernelRefusal> {
        let said = self.text();
        let said = said.lines().find_map(|line| line.strip_prefix(REFUSED))?;
        serde_json::from_str(said.trim_end()).ok()
    }

    /// Its last lines, without what a kernel says of its stack when it panics.
    pub(crate) fn end(&self) -> String {
        let text = self.text();
        let before = text.lines().position(|line| line == "Stack:").unwrap_or(usize::MAX);
        let lines: Vec<&str> = text.lines().take(before).collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }

    /// The same in a sentence of an error, and where all of it is from now on: a file for temporary ones that outlives the run.
    pub(crate) fn last_words(&self) -> String {
        if self.text().trim().is_empty() {
            return "its console is empty".to_string();
        }
        let end = self.end();
        match self.keep() {
            Ok(path) => format!("the end of its console:\n{end}\nall of it is in {}", path.display()),
            Err(error) => format!("the end of its console, which cannot be kept ({error}):\n{end}"),
        }
    }

    fn keep(&self) -> io::Result<PathBuf> {
        let mut kept = tempfile::Builder::new().prefix("tailrace-console-").suffix(".txt").tempfile()?;
        kept.write_all(&self.bytes()?)?;
        Ok(kept.keep()?.1)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes().unwrap_or_default()).into_owned()
    }

    /// All of it but what each kernel says.
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let all = fs::read(&self.0)?;
        let lines = all.split_inclusive(|byte| *byte == b'\n');
        Ok(lines.filter(|line| !line.starts_with(NO_TERMINALS)).flatten().copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(said: &str) -> (tempfile::TempDir, GuestConsole) {
        let folder = tempfile::tempdir().unwrap();
        let console = GuestConsole::of(folder.path());
        fs::write(folder.path().join("console"), said).unwrap();
        (folder, console)
    }

    #[test]
    fn an_error_has_the_last_lines_and_names_a_file_with_all_of_them() {
        let said: String = (1..=30).map(|line| format!("line {line}\n")).collect();
        let (_folder, console) = console(&said);
        let words = console.last_words();
        let lines: Vec<&str> = words.lines().collect();
        assert_eq!(lines[0], "the end of its console:");
        assert_eq!((lines[1], lines[LINES], lines.len()), ("line 21", "line 30", LINES + 2));
        let kept = Path::new(lines[LINES + 1].strip_prefix("all of it is in ").unwrap());
        assert_eq!(fs::read_to_string(kept).unwrap(), said);
        fs::remove_file(kept).unwrap();
    }

    #[test]
    fn a_panic_is_reported_with_its_reason_and_without_the_stack() {
        let (_folder, console) = console("Kernel panic - not syncing\nRIP: 0\nStack:\n 1\n 2\n");
        assert_eq!(console.end(), "Kernel panic - not syncing\nRIP: 0");
    }

    #[test]
    fn an_empty_console_is_said_to_be_empty() {
        let (folder, console) = console("check_one_sigio failed, errno = 13\n\n");
        assert_eq!(console.last_words(), "its console is empty");
        fs::remove_file(folder.path().join("console")).unwrap();
        assert_eq!(console.last_words(), "its console is empty");
    }
}
