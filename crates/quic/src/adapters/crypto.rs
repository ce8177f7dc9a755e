//! The handshake without secrets as the implementations' cryptography.

/// Implements the traits of `$lib::crypto` whose methods are equal in both packages but for the type of an identifier (`$id`) and the
/// number of a path (`$path`), which one of them has.
macro_rules! implement_crypto {
    ($lib:ident, id = $id:ty, path = [$($path:ty)?]) => {
        use crate::handshake::{
            CONFIDENTIALITY_LIMIT, Generation, Handshake, INTEGRITY_LIMIT, MessageSizes, TAG, checksum, tag,
        };
        use bytes::BytesMut;
        use std::any::Any;
        use $lib::crypto::{
            CryptoError, ExportKeyingMaterialError, HeaderKey, HmacKey, KeyPair, Keys, PacketKey, Session,
        };
        use $lib::transport_parameters::TransportParameters;
        use $lib::{Side, TransportError};

        /// Handshake of one connection.
        struct PlainSession {
            handshake: Handshake,
            peer: Option<TransportParameters>,
        }

        impl PlainSession {
            fn new(side: Side, sizes: MessageSizes, params: &TransportParameters) -> Self {
                let mut encoded = Vec::new();
                params.write(&mut encoded);
                Self { handshake: Handshake::new(side.is_client(), sizes, encoded), peer: None }
            }
        }

        impl Session for PlainSession {
            fn initial_keys(&self, _: $id, _: Side) -> Keys {
                keys(0)
            }
            fn handshake_data(&self) -> Option<Box<dyn Any>> {
                None
            }
            fn peer_identity(&self) -> Option<Box<dyn Any>> {
                None
            }
            fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
                None
            }
            fn early_data_accepted(&self) -> Option<bool> {
                None
            }
            fn is_handshaking(&self) -> bool {
                self.handshake.is_under_way()
            }
            fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
                let Some(params) = self.handshake.read(buf) else { return Ok(false) };
                let side = if self.handshake.is_client() { Side::Client } else { Side::Server };
                self.peer = Some(TransportParameters::read(side, &mut &params[..])?);
                Ok(true)
            }
            fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
                Ok(self.peer.clone())
            }
            fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
                self.handshake.write(buf).map(keys)
            }
            fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
                Some(keys(self.handshake.update()).packet)
            }
            fn is_valid_retry(&self, _: $id, _: &[u8], _: &[u8]) -> bool {
                true
            }
            fn export_keying_material(
                &self,
                output: &mut [u8],
                _: &[u8],
                _: &[u8],
            ) -> Result<(), ExportKeyingMaterialError> {
                output.fill(0);
                Ok(())
            }
        }

        /// Maker of handshakes, at both ends.
        struct PlainCrypto(MessageSizes);

        fn keys(generation: Generation) -> Keys {
            let header = || -> Box<dyn HeaderKey> { Box::new(ClearHeader) };
            let packet = || -> Box<dyn PacketKey> { Box::new(TaggedPacket(generation)) };
            Keys {
                header: KeyPair { local: header(), remote: header() },
                packet: KeyPair { local: packet(), remote: packet() },
            }
        }

        /// Key of one generation: packets in clear with a tag.
        struct TaggedPacket(Generation);

        impl PacketKey for TaggedPacket {
            fn encrypt(&self, $(_: $path,)? packet: u64, buf: &mut [u8], header_len: usize) {
                let (header, rest) = buf.split_at_mut(header_len);
                let (payload, end) = rest.split_at_mut(rest.len() - TAG);
                end.copy_from_slice(&tag(self.0, packet, header, payload));
            }
            fn decrypt(
                &self,
                $(_: $path,)?
                packet: u64,
                header: &[u8],
                payload: &mut BytesMut,
            ) -> Result<(), CryptoError> {
                let Some(len) = payload.len().checked_sub(TAG) else { return Err(CryptoError) };
                if tag(self.0, packet, header, &payload[..len]) != payload[len..] {
                    return Err(CryptoError);
                }
                payload.truncate(len);
                Ok(())
            }
            fn tag_len(&self) -> usize {
                TAG
            }
            fn confidentiality_limit(&self) -> u64 {
                CONFIDENTIALITY_LIMIT
            }
            fn integrity_limit(&self) -> u64 {
                INTEGRITY_LIMIT
            }
        }

        /// Headers without protection.
        struct ClearHeader;

        impl HeaderKey for ClearHeader {
            fn decrypt(&self, _: usize, _: &mut [u8]) {}
            fn encrypt(&self, _: usize, _: &mut [u8]) {}
            fn sample_size(&self) -> usize {
                16
            }
        }

        /// Stateless reset tokens that follow from the seed.
        struct ResetKey(u64);

        impl HmacKey for ResetKey {
            fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
                for (n, out) in signature_out.chunks_mut(8).enumerate() {
                    out.copy_from_slice(&checksum(self.0 ^ n as u64, &[], data).to_le_bytes()[..out.len()]);
                }
            }
            fn signature_len(&self) -> usize {
                32
            }
            fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
                let mut right = [0; 32];
                self.sign(data, &mut right);
                if right == signature { Ok(()) } else { Err(CryptoError) }
            }
        }
    };
}
