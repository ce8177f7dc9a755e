//! Streaming of captures and rows out of a run while it goes on, so that they take no memory.

use crate::capture_files::CaptureFiles;
use crate::table_columns::by_name;
use pyo3::prelude::*;
use std::path::Path;
use tailrace_core::{Bytes, Duration};
use tailrace_sim::{RunOutput, Simulation};

/// Rows leave when there are so many bytes of them, where Python does not say otherwise.
pub(crate) const ROWS_AT_ONCE: Bytes = Bytes(16 << 20);
/// Simulated time between two checks for recorded data that can be streamed.
pub(crate) const LOOKED_AFTER: Duration = Duration::from_millis(100);

/// Output of one run that is streamed.
pub(crate) struct OutputStream<'a> {
    captures: Option<CaptureFiles>,
    rows: Option<&'a Py<PyAny>>,
    rows_at_once: usize,
}

impl<'a> OutputStream<'a> {
    /// Captures go into a folder, rows to a callable as soon as there are so many bytes of them; None where neither does.
    pub(crate) fn of(
        captures: Option<&Path>,
        rows: Option<&'a Py<PyAny>>,
        rows_at_once: usize,
    ) -> Option<Self> {
        let captures = captures.map(|folder| CaptureFiles::new(folder.to_path_buf()));
        (captures.is_some() || rows.is_some()).then_some(Self { captures, rows, rows_at_once })
    }

    /// Takes what there is.
    pub(crate) fn look(&mut self, simulation: &mut Simulation) -> PyResult<()> {
        if let Some(files) = &mut self.captures {
            files.append(&mut simulation.drain_captures())?;
        }
        if let Some(rows) = self.rows
            && simulation.recorded_bytes() >= self.rows_at_once
        {
            let tables = simulation.drain_rows();
            Python::attach(|py| rows.call1(py, (by_name(py, &tables)?,)))?;
        }
        Ok(())
    }

    /// Takes the captures that are left; rows stay in the output.
    pub(crate) fn finish(self, output: &mut RunOutput) -> PyResult<()> {
        let Some(mut files) = self.captures else { return Ok(()) };
        files.append(&mut output.captures)?;
        Ok(files.finish()?)
    }
}
