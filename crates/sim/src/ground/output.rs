//! Output of a run: summary, tables, captures and fingerprint.

/// Values of one column. Strings are interned: `Text` holds positions in [`Column::words`].
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers; [`Values::NO_COUNT`] for a missing value.
    U64(Vec<u64>),
    /// Small whole numbers (indices, counts).
    U32(Vec<u32>),
    /// Numbers; NaN for a missing value.
    F64(Vec<f64>),
    /// Positions in [`Column::words`].
    Text(Vec<u32>),
}

impl Values {
    /// Missing value, above every counter.
    pub const NO_COUNT: u64 = u64::MAX;

    /// Memory of the numbers in bytes.
    pub const fn bytes(&self) -> usize {
        match self {
            Self::U64(values) => size_of_val(values.as_slice()),
            Self::U32(values) | Self::Text(values) => size_of_val(values.as_slice()),
            Self::F64(values) => size_of_val(values.as_slice()),
        }
    }
}

/// A column; the name carries the unit (`rtt_s`, `backlog_bytes`).
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name with unit.
    pub name: String,
    /// Values.
    pub values: Values,
    /// Distinct words of a text column, else empty.
    pub words: Vec<String>,
}

/// A table of equally long columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// `flows`, `queues`, `group_series`, `flow_series`, `queue_series`, `law_series`, `reordering`, `events`, ...
    pub name: String,
    /// Columns.
    pub columns: Vec<Column>,
}

/// A finished capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFile {
    /// File name, `bottleneck.pcapng`.
    pub name: String,
    /// Content of the pcapng file.
    pub bytes: Vec<u8>,
}

/// Rows and captures since the previous drain (see [`crate::Simulation::drain`]).
#[derive(Clone, Debug, PartialEq)]
pub struct DrainedOutput {
    /// Rows of time series and of events; a text column has all words so far.
    pub tables: Vec<Table>,
    /// Next part of each capture's file.
    pub captures: Vec<CaptureFile>,
}

/// Cost of a run as measured by its driver; no simulated quantity depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunCost {
    /// Wall time.
    pub wall_s: f64,
    /// Peak resident memory of the process; 0 if unknown.
    pub peak_rss_bytes: u64,
}

/// Output of one run.
#[derive(Clone, Debug)]
pub struct RunOutput {
    /// Run number, from 1.
    pub run: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Hash over the run's trace: equal for equal scenario and seed.
    pub fingerprint: u64,
    /// The run's entry of the result contract, as JSON text.
    pub summary: String,
    /// Tables.
    pub tables: Vec<Table>,
    /// Captures.
    pub captures: Vec<CaptureFile>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
}
