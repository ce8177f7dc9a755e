//! Scripts: commands and their times, as text.

use core::fmt;
use tailrace_core::Duration;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;

const EXPECTED: &str = "commands such as \"1 s connect 2 to 1; 5 s backup 2\": a time, and connect A to B [backup], \
                        close A to B, announce A, remove A, backup A or regular A, where A is an interface of this \
                        host and B one of the other's; or \"none\"";

/// Command of a script. Interfaces are in the order of their host's links, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Open a subflow.
    Connect {
        /// This host's interface.
        local: u8,
        /// The peer's.
        remote: u8,
        /// Whether it is a backup.
        backup: bool,
    },
    /// End the subflows between two addresses.
    Close {
        /// This host's interface.
        local: u8,
        /// The peer's.
        remote: u8,
    },
    /// Tell the peer of an address.
    Announce {
        /// This host's interface.
        local: u8,
    },
    /// Tell the peer that an address is gone, and end its subflows.
    Remove {
        /// This host's interface.
        local: u8,
    },
    /// Make the subflows of an address backups, or regular ones.
    Priority {
        /// This host's interface.
        local: u8,
        /// Whether backups.
        backup: bool,
    },
}

/// Commands by time since the connection was established.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script(pub Vec<(Duration, Command)>);

impl Command {
    /// The interfaces that it names: this host's, and the peer's.
    pub(super) const fn interfaces(&self) -> (u8, Option<u8>) {
        match *self {
            Self::Connect { local, remote, .. } | Self::Close { local, remote } => (local, Some(remote)),
            Self::Announce { local } | Self::Remove { local } | Self::Priority { local, .. } => (local, None),
        }
    }

    fn parse(words: &[&str]) -> Result<Self, String> {
        Ok(match words {
            ["connect", a, "to", b] => {
                Self::Connect { local: interface(a)?, remote: interface(b)?, backup: false }
            }
            ["connect", a, "to", b, "backup"] => {
                Self::Connect { local: interface(a)?, remote: interface(b)?, backup: true }
            }
            ["close", a, "to", b] => Self::Close { local: interface(a)?, remote: interface(b)? },
            ["announce", a] => Self::Announce { local: interface(a)? },
            ["remove", a] => Self::Remove { local: interface(a)? },
            ["backup", a] => Self::Priority { local: interface(a)?, backup: true },
            ["regular", a] => Self::Priority { local: interface(a)?, backup: false },
            _ => return Err(format!("{:?} is no command; expected {EXPECTED}", words.join(" "))),
        })
    }
}

fn interface(word: &str) -> Result<u8, String> {
    match word.parse() {
        Ok(0) => Err("interfaces are counted from 1, in the order of the host's links".into()),
        Ok(n) => Ok(n),
        Err(_) => Err(format!("{word:?} is no interface; expected {EXPECTED}")),
    }
}

/// A time and a command.
fn step(text: &str) -> Result<(Duration, Command), String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return Err(format!("a command is missing; expected {EXPECTED}"));
    }
    // The time is what comes before the first word of letters that is no unit: "1 s", "500ms".
    let verbs = ["connect", "close", "announce", "remove", "backup", "regular"];
    let Some(at) = words.iter().position(|w| verbs.contains(w)) else {
        return Err(format!("{:?} is no command; expected {EXPECTED}", text.trim()));
    };
    if at == 0 {
        return Err(format!("{:?} has no time; write such as \"1 s {}\"", text.trim(), text.trim()));
    }
    let time = Duration::parse(&words[..at].join(" "))?;
    Ok((time, Command::parse(&words[at..])?))
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Connect { local, remote, backup } => {
                write!(f, "connect {local} to {remote}{}", if backup { " backup" } else { "" })
            }
            Self::Close { local, remote } => write!(f, "close {local} to {remote}"),
            Self::Announce { local } => write!(f, "announce {local}"),
            Self::Remove { local } => write!(f, "remove {local}"),
            Self::Priority { local, backup: true } => write!(f, "backup {local}"),
            Self::Priority { local, backup: false } => write!(f, "regular {local}"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, (time, command)) in self.0.iter().enumerate() {
            write!(f, "{}{time} {command}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl ParamType for Script {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else {
            return Err(format!("expected {EXPECTED}, found {}", value.shown()));
        };
        if text == "none" {
            return Ok(Self::default());
        }
        let mut steps: Vec<_> = text.split(';').map(step).collect::<Result<_, _>>()?;
        // Commands of the same time keep the order in which they are written.
        steps.sort_by_key(|(time, _)| *time);
        Ok(Self(steps))
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Script, String> {
        Script::from_value(&Value::Text(text.into()))
    }

    #[test]
    fn scripts_read_back_in_the_order_of_their_times() {
        let script =
            read("5 s backup 2; 1 s connect 2 to 1;1s announce 3; 500ms connect 1 to 2 backup").unwrap();
        let expected = "500 ms connect 1 to 2 backup; 1 s connect 2 to 1; 1 s announce 3; 5 s backup 2";
        assert_eq!(script.to_value(), Value::Text(expected.into()));
        for text in ["none", "8 s remove 2", "10 s regular 2", "12 s close 2 to 1", expected] {
            assert_eq!(read(text).unwrap().to_value(), Value::Text(text.into()));
        }
    }

    #[test]
    fn mistakes_are_explained() {
        for (text, part) in [
            ("", "a command is missing"),
            ("1 s announce 2;", "a command is missing"),
            ("1 s conect 2 to 1", "\"1 s conect 2 to 1\" is no command"),
            ("1 s connect 2", "\"connect 2\" is no command"),
            ("1 s connect 2 to 1 spare", "is no command"),
            ("1 s close 2 to 1 backup", "is no command"),
            ("connect 2 to 1", "has no time"),
            ("1 connect 2 to 1", "no unit"),
            ("soon announce 2", "does not start with a number"),
            ("1 s announce eth0", "is no interface"),
            ("1 s announce 300", "is no interface"),
            ("1 s connect 2 to 0", "counted from 1"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(part), "{text:?}: {why}");
        }
        assert!(Script::from_value(&Value::Bool(true)).unwrap_err().contains("found true"));
    }
}
