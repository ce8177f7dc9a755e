//! Topologies: hosts side by side, dumbbells, parking lots, hosts with several links, rings.

use crate::draw::Draw;
use crate::sections;
use std::fmt::Write as _;
use tailrace_scenario::sections::{LINK, ROUTER};

/// Hosts of one declaration.
pub(crate) struct Hosts {
    pub(crate) name: String,
    /// Number of hosts; zero for one without brackets.
    pub(crate) count: u64,
    /// Links per host.
    pub(crate) interfaces: u64,
}

/// Hosts, routers and links.
#[derive(Default)]
pub(crate) struct Network {
    pub(crate) text: String,
    pub(crate) hosts: Vec<Hosts>,
    pub(crate) routers: Vec<String>,
    /// Selectors of links, for faults.
    pub(crate) links: Vec<String>,
    /// Names of single links, for captures.
    pub(crate) single_links: Vec<String>,
    /// Sum of the rates of the narrow links, bit/s.
    pub(crate) narrow_bps: f64,
    /// Whether there is a medium that links can share.
    shares: bool,
}

impl Hosts {
    /// Draws a host.
    pub(crate) fn one(&self, d: &mut Draw) -> String {
        if self.count == 0 {
            self.name.clone()
        } else {
            format!("{}[{}]", self.name, d.between(0, self.count - 1))
        }
    }
}

impl Network {
    /// Draws a topology.
    pub(crate) fn draw(d: &mut Draw) -> Self {
        let mut n = Self::default();
        if d.chance(0.2) {
            n.shares = true;
            n.text += &crate::parameters::medium(d, "air");
        }
        match d.below(6) {
            0 => n.side_by_side(d),
            1 | 2 => n.dumbbell(d),
            3 => n.parking_lot(d),
            4 => n.multihomed(d),
            _ => n.ring(d),
        }
        n
    }

    /// Two hosts, called `a` and `b`, with this number of paths between them, each over a link or two.
    pub(crate) fn parallel(d: &mut Draw, paths: u64) -> Self {
        let mut n = Self::default();
        for name in ["a", "b"] {
            n.host(d, name, 0, paths);
        }
        let shared = d.chance(0.3);
        for i in 0..paths {
            let router = format!("r{}", if shared { 0 } else { i });
            if d.chance(0.5) || shared {
                if !n.routers.contains(&router) {
                    n.router(d, &router);
                }
                n.narrow(d, ("a", &router), 1);
                n.wide(d, (&router, "b"), 1);
            } else {
                n.narrow(d, ("a", "b"), 1);
            }
        }
        n
    }

    fn side_by_side(&mut self, d: &mut Draw) {
        let links = d.between(1, 4);
        for name in ["a", "b"] {
            self.host(d, name, 0, links);
        }
        for _ in 0..links {
            self.narrow(d, ("a", "b"), 1);
        }
    }

    fn dumbbell(&mut self, d: &mut Draw) {
        let count = d.between(1, 6);
        self.host(d, "src", count, 1);
        self.host(d, "dst", count, 1);
        self.router(d, "r0");
        self.router(d, "r1");
        self.wide(d, ("src[*]", "r0"), count);
        for _ in 0..if d.chance(0.2) { 2 } else { 1 } {
            self.narrow(d, ("r0", "r1"), 1);
        }
        self.wide(d, ("r1", "dst[*]"), count);
    }

    /// Draws a chain of routers with hosts at each.
    fn parking_lot(&mut self, d: &mut Draw) {
        let routers = d.between(2, 5);
        for i in 0..routers {
            let (router, host) = (format!("r{i}"), format!("h{i}"));
            self.router(d, &router);
            let count = d.between(1, 3);
            self.host(d, &host, count, 1);
            self.wide(d, (&format!("{host}[*]"), &router), count);
            if i > 0 {
                self.narrow(d, (&format!("r{}", i - 1), &router), 1);
            }
        }
    }

