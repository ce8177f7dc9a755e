//! Sending end in time series: its window and its name.

use crate::support::{Run, Text};

/// A flow of this application over 4 Mbit/s and an RTT of 24 ms.
fn series(app: &str) -> Run {
    Text::new("6 s")
        .top("record = { interval = \"100 ms\" }")
        .dumbbell(1, "4 Mbit/s", "10 ms", "queue = { kind = \"droptail\", limit = \"60 packets\" }")
        .tcp("mss = \"1000 B\", iw = 4", app)
        .run()
}

#[test]
fn series_of_download_show_server_cwnd() {
    let run = series(
        "{ kind = \"request_response\", request = \"2 kB\", response = \"1 MB\", think = \"200 ms\" }",
    );
    let (ends, windows) = (run.words("flow_series", "end"), run.column("flow_series", "cwnd_bytes"));
    assert_eq!(ends.len(), 60);
    assert!(ends.iter().all(|end| end == "server"), "{ends:?}");
    // The client never needs more than two segments of its initial four; the server fills a path of twelve and a queue.
    let largest = windows.iter().copied().fold(0.0, f64::max);
    assert!(largest > 40e3, "{largest}");
    let flying = run.column("flow_series", "in_flight_bytes");
    assert!(flying.iter().filter(|bytes| **bytes > 12e3).count() > 30, "{flying:?}");
    assert_eq!(run.column("group_series", "cwnd_mean_bytes"), windows);
}

#[test]
fn series_of_upload_show_client_cwnd() {
    for app in ["\"bulk\"", "{ kind = \"request_response\", request = \"1 MB\", response = \"2 kB\" }"] {
        let run = series(app);
        assert!(run.words("flow_series", "end").iter().all(|end| end == "client"), "{app}");
        assert!(run.column("flow_series", "cwnd_bytes").into_iter().fold(0.0, f64::max) > 40e3, "{app}");
    }
}

#[test]
fn series_between_connections_have_no_cwnd() {
    let run = series("{ kind = \"sequence\", size = \"20 kB\", gap = \"700 ms\" }");
    let (ends, windows) = (run.words("flow_series", "end"), run.column("flow_series", "cwnd_bytes"));
    assert!(ends.iter().all(|end| end == "client"));
    assert!(windows.iter().any(|w| w.is_nan()) && windows.iter().any(|w| *w > 0.0), "{windows:?}");
}
