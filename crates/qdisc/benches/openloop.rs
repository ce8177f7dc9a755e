//! Packets at given instants through one discipline in front of one link, and what it does with them.
//!
//! `openloop QUEUE RATE_BPS DURATION_S ECN SEED [packets] < pattern`: QUEUE is a tc line, or the text of a discipline with its
//! parameters, as `htb(rate = 10 Mbit/s, queue = prio)`; a line of the pattern is "NANOSECONDS FLOW BYTES [TOS]". Prints what
//! `validation/linux/pattern.c` prints of a kernel; with `packets`, what `tokens.c` does: "out NUMBER NANOSECONDS" for each
//! packet that leaves.

use std::io::{BufRead as _, Write as _};
use tailrace_core::params::Value;
use tailrace_core::{Dscp, Duration, Ecn, Instant, Rate, Rng};
use tailrace_qdisc::testing::{Counter, TestPacket};
use tailrace_qdisc::{Cx, LinkView, Qdisc, QdiscConfig, QueueDiscipline as _};

const SAMPLE_NS: u64 = 10_000_000;

struct Link {
    queue: Qdisc<TestPacket>,
    rate_bps: u64,
    /// When the packet in transmission will have left.
    busy_until: Option<u64>,
    rng: Rng,
    sink: Counter,
    arrived: Vec<u64>,
    /// Numbers and times of what left, where they are asked for.
    departures: Option<Vec<(u64, u64)>>,
}

impl Link {
    /// Timers and departures before `until`.
    fn run(&mut self, until: u64) {
        loop {
            let timer = self.queue.poll_timeout().map_or(u64::MAX, Instant::as_nanos);
            let free = self.busy_until.unwrap_or(u64::MAX);
            let at = timer.min(free);
            if at >= until {
                return;
            }
            if timer <= free {
                let mut cx = Cx { now: Instant::from_nanos(at), rng: &mut self.rng, sink: &mut self.sink };
                self.queue.handle_timeout(&mut cx);
            }
            if free <= timer || self.busy_until.is_none() {
                self.send(at);
            }
        }
    }

    /// The link is free at `at`.
    fn send(&mut self, at: u64) {
        let mut cx = Cx { now: Instant::from_nanos(at), rng: &mut self.rng, sink: &mut self.sink };
        self.busy_until = self.queue.dequeue(&mut cx).map(|(packet, _)| {
            let flow = packet.flow.src as usize;
            self.arrived.resize(self.arrived.len().max(flow + 1), 0);
            self.arrived[flow] += 1;
            if let Some(departures) = &mut self.departures {
                departures.push((packet.id, at));
            }
            at + packet.size.get() * 8_000_000_000 / self.rate_bps
        });
    }

    fn enqueue(&mut self, packet: TestPacket, at: u64) {
        let mut cx = Cx { now: Instant::from_nanos(at), rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(packet, &mut cx);
        if self.busy_until.is_none() {
            self.send(at);
        }
    }
}

/// The discipline of a tc line, or of `NAME(KEY = VALUE, ...)`, whose values hold no comma.
fn discipline(text: &str) -> Result<QdiscConfig, String> {
    let Some((name, pairs)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return QdiscConfig::parse_tc(text).map_err(|e| format!("{text}: {}", e.message));
    };
    let mut config = QdiscConfig::default_of(name).ok_or_else(|| format!("no discipline {name:?}"))?;
    for pair in pairs.split(',') {
        let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} is not KEY = VALUE"))?;
        let value = Value::Text(value.trim().into());
        config.set(key.trim(), &value).map_err(|e| format!("{pair}: {e:?}"))?;
    }
    config.validate().map_err(|(key, why)| format!("{text}: {key}: {why}"))?;
    Ok(config)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (words, packets) = match args.split_last() {
        Some((last, words)) if last == "packets" => (words, true),
        _ => (args.as_slice(), false),
    };
    let [line, rate, duration, ecn, seed] = words else {
        return Err("openloop QUEUE RATE_BPS DURATION_S ECN SEED [packets]".into());
    };
    let rate_bps: u64 = rate.parse()?;
    let duration = (duration.parse::<f64>()? * 1e9) as u64;
    let ecn = if ecn == "1" { Ecn::Ect0 } else { Ecn::NotEct };
    let link = LinkView::new(Rate::from_bps(rate_bps), Duration::ZERO);
    let config = discipline(line)?;
    let mut link = Link {
        queue: config.build(&link),
        rate_bps,
        busy_until: None,
        rng: Rng::new(seed.parse()?),
        sink: Counter::default(),
        arrived: Vec::new(),
        departures: packets.then(Vec::new),
    };
    let mut out = std::io::stdout().lock();
    let mut next_sample = SAMPLE_NS;
    let mut samples =
        |link: &mut Link, out: &mut std::io::StdoutLock<'_>, until: u64| -> std::io::Result<()> {
            while next_sample <= until {
                link.run(next_sample);
                writeln!(out, "sample {next_sample} {} {}", link.queue.backlog().packets, link.sink.dropped)?;
                next_sample += SAMPLE_NS;
            }
            Ok(())
        };
    for (id, text) in (0..).zip(std::io::stdin().lock().lines()) {
        let text = text?;
        let mut words = text.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(due)), Some(Ok(flow)), Some(Ok(bytes))) = (words.next(), words.next(), words.next())
        else {
            return Err(format!("not a line of a pattern: {text:?}").into());
        };
        if due >= duration {
            break;
        }
        samples(&mut link, &mut out, due)?;
        // A kernel's timer comes before what a process sends at the same instant.
        link.run(if packets { due + 1 } else { due });
        let tos = words.next().transpose()?.unwrap_or(0);
        let packet = TestPacket { dscp: Dscp((tos >> 2) as u8), ..TestPacket::new(id, flow as u32, bytes) };
        link.enqueue(packet.with_ecn(ecn), due);
    }
    samples(&mut link, &mut out, duration)?;
    for (id, at) in link.departures.iter().flatten() {
        writeln!(out, "out {id} {at}")?;
    }
    for (flow, arrived) in link.arrived.iter().enumerate() {
        writeln!(out, "flow {flow} arrived {arrived}")?;
    }
    writeln!(out, "marked {}\ndone", link.sink.marked)?;
    Ok(())
}
