//! All kernels of a run: started for a scenario, attached to its simulation, ended with it.

use crate::control_channel as control;
use crate::error::KernelError;
use crate::guest_process::{GuestConfig, GuestProcess};
use crate::host::KernelHost;
use crate::pinning::PinnedThread;
use crate::program_report::{ProgramReport, unseen_file};
use crate::start_error::{self, StartError};
use core::net::Ipv4Addr;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tailrace_agent::plan::{
    self, DatagramSocket, EndpointFlag, GuestPlan, Interface, Listener, MptcpEndpoint, SampleSchedule,
    SocketControl,
};
use tailrace_agent::visible::HIDDEN_FOLDER;
use tailrace_core::rng::run_seed;
use tailrace_core::{Duration, Rng};
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{self, NodeIndex};
use tailrace_sim::{FlowSockets, Simulation};
use tempfile::TempDir;

/// The simulation's time zero on the clocks of guests: they have booted by then.
const READY: Duration = Duration::from_secs(3);

/// The largest packet of the card by which flows are driven.
const CONTROL_MTU: u16 = 1500;

/// Most bytes of a program's output that a report has: the last.
const MOST_OUTPUT: usize = 256 << 10;

/// Kernel images, agent and cancellation, from which kernels are started.
#[derive(Clone, Debug)]
pub struct KernelImages {
    /// The kernels that a scenario names, by these names.
    pub kernels: BTreeMap<String, PathBuf>,
    /// The agent: the program of `tailrace-agent`.
    pub agent: PathBuf,
    /// Files and folders of this machine that programs of a host may read beside those of the system, by absolute names without
    /// links.
    pub readable: BTreeMap<String, Vec<PathBuf>>,
    /// Whether programs are trusted where nothing can confine them.
    pub unconfined: bool,
    /// Cancellation.
    pub control: Arc<tailrace_sim::Control>,
}

impl KernelImages {
    /// Files and folders that the programs of a kernel's hosts may read.
    fn readable_of(&self, members: &[GuestMember<'_>]) -> Vec<PathBuf> {
        let named = members.iter().filter_map(|member| self.readable.get(&member.node.name)).flatten();
        named.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }
}

/// The kernels of a run.
#[derive(Debug)]
pub struct GuestKernels {
    guests: Vec<RunningGuest>,
    /// Where sockets, consoles and outputs are, until the value is dropped.
    folder: TempDir,
    _pinned: PinnedThread,
}

/// A running kernel, which is one host of the scenario or several.
#[derive(Debug)]
struct RunningGuest {
    hosts: Vec<String>,
    folder: PathBuf,
    /// Programs, each with the number of its host.
    programs: Vec<(usize, model::Program)>,
    /// Files and folders that they may read beside those of the system.
    readable: Vec<PathBuf>,
    machine: GuestProcess,
}

impl GuestKernels {
    /// Starts the kernels of a scenario's hosts and attaches them. This thread, and the kernels with it, stay on
    /// one processor until the value is dropped: messages between two cost several times as much.
    ///
    /// # Errors
    /// Where a kernel is not known, does not boot, or its host cannot be attached.
    pub fn start(
        scenario: &Scenario,
        run: u32,
        simulation: &mut Simulation,
        stock: &KernelImages,
    ) -> Result<Self, StartError> {
        let folder = tempfile::Builder::new().prefix("tailrace-").tempdir();
        let folder = folder.map_err(|error| StartError {
            host: String::new(),
            why: error.to_string(),
            refused: None,
        })?;
        let mut all = Self { guests: Vec::new(), folder, _pinned: PinnedThread::of_environment() };
        let names = names(scenario, simulation)?;
        let seed = run_seed(scenario.seed, run);
        for members in members(scenario) {
            let (node, spec) = (members[0].node, members[0].spec);
            let failed = |why: String| StartError { host: node.name.clone(), why, refused: None };
            let path = stock.kernels.get(&spec.kernel);
            let kernel = path.ok_or_else(|| failed(format!("there is no kernel {:?}", spec.kernel)))?;
            let (plan, mtus) = plan_all(scenario, simulation, &members, &names)
                .map_err(|error| failed(error.to_string()))?;
            let readable = stock.readable_of(&members);
            let hidden = |path: &&PathBuf| path.starts_with(HIDDEN_FOLDER);
            let card = plan.control.as_ref().map(|control| control.card);
            let folder = all.folder.path().join(format!("host{}", all.guests.len()));
            let config = GuestConfig {
                kernel: kernel.clone(),
                agent: stock.agent.clone(),
                folder: folder.clone(),
                memory: u32::try_from(spec.memory.get() >> 20).unwrap_or(u32::MAX),
                mtus,
                plan: GuestPlan {
                    seed: Rng::named(seed, &format!("kernel/{}", node.name)).next_u64(),
                    uncovered: readable.iter().filter(hidden).cloned().collect(),
                    ..plan
                },
                backpressure: spec.backpressure,
                readable: readable.clone(),
                unconfined: stock.unconfined,
                control: Arc::clone(&stock.control),
            };
            let (machine, kernel) = GuestProcess::start(&config).map_err(|error| match error {
                KernelError::Refused(refusal) => StartError::of(refusal, scenario),
                error => failed(error.to_string()),
            })?;
            let mut host = KernelHost::new(kernel, READY);
            if let Some(card) = card {
                host = host.with_control(card.into(), machine.mailbox());
            }
            let hosts: Vec<&str> = members.iter().map(|member| member.node.name.as_str()).collect();
            simulation.attach_shared(&hosts, Box::new(host)).map_err(|e| failed(e.to_string()))?;
            let hosts = hosts.into_iter().map(str::to_string).collect();
            let programs = members.iter().enumerate();
            let programs = programs.flat_map(|(i, m)| m.spec.programs.iter().map(move |p| (i, p.clone())));
            let programs = programs.collect();
            all.guests.push(RunningGuest { hosts, folder, programs, readable, machine });
        }
        Ok(all)
    }

