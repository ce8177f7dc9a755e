//! Resolution of `[[fault]]`: directions of links, start and end.

use std::sync::Arc;
use tailrace_core::{Bytes, Duration};
use tailrace_scenario::model::{Fault, LinkDirection};
use tailrace_scenario::{Files, Parsed, Source, parse, render_all};

/// Eight ways from the client to the server, and a tenth link beside.
const WAYS: &str = r#"
name = "ways"
duration = "100 s"
[[host]]
name = "client"
[[host]]
name = "server"
[[router]]
name = "r"
count = 8
[[link]]
name = "c"
between = ["client", "r[*]"]
rate = "1 Mbit/s"
delay = "10 ms"
[[link]]
name = "s"
between = ["r[*]", "server"]
rate = "1 Gbit/s"
delay = "1 ms"
[[link]]
name = "across"
between = ["r[0]", "r[1]"]
rate = "1 Gbit/s"
delay = "1 ms"
[[flow]]
name = "f"
from = "client"
to = "server"
transport = "tcp"
app = "bulk"
start = "uniform(0 s, 1 s)"
"#;

fn read(fault: &str, set: &[(&str, &str)]) -> Parsed {
    let set: Vec<_> = set.iter().map(|(p, v)| ((*p).to_string(), (*v).to_string())).collect();
    let text = format!("{WAYS}[[fault]]\nname = \"x\"\n{fault}\n");
    let parsed = parse(&text, "ways.toml", &set).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
    // The resolved file says the same.
    let again = parse(&parsed.to_toml(), "resolved.toml", &[]).unwrap();
    assert_eq!(again.scenario, parsed.scenario, "{}", parsed.to_toml());
    assert_eq!(again.to_toml(), parsed.to_toml());
    parsed
}

/// Directions as results name them.
fn ways(parsed: &Parsed, fault: &Fault) -> Vec<String> {
    let name = |way: &LinkDirection| {
        let link = &parsed.scenario.links[way.link.0 as usize].name;
        format!("{link}{}", if way.backward { "<" } else { ">" })
    };
    fault.ways.iter().map(name).collect()
}

/// Each fault: its links, which are concerned in both directions, and its times in seconds.
fn timeline(parsed: &Parsed) -> Vec<(Vec<String>, f64, Option<f64>)> {
    let links = |fault: &Fault| {
        let of = |l: &tailrace_scenario::model::LinkIndex| parsed.scenario.links[l.0 as usize].name.clone();
        assert_eq!(fault.ways.len(), 2 * fault.links().len());
        fault.links().iter().map(of).collect()
    };
    let row = |f: &Fault| (links(f), f.at.as_secs_f64(), f.until.map(Duration::as_secs_f64));
    parsed.scenario.faults.iter().map(row).collect()
}

const ONE_AFTER_THE_OTHER: &str =
    "kind = \"down\"\nat = \"10 s\"\nevery = \"2 s\"\nback_every = \"2 s\"\ncount = 8\n";

#[test]
fn links_go_one_after_the_other_and_come_back_likewise() {
    // Alenazi 2019: number k goes at 10 + 2 (k - 1) and is back at 10 + 2 n + 2 (k - 1).
    let of = [
        ("host = \"client\"", vec!["c"]),
        ("host = \"server\"", vec!["s"]),
        ("host = [\"client\", \"server\"]", vec!["c", "s"]),
        ("link = \"c[*]\"", vec!["c"]),
        ("link = [\"c[*]\", \"s[*]\"]", vec!["c", "s"]),
    ];
    for (place, links) in &of {
        for n in 1..=7_u32 {
            let set = [("fault.x.count", n.to_string())];
            let set: Vec<_> = set.iter().map(|(p, v)| (*p, v.as_str())).collect();
            let found = timeline(&read(&format!("{ONE_AFTER_THE_OTHER}{place}"), &set));
            let expected = (1..=n).map(|k| {
                let names = links.iter().map(|l| format!("{l}[{}]", k - 1)).collect::<Vec<_>>();
                let (down, up) = (10 + 2 * (k - 1), 10 + 2 * n + 2 * (k - 1));
                (names, f64::from(down), Some(f64::from(up)))
            });
            assert_eq!(found, Vec::from_iter(expected), "{place}, {n}");
        }
    }
    // None of them is a control, in the same sweep.
    let none = read(&format!("{ONE_AFTER_THE_OTHER}host = \"client\""), &[("fault.x.count", "0")]);
    assert_eq!(timeline(&none), []);
}

