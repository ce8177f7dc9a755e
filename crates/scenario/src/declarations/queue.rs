//! The queue of a link: a discipline's name, a tc line, or a table with `kind` and parameters.

use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::Reader;
use crate::declarations::values::text;
use crate::model::{Plugins, Scenario};
use crate::text::codes::Code;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::Limit;
use tailrace_core::params::{ParamType as _, Value};
use tailrace_qdisc::{QdiscConfig, TcError};

/// Context of a queue: the form that the scenario gives to queues without one, and the plug-in disciplines.
#[derive(Clone, Copy)]
pub(crate) struct QueueContext<'a> {
    /// `queue_form` of the scenario.
    pub(crate) form: Option<&'a str>,
    /// Plug-in disciplines, which are not registered.
    pub(crate) plugins: &'a Plugins,
}

/// The same for the queues of a link.
pub(crate) struct QueueDefaults<'a> {
    pub(crate) around: QueueContext<'a>,
    /// `queue_limit` of the link.
    pub(crate) limit: Option<At<Limit>>,
}

/// Command that lists all disciplines.
const ALL: &str = "tailrace list queues";

/// Every form that some discipline has, in the order of the catalog.
fn forms() -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for config in QdiscConfig::names().iter().filter_map(|name| QdiscConfig::default_of(name)) {
        for choice in config.forms() {
            if !all.contains(&choice.word) {
                all.push(choice.word);
            }
        }
    }
    all
}

/// `queue_form` of a scenario.
pub(crate) fn read_form(r: &Reader<'_>) -> Option<String> {
    let found = r.read("queue_form", text)?;
    let forms = forms();
    if forms.contains(&found.value.as_str()) {
        return Some(found.value);
    }
    let error =
        r.sink().at(Code::UnknownForm, found.origin, format!("no queue has a form {:?}", found.value));
    r.sink().push(error.among_known(&found.value, forms.iter().copied(), ALL));
    None
}

/// Whether a queue is written with the parameter `key`. A tc line says all that there is to say.
pub(crate) fn writes(queue: &Node, key: &str, plugins: &Plugins) -> bool {
    match queue.as_table() {
        Some(table) => table.get(key).is_some(),
        None => queue.as_text().is_some_and(|text| plugins.queue(text).is_none()),
    }
}

/// The queue that `node` describes, or that of a link that is given none.
pub(crate) fn read_queue(
    node: Option<&Node>,
    defaults: &QueueDefaults<'_>,
    sink: &Sink<'_>,
) -> Option<QdiscConfig> {
    let mut config = match node {
        None => default_queue()?,
        Some(node) => match node.as_text() {
            Some(text) if defaults.around.plugins.queue(text).is_none() => {
                read_tc(text, node.origin, defaults.around.plugins, sink)?
            }
            _ => read_table(node, defaults, sink)?,
        },
    };
    if let Some(limit) = &defaults.limit
        && !node.is_some_and(says_limit)
    {
        apply_limit(&mut config, limit, sink);
    }
    Some(config)
}

/// A link's queue where the file gives none.
fn default_queue() -> Option<QdiscConfig> {
    let mut queue = QdiscConfig::default_of("droptail")?;
    queue.set("limit", &Scenario::DEFAULT_LIMIT.to_value()).ok()?;
    Some(queue)
}

fn says_limit(queue: &Node) -> bool {
    match (queue.as_table(), queue.as_text()) {
        (Some(table), _) => table.get("limit").is_some(),
        (None, text) => text.is_some_and(|text| text.split_whitespace().any(|word| word == "limit")),
    }
}

/// Gives the queue the limit of its link, where it counts in packets or bytes.
fn apply_limit(config: &mut QdiscConfig, limit: &At<Limit>, sink: &Sink<'_>) {
    let kind = config.name();
    if config.get("limit").is_none() {
        let message = format!("`queue_limit` has no effect on {kind}, which has no `limit`");
        let mut warning = sink.at(Code::UnusedLimit, limit.origin, message);
        if config.get("memory_limit").is_some() {
            warning = warning.help("set its `memory_limit` instead, in which a full packet counts as 2304 B");
        }
        return sink.push(warning);
    }
    let fine = config.set("limit", &limit.value.to_value()).is_ok();
    if fine && let Err((_, why)) = config.validate() {
        sink.push(sink.at(Code::BadValue, limit.origin, format!("bad `queue_limit` for {kind}")).label(why));
    }
}

