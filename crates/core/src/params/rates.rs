//! Several rates as one value.

use crate::params::kind::Kind;
use crate::params::table::ParamType;
use crate::params::value::Value;
use crate::units::Rate;

/// At least one rate, in an order that the key gives a meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates(pub Vec<Rate>);

impl Rates {
    /// Most that one value has.
    pub const MOST: usize = 1000;
}

impl ParamType for Rates {
    const KIND: Kind = Kind::Rates;
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::List(items) = value else {
            return Err(format!(
                "expected a list of rates, such as [\"5 Mbit/s\", \"20 Mbit/s\"], found {}",
                value.shown()
            ));
        };
        if items.is_empty() || items.len() > Self::MOST {
            return Err(format!("expected 1 to {} rates, found {}", Self::MOST, items.len()));
        }
        items.iter().map(Rate::from_value).collect::<Result<_, _>>().map(Self)
    }
    fn to_value(&self) -> Value {
        Value::List(self.0.iter().map(Rate::to_value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::bounds::Bounds;

    #[test]
    fn rates_read_back_and_each_is_bounded() {
        let rates = Rates(vec![Rate::from_mbit(1), Rate::from_mbit(5)]);
        assert_eq!(Rates::from_value(&rates.to_value()), Ok(rates.clone()));
        assert!(Rates::from_value(&Value::List(Vec::new())).is_err());
        assert!(Rates::from_value(&Value::Text("1 Mbit/s".into())).unwrap_err().contains("a list of rates"));
        assert!(Rates::from_value(&Value::List(vec![Value::Integer(3)])).is_err());
        let bounds = Bounds::declared(Kind::Rates, "1 Mbit/s", "4 Mbit/s", "a test");
        let error = bounds.check(Kind::Rates, &rates.to_value()).unwrap_err();
        assert_eq!(error, "5 Mbit/s is outside 1 Mbit/s to 4 Mbit/s: a test");
    }
}
