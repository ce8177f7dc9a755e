//! Classes of `drr`: the filters of each, its quantum and its discipline.

use crate::discipline::LinkView;
use crate::disciplines::QdiscConfig;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::{Quantity as _, nearest};
use tailrace_core::{Bytes, Dscp, Duration, Packet, Rate, packet::protocol};

/// Classes. Text: `"EF, AF41 quantum 3000 B: codel; udp dport 5001: pfifo limit 20; other"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes(Vec<ClassSpec>);

/// A class; `None` stands for the queue's own value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClassSpec {
    /// A packet belongs to it if any of them matches.
    pub(super) filters: Vec<Filter>,
    pub(super) quantum: Option<Bytes>,
    pub(super) leaf: Option<Leaf>,
}

/// Conditions on a packet; `None` does not matter, so the default matches all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    codepoint: Option<Dscp>,
    protocol: Option<u8>,
    source_port: Option<u16>,
    destination_port: Option<u16>,
}

/// The discipline in which the packets of a class wait: a name, a name with parameters in parentheses, or a tc line.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    text: String,
    config: Box<QdiscConfig>,
}

/// Range of Linux's quanta.
const QUANTA: [Bytes; 2] = [Bytes(256), Bytes(1 << 20)];
/// A class is a byte in the queue's list.
const MOST_CLASSES: usize = 256;
/// The protocols that filters know.
const PROTOCOLS: [(&str, u8); 2] = [("tcp", protocol::TCP), ("udp", protocol::UDP)];

const EXPECTED: &str =
    "classes such as \"EF, AF41 quantum 3000 B: codel; udp dport 5001: pfifo limit 20; other\"";
const EXPECTED_FILTER: &str =
    "expected a DiffServ codepoint, tcp, udp, sport or dport with a number, or other";
const EXPECTED_LEAF: &str =
    "a discipline's name, \"pie(target = 5 ms)\", or a tc line such as \"codel target 5ms\"";

impl Classes {
    pub(super) fn iter(&self) -> impl Iterator<Item = &ClassSpec> {
        self.0.iter()
    }

    /// The same with what `"auto"` stands for on `link` in all disciplines.
    pub(super) fn explicit(&self, link: &LinkView) -> Self {
        let mut all = self.clone();
        for class in &mut all.0 {
            class.leaf = class.leaf.as_ref().map(|leaf| leaf.explicit(link));
        }
        all
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let classes: Vec<ClassSpec> = text.split(';').map(ClassSpec::parse).collect::<Result<_, _>>()?;
        if classes.len() > MOST_CLASSES {
            return Err(format!("there are at most {MOST_CLASSES} classes"));
        }
        let mut earlier: Vec<Filter> = Vec::new();
        for filter in classes.iter().flat_map(|c| &c.filters) {
            if let Some(first) = earlier.iter().find(|e| e.covers(filter)) {
                let (first, filter) = (first.shown(), filter.shown());
                return Err(format!(
                    "no packet reaches the filter {filter:?}: {first:?} stands before it and takes them all"
                ));
            }
            earlier.push(*filter);
        }
        Ok(Self(classes))
    }
}

impl ClassSpec {
    fn parse(text: &str) -> Result<Self, String> {
        let (head, leaf) = match text.split_once(':') {
            Some((head, leaf)) => (head, Some(Leaf::parse(leaf)?)),
            None => (text, None),
        };
        let (filters, quantum) = match head.split_once("quantum") {
            Some((filters, size)) => (filters, Some(quantum(size)?)),
            None => (head, None),
        };
        let filters = filters.split(',').map(Filter::parse).collect::<Result<_, _>>()?;
        Ok(Self { filters, quantum, leaf })
    }

    fn shown(&self) -> String {
        let mut text = self.filters.iter().map(Filter::shown).collect::<Vec<_>>().join(", ");
        if let Some(quantum) = self.quantum {
            text += &format!(" quantum {quantum}");
        }
        if let Some(leaf) = &self.leaf {
            text += &format!(": {}", leaf.text);
        }
        text
    }
}

fn quantum(text: &str) -> Result<Bytes, String> {
    let size = Bytes::parse(text)?;
    check_quantum(size).map(|()| size)
}

/// Whether Linux takes a quantum as it is.
pub(super) fn check_quantum(size: Bytes) -> Result<(), String> {
    let [least, most] = QUANTA;
    if (least..=most).contains(&size) {
        return Ok(());
    }
    Err(format!("a quantum of {size} is outside {least} to {most}: Linux takes no other"))
}

