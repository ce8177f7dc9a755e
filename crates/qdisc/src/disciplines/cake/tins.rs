//! Tins: which codepoint goes where, and what each tin may have.
//!
//! Classes after RFC 4594 and RFC 8622, assigned as in Linux `sch_cake.c`.

use tailrace_core::Dscp;

tailrace_core::choices! {
    /// Mapping of codepoints to tins.
    pub enum Diffserv {
        /// A single tin for all packets.
        Besteffort = "besteffort",
        /// Eight tins, by the three bits of IP precedence.
        Precedence = "precedence",
        /// Three tins: bulk, best effort and voice.
        Diffserv3 = "diffserv3",
        /// Four tins: bulk, best effort, video and voice.
        Diffserv4 = "diffserv4",
        /// Eight tins.
        Diffserv8 = "diffserv8",
    }
}

/// Most tins there can be.
pub(super) const MOST: usize = 8;

/// Expedited forwarding, voice admit, class selectors and the rest, by name.
const LE: u8 = 1;
const TOS2: u8 = 2;
const TOS4: u8 = 4;
const CS: [u8; 8] = [0, 8, 16, 24, 32, 40, 48, 56];
const AF1: [u8; 3] = [10, 12, 14];
const AF2: [u8; 3] = [18, 20, 22];
const AF3: [u8; 3] = [26, 28, 30];
const AF4: [u8; 3] = [34, 36, 38];
const VA: u8 = 44;
const EF: u8 = 46;

/// The tins of one configuration.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    tin_of: [u8; 64],
    /// Rate up to which a tin has its priority, and weight where there is no rate.
    shares: [(u64, i64); MOST],
    tins: usize,
}

impl Diffserv {
    /// The tins that share `rate` bytes a second.
    pub(super) fn layout(self, rate: u64) -> Layout {
        let mut tin_of = [self.default_tin(); 64];
        let mut put = |tin: u8, codepoints: &[u8]| codepoints.iter().for_each(|c| tin_of[*c as usize] = tin);
        match self {
            Self::Besteffort => {}
            Self::Precedence => (0..64).for_each(|c| put(c >> 3, &[c])),
            Self::Diffserv3 => {
                put(1, &[LE, CS[1]]);
                put(2, &[TOS4, VA, EF, CS[6], CS[7]]);
            }
            Self::Diffserv4 => {
                put(1, &[LE, CS[1]]);
                put(2, &[TOS4, CS[2], CS[3]]);
                [AF2, AF3, AF4].iter().for_each(|class| put(2, class));
                put(3, &[CS[4], CS[5], VA, EF, CS[6], CS[7]]);
            }
            Self::Diffserv8 => {
                put(0, &[LE]);
                put(1, &[TOS2, CS[1]]);
                put(1, &AF1);
                put(3, &[CS[3]]);
                [AF3, AF4].iter().for_each(|class| put(3, class));
                put(4, &[TOS4]);
                put(4, &AF2);
                put(5, &[CS[2]]);
                put(6, &[CS[4], CS[5], VA, EF]);
                put(7, &[CS[6], CS[7]]);
            }
        }
        let (shares, tins) = self.shares(rate);
        Layout { tin_of, shares, tins }
    }

    const fn default_tin(self) -> u8 {
        match self {
            Self::Diffserv8 => 2,
            _ => 0,
        }
    }

    fn shares(self, rate: u64) -> ([(u64, i64); MOST], usize) {
        let mut shares = [(rate, 65_535); MOST];
        match self {
            Self::Besteffort => (shares, 1),
            Self::Precedence | Self::Diffserv8 => {
                // Each tin has 7/8 of the one below.
                let mut share = (rate, 256);
                for s in &mut shares {
                    *s = share;
                    share = (((u128::from(share.0) * 7) >> 3) as u64, (share.1 * 7) >> 3);
                }
                (shares, 8)
            }
            Self::Diffserv3 | Self::Diffserv4 => {
                // Best effort, bulk, then the classes that come first.
                let shifts: &[u32] = if self == Self::Diffserv3 { &[0, 4, 2] } else { &[0, 4, 1, 2] };
                for (s, shift) in shares.iter_mut().zip(shifts) {
                    *s = (rate >> shift, 1024 >> shift);
                }
                (shares, shifts.len())
            }
        }
    }

