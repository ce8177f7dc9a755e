//! JSON Schema (2020-12) of scenario files, derived from the tables that the parser reads by.

use crate::declarations::sections::{
    ATTACK, FAULT, Key, MEDIUM, MPTCP, MPTCP_BEHAVIOUR, QUIC, REVERSE, SCENARIO, SPOOF, Section, Shape, TCP,
    TCP_BEHAVIOUR, UDP,
};
use crate::model::Plugins;
use crate::text::codes::Code;
use serde_json::{Map, Value, json};
use tailrace_access::{grants, media};
use tailrace_app::{AppConfig, attacks};
use tailrace_core::dist::duration::FORMS;
use tailrace_core::dist::{cdf, count, size};
use tailrace_core::params::Bounds;
use tailrace_core::params::{Kind, ParamInfo, Parameters as _};
use tailrace_impair::{faults, losses};
use tailrace_qdisc::{PluginConfig, QdiscConfig};
use tailrace_transport::cc::CatalogEntry;
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::quic::QuicConfig;
use tailrace_transport::{CcConfig, TcpBehaviour, TcpConfig};

/// The schema, for editors and for `tailrace schema`.
pub fn schema() -> Value {
    schema_with(Plugins::NONE)
}

/// Words with a space between two. Control characters and signs of ASCII that no name has are left out one by one.
const NAME_PATTERN: &str =
    "^[^\\s\\x00-%\\x28-*,.;-@\\[-^`{-\\x7f]+( [^\\s\\x00-%\\x28-*,.;-@\\[-^`{-\\x7f]+)*$";

/// The schema of files that may name these algorithms, too.
pub fn schema_with(plugins: &Plugins) -> Value {
    let own = plugins.controls().iter();
    let own: Vec<CatalogEntry> = own
        .map(|c| CatalogEntry { name: c.name(), summary: c.about(), citation: "", params: c.params() })
        .collect();
    let mut root = section(&SCENARIO, None, &[]);
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    // A name, from which nobody fetches it: Taplo takes no relative one.
    root["$id"] = concat!(env!("CARGO_PKG_REPOSITORY"), "/tailrace.schema.json").into();
    root["title"] = "Tailrace scenario".into();
    root["$defs"] = json!({
        "duration": quantity("A duration with its unit, such as \"5 ms\".", "(ns|us|µs|μs|ms|s|sec|min|h)"),
        "rate": quantity(
            "A rate with its unit, such as \"10 Mbit/s\".",
            "([kKmMgG]?i?bit(/s)?|[kKmMgG]?B/s)",
        ),
        "size": quantity("A size with its unit, such as \"1500 B\".", "([kKmMgG]?i?[bB]|bytes?)"),
        "limit": quantity(
            "A number of packets or a size, such as \"50 packets\" or \"200 kB\".",
            "(packets?|pkts?|p|[kKmMgG]?i?[bB]|bytes?)",
        ),
        "probability": probability(),
        "dscp": {
            "description": "A DiffServ codepoint: 0 to 63, or a name such as EF, AF41 or CS1.",
            "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 63 }, { "type": "string", "pattern": "^[A-Za-z]+[0-9]*$" }],
        },
        "distribution": distribution(),
        "sizes": drawn_sizes(),
        "counts": drawn_counts(),
        "selector": {
            "description": "Hosts, routers or links: g1, src[*], src[3], path[0..4] (end exclusive).",
            "type": "string",
        },
        "name": {
            "description": "Letters, digits, _ - : / & + ' and single spaces between words.",
            "type": "string",
            // Letters and digits of all alphabets, as there is no class for them that all dialects know.
            "pattern": NAME_PATTERN,
        },
        "link_rate": link_rate(),
        "loss": loss(),
        "fault": fault(),
        "spoof": section(&SPOOF, None, &[]),
        "attack": attack(),
        "medium": medium(),
        "queue": queue(plugins),
        "reverse": section(&REVERSE, None, &[]),
        "congestion_control": policies("A congestion control.", &[CcConfig::catalog(), own.clone()].concat()),
        "transport": transport(),
        "tcp_behaviour": section(&TCP_BEHAVIOUR, None, TcpBehaviour::params()),
        "mptcp_behaviour": section(
            &MPTCP_BEHAVIOUR,
            None,
            &[MptcpBehaviour::params(), TcpBehaviour::params()].concat(),
        ),
        "multipath_control": multipath_control(own),
        "scheduler": policies("A scheduler.", &SchedulerConfig::catalog()),
        "path_manager": policies("A path manager.", &PathManagerConfig::catalog()),
        "app": app(),
    });
    root
}

