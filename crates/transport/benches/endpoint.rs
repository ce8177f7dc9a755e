//! Cost of one data segment through both endpoints of a bulk flow: `cargo bench -p tailrace-transport`.
//!
//! Time a pair: the receiver takes a data segment and answers with an ACK, the sender takes the ACK and sends the
//! next segment. `loss` drops one new segment in 100. Memory is what an endpoint holds itself, without its records.

#![expect(clippy::print_stdout, reason = "a benchmark reports to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_transport::{CcConfig, Profile, Segment, Tcp, TcpConfig, UNLIMITED};

const SEGMENTS: u64 = 4_000_000;

fn run(name: &str, cc: &str, config: TcpConfig, loss: u64) {
    let config = Arc::new(config);
    let cc = CcConfig::default_of(cc).expect("a registered name");
    let mut now = Instant::ZERO;
    let mut client = Tcp::connect(&config, &cc, 1, now);
    let mut server = Tcp::listen(&config, &cc, 2);
    client.write(UNLIMITED);
    let mut data: VecDeque<Segment> = VecDeque::with_capacity(4096);
    let mut acks: VecDeque<Segment> = VecDeque::with_capacity(4096);
    let (mut count, mut rounds) = (0, 0u64);
    let start = std::time::Instant::now();
    while count < SEGMENTS {
        now += Duration::from_millis(10);
        rounds += 1;
        client.handle_timeout(now);
        while let Some(s) = client.poll_transmit(now) {
            data.push_back(s);
        }
        now += Duration::from_millis(10);
        server.handle_timeout(now);
        while let Some(s) = data.pop_front() {
            count += 1;
            if loss > 0 && count % loss == 0 {
                continue;
            }
            server.handle_segment(black_box(&s), now);
            while let Some(a) = server.poll_transmit(now) {
                acks.push_back(a);
            }
            while let Some(e) = server.poll_event() {
                black_box(e);
            }
        }
        while let Some(a) = acks.pop_front() {
            client.handle_segment(black_box(&a), now);
            while let Some(s) = client.poll_transmit(now) {
                data.push_back(s);
            }
        }
    }
    let ns = start.elapsed().as_nanos() as f64 / count as f64;
    let window = count / rounds;
    println!(
        "{name:28} {ns:7.1} ns a data segment and its ACK   (window about {window}, {} bytes an endpoint)",
        size_of::<Tcp>()
    );
}

fn main() {
    let base = TcpConfig { delayed_ack: 1, window: Some(64), ..TcpConfig::for_profile(Profile::Rfc) };
    run("newreno sack", "newreno", base.clone(), 0);
    run("newreno sack ts off", "newreno", TcpConfig { timestamps: false, ..base.clone() }, 0);
    run("cubic sack", "cubic", base.clone(), 0);
    run("newreno sack, loss 1 %", "newreno", base.clone(), 100);
    run("newreno no sack, loss 1 %", "newreno", TcpConfig { sack: false, ..base.clone() }, 100);
    run("ns2", "newreno", TcpConfig { window: Some(64), ..TcpConfig::for_profile(Profile::Ns2) }, 0);
    let large = TcpConfig { window: None, receive_buffer: Bytes(2_000_000), ..base };
    run("newreno sack, large window", "newreno", large, 0);
}
