//! Conservation for MPTCP of every profile: random topologies, losses, faults, schedulers, congestion controls and buffers.

use crate::packet::flow_end::FlowEnd;
use crate::run::conservation::{advance, balance, one};
use crate::run::simulation::Simulation;
use crate::stats::paths::PathCounters;
use std::sync::Arc;
use tailrace_core::{Instant, Rng};
use tailrace_scenario::model::{AppConfig, Transport};
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;

const QUEUES: [&str; 5] = [
    "queue = { kind = \"droptail\", limit = \"10 packets\" }",
    "queue = { kind = \"droptail\", limit = \"200 packets\" }",
    "queue = { kind = \"codel\" }",
    "loss = \"2 %\"",
    "jitter = \"exponential(5 ms)\"\nreorder = true\nloss = \"1 %\"",
];

/// A client with links `c0`, `c1`, ... to a router and a server with `s0`, `s1`, ..., or both joined by `c0`, `c1`, ...
fn topology(rng: &mut Rng) -> (String, Vec<String>) {
    let mut text = "name = \"conservation\"\nduration = \"3000 s\"\nwarmup = \"1500 ms\"\n".to_owned();
    let mut names = Vec::new();
    for (kind, name) in [("host", "c"), ("host", "s"), ("router", "r")] {
        text += &format!("[[{kind}]]\nname = \"{name}\"\n");
    }
    let parallel = rng.bernoulli(0.3);
    let ends: &[(&str, &str)] = if parallel { &[("c", "s")] } else { &[("c", "r"), ("s", "r")] };
    for (a, b) in ends {
        for i in 0..1 + rng.below(4) {
            let (rate, delay, queue) = (200 + rng.below(5000), 1 + rng.below(150), one(rng, &QUEUES));
            text += &format!("[[link]]\nname = \"{a}{i}\"\nbetween = [\"{a}\", \"{b}\"]\n");
            text += &format!("rate = \"{rate} kbit/s\"\ndelay = \"{delay} ms\"\n{queue}\n");
            names.push(format!("{a}{i}"));
        }
    }
    if parallel {
        // Packets must not need a node called r.
        text = text.replace("[[router]]\nname = \"r\"\n", "");
    }
    (text, names)
}

/// Temporary faults, one after the other on each link. An end that has lost its first address and all subflows cannot be reached,
/// so the first links do not go down where routing knows.
fn faults(rng: &mut Rng, links: &[String]) -> String {
    let mut text = String::new();
    for link in links {
        let mut at = 0;
        for _ in 0..rng.below(3) {
            let kinds = ["blackhole", "loss", "rate", "down"];
            let kind = one(rng, if link.ends_with('0') { &kinds[..3] } else { &kinds });
            let from = at + 200 + rng.below(5000);
            at = from + 1 + rng.below(8000);
            let value = match kind {
                "loss" => "value = \"30 %\"\n",
                "rate" => "value = \"100 kbit/s\"\n",
                _ => "",
            };
            text += &format!("[[fault]]\nat = \"{from} ms\"\nuntil = \"{at} ms\"\nlink = \"{link}\"\n");
            text += &format!("kind = \"{kind}\"\n{value}");
        }
    }
    text
}

fn transport(rng: &mut Rng, profile: &str) -> String {
    let mut text =
        format!("{{ kind = \"mptcp\", profile = \"{profile}\", data_retries = 1000, syn_retries = 1000");
    if rng.bernoulli(0.5) {
        text += &format!(", scheduler = \"{}\"", one(rng, SchedulerConfig::names()));
    }
    if rng.bernoulli(0.5) {
        let control = if rng.bernoulli(0.7) { one(rng, CoupledConfig::names()) } else { "cubic" };
        text += &format!(", cc = \"{control}\"");
    }
    if rng.bernoulli(0.5) {
        let managers = [
            "\"fullmesh\"",
            "\"passive\"",
            "{ kind = \"ndiffports\", num_subflows = 3 }",
            "{ kind = \"linux\", subflows = 7, add_addr_accepted = 8, server = \"1 signal\" }",
        ];
        text += &format!(", path_manager = {}", one(rng, &managers));
    }
    for (key, values) in [
        ("receive_buffer", ["\"8 kB\"", "\"64 kB\"", "\"2 MB\""]),
        ("send_buffer", ["\"8 kB\"", "\"64 kB\"", "\"auto\""]),
        ("behaviour.stale_loss_cnt", ["0", "1", "4"]),
        ("behaviour.data_timer", ["\"doubled\"", "\"subflows\"", "\"subflows\""]),
        ("opportunistic_retransmission", ["true", "false", "true"]),
        ("behaviour.reinject_on_timeout", ["true", "false", "true"]),
        ("checksum", ["true", "false", "true"]),
        ("behaviour.wide_dsn", ["true", "false", "true"]),
        ("sack", ["true", "false", "true"]),
    ] {
        if rng.bernoulli(0.3) {
            text += &format!(", {key} = {}", one(rng, &values));
        }
    }
    text + " }"
}

