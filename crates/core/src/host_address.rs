//! Addresses that hosts can have.

use crate::params::{Kind, ParamType, Value};
use core::fmt;
use core::net::Ipv4Addr;

/// An IPv4 address of an interface of a host. That of nobody, 0.0.0.0, stands for one that was not stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostAddress(Ipv4Addr);

/// Error of reading an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAddress {
    /// It cannot be read as an address.
    Form(String),
    /// No host can have it.
    Outside(String),
}

impl NoAddress {
    /// Text of the error.
    pub fn why(self) -> String {
        match self {
            Self::Form(why) | Self::Outside(why) => why,
        }
    }
}

impl HostAddress {
    /// An address that a host can have (RFC 6890 says which it cannot).
    ///
    /// # Errors
    /// Where `value` is not one.
    pub fn read(value: &Value) -> Result<Self, NoAddress> {
        let text = if let Value::Text(text) = value { text.as_str() } else { "" };
        let form =
            |_| NoAddress::Form(format!("{} is not an IPv4 address such as \"192.168.1.7\"", value.shown()));
        let address = text.parse::<Ipv4Addr>().map_err(form)?;
        let cannot =
            |what: &str| Err(NoAddress::Outside(format!("{address} is {what}; a host cannot have it")));
        match address.octets()[0] {
            0 => cannot("this network's (0.0.0.0/8)"),
            127 => cannot("a loopback address (127.0.0.0/8)"),
            224..=239 => cannot("a multicast address (224.0.0.0/4)"),
            240..=255 => cannot("reserved (240.0.0.0/4)"),
            _ => Ok(Self(address)),
        }
    }

    /// The address.
    pub const fn get(self) -> Ipv4Addr {
        self.0
    }
}

impl Default for HostAddress {
    fn default() -> Self {
        Self(Ipv4Addr::UNSPECIFIED)
    }
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ParamType for HostAddress {
    const KIND: Kind = Kind::Address;
    fn from_value(value: &Value) -> Result<Self, String> {
        Self::read(value).map_err(NoAddress::why)
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<HostAddress, NoAddress> {
        HostAddress::read(&Value::Text(text.into()))
    }

    #[test]
    fn addresses_of_hosts_read_back() {
        for text in ["10.0.9.9", "192.168.1.7", "223.255.255.255", "1.0.0.1"] {
            let address = read(text).unwrap();
            assert_eq!(
                (address.to_string().as_str(), HostAddress::from_value(&address.to_value())),
                (text, Ok(address))
            );
        }
    }

    #[test]
    fn what_no_host_can_have_is_told_from_what_is_no_address() {
        for text in ["0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255"] {
            assert!(matches!(read(text), Err(NoAddress::Outside(why)) if why.starts_with(text)), "{text}");
        }
        for text in ["", "10.0.0", "10.0.0.256", "::1", "host"] {
            assert!(matches!(read(text), Err(NoAddress::Form(_))), "{text}");
        }
        assert!(
            HostAddress::from_value(&Value::Integer(7)).unwrap_err().starts_with("7 is not an IPv4 address")
        );
    }
}
