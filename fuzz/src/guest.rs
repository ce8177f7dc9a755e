//! What a kernel that is a host sends and leaves in its memory: no panic, no access elsewhere, no end that does not come.

use tailrace_guest::fuzzing::{memory, messages};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some((&which, data)) = data.split_first() else { return };
    if which % 2 == 0 { messages(data) } else { memory(data) }
}