fn quantity(description: &str, units: &str) -> Value {
    let pattern = format!("^\\s*[0-9.][0-9._]*([eE][+-]?[0-9]+)?\\s*{units}\\s*$");
    json!({ "description": description, "type": "string", "pattern": pattern })
}

fn probability() -> Value {
    json!({
        "description": "A probability such as 0.02 or \"2 %\".",
        "anyOf": [
            { "type": "number", "minimum": 0, "maximum": 1 },
            { "type": "string", "pattern": "^\\s*[0-9.][0-9._eE+-]*\\s*%?\\s*$" },
        ],
    })
}

fn distribution() -> Value {
    let forms: Vec<&str> = FORMS.iter().map(|(_, form)| *form).collect();
    let names: Vec<&str> = FORMS.iter().map(|(name, _)| *name).collect();
    json!({
        "description": format!("A duration, or a distribution of durations: {}.", forms.join(", ")),
        "anyOf": [
            { "$ref": "#/$defs/duration" },
            { "type": "string", "pattern": format!("^\\s*({})\\s*\\(.*\\)\\s*$", names.join("|")) },
        ],
    })
}

/// A size, or a distribution of sizes; those measured go by their names.
fn drawn_sizes() -> Value {
    let forms: Vec<&str> = size::FORMS.iter().map(|(_, form)| *form).collect();
    let names: Vec<&str> = size::FORMS.iter().map(|(name, _)| *name).collect();
    let measured: Vec<&str> = cdf::MEASURED.iter().map(|(name, _)| *name).collect();
    json!({
        "description": format!("A size, or a distribution of sizes: {}, {}.", forms.join(", "), measured.join(", ")),
        "anyOf": [
            { "$ref": "#/$defs/size" },
            { "enum": measured },
            // The text between the parentheses may have several lines.
            { "type": "string", "pattern": format!("^\\s*({})\\s*\\([^()]*\\)\\s*$", names.join("|")) },
        ],
    })
}

/// A number, or a distribution of numbers.
fn drawn_counts() -> Value {
    let forms: Vec<&str> = count::FORMS.iter().map(|(_, form)| *form).collect();
    let names: Vec<&str> = count::FORMS.iter().map(|(name, _)| *name).collect();
    json!({
        "description": format!("A number, or a distribution of numbers: {}.", forms.join(", ")),
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": format!("^\\s*(\\d+|({})\\s*\\(.*\\))\\s*$", names.join("|")) },
        ],
    })
}

