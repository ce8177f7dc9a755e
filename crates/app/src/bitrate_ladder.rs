//! The rates at which a video is to be had, as a value of a key.

use tailrace_core::Rate;
use tailrace_core::params::{Kind, ParamType, Value};
use tailrace_core::text::Quantity as _;

/// Bit rates of a video, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitrateLadder(pub Vec<Rate>);

impl ParamType for BitrateLadder {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Text(text) = value else {
            return Err(format!("expected rates with commas between them, found {}", value.shown()));
        };
        let rates = text.split(',').map(|rate| Rate::parse(rate.trim())).collect::<Result<Vec<_>, _>>()?;
        if rates.iter().any(|rate| rate.as_bps() == 0) || rates.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(format!("rates ascend from more than nothing, which {text:?} do not"));
        }
        Ok(Self(rates))
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.iter().map(Rate::to_string).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_read_back_and_must_ascend() {
        let read = |text: &str| BitrateLadder::from_value(&Value::Text(text.into()));
        let ladder =
            BitrateLadder(vec![Rate::from_bps(235_000), Rate::from_bps(375_000), Rate::from_mbit(1)]);
        assert_eq!(read("235 kbit/s, 375 kbit/s, 1 Mbit/s"), Ok(ladder.clone()));
        assert_eq!(BitrateLadder::from_value(&ladder.to_value()), Ok(ladder));
        assert!(read("1 Mbit/s, 1 Mbit/s").unwrap_err().contains("ascend"));
        assert!(read("0 bit/s, 1 Mbit/s").unwrap_err().contains("ascend"));
        assert!(read("").is_err() && read("1 Mbit/s,").is_err());
    }
}
