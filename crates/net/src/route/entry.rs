//! Entries of the routing tables: the number of the next link, or one of these.

use super::NONE;

/// In place of the next link: the goal is reached, and the address says how it goes on.
pub(super) const HERE: u32 = NONE - 1;
/// In the number of a link: it is the first of several that lead nearer. Only where packets are spread over these.
pub(super) const SEVERAL: u32 = 1 << 31;
