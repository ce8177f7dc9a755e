//! Table by addresses and ports, for the lookup of connections.

#[expect(clippy::disallowed_types, reason = "the hash is fixed, and nobody goes through the entries")]
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use tailrace_transport::mptcp::Tuple;

/// Values by addresses and ports.
#[expect(clippy::disallowed_types, reason = "the hash is fixed, and nobody goes through the entries")]
pub(crate) type TupleMap<V> = HashMap<Tuple, V, BuildHasherDefault<TupleHasher>>;

/// Hash of addresses and ports. It determines only where an entry lies, and is the same in every run.
#[derive(Debug, Default)]
pub(crate) struct TupleHasher(u64);

impl Hasher for TupleHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u32(u32::from(*b)));
    }
    fn write_u16(&mut self, n: u16) {
        self.write_u32(u32::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(n)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
