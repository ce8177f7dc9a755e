//! Files that a scenario names, by their paths from where the scenario lies.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tailrace_scenario::Files;

/// No file that a scenario can use is larger.
const LARGEST: u64 = 256 << 20;

/// A folder. What was read once stays as it was then: all cells of a sweep are of one text.
#[derive(Debug)]
pub(crate) struct ScenarioFolder {
    place: PathBuf,
    /// Absolute path of the folder, where the scenario's file lies there.
    folder: Option<PathBuf>,
    read: Mutex<BTreeMap<String, String>>,
}

impl ScenarioFolder {
    /// The folder of a scenario file, with files that have been read before.
    pub(crate) fn of(scenario: &str, read: BTreeMap<String, String>) -> Self {
        let place = Path::new(scenario).parent().unwrap_or_else(|| Path::new("")).to_path_buf();
        let folder = Path::new(scenario)
            .is_file()
            .then(|| std::path::absolute(Path::new(".").join(&place)).ok())
            .flatten();
        Self { place, folder, read: Mutex::new(read) }
    }

    /// Absolute path of the folder; none where the scenario is of no file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Contents of the files that have been read.
    pub(crate) fn read_so_far(&self) -> BTreeMap<String, String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bytes of it.
    pub(crate) fn bytes(&self) -> usize {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).values().map(String::len).sum()
    }
}

impl Files for ScenarioFolder {
    fn read(&self, name: &str) -> Result<String, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = read.get(name) {
            return Ok(text.clone());
        }
        let text = text_of(&self.place.join(name))?;
        read.insert(name.to_string(), text.clone());
        Ok(text)
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    let said = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("there is no file {}; paths begin where the scenario file lies", path.display())
        }
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_string(),
        _ => format!("it cannot be read: {error}"),
    };
    let about = fs::metadata(path).map_err(said)?;
    if !about.is_file() {
        return Err("it is not a file".into());
    }
    if about.len() > LARGEST {
        return Err(format!("it has {} bytes; at most {LARGEST} are read", about.len()));
    }
    fs::read_to_string(path).map_err(said)
}
