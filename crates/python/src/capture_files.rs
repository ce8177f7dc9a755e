//! Captures on their way to the disk while the run goes on, so that they take no memory.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use tailrace_sim::CaptureFile;

/// A folder with a file a capture, `0.pcapng`, `1.pcapng`, ...: names may be longer than a file system takes.
pub(crate) struct CaptureFiles {
    folder: PathBuf,
    files: Vec<File>,
}

impl CaptureFiles {
    /// The folder is made with the first bytes.
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self { folder, files: Vec::new() }
    }

    /// Writes what has come since the last time, and leaves nothing but the names.
    pub(crate) fn append(&mut self, captures: &mut [CaptureFile]) -> io::Result<()> {
        if self.files.len() < captures.len() {
            fs::create_dir_all(&self.folder)?;
            let names = (0..captures.len()).map(|i| self.folder.join(format!("{i}.pcapng")));
            self.files = names.map(File::create).collect::<Result<_, _>>()?;
        }
        for (file, capture) in self.files.iter_mut().zip(captures) {
            file.write_all(&std::mem::take(&mut capture.bytes))?;
        }
        Ok(())
    }

    /// Everything is on the disk when this returns.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.files.iter().try_for_each(File::sync_all)
    }
}