#[test]
fn the_first_returns_when_the_last_has_gone_for_a_while() {
    let place = "link = [\"c[7]\", \"across\", \"s[2]\"]";
    let found = timeline(&read(
        &format!("kind = \"blackhole\"\nat = \"1 s\"\nevery = \"500 ms\"\nback_every = \"3 s\"\n{place}"),
        &[],
    ));
    // Links that are named one by one go in the order in which they are named: at 1, 1.5 and 2 s, and from 2 s on return.
    let row = |link: &str, at, until| (vec![link.to_string()], at, Some(until));
    assert_eq!(found, [row("c[7]", 1.0, 5.0), row("across", 1.5, 8.0), row("s[2]", 2.0, 11.0)]);
    // All at once, and back one by one; or one by one, and back together.
    let at_once = timeline(&read(
        &format!("kind = \"down\"\nat = \"1 s\"\nback_every = \"3 s\"\ncount = 2\n{place}"),
        &[],
    ));
    assert_eq!(at_once, [row("c[7]", 1.0, 4.0), row("across", 1.0, 7.0)]);
    let together = timeline(&read(
        &format!("kind = \"down\"\nat = \"1 s\"\nevery = \"1 s\"\nuntil = \"9 s\"\n{place}"),
        &[],
    ));
    assert_eq!(together, [row("c[7]", 1.0, 9.0), row("across", 2.0, 9.0), row("s[2]", 3.0, 9.0)]);
}

#[test]
fn a_host_stands_for_its_links_or_some_of_them() {
    let of = |place: &str| {
        let found = timeline(&read(&format!("kind = \"down\"\nat = \"1 s\"\n{place}"), &[]));
        assert_eq!(found.len(), 1, "{place}");
        found.into_iter().next().unwrap().0
    };
    let all: Vec<String> = (0..8).map(|i| format!("c[{i}]")).collect();
    assert_eq!(of("host = \"client\""), all);
    assert_eq!(of("host = \"client\"\ninterface = 2"), ["c[1]"]);
    assert_eq!(of("host = \"client\"\ninterface = [1, \"7..9\"]"), ["c[0]", "c[6]", "c[7]"]);
    assert_eq!(of("host = [\"client\", \"server\"]\ninterface = \"3..4\""), ["c[2]", "s[2]"]);
    assert_eq!(of("link = [\"across\", \"c[0..2]\", \"c[1]\"]"), ["c[0]", "c[1]", "across"]);
}

#[test]
fn one_direction_is_told_by_the_ends_of_the_link_or_from_the_host() {
    let of = |place: &str| {
        let parsed = read(&format!("kind = \"rate\"\nvalue = \"1 kbit/s\"\nat = \"1 s\"\n{place}"), &[]);
        ways(&parsed, &parsed.scenario.faults[0])
    };
    assert_eq!(of("link = \"across\""), ["across>", "across<"]);
    assert_eq!(of("link = \"across\"\ndirection = \"both\""), ["across>", "across<"]);
    assert_eq!(of("link = \"across\"\ndirection = \"forward\""), ["across>"]);
    assert_eq!(of("link = \"c[0..2]\"\ndirection = \"reverse\""), ["c[0]<", "c[1]<"]);
    // The client is the first end of its links, the server the second of its own.
    assert_eq!(of("host = \"client\"\ninterface = 1\ndirection = \"up\""), ["c[0]>"]);
    assert_eq!(of("host = \"client\"\ninterface = 1\ndirection = \"down\""), ["c[0]<"]);
    assert_eq!(of("host = \"server\"\ninterface = 1\ndirection = \"up\""), ["s[0]<"]);
    assert_eq!(of("host = \"server\"\ninterface = 1\ndirection = \"down\""), ["s[0]>"]);
}

