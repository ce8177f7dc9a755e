//! DiffServ codepoints: the six bits, and the names that RFCs give to some of them.

use crate::params::{Kind, ParamType, Value};

/// The six DiffServ bits (RFC 2474). Zero is best effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dscp(pub u8);

/// Names with their codepoints; the first of several names of one codepoint is the one shown.
const NAMES: &[(&str, u8)] = &[
    ("CS0", 0), // RFC 2474 §4.2.2.2, this and the other class selectors
    ("CS1", 8),
    ("CS2", 16),
    ("CS3", 24),
    ("CS4", 32),
    ("CS5", 40),
    ("CS6", 48),
    ("CS7", 56),
    ("AF11", 10), // RFC 2597 §6
    ("AF12", 12),
    ("AF13", 14),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("EF", 46), // RFC 3246 §2.7
    ("VA", 44), // RFC 5865 §6
    ("LE", 1),  // RFC 8622 §8
    ("BE", 0),
    ("DF", 0),
];

const EXPECTED: &str = "a DiffServ codepoint: 0 to 63, or a name such as \"EF\", \"AF41\" or \"CS1\"";

impl Dscp {
    /// The largest codepoint.
    pub const MAX: u8 = 63;

    /// The codepoint of a name, in capitals or not.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, bits)| Self(*bits))
    }
    /// The name of a codepoint that has one.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find(|(_, bits)| *bits == self.0).map(|(n, _)| *n)
    }
    /// The codepoint that a word means: a name or a number.
    ///
    /// # Errors
    /// Where it is neither.
    pub fn from_word(word: &str) -> Result<Self, String> {
        Self::from_value(&word.parse().map_or_else(|_| Value::Text(word.into()), Value::Integer))
    }
    /// The word that [`Dscp::from_word`] reads.
    pub fn word(self) -> String {
        self.name().map_or_else(|| self.0.to_string(), String::from)
    }
}

impl ParamType for Dscp {
    const KIND: Kind = Kind::Dscp;
    fn from_value(value: &Value) -> Result<Self, String> {
        let found = match value {
            Value::Integer(n) => u8::try_from(*n).ok().filter(|n| *n <= Self::MAX).map(Self),
            Value::Text(name) => Self::named(name),
            _ => None,
        };
        found.ok_or_else(|| format!("{} is not {EXPECTED}", value.shown()))
    }
    fn to_value(&self) -> Value {
        self.name().map_or_else(|| Value::Integer(self.0.into()), |name| Value::Text(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codepoint_reads_back() {
        for bits in 0..=Dscp::MAX {
            assert_eq!(Dscp::from_value(&Dscp(bits).to_value()), Ok(Dscp(bits)));
            assert_eq!(Dscp::from_value(&Value::Integer(bits.into())), Ok(Dscp(bits)));
        }
    }

    #[test]
    fn names_are_those_of_the_rfcs() {
        // RFC 2597 §6: class c with drop precedence d is 8 c + 2 d; RFC 2474: selector c is 8 c.
        for class in 1..=4 {
            for precedence in 1..=3 {
                assert_eq!(
                    Dscp::named(&format!("af{class}{precedence}")),
                    Some(Dscp(8 * class + 2 * precedence))
                );
            }
        }
        assert!((0..8).all(|class| Dscp::named(&format!("CS{class}")) == Some(Dscp(8 * class))));
        assert_eq!(["EF", "va", "LE", "be"].map(Dscp::named), [46, 44, 1, 0].map(|bits| Some(Dscp(bits))));
        assert_eq!((Dscp(0).name(), Dscp(46).name(), Dscp(2).name()), (Some("CS0"), Some("EF"), None));
    }

    #[test]
    fn what_is_no_codepoint_is_refused() {
        for wrong in [Value::Integer(64), Value::Integer(-1), Value::Text("AF51".into()), Value::Float(46.0)]
        {
            assert!(Dscp::from_value(&wrong).unwrap_err().contains("0 to 63"));
        }
    }
}