    /// Programs that ran at the kernel of a host, the last lines of its console, and the file that keeps all of it
    /// beyond the end of the run.
    pub fn last_words(&self, host: &str) -> Option<String> {
        let has = |guest: &&RunningGuest| guest.hosts.iter().any(|name| name == host);
        let guest = self.guests.iter().find(has)?;
        let mut words: Vec<String> = guest.running().take(MOST_NAMED).collect();
        words.push(guest.machine.last_words());
        Some(words.join("; "))
    }

    /// Reports of the programs of all hosts, in the order of the kernels.
    pub fn reports(&self) -> Vec<ProgramReport> {
        self.guests.iter().flat_map(RunningGuest::reports).collect()
    }
}

/// A host of a kernel.
struct GuestMember<'a> {
    index: NodeIndex,
    node: &'a model::Node,
    spec: &'a model::KernelHost,
}

/// The hosts of each kernel, in the order of their first ones.
fn members(scenario: &Scenario) -> Vec<Vec<GuestMember<'_>>> {
    let mut all: Vec<Vec<GuestMember<'_>>> = Vec::new();
    for (i, node) in (0..).zip(&scenario.nodes) {
        let Some(spec) = node.kernel.as_deref() else { continue };
        let member = GuestMember { index: NodeIndex(i), node, spec };
        let shares = |other: &&mut Vec<GuestMember<'_>>| {
            spec.namespace.is_some() && other[0].spec.namespace == spec.namespace
        };
        match all.iter_mut().find(shares) {
            Some(others) => others.push(member),
            None => all.push(vec![member]),
        }
    }
    all
}

