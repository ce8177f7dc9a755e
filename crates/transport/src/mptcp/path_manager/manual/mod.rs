//! Paths by script: what a program does that manages paths over netlink (Linux, net/mptcp/pm_userspace.c), or `ip mptcp`
//! at its time.
//!
//! Nothing happens by itself, but that joins are accepted, and that the subflows of an address that the peer withdraws
//! are ended, as the kernel does for such a program. Times count from when this end may first add subflows. Unlike a
//! path manager that goes by announcements, a script may connect to any address of the peer.

mod script;

pub use script::{Command, Script};

use super::{AddressId, NamedInterface, Outage, PathAction, PathEvent, PathManager, PathManagerKind};
use std::collections::VecDeque;
use tailrace_core::{Instant, parameters};

parameters! {
    /// Parameters of `manual`: commands with times since the connection was established, such as
    /// `"1 s connect 2 to 1; 5 s backup 2"`. Interfaces are counted from 1, in the order of the host's links.
    pub struct ManualConfig {
        /// Commands of the client: a time, then `connect A to B`, `connect A to B backup`, `close A to B`, `announce
        /// A`, `remove A`, `backup A` or `regular A`. A is an interface of its own, B one of the server. `"none"`:
        /// nothing.
        client: Script = Script::default(), "nothing happens by itself";
        /// Commands of the server, in the same form.
        server: Script = Script::default(), "nothing happens by itself";
    }
}

/// The path manager `manual`.
#[derive(Clone, Debug)]
pub struct Manual {
    config: ManualConfig,
    client: bool,
    established: Option<Instant>,
    /// Commands that were carried out.
    done: usize,
    /// Ids of the interfaces of both hosts, where they are not one less than their number.
    locals: Vec<(u8, AddressId)>,
    remotes: Vec<(u8, AddressId)>,
    actions: VecDeque<PathAction>,
}

impl PathManagerKind for Manual {
    type Config = ManualConfig;
    const SUMMARY: &'static str = "Does what a script says, at given times";
    const CITATION: &'static str = "Linux, net/mptcp/pm_userspace.c";
    fn opens_paths(c: &ManualConfig) -> bool {
        let connects = |script: &Script| script.0.iter().any(|s| matches!(s.1, Command::Connect { .. }));
        connects(&c.client) || connects(&c.server)
    }
    fn interfaces(c: &ManualConfig) -> Vec<NamedInterface> {
        let mut all = Vec::new();
        for (client, parameter, script) in [(true, "client", &c.client), (false, "server", &c.server)] {
            for (time, command) in &script.0 {
                let (local, remote) = command.interfaces();
                let words = format!("{time} {command}");
                all.push(NamedInterface { parameter, client, number: local, words: words.clone() });
                all.extend(remote.map(|number| NamedInterface { parameter, client: !client, number, words }));
            }
        }
        all
    }
    /// Interfaces that go down are left to TCP.
    fn ends_with(_c: &ManualConfig, _outage: &Outage) -> bool {
        false
    }
    fn build(config: &ManualConfig) -> Self {
        Self {
            config: config.clone(),
            client: false,
            established: None,
            done: 0,
            locals: Vec::new(),
            remotes: Vec::new(),
            actions: VecDeque::new(),
        }
    }
}

fn id_of(known: &[(u8, AddressId)], number: u8) -> AddressId {
    known.iter().find(|k| k.0 == number).map_or(number.saturating_sub(1), |k| k.1)
}

fn set_id(known: &mut Vec<(u8, AddressId)>, number: u8, id: AddressId) {
    known.retain(|k| k.0 != number);
    known.push((number, id));
}

impl Manual {
    const fn script(&self) -> &Script {
        if self.client { &self.config.client } else { &self.config.server }
    }

    /// The command that comes next, and when.
    fn next(&self) -> Option<(Instant, Command)> {
        let (time, command) = *self.script().0.get(self.done)?;
        Some((self.established?.saturating_add(time), command))
    }

    fn action(&self, command: Command) -> PathAction {
        let local = |number| id_of(&self.locals, number);
        let remote = |number| id_of(&self.remotes, number);
        match command {
            Command::Connect { local: a, remote: b, backup } => {
                PathAction::Connect { local: local(a), remote: remote(b), backup }
            }
            Command::Close { local: a, remote: b } => {
                PathAction::Close { local: local(a), remote: remote(b) }
            }
            Command::Announce { local: a } => PathAction::Announce { local: local(a) },
            Command::Remove { local: a } => PathAction::Withdraw { local: local(a) },
            Command::Priority { local: a, backup } => PathAction::Priority { local: local(a), backup },
        }
    }
}

