//! Hosts with kernels of their own: what they are made of, and what cannot be asked of them.

use crate::declarations::draft::Draft;
use crate::declarations::kernel::RunDecl;
use crate::declarations::node::NodeDecl;
use crate::model::{KernelHost, Limits, NodeIndex, Program, Scenario};
use crate::text::codes::Code;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use std::collections::BTreeMap;
use std::sync::Arc;
use tailrace_core::Bytes;
use tailrace_transport::mptcp::path_manager::Endpoints;

/// Default memory of a kernel; its programs come on top.
const MEMORY: Bytes = Bytes(128 << 20);

/// In place of a kernel's name: the host is simulated, and what else is said of its kernel waits for one.
const NONE: &str = "none";

/// The kernel that members of a declaration are to have.
fn named(decl: &NodeDecl) -> Option<&String> {
    decl.kernel.as_ref().map(|at| &at.value).filter(|name| *name != NONE)
}

/// The kernel of all members of a declaration.
pub(super) fn of(decl: &NodeDecl) -> Option<Arc<KernelHost>> {
    let kernel = named(decl)?.clone();
    let program = |run: &RunDecl| Program {
        at: run.at.as_ref().map_or_else(Default::default, |at| at.value),
        command: run.command.value.clone(),
    };
    Some(Arc::new(KernelHost {
        kernel,
        namespace: decl.namespace.as_ref().map(|at| at.value.clone()),
        memory: decl.memory.as_ref().map_or(MEMORY, |at| at.value),
        sysctl: decl.sysctl.as_ref().map_or_else(Vec::new, |at| at.value.clone()),
        programs: decl.run.iter().flat_map(|at| &at.value).map(program).collect(),
        files: decl.files.as_ref().map_or_else(Vec::new, |at| at.value.clone()),
        limits: decl.limits.as_ref().map(|at| Limits {
            subflows: at.value.subflows.value,
            add_addr_accepted: at.value.add_addr_accepted.value,
        }),
        endpoints: match decl.endpoints.as_ref().map(|at| &at.value) {
            Some(Endpoints::Listed(listed)) => listed.clone(),
            Some(Endpoints::Auto) | None => Vec::new(),
        },
        backpressure: decl.backpressure.as_ref().is_some_and(|at| at.value),
    }))
}

/// Whether hosts run programs of their own, so that something happens without flows.
pub(super) fn run_something(draft: &Draft) -> bool {
    draft.nodes.iter().any(|decl| named(decl).is_some() && decl.run.is_some())
}

/// Reports keys of kernels at hosts without one, endpoints of links that are not there, and programs after the end.
pub(super) fn check(
    scenario: &Scenario,
    draft: &Draft,
    degree: impl Fn(NodeIndex) -> usize,
    sink: &Sink<'_>,
) {
    share_alike(draft, sink);
    set_alike(draft, sink);
    cards_fit(draft, &degree, sink);
    let mut first = 0;
    for decl in &draft.nodes {
        let member = NodeIndex(first);
        first += decl.len();
        if decl.kernel.is_none() {
            needs_kernel(decl, sink);
            continue;
        }
        if let Some(endpoints) = &decl.endpoints {
            endpoints_fit(decl, endpoints, degree(member), sink);
        }
        for run in decl.run.iter().flat_map(|at| &at.value) {
            let Some(at) = run.at.as_ref().filter(|at| at.value >= scenario.duration) else { continue };
            let message = format!("the run ends at {}, before this program starts", scenario.duration);
            sink.error(Code::ContradictingTimes, at.origin, message);
        }
    }
}

/// Hosts of one namespace's word have one kernel: what is said of it cannot differ.
fn share_alike(draft: &Draft, sink: &Sink<'_>) {
    let mut known: BTreeMap<&str, (&NodeDecl, Arc<KernelHost>)> = BTreeMap::new();
    for decl in &draft.nodes {
        let (Some(namespace), Some(own)) = (&decl.namespace, of(decl)) else { continue };
        let Some((first, shared)) = known.get(namespace.value.as_str()) else {
            known.insert(&namespace.value, (decl, own));
            continue;
        };
        let differ = [
            ("kernel", own.kernel != shared.kernel),
            ("memory", own.memory != shared.memory),
            ("backpressure", own.backpressure != shared.backpressure),
        ];
        let Some((key, _)) = differ.into_iter().find(|(_, differs)| *differs) else { continue };
        let message = format!(
            "{} and {} share one kernel, and their `{key}` differ",
            first.name.value, decl.name.value
        );
        let error = sink.at(Code::BadValue, namespace.origin, message);
        sink.push(error.help(format!("give both the same `{key}`, or another `namespace`")));
    }
}