#[test]
fn a_router_stands_for_all_its_links_at_once() {
    let one = timeline(&read("kind = \"restart\"\nat = \"1 s\"\nrouter = \"r[1]\"", &[]));
    assert_eq!(one, [(vec!["c[1]".to_string(), "s[1]".into(), "across".into()], 1.0, None)]);
    let each = timeline(&read(
        "kind = \"down\"\nat = \"1 s\"\nrouter = \"r[2..4]\"\nevery = \"1 s\"\nback_every = \"5 s\"",
        &[],
    ));
    let row = |i, at, until| (vec![format!("c[{i}]"), format!("s[{i}]")], at, Some(until));
    assert_eq!(each, [row(2, 1.0, 7.0), row(3, 2.0, 12.0)]);
    let up = read("kind = \"down\"\nat = \"1 s\"\nrouter = \"r[0]\"\ndirection = \"up\"", &[]);
    assert_eq!(ways(&up, &up.scenario.faults[0]), ["c[0]<", "s[0]>", "across>"]);
}

#[test]
fn links_that_change_while_a_fault_lasts_do_so_each_by_itself() {
    let place = "at = \"1 s\"\nuntil = \"9 s\"\nhost = [\"client\", \"server\"]\ninterface = \"1..3\"";
    let flap = "kind = \"flap\"\ndown = \"exponential(1 s)\"\nup = \"exponential(2 s)\"";
    let row = |link: &str| (vec![link.to_string()], 1.0, Some(9.0));
    let found = timeline(&read(&format!("{flap}\n{place}"), &[]));
    assert_eq!(found, ["c[0]", "c[1]", "s[0]", "s[1]"].map(row));
    // A fault of two steps is accepted.
    let steps = read(&format!("{flap}\n{place}\nevery = \"1 s\""), &[]);
    assert_eq!(steps.scenario.faults.len(), 4);
    assert!(steps.to_toml().contains("\ncount = 2\n"), "{}", steps.to_toml());
}

#[derive(Debug)]
struct Drive;

impl Files for Drive {
    fn read(&self, name: &str) -> Result<String, String> {
        match name {
            "drive.csv" => Ok("time [s], rate [Mbit/s]\n0, 10\n0.5, 2 # a tunnel\n".into()),
            "queues.csv" => Ok("time [s], queue\n0, pfifo limit 20\n5, fq_codel\n".into()),
            "slip.csv" => Ok("# queues by day\ntime [s], queue\n\n0, red\n5, reed\n".into()),
            _ => Err("there is no such file".into()),
        }
    }
}

#[test]
fn rows_of_a_file_stand_in_the_resolved_scenario() {
    let parsed = trace("drive.csv").scenario(&[], Bytes(1 << 30)).unwrap();
    let resolved = parsed.to_toml();
    assert!(resolved.contains("rows = \"time, rate; 0 s, 10 Mbit/s; 500 ms, 2 Mbit/s\""), "{resolved}");
    assert_eq!(parse(&resolved, "resolved.toml", &[]).unwrap().scenario, parsed.scenario);
}

/// A trace of a file beside the scenario.
fn trace(file: &str) -> Source {
    let fault = format!("[[fault]]\nkind = \"trace\"\nat = \"1 s\"\nlink = \"across\"\nrows = \"{file}\"\n");
    Source::new(&format!("{WAYS}{fault}"), "ways.toml").reading(Arc::new(Drive))
}