/// Plan of a kernel for these hosts, and the MTU of each of its devices: those of the hosts' links, and the control
/// device.
fn plan_all(
    scenario: &Scenario,
    simulation: &Simulation,
    members: &[GuestMember<'_>],
    names: &BTreeMap<String, Vec<Ipv4Addr>>,
) -> Result<(GuestPlan, Vec<u16>), tailrace_sim::AttachError> {
    let (mut hosts, mut cards, mut asked) = (Vec::new(), Vec::new(), FlowSockets::default());
    let mut outputs = 0;
    for GuestMember { index, node, spec } in members {
        let sockets = simulation.flow_sockets(&node.name)?;
        asked.connects |= sockets.connects;
        asked.listeners.extend(sockets.listeners);
        asked.datagrams.extend(sockets.datagrams);
        let first = FirstNumbers { card: cards.len() as u16, output: outputs };
        outputs += spec.programs.len();
        cards.extend(mtus(scenario, *index));
        let (unreached, later) = (simulation.unreached(&node.name)?, simulation.later_addresses(&node.name)?);
        let host = plan_of(node, spec, (&names[&node.name], unreached, later), first);
        hosts.push(plan::HostPlan {
            congestion_controls: start_error::congestion_controls_of(scenario, &node.name),
            ..host
        });
    }
    let moves = hosts.iter().flat_map(|host| &host.interfaces).any(|i| !i.later.is_empty());
    let control = control_of(&asked, moves, (cards.len(), samples(scenario)));
    cards.extend(control.is_some().then_some(CONTROL_MTU));
    let names = names.iter().flat_map(|(n, all)| Some((n.clone(), *all.first()?))).collect();
    let ready = READY.as_nanos();
    Ok((GuestPlan { ready, names, hosts, control, ..GuestPlan::default() }, cards))
}

/// Where a host's cards and outputs begin among those of its kernel.
struct FirstNumbers {
    card: u16,
    output: usize,
}

/// Limit of the programs that an error names.
const MOST_NAMED: usize = 4;

impl RunningGuest {
    fn reports(&self) -> impl Iterator<Item = ProgramReport> + '_ {
        let numbered = self.programs.iter().enumerate();
        numbered.map(|(i, (host, program))| self.report(i, &self.hosts[*host], program))
    }

    /// Sentences about the programs that have begun and not ended.
    fn running(&self) -> impl Iterator<Item = String> + '_ {
        let begun = |number: usize| self.folder.join("root").join(output_name(number)).exists();
        let left = self.reports().enumerate().filter(move |(i, one)| one.exit_code.is_none() && begun(*i));
        left.map(|(_, program)| program.running())
    }

    fn report(&self, number: usize, host: &str, program: &model::Program) -> ProgramReport {
        let root = self.folder.join("root");
        let said = fs::read(root.join(output_name(number))).unwrap_or_default();
        let left_out = said.len().saturating_sub(MOST_OUTPUT);
        let end = ended(&root.join(plan::exit_name(&output_name(number))));
        let output = String::from_utf8_lossy(&said[left_out..]).into_owned();
        let failed = end.is_some_and(|end| end.code != 0);
        ProgramReport {
            host: host.to_string(),
            command: program.command.clone(),
            start_s: program.at.as_secs_f64(),
            end_s: end.map(|end| Duration::from_nanos(end.at).saturating_sub(READY).as_secs_f64()),
            exit_code: end.map(|end| end.code),
            unseen_file: failed.then(|| unseen_file(&program.command, &output, &self.readable)).flatten(),
            output,
            output_left_out_bytes: left_out as u64,
        }
    }
}

fn ended(path: &Path) -> Option<plan::ProgramExit> {
    fs::read_to_string(path).ok()?.parse().ok()
}

fn output_name(number: usize) -> String {
    format!("output{number}")
}

/// The addresses of all hosts and routers, by name.
fn names(
    scenario: &Scenario,
    simulation: &Simulation,
) -> Result<BTreeMap<String, Vec<Ipv4Addr>>, StartError> {
    let (hosts, routers): (Vec<_>, Vec<_>) =
        scenario.nodes.iter().partition(|node| node.kind == model::NodeKind::Host);
    let addresses = |node: &model::Node| {
        let failed = |e: tailrace_sim::AttachError| StartError {
            host: node.name.clone(),
            why: e.to_string(),
            refused: None,
        };
        Ok((node.name.clone(), simulation.addresses(&node.name).map_err(failed)?))
    };
    let routers = routers.into_iter().filter_map(|node| {
        let address = simulation.router_address(&node.name)?;
        Some(Ok((node.name.clone(), vec![address])))
    });
    hosts.into_iter().map(addresses).chain(routers).collect()
}

