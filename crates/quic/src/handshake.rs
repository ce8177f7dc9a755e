//! A handshake without secrets, whatever the stack: messages of the sizes that TLS 1.3 has, transport parameters in clear, packets in
//! clear with a checksum in place of the tag. What queues see is as with TLS, bytes follow from the seed, and no time goes into
//! ciphers.

/// Length of the tag of a packet, that of AES-GCM (RFC 9001 §5.3).
pub(crate) const TAG: usize = 16;

/// Packets that may be protected with one key, and forgeries that may be tried (RFC 9001 §6.6, AES-128-GCM).
pub(crate) const CONFIDENTIALITY_LIMIT: u64 = 1 << 23;
pub(crate) const INTEGRITY_LIMIT: u64 = 1 << 52;

/// Bytes of each handshake message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageSizes {
    client_hello: usize,
    server_hello: usize,
    /// EncryptedExtensions, Certificate, CertificateVerify and Finished.
    server_flight: usize,
    client_finished: usize,
}

impl MessageSizes {
    /// Sizes with X25519, SHA-256 and certificates that make a server's flight of so many bytes.
    pub(crate) const fn with_server_flight(server_flight: usize) -> Self {
        Self { client_hello: 300, server_hello: 122, server_flight, client_finished: 36 }
    }
}

/// Keys that an endpoint gets after a step of the handshake, by generation: 0 for Initial packets, 1 for Handshake packets, 2 for 1-RTT
/// packets and one more for each key update.
pub(crate) type Generation = u64;

/// Steps of a handshake at one end.
#[derive(Debug)]
pub(crate) struct Handshake {
    is_client: bool,
    sizes: MessageSizes,
    /// Encoded transport parameters of this end.
    params: Vec<u8>,
    unread: Vec<u8>,
    /// Messages read and written so far.
    read: usize,
    written: usize,
    generation: Generation,
}

impl Handshake {
    pub(crate) const fn new(is_client: bool, sizes: MessageSizes, params: Vec<u8>) -> Self {
        Self { is_client, sizes, params, unread: Vec::new(), read: 0, written: 0, generation: 2 }
    }

    pub(crate) const fn is_client(&self) -> bool {
        self.is_client
    }

    pub(crate) const fn is_under_way(&self) -> bool {
        self.read < 2 || (self.is_client && self.written < 2)
    }

    /// Takes bytes of messages; returns the peer's encoded transport parameters if they were among them.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.unread.extend(bytes);
        let mut found = None;
        while let Some([a, b, c, d]) = self.unread.first_chunk::<4>().copied() {
            let (size, params) =
                (usize::from(u16::from_be_bytes([a, b])), usize::from(u16::from_be_bytes([c, d])));
            if self.unread.len() < size || size < params + 4 {
                break;
            }
            if params > 0 {
                found = Some(self.unread[4..4 + params].to_vec());
            }
            self.unread.drain(..size);
            self.read += 1;
        }
        found
    }

    /// Writes the next message if it is this end's turn; returns the generation of the keys that follow.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) -> Option<Generation> {
        let sizes = self.sizes;
        let step = (self.is_client, self.written, self.read);
        self.written += 1;
        match step {
            (true, 0, _) => {
                message(out, &self.params, sizes.client_hello);
                // The keys come with the answer.
                None
            }
            (true, 1, 1..) => Some(1),
            (true, 2, 2..) => {
                message(out, &[], sizes.client_finished);
                Some(2)
            }
            (false, 0, 1..) => {
                message(out, &[], sizes.server_hello);
                Some(1)
            }
            (false, 1, 1..) => {
                message(out, &self.params, sizes.server_flight);
                Some(2)
            }
            _ => {
                self.written -= 1;
                None
            }
        }
    }

    /// Keys of the next key update (RFC 9001 §6).
    pub(crate) const fn update(&mut self) -> Generation {
        self.generation += 1;
        self.generation
    }
}

/// Writes a message: its length, that of the transport parameters in it, these, and zeros.
fn message(out: &mut Vec<u8>, params: &[u8], size: usize) {
    let size = size.max(params.len() + 4).min(usize::from(u16::MAX));
    out.extend((size as u16).to_be_bytes());
    out.extend((params.len() as u16).to_be_bytes());
    out.extend(params);
    out.resize(out.len() + size - params.len() - 4, 0);
}

/// Tag of a packet: its number and the generation of its key go into it, so that a packet of one generation does not open with the key
/// of another, by which endpoints notice key updates.
pub(crate) fn tag(generation: Generation, number: u64, header: &[u8], payload: &[u8]) -> [u8; TAG] {
    let mut tag = [0; TAG];
    tag[..8].copy_from_slice(&checksum(number ^ generation.rotate_right(16), header, payload).to_le_bytes());
    tag
}

/// Checksum of 64 bits over four lanes, multiplied and rotated word by word: it costs some tens of nanoseconds a packet.
pub(crate) fn checksum(seed: u64, header: &[u8], payload: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [seed, K, !seed, header.len() as u64];
    let mut take =
        |lane: usize, word: u64| lanes[lane] = (lanes[lane] ^ word).wrapping_mul(K).rotate_left(29);
    for part in [header, payload] {
        let (words, rest) = part.as_chunks::<8>();
        let (fours, others) = words.as_chunks::<4>();
        for [a, b, c, d] in fours {
            take(0, u64::from_le_bytes(*a));
            take(1, u64::from_le_bytes(*b));
            take(2, u64::from_le_bytes(*c));
            take(3, u64::from_le_bytes(*d));
        }
        others.iter().for_each(|word| take(0, u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| take(1, u64::from(*byte)));
    }
    lanes.into_iter().fold(0, |sum, lane| (sum ^ lane).wrapping_mul(K).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_finish_and_know_each_others_parameters() {
        let sizes = MessageSizes::with_server_flight(1400);
        let (mut client, mut server) =
            (Handshake::new(true, sizes, vec![1; 60]), Handshake::new(false, sizes, vec![2; 70]));
        let mut hello = Vec::new();
        assert_eq!((client.write(&mut hello), hello.len()), (None, 300));
        assert_eq!(server.read(&hello), Some(vec![1; 60]));
        let (mut first, mut second) = (Vec::new(), Vec::new());
        assert_eq!((server.write(&mut first), first.len()), (Some(1), 122));
        assert_eq!((server.write(&mut second), second.len()), (Some(2), 1400));
        assert_eq!(client.read(&first), None);
        assert_eq!(client.write(&mut Vec::new()), Some(1));
        // A message arrives in parts.
        assert_eq!(client.read(&second[..100]), None);
        assert_eq!(client.read(&second[100..]), Some(vec![2; 70]));
        let mut finished = Vec::new();
        assert_eq!((client.write(&mut finished), finished.len()), (Some(2), 36));
        server.read(&finished);
        assert!(!client.is_under_way() && !server.is_under_way());
    }

    #[test]
    fn a_changed_byte_or_number_or_key_changes_the_tag() {
        let (header, payload) = ([1_u8; 21], [2_u8; 1179]);
        let right = tag(2, 7, &header, &payload);
        assert_ne!(right, tag(3, 7, &header, &payload));
        assert_ne!(right, tag(2, 8, &header, &payload));
        for place in [0, 7, 8, 1178] {
            let mut other = payload;
            other[place] ^= 1;
            assert_ne!(right, tag(2, 7, &header, &other));
        }
    }
}