#[test]
fn queues_of_a_file_stand_in_the_resolved_scenario_as_they_were_written() {
    let parsed = trace("queues.csv").scenario(&[], Bytes(1 << 30)).unwrap();
    let resolved = parsed.to_toml();
    assert!(resolved.contains("rows = \"time, queue; 0 s, pfifo limit 20; 5 s, fq_codel\""), "{resolved}");
    let again = parse(&resolved, "resolved.toml", &[]).unwrap();
    assert_eq!(again.scenario, parsed.scenario);
    assert_eq!(again.to_toml(), resolved);
}

#[test]
fn a_queue_that_cannot_be_read_is_told_with_its_file_and_line() {
    let said = render_all(&trace("slip.csv").scenario(&[], Bytes(1 << 30)).unwrap_err(), false);
    let why = "\"slip.csv\": line 5: unknown queue discipline \"reed\"; did you mean \"red\"?";
    assert!(said.contains(why) && said.contains("rows = \"slip.csv\""), "{said}");
}

/// The errors of these faults, as text.
fn errors(faults: &str) -> String {
    match parse(&format!("{WAYS}{faults}"), "ways.toml", &[]) {
        Ok(_) => String::new(),
        Err(errors) => render_all(&errors, false),
    }
}

#[test]
fn faults_that_contradict_one_another_are_refused() {
    let two = |first: &str, second: &str| {
        let fault = |said: &str| format!("[[fault]]\nlink = \"across\"\n{said}\n");
        errors(&format!("{}{}", fault(first), fault(second)))
    };
    let span =
        |kind: &str, at: u32, until: u32| format!("kind = {kind}\nat = \"{at} s\"\nuntil = \"{until} s\"");
    let (down, black) = ("\"down\"", "\"blackhole\"");
    let rate = |mbit| format!("\"rate\"\nvalue = \"{mbit} Mbit/s\"");
    let said = two(&span(down, 10, 20), &span(down, 15, 25));
    assert!(said.contains("contradicting-faults") && said.contains("down from 15 s to 25 s"), "{said}");
    // In whatever order they are written; of one link among several; of one direction of it.
    assert!(two(&span(down, 15, 25), &span(down, 10, 20)).contains("contradicting-faults"));
    assert!(two(&span(&rate(1), 10, 20), &span(&rate(2), 15, 25)).contains("contradicting-faults"));
    assert!(two(&span(&rate(1), 10, 20), &span(&rate(2), 10, 20)).contains("contradicting-faults"));
    let one_way = format!("{}\ndirection = \"forward\"", span(down, 15, 25));
    assert!(two(&span(down, 10, 20), &one_way).contains("contradicting-faults"));
    // Faults do not clash if one lies within the other, follows it, has another kind or direction, or says that it overlaps.
    let fine = [
        (span(down, 10, 20), span(down, 12, 20)),
        (span(down, 10, 20), span(down, 10, 20)),
        (span(down, 10, 20), span(down, 20, 25)),
        (span(&rate(1), 10, 20), span(&rate(2), 12, 15)),
        (span(&rate(1), 10, 20), span(&rate(1), 10, 20)),
        ("kind = \"down\"\nat = \"1 s\"".into(), span(down, 15, 25)),
        (span(down, 10, 20), span(black, 15, 25)),
        (span(down, 10, 20), span(&rate(1), 15, 25)),
        (span(down, 10, 20), format!("{}\noverlap = true", span(down, 15, 25))),
        (format!("{}\noverlap = true", span(down, 10, 20)), span(down, 15, 25)),
        (format!("{}\ndirection = \"reverse\"", span(down, 10, 20)), one_way),
    ];
    for (first, second) in fine {
        assert_eq!(two(&first, &second), "", "{first}\n{second}");
    }
}

