//! Quantities for formulas: text as scenarios write it, as a number in SI units with its unit.

use tailrace_core::text::Quantity as _;
use tailrace_core::{Duration, Limit, Probability, Rate};

/// The number and its unit: `s`, `bit/s`, `B`, `packets`, or none for a share; `None` where the text is no quantity.
pub(crate) fn quantity(text: &str) -> Option<(f64, &'static str)> {
    if let Ok(plain) = text.trim().parse::<f64>() {
        return plain.is_finite().then_some((plain, ""));
    }
    let duration = || Duration::parse(text).ok().map(|d| (d.as_secs_f64(), "s"));
    let rate = || Rate::parse(text).ok().map(|r| (r.as_bps() as f64, "bit/s"));
    let limit = || match Limit::parse(text).ok()? {
        Limit::Packets(packets) => Some((packets as f64, "packets")),
        Limit::Bytes(bytes) => Some((bytes.as_f64(), "B")),
    };
    let share = || Probability::parse(text).ok().map(|p| (p.get(), ""));
    duration().or_else(rate).or_else(limit).or_else(share)
}
