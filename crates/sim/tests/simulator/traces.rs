//! Links that follow a trace.

use crate::support::{Text, assert_close};
use tailrace_scenario::model::LinkIndex;
use tailrace_sim::opportunities;

/// Datagrams of 1504 bytes on a link with 4 B of overhead, `a_second` per second.
fn datagrams(rate: &str, a_second: u64) -> Text {
    let payload = 1472 * 8 * a_second;
    Text::new("4 s").dumbbell(1, rate, "5 ms", "queue = \"droptail\"\noverhead = \"4 B\"").flow(
        "udp",
        ("src[0]", "dst[0]"),
        "{ kind = \"udp\" }",
        &format!("{{ kind = \"cbr\", rate = \"{payload} bit/s\", size = \"1472 B\" }}"),
    )
}

/// Forward direction of the bottleneck; links to sources come first.
fn exported(text: &Text) -> String {
    let scenario = text.parsed().scenario;
    let at = scenario.links.iter().position(|link| link.name == "bottleneck").unwrap();
    opportunities(&scenario, LinkIndex(at as u32), true).unwrap()
}

fn inline(lines: &str) -> String {
    format!("trace({})", lines.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn trace_utilization_is_relative_to_opportunities() {
    // Three opportunities every 20 ms, 150 per second.
    let run = |a_second| datagrams("trace(3 3 20)", a_second).run();
    assert_close(run(75).leaf("queues.r1->r2.utilization"), 0.5, 0.01);
    let full = run(400);
    // At 3 ms one packet has come, and there are two opportunities.
    assert_close(full.leaf("queues.r1->r2.utilization"), 599.0 / 600.0, 1e-9);
    // The packet of 4 s is in flight.
    assert_eq!(full.flows("udp", "received_packets"), [598.0]);
}

#[test]
fn exported_trace_reproduces_departures() {
    let fault = "[[fault]]\nat = \"1 s\"\nuntil = \"1.5 s\"\nlink = \"bottleneck\"\nkind = \"down\"";
    for (rate, more) in [("trace(3 3 20)", ""), ("trace(3 3 20)", fault), ("trace(0 7 8 8 8 11)", fault)] {
        let text = datagrams(rate, 120).add(more);
        let again = text.with(rate, &inline(&exported(&text)));
        assert_eq!(again.run().output.fingerprint, text.run().output.fingerprint, "{rate} {more}");
    }
    // A link with a rate is served as often, at most a millisecond later.
    let text = datagrams("1504000 bit/s", 300);
    let lines = exported(&text);
    assert!(lines.starts_with("8\n16\n24\n") && lines.ends_with("\n4000\n"), "{lines}");
    let received = |text: &Text| text.run().flows("udp", "received_packets")[0];
    let (exact, traced) = (received(&text), received(&text.with("1504000 bit/s", &inline(&lines))));
    assert!((exact - traced).abs() <= 1.0, "{exact} {traced}");
}

#[test]
fn exported_trace_includes_rate_and_down_faults() {
    let fault = |at: &str, until: &str, kind: &str| {
        format!("[[fault]]\nat = \"{at}\"\nuntil = \"{until}\"\nlink = \"bottleneck\"\nkind = {kind}")
    };
    let text = datagrams("trace(10)", 50)
        .add(&fault("1 s", "2 s", "\"rate\"\nvalue = \"12032 kbit/s\""))
        .add(&fault("3 s", "3.5 s", "\"blackhole\""));
    let times: Vec<u64> = exported(&text).lines().map(|line| line.parse().unwrap()).collect();
    let within = |from: u64, to: u64| times.iter().filter(|ms| **ms > from && **ms <= to).count();
    assert_eq!([within(0, 1000), within(1000, 2000), within(2000, 3000)], [100, 1000, 100]);
    assert_eq!([within(3000, 3500), within(3500, 4000)], [0, 50]);
}

#[test]
fn rate_fault_overrides_trace_until_its_end() {
    let text = datagrams("trace(10)", 400)
        .add("[[fault]]\nat = \"1 s\"\nuntil = \"2 s\"\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"2406400 bit/s\"");
    let run = text.run();
    // At 100 per second, and 200 per second during the fault.
    assert_close(run.flows("udp", "received_packets")[0], 500.0, 0.01);
    assert_close(run.leaf("queues.r1->r2.utilization"), 1.0, 0.005);
}

#[test]
fn tcp_fills_a_trace_link() {
    let text = Text::new("20 s").dumbbell(1, "trace(1 2 2 5 9 14 15)", "10 ms", "queue = \"fq_codel\"").flow(
        "tcp",
        ("src[0]", "dst[0]"),
        "{ kind = \"tcp\" }",
        "\"bulk\"",
    );
    let run = text.run();
    // Opportunities of 7 times 1504 bytes in 15 ms, each with 1448 of payload.
    assert!(run.leaf("groups.tcp.goodput_bps.sum") > 0.9 * 7.0 * 1448.0 * 8.0 / 0.015);
    assert!(run.leaf("queues.r1->r2.utilization") > 0.93);
}