/// The largest packets of a host's links, in their order.
fn mtus(scenario: &Scenario, node: NodeIndex) -> Vec<u16> {
    let out = |link: &model::Link| match (link.a == node, link.b == node) {
        (true, _) => Some(link.forward.mtu),
        (_, true) => Some(link.backward.mtu),
        _ => None,
    };
    let links = scenario.links.iter().filter_map(out);
    links.map(|mtu| u16::try_from(mtu.get()).unwrap_or(u16::MAX)).collect()
}

/// Control of sockets and of moving addresses by the simulator, over the device `card`; none where it is not needed.
fn control_of(
    asked: &FlowSockets,
    moves: bool,
    (card, samples): (usize, SampleSchedule),
) -> Option<SocketControl> {
    let needs = moves || asked.connects || !asked.listeners.is_empty() || !asked.datagrams.is_empty();
    let listeners = asked.listeners.iter().map(|(at, kind)| Listener { at: *at, kind: control::kind(kind) });
    let datagrams = asked.datagrams.iter().map(|socket| DatagramSocket {
        at: socket.at,
        traffic_class: socket.traffic_class,
        is_heard: socket.is_heard,
    });
    needs.then(|| SocketControl {
        card: card as u16,
        listeners: listeners.collect(),
        datagrams: datagrams.collect(),
        samples,
    })
}

/// Connections are looked at a little before the recorder asks how they are, and before results begin and end.
fn samples(scenario: &Scenario) -> SampleSchedule {
    const BEFORE: Duration = Duration::from_micros(20);
    let before = |time: Duration| (READY + time).saturating_sub(BEFORE).as_nanos();
    let interval = scenario.record.interval;
    let windows = scenario.windows.iter().flat_map(|window| [window.start, window.end]);
    let inside = windows.chain([scenario.warmup]).filter(|at| !at.is_zero() && *at < scenario.duration);
    let mut others: Vec<u64> = inside.map(before).collect();
    others.sort_unstable();
    SampleSchedule {
        first: before(interval.unwrap_or(scenario.duration)),
        interval: interval.map_or(0, Duration::as_nanos),
        last: before(scenario.duration),
        others,
    }
}

fn plan_of(
    node: &model::Node,
    spec: &model::KernelHost,
    (addresses, unreached, later): (&[Ipv4Addr], Vec<Vec<Ipv4Addr>>, Vec<Vec<Ipv4Addr>>),
    first: FirstNumbers,
) -> plan::HostPlan {
    let endpoints = (1..).zip(&spec.endpoints).filter_map(|(id, endpoint)| {
        let address = *addresses.get(usize::from(endpoint.interface).checked_sub(1)?)?;
        let flags = [
            (endpoint.signal, EndpointFlag::Signal),
            (endpoint.subflow, EndpointFlag::Subflow),
            (endpoint.backup, EndpointFlag::Backup),
            (endpoint.fullmesh, EndpointFlag::Fullmesh),
        ];
        let flags = flags.into_iter().filter_map(|(on, flag)| on.then_some(flag)).collect();
        Some(MptcpEndpoint { id, address, flags })
    });
    let programs = spec.programs.iter().enumerate().map(|(number, program)| plan::Program {
        at: (READY + program.at).as_nanos(),
        command: program.command.clone(),
        output: output_name(first.output + number),
    });
    let numbered = (first.card..).zip(addresses).zip(unreached.into_iter().zip(later));
    let interfaces = numbered.map(|((card, address), (unreached, later))| Interface {
        card,
        address: *address,
        later,
        unreached,
    });
    plan::HostPlan {
        name: node.name.clone(),
        interfaces: interfaces.collect(),
        sysctl: spec.sysctl.clone(),
        congestion_controls: Vec::new(),
        limits: spec.limits.map(|limits| plan::PathManagerLimits {
            subflows: limits.subflows,
            add_addr_accepted: limits.add_addr_accepted,
        }),
        endpoints: endpoints.collect(),
        programs: programs.collect(),
    }
}