/// A setting of a host that shares its kernel.
type SharedKeys<'a> = (&'a NodeDecl, &'a str);

/// Whether a kernel has a setting once for all of its hosts, and not once a network namespace. There are more among those of
/// `net`, which differ from kernel to kernel: its agent notices.
fn is_shared(name: &str) -> bool {
    const OF_A_NAMESPACE: [&str; 3] = ["net.core.somaxconn", "net.core.optmem_max", "net.core.txrehash"];
    !name.starts_with("net.") || name.starts_with("net.core.") && !OF_A_NAMESPACE.contains(&name)
}

/// Reports hosts that share a kernel and give different values to a setting that exists once in it.
fn set_alike(draft: &Draft, sink: &Sink<'_>) {
    let mut known: BTreeMap<(&str, &str), SharedKeys<'_>> = BTreeMap::new();
    for decl in draft.nodes.iter().filter(|decl| named(decl).is_some()) {
        let (Some(namespace), Some(settings)) = (&decl.namespace, &decl.sysctl) else { continue };
        for (name, value) in settings.value.iter().filter(|(name, _)| is_shared(name)) {
            let (first, set) = *known.entry((&namespace.value, name)).or_insert((decl, value));
            if set == value {
                continue;
            }
            let message = format!(
                "{} and {} share one kernel, which has {name} once: {set:?} and {value:?}",
                first.name.value, decl.name.value
            );
            let error = sink.at(Code::BadValue, settings.origin, message);
            sink.push(error.help("give both the same value, or another `namespace`"));
        }
    }
}

/// Cards that a kernel has interrupts for (Linux, `arch/um/include/asm/irq.h`: 64, less 11 for others), less one by which
/// flows are driven.
const MOST_CARDS: usize = 52;

/// All links of the hosts of a kernel have cards of it.
fn cards_fit(draft: &Draft, degree: &impl Fn(NodeIndex) -> usize, sink: &Sink<'_>) {
    let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first = 0;
    for decl in &draft.nodes {
        let members = first..first + decl.len();
        first = members.end;
        let Some(at) = decl.kernel.as_ref().filter(|_| named(decl).is_some()) else { continue };
        let links = members.map(|member| degree(NodeIndex(member)));
        let (most, origin, whose) = match &decl.namespace {
            Some(namespace) => {
                let all = shared.entry(&namespace.value).or_default();
                *all += links.sum::<usize>();
                (*all, namespace.origin, format!("the hosts that share the kernel {:?}", namespace.value))
            }
            None => (links.max().unwrap_or_default(), at.origin, format!("host {}", decl.name.value)),
        };
        if most > MOST_CARDS {
            let message = format!("{whose}: {most} links, and a kernel has room for {MOST_CARDS}");
            let error = sink.at(Code::TooLarge, origin, message);
            sink.push(error.help("let hosts share several kernels, by different words for `namespace`"));
        }
    }
}

fn needs_kernel(decl: &NodeDecl, sink: &Sink<'_>) {
    fn origin<T>(key: &Option<At<T>>) -> Option<Origin> {
        key.as_ref().map(|at| at.origin)
    }
    let keys = [
        ("namespace", origin(&decl.namespace)),
        ("memory", origin(&decl.memory)),
        ("sysctl", origin(&decl.sysctl)),
        ("run", origin(&decl.run)),
        ("files", origin(&decl.files)),
        ("limits", origin(&decl.limits)),
        ("endpoints", origin(&decl.endpoints)),
        ("backpressure", origin(&decl.backpressure)),
    ];
    for (name, origin) in keys.into_iter().filter_map(|(name, origin)| Some((name, origin?))) {
        let message =
            format!("`{name}` is for hosts with a kernel of their own, and {} has none", decl.name.value);
        sink.push(
            sink.at(Code::MisplacedKey, origin, message).help("give it a kernel, such as kernel = \"6.12\""),
        );
    }
}

fn endpoints_fit(decl: &NodeDecl, endpoints: &At<Endpoints>, links: usize, sink: &Sink<'_>) {
    let Endpoints::Listed(listed) = &endpoints.value else { return };
    if let Some(endpoint) = listed.iter().find(|e| usize::from(e.interface) > links) {
        let message = format!("host {} has no interface {}", decl.name.value, endpoint.interface);
        let error = sink.at(Code::NoSuchInterface, endpoints.origin, message);
        sink.push(error.help("interfaces are counted from 1, in the order of the host's links"));
    }
}
