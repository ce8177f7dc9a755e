//! Tests of the in-kernel path manager, event by event.

use super::*;
use crate::tcp::ResetCause;
use tailrace_core::params::{ParamType as _, Value};

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn endpoints(text: &str) -> Endpoints {
    Endpoints::from_value(&Value::Text(text.into())).unwrap()
}

fn limits(subflows: u64, add_addr_accepted: u64) -> LinuxPathsConfig {
    LinuxPathsConfig { subflows, add_addr_accepted, ..LinuxPathsConfig::default() }
}

fn connect(local: AddressId, remote: AddressId) -> PathAction {
    PathAction::Connect { local, remote, backup: false }
}

fn announce(local: AddressId) -> PathAction {
    PathAction::Announce { local }
}

/// A path manager under test, with what it has done.
struct Host {
    pm: LinuxPaths,
    now: Instant,
}

impl Host {
    /// Host with `interfaces`, and an established connection over the first.
    fn new(config: &LinuxPathsConfig, interfaces: u8, client: bool) -> Self {
        let mut host = Self { pm: LinuxPaths::build(config), now: at(0) };
        for id in 0..interfaces {
            host.event(&PathEvent::LocalInterface { id, number: id + 1 });
        }
        (1..interfaces).for_each(|id| host.event(&PathEvent::LocalUp { id }));
        host.event(&PathEvent::Established { client });
        host
    }

    fn event(&mut self, event: &PathEvent) {
        self.pm.on_event(event, self.now);
    }

    fn gone(&mut self, local: AddressId, remote: AddressId) {
        let cause = Some(ResetCause::TimedOut);
        self.event(&PathEvent::SubflowLost { local, remote, cause });
        self.event(&PathEvent::SubflowGone { local, remote });
    }

    fn no_route(&mut self, local: AddressId, remote: AddressId) {
        self.event(&PathEvent::SubflowLost { local, remote, cause: None });
        self.event(&PathEvent::SubflowGone { local, remote });
    }

    fn actions(&mut self) -> Vec<PathAction> {
        std::iter::from_fn(|| self.pm.poll_action()).collect()
    }

    /// Actions after the daemon has handled the next endpoint.
    fn next_endpoint(&mut self) -> Vec<PathAction> {
        self.pm.handle_timeout(self.now);
        self.actions()
    }
}

#[test]
fn out_of_the_box_the_client_joins_from_two_further_interfaces() {
    let mut client = Host::new(&LinuxPathsConfig::default(), 4, true);
    assert_eq!(client.actions(), [connect(1, 0), connect(2, 0)]);
    client.event(&PathEvent::RemoteAdded { id: 1, in_use: false });
    assert_eq!(client.actions(), [], "announced addresses are ignored");
    let mut server = Host::new(&LinuxPathsConfig::default(), 4, false);
    assert_eq!(server.actions(), []);
}

#[test]
fn no_limit_is_passed_by_joins_of_either_end() {
    let mut server = Host::new(&limits(2, 0), 1, false);
    for remote in [1, 2] {
        assert!(server.pm.accepts_join());
        server.event(&PathEvent::SubflowAccepted { local: 0, remote });
    }
    assert!(!server.pm.accepts_join());
    server.gone(0, 2);
    assert!(server.pm.accepts_join(), "a place is free again");
    let mut client = Host::new(&limits(8, 0), 2, true);
    client.actions();
    assert!(!client.pm.accepts_join(), "nobody listens");
    assert!(Host::new(&LinuxPathsConfig { client_listens: true, ..limits(1, 0) }, 1, true).pm.accepts_join());
    let none = Host::new(&limits(0, 8), 3, true);
    assert_eq!((none.pm.actions.len(), none.pm.accepts), (0, false));
}

#[test]
fn a_subflow_that_breaks_is_not_opened_again_but_the_next_endpoint_is_used() {
    let mut client = Host::new(&limits(2, 0), 4, true);
    client.actions();
    client.gone(1, 0);
    assert_eq!(client.actions(), [connect(3, 0)]);
    client.gone(2, 0);
    client.gone(3, 0);
    assert_eq!(client.actions(), []);
}

#[test]
fn announced_addresses_come_before_subflows() {
    let config =
        LinuxPathsConfig { client: endpoints("2 subflow, 3 signal subflow, 1 signal"), ..limits(8, 0) };
    let mut client = Host::new(&config, 3, true);
    // The connection's own address needs no announcement.
    assert_eq!(client.actions(), [announce(2), connect(1, 0), connect(2, 0)]);
}

