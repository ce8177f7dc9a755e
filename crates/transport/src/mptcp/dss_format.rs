//! Negotiated format of DSS options (RFC 8684 §3.1, §3.3).

use super::config::MptcpConfig;

/// Format of DSS options, as far as it depends on the peer.
#[derive(Clone, Copy, Debug)]
pub(super) struct DssFormat {
    checksum: bool,
    /// Whether DATA_ACKs have 64 bits, as the peer's data sequence numbers do.
    wide_acks: bool,
    /// Whether a mapping of the peer has arrived.
    received_mappings: bool,
}

impl DssFormat {
    /// This end wants checksums or does not.
    pub(super) const fn new(checksum: bool) -> Self {
        Self { checksum, wide_acks: false, received_mappings: false }
    }

    #[inline]
    pub(super) const fn has_checksum(&self) -> bool {
        self.checksum
    }

    /// Checksums are used if either end wants them.
    pub(super) const fn negotiate_checksum(&mut self, peer: bool) {
        self.checksum |= peer;
    }

    /// Whether DATA_ACKs are longer than `config` has them, in answer to the peer.
    #[inline]
    pub(super) const fn widens_acks(&self, config: &MptcpConfig) -> bool {
        self.wide_acks && !config.behaviour.wide_data_ack
    }

    /// Whether DATA_ACKs have 64 bits.
    #[inline]
    pub(super) const fn has_wide_acks(&self, config: &MptcpConfig) -> bool {
        config.behaviour.wide_data_ack || self.wide_acks
    }

    /// A DSS with a mapping has arrived, with a data sequence number of 64 bits if `wide`.
    #[inline]
    pub(super) const fn on_mapping(&mut self, wide: bool, config: &MptcpConfig) {
        self.wide_acks |= wide && config.behaviour.answer_wide_dsn;
        self.received_mappings = true;
    }

    /// MP_CAPABLE with data has arrived. Linux takes its number for one of 64 bits (`mptcp_incoming_options`).
    pub(super) const fn on_capable_mapping(&mut self, config: &MptcpConfig) {
        self.wide_acks |= config.behaviour.answer_wide_dsn;
    }

    /// Whether a mapping of the peer has arrived: options get through.
    pub(super) const fn has_received_mappings(&self) -> bool {
        self.received_mappings
    }
}
