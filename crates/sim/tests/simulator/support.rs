//! Scenario texts, runs, and access to results by name. Packets and bytes of every run must balance.

use std::fmt::Write as _;
use std::sync::Arc;
use tailrace_scenario::{Parsed, Scenario, render_all};
use tailrace_sim::{Control, RunOutput, Simulation, Table, Values};

/// A scenario text under construction.
#[derive(Clone)]
pub(crate) struct Text(String);

impl Text {
    pub(crate) fn new(duration: &str) -> Self {
        Self(format!("name = \"test\"\nduration = \"{duration}\"\n"))
    }

    /// A complete scenario text.
    pub(crate) fn of(text: &str) -> Self {
        Self(text.to_string())
    }

    /// Adds a top-level key, before any table.
    pub(crate) fn top(mut self, line: &str) -> Self {
        let at = self.0.find("[[").unwrap_or(self.0.len());
        self.0.insert_str(at, &format!("{line}\n"));
        self
    }

    pub(crate) fn add(mut self, toml: &str) -> Self {
        writeln!(self.0, "{toml}").unwrap();
        self
    }

    /// Replaces a part of the text.
    pub(crate) fn with(&self, part: &str, other: &str) -> Self {
        assert!(self.0.contains(part), "no {part} in {}", self.0);
        Self(self.0.replacen(part, other, 1))
    }

    pub(crate) fn hosts(self, name: &str, count: usize) -> Self {
        self.add(&format!("[[host]]\nname = \"{name}\"\ncount = {count}"))
    }

    pub(crate) fn router(self, name: &str) -> Self {
        self.add(&format!("[[router]]\nname = \"{name}\""))
    }

    pub(crate) fn link(self, a: &str, b: &str, rate: &str, delay: &str, more: &str) -> Self {
        self.add(&format!(
            "[[link]]\nbetween = [\"{a}\", \"{b}\"]\nrate = \"{rate}\"\ndelay = \"{delay}\"\nmtu = \"65535 B\"\n{more}"
        ))
    }

    /// Dumbbell of `n` hosts on each side of `r1` and `r2`, with fast access links.
    pub(crate) fn dumbbell(self, n: usize, rate: &str, delay: &str, more: &str) -> Self {
        self.hosts("src", n)
            .hosts("dst", n)
            .router("r1")
            .router("r2")
            .link("src[*]", "r1", "1 Gbit/s", "1 ms", "")
            .link("r1", "r2", rate, delay, &format!("name = \"bottleneck\"\n{more}"))
            .link("r2", "dst[*]", "1 Gbit/s", "1 ms", "")
    }

    pub(crate) fn flow(self, name: &str, ends: (&str, &str), transport: &str, app: &str) -> Self {
        self.flow_with(name, ends, transport, app, "")
    }

    pub(crate) fn flow_with(
        self,
        name: &str,
        (from, to): (&str, &str),
        transport: &str,
        app: &str,
        more: &str,
    ) -> Self {
        self.add(&format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\napp = {app}\n{more}"
        ))
    }

    pub(crate) fn tcp(self, transport: &str, app: &str) -> Self {
        self.flow("tcp", ("src[*]", "dst[*]"), &format!("{{ kind = \"tcp\", {transport} }}"), app)
    }

    pub(crate) fn scenario(&self) -> Arc<Scenario> {
        Arc::new(self.parsed().scenario)
    }

    pub(crate) fn parsed(&self) -> Parsed {
        tailrace_scenario::parse(&self.0, "test.toml", &[])
            .unwrap_or_else(|e| panic!("{}", render_all(&e, false)))
    }

    pub(crate) fn run(&self) -> Run {
        self.run_number(1)
    }

    pub(crate) fn run_number(&self, run: u32) -> Run {
        run_scenario(&self.scenario(), run)
    }
}

/// Builds, runs, and checks conservation.
pub(crate) fn run_scenario(scenario: &Arc<Scenario>, number: u32) -> Run {
    let simulation = Simulation::build(scenario, number).unwrap();
    let run = Run::new(simulation.run(&Control::default()).unwrap());
    assert!(!run.output.interrupted);
    run
}

/// Results of a run.
pub(crate) struct Run {
    pub(crate) output: RunOutput,
    pub(crate) json: serde_json::Value,
}

impl Run {
    pub(crate) fn new(output: RunOutput) -> Self {
        let json = serde_json::from_str(&output.summary).unwrap();
        let run = Self { output, json };
        run.assert_conservation();
        run
    }

    /// A leaf of the summary, `"groups.tcp.goodput_bps.sum"`; NaN for null. Queue names contain no dots.
    pub(crate) fn leaf(&self, path: &str) -> f64 {
        let found = path.split('.').fold(&self.json, |v, key| {
            v.get(key).unwrap_or_else(|| panic!("no {key} of {path} in {:#}", self.json))
        });
        found.as_f64().unwrap_or(f64::NAN)
    }

    /// A leaf of the queue from r1 to r2.
    pub(crate) fn queue(&self, path: &str) -> f64 {
        self.leaf(&format!("queues.r1->r2.{path}"))
    }

