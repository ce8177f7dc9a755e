//! Types that can be parameters: numbers, quantities with units, distributions.

use crate::dist::count::CountDist;
use crate::dist::duration::DurationDist;
use crate::dist::size::SizeDist;
use crate::params::bounds::Bounds;
use crate::params::kind::Kind;
use crate::params::table::{Choice, ParamType};
use crate::params::value::Value;
use crate::text::Quantity;
use crate::time::Duration;
use crate::units::{Bytes, Limit, Probability, Rate};

impl ParamType for bool {
    const KIND: Kind = Kind::Bool;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => Err(format!("expected true or false, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ParamType for f64 {
    const KIND: Kind = Kind::Number;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "-1000000000000", "1000000000000"));
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(n) => Ok(*n as Self),
            Value::Float(x) if x.is_finite() => Ok(*x),
            other => Err(format!("expected a number, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        Value::Float(*self)
    }
}

macro_rules! count {
    ($($t:ty => $most:literal),*) => {$(
        impl ParamType for $t {
            const KIND: Kind = Kind::Count;
            const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "0", $most));
            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Integer(n) => <$t>::try_from(*n)
                        .map_err(|_| format!("expected a whole number from 0 to {}, found {n}", <$t>::MAX)),
                    other => Err(format!("expected a whole number, found {}", other.shown())),
                }
            }
            fn to_value(&self) -> Value {
                // Larger than i64::MAX cannot come from a file; it shows as the largest that can.
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )*};
}
count!(u8 => "255", u16 => "65535", u32 => "4294967295", u64 => "1000000000000");

macro_rules! quantity {
    ($($t:ty => $kind:expr, $least:literal, $most:literal;)*) => {$(
        impl ParamType for $t {
            const KIND: Kind = $kind;
            const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, $least, $most));
            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(t) => <$t as Quantity>::parse(t),
                    other => Err(format!("{} is not {}", other.shown(), <$t as Quantity>::EXPECTED)),
                }
            }
            fn to_value(&self) -> Value {
                Value::Text(self.to_string())
            }
        }
    )*};
}
quantity! {
    Duration => Kind::Duration, "0 s", "10000 h";
    Rate => Kind::Rate, "0 bit/s", "1000000 Gbit/s";
    Bytes => Kind::Bytes, "0 B", "1000000 GB";
    Limit => Kind::Limit, "0", "1000000000000000";
}

impl ParamType for Probability {
    const KIND: Kind = Kind::Probability;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "0", "1"));
    fn from_value(value: &Value) -> Result<Self, String> {
        let p = match value {
            Value::Text(t) => return <Self as Quantity>::parse(t),
            Value::Float(x) => *x,
            Value::Integer(n) => *n as f64,
            Value::Bool(_) | Value::List(_) | Value::Table(_) => f64::NAN,
        };
        Self::new(p).ok_or_else(|| format!("{} is not {}", value.shown(), <Self as Quantity>::EXPECTED))
    }
    fn to_value(&self) -> Value {
        Value::Float(self.get())
    }
}

impl<T: ParamType> ParamType for Box<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = T::AUTO;
    const CHOICES: &'static [Choice] = T::CHOICES;
    const BOUNDS: Option<Bounds> = T::BOUNDS;
    fn from_value(value: &Value) -> Result<Self, String> {
        T::from_value(value).map(Self::new)
    }
    fn to_value(&self) -> Value {
        T::to_value(self)
    }
}

/// `None` is written `"auto"`.
impl<T: ParamType> ParamType for Option<T> {
    const KIND: Kind = T::KIND;
    const AUTO: bool = true;
    const CHOICES: &'static [Choice] = T::CHOICES;
    const BOUNDS: Option<Bounds> = T::BOUNDS;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(t) if t == "auto" => Ok(None),
            other => T::from_value(other).map(Some).map_err(|e| format!("{e}, or \"auto\"")),
        }
    }
    fn to_value(&self) -> Value {
        self.as_ref().map_or_else(|| Value::Text("auto".into()), T::to_value)
    }
}

/// Bounds are those of the mean.
impl ParamType for DurationDist {
    const KIND: Kind = Kind::Distribution;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "0 s", "87600 h"));
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(Self::read(text)?),
            other => Err(format!("{} is not {}", other.shown(), Duration::EXPECTED)),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// Bounds are those of the mean.
impl ParamType for SizeDist {
    const KIND: Kind = Kind::Sizes;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "0 B", "1000000 GB"));
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(Self::read(text)?),
            other => Err(format!("{} is not {}", other.shown(), Bytes::EXPECTED)),
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// Bounds are those of the mean.
impl ParamType for CountDist {
    const KIND: Kind = Kind::Counts;
    const BOUNDS: Option<Bounds> = Some(Bounds::usual(Self::KIND, "0", "4294967295"));
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(n) if *n >= 0 => Ok(Self::constant(*n as u64)),
            Value::Text(text) => Ok(Self::read(text)?),
            other => Err(format!("expected a count or a distribution, found {}", other.shown())),
        }
    }
    fn to_value(&self) -> Value {
        match self.as_number() {
            Some(n) => Value::Integer(n as i64),
            None => Value::Text(self.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::count;

    #[test]
    fn counts_read_back_as_values_and_are_not_negative() {
        for text in count::FORMS.iter().map(|(_, form)| *form).chain(["0", "20"]) {
            let dist = CountDist::read(text).unwrap();
            assert_eq!(CountDist::from_value(&dist.to_value()), Ok(dist));
        }
        assert!(CountDist::from_value(&Value::Integer(-1)).is_err());
    }
}