fn random_simulation(rng: &mut Rng, profile: &str) -> (Simulation, String) {
    let (mut text, links) = topology(rng);
    for i in 0..1 + rng.below(2) {
        let apps = [
            "{ kind = \"transfer\", size = \"600 kB\" }",
            "{ kind = \"transfer\", size = \"3 kB\" }",
            "{ kind = \"sequence\", size = \"40 kB\", gap = \"exponential(300 ms)\", count = 5 }",
            "{ kind = \"request_response\", request = \"2 kB\", response = \"70 kB\", think = \"10 ms\", count = 5 }",
        ];
        let (transport, app) = (transport(rng, profile), one(rng, &apps));
        text += &format!("[[flow]]\nname = \"f{i}\"\nfrom = \"c\"\nto = \"s\"\ntransport = {transport}\n");
        text += &format!("app = {app}\nstart = \"uniform(0 s, 1 s)\"\n");
    }
    text += &faults(rng, &links);
    let parsed = tailrace_scenario::parse(&text, "conservation.toml", &[])
        .unwrap_or_else(|e| panic!("{}\n{text}", tailrace_scenario::render_all(&e, false)));
    let run = 1 + rng.below(1000) as u32;
    (Simulation::build(&Arc::new(parsed.scenario), run).unwrap(), format!("run {run}\n{text}"))
}

/// Connection number and acknowledged bytes of a sender; a new connection begins at zero.
type Progress = (u32, u64);

/// Checks that acknowledged data of all flows' connections never decreases.
fn check(sim: &Simulation, before: &mut [Progress], text: &str) {
    for (socket, before) in before.iter_mut().enumerate() {
        let end = |id: usize| sim.world.latest(FlowEnd(id as u32)).and_then(|s| s.endpoint.as_mptcp());
        let (Some(sender), receiver) = (end(socket), end(socket ^ 1)) else { continue };
        let flow = &sim.world.flows[socket / 2];
        let Transport::Mptcp { plan, .. } = &sim.plan.scenario.flows[flow.group as usize].transport else {
            panic!("{text}")
        };
        let (acked, sent) = sender.progress();
        let window = plan.tcp.largest_window().max(65_535);
        assert!(
            sent - acked <= window,
            "{} bytes beyond the window of socket {socket}: {text}",
            sent - acked
        );
        let number = sender.token();
        assert!(
            before.0 != number || acked >= before.1,
            "acknowledgments regress at socket {socket}: {text}"
        );
        *before = (number, acked);
        if let Some(receiver) = receiver.filter(|f| f.stats().bytes_delivered > 0) {
            assert!(acked <= receiver.stats().bytes_delivered, "acknowledged before it arrived: {text}");
        }
        assert_eq!(sender.stats().timeouts, sender.tcp_stats().timeouts, "{text}");
    }
}

#[test]
fn mptcp_connections_complete_under_random_path_faults() {
    let mut rng = Rng::new(8684);
    let mut failures = [0_u64; 3];
    for round in 0..300 {
        let profile = ["rfc", "mptcp_0_94", "linux", "ns2", "ns3"][round % 5];
        let (mut sim, text) = random_simulation(&mut rng, profile);
        let mut progress = vec![(0, 0); 2 * sim.world.flows.len()];
        for step in 1..=60 {
            advance(&mut sim, Instant::from_millis(500 * step));
            balance(&mut sim);
            check(&sim, &mut progress, &text);
            for end in sim.world.sockets.iter().filter_map(|s| s.endpoint.as_mptcp()) {
                let s = end.stats();
                let sums = [u64::from(s.stale_subflows), s.reinjected_bytes, u64::from(s.subflows_lost)];
                failures.iter_mut().zip(sums).for_each(|(f, s)| *f += s);
            }
        }
        // Backed-off timeouts reach 120 s, and then some are lost again.
        advance(&mut sim, Instant::from_secs(3000));
        assert_eq!(balance(&mut sim), (0, 0), "round {round}: {text}");
        assert!(sim.fabric.is_quiet(), "an event is still pending in round {round}: {text}");
        for (f, flow) in sim.world.flows.iter().enumerate() {
            let expected = match &sim.plan.scenario.flows[flow.group as usize].app {
                AppConfig::Transfer(app) => (1, app.size.mean() as u64),
                AppConfig::Sequence(app) => (u64::from(app.count.unwrap()), 5 * app.size.mean() as u64),
                AppConfig::RequestResponse(app) => {
                    let n = u64::from(app.count.unwrap());
                    (n, n * (app.request.mean() + app.response.mean()) as u64)
                }
                _ => continue,
            };
            let t = sim.world.flow_stats(f);
            assert_eq!((t.completed, t.delivered_bytes), expected, "round {round}, flow {f}: {text}");
            let paths = flow.paths.iter().flat_map(|paths| paths.directions(f));
            let tallies: Vec<_> = paths.map(|(_, _, lane)| lane.counters).collect();
            let new: u64 = tallies.iter().map(|t| t.new_bytes).sum();
            assert_eq!(new, t.delivered_bytes, "each byte came first by one path, round {round}: {text}");
            let ended = |t: &PathCounters| t.sent_packets == t.received_packets + t.losses.lost;
            assert!(tallies.iter().all(ended), "round {round}: {tallies:?}, {text}");
        }
    }
    assert!(
        failures.iter().all(|n| *n > 0),
        "subflows were stale, repaired elsewhere and lost: {failures:?}"
    );
}
