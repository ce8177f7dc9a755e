//! A queue discipline in one line, as a cell of a table has it.

use core::fmt;
use std::sync::Arc;
use tailrace_core::text::nearest;
use tailrace_qdisc::QdiscConfig;

/// The name of a discipline, which has its defaults, or a tc line.
#[derive(Clone, Debug)]
pub struct QueueLine {
    text: Arc<str>,
    config: Arc<QdiscConfig>,
}

impl QueueLine {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, and what would not be.
    pub fn read(text: &str) -> Result<Self, String> {
        let config = match QdiscConfig::default_of(text) {
            Some(config) => config,
            None => of_tc(text)?,
        };
        config.validate().map_err(|(key, why)| format!("{key}: {why}"))?;
        if config.host_rules().is_some() {
            return Err(format!(
                "{} cannot begin during a run, since hosts must return its labels from the start: give it to the link itself",
                config.name()
            ));
        }
        Ok(Self { text: text.into(), config: Arc::new(config) })
    }

    /// The discipline.
    pub fn config(&self) -> &QdiscConfig {
        &self.config
    }
}

fn of_tc(text: &str) -> Result<QdiscConfig, String> {
    if text.trim().is_empty() {
        return Err("a queue discipline is missing".into());
    }
    let Some(first) = QdiscConfig::tc_kind(text) else {
        return QdiscConfig::parse_tc(text).map_err(|error| error.message);
    };
    if QdiscConfig::is_elsewhere(first) || QdiscConfig::tc_kinds().contains(&first) {
        return QdiscConfig::parse_tc(text).map_err(|error| error.message);
    }
    if QdiscConfig::default_of(first).is_some() {
        return Err(format!("tc has no {first}: write its name alone, for its defaults"));
    }
    let known = QdiscConfig::names().iter().copied().chain(QdiscConfig::tc_kinds());
    let remedy = nearest(first, known)
        .map_or_else(|| "tailrace list queues names them".into(), |name| format!("did you mean {name:?}?"));
    Err(format!("unknown queue discipline {first:?}; {remedy}"))
}

/// Equality of the discipline and its parameters, whatever the notation.
impl PartialEq for QueueLine {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
    }
}

impl fmt::Display for QueueLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tc_lines_are_read() {
        let line = QueueLine::read("pfifo limit 20").unwrap();
        assert_eq!((line.config().name(), line.to_string().as_str()), ("droptail", "pfifo limit 20"));
        assert_eq!(QueueLine::read("pfifo  limit 20"), Ok(line.clone()));
        assert_ne!(QueueLine::read("pfifo limit 21"), Ok(line));
        assert_eq!(QueueLine::read("fq_codel").unwrap().config().name(), "fq_codel");
    }

    #[test]
    fn unknown_disciplines_are_refused_with_a_remedy() {
        for (text, why) in [
            ("", "a queue discipline is missing"),
            ("fq_codle", "unknown queue discipline \"fq_codle\"; did you mean \"fq_codel\"?"),
            ("pfifi limit 20", "unknown queue discipline \"pfifi\"; did you mean \"pfifo\"?"),
            ("zzzzzzzzzzzz", "unknown queue discipline \"zzzzzzzzzzzz\"; tailrace list queues names them"),
            ("pfifo limti 20", "unknown word \"limti\"; did you mean \"limit\"?"),
            ("avq limit 20", "tc has no avq: write its name alone, for its defaults"),
            (
                "netfence",
                "netfence cannot begin during a run, since hosts must return its labels from the start: give it to the link itself",
            ),
        ] {
            assert_eq!(QueueLine::read(text).unwrap_err(), why, "{text}");
        }
    }
}
