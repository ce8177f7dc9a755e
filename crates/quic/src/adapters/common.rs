//! Calls of the implementations that are equal in both.

/// Implements [`Stack`](crate::stack::Stack) for `$name` by the package `$lib`. Functions beside it have what differs: `endpoint_of`, `receive_at`,
/// `transmit`, `count_written`, `statistics_of`, `SimulatedController` and `share_ids`.
macro_rules! implement_stack {
    ($name:ident, $lib:ident, $stack:expr) => {
        use crate::clock::to_stack_span;
        use crate::control::ControlMaker;
        use crate::stack::{ArrivedDatagram, ConnectionEnd, Datagrams, Received, Stack, StackEvent};
        use bytes::Bytes as ByteSlice;
        use core::net::{SocketAddr, SocketAddrV4};
        use std::sync::Arc;
        use std::time::{Duration as StdDuration, Instant as StdInstant, SystemTime};
        use tailrace_core::Rng;
        use tailrace_transport::quic::{QuicControl, QuicPlan, QuicStack, StackControl};
        use $lib::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
        use $lib::{
            ClientConfig, Connection, ConnectionError, ConnectionEvent, ConnectionHandle, ConnectionId,
            ConnectionIdGenerator, DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig, Event,
            IdleTimeout, Incoming, MtuDiscoveryConfig, NoneTokenStore, ServerConfig, StreamEvent, StreamId,
            TimeSource, Transmit, TransportConfig, VarInt, WriteError,
        };

        /// The implementation.
        #[derive(Debug)]
        pub(crate) enum $name {}

        /// Options for connections that are opened and for those that are accepted.
        pub(crate) struct Options {
            client: ClientConfig,
            server: Arc<ServerConfig>,
        }

        /// Connection identifiers of eight bytes that follow from a seed.
        struct SeededIds(Rng);

        impl ConnectionIdGenerator for SeededIds {
            fn generate_cid(&mut self) -> ConnectionId {
                ConnectionId::new(&self.0.next_u64().to_be_bytes())
            }
            fn cid_len(&self) -> usize {
                8
            }
            fn cid_lifetime(&self) -> Option<StdDuration> {
                None
            }
        }

        /// A date that stands still, for the age of tokens, none of which is used.
        struct FixedDate;

        impl TimeSource for FixedDate {
            fn now(&self) -> SystemTime {
                SystemTime::UNIX_EPOCH + StdDuration::from_secs(1_700_000_000)
            }
        }

        fn var_int(value: u64) -> VarInt {
            VarInt::from_u64(value).unwrap_or(VarInt::MAX)
        }

        /// Options of the transport, each under the package's name for it.
        fn transport_config(plan: &QuicPlan, clock: Clock) -> TransportConfig {
            let options = &plan.config;
            let mut config = TransportConfig::default();
            let millis = |span: tailrace_core::Duration| var_int(span.as_nanos() / 1_000_000);
            let mut discovery = MtuDiscoveryConfig::default();
            let mtu = |bytes: tailrace_core::Bytes| u16::try_from(bytes.get()).unwrap_or(u16::MAX);
            discovery.upper_bound(mtu(options.mtu_discovery_limit.max(options.initial_mtu)));
            config
                .initial_rtt(to_stack_span(options.initial_rtt))
                .packet_threshold(options.packet_threshold)
                .time_threshold(options.time_threshold as f32)
                .persistent_congestion_threshold(options.persistent_congestion_threshold)
                .max_idle_timeout(options.max_idle_timeout.map(|span| IdleTimeout::from(millis(span))))
                .keep_alive_interval(options.keep_alive_interval.map(to_stack_span))
                .stream_receive_window(var_int(options.stream_receive_window.get()))
                .receive_window(options.receive_window.map_or(VarInt::MAX, |bytes| var_int(bytes.get())))
                .send_window(options.send_window.get())
                .initial_mtu(mtu(options.initial_mtu))
                .mtu_discovery_config(options.mtu_discovery.then_some(discovery))
                .enable_segmentation_offload(options.gso_segments > 1)
                .congestion_controller_factory(control_factory(plan, clock));
            config
        }

        fn control_factory(plan: &QuicPlan, clock: Clock) -> Arc<dyn ControllerFactory + Send + Sync> {
            let initial = plan.config.initial_window.map(Bytes::get);
            match &plan.control {
                QuicControl::Stack(StackControl::Cubic) => {
                    let mut config = CubicConfig::default();
                    initial.into_iter().for_each(|bytes| _ = config.initial_window(bytes));
                    Arc::new(config)
                }
                QuicControl::Stack(StackControl::NewReno) => {
                    let mut config = NewRenoConfig::default();
                    initial.into_iter().for_each(|bytes| _ = config.initial_window(bytes));
                    Arc::new(config)
                }
                QuicControl::Simulator(cc) => Arc::new(SimulatedFactory(ControlMaker::new(cc, plan, clock))),
            }
        }

        /// Factory of the simulator's controls.
        struct SimulatedFactory(ControlMaker);

        impl ControllerFactory for SimulatedFactory {
            fn build(self: Arc<Self>, _now: StdInstant, _current_mtu: u16) -> Box<dyn Controller> {
                Box::new(SimulatedController(SimulatedControl::new(self.0.clone())))
            }
        }

        /// Version 4 address; simulated hosts have no others.
        fn ipv4(address: SocketAddr) -> Option<SocketAddrV4> {
            match address {
                SocketAddr::V4(address) => Some(address),
                SocketAddr::V6(_) => None,
            }
        }

        fn datagrams(transmit: &Transmit) -> Option<Datagrams> {
            Some(Datagrams {
                own: match transmit.src_ip {
                    Some(core::net::IpAddr::V4(own)) => Some(own),
                    _ => None,
                },
                remote: ipv4(transmit.destination)?,
                ecn: transmit.ecn.map_or(0, |ecn| ecn as u8),
                segment: transmit.segment_size.unwrap_or(transmit.size),
                size: transmit.size,
            })
        }

        impl Stack for $name {
            type Endpoint = Endpoint;
            type Connection = Connection;
            type Handle = ConnectionHandle;
            type Event = ConnectionEvent;
            type Incoming = Incoming;
            type Stream = StreamId;
            type Config = Options;

            const STACK: QuicStack = $stack;

            fn config(plan: &QuicPlan, clock: Clock, rng: &mut Rng) -> Options {
                let transport = Arc::new(transport_config(plan, clock));
                let server_flight = usize::try_from(plan.config.server_flight.get()).unwrap_or(usize::MAX);
                let sizes = MessageSizes::with_server_flight(server_flight);
                let mut client = ClientConfig::new(Arc::new(PlainCrypto(sizes)));
                client.transport_config(Arc::clone(&transport));
                client.token_store(Arc::new(NoneTokenStore));
                let token_key = Arc::new(TokenKey(rng.next_u64()));
                let mut server = ServerConfig::new(Arc::new(PlainCrypto(sizes)), token_key);
                server.transport_config(transport);
                server.time_source(Arc::new(FixedDate));
                Options { client, server: Arc::new(server) }
            }

            fn endpoint(server: Option<&Options>, rng: &mut Rng) -> Endpoint {
                let mut config = EndpointConfig::new(Arc::new(ResetKey(rng.next_u64())));
                share_ids(&mut config, rng.next_u64());
                let mut seed = [0; 32];
                seed.chunks_mut(8).for_each(|part| part.copy_from_slice(&rng.next_u64().to_be_bytes()));
                config.rng_seed(Some(seed));
                endpoint_of(Arc::new(config), server.map(|options| Arc::clone(&options.server)))
            }

            fn connect(
                endpoint: &mut Endpoint,
                config: &Options,
                (remote, first_id): (SocketAddrV4, [u8; 16]),
                now: StdInstant,
            ) -> Result<(ConnectionHandle, Connection), String> {
                let mut client = config.client.clone();
                client.initial_dst_cid_provider(Arc::new(move || ConnectionId::new(&first_id)));
                endpoint.connect(now, client, remote.into(), "server").map_err(|error| error.to_string())
            }

            fn receive(
                endpoint: &mut Endpoint,
                datagram: &ArrivedDatagram<'_>,
                answer: &mut Vec<u8>,
                now: StdInstant,
            ) -> Received<Self> {
                let ecn = EcnCodepoint::from_bits(datagram.ecn);
                match receive_at(endpoint, datagram, ecn, (answer, now)) {
                    None => Received::Nothing,
                    Some(DatagramEvent::Response(transmit)) => {
                        datagrams(&transmit).map_or(Received::Nothing, Received::Answer)
                    }
                    Some(DatagramEvent::ConnectionEvent(handle, event)) => Received::Packet(handle, event),
                    Some(DatagramEvent::NewConnection(incoming)) => Received::Incoming(incoming),
                }
            }

            fn accept(
                endpoint: &mut Endpoint,
                config: &Options,
                (incoming, answer): (Incoming, &mut Vec<u8>),
                now: StdInstant,
            ) -> Result<(ConnectionHandle, Connection), Option<Datagrams>> {
                let accepted = endpoint.accept(incoming, now, answer, Some(Arc::clone(&config.server)));
                accepted.map_err(|error| error.response.as_ref().and_then(datagrams))
            }

            fn exchange(
                endpoint: &mut Endpoint,
                handle: ConnectionHandle,
                connection: &mut Connection,
            ) -> bool {
                let mut any = false;
                while let Some(event) = connection.poll_endpoint_events() {
                    any = true;
                    if let Some(answer) = endpoint.handle_event(handle, event) {
                        connection.handle_event(answer);
                    }
                }
                any
            }

            fn handle_event(connection: &mut Connection, event: ConnectionEvent) {
                connection.handle_event(event);
            }

            fn handle_timeout(connection: &mut Connection, now: StdInstant) {
                connection.handle_timeout(now);
            }

            fn poll(connection: &mut Connection) -> Option<StackEvent> {
                Some(match connection.poll()? {
                    Event::Connected => StackEvent::Connected,
                    Event::ConnectionLost { reason } => StackEvent::Over(match reason {
                        ConnectionError::ApplicationClosed(_) | ConnectionError::LocallyClosed => {
                            ConnectionEnd::Closed
                        }
                        ConnectionError::TimedOut => ConnectionEnd::TimedOut,
                        _ => ConnectionEnd::Broken,
                    }),
                    Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => StackEvent::Opened,
                    Event::Stream(StreamEvent::Readable { .. }) => StackEvent::Readable,
                    Event::Stream(StreamEvent::Finished { .. }) => StackEvent::Finished,
                    _ => StackEvent::Other,
                })
            }

            fn poll_timeout(connection: &mut Connection) -> Option<StdInstant> {
                connection.poll_timeout()
            }

            fn poll_transmit(
                connection: &mut Connection,
                most: u16,
                out: &mut Vec<u8>,
                now: StdInstant,
            ) -> Option<Datagrams> {
                transmit(connection, most, out, now).as_ref().and_then(datagrams)
            }

            fn close(connection: &mut Connection, now: StdInstant) {
                connection.close(now, VarInt::from_u32(0), ByteSlice::new());
            }

            fn is_drained(connection: &Connection) -> bool {
                connection.is_drained()
            }

            fn open(connection: &mut Connection) -> Option<StreamId> {
                connection.streams().open(Dir::Uni)
            }

            fn opened(connection: &mut Connection) -> Option<StreamId> {
                connection.streams().accept(Dir::Uni)
            }

            fn write(connection: &mut Connection, stream: StreamId, bytes: &'static [u8]) -> Option<usize> {
                let mut chunks = [ByteSlice::from_static(bytes)];
                match connection.send_stream(stream).write_chunks(&mut &mut chunks[..]) {
                    Ok(written) => Some(count_written(written)),
                    Err(WriteError::Blocked) => Some(0),
                    Err(_) => None,
                }
            }

            fn finish(connection: &mut Connection, stream: StreamId) {
                // Only a stream that the peer has stopped cannot be finished, and no peer here does that.
                let _ = connection.send_stream(stream).finish();
            }

            fn read(
                connection: &mut Connection,
                stream: StreamId,
                most: u64,
                take: &mut dyn FnMut(u64, &[u8]),
            ) -> bool {
                let mut left = most;
                let mut stream = connection.recv_stream(stream);
                let Ok(mut chunks) = stream.read(true) else { return false };
                let mut ended = false;
                while left > 0 {
                    match chunks.next(usize::try_from(left).unwrap_or(usize::MAX)) {
                        Ok(Some(chunk)) => {
                            left -= chunk.bytes.len() as u64;
                            take(chunk.offset, &chunk.bytes);
                        }
                        Ok(None) => {
                            ended = true;
                            break;
                        }
                        Err(_) => break,
                    }
                }
                // Whether flow-control credit is to be sent; the host asks for packets in any case.
                let _ = chunks.finalize();
                ended
            }

            fn statistics(connection: &mut Connection) -> crate::stack::StackStatistics {
                statistics_of(connection)
            }
        }
    };
}
