//! Finite work of every application over Multipath TCP completes, whatever the profile, the path manager, the number of paths and the
//! direction of the data.

use crate::support::Text;

const PROFILES: [&str; 7] = ["rfc", "ns2", "ns3", "linux", "linux_6_1", "linux_6_12", "mptcp_0_94"];

/// Path managers that need nothing but two hosts with parallel links.
const PATH_MANAGERS: [&str; 6] = [
    "\"passive\"",
    "{ kind = \"ndiffports\", num_subflows = 3 }",
    "\"fullmesh\"",
    "{ kind = \"linux\", subflows = 8 }",
    "{ kind = \"linux\", subflows = 8, client = \"none\", add_addr_accepted = 8, server = \"1 signal, 2 signal, 3 signal\" }",
    "{ kind = \"manual\", client = \"0 s connect 2 to 2; 50 ms connect 3 to 3\" }",
];

/// Finite work of an application.
struct Work {
    app: &'static str,
    /// Transfers, exchanges, objects or segments that complete.
    completed: f64,
    /// Whether data flows both ways, so that there is no direction to choose.
    exchanges: bool,
}

const fn one_way(app: &'static str, completed: f64) -> Work {
    Work { app, completed, exchanges: false }
}

const fn exchange(app: &'static str, completed: f64) -> Work {
    Work { app, completed, exchanges: true }
}

const WORK: [Work; 9] = [
    one_way("kind = \"transfer\", size = \"300 kB\"", 1.0),
    one_way("kind = \"sequence\", size = \"60 kB\", gap = \"20 ms\", count = 4", 4.0),
    // Without a pause the next connection begins before the subflows of the last are closed.
    one_way("kind = \"sequence\", size = \"5 kB\", count = 5", 5.0),
    one_way("kind = \"arrivals\", size = \"20 kB\", gap = \"30 ms\", count = 4", 4.0),
    one_way("kind = \"slow_reader\", rate = \"4 Mbit/s\", size = \"200 kB\"", 1.0),
    exchange(
        "kind = \"request_response\", request = \"400 B\", response = \"50 kB\", think = \"10 ms\", count = 4",
        4.0,
    ),
    exchange("kind = \"request_response\", request = \"50 kB\", response = \"400 B\", count = 4", 4.0),
    exchange(
        "kind = \"video\", segment = \"200 ms\", startup = \"200 ms\", buffer = \"1 s\", ladder = \"1 Mbit/s\", count = 4",
        4.0,
    ),
    exchange(
        "kind = \"web\", main = \"8 kB\", object = \"20 kB\", objects = \"3\", connections = 2, think = \"50 ms\", count = 2",
        8.0,
    ),
];

/// Runs `app` over `paths` paths of different delays; what has not completed.
fn incomplete(work: &Work, direction: &str, paths: usize, transport: &str) -> Option<String> {
    let app = match work.exchanges {
        true => format!("{{ {} }}", work.app),
        false => format!("{{ {}, direction = \"{direction}\" }}", work.app),
    };
    let mut text = Text::new("20 s").hosts("a", 1).hosts("b", 1);
    for path in 0..paths {
        text =
            text.link("a", "b", "4 Mbit/s", &format!("{} ms", 5 + 7 * path), &format!("name = \"p{path}\""));
    }
    let run = text.flow("mp", ("a", "b"), &format!("{{ kind = \"mptcp\", {transport} }}"), &app).run();
    let completed = run.leaf("groups.mp.completed");
    (completed != work.completed)
        .then(|| format!("{completed} of {} of {app} over {paths} paths, {transport}", work.completed))
}

fn assert_all_complete(incomplete: &[String]) {
    assert!(incomplete.is_empty(), "{} incomplete:\n{}", incomplete.len(), incomplete.join("\n"));
}

#[test]
fn finite_work_completes_over_one_to_eight_subflows_in_each_profile() {
    let mut failures = Vec::new();
    for (p, profile) in PROFILES.iter().enumerate() {
        for (w, work) in WORK.iter().enumerate() {
            for direction in if work.exchanges { &["up"][..] } else { &["up", "down"] } {
                // Every application meets every number of subflows, in one profile or another.
                for paths in [2, (p + w) % 8 + 1, (p + w + 4) % 8 + 1] {
                    let transport = format!("profile = \"{profile}\", path_manager = \"fullmesh\"");
                    failures.extend(incomplete(work, direction, paths, &transport));
                }
            }
        }
    }
    assert_all_complete(&failures);
}

#[test]
fn finite_work_completes_with_each_path_manager() {
    let mut failures = Vec::new();
    for manager in PATH_MANAGERS {
        for work in &WORK {
            for direction in if work.exchanges { &["up"][..] } else { &["up", "down"] } {
                for profile in ["rfc", "linux_6_1", "linux_6_12"] {
                    let transport = format!("profile = \"{profile}\", path_manager = {manager}");
                    failures.extend(incomplete(work, direction, 3, &transport));
                }
            }
        }
    }
    assert_all_complete(&failures);
}