impl Filter {
    fn parse(text: &str) -> Result<Self, String> {
        let mut filter = Self::default();
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return Err(format!("a class needs a filter; expected {EXPECTED}"));
        }
        if words.next_if_eq(&"other").is_some() {
            return match words.next() {
                None => Ok(filter),
                Some(word) => Err(format!("\"other\" is every packet; {word:?} cannot stand beside it")),
            };
        }
        while let Some(word) = words.next() {
            let protocol = PROTOCOLS.iter().find(|(name, _)| *name == word);
            let twice = if let Some((_, number)) = protocol {
                filter.protocol.replace(*number).is_some()
            } else if word == "sport" {
                filter.source_port.replace(port(word, words.next())?).is_some()
            } else if word == "dport" {
                filter.destination_port.replace(port(word, words.next())?).is_some()
            } else {
                filter.codepoint.replace(codepoint(word)?).is_some()
            };
            if twice {
                return Err(format!(
                    "no packet is all of {:?}; commas separate what is to match one or the other",
                    text.trim()
                ));
            }
        }
        Ok(filter)
    }

    #[inline]
    pub(super) fn matches(&self, packet: &impl Packet) -> bool {
        let flow = packet.flow();
        self.codepoint.is_none_or(|c| c == packet.dscp())
            && self.protocol.is_none_or(|p| p == flow.protocol)
            && self.source_port.is_none_or(|p| p == flow.src_port)
            && self.destination_port.is_none_or(|p| p == flow.dst_port)
    }

    /// Whether it matches all that `other` does.
    fn covers(&self, other: &Self) -> bool {
        self.codepoint.is_none_or(|c| other.codepoint == Some(c))
            && self.protocol.is_none_or(|p| other.protocol == Some(p))
            && self.source_port.is_none_or(|p| other.source_port == Some(p))
            && self.destination_port.is_none_or(|p| other.destination_port == Some(p))
    }

    fn protocol_name(&self) -> Option<&'static str> {
        PROTOCOLS.iter().find(|(_, number)| Some(*number) == self.protocol).map(|(name, _)| *name)
    }

    fn shown(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.codepoint.map(Dscp::word));
        words.extend(self.protocol_name().map(String::from));
        words.extend(self.source_port.map(|p| format!("sport {p}")));
        words.extend(self.destination_port.map(|p| format!("dport {p}")));
        if words.is_empty() { "other".into() } else { words.join(" ") }
    }

    /// The protocols and matches of tc that are the same: Linux asks for the protocol before it looks for ports.
    pub(super) fn tc(&self) -> Vec<(&'static str, String)> {
        if *self == Self::default() {
            return vec![("all", "matchall".into())];
        }
        let ports = self.source_port.is_some() || self.destination_port.is_some();
        let protocols = match self.protocol_name() {
            Some(name) => vec![Some(name)],
            None if ports => PROTOCOLS.iter().map(|(name, _)| Some(*name)).collect(),
            None => vec![None],
        };
        let line = |protocol: Option<&str>| {
            let mut words = vec!["flower".to_string()];
            words.extend(protocol.map(|p| format!("ip_proto {p}")));
            // The codepoint is in the upper six bits.
            words.extend(self.codepoint.map(|c| format!("ip_tos {:#x}/0xfc", c.0 << 2)));
            words.extend(self.source_port.map(|p| format!("src_port {p}")));
            words.extend(self.destination_port.map(|p| format!("dst_port {p}")));
            ("ip", words.join(" "))
        };
        protocols.into_iter().map(line).collect()
    }
}

fn port(word: &str, text: Option<&str>) -> Result<u16, String> {
    let text = text.ok_or_else(|| format!("{word:?} needs a port, as in \"{word} 5001\""))?;
    text.parse().map_err(|_| format!("{text:?} is not a port: 0 to 65535"))
}

fn codepoint(word: &str) -> Result<Dscp, String> {
    Dscp::from_word(word).map_err(|_| match nearest(word, ["other", "tcp", "udp", "sport", "dport"]) {
        Some(near) => format!("unknown word {word:?}; did you mean {near:?}?"),
        None => format!("unknown word {word:?}; {EXPECTED_FILTER}"),
    })
}

impl Leaf {
    pub(in super::super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let config = if let Some((name, rest)) = text.split_once('(') {
            let pairs = rest.strip_suffix(')').ok_or_else(|| format!("{text:?} has no closing \")\""))?;
            with_parameters(name.trim(), pairs)?
        } else if let Some(config) = QdiscConfig::default_of(text) {
            config
        } else if text.is_empty() {
            return Err(format!("a discipline is missing; expected {EXPECTED_LEAF}"));
        } else {
            QdiscConfig::parse_tc(text).map_err(|e| format!("{text:?}: {}", e.message))?
        };
        Ok(Self { text: text.into(), config: Box::new(config) })
    }

