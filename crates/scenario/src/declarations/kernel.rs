//! Hosts that run a kernel of their own: `sysctl`, `run`, `limits` and `endpoints` of `[[host]]`.

use crate::declarations::codecs::{DURATION, TEXT, plain};
use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader, optional, required, section, with_default};
use crate::declarations::lines::Lines;
use crate::declarations::reader::Reader;
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values;
use crate::text::codes::Code;
use crate::text::document::{Data, Node};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use crate::text::write::{inline, key, text};
use tailrace_core::params::{Kind, Value};
use tailrace_core::{Bytes, Duration};
use tailrace_transport::mptcp::path_manager::Endpoints;

section! {
    /// An entry of `run`.
    pub(crate) RUN = "an entry of `run`", "A program that a host runs.";
    pub(crate) struct RunDecl {
        at: Option<At<Duration>> = optional(DURATION, "0 s"), "When it starts.";
        command: At<String> = required(COMMAND), "The command, as for `/bin/sh`. It can read the programs and libraries of this machine, the scenario's folder and the host's `files`; it writes into a folder of its own.";
    }
}

section! {
    /// `limits`.
    pub(crate) LIMITS = "`limits`", "The limits that `ip mptcp limits` sets.";
    pub(crate) struct LimitsDecl {
        subflows: At<u32> = with_default(plain::<u32>().few(), "2"), "Number of subflows that a connection may have in addition to the first.";
        add_addr_accepted: At<u32> = with_default(plain::<u32>().few(), "0"), "Number of addresses announced by the other end that are accepted.";
    }
}

impl ValueCodec<u32> {
    /// A number as Linux has room for (MPTCP_PM_ADDR_MAX).
    const fn few(self) -> Self {
        Self { read: ValueReader::ReturnsError(few), ..self }
    }
}

fn few(node: &Node) -> Result<u32, UnfitValue> {
    let n: u32 = values::plain(node)?;
    if n > 8 { Err(UnfitValue::outside("Linux has room for 8")) } else { Ok(n) }
}

/// A kernel's name. Series look like numbers: where a shell has taken the quotes, what was written counts.
pub(crate) const KERNEL: ValueCodec<String> =
    ValueCodec { shape: Shape::Text, read: ValueReader::ReportsErrors(kernel), ..TEXT };

fn kernel(node: &Node, sink: &Sink<'_>) -> Option<String> {
    let message = match &node.data {
        Data::Plain(Value::Text(name)) => return Some(name.clone()),
        Data::Plain(Value::Float(_) | Value::Integer(_)) => match sink.written(node.origin) {
            Some(written) => return Some(written.to_string()),
            None => format!("a kernel is named by text, found {}", node.shown()),
        },
        Data::Broken => return None,
        _ => format!("a kernel is named by text, found {}", node.shown()),
    };
    sink.push(sink.at(Code::WrongType, node.origin, message).help("such as kernel = \"6.12\""));
    None
}

/// Megabytes that a kernel boots with, and no more than its 32 bits of options say.
pub(crate) const MEMORY: ValueCodec<Bytes> =
    ValueCodec { read: ValueReader::ReturnsError(memory), ..plain() };

fn memory(node: &Node) -> Result<Bytes, UnfitValue> {
    let size: Bytes = values::plain(node)?;
    let (least, most) = (Bytes(32 << 20), Bytes(16 << 30));
    let fits = (least..=most).contains(&size);
    if fits {
        Ok(size)
    } else {
        Err(UnfitValue::outside(format!("a kernel has 32 MiB to 16 GiB, found {size}")))
    }
}

/// Names under `/proc/sys` and what is written there.
pub(crate) const SYSCTL: ValueCodec<Vec<(String, String)>> = ValueCodec {
    shape: Shape::Settings,
    read: ValueReader::ReportsErrors(settings),
    write: |all| inline(all.iter().map(|(name, value)| (key(name), text(value))).collect()),
};

/// A name with and without quotes is one setting. What is set beside the file, which needs no quotes, replaces the file's.
fn each_once(found: Vec<(String, At<String>)>, sink: &Sink<'_>) -> Vec<(String, String)> {
    let mut once: Vec<(String, At<String>)> = Vec::with_capacity(found.len());
    for (name, given) in found {
        match once.iter_mut().find(|(known, _)| *known == name) {
            None => once.push((name, given)),
            Some((_, known)) => match (known.origin, given.origin) {
                (Origin::Span(..), Origin::Span(..)) => {
                    let error = sink.at(Code::DuplicateKey, given.origin, format!("{name} is set twice"));
                    sink.push(error.help("with quotes and without it is the same setting: leave one out"));
                }
                (Origin::Override(before), Origin::Override(now)) if now < before => {}
                (Origin::Override(_), Origin::Span(..)) => {}
                _ => *known = given,
            },
        }
    }
    once.into_iter().map(|(name, given)| (name, given.value)).collect()
}

/// Tables within the table stand for the parts of a name: `net.ipv4.tcp_sack = 0` needs no quotes.
fn settings(node: &Node, sink: &Sink<'_>) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    let before = sink.errors();
    gather("", node, sink, &mut found);
    let found = each_once(found, sink);
    (sink.errors() == before && !matches!(node.data, Data::Broken)).then_some(found)
}