/// A discipline's name, or a table with `kind` and parameters.
fn read_table(node: &Node, defaults: &QueueDefaults<'_>, sink: &Sink<'_>) -> Option<QdiscConfig> {
    let QueueContext { form, plugins } = defaults.around;
    let names = plugins.queue_names();
    let (kind, table) =
        kind_of(node, &Kinds { what: "queue discipline", names: &names, command: ALL }, sink)?;
    let mut config = plugins.queue(kind)?;
    if let Some(form) = form.filter(|form| config.forms().iter().any(|c| c.word == *form)) {
        config.set("form", &Value::Text(form.into())).ok()?;
    }
    let Some(table) = table else { return Some(config) };
    let r = Reader::of(table, node.origin, &QUEUE, sink).kinded().with_params(config.params());
    let fine = r.set_params(|name, value| config.set(name, value));
    if fine && let Err((param, why)) = config.validate() {
        sink.push(
            sink.at(Code::BadValue, r.origin_of(param), format!("{kind}: bad value of `{param}`")).label(why),
        );
    }
    r.finish();
    fine.then_some(config)
}

/// Disciplines describe their own keys.
const QUEUE: Section = Section { title: "the queue", doc: "", keys: &[] };

fn read_tc(text: &str, origin: Origin, plugins: &Plugins, sink: &Sink<'_>) -> Option<QdiscConfig> {
    let error = match QdiscConfig::read_tc(text) {
        Ok((config, notes)) => {
            for note in notes {
                let word = text.get(note.offset..note.offset + note.len).unwrap_or_default();
                let message = format!("{word:?} in a tc line: {}", note.message);
                sink.push(sink.at(Code::TcWord, word_origin(text, origin, &note), message));
            }
            return Some(config);
        }
        Err(error) => error,
    };
    let word = word_origin(text, origin, &error);
    let first = text.get(error.offset..error.offset + error.len).unwrap_or_default();
    let about_kind = QdiscConfig::tc_kind(text) == Some(first) && plugins.queue(first).is_none();
    if about_kind && error.message.starts_with("unknown") {
        let mut diagnostic = sink.at(Code::UnknownKind, word, format!("unknown queue discipline {first:?}"));
        diagnostic = diagnostic.among_known(first, plugins.queue_names(), ALL);
        // tc has names of its own, such as pfifo.
        if let (None, Some((_, hint))) = (&diagnostic.label, error.message.split_once("; did")) {
            diagnostic = diagnostic.label(format!("did{hint}"));
            diagnostic.help = None;
        }
        sink.push(diagnostic);
    } else {
        sink.push(sink.at(Code::BadTcLine, word, "bad tc line").label(error.message));
    }
    None
}

/// Place of a word of a tc line: where the text stands between plain quotes, the word itself can be underlined.
fn word_origin(text: &str, origin: Origin, word: &TcError) -> Origin {
    match origin {
        Origin::Span(start, end) if end - start == text.len() + 2 => {
            let at = start + 1 + word.offset;
            Origin::Span(at, at + word.len.max(1))
        }
        other => other,
    }
}

/// The table that a short form stands for: `"red"` is `{ kind = "red" }`, a tc line its parameters.
pub(crate) fn long_form(key: &str, word: &str, origin: Origin) -> Table {
    let plain = |v: Value| Node { data: Data::Plain(v), origin };
    let mut table = Table::default();
    match QdiscConfig::parse_tc(word) {
        Ok(config) if key == "queue" && QdiscConfig::default_of(word).is_none() => {
            table.insert("kind", plain(Value::Text(config.name().into())));
            for p in config.params() {
                if let Some(v) = config.get(p.name) {
                    table.insert(p.name, plain(v));
                }
            }
        }
        _ => table.insert("kind", plain(Value::Text(word.into()))),
    }
    table
}
