//! Faults that duplicate, corrupt and reorder packets.

use crate::cable::{cable, lost, on_cable, told};
use crate::support::{Run, Text};

/// Packets received by each flow, and the arrived bytes as a number of packets.
fn received(run: &Run) -> [(f64, f64); 2] {
    let (packets, rate) = (run.column("flows", "received_packets"), run.column("flows", "throughput_bps"));
    [0, 1].map(|i| (packets[i], (rate[i] * 10.0 / 8.0 / 500.0).round()))
}

fn disturbed(run: &Run, way: &str, what: &str) -> f64 {
    run.leaf(&format!("queues.{way}.disturbed_packets.{what}"))
}

#[test]
fn duplication_delivers_twice_and_counts_sent_once() {
    let run = on_cable("kind = \"duplication\"\nprobability = 1");
    // Each way 900 datagrams and 200 duplicates, which count as arrived bytes but not as packets sent.
    assert_eq!(received(&run), [(900.0, 1100.0); 2]);
    assert_eq!(lost(&run), [0.0, 0.0]);
    assert_eq!(disturbed(&run, "src[0]->dst[0]", "duplicated"), 200.0);
    run.assert_drained();
    let one = cable("link = \"cable\"\ndirection = \"reverse\"\nkind = \"duplication\"\nprobability = 1");
    assert_eq!(received(&one), [(900.0, 900.0), (900.0, 1100.0)]);
}

#[test]
fn corruption_is_dropped_by_the_receiving_host() {
    let run = on_cable("kind = \"corruption\"\nprobability = 1");
    assert_eq!((lost(&run), told(&run, "corrupted"), told(&run, "link_loss")), ([200.0; 2], 400, 0));
    assert_eq!(disturbed(&run, "dst[0]->src[0]", "corrupted"), 200.0);
    run.assert_drained();
    // A duplicate in front of routers takes its place in the queue of the next link.
    let text = Text::new("10 s")
        .top("record = { events = true }")
        .dumbbell(1, "400 kbit/s", "1 ms", "")
        .flow("udp", ("src[0]", "dst[0]"), "{ kind = \"udp\", header = \"0 B\" }", crate::cable::DATAGRAMS)
        .add("[[fault]]\nkind = \"corruption\"\nhost = \"src[0]\"\nprobability = 1\nat = \"0 s\"");
    let run = text.run();
    assert_eq!(run.column("flows", "received_packets"), [0.0]);
    assert!(run.leaf("queues.r1->r2.dequeued_packets") > 990.0);
    assert_eq!(told(&run, "corrupted") as f64, run.leaf("groups.udp.lost_packets"));
}

#[test]
fn reordering_delays_only_held_datagrams() {
    // A datagram of 500 B at 10 Mbit/s and 1 ms takes 1.4 ms; every fifth of 200 takes 25 ms more, so two overtake it.
    let run = on_cable("kind = \"reordering\"\nprobability = 1\nhold = \"25 ms\"\ngap = 5");
    let delay = |what: &str| run.leaf(&format!("groups.there.one_way_delay_s.{what}"));
    assert!((delay("min") - 0.0014).abs() < 1e-9 && (delay("max") - 0.0264).abs() < 1e-9);
    let mean = (40.0 * 0.0264 + 860.0 * 0.0014) / 900.0;
    assert!((delay("mean") - mean).abs() < 1e-9, "{} {mean}", delay("mean"));
    assert_eq!(disturbed(&run, "src[0]->dst[0]", "held_back"), 40.0);
    assert_eq!(lost(&run), [0.0, 0.0]);
}

#[test]
fn duplication_corruption_and_reordering_combine_without_changing_other_draws() {
    let loss =
        "[[fault]]\nat = \"2005 ms\"\nuntil = \"4005 ms\"\nlink = \"cable\"\nkind = \"loss\"\nvalue = 0.3\n";
    let alone = lost(&cable(loss.trim_start_matches("[[fault]]\nat = \"2005 ms\"\nuntil = \"4005 ms\"\n")));
    let disturbed = on_cable(&format!(
        "kind = \"duplication\"\nprobability = 0.5\n[[fault]]\nat = \"0 s\"\nlink = \"cable\"\nkind = \"reordering\"\n\
         probability = 0.2\nhold = \"9 ms\"\n{loss}"
    ));
    // The hold of 9 ms is shorter than the gap between datagrams: the same ones are lost.
    assert_eq!(lost(&disturbed), alone);
    assert!(alone[0] > 30.0);
    disturbed.assert_drained();
}

#[test]
fn tcp_and_mptcp_complete_under_duplication_corruption_and_reordering() {
    let faults = "[[fault]]\nat = \"0 s\"\nlink = \"*\"\nkind = \"duplication\"\nprobability = 0.1\n\
                  [[fault]]\nat = \"0 s\"\nlink = \"*\"\nkind = \"corruption\"\nprobability = 0.01\n\
                  [[fault]]\nat = \"0 s\"\nlink = \"*\"\nkind = \"reordering\"\nprobability = 0.05\nhold = \"5 ms\"";
    let transfer = "{ kind = \"transfer\", size = \"1 MB\" }";
    for profile in ["rfc", "linux"] {
        let run = Text::new("60 s")
            .hosts("a", 1)
            .hosts("b", 1)
            .link("a", "b", "5 Mbit/s", "10 ms", "name = \"one\"")
            .link("a", "b", "5 Mbit/s", "20 ms", "name = \"two\"")
            .flow("tcp", ("a", "b"), &format!("{{ kind = \"tcp\", profile = \"{profile}\" }}"), transfer)
            .flow("mp", ("a", "b"), &format!("{{ kind = \"mptcp\", profile = \"{profile}\" }}"), transfer)
            .add(&faults.replace("\"*\"", "[\"one\", \"two\"]"))
            .run();
        for flow in ["tcp", "mp"] {
            let of = |what: &str| run.leaf(&format!("groups.{flow}.{what}"));
            assert_eq!((of("completed"), of("goodput_bps.sum")), (1.0, 8e6 / 60.0), "{profile} {flow}");
            assert!(of("lost_packets") > 0.0);
        }
    }
}
