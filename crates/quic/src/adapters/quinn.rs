//! quinn-proto: what differs from noq-proto.

use crate::clock::Clock;
use crate::control::{RoundTrips, SimulatedControl};
use core::net::IpAddr;
use quinn_proto::congestion::{Controller, ControllerMetrics};
use quinn_proto::crypto::{self, AeadKey, HandshakeTokenKey, UnsupportedVersion};
use quinn_proto::{ConnectError, RttEstimator, Written};
use tailrace_core::Bytes;
use tailrace_transport::cc::NO_SSTHRESH;

implement_crypto!(quinn_proto, id = &ConnectionId, path = []);
implement_stack!(Quinn, quinn_proto, QuicStack::Quinn);

impl crypto::ClientConfig for PlainCrypto {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(PlainSession::new(Side::Client, self.0, params)))
    }
}

impl crypto::ServerConfig for PlainCrypto {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys(0))
    }
    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }
    fn start_session(self: Arc<Self>, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(PlainSession::new(Side::Server, self.0, params))
    }
}

/// Key of address validation tokens, which are in clear.
struct TokenKey(u64);

impl HandshakeTokenKey for TokenKey {
    fn aead_from_hkdf(&self, random_bytes: &[u8]) -> Box<dyn AeadKey> {
        Box::new(TokenKey(checksum(self.0, &[], random_bytes)))
    }
}

impl AeadKey for TokenKey {
    fn seal(&self, data: &mut Vec<u8>, additional_data: &[u8]) -> Result<(), CryptoError> {
        let sum = tag(self.0, 0, additional_data, data);
        data.extend(sum);
        Ok(())
    }
    fn open<'a>(&self, data: &'a mut [u8], additional_data: &[u8]) -> Result<&'a mut [u8], CryptoError> {
        let len = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        let (content, sum) = data.split_at_mut(len);
        if tag(self.0, 0, additional_data, content) == sum[..] { Ok(content) } else { Err(CryptoError) }
    }
}

fn share_ids(config: &mut EndpointConfig, seed: u64) {
    config.cid_generator(move || Box::new(SeededIds(Rng::new(seed))));
}

fn endpoint_of(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(config, server, true, None)
}

fn receive_at(
    endpoint: &mut Endpoint,
    datagram: &ArrivedDatagram<'_>,
    ecn: Option<EcnCodepoint>,
    (answer, now): (&mut Vec<u8>, StdInstant),
) -> Option<DatagramEvent> {
    let own = Some(IpAddr::V4(datagram.own));
    endpoint.handle(now, datagram.remote.into(), own, ecn, BytesMut::from(datagram.payload), answer)
}

fn transmit(connection: &mut Connection, most: u16, out: &mut Vec<u8>, now: StdInstant) -> Option<Transmit> {
    connection.poll_transmit(now, usize::from(most.max(1)), out)
}

const fn count_written(written: Written) -> usize {
    written.bytes
}

fn statistics_of(connection: &mut Connection) -> crate::stack::StackStatistics {
    let all = connection.stats();
    let ssthresh = connection.congestion_state().metrics().ssthresh;
    crate::stack::StackStatistics {
        sent_datagrams: all.udp_tx.datagrams,
        received_datagrams: all.udp_rx.datagrams,
        lost_packets: all.path.lost_packets,
        lost_bytes: all.path.lost_bytes,
        cwnd: Bytes(all.path.cwnd),
        ssthresh: ssthresh.filter(|bytes| *bytes < NO_SSTHRESH).map(Bytes),
        rtt: all.path.rtt,
        min_rtt: Some(all.path.min_rtt),
        mtu: all.path.current_mtu,
    }
}

struct SimulatedController(SimulatedControl);

impl Controller for SimulatedController {
    fn on_sent(&mut self, now: StdInstant, bytes: u64, _last_packet_number: u64) {
        self.0.on_sent(now, bytes);
    }
    fn on_ack(
        &mut self,
        now: StdInstant,
        sent: StdInstant,
        bytes: u64,
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
    fn on_congestion_event(
        &mut self,
        now: StdInstant,
        sent: StdInstant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        // An event without losses is a mark.
        self.0.on_lost(lost_bytes);
        self.0.on_congestion(now, sent, (is_persistent_congestion, lost_bytes == 0));
    }
    fn on_mtu_update(&mut self, _new_mtu: u16) {}
    fn window(&self) -> u64 {
        self.0.window()
    }
    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.0.window();
        metrics.ssthresh = self.0.ssthresh();
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
