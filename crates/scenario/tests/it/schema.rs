//! The schema accepts what the parser accepts, key by key.

use serde_json::Value;
use std::collections::BTreeSet;
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::{parse, schema};
use tailrace_transport::CcConfig;

const FILES: &[&str] = &[
    include_str!("../files/small.toml"),
    include_str!("../files/dumbbell.toml"),
    include_str!("../files/scenario_d.toml"),
    include_str!("../files/everything.toml"),
];

/// The keys that the parser names when it meets an unknown one in the table called `title`.
fn accepted(text: &str, title: &str) -> BTreeSet<String> {
    let errors = parse(text, "x.toml", &[]).expect_err("an unknown key is an error");
    let message = format!("unknown key `zzzzzzzzz` in {title}");
    let error = errors.iter().find(|e| e.message == message);
    error.unwrap_or_else(|| panic!("{message} is not in {errors:#?}")).expected.iter().cloned().collect()
}

fn keys(table: &Value) -> BTreeSet<String> {
    table["properties"].as_object().expect("a table").keys().cloned().collect()
}

/// The alternative with this `kind`.
fn of_kind<'a>(alternatives: &'a Value, kind: &str) -> &'a Value {
    let all = alternatives["anyOf"].as_array().unwrap();
    all.iter().find(|a| a["properties"]["kind"]["const"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

fn kinds(alternatives: &Value) -> BTreeSet<String> {
    let all = alternatives["anyOf"].as_array().unwrap();
    all.iter().filter_map(|a| a["properties"]["kind"]["const"].as_str().map(String::from)).collect()
}

#[test]
fn tables_have_the_same_keys_in_the_schema_and_in_the_parser() {
    let s = schema();
    assert_eq!(keys(&s), accepted("zzzzzzzzz = 1", "the scenario"));
    assert_eq!(keys(&s["properties"]["record"]), accepted("[record]\nzzzzzzzzz = 1", "[record]"));
    for list in ["host", "router", "link", "flow", "capture"] {
        let from_parser = accepted(&format!("[[{list}]]\nzzzzzzzzz = 1"), &format!("[[{list}]]"));
        assert_eq!(keys(&s["properties"][list]["items"]), from_parser, "{list}");
    }
    let reverse = accepted("[[link]]\nreverse = { zzzzzzzzz = 1 }", "`reverse` of a link");
    assert_eq!(keys(&s["$defs"]["reverse"]), reverse);
    for kind in ["tcp", "mptcp"] {
        let text = format!("[[flow]]\ntransport = {{ kind = \"{kind}\", behaviour.zzzzzzzzz = 1 }}");
        let from_parser = accepted(&text, &format!("`behaviour` of transport \"{kind}\""));
        assert_eq!(keys(&s["$defs"][format!("{kind}_behaviour")]), from_parser, "{kind}");
    }
}

#[test]
fn kinds_have_the_same_keys_in_the_schema_and_in_the_parser() {
    let s = schema();
    let cases = [
        ("loss", "[[link]]\nloss = { kind = \"K\", zzzzzzzzz = 1 }", "loss \"K\""),
        ("fault", "[[fault]]\nkind = \"K\"\nzzzzzzzzz = 1", "a fault of kind \"K\""),
        ("transport", "[[flow]]\ntransport = { kind = \"K\", zzzzzzzzz = 1 }", "transport \"K\""),
        ("app", "[[flow]]\napp = { kind = \"K\", zzzzzzzzz = 1 }", "app \"K\""),
        ("queue", "[[link]]\nqueue = { kind = \"K\", zzzzzzzzz = 1 }", "the queue"),
        (
            "congestion_control",
            "[[flow]]\ntransport = { kind = \"tcp\", cc = { kind = \"K\", zzzzzzzzz = 1 } }",
            "the congestion control",
        ),
        (
            "multipath_control",
            "[[flow]]\ntransport = { kind = \"mptcp\", cc = { kind = \"K\", zzzzzzzzz = 1 } }",
            "the congestion control",
        ),
        (
            "scheduler",
            "[[flow]]\ntransport = { kind = \"mptcp\", scheduler = { kind = \"K\", zzzzzzzzz = 1 } }",
            "the scheduler",
        ),
        (
            "path_manager",
            "[[flow]]\ntransport = { kind = \"mptcp\", path_manager = { kind = \"K\", zzzzzzzzz = 1 } }",
            "the path manager",
        ),
    ];
    for (def, text, title) in cases {
        let kinds = kinds(&s["$defs"][def]);
        assert!(!kinds.is_empty());
        for kind in kinds {
            let from_parser = accepted(&text.replace('K', &kind), &title.replace('K', &kind));
            assert_eq!(keys(of_kind(&s["$defs"][def], &kind)), from_parser, "{def} {kind}");
        }
    }
    let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect::<BTreeSet<_>>();
    assert_eq!(kinds(&s["$defs"]["queue"]), names(QdiscConfig::names()));
    assert_eq!(kinds(&s["$defs"]["congestion_control"]), names(CcConfig::names()));
}

#[test]
fn good_files_and_their_resolved_forms_fit_the_schema() {
    let s = schema();
    for text in FILES {
        let parsed = parse(text, "x.toml", &[]).unwrap();
        for text in [text.to_string(), parsed.to_toml()] {
            let value = serde_json::to_value(toml::from_str::<toml::Table>(&text).unwrap()).unwrap();
            let mut wrong = Vec::new();
            check(&s, &s, &value, "", &mut wrong);
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    }
}

#[test]
fn every_key_is_described() {
    fn walk(value: &Value, path: &str) {
        if let Some(properties) = value["properties"].as_object() {
            for (key, schema) in properties.iter().filter(|(k, _)| *k != "kind") {
                let description = schema["description"].as_str().unwrap_or("");
                assert!(description.len() > 3 || key == "every", "{path}.{key} is not described");
            }
        }
        match value {
            Value::Object(map) => map.iter().for_each(|(k, v)| walk(v, &format!("{path}.{k}"))),
            Value::Array(list) => list.iter().for_each(|v| walk(v, path)),
            _ => {}
        }
    }
    walk(&schema(), "");
}

#[test]
fn the_schema_refuses_what_the_parser_refuses() {
    let s = schema();
    for (from, to) in [
        ("runs = 2", "rusn = 2"),
        ("runs = 2", "runs = -2"),
        ("duration = \"60 s\"", ""),
        ("kind = \"droptail\"", "kind = \"dorptail\""),
        ("sack = true", "sack = 1"),
        ("app = \"bulk\"", "app = \"blub\""),
        ("app = \"bulk\"", "app = { kind = \"transfer\" }"),
        ("kind = \"down\"", "kind = \"up\""),
    ] {
        let text = FILES[0].replacen(from, to, 1);
        assert!(parse(&text, "x.toml", &[]).is_err(), "{to}");
        let value = serde_json::to_value(toml::from_str::<toml::Table>(&text).unwrap()).unwrap();
        let mut wrong = Vec::new();
        check(&s, &s, &value, "", &mut wrong);
        assert!(!wrong.is_empty(), "{to}");
    }
}

/// Checks the part of JSON Schema that the schema uses, patterns excepted.
fn check(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("references lead somewhere");
        check(root, target, value, path, wrong);
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let fits = |a: &Value| {
            let mut inner = Vec::new();
            check(root, a, value, path, &mut inner);
            inner.is_empty()
        };
        if !alternatives.iter().any(fits) {
            wrong.push(format!("{path}: {value} fits none of the alternatives"));
        }
    }
    if !fits_plainly(schema, value) {
        wrong.push(format!("{path}: {value} does not fit {schema}"));
    }
    check_members(root, schema, value, path, wrong);
    check_items(root, schema, value, path, wrong);
}

fn fits_plainly(schema: &Value, value: &Value) -> bool {
    let fits_type = match schema["type"].as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some(other) => panic!("the schema has type {other}"),
    };
    let in_range = value.as_f64().is_none_or(|x| {
        schema["minimum"].as_f64().is_none_or(|m| x >= m) && schema["maximum"].as_f64().is_none_or(|m| x <= m)
    });
    let in_enum = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    fits_type && in_range && in_enum && schema.get("const").is_none_or(|c| c == value)
}

fn check_members(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    let Some(object) = value.as_object() else { return };
    for key in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(key.as_str().unwrap()) {
            wrong.push(format!("{path}: {key} is missing"));
        }
    }
    for (key, value) in object {
        let path = format!("{path}.{key}");
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(schema), _) | (None, schema @ Value::Object(_)) => check(root, schema, value, &path, wrong),
            (None, Value::Bool(false)) => wrong.push(format!("{path} is unknown")),
            _ => {}
        }
    }
}

fn check_items(root: &Value, schema: &Value, value: &Value, path: &str, wrong: &mut Vec<String>) {
    let Some(list) = value.as_array() else { return };
    let bounds = (schema["minItems"].as_u64().unwrap_or(0), schema["maxItems"].as_u64().unwrap_or(u64::MAX));
    if !(bounds.0..=bounds.1).contains(&(list.len() as u64)) {
        wrong.push(format!("{path} has {} items", list.len()));
    }
    for (i, item) in list.iter().enumerate() {
        let schema = schema["prefixItems"].get(i).or_else(|| schema.get("items"));
        if let Some(schema) = schema {
            check(root, schema, item, &format!("{path}[{i}]"), wrong);
        }
    }
}