/// A table with the keys of `section` and `params`, and a `kind` if one is given.
fn section(section: &Section, kind: Option<&str>, params: &[ParamInfo]) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    if let Some(kind) = kind {
        properties.insert("kind".into(), json!({ "const": kind }));
        required.push("kind");
    }
    for key in section.keys {
        properties.insert(key.name.into(), property(key));
        if key.required {
            required.push(key.name);
        }
    }
    for p in params {
        properties.insert(p.name.into(), parameter(p));
        if p.required {
            required.push(p.name);
        }
    }
    json!({
        "description": section.doc,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Value {
    let mut schema = shape(key.shape);
    let range = match (key.shape.quantity(), key.bounds) {
        (Some(kind), Some(bounds)) => bound(&mut schema, kind, bounds),
        _ => String::new(),
    };
    let default = if key.default.is_empty() { String::new() } else { format!(" Default: {}.", key.default) };
    schema["description"] = format!("{}{default}{range}", key.doc).into();
    schema
}

fn shape(shape: Shape) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    match shape {
        Shape::Plain(kind) => self::kind(kind),
        Shape::Text => json!({ "type": "string" }),
        Shape::Name => reference("name"),
        Shape::Selector => reference("selector"),
        Shape::Selectors => {
            let each = json!({ "type": "array", "items": reference("selector"), "minItems": 1 });
            json!({ "anyOf": [reference("selector"), each] })
        }
        Shape::Interfaces => interfaces(),
        Shape::Ends => {
            json!({ "type": "array", "items": reference("selector"), "minItems": 2, "maxItems": 2 })
        }
        Shape::Distribution => reference("distribution"),
        Shape::Starts => {
            let each = json!({ "type": "array", "items": reference("duration"), "minItems": 1 });
            json!({ "anyOf": [reference("distribution"), each] })
        }
        Shape::Addresses => {
            let address = kind(Kind::Address);
            json!({ "anyOf": [address, { "type": "array", "items": address, "minItems": 1 }] })
        }
        Shape::Paths => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        Shape::Settings => {
            let value =
                json!({ "anyOf": [{ "type": ["string", "integer", "boolean"] }, { "type": "object" }] });
            json!({ "type": "object", "additionalProperties": value })
        }
        Shape::LinkRate => reference("link_rate"),
        Shape::DurationOrOff => json!({ "anyOf": [reference("duration"), { "const": "off" }] }),
        Shape::Reverse => reference("reverse"),
        Shape::Transport => reference("transport"),
        Shape::TcpBehaviour => reference("tcp_behaviour"),
        Shape::MptcpBehaviour => reference("mptcp_behaviour"),
        Shape::MultipathControl => reference("multipath_control"),
        Shape::Scheduler => reference("scheduler"),
        Shape::PathManager => reference("path_manager"),
        Shape::CongestionControl => reference("congestion_control"),
        Shape::App => reference("app"),
        Shape::Section(s) => section(s, None, &[]),
        Shape::Sections(s) => json!({ "type": "array", "items": section(s, None, &[]) }),
        Shape::Faults => json!({ "type": "array", "items": reference("fault") }),
        Shape::Media => json!({ "type": "array", "items": reference("medium") }),
        Shape::Spoof => reference("spoof"),
        Shape::Attacks => json!({ "type": "array", "items": reference("attack") }),
        Shape::Codes => {
            let codes: Vec<&str> = Code::warnings().map(Code::name).collect();
            json!({ "type": "array", "items": { "enum": codes } })
        }
        Shape::Sweep => sweep(),
    }
}

/// Interfaces by number, or ranges of them, as `"1..3"`; or a list of such.
fn interfaces() -> Value {
    let one = || {
        [
            json!({ "type": "integer", "minimum": 1 }),
            json!({ "type": "string", "pattern": "^\\s*[0-9]+\\s*\\.\\.\\s*[0-9]+\\s*$" }),
        ]
    };
    let each = json!({ "type": "array", "items": { "anyOf": one() }, "minItems": 1 });
    let forms = [one().as_slice(), &[each]].concat();
    json!({ "anyOf": forms })
}

/// `[sweep]`: paths with their values, and words of its own.
fn sweep() -> Value {
    json!({
        "type": "object",
        "properties": {
            "zip": {
                "description": "Axes that go together, first value with first.",
                "type": "array",
                "items": { "type": "object", "additionalProperties": list() },
            },
            "let": {
                "description": "Names for formulas: a list is an axis, \"uniform(a, b)\" is drawn.",
                "type": "object",
            },
            "derive": {
                "description": "Paths whose values follow from formulas.",
                "type": "object",
                "additionalProperties": { "type": "string" },
            },
            "preset": {
                "description": "Sets of values with a name; they are one axis.",
                "type": "object",
                "additionalProperties": { "type": "object" },
            },
            "when": {
                "description": "Variants for which this formula is not true are left out.",
                "type": "string",
            },
            "samples": {
                "description": "Number of values that are drawn of each range.",
                "type": "integer",
                "minimum": 1,
            },
            "method": {
                "description": "Method of drawing them: in strata, or each independently.",
                "enum": ["latin_hypercube", "random"],
            },
        },
        "additionalProperties": { "anyOf": [list(), { "type": "string", "pattern": "uniform\\(" }] },
    })
}

/// Values of an axis of a sweep.
fn list() -> Value {
    json!({ "type": "array", "minItems": 1 })
}

fn kind(kind: Kind) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Duration => reference("duration"),
        Kind::Rate => reference("rate"),
        Kind::Bytes => reference("size"),
        Kind::Limit => reference("limit"),
        Kind::Probability => reference("probability"),
        Kind::Dscp => reference("dscp"),
        Kind::Address => json!({ "type": "string", "format": "ipv4" }),
        Kind::Distribution => reference("distribution"),
        Kind::Sizes => reference("sizes"),
        Kind::Counts => reference("counts"),
        Kind::Steps => {
            let step = json!({
                "type": "array",
                "prefixItems": [reference("duration"), reference("rate")],
                "minItems": 2,
                "maxItems": 2,
            });
            json!({ "type": "array", "items": step, "minItems": 1 })
        }
        Kind::Rates => json!({ "type": "array", "items": reference("rate"), "minItems": 1 }),
        Kind::Loss => reference("loss"),
        Kind::Queue => reference("queue"),
        Kind::Text => json!({ "type": "string" }),
        Kind::Choice(words) => json!({ "enum": words }),
    }
}

