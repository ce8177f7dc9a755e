//! Messages and shared memory of a kernel that is a host: no panic, no access elsewhere, no endless loop.

use tailrace_guest::fuzzing::{memory, messages};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some((&which, data)) = data.split_first() else { return };
    if which % 2 == 0 { messages(data) } else { memory(data) }
}
