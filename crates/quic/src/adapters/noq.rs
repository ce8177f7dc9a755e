//! noq-proto: what differs from quinn-proto.

use crate::clock::Clock;
use crate::control::{RoundTrips, SimulatedControl};
use core::net::IpAddr;
use core::num::NonZeroUsize;
use noq_proto::congestion::{Controller, ControllerMetrics};
use noq_proto::crypto::{self, HandshakeTokenKey, UnsupportedVersion};
use noq_proto::{ConnectError, FourTuple, PathId, RttEstimator};
use tailrace_core::Bytes;
use tailrace_transport::cc::NO_SSTHRESH;

implement_crypto!(noq_proto, id = ConnectionId, path = [PathId]);
implement_stack!(Noq, noq_proto, QuicStack::Noq);

impl crypto::ClientConfig for PlainCrypto {
    fn start_session(
        &self,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(PlainSession::new(Side::Client, self.0, params)))
    }
}

impl crypto::ServerConfig for PlainCrypto {
    fn initial_keys(&self, _: u32, _: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys(0))
    }
    fn retry_tag(&self, _: u32, _: ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }
    fn start_session(&self, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(PlainSession::new(Side::Server, self.0, params))
    }
}

/// Key of address validation tokens, which are in clear.
struct TokenKey(u64);

impl HandshakeTokenKey for TokenKey {
    fn seal(&self, token_nonce: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        let sum = tag(self.0, token_nonce as u64, &[], data);
        data.extend(sum);
        Ok(())
    }
    fn open<'a>(&self, token_nonce: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        let len = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        let (content, sum) = data.split_at(len);
        if tag(self.0, token_nonce as u64, &[], content) == sum { Ok(content) } else { Err(CryptoError) }
    }
}

fn share_ids(config: &mut EndpointConfig, seed: u64) {
    config.cid_generator(Arc::new(move || Box::new(SeededIds(Rng::new(seed)))));
}

fn endpoint_of(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(config, server, true)
}

fn receive_at(
    endpoint: &mut Endpoint,
    datagram: &ArrivedDatagram<'_>,
    ecn: Option<EcnCodepoint>,
    (answer, now): (&mut Vec<u8>, StdInstant),
) -> Option<DatagramEvent> {
    let path = FourTuple::new(datagram.remote.into(), Some(IpAddr::V4(datagram.own)));
    endpoint.handle(now, path, ecn, BytesMut::from(datagram.payload), answer)
}

fn transmit(connection: &mut Connection, most: u16, out: &mut Vec<u8>, now: StdInstant) -> Option<Transmit> {
    let most = NonZeroUsize::new(usize::from(most)).unwrap_or(NonZeroUsize::MIN);
    connection.poll_transmit(now, most, out)
}

const fn count_written(bytes: usize) -> usize {
    bytes
}

fn statistics_of(connection: &mut Connection) -> crate::stack::StackStatistics {
    let all = connection.stats();
    let first = connection.paths().first().copied().unwrap_or(PathId::ZERO);
    let path = connection.path_stats(first).unwrap_or_default();
    let ssthresh = connection.congestion_state(first).and_then(|state| state.metrics().ssthresh);
    crate::stack::StackStatistics {
        sent_datagrams: all.udp_tx.datagrams,
        received_datagrams: all.udp_rx.datagrams,
        lost_packets: all.lost_packets,
        lost_bytes: all.lost_bytes,
        cwnd: Bytes(path.cwnd),
        ssthresh: ssthresh.filter(|bytes| *bytes < NO_SSTHRESH).map(Bytes),
        rtt: path.rtt,
        min_rtt: None,
        mtu: connection.current_mtu(),
    }
}

#[derive(Debug)]
struct SimulatedController(SimulatedControl);

impl Controller for SimulatedController {
    fn on_packet_sent(&mut self, now: StdInstant, bytes: u16, _pn: u64) {
        self.0.on_sent(now, bytes.into());
    }
    fn on_ack(
        &mut self,
        now: StdInstant,
        sent: StdInstant,
        bytes: u64,
        _pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let round_trips =
            RoundTrips { latest: now.duration_since(sent), smoothed: rtt.get(), least: rtt.min() };
        self.0.on_ack(sent, bytes, app_limited, round_trips);
    }
    fn on_end_acks(&mut self, now: StdInstant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        self.0.on_end_acks(now, in_flight, app_limited);
    }
    fn on_packet_lost(&mut self, lost_bytes: u16, _pn: u64, _now: StdInstant) {
        self.0.on_lost(lost_bytes.into());
    }
    fn on_congestion_event(
        &mut self,
        now: StdInstant,
        sent: StdInstant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        self.0.on_congestion(now, sent, (is_persistent_congestion, is_ecn));
    }
    fn on_spurious_congestion_event(&mut self) {
        self.0.on_spurious_congestion();
    }
    fn on_mtu_update(&mut self, _new_mtu: u16) {}
    fn window(&self) -> u64 {
        self.0.window()
    }
    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.0.window();
        metrics.ssthresh = self.0.ssthresh();
        metrics.pacing_rate = self.0.pacing_rate();
        metrics
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self(self.0.anew()))
    }
    fn initial_window(&self) -> u64 {
        self.0.initial_window()
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
