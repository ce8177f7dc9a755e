//! A discipline as the value of a parameter.

use crate::disciplines::QdiscConfig;
use tailrace_core::params::tagged;
use tailrace_core::params::{Kind, ParamType, Value};

/// A FIFO with a limit, which is also what a link has that is given none.
impl Default for QdiscConfig {
    fn default() -> Self {
        Self::default_of("droptail").expect("it is registered")
    }
}

impl ParamType for QdiscConfig {
    const KIND: Kind = Kind::Queue;
    fn from_value(value: &Value) -> Result<Self, String> {
        tagged::from_value(value, Self::default_of, Self::set)
    }
    fn to_value(&self) -> Value {
        tagged::to_value(self.name(), self.params(), |name| self.get(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_discipline_reads_back_as_a_value() {
        for name in QdiscConfig::names() {
            let config = QdiscConfig::default_of(name).unwrap();
            assert_eq!(QdiscConfig::from_value(&config.to_value()), Ok(config.clone()), "{name}");
            assert_eq!(QdiscConfig::from_value(&Value::Text((*name).into())), Ok(config), "{name}");
        }
        let wrong = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(k, v)| ((*k).to_string(), Value::Text((*v).into())));
            QdiscConfig::from_value(&Value::Table(pairs.collect())).unwrap_err()
        };
        assert_eq!(wrong(&[("kind", "rod")]), "there is no \"rod\"");
        assert_eq!(wrong(&[("kind", "red"), ("min", "1 kB")]), "red has no \"min\"");
        assert!(wrong(&[("limit", "1 packet")]).contains("table with a kind"));
    }
}