fn gather(prefix: &str, node: &Node, sink: &Sink<'_>, found: &mut Vec<(String, At<String>)>) {
    let Some(table) = node.as_table() else {
        let message = format!("`sysctl` is a table, found {}", node.shown());
        let error = sink.at(Code::WrongType, node.origin, message);
        return sink.push(error.help("such as sysctl = { \"net.ipv4.tcp_congestion_control\" = \"reno\" }"));
    };
    for (name, value) in &table.entries {
        let full = if prefix.is_empty() { name.value.clone() } else { format!("{prefix}.{}", name.value) };
        let path = full.split('.');
        if path.clone().any(|part| part.is_empty() || part.contains('/')) {
            let error = sink.at(Code::BadValue, name.origin, format!("{full:?} is no name of a setting"));
            sink.push(error.help("write it as sysctl(8) does, such as net.ipv4.tcp_rmem"));
        }
        let set = |text: String| At { value: text, origin: value.origin };
        match &value.data {
            Data::Plain(Value::Text(text)) => found.push((full, set(text.clone()))),
            Data::Plain(Value::Integer(n)) => found.push((full, set(n.to_string()))),
            Data::Plain(Value::Bool(on)) => found.push((full, set(u8::from(*on).to_string()))),
            Data::Broken => {}
            Data::Table(_) => gather(&full, value, sink, found),
            _ => {
                let message = format!("{full} is set to text or a whole number, found {}", value.shown());
                let error = sink.at(Code::WrongType, value.origin, message);
                sink.push(error.help("several numbers are one text, such as \"4096 131072 6291456\""));
            }
        }
    }
}

/// Paths of files and folders that programs may read.
pub(crate) const FILES: ValueCodec<Vec<String>> = ValueCodec {
    shape: Shape::Paths,
    read: ValueReader::ReportsErrors(files),
    write: |all| format!("[{}]", all.iter().map(|path| text(path)).collect::<Vec<_>>().join(", ")),
};

/// Folders that a kernel has of its own, at the names of the machine's.
const OWN_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

fn files(node: &Node, sink: &Sink<'_>) -> Option<Vec<String>> {
    let items = match &node.data {
        Data::Array(items) => items,
        Data::Broken => return None,
        _ => {
            let message = format!("`files` is a list of paths, found {}", node.shown());
            sink.push(
                sink.at(Code::WrongType, node.origin, message).help("such as files = [\"/opt/tools\"]"),
            );
            return None;
        }
    };
    let read = |item: &Node| {
        let wrong = |unfit: UnfitValue| {
            sink.push(sink.at(unfit.code, item.origin, "bad path in `files`").label(unfit.why));
        };
        path(item).map_err(wrong).ok()
    };
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
}

fn path(node: &Node) -> Result<String, UnfitValue> {
    let path = values::text(node)?;
    let of_kernel = OWN_FOLDERS.iter().find(|folder| std::path::Path::new(&path).starts_with(folder));
    match of_kernel {
        _ if path.trim().is_empty() => Err("there is no path".to_string().into()),
        Some(folder) => Err(UnfitValue::outside(format!("a kernel has a {folder} of its own"))),
        None => Ok(path),
    }
}

/// Command line for the shell, which is not blank.
const COMMAND: ValueCodec<String> = ValueCodec { read: ValueReader::ReturnsError(command), ..TEXT };

fn command(node: &Node) -> Result<String, UnfitValue> {
    let text = values::text(node)?;
    if text.trim().is_empty() { Err("there is nothing to run".to_string().into()) } else { Ok(text) }
}

/// Programs and when they start.
pub(crate) const PROGRAMS: ValueCodec<Vec<RunDecl>> = ValueCodec {
    shape: Shape::Sections(&RUN),
    read: ValueReader::ReportsErrors(programs),
    write: |all| {
        let all: Vec<_> = all.iter().map(|run| on_one_line(|lines| run.put(lines))).collect();
        format!("[{}]", all.join(", "))
    },
};

/// A table on one line.
fn on_one_line(put: impl FnOnce(&mut Lines)) -> String {
    let mut lines = Lines::default();
    put(&mut lines);
    format!("{{ {} }}", lines.0.trim_end().replace('\n', ", "))
}

fn programs(node: &Node, sink: &Sink<'_>) -> Option<Vec<RunDecl>> {
    let items = match &node.data {
        Data::Array(items) => items,
        Data::Broken => return None,
        _ => {
            let message = format!("`run` is a list of tables, found {}", node.shown());
            let error = sink.at(Code::WrongType, node.origin, message);
            sink.push(error.help("such as run = [{ at = \"1 s\", command = \"ping -c 3 10.0.0.2\" }]"));
            return None;
        }
    };
    let read = |item: &Node| {
        if let Data::Plain(Value::Text(command)) = &item.data {
            let message = format!("{} is a table, found {}", RUN.title, item.shown());
            let error = sink.at(Code::WrongType, item.origin, message);
            sink.push(error.help(format!("write {{ command = {} }}", text(command))));
            return None;
        }
        let r = Reader::new(item, &RUN, sink)?;
        let decl = RunDecl::read_keys(&r);
        r.finish();
        decl
    };
    let read: Vec<_> = items.iter().map(read).collect();
    read.into_iter().collect()
}

/// `limits`.
pub(crate) const LIMITS_TABLE: ValueCodec<LimitsDecl> = ValueCodec {
    shape: Shape::Section(&LIMITS),
    read: ValueReader::ReportsErrors(|node, sink| {
        let r = Reader::new(node, &LIMITS, sink)?;
        let decl = LimitsDecl::read_keys(&r);
        r.finish();
        decl
    }),
    write: |limits| on_one_line(|lines| limits.put(lines)),
};

/// `endpoints`, in the words of the path manager `linux`.
pub(crate) const ENDPOINTS: ValueCodec<Endpoints> = ValueCodec { shape: Shape::Plain(Kind::Text), ..plain() };
