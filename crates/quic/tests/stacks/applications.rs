//! Applications over QUIC, in both directions.

use crate::support::{STACKS, flow, quic, run, summary, two_hosts};
use serde_json::Value;

const LINK: &str =
    "rate = \"10 Mbit/s\"\nloss = 0.005\nqueue = { kind = \"droptail\", limit = \"50 packets\" }";

/// Summary of the group of one flow with this application.
fn group_of(stack: &str, app: &str) -> Value {
    let text = two_hosts("30 s", LINK) + &flow("data", &quic(stack, ""), app);
    let group = summary(&run(&text))["groups"]["data"].clone();
    assert_eq!(group["whole_run"]["wrong_bytes"], 0, "{stack} {app}");
    group
}

#[test]
fn transfers_complete_in_both_directions() {
    for stack in STACKS {
        for direction in ["up", "down"] {
            let app = format!("{{ kind = \"transfer\", size = \"300 kB\", direction = \"{direction}\" }}");
            let group = group_of(stack, &app);
            assert_eq!(group["completed"], 1, "{stack} {direction}");
            assert_eq!(group["whole_run"]["delivered_bytes"], 300_000, "{stack} {direction}");
        }
    }
}

#[test]
fn endless_data_goes_in_both_directions() {
    for stack in STACKS {
        let group = group_of(stack, "{ kind = \"bulk\", direction = \"down\" }");
        assert!(group["goodput_bps"]["sum"].as_f64().unwrap() > 5e6, "{stack}: {}", group["goodput_bps"]);
    }
}

#[test]
fn exchanges_and_sequences_complete() {
    let apps = [
        "{ kind = \"request_response\", request = \"300 B\", response = \"20 kB\", think = \"100 ms\" }",
        "{ kind = \"sequence\", size = \"20 kB\", count = 50 }",
        "{ kind = \"arrivals\", size = \"20 kB\", gap = \"exponential(200 ms)\" }",
    ];
    for stack in STACKS {
        for app in apps {
            let group = group_of(stack, app);
            assert!(group["completed"].as_u64().unwrap() >= 50, "{stack} {app}: {}", group["completed"]);
        }
    }
}

#[test]
fn pages_videos_and_slow_readers_go_on() {
    for stack in STACKS {
        let group = group_of(stack, "\"web\"");
        assert!(group["completed"].as_u64().unwrap() > 5, "{stack}: {}", group["completed"]);
        let group = group_of(stack, "\"video\"");
        assert!(group["completed"].as_u64().unwrap() > 5, "{stack}: {}", group["completed"]);
        let app = "{ kind = \"slow_reader\", rate = \"400 kbit/s\" }";
        let rate = group_of(stack, app)["goodput_bps"]["sum"].as_f64().unwrap();
        assert!((350e3..450e3).contains(&rate), "{stack}: {rate}");
    }
}
