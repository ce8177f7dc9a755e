//! Packet conservation at any moment of a run, for each flow and link: packets sent are received, lost, or in the network;
//! statistics since the warm-up do not exceed that.

mod multipath;
mod reasons;

use crate::run::control::Control;
use crate::run::simulation::{Progress, Simulation};
use std::sync::Arc;
use tailrace_core::{Instant, Rng};
use tailrace_net::LinkId;
use tailrace_scenario::model::AppConfig;

const NETWORK: &str = r#"
name = "conservation"
duration = "3000 s"
warmup = "6500 ms"
[[host]]
name = "src"
count = 4
[[host]]
name = "dst"
count = 4
[[router]]
name = "r1"
[[router]]
name = "r2"
[[router]]
name = "r3"
[[link]]
between = ["src[*]", "r1"]
rate = "50 Mbit/s"
delay = "uniform(1 ms, 5 ms)"
[[link]]
name = "bottleneck"
between = ["r1", "r2"]
rate = "4 Mbit/s"
delay = "10 ms"
[[link]]
name = "detour"
between = ["r1", "r3"]
rate = "1 Mbit/s"
delay = "10 ms"
[[link]]
between = ["r3", "r2"]
rate = "1 Mbit/s"
delay = "10 ms"
[[link]]
between = ["r2", "dst[*]"]
rate = "50 Mbit/s"
delay = "1 ms"
"#;

const UDP: &str = r#"
[[flow]]
name = "udp"
from = "src[*]"
to = "dst[*]"
transport = { kind = "udp", ecn = true }
app = { kind = "poisson", rate = "1200 kbit/s", size = "500 B" }
stop = "20 s"
"#;

const TCP: &str = r#"
[[flow]]
name = "bulk"
from = "src[*]"
to = "dst[*]"
transport = { kind = "tcp", ecn = true }
app = "bulk"
stop = "20 s"
[[flow]]
name = "sequence"
from = "src[0]"
to = "dst[1]"
transport = { kind = "tcp", ecn = true }
app = { kind = "sequence", size = "30 kB" }
stop = "20 s"
[[flow]]
name = "exchange"
from = "src[1]"
to = "dst[2]"
transport = { kind = "tcp" }
app = { kind = "request_response", request = "1 kB", response = "20 kB" }
stop = "20 s"
"#;

const FAULTS: &str = r#"
[[fault]]
at = "5 s"
until = "8 s"
link = "bottleneck"
kind = "down"
[[fault]]
at = "10 s"
until = "11 s"
link = "bottleneck"
kind = "blackhole"
[[fault]]
at = "12 s"
until = "14 s"
link = "bottleneck"
kind = "rate"
value = "1 Mbit/s"
[[fault]]
at = "15 s"
until = "16 s"
link = "bottleneck"
kind = "delay"
value = "100 ms"
[[fault]]
at = "17 s"
until = "18 s"
link = "bottleneck"
kind = "loss"
value = "10 %"
"#;

fn advance(sim: &mut Simulation, until: Instant) {
    let progress = sim.step(until, &Control::default()).expect("time advances");
    assert!(progress == Progress::Ended || sim.now() == until);
}

fn build(more: &str, bottleneck: &str) -> Simulation {
    build_run(more, bottleneck, 1)
}

fn build_run(more: &str, bottleneck: &str, run: u32) -> Simulation {
    let text =
        NETWORK.replace("name = \"bottleneck\"", &format!("name = \"bottleneck\"\n{bottleneck}")) + more;
    let parsed = tailrace_scenario::parse(&text, "conservation.toml", &[])
        .unwrap_or_else(|e| panic!("{}", tailrace_scenario::render_all(&e, false)));
    Simulation::build(&Arc::new(parsed.scenario), run).unwrap()
}

/// Checks all balances; returns packets in the network, and data packets sent and neither received nor lost.
fn balance(sim: &mut Simulation) -> (u64, u64) {
    let on_the_way = sim.balance().unwrap_or_else(|why| panic!("{why}"));
    for link in 0..sim.fabric.link_count() as u32 {
        let c = sim.fabric.link(LinkId(link)).counters();
        assert!(c.sent_bytes >= 40 * c.dequeued, "link {link}");
    }
    (on_the_way.packets, on_the_way.data_packets)
}

