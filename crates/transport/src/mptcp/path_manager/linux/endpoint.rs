//! Endpoints as `ip mptcp endpoint` lists them: an interface and what its address is for.

use core::fmt;
use tailrace_core::params::{Kind, ParamType, Value};

/// Most endpoints of a host (Linux MPTCP_PM_ADDR_MAX).
pub(super) const MAX_ENDPOINTS: usize = 8;

const EXPECTED: &str = "endpoints such as \"2 subflow, 3 subflow backup, 4 signal\": an interface in the order of the \
                        host's links, and subflow, signal, backup or fullmesh; or \"none\", or \"auto\"";

/// Purpose of a host's address (`ip mptcp endpoint`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The interface in the order of the host's links, from 1.
    pub interface: u8,
    /// It is announced to the peer.
    pub signal: bool,
    /// Subflows are opened from it to the peer's initial address.
    pub subflow: bool,
    /// Its subflows are backups.
    pub backup: bool,
    /// Subflows are opened from it to all addresses of the peer.
    pub fullmesh: bool,
}

/// The endpoints of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoints {
    /// Default of the host.
    Auto,
    /// Explicit endpoints, in the order in which they were added.
    Listed(Vec<Endpoint>),
}

impl Endpoints {
    /// Explicit endpoints.
    pub(super) fn listed(&self) -> &[Endpoint] {
        match self {
            Self::Auto => &[],
            Self::Listed(endpoints) => endpoints,
        }
    }

    /// Whether subflows from this interface are backups.
    pub(super) fn has_backup(&self, interface: usize) -> bool {
        self.listed().iter().any(|e| usize::from(e.interface) == interface && e.backup)
    }
}

impl Endpoint {
    fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let first = words.next().ok_or_else(|| format!("an endpoint is missing; expected {EXPECTED}"))?;
        let interface =
            first.parse().map_err(|_| format!("{first:?} is no interface; expected {EXPECTED}"))?;
        let mut endpoint = Self { interface, ..Self::default() };
        if interface == 0 {
            return Err("interfaces are counted from 1, in the order of the host's links".into());
        }
        for word in words {
            let flag = match word {
                "signal" => &mut endpoint.signal,
                "subflow" => &mut endpoint.subflow,
                "backup" => &mut endpoint.backup,
                "fullmesh" => &mut endpoint.fullmesh,
                _ => {
                    return Err(format!("{word:?} is no flag; expected subflow, signal, backup or fullmesh"));
                }
            };
            *flag = true;
        }
        if endpoint.signal && endpoint.fullmesh {
            return Err(format!("endpoint {interface} cannot be both signal and fullmesh, as in Linux"));
        }
        if !(endpoint.signal || endpoint.subflow || endpoint.backup || endpoint.fullmesh) {
            return Err(format!("endpoint {interface} is for nothing; expected {EXPECTED}"));
        }
        Ok(endpoint)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.interface)?;
        let flags = [
            (self.signal, "signal"),
            (self.subflow, "subflow"),
            (self.backup, "backup"),
            (self.fullmesh, "fullmesh"),
        ];
        flags.iter().filter(|(on, _)| *on).try_for_each(|(_, flag)| write!(f, " {flag}"))
    }
}

impl fmt::Display for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::Auto {
            return f.write_str("auto");
        }
        if self.listed().is_empty() {
            return f.write_str("none");
        }
        for (i, endpoint) in self.listed().iter().enumerate() {
            write!(f, "{}{endpoint}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl ParamType for Endpoints {
    const KIND: Kind = Kind::Text;
    const AUTO: bool = true;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else {
            return Err(format!("expected {EXPECTED}, found {}", value.shown()));
        };
        match text.as_str() {
            "auto" => return Ok(Self::Auto),
            "none" => return Ok(Self::Listed(Vec::new())),
            _ => {}
        }
        let endpoints: Vec<Endpoint> = text.split(',').map(Endpoint::parse).collect::<Result<_, _>>()?;
        if endpoints.len() > MAX_ENDPOINTS {
            let n = endpoints.len();
            return Err(format!("these are {n} endpoints; Linux has at most {MAX_ENDPOINTS} on a host"));
        }
        for (i, e) in endpoints.iter().enumerate() {
            if endpoints[..i].iter().any(|other| other.interface == e.interface) {
                return Err(format!("interface {} has two endpoints; write all flags with one", e.interface));
            }
        }
        Ok(Self::Listed(endpoints))
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Endpoints, String> {
        Endpoints::from_value(&Value::Text(text.into()))
    }

    #[test]
    fn endpoints_read_back() {
        let two = read("2 subflow,  3 backup subflow fullmesh").unwrap();
        assert_eq!(two.listed()[0], Endpoint { interface: 2, subflow: true, ..Endpoint::default() });
        assert!(
            two.listed()[1].backup
                && two.listed()[1].fullmesh
                && two.listed()[1].subflow
                && !two.listed()[1].signal
        );
        for text in ["auto", "none", "1 backup", "1 signal subflow, 7 signal backup", "2 subflow fullmesh"] {
            let endpoints = read(text).unwrap();
            assert_eq!(endpoints.to_value(), Value::Text(text.into()));
        }
    }

    #[test]
    fn mistakes_are_explained() {
        let nine: Vec<String> = (1..=9).map(|i| format!("{i} subflow")).collect();
        let cases = [
            ("", "an endpoint is missing"),
            ("2 subflow,", "an endpoint is missing"),
            ("0 subflow", "counted from 1"),
            ("256 subflow", "no interface"),
            ("eth0 subflow", "no interface"),
            ("2", "for nothing"),
            ("2 subflwo", "no flag"),
            ("2 signal fullmesh", "both signal and fullmesh"),
            ("2 subflow, 2 backup", "two endpoints"),
            (nine.join(", ").as_str(), "these are 9 endpoints"),
        ]
        .map(|(text, part)| (text.to_string(), part));
        for (text, part) in cases {
            let why = read(&text).unwrap_err();
            assert!(why.contains(part), "{text:?}: {why}");
        }
        assert!(Endpoints::from_value(&Value::Integer(2)).unwrap_err().contains("found 2"));
    }
}
