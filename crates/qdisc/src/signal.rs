//! Mark or drop, decided once for all laws.
//!
//! RFC 3168 §5: a router may set CE instead of dropping where the packet is ECN-capable. A packet that carries
//! CE already is admitted as if marked, but is not a new mark.

use crate::discipline::Verdict;
use tailrace_core::Ecn;

/// Fate of a packet after its law's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on as it is.
    Admit,
    /// It goes on with CE set; `fresh` where it did not carry CE before.
    Mark {
        /// Whether this is a new mark.
        fresh: bool,
    },
    /// It dies.
    Drop,
}

/// The fate of a packet with codepoint `ecn` in a queue whose ECN switch is `enabled`.
///
/// [`Verdict::MarkOnly`] does not look at the switch: a law returns it only where a parameter of its own
/// (`ce_threshold`, `nodrop`) asks for marks.
#[inline]
pub fn fate(verdict: Verdict, enabled: bool, ecn: Ecn) -> Fate {
    let mark = Fate::Mark { fresh: !matches!(ecn, Ecn::Ce) };
    match verdict {
        Verdict::Pass => Fate::Admit,
        Verdict::Signal if enabled && ecn.is_capable() => mark,
        Verdict::Signal | Verdict::Drop => Fate::Drop,
        Verdict::MarkOnly if ecn.is_capable() => mark,
        Verdict::MarkOnly => Fate::Admit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_marks_capable_packets_only_where_ecn_is_on() {
        assert_eq!(fate(Verdict::Signal, true, Ecn::Ect0), Fate::Mark { fresh: true });
        assert_eq!(fate(Verdict::Signal, true, Ecn::Ect1), Fate::Mark { fresh: true });
        assert_eq!(fate(Verdict::Signal, true, Ecn::Ce), Fate::Mark { fresh: false });
        assert_eq!(fate(Verdict::Signal, true, Ecn::NotEct), Fate::Drop);
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            assert_eq!(fate(Verdict::Signal, false, ecn), Fate::Drop);
            assert_eq!(fate(Verdict::Drop, true, ecn), Fate::Drop);
            assert_eq!(fate(Verdict::Pass, true, ecn), Fate::Admit);
        }
        assert_eq!(fate(Verdict::MarkOnly, true, Ecn::NotEct), Fate::Admit);
    }
}
