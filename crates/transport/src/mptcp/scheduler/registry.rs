//! The table of schedulers. A new one is one file and one line at the end of this one.

use super::{
    Blest, ConnectionView, Ecf, Lamps, LinuxScheduler, LowestRtt, Pieces, Redundant, RoundRobin, Scheduler,
    SchedulerKind, SubflowView, Weighted,
};
use crate::cc::CatalogEntry;
use crate::mptcp::send::Chunk;
use tailrace_core::params::{Invalid, ParamInfo, Parameters, SetError, Value};

macro_rules! schedulers {
    ($( $word:literal => $variant:ident, )+) => {
        crate::registry::config_enum! {
            /// A scheduler with its parameters, by registered name.
            SchedulerConfig, SchedulerKind, $( $word => $variant, )+
        }

        impl SchedulerConfig {
            /// A fresh instance.
            pub fn build(&self) -> RunningScheduler {
                match self { $( Self::$variant(c) => RunningScheduler::$variant($variant::build(c)), )+ }
            }
        }

        /// A running scheduler.
        #[derive(Clone, Debug)]
        pub enum RunningScheduler {
            $( #[doc = concat!("`", $word, "`")] $variant($variant), )+
        }

        impl Scheduler for RunningScheduler {
            #[inline]
            fn select(
                &mut self,
                chunk: &Chunk,
                conn: &ConnectionView,
                subflows: &[SubflowView],
            ) -> Option<usize> {
                match self { $( Self::$variant(s) => s.select(chunk, conn, subflows), )+ }
            }
            #[inline]
            fn next<P: Pieces>(
                &mut self,
                pieces: &mut P,
                conn: &ConnectionView,
                subflows: &[SubflowView],
            ) -> Option<(Chunk, usize)> {
                match self { $( Self::$variant(s) => s.next(pieces, conn, subflows), )+ }
            }
        }
    };
}

schedulers! {
    "lowest_rtt" => LowestRtt,
    "round_robin" => RoundRobin,
    "redundant" => Redundant,
    "blest" => Blest,
    "ecf" => Ecf,
    "lamps" => Lamps,
    "weighted" => Weighted,
    "linux" => LinuxScheduler,
}
