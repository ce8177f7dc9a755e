//! Segments as scripts write them: flags, start:end, ack, win, sack a-b,c-d, ts value,echo, ecn ce, altered (a
//! middlebox has changed the payload).
//!
//! Flags: S syn, F fin, R reset, P push, E ece, C cwr, N ae, A or `.` ack (`.` for a segment with nothing but an ACK and
//! data).

use std::fmt::Write as _;
use tailrace_core::params::Value;
use tailrace_core::{Ecn, Instant};
use tailrace_transport::segment::Timestamps;
use tailrace_transport::{Flags, Segment, SeqNumber};

const FLAGS: [(char, Flags); 8] = [
    ('S', Flags::SYN),
    ('F', Flags::FIN),
    ('R', Flags::RST),
    ('P', Flags::PSH),
    ('E', Flags::ECE),
    ('C', Flags::CWR),
    ('N', Flags::AE),
    ('A', Flags::ACK),
];
/// The peer's initial sequence number.
pub(crate) const IRS: u32 = 0xffff_f000;

pub(crate) type Outcome = Result<(), String>;

/// The initial sequence numbers of a TCP, this end's and the peer's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) iss: u32,
    pub(crate) irs: u32,
}

impl Numbers {
    /// A segment that arrives.
    pub(crate) fn parse(&self, text: &str) -> Result<Segment, String> {
        let mut words = text.split_whitespace();
        let mut s = Segment { seq: SeqNumber(self.irs) + 1, ..Segment::default() };
        for c in words.next().ok_or("flags are missing")?.chars() {
            let c = if c == '.' { 'A' } else { c };
            let flag = FLAGS.iter().find(|f| f.0 == c).ok_or(format!("no such flag: {c}"))?;
            s.flags = s.flags.with(flag.1);
        }
        let pair = |w: &str, by: char| {
            let (a, b) = w.split_once(by).ok_or(format!("{w:?} is no pair"))?;
            Ok::<_, String>((number(Some(a))?, number(Some(b))?))
        };
        while let Some(word) = words.next() {
            match word {
                "ack" => s.ack = SeqNumber(self.iss) + number(words.next())?,
                "win" => s.window = number(words.next())?,
                "mss" => s.mss = Some(number(words.next())?),
                "scale" => s.window_scale = Some(number(words.next())?),
                "altered" => s.altered = true,
                "sackok" => s.sack_permitted = true,
                "ecn" => s.ecn = if words.next() == Some("ce") { Ecn::Ce } else { Ecn::Ect0 },
                "ts" => {
                    let (value, echo) = pair(words.next().unwrap_or(""), ',')?;
                    s.timestamps = Some(Timestamps { value, echo });
                }
                "sack" => {
                    for block in words.next().unwrap_or("").split(',') {
                        let (left, right) = pair(block, '-')?;
                        s.sack.push(SeqNumber(self.iss) + left, SeqNumber(self.iss) + right);
                    }
                }
                range => {
                    let (start, end) = pair(range, ':')?;
                    s.seq = SeqNumber(self.irs) + start;
                    s.payload = end - start;
                }
            }
        }
        Ok(s)
    }

    /// A segment that goes out.
    pub(crate) fn shown(&self, s: &Segment, win: bool, ts: bool) -> String {
        let mut text: String = FLAGS[..7].iter().filter(|f| s.flags.has(f.1)).map(|f| f.0).collect();
        if s.flags.has(Flags::ACK) {
            text.push('.');
        }
        let start = s.seq.distance(SeqNumber(self.iss));
        write!(text, " {start}:{}", i64::from(start) + i64::from(s.payload)).unwrap();
        if s.flags.has(Flags::ACK) {
            write!(text, " ack {}", s.ack.distance(SeqNumber(self.irs))).unwrap();
        }
        if win {
            write!(text, " win {}", s.window).unwrap();
        }
        let block = |b: &(SeqNumber, SeqNumber)| {
            format!("{}-{}", b.0.distance(SeqNumber(self.irs)), b.1.distance(SeqNumber(self.irs)))
        };
        if !s.sack.is_empty() {
            let blocks: Vec<_> = s.sack.as_slice().iter().map(block).collect();
            write!(text, " sack {}", blocks.join(",")).unwrap();
        }
        if let (Some(t), true) = (s.timestamps, ts) {
            write!(text, " ts {},{}", t.value, t.echo).unwrap();
        }
        if let Some(mss) = s.mss {
            write!(text, " mss {mss}").unwrap();
        }
        if let Some(scale) = s.window_scale {
            write!(text, " scale {scale}").unwrap();
        }
        if s.sack_permitted {
            text += " sackok";
        }
        if s.ecn != Ecn::NotEct {
            text += " ecn ect0";
        }
        text
    }
}

pub(crate) fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T, &'static str> {
    word.and_then(|w| w.parse().ok()).ok_or("a number is missing")
}

/// The value of a parameter.
pub(crate) fn typed(value: &str) -> Value {
    match (value.parse::<bool>(), value.parse::<i64>()) {
        (Ok(b), _) => Value::Bool(b),
        (_, Ok(n)) => Value::Integer(n),
        _ => Value::Text(value.into()),
    }
}

/// Milliseconds, as scripts write them.
pub(crate) fn ms(at: Instant) -> String {
    (at.as_nanos() as f64 / 1e6).to_string()
}
