//! Files that a scenario names: nothing here opens one, whoever hands over the scenario does.

use core::fmt;

/// Reads what a scenario names.
pub trait Files: fmt::Debug + Send + Sync {
    /// The text of a file, called as the scenario calls it: by its path from where the scenario lies.
    ///
    /// # Errors
    /// Why it cannot be read, and what would help.
    fn read(&self, name: &str) -> Result<String, String>;
}

/// Where nobody reads files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("files are not read here; write what is in it instead".into())
    }
}
