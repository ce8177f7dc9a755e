//! Flows of several transports at the same hosts.

use crate::support::{flow, goodput, quic, run, summary, two_hosts};

#[test]
fn all_transports_run_between_the_same_hosts() {
    let link = "rate = \"20 Mbit/s\"\nqueue = { kind = \"fq_codel\" }";
    let text = two_hosts("10 s", link)
        + &flow("noq", &quic("noq", ""), "\"bulk\"")
        + &flow("quinn", &quic("quinn", ""), "\"bulk\"")
        + &flow("tcp", "\"tcp\"", "\"bulk\"")
        + &flow("mptcp", "\"mptcp\"", "\"bulk\"")
        + &flow("udp", "\"udp\"", "{ kind = \"cbr\", rate = \"2 Mbit/s\", size = \"1000 B\" }");
    let summary = summary(&run(&text));
    for name in ["noq", "quinn"] {
        assert!((3.5..5.0).contains(&goodput(&summary, name)), "{name}: {}", goodput(&summary, name));
    }
    for name in ["tcp", "mptcp"] {
        let rate = summary["groups"][name]["goodput_bps"]["sum"].as_f64().unwrap() / 1e6;
        assert!((3.5..5.0).contains(&rate), "{name}: {rate}");
    }
    let rate = summary["groups"]["udp"]["goodput_bps"]["sum"].as_f64().unwrap() / 1e6;
    assert!((1.9..2.1).contains(&rate), "udp: {rate}");
}
