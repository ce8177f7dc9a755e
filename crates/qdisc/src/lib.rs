//! Queue disciplines, generic over the packet.
//!
//! A single-queue AQM is a law ([`Aqm`]) in a [`Managed`] FIFO; a discipline that must see flows or the queue's
//! inside implements [`QueueDiscipline`] itself. Every discipline is one file in `disciplines/` and one line in
//! the table of [`disciplines`]; names, configuration, dispatch, parameter tables and the conformance tests
//! derive from that line.
//!
//! ```
//! use tailrace_core::{Bytes, Duration, Instant, Rate, Rng};
//! use tailrace_qdisc::testing::{Collector, TestPacket};
//! use tailrace_qdisc::{Cx, LinkView, QdiscConfig, QueueDiscipline};
//!
//! let link = LinkView::new(Rate::from_mbit(10), Duration::from_millis(20));
//! let config = QdiscConfig::parse_tc("pfifo limit 2").unwrap();
//! let mut queue = config.build(&link);
//! let (mut rng, mut sink) = (Rng::new(1), Collector::default());
//! let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
//! for id in 0..3 {
//!     queue.enqueue(TestPacket { id, size: Bytes(1500), ..TestPacket::default() }, &mut cx);
//! }
//! assert_eq!(queue.dequeue(&mut cx).unwrap().0.id, 0);
//! assert_eq!(sink.dropped[0].0.id, 2);
//! ```

mod classifier;
pub mod discipline;
pub mod disciplines;
pub mod either;
mod fair_queue;
pub mod flow_hash;
pub mod flow_queue;
mod flow_table;
mod heap;
pub mod host_rules;
mod link_view;
mod longest;
pub mod managed;
mod packet_lists;
mod periodic_timer;
mod pi_controller;
pub mod plugin;
mod qdisc_param;

pub mod registry;
mod sets;
pub mod signal;
pub mod tc;
pub mod testing;
mod token_bucket;
mod truesize;

pub use discipline::{Aqm, Backlog, Cx, LinkView, QueueDiscipline, Sink, Verdict};
pub use disciplines::{Qdisc, QdiscConfig, catalog};
pub use flow_queue::{FlowQueue, FlowSetup};
pub use managed::Managed;
pub use plugin::{PluginConfig, PluginQdisc};
pub use registry::{Discipline, QdiscInfo, Shaping};
pub use tc::TcError;
