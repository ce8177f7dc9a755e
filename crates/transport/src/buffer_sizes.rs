//! Sizes between which Linux tunes a buffer: `tcp_rmem`, `tcp_wmem`; and the memory that packets take.

use tailrace_core::params::{Kind, ParamType, Value};

/// Header space of a packet's buffer and what describes it (`MAX_TCP_HEADER`, `sk_buff`, `skb_shared_info` on 64 bits).
pub(crate) const HEADER: u64 = 320;
pub(crate) const DESCRIPTION: u64 = 256;
pub(crate) const SHARED: u64 = 320;

/// Least, initial and largest size, bytes of memory. Written as the kernel's: `"4096 131072 6291456"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSizes {
    /// Size under memory pressure, which does not occur here.
    pub least: u64,
    /// Size when a connection begins.
    pub initial: u64,
    /// Largest size; equal to `initial` it never grows.
    pub most: u64,
}

impl BufferSizes {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        let [least, initial, most] = numbers?[..] else { return None };
        // More than any path could fill, and far from what sums could not hold.
        let fits = 0 < initial && least <= initial && initial <= most && most <= 1 << 40;
        fits.then_some(Self { least, initial, most })
    }
}

impl ParamType for BufferSizes {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        let found = if let Value::Text(text) = value { Self::parse(text) } else { None };
        found.ok_or_else(|| {
            format!(
                "expected three rising numbers of bytes such as \"4096 131072 6291456\", found {}",
                value.shown()
            )
        })
    }
    fn to_value(&self) -> Value {
        Value::Text(format!("{} {} {}", self.least, self.initial, self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rising_numbers_are_sizes_and_nothing_else_is() {
        let sizes = BufferSizes { least: 4096, initial: 131_072, most: 6_291_456 };
        let text = |t: &str| BufferSizes::from_value(&Value::Text(t.into()));
        assert_eq!(text("4096 131072 6291456"), Ok(sizes));
        assert_eq!(BufferSizes::from_value(&sizes.to_value()), Ok(sizes));
        for wrong in ["", "1 2", "1 2 3 4", "3 2 1", "0 0 0", "1 2 x", "1 2 -3", "1 2 9999999999999"] {
            assert!(text(wrong).unwrap_err().contains("three rising numbers"), "{wrong}");
        }
        assert!(BufferSizes::from_value(&Value::Integer(7)).is_err());
    }
}
