//! Keys and what is derived from them: tokens, initial data sequence numbers, HMACs (RFC 8684 §3.1, §3.2, §3.4.1).

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// A connection key of one end, as it stands on the wire (big-endian).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub u64);

impl Key {
    /// Names the connection to whom a join is addressed: the first 32 bits of SHA-256 of the key (RFC 8684 §3.2).
    pub fn token(self) -> u32 {
        let digest = self.digest();
        u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
    }

    /// Initial data sequence number: the last 64 bits of SHA-256 of the key (RFC 8684 §3.1).
    pub fn initial_dsn(self) -> u64 {
        let mut last = [0; 8];
        last.copy_from_slice(&self.digest()[24..]);
        u64::from_be_bytes(last)
    }

    fn digest(self) -> [u8; 32] {
        Sha256::digest(self.0.to_be_bytes()).into()
    }
}

/// HMAC-SHA256 with both keys, the sender's first.
fn hmac(keys: (Key, Key), parts: &[&[u8]]) -> [u8; 32] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&keys.0.0.to_be_bytes());
    key[8..].copy_from_slice(&keys.1.0.to_be_bytes());
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

/// HMAC that authenticates one end of a join: over both nonces under both keys, that end's first (RFC 8684 §3.2).
fn join_hmac(keys: (Key, Key), nonces: (u32, u32)) -> [u8; 32] {
    hmac(keys, &[&nonces.0.to_be_bytes(), &nonces.1.to_be_bytes()])
}

/// The proof in the SYN-ACK: the leftmost 64 bits. The prover's key and nonce come first.
pub fn short_join_hmac(keys: (Key, Key), nonces: (u32, u32)) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&join_hmac(keys, nonces)[..8]);
    u64::from_be_bytes(first)
}

/// The proof in the third segment: the leftmost 160 bits. The prover's key and nonce come first.
pub fn long_join_hmac(keys: (Key, Key), nonces: (u32, u32)) -> [u8; 20] {
    let mut first = [0; 20];
    first.copy_from_slice(&join_hmac(keys, nonces)[..20]);
    first
}

/// The proof of an announced IPv4 address: the rightmost 64 bits over id, address and port (RFC 8684 §3.4.1).
pub fn address_hmac(keys: (Key, Key), id: u8, address: u32, port: u16) -> u64 {
    let digest = hmac(keys, &[&[id], &address.to_be_bytes(), &port.to_be_bytes()]);
    let mut last = [0; 8];
    last.copy_from_slice(&digest[24..]);
    u64::from_be_bytes(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Key = Key(0x0102_0304_0506_0708);
    const B: Key = Key(0x1112_1314_1516_1718);

    fn word(text: &[u8; 8]) -> u64 {
        u64::from_be_bytes(*text)
    }

    #[test]
    fn tokens_and_initial_numbers_are_cut_from_sha256() {
        // SHA-256 of the key's eight bytes, by Python's hashlib: first 4 and last 8 bytes.
        assert_eq!((A.token(), A.initial_dsn()), (0x6684_0dda, 0xf5a1_01d3_d29d_6f72));
        assert_eq!((B.token(), B.initial_dsn()), (0xccad_45ac, 0x535b_eea3_8e08_7c8e));
        assert_eq!(Key(0).token(), 0xaf55_70f5);
    }

    #[test]
    fn join_proofs_equal_the_vectors_of_linux() {
        // Facts of Linux's own test of its HMAC (net/mptcp/crypto_test.c): keys and nonces are the text's bytes.
        let vectors = [
            (b"0b0b0b0b", b"0b0b0b0b", b"48692054", 0x8385_e24f_b423_5ac3),
            (b"aaaaaaaa", b"aaaaaaaa", b"dddddddd", 0x2c5e_2191_64ff_1dca),
            (b"01020304", b"05060708", b"cdcdcdcd", 0xe73b_9ba9_9699_69ce),
        ];
        for (one, two, nonces, proof) in vectors {
            let nonces = word(nonces);
            let nonces = ((nonces >> 32) as u32, nonces as u32);
            assert_eq!(short_join_hmac((Key(word(one)), Key(word(two))), nonces), proof);
        }
    }

    #[test]
    fn each_end_puts_its_own_key_and_nonce_first() {
        // Python's hmac over the same bytes.
        let (ra, rb) = (0xdead_beef, 0x0102_0304);
        assert_eq!(short_join_hmac((B, A), (rb, ra)), 0xb80c_f997_e1fd_53c2);
        let long = long_join_hmac((A, B), (ra, rb));
        let hex: String = long.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "423222d33681d4897a1d9d16fb2b022bf086e85b");
        assert_eq!(address_hmac((A, B), 1, 0x0a00_0001, 0), 0x64e9_1231_0833_a38a);
    }
}
