//! MPTCP options as scripts write them, each in brackets behind the segment.
//!
//! ```text
//! [capable] [capable checksum]         of a SYN
//! [capable key]                        of a SYN-ACK: with the sender's key
//! [capable keys ok len 1000]           both keys; with data: its length. `keys wrong`: the receiver's key is not its own
//! [join token ok id 1 backup]          of a SYN; or `token wrong`
//! [join hmac ok id 1]                  of a SYN-ACK, and [join hmac ok] of the third segment; or `hmac wrong`
//! [dss ack 1 dsn 1 ssn 1 len 1000 fin checksum]   what there is of it; the first byte has dsn 1
//! [add_addr id 1 addr 11 port 81 hmac ok]   or `hmac wrong`; the answer: [add_addr id 1 addr 11 echo]
//! [remove_addr 1] [prio backup] [prio regular] [fail dsn 1 closes] [fastclose key ok] [rst reason 6 transient]
//! ```

use crate::words::number;
use std::fmt::Write as _;
use tailrace_transport::Flags;
use tailrace_transport::mptcp::Options;
use tailrace_transport::mptcp::key::{Key, address_hmac, long_join_hmac, short_join_hmac};
use tailrace_transport::mptcp::option::{AddressIds, Dss, Mapping, ResetReason, Signal};

const REASONS: [ResetReason; 7] = [
    ResetReason::Unspecified,
    ResetReason::Mptcp,
    ResetReason::Resources,
    ResetReason::Prohibited,
    ResetReason::Outstanding,
    ResetReason::Performance,
    ResetReason::Middlebox,
];

/// Keys and nonces that the HMACs of both ends are made of, this end's first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secrets {
    /// This end's key is found out when it is first shown.
    pub(crate) own: Key,
    pub(crate) peer: Key,
    pub(crate) token: u32,
    pub(crate) nonces: (u32, u32),
}

impl Secrets {
    /// Learns what this end shows.
    pub(crate) fn learn(&mut self, signal: &Signal) {
        match *signal {
            Signal::CapableSynAck { key, .. } | Signal::CapableAck { client: key, .. } => self.own = Key(key),
            Signal::JoinSyn { nonce, .. } | Signal::JoinSynAck { nonce, .. } => self.nonces.0 = nonce,
            _ => {}
        }
    }

    /// The text of what goes out.
    pub(crate) fn shown(&self, options: &Options) -> String {
        let mut text = String::new();
        if let Some(dss) = &options.dss {
            text += &self.shown_dss(dss);
        }
        if let Some(signal) = &options.signal {
            write!(text, " [{}]", self.shown_signal(signal)).unwrap();
        }
        text
    }

    fn shown_dss(&self, dss: &Dss) -> String {
        let mut text = " [dss".to_string();
        if let Some(ack) = dss.data_ack {
            write!(text, " ack {}", ack.wrapping_sub(self.peer.initial_dsn())).unwrap();
        }
        if let Some(m) = dss.mapping {
            let dsn = m.dsn.wrapping_sub(self.own.initial_dsn());
            write!(text, " dsn {dsn} ssn {} len {}", m.ssn, m.len).unwrap();
        }
        text += if dss.data_fin { " fin" } else { "" };
        text += if dss.checksum && dss.mapping.is_some() { " checksum" } else { "" };
        text + "]"
    }

    fn shown_signal(&self, signal: &Signal) -> String {
        let ok = |ok: bool| if ok { "ok" } else { "wrong" };
        let with = |on: bool, word: &'static str| if on { word } else { "" };
        let keys = (self.own, self.peer);
        match *signal {
            Signal::CapableSyn { checksum } => format!("capable{}", with(checksum, " checksum")),
            Signal::CapableSynAck { checksum, .. } => format!("capable key{}", with(checksum, " checksum")),
            Signal::CapableAck { checksum, client, server, len, dsn } => {
                let good = Key(client).token() == self.token && server == self.peer.0;
                let good = good && dsn == self.own.initial_dsn().wrapping_add(1);
                let len = len.map_or(String::new(), |l| format!(" len {l}"));
                format!("capable keys {}{len}{}", ok(good), with(checksum, " checksum"))
            }
            Signal::JoinSyn { backup, id, token, .. } => {
                let good = token == self.peer.token();
                format!("join token {} id {id}{}", ok(good), with(backup, " backup"))
            }
            Signal::JoinSynAck { backup, id, hmac, .. } => {
                let good = hmac == short_join_hmac(keys, self.nonces);
                format!("join hmac {} id {id}{}", ok(good), with(backup, " backup"))
            }
            Signal::JoinAck { hmac } => {
                format!("join hmac {}", ok(hmac == long_join_hmac(keys, self.nonces)))
            }
            Signal::AddAddr { id, address, port, hmac } => {
                let at = port.map_or(String::new(), |p| format!(" port {p}"));
                let proof = hmac.map_or(" echo".into(), |h| {
                    format!(" hmac {}", ok(h == address_hmac(keys, id, address, port.unwrap_or(0))))
                });
                format!("add_addr id {id} addr {address}{at}{proof}")
            }
            Signal::RemoveAddr(ids) => {
                let ids: Vec<_> = ids.as_slice().iter().map(u8::to_string).collect();
                format!("remove_addr {}", ids.join(","))
            }
            Signal::Priority { backup } => format!("prio {}", if backup { "backup" } else { "regular" }),
            Signal::Fail { dsn, closes } => {
                format!("fail dsn {}{}", dsn.wrapping_sub(self.peer.initial_dsn()), with(closes, " closes"))
            }
            Signal::FastClose { key } => format!("fastclose key {}", ok(key == self.peer.0)),
            Signal::Reset { transient, reason } => {
                format!("rst reason {}{}", reason as u8, with(transient, " transient"))
            }
        }
    }

