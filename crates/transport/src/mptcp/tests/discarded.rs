//! Options of segments that TCP discards do not count; and a subflow whose peer has sent its FIN still carries data.

use super::*;
use crate::mptcp::key::address_hmac;
use crate::mptcp::option::{AddressIds, Dss, Mapping, Signal};

/// Options that a forged or late segment brings to the client, and whether the client has obeyed them.
struct Case {
    name: &'static str,
    options: fn(&World, Options) -> Options,
    obeyed: fn(&World) -> bool,
}

/// Change of a segment.
type Change = fn(&mut Segment);

fn signal(signal: Signal) -> Options {
    Options::new(None, Some(signal))
}

const CASES: [Case; 6] = [
    Case {
        name: "DATA_ACK",
        options: |w, options| {
            let all = w.ends[0].numbers.sent(w.ends[0].snd.nxt());
            let dss = options.dss.map(|dss| Dss { data_ack: Some(all), wide_ack: true, ..dss });
            Options { dss, ..options }
        },
        obeyed: |w| w.ends[0].snd.outstanding() == 0,
    },
    Case {
        name: "DATA_FIN",
        options: |w, options| {
            let end = &w.ends[0];
            let mapping = Some(Mapping { dsn: end.numbers.received(end.rcv.nxt()), ssn: 0, len: 1 });
            Options {
                dss: options.dss.map(|dss| Dss { mapping, data_fin: true, wide_dsn: true, ..dss }),
                ..options
            }
        },
        obeyed: |w| w.ends[0].rcv.fin().is_some(),
    },
    Case {
        name: "MP_FASTCLOSE",
        options: |w, _| signal(Signal::FastClose { key: w.ends[0].numbers.key().0 }),
        obeyed: |w| w.ends[0].state.is_closed(),
    },
    Case {
        name: "REMOVE_ADDR",
        options: |_, _| signal(Signal::RemoveAddr(AddressIds::one(1))),
        obeyed: |w| w.ends[0].subflows.attached().count() == 1,
    },
    Case {
        name: "MP_PRIO",
        options: |_, _| signal(Signal::Priority { backup: true }),
        obeyed: |w| w.ends[0].subflows[0].priority.is_backup(),
    },
    Case {
        name: "ADD_ADDR",
        options: |w, _| {
            let (own, peer) = (w.ends[0].numbers.key(), w.ends[0].numbers.peer().unwrap());
            let hmac = Some(address_hmac((peer, own), 9, 77, 0));
            signal(Signal::AddAddr { id: 9, address: 77, port: None, hmac })
        },
        obeyed: |w| w.ends[0].addresses.remote(9).is_some(),
    },
];

/// Two connected ends whose client has data on its way over two subflows.
fn busy() -> World {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
    w.ends[0].write(UNLIMITED);
    w.run(Instant::from_millis(300));
    assert_eq!(w.ends[0].subflows.attached().count(), 2);
    w
}

/// An ACK that the server sends now on the first subflow.
fn ack_of_server(w: &mut World) -> Transmit {
    w.ends[1].subflows[0].tcp.demand_ack();
    w.ends[1].subflows.mark_dirty(0);
    w.ends[1].poll_transmit(w.now).unwrap()
}

#[test]
fn options_count_on_valid_segments_only() {
    let changes: [(&str, Change, bool); 5] = [
        ("valid", |_| {}, true),
        ("after the window", |s| s.seq = s.seq + 900_000_000, false),
        ("before the window", |s| s.seq = s.seq + (u32::MAX - 900_000), false),
        ("acknowledges what was never sent", |s| s.ack = s.ack + 900_000_000, false),
        (
            "old timestamp",
            |s| s.timestamps.iter_mut().for_each(|t| t.value = t.value.wrapping_sub(100_000)),
            false,
        ),
    ];
    for case in CASES {
        for (what, change, counts) in changes {
            let mut w = busy();
            let mut t = ack_of_server(&mut w);
            assert!(t.segment.timestamps.is_some());
            change(&mut t.segment);
            let options = (case.options)(&w, t.options);
            assert!(!(case.obeyed)(&w), "{}", case.name);
            let now = w.now;
            w.ends[0].handle_segment(&reversed(&t.tuple), &t.segment, &options, now);
            assert_eq!((case.obeyed)(&w), counts, "{} on a segment that is {what}", case.name);
        }
    }
}

#[test]
fn subflow_stays_in_close_wait_while_the_application_may_write() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(5000);
    w.ends[0].close();
    w.run(Instant::from_millis(500));
    assert!(w.events[1].contains(&Event::PeerClosed), "{:?}", w.events);
    // The peer sends the FIN of its only subflow, too.
    w.ends[0].subflows[0].tcp.close();
    w.ends[0].subflows.mark_dirty(0);
    w.run(Instant::from_millis(1000));
    assert_eq!(w.ends[1].subflows[0].tcp.state(), State::CloseWait);
    w.ends[1].write(10_000);
    w.ends[1].close();
    w.run(Instant::from_millis(5000));
    assert_eq!(w.delivered, [10_000, 5000]);
    assert!(w.events.iter().all(|e| e.contains(&Event::Closed)), "{:?}", w.events);
}

#[test]
fn announced_address_in_use_is_not_joined_again_by_linux() {
    let linux = MptcpPlan {
        path_manager: PathManagerConfig::LinuxPaths(crate::mptcp::path_manager::LinuxPathsConfig {
            subflows: 8,
            add_addr_accepted: 8,
            client: crate::mptcp::path_manager::Endpoints::Listed(Vec::new()),
            ..Default::default()
        }),
        ..usual()
    };
    for (address, subflows) in [(20, 1), (21, 2)] {
        let mut w = World::new(&linux, &[Path::new(10, 0.0), Path::new(10, 0.0)], 1);
        w.mesh = true;
        w.ends[0].write(UNLIMITED);
        w.run(Instant::from_millis(300));
        let t = ack_of_server(&mut w);
        let (own, peer) = (w.ends[0].numbers.key(), w.ends[0].numbers.peer().unwrap());
        let hmac = Some(address_hmac((peer, own), 4, address, 0));
        let options = signal(Signal::AddAddr { id: 4, address, port: None, hmac });
        let now = w.now;
        w.ends[0].handle_segment(&reversed(&t.tuple), &t.segment, &options, now);
        w.run(Instant::from_millis(600));
        assert_eq!(w.ends[0].stats().subflows_established, subflows, "{address}");
    }
}