fn parameter(p: &ParamInfo) -> Value {
    let mut schema = kind(p.kind);
    let range = p.bounds.map_or(String::new(), |bounds| bound(&mut schema, p.kind, bounds));
    if p.auto {
        schema = json!({ "anyOf": [schema, { "const": "auto" }] });
    }
    let source = if p.required { String::new() } else { format!(" Source: {}.", p.source) };
    schema["description"] = format!("{}{source}{range}", p.about()).into();
    schema
}

/// Adds bounds: as such to numbers, to quantities with a unit in words, which are given back for the description.
fn bound(schema: &mut Value, kind: Kind, bounds: Bounds) -> String {
    if let Kind::Count | Kind::Number = kind {
        let number =
            |text: &str| text.parse::<i64>().map_or_else(|_| json!(text.parse::<f64>().ok()), |n| json!(n));
        schema["minimum"] = number(bounds.least);
        schema["maximum"] = number(bounds.most);
    }
    if bounds.usual {
        String::new()
    } else {
        format!(" Allowed: {} ({}).", bounds.shown(kind), bounds.reason())
    }
}

/// A bare kind or any of the tables.
fn kinded(description: &str, kinds: &[&str], tables: Vec<Value>) -> Value {
    let mut forms = vec![json!({ "enum": kinds })];
    forms.extend(tables);
    json!({ "description": description, "anyOf": forms })
}

fn named(title: &str, schema: Value, doc: &str) -> Value {
    let mut schema = schema;
    schema["title"] = title.into();
    schema["description"] = doc.into();
    schema
}

fn loss() -> Value {
    let mut forms = vec![json!({ "$ref": "#/$defs/probability" })];
    let tables = losses::catalog().into_iter();
    forms.extend(tables.map(|l| named(l.name, section(&NO_KEYS, Some(l.name), l.params), l.summary)));
    json!({ "description": "Random loss: a probability, or a loss process.", "anyOf": forms })
}

fn link_rate() -> Value {
    let mut forms = vec![
        json!({ "$ref": "#/$defs/rate" }),
        json!({ "type": "string", "pattern": "^trace\\([\\s\\S]*\\)$" }),
    ];
    let tables = grants::catalog().into_iter();
    forms.extend(tables.map(|g| named(g.name, section(&NO_KEYS, Some(g.name), g.params), g.summary)));
    json!({ "description": "The rate of a link: a plain one, a trace of when it delivers, or what grants.", "anyOf": forms })
}

fn fault() -> Value {
    let tables = faults::catalog().into_iter();
    let tables = tables.map(|f| named(f.name, section(&FAULT, Some(f.name), f.params), f.summary));
    json!({ "description": FAULT.doc, "anyOf": Vec::from_iter(tables) })
}

