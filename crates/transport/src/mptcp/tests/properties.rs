//! The stream under everything that paths, plans and peers can do.

use super::*;
use proptest::prelude::*;

/// Share of segments changed: mostly none.
fn alters() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(0.0), 1 => 0.0..0.2_f64]
}

fn path() -> impl Strategy<Value = Path> {
    let outage = prop::option::of((0_u64..5_000, 1_u64..20_000));
    (1_u64..150, 0.0..0.1_f64, 100_u64..5_000, outage, [alters(), alters()]).prop_map(
        |(delay, loss, spacing, outage, alters)| {
            let down = outage.map_or((Instant::MAX, Instant::MAX), |(at, len)| {
                (Instant::from_millis(at), Instant::from_millis(at + len))
            });
            Path { spacing: Duration::from_micros(spacing), down, alters, ..Path::new(delay, loss) }
        },
    )
}

/// Endpoints for the first interfaces, as text.
fn endpoints() -> impl Strategy<Value = String> {
    let flags = prop::sample::select(vec![
        "subflow",
        "subflow backup",
        "signal",
        "signal backup",
        "signal subflow",
        "fullmesh",
        "subflow fullmesh backup",
        "backup",
    ]);
    prop::collection::vec(flags, 0..4).prop_map(|flags| {
        let all: Vec<_> = flags.iter().enumerate().map(|(i, f)| format!("{} {f}", i + 1)).collect();
        if all.is_empty() { "none".into() } else { all.join(", ") }
    })
}

/// Commands at any time, as text. The first path is left alone: it may be the only one that works again.
fn script() -> impl Strategy<Value = String> {
    let commands = prop::sample::select(vec![
        "connect 1 to 1",
        "connect 2 to 2",
        "connect 2 to 2 backup",
        "connect 2 to 1",
        "connect 3 to 3",
        "close 2 to 2",
        "announce 2",
        "remove 2",
        "remove 3",
        "backup 1",
        "backup 2",
        "regular 1",
        "regular 2",
    ]);
    prop::collection::vec((0_u64..6000, commands), 1..8)
        .prop_map(|all| all.iter().map(|(ms, c)| format!("{ms} ms {c}")).collect::<Vec<_>>().join("; "))
}

/// Any path manager, with its defaults, or with texts that are drawn.
fn managers() -> impl Strategy<Value = PathManagerConfig> {
    use tailrace_core::params::Value;
    let set = |name: &str, values: Vec<(&str, Value)>| {
        let mut config = PathManagerConfig::default_of(name).unwrap();
        values.iter().for_each(|(key, value)| config.set(key, value).unwrap());
        config
    };
    let linux = (endpoints(), endpoints(), 0_i64..=8, 0_i64..=8, any::<bool>()).prop_map(move |e| {
        let (client, server) = (Value::Text(e.0), Value::Text(e.1));
        let limits = [("subflows", Value::Integer(e.2)), ("add_addr_accepted", Value::Integer(e.3))];
        let texts = [("client", client), ("server", server), ("client_listens", Value::Bool(e.4))];
        set("linux", limits.into_iter().chain(texts).collect())
    });
    let manual = (script(), script()).prop_map(move |(client, server)| {
        set("manual", vec![("client", Value::Text(client)), ("server", Value::Text(server))])
    });
    let plain = prop::sample::select(PathManagerConfig::names())
        .prop_map(|name| PathManagerConfig::default_of(name).unwrap());
    prop_oneof![2 => plain, 1 => linux, 1 => manual]
}