impl PathManager for Manual {
    fn on_event(&mut self, event: &PathEvent, now: Instant) {
        match *event {
            PathEvent::Established { client } => {
                (self.client, self.established) = (client, Some(now));
                self.handle_timeout(now);
            }
            PathEvent::LocalInterface { id, number } => set_id(&mut self.locals, number, id),
            PathEvent::RemoteInterface { id, number } => set_id(&mut self.remotes, number, id),
            PathEvent::RemoteRemoved { id } => self.actions.push_back(PathAction::Abandon { remote: id }),
            _ => {}
        }
    }

    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next().map(|n| n.0)
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some((_, command)) = self.next().filter(|n| n.0 <= now) {
            self.done += 1;
            self.actions.push_back(self.action(command));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::params::{ParamType as _, Value};

    fn script(text: &str) -> Script {
        Script::from_value(&Value::Text(text.into())).unwrap()
    }

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn actions(pm: &mut Manual) -> Vec<PathAction> {
        std::iter::from_fn(|| pm.poll_action()).collect()
    }

    #[test]
    fn each_command_has_its_time_and_its_action() {
        let client = script(
            "0 s connect 1 to 2; 1 s connect 2 to 1 backup; 2 s regular 2; 2 s backup 1; 3 s announce 2; \
             4 s remove 2; 5 s close 1 to 1",
        );
        let mut pm = Manual::build(&ManualConfig { client, server: script("9 s announce 1") });
        assert_eq!(pm.poll_timeout(), None, "not before the connection is established");
        pm.on_event(&PathEvent::Established { client: true }, at(250));
        assert_eq!(actions(&mut pm), [PathAction::Connect { local: 0, remote: 1, backup: false }]);
        let expected = [
            (1250, vec![PathAction::Connect { local: 1, remote: 0, backup: true }]),
            (
                2250,
                vec![
                    PathAction::Priority { local: 1, backup: false },
                    PathAction::Priority { local: 0, backup: true },
                ],
            ),
            (3250, vec![PathAction::Announce { local: 1 }]),
            (4250, vec![PathAction::Withdraw { local: 1 }]),
            (5250, vec![PathAction::Close { local: 0, remote: 0 }]),
        ];
        for (ms, wanted) in expected {
            assert_eq!(pm.poll_timeout(), Some(at(ms)));
            pm.handle_timeout(at(ms - 1));
            assert_eq!(actions(&mut pm), []);
            pm.handle_timeout(at(ms));
            assert_eq!(actions(&mut pm), wanted);
        }
        assert_eq!(pm.poll_timeout(), None);
    }

    #[test]
    fn interfaces_are_those_of_the_hosts_whichever_the_connection_began_with() {
        let server = script("0 s connect 1 to 3; 0 s announce 2");
        let mut pm = Manual::build(&ManualConfig { server, client: Script::default() });
        // Interface 1 has come back under another id.
        for (id, number) in [(0, 2), (5, 1), (1, 1)] {
            pm.on_event(&PathEvent::LocalInterface { id, number }, at(0));
        }
        pm.on_event(&PathEvent::RemoteInterface { id: 0, number: 3 }, at(0));
        pm.on_event(&PathEvent::Established { client: false }, at(0));
        let connect = PathAction::Connect { local: 1, remote: 0, backup: false };
        assert_eq!(actions(&mut pm), [connect, PathAction::Announce { local: 0 }]);
    }

    #[test]
    fn nothing_happens_by_itself() {
        let mut pm = Manual::build(&ManualConfig::default());
        pm.on_event(&PathEvent::Established { client: true }, at(0));
        for event in [
            PathEvent::LocalUp { id: 1 },
            PathEvent::LocalDown { id: 1 },
            PathEvent::RemoteAdded { id: 1, in_use: false },
            PathEvent::SubflowAccepted { local: 0, remote: 1 },
            PathEvent::SubflowGone { local: 0, remote: 0 },
        ] {
            pm.on_event(&event, at(0));
            assert_eq!(actions(&mut pm), [], "{event:?}");
        }
        pm.on_event(&PathEvent::RemoteRemoved { id: 1 }, at(0));
        assert_eq!(actions(&mut pm), [PathAction::Abandon { remote: 1 }]);
        assert!(pm.accepts_join());
    }

    #[test]
    fn the_interfaces_that_a_script_names_are_known_by_host() {
        let config = ManualConfig { client: script("1 s connect 2 to 3"), server: script("1 s announce 4") };
        let named: Vec<_> =
            Manual::interfaces(&config).into_iter().map(|n| (n.parameter, n.client, n.number)).collect();
        assert_eq!(named, [("client", true, 2), ("client", false, 3), ("server", false, 4)]);
        assert!(Manual::opens_paths(&config));
        assert!(!Manual::opens_paths(&ManualConfig { client: Script::default(), ..config }));
    }
}