    pub(in super::super) fn config(&self) -> &QdiscConfig {
        &self.config
    }

    /// Words of its line of tc, where one command says all of an explicit configuration.
    pub(in super::super) fn tc_words(&self) -> Option<String> {
        // Nothing in an explicit configuration depends on the link.
        let link = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
        self.config.to_tc(&link).ok().filter(|tc| tc.commands.is_empty()).map(|tc| tc.line)
    }

    /// The same with what `"auto"` stands for on `link`.
    pub(in super::super) fn explicit(&self, link: &LinkView) -> Self {
        Self { text: self.text.clone(), config: Box::new(self.config.explicit(link)) }
    }
}

/// The discipline `name` with "limit = 50 packets, target = 5 ms".
fn with_parameters(name: &str, pairs: &str) -> Result<QdiscConfig, String> {
    use tailrace_core::params::SetError;
    let unknown = || match nearest(name, QdiscConfig::names().iter().copied()) {
        Some(near) => format!("unknown queue discipline {name:?}; did you mean {near:?}?"),
        None => format!("unknown queue discipline {name:?}; expected {EXPECTED_LEAF}"),
    };
    let mut config = QdiscConfig::default_of(name).ok_or_else(unknown)?;
    for pair in pairs.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (key, value) = pair
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim().trim_matches(['\'', '"'])))
            .ok_or_else(|| format!("{:?} is not \"parameter = value\"", pair.trim()))?;
        config.set(key, &plain(value)).map_err(|e| match e {
            SetError::Invalid(why) => format!("{name}: {key}: {why}"),
            SetError::Unknown => match nearest(key, config.params().iter().map(|p| p.name)) {
                Some(near) => format!("{name} has no {key:?}; did you mean {near:?}?"),
                None => format!("{name} has no {key:?}"),
            },
        })?;
    }
    config.validate().map_err(|(key, why)| format!("{name}: {key}: {why}"))?;
    Ok(config)
}

/// A value as a scenario file would have it, but for the quotes.
fn plain(text: &str) -> Value {
    let number = || text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float));
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => number().unwrap_or_else(|_| Value::Text(text.into())),
    }
}

impl ParamType for Classes {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            other => Err(format!("{} is not {EXPECTED}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.iter().map(ClassSpec::shown).collect::<Vec<_>>().join("; "))
    }
}

impl ParamType for Leaf {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            other => Err(format!("{} is not {EXPECTED_LEAF}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_read_back_as_they_are_written() {
        for text in [
            "EF, AF41 quantum 3 kB: codel; udp dport 5001: pfifo limit 20; other",
            "CS1 tcp sport 80 dport 90; other: pie(target = 5 ms, ecn = true)",
            "2",
        ] {
            let classes = Classes::parse(text).unwrap();
            assert_eq!(classes.to_value(), Value::Text(text.into()));
            assert_eq!(Classes::from_value(&classes.to_value()), Ok(classes));
        }
        let classes = Classes::parse("other quantum 256 B: pie(target = 5 ms)").unwrap();
        let leaf = classes.0[0].leaf.as_ref().unwrap();
        assert_eq!(leaf.config().get("target"), Some(Value::Text("5 ms".into())));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "needs a filter"),
            ("EF;", "needs a filter"),
            ("EF,", "needs a filter"),
            ("EF AF41", "commas separate"),
            ("tcp udp", "commas separate"),
            ("other tcp", "every packet"),
            ("othr", "did you mean \"other\""),
            ("AF99", "expected a DiffServ codepoint"),
            ("dport", "needs a port, as in \"dport 5001\""),
            ("dport 70000", "0 to 65535"),
            ("EF quantum 100 B", "outside 256 B to"),
            ("EF quantum 100", "no unit"),
            ("tcp; EF tcp", "no packet reaches the filter \"EF tcp\": \"tcp\" stands before it"),
            ("other; udp", "no packet reaches"),
            ("EF:", "a discipline is missing"),
            ("EF: cdoel(limit = 3 packets)", "did you mean \"codel\""),
            ("EF: codel(limt = 3 packets)", "did you mean \"limit\""),
            ("EF: codel(limit = 3)", "3 is not a limit"),
            ("EF: codel(limit)", "parameter = value"),
            ("EF: codel(limit = 3 packets", "closing"),
            ("EF: pfifo limt 3", "limit"),
        ] {
            let why = Classes::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
