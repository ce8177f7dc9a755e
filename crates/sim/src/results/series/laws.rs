//! Time series of disciplines' own variables.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::table::TableBuilder;
use crate::packet::sim_packet::SimFabric;
use tailrace_core::Instant;

/// A variable at a sample.
struct LawSample<'a> {
    run: u32,
    now: Instant,
    queue: &'a str,
    variable: &'static str,
    value: f64,
}

columns! {
    "law_series", "A row for each variable of a queue discipline and each sample.", |r: LawSample<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.now.as_secs_f64(), "s", "The time of the sample.";
        queue: Text = r.queue, "", "The link and direction of the queue, named as under `queues`.";
        variable: Text = r.variable, "", "The name of the variable, with its unit.";
        value: F64 = r.value, "", "The value at that moment.";
    }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct LawSeries {
    table: TableBuilder,
    /// Values of one discipline, reused between samples.
    values: Vec<f64>,
}

impl LawSeries {
    pub(crate) fn new() -> Self {
        Self { table: new_table(), values: Vec::new() }
    }

    /// Samples the `i`-th queue under study, whose link is settled.
    pub(crate) fn sample(&mut self, i: usize, plan: &RunPlan, fabric: &SimFabric) {
        let queue = &plan.queues[i];
        let variables = fabric.link(queue.link).law_state(&mut self.values);
        for (variable, value) in variables.iter().zip(&self.values) {
            let (run, now, queue) = (plan.run, fabric.now(), queue.name.as_str());
            add(&mut self.table, &LawSample { run, now, queue, variable, value: *value });
        }
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> Table {
        self.table.take()
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }
}
