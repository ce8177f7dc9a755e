//! Files of the machine that programs in a guest can see.
//!
//! They are those that programs of a machine need, the folder of the scenario, and what hosts name by `files`. In the guest they have
//! the names that they have outside.

use std::path::Path;

/// Folders of programs, libraries and their data. Of `/etc` beside them, a guest sees what every user of the machine may read.
pub const SYSTEM_FOLDERS: [&str; 9] =
    ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/gnu/store"];

/// Folder for configuration, of which a guest sees a part.
const CONFIGURATION: &str = "/etc";

/// Folder of the guest's own in which its programs start. It hides the machine's.
pub const HIDDEN_FOLDER: &str = "/tmp";

/// Whether a guest with these named files and folders sees a file of the machine.
pub fn is_visible<P: AsRef<Path>>(path: &Path, named: impl IntoIterator<Item = P>) -> bool {
    let system = SYSTEM_FOLDERS.into_iter().chain([CONFIGURATION]).any(|folder| path.starts_with(folder));
    system || named.into_iter().any(|one| path.starts_with(one))
}