    /// Draws two hosts with several links each to some routers, connected or not.
    fn multihomed(&mut self, d: &mut Draw) {
        let routers = d.between(1, 3);
        for i in 0..routers {
            self.router(d, &format!("r{i}"));
        }
        for i in 1..routers {
            if d.chance(0.6) {
                self.narrow(d, (&format!("r{}", i - 1), &format!("r{i}")), 1);
            }
        }
        for name in ["a", "b"] {
            let links = d.between(1, 4);
            self.host(d, name, 0, links);
            for i in 0..links {
                // The first link of both leads to the same router, so that they are connected.
                let router = if i == 0 { 0 } else { d.between(0, routers - 1) };
                self.narrow(d, (name, &format!("r{router}")), 1);
            }
        }
    }

    /// Draws a ring of routers with one host at each: every pair has two paths.
    fn ring(&mut self, d: &mut Draw) {
        let routers = d.between(3, 5);
        for i in 0..routers {
            let (router, host) = (format!("r{i}"), format!("h{i}"));
            self.router(d, &router);
            self.host(d, &host, 0, 1);
            self.wide(d, (&host, &router), 1);
        }
        for i in 0..routers {
            self.narrow(d, (&format!("r{i}"), &format!("r{}", (i + 1) % routers)), 1);
        }
    }

    fn host(&mut self, d: &mut Draw, name: &str, count: u64, interfaces: u64) {
        let _ = writeln!(self.text, "[[host]]\nname = \"{name}\"");
        if count > 0 {
            let _ = writeln!(self.text, "count = {count}");
        }
        if interfaces > 0 && d.chance(0.2) {
            // A subnet for each interface, with room for the members of each host.
            let host = self.hosts.len();
            let all: Vec<_> = (0..interfaces).map(|i| format!("\"172.{}.{host}.1\"", 16 + i)).collect();
            let _ = writeln!(self.text, "address = [{}]", all.join(", "));
        }
        self.hosts.push(Hosts { name: name.into(), count, interfaces });
    }

    fn router(&mut self, d: &mut Draw, name: &str) {
        let _ = writeln!(self.text, "[[router]]\nname = \"{name}\"");
        for line in sections::keys(d, &ROUTER, &["name", "count"], &mut |_, _| None) {
            let _ = writeln!(self.text, "{line}");
        }
        self.routers.push(name.into());
    }

    /// Draws a link that is meant to be full.
    fn narrow(&mut self, d: &mut Draw, ends: (&str, &str), count: u64) {
        let rate = d.scale(1e5, 1e7);
        self.narrow_bps += rate;
        self.link(d, ends, rate, count, 0.7);
    }

    fn wide(&mut self, d: &mut Draw, ends: (&str, &str), count: u64) {
        let rate = d.scale(5e6, 1e8);
        self.link(d, ends, rate, count, 0.1);
    }

    fn link(&mut self, d: &mut Draw, (a, b): (&str, &str), rate: f64, count: u64, queued: f64) {
        let name = format!("l{}", self.links.len());
        let _ = writeln!(self.text, "[[link]]\nname = \"{name}\"\nbetween = [\"{a}\", \"{b}\"]");
        let _ = writeln!(self.text, "rate = \"{} bit/s\"", rate as u64);
        if d.chance(queued) {
            let _ = writeln!(self.text, "queue = {}", crate::parameters::queue(d));
        }
        let shares = self.shares && d.chance(0.5);
        // The other direction may be drawn with a schedule, which excludes a medium.
        let skip = ["name", "between", "rate", "queue", "reverse"];
        let skip = if shares { &skip[..] } else { &skip[..4] };
        for line in sections::keys(d, &LINK, skip, &mut sections::of_link) {
            let _ = writeln!(self.text, "{line}");
        }
        if shares {
            let _ = writeln!(self.text, "medium = \"air\"");
        }
        let counted = a.contains('[') || b.contains('[');
        let single = if counted { format!("{name}[{}]", d.between(0, count - 1)) } else { name.clone() };
        self.links.push(if counted && d.chance(0.5) { format!("{name}[*]") } else { single.clone() });
        self.single_links.push(single);
    }
}
