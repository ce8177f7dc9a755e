//! The targets, each a function of bytes that panics where something is wrong. `fuzz_targets/` gives them to libFuzzer, which looks
//! for what nobody has tried yet; [`check`] tries inputs that are always the same.

pub mod check;
pub mod files;
pub mod guest;
mod input;
pub mod mptcp;
mod mutation;
pub mod pcapng;
pub mod scenario;
pub mod tc;
pub mod tcp_receive;
pub mod wire;

// The runtime of libFuzzer, which the flags for coverage need, asks for a target.
#[cfg(test)]
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});