const QUEUES: [&str; 10] = [
    "queue = { kind = \"droptail\", limit = \"20 packets\" }",
    "queue = { kind = \"droptail\", limit = \"20 kB\", drop = \"head\" }",
    "queue = { kind = \"red\", limit = \"60 packets\", ecn = true }\nloss = \"1 %\"",
    "queue = { kind = \"sfq\", limit = \"30 packets\" }",
    "queue = { kind = \"codel\", ecn = true }",
    "jitter = \"exponential(2 ms)\"\nreorder = true\nloss = \"1 %\"",
    "queue = { kind = \"codel\" }\njitter = \"uniform(0 ms, 3 ms)\"",
    "queue = \"police rate 1mbit burst 20kb drop\"",
    "queue = \"htb rate 1mbit\"",
    "queue = { kind = \"prio\", queue = \"pfifo limit 10; tbf rate 1mbit burst 5kb latency 50ms; codel\" }",
];

#[test]
fn packets_are_conserved_through_every_queue_and_fault() {
    for queue in QUEUES {
        for faults in ["", FAULTS] {
            let mut sim = build(&format!("{UDP}{faults}"), queue);
            for step in 1..=60 {
                advance(&mut sim, Instant::from_millis(500 * step));
                let (inside, open) = balance(&mut sim);
                assert_eq!(inside, open, "each packet in the network is a datagram: {queue}");
            }
            assert_eq!(balance(&mut sim), (0, 0), "{queue}");
            assert!(sim.world.flow_stats(0).lost_packets > 0, "{queue}");
        }
    }
}

/// Checks the balance each half second; applications stop at 20 s, and nothing is left at the end.
fn balances_to_the_end(sim: &mut Simulation, queue: &str) {
    for step in 1..=40 {
        advance(sim, Instant::from_millis(500 * step));
        let (inside, open) = balance(sim);
        assert!(open <= inside, "{open} data packets among {inside}: {queue}");
    }
    // Timeouts of up to 60 s have repaired all losses by 200 s.
    advance(sim, Instant::from_secs(200));
    assert_eq!(balance(sim), (0, 0), "{queue}");
    assert_eq!(sim.world.options.in_use(), 0);
}

#[test]
fn tcp_packets_are_conserved_and_sockets_released() {
    for queue in QUEUES {
        let mut sim = build(&format!("{TCP}{FAULTS}"), queue);
        balances_to_the_end(&mut sim, queue);
        assert_eq!(sim.world.sockets.iter().count(), 0, "all connections are over");
        for (f, flow) in sim.world.flows.iter().enumerate() {
            assert_eq!(flow.retired.unacknowledged, 0, "flow {f}: all that was sent is acknowledged");
        }
    }
}

#[test]
fn duplication_corruption_and_reordering_keep_packets_conserved() {
    let mut disturbances = String::new();
    for (kind, more) in
        [("duplication", ""), ("corruption", ""), ("reordering", "hold = \"30 ms\""), ("loss", "")]
    {
        let key = if kind == "loss" { "value" } else { "probability" };
        disturbances += &format!(
            "[[fault]]\nat = \"3 s\"\nuntil = \"15 s\"\nlink = \"bottleneck\"\nkind = \"{kind}\"\n{key} = 0.05\n{more}\n"
        );
    }
    for queue in QUEUES {
        let mut sim = build(&format!("{UDP}{TCP}{disturbances}"), queue);
        balances_to_the_end(&mut sim, queue);
        let done = (0..sim.fabric.link_count() as u32).map(|l| sim.fabric.link(LinkId(l)).counters());
        let all =
            done.fold([0, 0, 0], |[a, b, c], of| [a + of.duplicated, b + of.corrupted, c + of.held_back]);
        assert!(all.iter().all(|n| *n > 50), "{queue}: {all:?}");
    }
}

#[test]
fn short_connections_release_options_and_timers() {
    let short = r#"
[[flow]]
name = "short"
from = "src[*]"
to = "dst[*]"
transport = { kind = "tcp", initial_rto = "100 ms", min_rto = "100 ms" }
app = { kind = "sequence", size = "4 kB" }
stop = "150 s"
"#;
    let mut sim = build(short, "loss = \"1 %\"");
    advance(&mut sim, Instant::from_secs(150));
    let completed: u64 = (0..4).map(|f| sim.world.flow_stats(f).completed).sum();
    assert!(completed > 5000, "{completed}");
    // Each of the four connections under way has a SYN or the SACK blocks of a few ACKs on the wire at a time.
    let slots = sim.world.options.capacity();
    assert!(slots <= 4 * 4, "{slots} slots");
    // Two sockets per connection, and a server that waits for the last ACK while its client is in TIME-WAIT.
    let sockets = sim.world.sockets.capacity();
    assert!(sockets <= 4 * 3, "{sockets} sockets");
    // The last connections leave TIME-WAIT.
    advance(&mut sim, Instant::from_secs(300));
    assert_eq!(balance(&mut sim), (0, 0));
    assert_eq!(sim.world.options.in_use(), 0);
    assert!(sim.fabric.is_quiet(), "an event is still pending");
}

