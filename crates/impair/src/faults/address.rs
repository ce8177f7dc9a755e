//! Another address of a host, as when a lease of DHCP is not renewed, or a phone comes into another network.

use crate::condition::LinkCondition;
use crate::fault::FaultKind;
use tailrace_core::HostAddress;
use tailrace_core::params::Invalid;

tailrace_core::parameters! {
    /// Keys of `address`.
    pub struct AddressConfig {
        /// The IPv4 address that the interface has while the fault lasts. No other interface may have it at any time
        /// of the run.
        value: HostAddress, required;
    }
}

impl FaultKind for AddressConfig {
    const SUMMARY: &'static str = "One interface of `host` has the address `value`. Links and routes stay. Packets on their way to the old address reach the host, which drops them, and packets that the host still sends from it do not leave. Connections of Multipath TCP learn that the old address is gone and the new one is there; new connections use the new one.";

    fn validate(&self) -> Result<(), Invalid> {
        if *self == Self::default() {
            return Err(("value", "must be stated".into()));
        }
        Ok(())
    }
    fn apply(&self, link: &mut LinkCondition) {
        link.set_address(self.value);
    }
}
