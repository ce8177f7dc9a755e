//! Traffic patterns: incast, all pairs, and permutations drawn per run.

use crate::support::{Run, Text, run_scenario};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use tailrace_sim::Simulation;

/// Hosts `a[0]` and so on, and others `b`, around a router.
fn star(hosts: usize, (from, to): (&str, &str), more: &str) -> Text {
    Text::new("100 ms")
        .top("seed = 7")
        .hosts("a", hosts)
        .hosts("b", hosts)
        .router("r")
        .link("a[*]", "r", "10 Mbit/s", "1 ms", "")
        .link("r", "b[*]", "10 Mbit/s", "1 ms", "")
        .flow_with(
            "x",
            (from, to),
            "{ kind = \"udp\" }",
            "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"100 B\" }",
            more,
        )
}

fn ends(run: &Run) -> Vec<(String, String)> {
    let [src, dst] = ["src", "dst"].map(|end| run.words("flows", end));
    src.into_iter().zip(dst).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn permutation_is_a_derangement_fixed_by_the_run(
        hosts in 2_usize..12,
        seed in any::<u32>(),
        among in any::<bool>(),
        number in 1_u32..5,
    ) {
        let sides = if among { ("a[*]", "a[*]") } else { ("a[*]", "b[*]") };
        let text = star(hosts, sides, "pattern = \"permutation\"").with("seed = 7", &format!("seed = {seed}"));
        let run = text.run_number(number);
        let drawn = ends(&run);
        let senders: Vec<_> = (0..hosts).map(|i| format!("a[{i}]")).collect();
        prop_assert_eq!(drawn.iter().map(|(from, _)| from.clone()).collect::<Vec<_>>(), senders);
        let receivers: BTreeSet<_> = drawn.iter().map(|(_, to)| to).collect();
        prop_assert_eq!(receivers.len(), hosts);
        prop_assert!(drawn.iter().all(|(from, to)| from != to));
        // Rows of flows agree with the packets received.
        prop_assert!(run.column("flows", "received_packets").iter().all(|packets| *packets > 0.0));
        let again = text.run_number(number);
        prop_assert_eq!(&ends(&again), &drawn);
        prop_assert_eq!(again.output.fingerprint, run.output.fingerprint);
    }
}

#[test]
fn permutations_are_uniformly_distributed() {
    // Four hosts have nine derangements.
    let text = star(4, ("a[*]", "a[*]"), "pattern = \"permutation\"");
    let mut times = std::collections::BTreeMap::new();
    for number in 1..=360 {
        *times.entry(ends(&text.run_number(number))).or_insert(0) += 1;
    }
    assert_eq!(times.len(), 9);
    // Expected 40 each, with a standard deviation of six.
    assert!(times.values().all(|n| (16..=64).contains(n)), "{:?}", times.values());
}

#[test]
fn resolved_permutation_is_redrawn_equal() {
    let scenario = star(9, ("a[*]", "a[*]"), "pattern = \"permutation\"").scenario();
    let first = run_scenario(&scenario, 3);
    let resolved = Simulation::build(&scenario, 3).unwrap().resolved();
    let again = run_scenario(&Arc::new(resolved), 3);
    assert_eq!(ends(&again), ends(&first));
    assert_eq!(again.output.fingerprint, first.output.fingerprint);
}

#[test]
fn added_groups_do_not_change_permutation() {
    let text = star(8, ("a[*]", "a[*]"), "pattern = \"permutation\"");
    let other = text.clone().flow(
        "y",
        ("b[*]", "b[0]"),
        "{ kind = \"udp\" }",
        "{ kind = \"cbr\", rate = \"80 kbit/s\", size = \"100 B\" }",
    );
    let other = other.with("[[flow]]\nname = \"y\"", "[[flow]]\npattern = \"incast\"\nname = \"y\"");
    assert_eq!(ends(&other.run())[..8], ends(&text.run()));
}

#[test]
fn incast_flows_start_simultaneously_by_default() {
    let starts = |pattern: &str, start: &str| {
        let more = format!("pattern = \"{pattern}\"\nstart = {start}");
        let run = star(5, ("a[*]", "a[2]"), &more).run();
        assert_eq!(run.words("flows", "src"), ["a[0]", "a[1]", "a[3]", "a[4]"]);
        assert!(run.words("flows", "dst").iter().all(|to| to == "a[2]"));
        run.flows("x", "start_s")
    };
    let drawn = starts("incast", "\"uniform(0 s, 50 ms)\"");
    assert!(drawn[0] > 0.0 && drawn.iter().all(|start| *start == drawn[0]), "{drawn:?}");
    assert_eq!(starts("incast", "[\"0 s\", \"1 ms\", \"2 ms\", \"3 ms\"]"), [0.0, 0.001, 0.002, 0.003]);
    // Start times of the same pairs under another pattern are drawn per flow.
    let each = starts("all_pairs", "\"uniform(0 s, 50 ms)\"");
    assert!(each.iter().skip(1).all(|start| *start != each[0]), "{each:?}");
}