fn plans() -> impl Strategy<Value = MptcpPlan> {
    let control = prop_oneof![
        prop::sample::select(CoupledConfig::names())
            .prop_map(|n| SubflowControl::Coupled(CoupledConfig::default_of(n).unwrap())),
        prop::sample::select(CcConfig::names())
            .prop_map(|n| SubflowControl::Uncoupled(CcConfig::default_of(n).unwrap())),
    ];
    let profiles = prop::sample::select(vec![
        Profile::Rfc,
        Profile::Ns2,
        Profile::Ns3,
        Profile::Linux61,
        Profile::Linux612,
        Profile::Mptcp094,
    ]);
    let names = (prop::sample::select(SchedulerConfig::names()), managers());
    let switches = prop::array::uniform7(any::<bool>());
    let buffers = (4_000_u64..500_000, prop::option::of(4_000_u64..500_000));
    (control, profiles, names, switches, buffers).prop_map(|(control, profile, names, on, buffers)| {
        let mut plan = plan(names.0, "fullmesh", control);
        plan.path_manager = names.1;
        plan.tcp = Arc::new(TcpConfig {
            mss: tailrace_core::Bytes(1000),
            sack: on[0],
            timestamps: on[1],
            receive_buffer: tailrace_core::Bytes(buffers.0),
            send_buffer: buffers.1.map(tailrace_core::Bytes),
            data_retries: None,
            syn_retries: None,
            behaviour: TcpBehaviour {
                handshake: crate::config::Handshake::ThreeWay,
                ..TcpConfig::for_profile(profile).behaviour
            },
            ..TcpConfig::for_profile(profile)
        });
        plan.mptcp = MptcpConfig::for_profile(profile);
        plan.mptcp.penalisation = match (on[3], on[4]) {
            (false, _) => Penalisation::None,
            (true, false) => Penalisation::Linux,
            (true, true) => Penalisation::Nsdi2012,
        };
        plan.mptcp.opportunistic_retransmission = on[2];
        plan.mptcp.behaviour.reinject_on_timeout ^= on[4];
        plan.mptcp.behaviour.avoid_failed ^= on[5];
        plan.mptcp.checksum ^= on[6];
        plan
    })
}

proptest! {
    /// RFC 8684 §3.3: the stream arrives whole, in order, once, whatever the paths do; what is on its way stays
    /// within the window; data-level acknowledgments only advance; connections end.
    #[test]
    fn streams_arrive_whole(
        plan in plans(),
        paths in prop::collection::vec(path(), 1..4),
        bytes in (1_u64..200_000, 0_u64..50_000),
        seed in any::<u64>(),
    ) {
        let window = plan.tcp.largest_window().max(65_535);
        let mut w = World::new(&plan, &paths, seed);
        for end in 0..2 {
            w.ends[end].write([bytes.0, bytes.1][end]);
            w.ends[end].close();
        }
        let mut acked = [0; 2];
        for _ in 0..3000 {
            w.run_for(1);
            for (end, acked) in acked.iter_mut().enumerate() {
                let (una, nxt) = w.ends[end].progress();
                prop_assert!(una >= *acked, "data-level acknowledgments regress");
                prop_assert!(nxt - una <= window, "{} bytes beyond the window", nxt - una);
                // TCP acknowledges what waits for the peer to say how the stream goes on.
                let in_order = una <= w.delivered[1 - end] || w.ends[end].is_fallback();
                prop_assert!(in_order, "acknowledged before it arrived");
                *acked = una;
            }
            // The streams are done before the FINs of subflows are exchanged.
            let closed = w.events.iter().all(|e| e.contains(&Event::Closed));
            if closed && w.ends.iter().all(|e| e.poll_timeout().is_none()) {
                break;
            }
        }
        for end in &w.ends {
            prop_assert_eq!(end.stats().timeouts, end.tcp_stats().timeouts);
            let unnoticed = end.altered_bytes() > 0 && plan.mptcp.checksum && !end.is_fallback();
            prop_assert!(!unnoticed, "a wrong checksum went unnoticed");
        }
        let broken = w.ends.iter().any(|e| e.stats().checksum_failures > 0)
            && w.events.iter().flatten().any(|e| matches!(e, Event::Reset { .. }));
        if broken {
            // RFC 8684 §3.7: the last subflow is closed where what it carried cannot be continued.
            prop_assert!(w.delivered[0] <= bytes.1 && w.delivered[1] <= bytes.0);
            return Ok(());
        }
        prop_assert_eq!(w.delivered, [bytes.1, bytes.0]);
        prop_assert!(w.events.iter().all(|e| e.contains(&Event::Closed)), "{:?} at {:?}", w.events, w.now);
        prop_assert_eq!(w.ends[0].poll_timeout(), None);
    }
}
