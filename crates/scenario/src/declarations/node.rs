//! `[[host]]` and `[[router]]`.

use crate::declarations::address::ADDRESSES;
use crate::declarations::codecs::{NAME, TEXT, plain, positive_count};
use crate::declarations::kernel::{
    ENDPOINTS, FILES, KERNEL, LIMITS_TABLE, LimitsDecl, MEMORY, PROGRAMS, RunDecl, SYSCTL,
};
use crate::declarations::key::{Section, Shape};
use crate::declarations::key_row::{ValueCodec, ValueReader, optional, required, section};
use crate::declarations::reader::Reader;
use crate::declarations::values::choice;
use crate::model::NodeKind;
use crate::text::place::At;
use crate::text::write;
use core::net::Ipv4Addr;
use tailrace_core::Bytes;
use tailrace_core::params::Kind;
use tailrace_transport::mptcp::path_manager::Endpoints;

section! {
    /// Keys of hosts and routers; neither has all.
    pub(crate) NODE = "[[host]] or [[router]]", "A host or a router.";
    pub(crate) struct NodeDecl {
        name: At<String> = required(NAME), "The name; no other host or router may have it.";
        count: Option<At<u32>> = optional(positive_count::<u32>(), ""), "Makes so many of them, called name[0], name[1] and so on.";
        address: Option<At<Vec<Ipv4Addr>>> = optional(ADDRESSES, "counted from 10.0.0.1"),
            "The IPv4 address; or a list with one for each of its links, in the order of the file. With `count`, each host takes the next address.";
        role: Option<At<&'static str>> = optional(ROLE, ""),
            "The `role` of queues on links that leave this router, such as \"edge\". It holds for disciplines that know this role, unless the queue states one itself.";
        kernel: Option<At<String>> = optional(KERNEL, "none, it is simulated"),
            "The Linux kernel that this host runs: a name from `tailrace kernel list`, a path, or `none`.";
        namespace: Option<At<String>> = optional(TEXT, "none, the kernel is its own"),
            "Hosts with the same word here share one kernel; each is a network namespace of it. This saves memory and time.";
        memory: Option<At<Bytes>> = optional(MEMORY, "128 MiB"), "Memory of the kernel.";
        sysctl: Option<At<Vec<(String, String)>>> = optional(SYSCTL, ""), "Settings of the kernel, by their names in sysctl(8), such as \"net.ipv4.tcp_congestion_control\".";
        run: Option<At<Vec<RunDecl>>> = optional(PROGRAMS, ""), "Programs that run on this host.";
        files: Option<At<Vec<String>>> = optional(FILES, "the folder of the scenario"),
            "Files and folders of this machine that the host's programs may read, besides system programs, libraries and the scenario's own folder; a relative path begins where the scenario file lies.";
        limits: Option<At<LimitsDecl>> = optional(LIMITS_TABLE, "its kernel's"), "Limits of the path manager for Multipath TCP in the host's kernel.";
        endpoints: Option<At<Endpoints>> = optional(ENDPOINTS, "none"),
            "The endpoints of the path manager in the host's kernel, by the numbers of the host's links: \"2 subflow, 3 subflow backup, 4 signal\".";
        backpressure: Option<At<bool>> = optional(plain::<bool>(), "false"),
            "Whether packets that wait at the host's interfaces still count as its kernel's, as with a real network card. Its sockets then hold back further packets.";
    } beside { kind: NodeKind }
}

/// `[[host]]`.
pub const HOST: Section = Section {
    title: "[[host]]",
    doc: "A host, which sends and receives, or several alike.",
    keys: &[
        NODE.keys[0],
        NODE.keys[1],
        NODE.keys[2],
        NODE.keys[4],
        NODE.keys[5],
        NODE.keys[6],
        NODE.keys[7],
        NODE.keys[8],
        NODE.keys[9],
        NODE.keys[10],
        NODE.keys[11],
        NODE.keys[12],
    ],
};

/// `[[router]]`.
pub const ROUTER: Section = Section {
    title: "[[router]]",
    doc: "A router, which forwards packets, or several alike.",
    keys: &[NODE.keys[0], NODE.keys[1], NODE.keys[3]],
};

/// The roles that some discipline's queues can have.
pub(crate) const ROLES: &[&str] = &["edge", "core", "both", "access", "bottleneck"];

const ROLE: ValueCodec<&'static str> = ValueCodec {
    shape: Shape::Plain(Kind::Choice(ROLES)),
    read: ValueReader::ReturnsError(|node| {
        choice(&Vec::from_iter(ROLES.iter().map(|word| (*word, *word))))(node)
    }),
    write: |role| write::text(role),
};

impl NodeDecl {
    /// Number of hosts or routers that it makes.
    pub(crate) fn len(&self) -> u32 {
        self.members().unwrap_or(1)
    }

    /// The same, where it makes members of a counted one.
    pub(crate) fn members(&self) -> Option<u32> {
        self.count.as_ref().map(|count| count.value)
    }

    /// Description of its keys.
    pub(crate) fn section(&self) -> &'static Section {
        section_of(self.kind)
    }
}

const fn section_of(kind: NodeKind) -> &'static Section {
    match kind {
        NodeKind::Host => &HOST,
        NodeKind::Router => &ROUTER,
    }
}

/// The hosts, or the routers.
pub(crate) fn read_nodes(r: &Reader<'_>, key: &str, kind: NodeKind) -> Vec<NodeDecl> {
    r.list(key, |node, sink| {
        let r = Reader::new(node, section_of(kind), sink)?;
        let decl = NodeDecl::read_keys(&r, kind);
        r.finish();
        decl
    })
}
