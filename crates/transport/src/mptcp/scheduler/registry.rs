//! Registry of schedulers. A line of the table in the module above declares the module of an algorithm; names, configuration, dispatch,
//! documentation and the conformance tests derive from it.

macro_rules! schedulers {
    ($( $word:literal => $file:ident::$variant:ident($config:ident), )+) => {
        $( mod $file; pub use $file::{$variant, $config}; )+

        crate::registry::algorithms! {
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
                chunk: &DataChunk,
                conn: &ConnectionView,
                subflows: &[SubflowView],
            ) -> Option<usize> {
                match self { $( Self::$variant(s) => s.select(chunk, conn, subflows), )+ }
            }
            #[inline]
            fn fills_queues(&self) -> bool {
                match self { $( Self::$variant(s) => s.fills_queues(), )+ }
            }
            #[inline]
            fn looks_at_windows(&self) -> bool {
                match self { $( Self::$variant(s) => s.looks_at_windows(), )+ }
            }
            #[inline]
            fn next<P: Pieces>(
                &mut self,
                pieces: &mut P,
                conn: &ConnectionView,
                subflows: &[SubflowView],
            ) -> Option<(DataChunk, usize)> {
                match self { $( Self::$variant(s) => s.next(pieces, conn, subflows), )+ }
            }
        }
    };
}
pub(super) use schedulers;
