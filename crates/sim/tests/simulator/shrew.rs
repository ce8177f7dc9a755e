//! Shrew attack (Kuzmanovic & Knightly 2003; spec 6.3): pulses in step with the retransmission timeout.

use crate::support::Text;

/// Normalised throughput of the paper if each outage ends in a timeout of `min_rto`.
fn rho(period: f64, min_rto: f64) -> f64 {
    let cycle = (min_rto / period).ceil() * period;
    (cycle - min_rto) / cycle
}

/// Goodput of `n` flows with an RTT of 12 ms over 1.5 Mbit/s. The pulses fill the buffer of 10 packets within 10 ms
/// and last 100 ms, so that the outage L' = 90 ms is longer than the RTT, as the model asks.
fn goodput(n: usize, min_rto: f64, attack: Option<f64>) -> f64 {
    let queue = "queue = { kind = \"droptail\", limit = \"10 packets\" }";
    let mut text = Text::new("130 s")
        .top("warmup = \"10 s\"")
        .dumbbell(n, "1.5 Mbit/s", "4 ms", queue)
        .hosts("attacker", 1)
        .link("attacker[*]", "r1", "100 Mbit/s", "1 ms", "")
        .tcp(
            &format!(
                "cc = \"newreno\", mss = \"960 B\", header = \"40 B\", min_rto = \"{} ms\", delayed_ack = 1",
                min_rto * 1e3
            ),
            "\"bulk\"",
        );
    if let Some(period) = attack {
        text = text.flow_with(
            "pulses",
            ("attacker[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            &format!(
                "{{ kind = \"pulse\", period = \"{} ms\", burst = \"100 ms\", rate = \"10 Mbit/s\", size = \"50 B\" }}",
                period * 1e3
            ),
            "role = \"attack\"\nstart = \"5 s\"",
        );
    }
    text.run().tcp("goodput_bps.sum")
}

#[test]
fn shrew_throughput_follows_model_with_nulls_at_min_rto() {
    let free = goodput(1, 1.0, None);
    for period in [0.5, 0.7, 1.0, 1.2, 1.5, 2.0, 3.0] {
        let share = goodput(1, 1.0, Some(period)) / free;
        let model = rho(period, 1.0);
        // The model leaves out the outage itself and slow start, some 5 RTTs of 12 ms per cycle: below 0.05.
        assert!((share - model).abs() <= 0.05, "T = {period}: {share}, model {model}");
        if model == 0.0 {
            assert!(share < 0.005, "T = {period} is a null: {share}");
        }
    }
}

#[test]
fn shrew_nulls_are_shared_by_several_flows() {
    // Away from the nulls flows deviate from the model, as not all lose packets in each pulse; at the nulls none makes progress.
    let free = goodput(5, 1.0, None);
    for period in [0.5, 1.0] {
        let share = goodput(5, 1.0, Some(period)) / free;
        assert!(share < 0.01, "T = {period}: {share}");
    }
}

#[test]
fn shrew_nulls_move_with_min_rto() {
    let free = goodput(1, 0.2, None);
    // Periods that starve flows with 1 s do not do so with 0.2 s; 0.2 s itself does. The tolerance is the spec's 0.1, because
    // outage and slow start weigh more in shorter cycles.
    for period in [0.2, 0.5, 1.0, 2.0] {
        let share = goodput(1, 0.2, Some(period)) / free;
        let model = rho(period, 0.2);
        assert!((share - model).abs() <= 0.1, "T = {period}: {share}, model {model}");
    }
}