#[test]
fn addresses_are_announced_one_at_a_time() {
    let config = LinuxPathsConfig { server: endpoints("2 signal, 3 signal, 4 signal"), ..limits(8, 0) };
    let mut server = Host::new(&config, 4, false);
    assert_eq!(server.actions(), [announce(1)]);
    server.event(&PathEvent::Echoed { local: 1 });
    assert_eq!(server.actions(), [announce(2)]);
    server.event(&PathEvent::SubflowAccepted { local: 1, remote: 1 });
    server.event(&PathEvent::SubflowUp { local: 1, remote: 1 });
    assert_eq!(server.actions(), [announce(3)]);
    server.event(&PathEvent::Echoed { local: 2 });
    assert_eq!(server.actions(), []);
}

/// Behaviour of Linux 6.12 between hosts with parallel links, where one interface alone reaches each announced address: the n-th is joined
/// from the n-th endpoint as long as that is among the allowed tries, n <= 9 - n.
#[test]
fn tries_without_a_route_take_places_while_they_last() {
    let all = "2 fullmesh, 3 fullmesh, 4 fullmesh, 5 fullmesh, 6 fullmesh, 7 fullmesh, 8 fullmesh";
    let mut client = Host::new(&LinuxPathsConfig { client: endpoints(all), ..limits(8, 8) }, 8, true);
    // To the server's first address no other interface has a route.
    let refuse = |client: &mut Host, routed: AddressId| {
        let mut opened = Vec::new();
        for action in client.actions() {
            let PathAction::Connect { local, remote, .. } = action else { continue };
            if local == routed && remote == routed {
                opened.push(local)
            } else {
                client.no_route(local, remote)
            }
        }
        opened
    };
    assert_eq!(refuse(&mut client, 0), []);
    let joined = (1..8).flat_map(|id| {
        client.event(&PathEvent::RemoteAdded { id, in_use: false });
        refuse(&mut client, id)
    });
    assert_eq!(joined.collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn the_server_announces_and_joins_only_as_configured() {
    let config = LinuxPathsConfig { server: endpoints("2 signal, 3 subflow"), ..limits(2, 0) };
    assert_eq!(Host::new(&config, 3, false).actions(), [announce(1), connect(2, 0)]);
}

#[test]
fn announced_addresses_are_accepted_within_the_limit_and_joined_once() {
    let mut client = Host::new(&LinuxPathsConfig { client: endpoints("none"), ..limits(8, 2) }, 2, true);
    for (id, expected) in [(1, vec![connect(0, 1)]), (1, vec![]), (2, vec![connect(0, 2)]), (3, vec![])] {
        client.event(&PathEvent::RemoteAdded { id, in_use: false });
        assert_eq!(client.actions(), expected, "{id}");
    }
    client.event(&PathEvent::RemoteRemoved { id: 1 });
    client.event(&PathEvent::SubflowGone { local: 0, remote: 1 });
    assert_eq!(client.actions(), [PathAction::Abandon { remote: 1 }]);
    client.event(&PathEvent::RemoteAdded { id: 3, in_use: false });
    assert_eq!(client.actions(), [connect(0, 3)], "one place is free again");
}

#[test]
fn an_announced_address_is_joined_from_where_a_route_begins() {
    let mut client = Host::new(&LinuxPathsConfig { client: endpoints("none"), ..limits(8, 1) }, 3, true);
    client.event(&PathEvent::RemoteAdded { id: 1, in_use: false });
    for local in 0..3 {
        assert_eq!(client.actions(), [connect(local, 1)]);
        client.no_route(local, 1);
    }
    assert_eq!((client.actions(), client.pm.live.len()), (vec![], 1));
    client.event(&PathEvent::RemoteAdded { id: 2, in_use: false });
    assert_eq!(client.actions(), [connect(0, 2)], "what cannot be reached does not count");
}

#[test]
fn fullmesh_endpoints_join_every_address_that_subflows_go_to() {
    let config = LinuxPathsConfig { client: endpoints("1 fullmesh, 2 subflow fullmesh"), ..limits(8, 8) };
    let mut client = Host::new(&config, 2, true);
    assert_eq!(client.actions(), [connect(1, 0)]);
    client.event(&PathEvent::RemoteAdded { id: 1, in_use: false });
    assert_eq!(client.actions(), [connect(0, 1), connect(1, 1)]);
    // Taken away and added again, it meshes with all that there are.
    client.event(&PathEvent::LocalDown { id: 1 });
    assert_eq!(client.next_endpoint(), [PathAction::Withdraw { local: 1 }]);
    client.event(&PathEvent::SubflowGone { local: 1, remote: 0 });
    client.event(&PathEvent::SubflowGone { local: 1, remote: 1 });
    client.event(&PathEvent::LocalUp { id: 1 });
    assert_eq!(client.next_endpoint(), [connect(1, 0), connect(1, 1)]);
    let mut narrow = Host::new(&LinuxPathsConfig { subflows: 2, ..config }, 2, true);
    narrow.actions();
    narrow.event(&PathEvent::RemoteAdded { id: 1, in_use: false });
    assert_eq!(narrow.actions(), [connect(0, 1)], "as far as the limit goes");
}

#[test]
fn backup_endpoints_make_backups_in_every_way() {
    let config = LinuxPathsConfig {
        client: endpoints("1 backup, 2 subflow backup"),
        server: endpoints("1 backup"),
        ..limits(2, 0)
    };
    let mut client = Host::new(&config, 2, true);
    let backup = PathAction::Connect { local: 1, remote: 0, backup: true };
    assert_eq!(client.actions(), [PathAction::Priority { local: 0, backup: true }, backup]);
    let server = Host::new(&config, 2, false);
    assert!(server.pm.is_backup(0) && !server.pm.is_backup(1));
}

#[test]
fn a_daemon_removes_and_adds_endpoints_when_interfaces_change() {
    let config = LinuxPathsConfig { event_delay: Duration::from_secs(1), ..limits(2, 0) };
    let mut client = Host::new(&config, 2, true);
    client.actions();
    for (id, remains) in [(0, 1), (1, 0)] {
        client.now = at(1000);
        client.event(&PathEvent::LocalDown { id });
        assert_eq!((client.actions(), client.pm.poll_timeout()), (vec![], Some(at(2000))));
        client.pm.handle_timeout(at(2000));
        assert_eq!(client.actions(), [PathAction::Withdraw { local: id }], "{remains} remains");
        client.event(&PathEvent::SubflowGone { local: id, remote: 0 });
        client.now = at(3000);
        client.event(&PathEvent::LocalUp { id });
        client.pm.handle_timeout(at(4000));
        assert_eq!(client.actions(), [connect(id, 0)]);
    }
}

#[test]
fn endpoints_are_removed_and_added_one_after_the_other_though_their_links_change_together() {
    let mut client = Host::new(&limits(3, 0), 4, true);
    client.actions();
    type Rule<T> = fn(AddressId) -> T;
    let down: (Rule<PathEvent>, Rule<PathAction>) =
        (|id| PathEvent::LocalDown { id }, |local| PathAction::Withdraw { local });
    let up: (Rule<PathEvent>, Rule<PathAction>) = (|id| PathEvent::LocalUp { id }, |id| connect(id, 0));
    for (change, follows) in [down, up] {
        (1..3).for_each(|id| client.event(&change(id)));
        assert_eq!(client.actions(), [], "nothing yet");
        for local in 1..3 {
            assert_eq!(client.pm.poll_timeout(), Some(client.now), "the next is due at once");
            assert_eq!(client.next_endpoint(), [follows(local)]);
            client.event(&PathEvent::SubflowGone { local, remote: 0 });
        }
        assert_eq!(client.pm.poll_timeout(), None);
    }
}

#[test]
fn an_interface_that_is_no_endpoint_concerns_nobody() {
    let config = LinuxPathsConfig { client: endpoints("2 subflow"), ..limits(2, 0) };
    let mut client = Host::new(&config, 3, true);
    client.actions();
    for id in [0, 2] {
        client.event(&PathEvent::LocalDown { id });
        assert_eq!(client.next_endpoint(), []);
        client.event(&PathEvent::LocalUp { id });
        assert_eq!(client.next_endpoint(), []);
    }
    // An endpoint that was neither announced nor joined goes without a signal.
    let mut idle = Host::new(&limits(1, 0), 3, true);
    idle.actions();
    idle.event(&PathEvent::LocalDown { id: 2 });
    assert_eq!(idle.next_endpoint(), []);
}

#[test]
fn endpoints_are_found_by_interface_whichever_the_connection_began_with() {
    let config = LinuxPathsConfig { client: endpoints("1 subflow, 2 subflow backup"), ..limits(8, 0) };
    let mut pm = LinuxPaths::build(&config);
    for (id, number) in [(0, 2), (1, 1), (2, 3)] {
        pm.on_event(&PathEvent::LocalInterface { id, number }, at(0));
    }
    (1..3).for_each(|id| pm.on_event(&PathEvent::LocalUp { id }, at(0)));
    pm.on_event(&PathEvent::Established { client: true }, at(0));
    let actions: Vec<_> = std::iter::from_fn(|| pm.poll_action()).collect();
    assert_eq!(actions, [PathAction::Priority { local: 0, backup: true }, connect(1, 0)]);
}

#[test]
fn an_interface_that_has_got_another_address_is_one_endpoint() {
    for established in [false, true] {
        let mut pm = LinuxPaths::build(&limits(8, 0));
        let establish = |pm: &mut LinuxPaths| pm.on_event(&PathEvent::Established { client: true }, at(0));
        for (id, number) in [(0, 1), (1, 2)] {
            pm.on_event(&PathEvent::LocalInterface { id, number }, at(0));
        }
        if established {
            pm.on_event(&PathEvent::LocalUp { id: 1 }, at(0));
            establish(&mut pm);
            assert_eq!(std::iter::from_fn(|| pm.poll_action()).collect::<Vec<_>>(), [connect(1, 0)]);
        }
        pm.on_event(&PathEvent::LocalDown { id: 1 }, at(0));
        pm.on_event(&PathEvent::LocalInterface { id: 2, number: 2 }, at(0));
        pm.on_event(&PathEvent::LocalUp { id: 2 }, at(0));
        if !established {
            establish(&mut pm);
        }
        while pm.poll_timeout().is_some() {
            pm.handle_timeout(at(0));
        }
        let actions: Vec<_> = std::iter::from_fn(|| pm.poll_action()).collect();
        let withdraw = PathAction::Withdraw { local: 1 };
        assert_eq!(actions, if established { vec![withdraw, connect(2, 0)] } else { vec![connect(2, 0)] });
        assert_eq!(pm.endpoints.len(), 2);
    }
}

#[test]
fn limits_are_those_of_linux() {
    assert!(LinuxPaths::validate(&limits(8, 8)).is_ok());
    for (config, name) in [(limits(9, 0), "subflows"), (limits(0, 9), "add_addr_accepted")] {
        let (which, why) = LinuxPaths::validate(&config).unwrap_err();
        assert!(which == name && why.contains("0 to 8"), "{which}: {why}");
    }
}

#[test]
fn whether_paths_are_opened_is_known_beforehand() {
    let with = |subflows, accepted, client: &str, server: &str| {
        let config = LinuxPathsConfig {
            client: endpoints(client),
            server: endpoints(server),
            ..limits(subflows, accepted)
        };
        LinuxPaths::opens_paths(&config)
    };
    assert!(LinuxPaths::opens_paths(&LinuxPathsConfig::default()));
    assert!(with(2, 0, "2 subflow", "none") && with(2, 1, "none", "2 signal"));
    assert!(!with(0, 1, "2 subflow", "2 signal") && !with(2, 0, "none", "2 signal"));
    assert!(!with(2, 1, "2 backup", "2 subflow"), "the client does not listen");
}

#[test]
fn backups_of_nothing_are_found_out() {
    let end = |first, interfaces| End { interfaces, first };
    let fits = |client: &str, server: &str, accepted, first| {
        let config =
            LinuxPathsConfig { client: endpoints(client), server: endpoints(server), ..limits(2, accepted) };
        LinuxPaths::validate_ends(&config, [end(first, 3), end(1, 2)]).map_err(|m| m.parameter)
    };
    let one = "1 backup, 2 subflow backup";
    assert_eq!(fits(one, "none", 0, 1), Err("client"));
    assert_eq!(fits(one, "none", 0, 2), Err("client"), "only backups are joined from");
    assert_eq!(fits(one, "none", 0, 3), Ok(()), "it begins with another");
    assert_eq!(fits(one, "2 signal", 1, 1), Ok(()), "the third may join an announced address");
    assert_eq!(fits("1 backup, 2 fullmesh backup", "2 signal", 1, 1), Err("client"));
    assert_eq!(fits("1 backup, 2 backup, 3 backup", "2 signal", 1, 1), Err("client"));
    assert_eq!(fits("1 backup, 2 subflow", "none", 0, 1), Ok(()));
    assert_eq!(fits("auto", "1 backup", 0, 1), Err("server"));
    assert_eq!(fits("auto", "1 backup, 2 signal", 1, 1), Ok(()));
    assert_eq!(fits("auto", "1 backup, 2 signal backup", 1, 1), Err("server"));
}

#[test]
fn the_interfaces_of_the_endpoints_are_known_by_host() {
    let config = LinuxPathsConfig {
        client: endpoints("3 subflow backup"),
        server: endpoints("2 signal"),
        ..LinuxPathsConfig::default()
    };
    let named = LinuxPaths::interfaces(&config);
    let seen: Vec<_> = named.iter().map(|n| (n.parameter, n.client, n.number, n.words.as_str())).collect();
    assert_eq!(seen, [("client", true, 3, "3 subflow backup"), ("server", false, 2, "2 signal")]);
    assert_eq!(LinuxPaths::limit(&config), Some(("subflows", 3)));
}