fn attack() -> Value {
    let tables = attacks::catalog().into_iter();
    let tables = tables.map(|a| named(a.name, section(&ATTACK, Some(a.name), a.params), a.summary));
    json!({ "description": ATTACK.doc, "anyOf": Vec::from_iter(tables) })
}

fn medium() -> Value {
    let tables = media::catalog().into_iter();
    let tables = tables.map(|m| named(m.name, section(&MEDIUM, Some(m.name), m.params), m.summary));
    json!({ "description": MEDIUM.doc, "anyOf": Vec::from_iter(tables) })
}

const NO_KEYS: Section = Section { title: "", doc: "", keys: &[] };

fn queue(plugins: &Plugins) -> Value {
    let catalog = tailrace_qdisc::catalog();
    let own = plugins.queues().iter();
    let names: Vec<&str> =
        catalog.iter().map(|q| q.name).chain(own.clone().map(PluginConfig::name)).collect();
    let mut tables = vec![json!({
        "description": "A line as tc takes it, such as \"red limit 200kb min 15kb max 45kb ecn\".",
        "type": "string",
        "pattern": format!("^\\s*({})(\\s.*)?$", QdiscConfig::tc_kinds().join("|")),
    })];
    tables.extend(catalog.iter().map(|q| {
        let doc = format!("{} {}.", q.summary, q.citation);
        named(q.name, section(&NO_KEYS, Some(q.name), q.params), &doc)
    }));
    tables.extend(own.map(|q| named(q.name(), section(&NO_KEYS, Some(q.name()), q.params()), q.about())));
    kinded(
        "Queue discipline: the order in which packets are sent over a link, and which of them are dropped or marked.",
        &names,
        tables,
    )
}

fn multipath_control(own: Vec<CatalogEntry>) -> Value {
    policies(
        "A congestion control: a coupled one, or one of TCP's for each subflow by itself.",
        &[CoupledConfig::catalog(), CcConfig::catalog(), own].concat(),
    )
}

/// Schema of the entries of a registry: their names, or tables.
fn policies(doc: &str, catalog: &[CatalogEntry]) -> Value {
    let names: Vec<&str> = catalog.iter().map(|c| c.name).collect();
    let tables = catalog.iter().map(|c| {
        let said = [c.summary, c.citation].into_iter().filter(|said| !said.is_empty());
        let doc: Vec<String> = said.map(|said| format!("{}.", said.trim_end_matches('.'))).collect();
        named(c.name, section(&NO_KEYS, Some(c.name), c.params), &doc.join(" "))
    });
    kinded(doc, &names, tables.collect())
}

fn transport() -> Value {
    let mptcp_params = [MptcpConfig::params(), TcpConfig::params()].concat();
    let mut tcp = section(&TCP, Some("tcp"), TcpConfig::params());
    let mut mptcp = section(&MPTCP, Some("mptcp"), &mptcp_params);
    for transport in [&mut tcp, &mut mptcp] {
        // "auto" is the headers' real size.
        transport["properties"]["header"]["anyOf"] = json!([{ "$ref": "#/$defs/size" }, { "const": "auto" }]);
        if let Some(header) = transport["properties"]["header"].as_object_mut() {
            header.remove("$ref");
        }
    }
    let udp = section(&UDP, Some("udp"), &[]);
    let quic = section(&QUIC, Some("quic"), QuicConfig::params());
    let tables = vec![
        named("tcp", tcp, TCP.doc),
        named("mptcp", mptcp, MPTCP.doc),
        named("quic", quic, QUIC.doc),
        named("udp", udp, UDP.doc),
    ];
    kinded("A transport.", &["tcp", "mptcp", "quic", "udp"], tables)
}

fn app() -> Value {
    let tables = tailrace_app::catalog();
    let tables = tables.iter().map(|a| named(a.name, section(&NO_KEYS, Some(a.name), a.params), a.summary));
    kinded(
        "Application: what a flow sends, and when, such as files, web pages, calls, video, or packets at some rate.",
        AppConfig::names(),
        tables.collect(),
    )
}