    /// Names of the state variables: those of the whole queue, then the tins' backlogs.
    pub(super) const fn state_names(self) -> &'static [&'static str] {
        macro_rules! names {
            ($($tin:literal),*) => {
                &[
                    "rate_bps",
                    "sparse_flows",
                    "bulk_flows",
                    "unresponsive_flows",
                    "collisions_packets",
                    "acks_filtered_packets",
                    $($tin),*
                ]
            };
        }
        match self {
            Self::Besteffort => names!["best_effort_backlog_bytes"],
            Self::Precedence | Self::Diffserv8 => names![
                "tin0_backlog_bytes",
                "tin1_backlog_bytes",
                "tin2_backlog_bytes",
                "tin3_backlog_bytes",
                "tin4_backlog_bytes",
                "tin5_backlog_bytes",
                "tin6_backlog_bytes",
                "tin7_backlog_bytes"
            ],
            Self::Diffserv3 => {
                names!["best_effort_backlog_bytes", "bulk_backlog_bytes", "voice_backlog_bytes"]
            }
            Self::Diffserv4 => names![
                "best_effort_backlog_bytes",
                "bulk_backlog_bytes",
                "video_backlog_bytes",
                "voice_backlog_bytes"
            ],
        }
    }
}

impl Layout {
    /// Number of tins.
    pub(super) fn tins(&self) -> usize {
        self.tins
    }
    /// The tin of a packet.
    #[inline]
    pub(super) fn tin_of(&self, dscp: Dscp) -> usize {
        usize::from(self.tin_of[usize::from(dscp.0 & 63)])
    }
    /// Rate in bytes a second up to which `tin` has its priority.
    pub(super) fn rate(&self, tin: usize) -> u64 {
        self.shares[tin].0
    }
    /// Weight of `tin` where the rate is unlimited: bytes a turn.
    pub(super) fn quantum(&self, tin: usize) -> i64 {
        self.shares[tin].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codepoints_of(mode: Diffserv, tin: usize) -> Vec<u8> {
        let layout = mode.layout(0);
        (0..64).filter(|c| layout.tin_of(Dscp(*c)) == tin).collect()
    }

    #[test]
    fn codepoints_go_where_the_manual_says() {
        // tc-cake(8), PRIORITY QUEUE PARAMETERS: the classes of each mode.
        assert_eq!(codepoints_of(Diffserv::Diffserv3, 1), [1, 8]);
        assert_eq!(codepoints_of(Diffserv::Diffserv3, 2), [4, 44, 46, 48, 56]);
        assert_eq!(codepoints_of(Diffserv::Diffserv4, 1), [1, 8]);
        assert_eq!(codepoints_of(Diffserv::Diffserv4, 2), [4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38]);
        assert_eq!(codepoints_of(Diffserv::Diffserv4, 3), [32, 40, 44, 46, 48, 56]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 0), [1]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 1), [2, 8, 10, 12, 14]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 3), [24, 26, 28, 30, 34, 36, 38]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 4), [4, 18, 20, 22]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 5), [16]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 6), [32, 40, 44, 46]);
        assert_eq!(codepoints_of(Diffserv::Diffserv8, 7), [48, 56]);
        assert_eq!(codepoints_of(Diffserv::Precedence, 5), [40, 41, 42, 43, 44, 45, 46, 47]);
        assert_eq!(codepoints_of(Diffserv::Besteffort, 0).len(), 64);
    }

    #[test]
    fn thresholds_are_the_fractions_of_the_manual() {
        let rates = |mode: Diffserv| {
            let layout = mode.layout(1600);
            (0..layout.tins()).map(|t| (layout.rate(t), layout.quantum(t))).collect::<Vec<_>>()
        };
        assert_eq!(rates(Diffserv::Besteffort), [(1600, 65_535)]);
        assert_eq!(rates(Diffserv::Diffserv3), [(1600, 1024), (100, 64), (400, 256)]);
        assert_eq!(rates(Diffserv::Diffserv4), [(1600, 1024), (100, 64), (800, 512), (400, 256)]);
        let eight = rates(Diffserv::Diffserv8);
        assert_eq!(eight[..3], [(1600, 256), (1400, 224), (1225, 196)]);
        assert_eq!(eight.len(), 8);
    }
}
