//! The peer's window as Linux keeps it for a subflow (`tcp_may_update_window`, whose result `ack_update_msk` adds to the
//! data-level acknowledgment).
//!
//! An ACK that is no news to its subflow, as a SACK in recovery, only opens the window or shuts it. For plain TCP that makes no
//! difference: with the same acknowledgment, a smaller window would be one whose edge moves back. But at the data level such an
//! ACK may acknowledge what other subflows brought, and show less window for that reason. With the larger one of before, the
//! edge comes out beyond any that the peer has advertised. The kernel also raises a subflow's window to what the connection's
//! leaves for the data that is handed to it (`mptcp_check_allowed_size`).

use crate::segment::{Segment, SeqNumber};

/// The window of one subflow, bytes; nothing of what came before its first data-level acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PeerWindow {
    /// Sequence and acknowledgment number of the newest segment.
    told_by: Option<(SeqNumber, SeqNumber)>,
    size: u64,
}

impl PeerWindow {
    /// Takes a segment that shows a window of `shown` bytes; gives the one that counts.
    pub(crate) fn update(&mut self, segment: &Segment, shown: u64) -> u64 {
        let (seq, ack) = (segment.seq, segment.ack);
        let takes = match self.told_by {
            None => true,
            Some((last_seq, last_ack)) => {
                let is_news = last_ack.before(ack) || last_seq.before(seq);
                is_news || (last_seq == seq && (shown > self.size || shown == 0))
            }
        };
        if takes {
            self.told_by = Some((seq, ack));
            self.size = shown;
        }
        self.size
    }

    /// Data is handed to the subflow for which the connection's window leaves `bytes`.
    pub(crate) fn reach(&mut self, bytes: u64) {
        self.size = self.size.max(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(seq: u32, ack: u32) -> Segment {
        Segment { seq: SeqNumber(seq), ack: SeqNumber(ack), ..Segment::default() }
    }

    #[test]
    fn an_ack_without_news_opens_or_shuts_but_never_narrows() {
        let mut window = PeerWindow::default();
        assert_eq!(window.update(&segment(1, 100), 5000), 5000);
        assert_eq!(window.update(&segment(1, 100), 3000), 5000, "a SACK");
        assert_eq!(window.update(&segment(1, 100), 6000), 6000);
        assert_eq!(window.update(&segment(1, 101), 3000), 3000, "acknowledges something");
        assert_eq!(window.update(&segment(2, 101), 2000), 2000, "brings something");
        assert_eq!(window.update(&segment(2, 101), 0), 0);
        assert_eq!(window.update(&segment(1, 101), 9000), 0, "overtaken by later data");
    }

    #[test]
    fn data_for_which_there_is_more_window_raises_it_until_the_next_news() {
        let mut window = PeerWindow::default();
        window.update(&segment(u32::MAX, u32::MAX), 1000);
        window.reach(800);
        assert_eq!(window.update(&segment(u32::MAX, u32::MAX), 900), 1000);
        window.reach(4000);
        assert_eq!(window.update(&segment(u32::MAX, u32::MAX), 900), 4000);
        assert_eq!(window.update(&segment(u32::MAX, 0), 900), 900, "numbers wrap");
    }
}