/// Draws one of `choices`.
fn one<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.below(choices.len() as u64) as usize]
}

/// Draws flows with random endpoints over a bottleneck with random impairments.
fn random_simulation(rng: &mut Rng) -> (Simulation, String) {
    let queue = one(rng, &QUEUES).to_owned();
    let mut flows = String::new();
    for i in 0..1 + rng.below(4) {
        let transport = format!(
            "{{ kind = \"tcp\", profile = \"{}\", cc = \"{}\", sack = {}, timestamps = {}, ecn = {}, data_retries = 1000, syn_retries = 1000, mss = \"{} B\", {} }}",
            one(rng, &["rfc", "ns2", "ns3", "linux"]),
            one(rng, &["reno", "newreno", "cubic"]),
            rng.bernoulli(0.5),
            rng.bernoulli(0.5),
            rng.bernoulli(0.5),
            1 + rng.below(1448),
            one(
                rng,
                &[
                    "iw = 1",
                    "window = 3",
                    "delayed_ack = 1",
                    "limited_transmit = false",
                    "receive_buffer = \"20 kB\""
                ]
            ),
        );
        let app = one(
            rng,
            &[
                "{ kind = \"transfer\", size = \"100 kB\" }",
                "{ kind = \"sequence\", size = \"7 kB\", gap = \"exponential(50 ms)\", count = 9 }",
                "{ kind = \"request_response\", request = \"1 B\", response = \"9 kB\", think = \"10 ms\", count = 9 }",
                "{ kind = \"request_response\", request = \"30 kB\", response = \"1 B\", count = 3 }",
            ],
        );
        let (from, to) = (rng.below(4), rng.below(4));
        let (from, to) = if rng.bernoulli(0.5) {
            (format!("src[{from}]"), format!("dst[{to}]"))
        } else {
            (format!("dst[{to}]"), format!("src[{from}]"))
        };
        flows += &format!(
            "[[flow]]\nname = \"f{i}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = {transport}\napp = {app}\nstart = \"uniform(0 s, 3 s)\"\n"
        );
    }
    let faults = if rng.bernoulli(0.5) { FAULTS } else { "" };
    let udp = if rng.bernoulli(0.5) { UDP } else { "" };
    let (more, run) = (format!("{flows}{udp}{faults}"), 1 + rng.below(1000) as u32);
    (build_run(&more, &queue, run), format!("run {run}\n{queue}\n{more}"))
}

#[test]
fn applications_complete_under_random_faults() {
    let mut rng = Rng::new(20);
    for round in 0..60 {
        let (mut sim, text) = random_simulation(&mut rng);
        for step in 1..=30 {
            advance(&mut sim, Instant::from_secs(step));
            balance(&mut sim);
        }
        // Backed-off timeouts reach 120 s, and then some are lost again.
        advance(&mut sim, Instant::from_secs(3000));
        assert_eq!(balance(&mut sim), (0, 0), "round {round}: {text}");
        assert_eq!(sim.world.options.in_use(), 0, "round {round}: {text}");
        for (f, flow) in sim.world.flows.iter().enumerate() {
            let expected = match &sim.plan.scenario.flows[flow.group as usize].app {
                AppConfig::Transfer(app) => (1, app.size.mean() as u64),
                AppConfig::Sequence(app) => {
                    (9, 9 * app.size.mean() as u64).min((app.count.unwrap().into(), u64::MAX))
                }
                AppConfig::RequestResponse(app) => {
                    let n = u64::from(app.count.unwrap());
                    (n, n * (app.request.mean() + app.response.mean()) as u64)
                }
                _ => continue,
            };
            let t = sim.world.flow_stats(f);
            assert_eq!((t.completed, t.delivered_bytes), expected, "round {round}, flow {f}: {text}");
        }
    }
}

