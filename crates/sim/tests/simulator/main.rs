//! The whole simulator against what can be computed by hand, theory, and itself.

mod applications;
mod cake;
mod captures;
mod congestion;
mod contract;
mod determinism;
mod dfs;
mod exactness;
mod fairness;
mod faults;
mod golden;
mod jitter;
mod labels;
mod mptcp;
mod mptcp_binder;
mod mptcp_failures;
mod mptcp_goals;
mod mptcp_paths;
mod queues;
mod reordering;
mod rewriting;
mod shrew;
mod support;
mod tcp_theory;
