//! `[sweep]`: variants of the scenario, as data. A single run ignores it.

use crate::text::write;

/// The variants of a scenario: every combination of the grid's axes, zips, presets, names and samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Axes of which every combination is a variant.
    pub grid: Vec<SweepAxis>,
    /// Groups of axes that go together, first with first; each group is as one axis.
    pub zips: Vec<Vec<SweepAxis>>,
    /// Names for formulas, each an axis (of one value for a constant).
    pub names: Vec<SweepAxis>,
    /// Paths whose values follow from formulas over names and axes.
    pub derived: Vec<(String, String)>,
    /// Sets of values with a name; they are one axis.
    pub presets: Vec<Preset>,
    /// A variant is left out where this formula is not true.
    pub when: Option<String>,
    /// Paths whose values are drawn.
    pub ranges: Vec<Range>,
    /// Names whose values are drawn.
    pub name_ranges: Vec<Range>,
    /// Number of values that are drawn of each range, all together one axis.
    pub samples: Option<u64>,
    /// Whether each value is drawn by itself, instead of as a Latin hypercube.
    pub independent: bool,
}

/// An axis of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepAxis {
    /// Path that is varied, such as `link.bottleneck.queue`, or a name.
    pub path: String,
    /// The values as TOML text, fit for an override of `path`.
    pub values: Vec<String>,
}

/// Values between two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Path that is varied, or a name.
    pub path: String,
    /// Whether equal ratios are equally likely, instead of equal differences.
    pub logarithmic: bool,
    /// The least, as written.
    pub low: String,
    /// The most, as written.
    pub high: String,
}

/// Values that have a name together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Label in tables.
    pub name: String,
    /// Paths with values as TOML text.
    pub values: Vec<(String, String)>,
}

impl Sweep {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Writes the section as TOML without its first header: keys, then the tables below it.
    pub(crate) fn to_toml(&self) -> String {
        let mut lines: Vec<String> =
            self.grid.iter().map(axis).chain(self.ranges.iter().map(range)).collect();
        lines.extend(self.when.iter().map(|when| format!("when = {}", write::text(when))));
        lines.extend(self.samples.iter().map(|count| format!("samples = {count}")));
        if self.independent {
            lines.push("method = \"random\"".into());
        }
        for group in &self.zips {
            lines.push("\n[[sweep.zip]]".into());
            lines.extend(group.iter().map(axis));
        }
        if !self.names.is_empty() || !self.name_ranges.is_empty() {
            lines.push("\n[sweep.let]".into());
            lines.extend(self.names.iter().map(axis).chain(self.name_ranges.iter().map(range)));
        }
        if !self.derived.is_empty() {
            lines.push("\n[sweep.derive]".into());
            let pairs = self.derived.iter();
            lines.extend(
                pairs.map(|(path, formula)| format!("{} = {}", write::key(path), write::text(formula))),
            );
        }
        for preset in &self.presets {
            lines.push(format!("\n[sweep.preset.{}]", write::key(&preset.name)));
            let pairs = preset.values.iter();
            lines.extend(pairs.map(|(path, value)| format!("{} = {value}", write::key(path))));
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn axis(axis: &SweepAxis) -> String {
    format!("{} = [{}]", write::key(&axis.path), axis.values.join(", "))
}

fn range(range: &Range) -> String {
    let kind = if range.logarithmic { "log_uniform" } else { "uniform" };
    format!(
        "{} = {}",
        write::key(&range.path),
        write::text(&format!("{kind}({}, {})", range.low, range.high))
    )
}
