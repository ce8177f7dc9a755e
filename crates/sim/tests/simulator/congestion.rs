//! Every congestion control in a whole simulation, and L4S: Prague beside a classic flow in DualPI2.

use super::support::Text;
use tailrace_transport::CcConfig;

fn bulk(queue: &str, flows: &[(&str, &str)]) -> Text {
    let n = flows.len();
    let text = Text::new("30 s").top("warmup = \"10 s\"").dumbbell(n, "20 Mbit/s", "9 ms", queue);
    flows.iter().enumerate().fold(text, |text, (i, (name, transport))| {
        let (from, to) = (format!("src[{i}]"), format!("dst[{i}]"));
        let transport = format!("{{ kind = \"tcp\", profile = \"linux\", {transport} }}");
        text.flow(name, (&from, &to), &transport, "\"bulk\"")
    })
}

#[test]
fn every_congestion_control_fills_a_link_with_one_bdp_of_queue() {
    // 20 Mbit/s and 22 ms: 36 packets of 1500 B.
    for cc in CcConfig::names() {
        let queue = "queue = { kind = \"droptail\", limit = \"36 packets\" }";
        let run = bulk(queue, &[("tcp", &format!("cc = \"{cc}\""))]).run();
        let used = run.queue("utilization");
        assert!(used > 0.9, "{cc}: {used}");
    }
}

#[test]
fn prague_has_low_delay_and_fair_share_in_dualpi2() {
    let flows = [("tcp", "cc = \"prague\""), ("classic", "cc = \"cubic\", ecn = true")];
    let run = bulk("queue = \"dualpi2\"", &flows).run();
    let delay = |group: &str| run.leaf(&format!("groups.{group}.one_way_delay_s.mean"));
    let rate = |group: &str| run.leaf(&format!("groups.{group}.goodput_bps.sum"));
    // The path takes 11 ms, and a packet of 1500 B 0.6 ms.
    assert!(delay("tcp") < 0.0135 && delay("classic") > 0.018, "{} {}", delay("tcp"), delay("classic"));
    let share = rate("tcp") / (rate("tcp") + rate("classic"));
    assert!((0.3..0.7).contains(&share), "{share}");
    assert!(run.queue("utilization") > 0.95);
}