    /// A leaf of the group "tcp".
    pub(crate) fn tcp(&self, path: &str) -> f64 {
        self.leaf(&format!("groups.tcp.{path}"))
    }

    pub(crate) fn table(&self, name: &str) -> &Table {
        self.output.tables.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no table {name}"))
    }

    /// A column of numbers.
    pub(crate) fn column(&self, table: &str, name: &str) -> Vec<f64> {
        let column = self.table(table).columns.iter().find(|c| c.name == name);
        match &column.unwrap_or_else(|| panic!("no column {name} in {table}")).values {
            Values::U64(v) => v.iter().map(|x| *x as f64).collect(),
            Values::U32(v) | Values::Text(v) => v.iter().map(|x| f64::from(*x)).collect(),
            Values::F64(v) => v.clone(),
        }
    }

    /// A column of words.
    pub(crate) fn words(&self, table: &str, name: &str) -> Vec<String> {
        let column = self.table(table).columns.iter().find(|c| c.name == name).unwrap();
        let Values::Text(v) = &column.values else { panic!("{name} of {table} is not text") };
        v.iter().map(|i| column.words[*i as usize].clone()).collect()
    }

    /// A column of the flows table, for the flows of one group.
    pub(crate) fn flows(&self, group: &str, name: &str) -> Vec<f64> {
        let groups = self.words("flows", "group");
        let values = self.column("flows", name);
        groups.iter().zip(values).filter(|(g, _)| *g == group).map(|(_, v)| v).collect()
    }

    /// Asserts what holds in every run: received or lost packets were sent, delivered bytes were received, groups are the sums of
    /// their flows, and rates, losses and delays agree with the counters.
    fn assert_conservation(&self) {
        for column in self.table("flows").columns.iter().chain(&self.table("queues").columns) {
            assert!(!column.name.is_empty());
        }
        for (group, summary) in self.json["groups"].as_object().unwrap() {
            let sum = |name: &str| self.flows(group, name).iter().sum::<f64>();
            for leaf in
                ["sent_packets", "lost_packets", "marked_packets", "retransmitted_packets", "timeouts"]
            {
                let Some(total) = summary[leaf].as_f64() else {
                    assert!(leaf == "timeouts", "{group} {leaf}: all stacks count it");
                    continue;
                };
                assert_eq!(sum(leaf), total, "{group} {leaf}");
            }
            assert_eq!(summary["flows"].as_u64().unwrap() as usize, self.flows(group, "flow").len());
            let goodput = summary["goodput_bps"]["sum"].as_f64().unwrap();
            assert!((goodput - sum("goodput_bps")).abs() <= 1e-9 * goodput);
            let ratio = summary["loss_ratio"].as_f64().unwrap_or(f64::NAN);
            let (sent, lost) = (sum("sent_packets"), sum("lost_packets"));
            // The parser serde_json reads floats to within a unit in the last place.
            assert!(sent == 0.0 && ratio.is_nan() || (ratio - lost / sent).abs() <= 1e-15);
        }
        for (name, queue) in self.json["queues"].as_object().unwrap() {
            let [enqueued, dequeued] =
                ["enqueued_packets", "dequeued_packets"].map(|k| queue[k].as_f64().unwrap());
            assert!(enqueued >= 0.0 && dequeued >= 0.0, "{name}");
            let [mean, max] = ["mean", "max"].map(|k| queue["backlog_packets"][k].as_f64().unwrap());
            assert!(mean <= max, "{name}: {mean} {max}");
        }
    }

    /// Asserts a drained network: each packet sent was received or lost, and all bytes received were delivered.
    pub(crate) fn assert_drained(&self) {
        let columns = ["sent_packets", "received_packets", "lost_packets"].map(|c| self.column("flows", c));
        for (i, sent) in columns[0].iter().enumerate() {
            assert_eq!(*sent, columns[1][i] + columns[2][i], "flow {i}: sent = received + lost");
        }
        for (name, queue) in self.json["queues"].as_object().unwrap() {
            let dropped = &queue["dropped_packets"];
            let [enqueued, dequeued] =
                ["enqueued_packets", "dequeued_packets"].map(|k| queue[k].as_u64().unwrap());
            // Packets that left a queue by a drop at its head were dequeued; others were enqueued and never sent.
            let expelled = enqueued - dequeued;
            let most = dropped["aqm"].as_u64().unwrap()
                + dropped["link_down"].as_u64().unwrap()
                + dropped["overlimit"].as_u64().unwrap();
            assert!(expelled <= most, "{name}: {enqueued} taken in, {dequeued} sent, {dropped}");
        }
    }
}

/// Whether `x` lies within the relative `tolerance` of `expected`.
#[track_caller]
pub(crate) fn assert_close(x: f64, expected: f64, tolerance: f64) {
    let off = x / expected - 1.0;
    assert!(
        off.abs() <= tolerance,
        "{x} is off {expected} by {:.2} %, more than {} %",
        off * 100.0,
        tolerance * 100.0
    );
}