    /// Parses the options of an arriving segment with these flags.
    pub(crate) fn parse(&mut self, text: &str, flags: Flags) -> Result<Options, String> {
        let mut options = Options::NONE;
        for option in text.split('[').skip(1) {
            let option = option.trim().strip_suffix(']').ok_or("a bracket is missing")?;
            let (name, rest) = option.split_once(' ').unwrap_or((option, ""));
            if name == "dss" {
                options.dss = Some(self.parse_dss(rest)?);
            } else if options.signal.replace(self.parse_signal(name, &Words(rest), flags)?).is_some() {
                return Err("one segment has one signal".into());
            }
        }
        Ok(options)
    }

    fn parse_dss(&self, text: &str) -> Result<Dss, String> {
        let words = Words(text);
        let (own, peer) = (self.own.initial_dsn(), self.peer.initial_dsn());
        let mapping = match words.get::<u64>("dsn")? {
            Some(dsn) => Some(Mapping {
                dsn: dsn.wrapping_add(peer),
                ssn: words.get("ssn")?.ok_or("ssn is missing")?,
                len: words.get("len")?.ok_or("len is missing")?,
            }),
            None => None,
        };
        Ok(Dss {
            data_ack: words.get::<u64>("ack")?.map(|ack| ack.wrapping_add(own)),
            mapping,
            data_fin: words.has("fin"),
            checksum: words.has("checksum"),
            ..Dss::default()
        })
    }

    fn parse_signal(&mut self, name: &str, words: &Words<'_>, flags: Flags) -> Result<Signal, String> {
        let (syn, ack) = (flags.has(Flags::SYN), flags.has(Flags::ACK));
        let (checksum, backup) = (words.has("checksum"), words.has("backup"));
        // The sender of what comes in is the peer.
        let (keys, nonces) = ((self.peer, self.own), (self.nonces.1, self.nonces.0));
        let id = words.get::<u8>("id")?.unwrap_or(0);
        Ok(match (name, syn, ack) {
            ("capable", true, false) => Signal::CapableSyn { checksum },
            ("capable", true, true) => Signal::CapableSynAck { checksum, key: self.peer.0 },
            ("capable", ..) => Signal::CapableAck {
                checksum,
                client: self.peer.0,
                server: self.own.0 ^ words.spoilt("keys")?,
                len: words.get("len")?,
                dsn: self.peer.initial_dsn().wrapping_add(1),
            },
            ("join", true, false) => {
                let token = self.token ^ words.spoilt("token")? as u32;
                Signal::JoinSyn { backup, id, token, nonce: self.nonces.1 }
            }
            ("join", true, true) => {
                let hmac = short_join_hmac(keys, nonces) ^ words.spoilt("hmac")?;
                Signal::JoinSynAck { backup, id, hmac, nonce: self.nonces.1 }
            }
            ("join", ..) => {
                let mut hmac = long_join_hmac(keys, nonces);
                hmac[19] ^= words.spoilt("hmac")? as u8;
                Signal::JoinAck { hmac }
            }
            ("add_addr", ..) => {
                let (address, port) = (words.get("addr")?.ok_or("addr is missing")?, words.get("port")?);
                let proof = address_hmac(keys, id, address, port.unwrap_or(0));
                let hmac = if words.has("echo") { None } else { Some(proof ^ words.spoilt("hmac")?) };
                Signal::AddAddr { id, address, port, hmac }
            }
            ("remove_addr", ..) => Signal::RemoveAddr(AddressIds::one(number(Some(words.0))?)),
            ("prio", ..) => Signal::Priority { backup },
            ("fail", ..) => {
                let dsn: u64 = words.get("dsn")?.ok_or("dsn is missing")?;
                Signal::Fail { dsn: dsn.wrapping_add(self.own.initial_dsn()), closes: words.has("closes") }
            }
            ("fastclose", ..) => Signal::FastClose { key: self.own.0 ^ words.spoilt("key")? },
            ("rst", ..) => {
                let reason: usize = words.get("reason")?.ok_or("reason is missing")?;
                let reason = *REASONS.get(reason).ok_or("no such reason")?;
                Signal::Reset { transient: words.has("transient"), reason }
            }
            _ => return Err(format!("no such option: {name:?}")),
        })
    }
}

/// The words of an option.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn has(&self, word: &str) -> bool {
        self.0.split_whitespace().any(|w| w == word)
    }

    /// The number behind `name`.
    fn get<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, &'static str> {
        let mut words = self.0.split_whitespace();
        if words.any(|w| w == name) { number(words.next()).map(Some) } else { Ok(None) }
    }

    /// Bits that change an HMAC: none behind `name ok`, some behind `name wrong`.
    fn spoilt(&self, name: &str) -> Result<u64, String> {
        let mut words = self.0.split_whitespace();
        match words.find(|w| *w == name).and_then(|_| words.next()) {
            Some("ok") => Ok(0),
            Some("wrong") => Ok(1),
            _ => Err(format!("{name} ok or {name} wrong is missing")),
        }
    }
}
