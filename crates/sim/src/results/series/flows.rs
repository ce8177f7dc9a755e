//! Time series of single flows: the first flows of each group.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::rate::rate_bps;
use crate::ground::table::TableBuilder;
use crate::host::hosts::World;
use crate::host::sockets::Socket;
use crate::packet::flow_end::FlowEnd;
use crate::results::connection_names::end_name;
use crate::results::sending_end::sending_end;
use crate::results::series::open_sums::OpenSums;
use crate::stats::flow_stats::FlowStats;
use tailrace_app::PlaybackStats;
use tailrace_core::{Duration, Instant};
use tailrace_transport::tcp::TcpView;

/// A flow at a sample.
struct FlowSample<'a> {
    run: u32,
    now: Instant,
    group: &'a str,
    member: u32,
    end: FlowEnd,
    /// TCP of the sending end with the payload of a segment, if its connection is open.
    tcp: Option<(TcpView, f64)>,
    /// Whether its stack does not report bytes in flight.
    lacks_in_flight: bool,
    /// Counters since the start, and their increase since the last sample an interval ago.
    tally: FlowStats,
    new: FlowStats,
    playback: Option<PlaybackStats>,
    interval: Duration,
}

columns! {
    "flow_series", "A row for each flow that has series, and each sample.", |r: FlowSample<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.now.as_secs_f64(), "s", "The time of the sample.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`).";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0.";
        end: Text = end_name(r.end), "", "Sending end: `client` or `server`. It is the end that has sent more on the flow's latest connection, and the next five columns are about this end.";
        cwnd_bytes: F64 = r.tcp(|tcp, _| tcp.cwnd.as_f64()), "bytes", "The congestion window. This and the next four columns are null for UDP, before the connection opens and after it is over.";
        cwnd_segments: F64 = r.tcp(|tcp, mss| tcp.cwnd.as_f64() / mss), "segments", "The same, in segments.";
        ssthresh_bytes: F64 = r.tcp(|tcp, _| ssthresh_bytes(tcp)), "bytes", "The slow-start threshold; null while it is unlimited.";
        rtt_s: F64 = r.tcp(|tcp, _| rtt_s(tcp)), "s", "The smoothed round-trip time; null before the first measurement.";
        in_flight_bytes: F64 = r.in_flight_bytes(), "bytes", "Data in flight by the sender's estimate; null for QUIC.";
        throughput_bps: F64 = rate_bps(r.new.received_bytes, r.interval), "bit/s", "The rate of arrivals in the last interval, in bytes of IP packets.";
        goodput_bps: F64 = rate_bps(r.new.delivered_bytes, r.interval), "bit/s", "The rate of data delivered to the application in the last interval.";
        one_way_delay_s: F64 = r.new.mean_delay_s(), "s", "The mean over packets that arrived in the last interval, in the direction of `from` to `to`; null if there were none.";
        reverse_one_way_delay_s: F64 = r.new.mean_reverse_delay_s(), "s", "The same in the opposite direction.";
        sent_packets: U64 = r.tally.sent_packets, "packets", "Data packets sent since the start of the run.";
        lost_packets: U64 = r.tally.lost_packets, "packets", "Data packets of these that have been dropped on the way so far.";
        retransmitted_packets: U64 = r.tally.retransmitted_packets, "packets", "Segments sent again since the start of the run.";
        loss_ratio: F64 = r.tally.loss_ratio(), "ratio", "Packets lost divided by packets sent, both since the start of the run.";
        interval_loss_ratio: F64 = r.new.outcome_loss_ratio(), "ratio", "Share dropped of the data packets that were dropped or arrived in the last interval; null if there were none.";
        playback_buffer_s: F64 = r.playback.map_or(f64::NAN, |p| p.buffer.as_secs_f64()), "s", "Playing time in the player's buffer (application `video`); null for others.";
        jitter_s: F64 = r.new.mean_jitter_s(), "s", "Jitter: difference between the transit times of consecutive deliveries, mean over the last interval; null if there were none.";
    }
}

impl FlowSample<'_> {
    fn in_flight_bytes(&self) -> f64 {
        if self.lacks_in_flight { f64::NAN } else { self.tcp(|tcp, _| tcp.in_flight.as_f64()) }
    }

    /// A value of the sending end's TCP; NaN without TCP.
    fn tcp(&self, figure: impl Fn(&TcpView, f64) -> f64) -> f64 {
        self.tcp.as_ref().map_or(f64::NAN, |(view, mss)| figure(view, *mss))
    }
}

/// The slow-start threshold; NaN while it is unlimited.
pub(crate) fn ssthresh_bytes(tcp: &TcpView) -> f64 {
    tcp.ssthresh.map_or(f64::NAN, |threshold| threshold.as_f64())
}

/// The smoothed round-trip time; NaN before the first sample.
pub(crate) fn rtt_s(tcp: &TcpView) -> f64 {
    if tcp.rtt_samples == 0 { f64::NAN } else { tcp.smoothed_rtt.as_secs_f64() }
}

/// Table being filled.
#[derive(Debug)]
pub(crate) struct FlowSeries {
    interval: Duration,
    flows: Vec<SampledFlow>,
    table: TableBuilder,
}

/// A flow that has series.
#[derive(Debug)]
struct SampledFlow {
    flow: usize,
    /// Counters at the last sample.
    last: FlowStats,
    /// Sending end of the latest connection.
    sender: Option<FlowEnd>,
}

impl SampledFlow {
    fn new(flow: usize) -> Self {
        Self { flow, last: FlowStats::default(), sender: None }
    }
}

impl FlowSeries {
    pub(crate) fn new(plan: &RunPlan, interval: Duration) -> Self {
        let flows = plan.sampled_flows.iter().copied().map(SampledFlow::new).collect();
        Self { interval, flows, table: new_table() }
    }

    /// Number of flows with series.
    pub(crate) fn len(&self) -> usize {
        self.flows.len()
    }

    /// Samples the `i`-th flow with series; returns the flow, and the increase of its counters since the last sample.
    pub(crate) fn sample(
        &mut self,
        i: usize,
        plan: &RunPlan,
        (world, sums): (&World, &OpenSums),
        now: Instant,
    ) -> (usize, FlowStats) {
        let SampledFlow { flow, last, sender } = &mut self.flows[i];
        let tally = sums.flow_stats(*flow, world);
        debug_assert_eq!(tally, world.flow_stats(*flow));
        let new = tally.since(&std::mem::replace(last, tally));
        let client = world.latest(FlowEnd::client(*flow));
        let sending = client.and_then(|client| sending_end(world, client));
        *sender = sending.map(Socket::end).or(*sender);
        let open = client.is_some_and(|client| !client.endpoint.is_over());
        let tcp = sending.filter(|_| open).and_then(|socket| socket.endpoint.view());
        let f = &world.flows[*flow];
        let row = FlowSample {
            run: plan.run,
            now,
            group: &plan.scenario.flows[f.group as usize].name,
            member: f.member,
            end: sender.unwrap_or_else(|| f.sender()),
            lacks_in_flight: sending.is_some_and(|socket| socket.endpoint.lacks_in_flight()),
            tcp: tcp.map(|(view, mss)| (view, f64::from(mss))),
            tally,
            new,
            playback: world.playback(*flow, now),
            interval: self.interval,
        };
        add(&mut self.table, &row);
        (*flow, new)
    }

    /// Takes the rows since the previous call.
    pub(crate) fn take(&mut self) -> Table {
        self.table.take()
    }

    /// Memory of the rows in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes()
    }
}
