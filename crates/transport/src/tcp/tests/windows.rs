//! Windows under deterministic loss, to the packet.