#[test]
fn what_comes_too_late_or_in_wrong_numbers_is_refused() {
    let fault = |said: &str| errors(&format!("[[fault]]\nkind = \"down\"\n{said}\n"));
    let cases = [
        ("at = \"100 s\"\nlink = \"across\"", "starts at 100 s, when the run is over"),
        ("at = \"90 s\"\nlink = \"c[*]\"\nevery = \"2 s\"", "last of 8 links at 104 s, when the run is over"),
        ("at = \"9 s\"\nlink = \"c[*]\"\nevery = \"87600 h\"", "when the run is over"),
        (
            "at = \"9 s\"\nlink = \"c[*]\"\nevery = \"1 s\"\nuntil = \"16 s\"",
            "starts at the last link at 16 s",
        ),
        ("at = \"9 s\"\nlink = \"c[*]\"\ncount = 9", "`count` is 9"),
        ("at = \"9 s\"\nlink = [\"c[*]\", \"s[0..2]\"]\nevery = \"1 s\"", "side by side"),
        ("at = \"9 s\"\nlink = [\"c[*]\", \"across\"]\nevery = \"1 s\"", "side by side"),
    ];
    for (said, why) in cases {
        let found = fault(said);
        assert!(found.contains(why), "{said}: {found}");
    }
}

#[test]
fn an_address_is_of_the_direction_that_begins_at_its_interface() {
    let address =
        |place: &str, value: &str| format!("kind = \"address\"\nat = \"5 s\"\nvalue = \"{value}\"\n{place}");
    let at = |place: &str| {
        let parsed = read(&address(place, "10.0.9.9"), &[]);
        let [fault] = parsed.scenario.faults.as_slice() else { panic!("{:?}", parsed.scenario.faults) };
        ways(&parsed, fault)
    };
    assert_eq!(at("host = \"client\"\ninterface = 2"), ["c[1]>"]);
    assert_eq!(at("host = [\"server\"]\ninterface = \"8..9\""), ["s[7]<"]);
    let none = read(&address("host = \"client\"\ninterface = 2\ncount = 0", "10.0.9.9"), &[]);
    assert_eq!(none.scenario.faults, []);
    // The file's own is one that it may have, too; another's never, whether that has it now or later.
    read(&address("host = \"client\"\ninterface = 2", "10.0.0.2"), &[]);
    let said =
        |value: &str| errors(&format!("[[fault]]\n{}\n", address("host = \"client\"\ninterface = 2", value)));
    assert!(
        said("10.0.0.1").contains("10.0.0.1 is that of another interface of host client"),
        "{}",
        said("10.0.0.1")
    );
    assert!(said("10.0.0.9").contains("10.0.0.9 is that of host server"));
    let twice = |interface: u32, at: u32| {
        let place = format!("host = \"server\"\ninterface = {interface}");
        format!("[[fault]]\n{}\n", address(&place, "10.0.9.9").replace("5 s", &format!("{at} s")))
    };
    assert!(
        errors(&(twice(1, 1) + &twice(2, 50)))
            .contains("10.0.9.9 is that of another interface of host server")
    );
    assert_eq!(errors(&(twice(1, 1) + &twice(1, 50))), "", "again and again");
}

#[test]
fn a_client_that_gets_another_address_can_have_a_second_subflow() {
    let text = |fault: &str| {
        let single =
            WAYS.replace("count = 8", "count = 2").replace("\"client\", \"r[*]\"", "\"client\", \"r[0]\"");
        let single =
            single.replace("\"r[*]\", \"server\"", "\"r[1]\", \"server\"").replace("\"tcp\"", "\"mptcp\"");
        format!("{single}[[fault]]\nkind = \"address\"\nat = \"5 s\"\nvalue = \"10.0.9.9\"\n{fault}\n")
    };
    let warned = |host: &str| {
        let parsed = parse(&text(&format!("host = \"{host}\"")), "one.toml", &[])
            .unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
        parsed.warnings.iter().any(|warning| warning.message.contains("opens no second subflow"))
    };
    assert_eq!((warned("client"), warned("server")), (false, true));
}