/// A client with three interfaces and a server with two, in a network with a detour; any packet may be lost.
const HOMES: &str = r#"
name = "homes"
duration = "3000 s"
warmup = "1500 ms"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "a1"
between = ["a", "r1"]
rate = "2 Mbit/s"
delay = "10 ms"
[[link]]
name = "a2"
between = ["a", "r1"]
rate = "1 Mbit/s"
delay = "50 ms"
loss = "2 %"
[[link]]
name = "a3"
between = ["a", "r2"]
rate = "3 Mbit/s"
delay = "5 ms"
queue = { kind = "codel" }
[[link]]
name = "middle"
between = ["r1", "r2"]
rate = "10 Mbit/s"
delay = "2 ms"
[[link]]
name = "b1"
between = ["r1", "b"]
rate = "10 Mbit/s"
delay = "1 ms"
loss = "0.5 %"
[[link]]
name = "b2"
between = ["r2", "b"]
rate = "10 Mbit/s"
delay = "1 ms"
"#;

/// Draws the endpoints of a host with `interfaces`.
fn draw_endpoints(rng: &mut Rng, interfaces: u64) -> String {
    let flags = ["subflow", "subflow backup", "signal", "signal subflow", "fullmesh", "subflow fullmesh"];
    // The last has no endpoint, so it is never a backup.
    let all: Vec<String> = (1..interfaces).map(|i| format!("{i} {}", one(rng, &flags))).collect();
    all.join(", ")
}

/// Draws a fault script that leaves the first interfaces of both ends connected.
fn draw_script(rng: &mut Rng) -> String {
    let commands = [
        "connect 2 to 1",
        "connect 2 to 2",
        "connect 1 to 2 backup",
        "close 2 to 1",
        "announce 2",
        "remove 2",
        "backup 1",
        "regular 1",
        "backup 2",
    ];
    let steps: Vec<String> =
        (0..1 + rng.below(6)).map(|_| format!("{} ms {}", rng.below(20_000), one(rng, &commands))).collect();
    steps.join("; ")
}

fn draw_path_manager(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => format!(
            "{{ kind = \"manual\", client = \"{}\", server = \"{}\" }}",
            draw_script(rng),
            draw_script(rng)
        ),
        1 => "\"linux\"".into(),
        2 => format!(
            "{{ kind = \"linux\", subflows = {}, add_addr_accepted = {}, client = \"{}\", server = \"{}\", event_delay = \"{} ms\" }}",
            rng.below(9),
            rng.below(9),
            draw_endpoints(rng, 3),
            one(rng, &["none", "2 signal", "2 signal backup"]),
            rng.below(2000),
        ),
        _ => format!("\"{}\"", one(rng, &["passive", "ndiffports", "fullmesh"])),
    }
}

#[test]
fn mptcp_transfers_complete_with_every_path_manager() {
    let mut rng = Rng::new(7);
    let mut rounds = 0;
    for round in 0..200 {
        let transport = format!(
            "{{ kind = \"mptcp\", profile = \"{}\", data_retries = 1000, syn_retries = 1000, scheduler = \"{}\", path_manager = {} }}",
            one(&mut rng, &["rfc", "linux", "mptcp_0_94"]),
            one(&mut rng, &["lowest_rtt", "linux", "round_robin", "redundant", "ecf"]),
            draw_path_manager(&mut rng),
        );
        let mut text = format!(
            "{HOMES}[[flow]]\nname = \"mp\"\nfrom = \"a\"\nto = \"b\"\ntransport = {transport}\napp = {{ kind = \"transfer\", size = \"1 MB\" }}\n"
        );
        for _ in 0..rng.below(4) {
            let (at, link) = (rng.below(10_000), one(&mut rng, &["a1", "a2", "a3", "middle", "b1", "b2"]));
            let (until, kind) =
                (at + 1 + rng.below(10_000), one(&mut rng, &["blackhole", "blackhole", "down"]));
            // The initial subflow's links must stay or recover by themselves: address changes may end the only subflow.
            let kind = if link == "a2" || link == "a3" { kind } else { "blackhole" };
            text += &format!(
                "[[fault]]\nat = \"{at} ms\"\nuntil = \"{until} ms\"\nlink = \"{link}\"\nkind = \"{kind}\"\n"
            );
        }
        // Some draws leave only backups, which is an error.
        let Ok(parsed) = tailrace_scenario::parse(&text, "homes.toml", &[]) else { continue };
        rounds += 1;
        let mut sim = Simulation::build(&Arc::new(parsed.scenario), 1 + round).unwrap();
        for step in 1..=30 {
            advance(&mut sim, Instant::from_secs(step));
            balance(&mut sim);
        }
        advance(&mut sim, Instant::from_secs(3000));
        assert_eq!(balance(&mut sim), (0, 0), "round {round}: {text}");
        let t = sim.world.flow_stats(0);
        assert_eq!((t.completed, t.delivered_bytes), (1, 1_000_000), "round {round}: {text}");
    }
    assert!(rounds > 150, "{rounds}");
}
