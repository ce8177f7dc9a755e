//! The small scenario that cases of errors and warnings change.

/// A good scenario: `tests/files/small.toml`.
pub(crate) const SMALL: &str = include_str!("../files/small.toml");

/// The keys of its TCP flow's transport.
pub(crate) const TCP: &str = "kind = \"tcp\", cc = \"reno\", sack = true";

/// The small scenario with replacements, pairs of old and new text.
///
/// # Panics
/// If an old text is not in it.
pub(crate) fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(SMALL.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is not in small.toml");
        text.replacen(from, to, 1)
    })
}
