//! Values of a routing table entry beside the number of the next link.

use super::NONE;

/// This router is the egress router: the last link is that of the address entry.
pub(super) const AT_EGRESS: u32 = NONE - 1;
/// Flag in a link number: the first of several links with equal cost. Set with ECMP only.
pub(super) const ECMP_FLAG: u32 = 1 << 31;
