//! Algorithms that whoever reads a scenario hands in.

use tailrace_qdisc::disciplines::codel::CodelConfig;
use tailrace_qdisc::{PluginConfig, QdiscConfig};
use tailrace_scenario::{Diagnostic, Parsed, Plugins, Source, schema, schema_with};
use tailrace_transport::CcConfig;
use tailrace_transport::cc::{OutsideControl, Reno};

const TEXT: &str = r#"
    name = "own"
    duration = "10 s"
    host = [{ name = "a" }, { name = "b" }]
    [[link]]
    name = "wire"
    between = ["a", "b"]
    rate = "10 Mbit/s"
    delay = "5 ms"
    queue = "mine"
    [[flow]]
    name = "tcp"
    from = "a"
    to = "b"
    transport = { kind = "tcp", cc = "my_reno" }
    app = "bulk"
"#;

fn outsiders() -> Plugins {
    let outsiders = Plugins::default().with_queue(PluginConfig::named::<CodelConfig>("mine")).unwrap();
    outsiders.with_control(OutsideControl::named::<Reno>("my_reno")).unwrap()
}

fn read(text: &str, overrides: &[(&str, &str)]) -> Result<Parsed, Vec<Diagnostic>> {
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    Source::new(text, "own.toml")
        .with(outsiders())
        .scenario(&overrides, tailrace_scenario::DEFAULT_MEMORY_LIMIT)
}

fn queue(parsed: &Parsed) -> &QdiscConfig {
    &parsed.scenario.links[0].forward.queue
}

#[test]
fn their_names_and_keys_are_as_good_as_registered_ones() {
    let parsed = read(TEXT, &[("link.wire.queue.target", "7 ms")]).unwrap();
    assert_eq!(queue(&parsed).name(), "mine");
    let resolved = parsed.to_toml();
    assert!(resolved.contains("kind = \"mine\"") && resolved.contains("target = \"7 ms\""), "{resolved}");
    assert!(resolved.contains("kind = \"my_reno\""), "{resolved}");
    assert_eq!(read(&resolved, &[]).unwrap().scenario, parsed.scenario);
    let other = read(TEXT, &[("link.wire.queue.target", "8 ms")]).unwrap();
    assert_ne!(other.scenario, parsed.scenario);
}

#[test]
fn they_can_be_swept_and_govern_subflows() {
    let text = format!("{TEXT}\n[sweep]\n\"link.wire.queue\" = [\"codel\", \"mine\"]\n");
    assert_eq!(read(&text, &[]).unwrap().declaration.sweep().grid[0].values.len(), 2);
    let text = TEXT.replace("kind = \"tcp\"", "kind = \"mptcp\"");
    assert!(read(&text, &[]).unwrap().to_toml().contains("my_reno"));
}

#[test]
fn a_fault_may_set_them() {
    for (value, target) in [("\"mine\"", "5 ms"), ("{ kind = \"mine\", target = \"7 ms\" }", "7 ms")] {
        let fault = format!("[[fault]]\nkind = \"queue\"\nlink = \"wire\"\nat = \"1 s\"\nvalue = {value}\n");
        let parsed = read(&format!("{TEXT}\n{fault}"), &[("link.wire.queue", "codel")]).unwrap();
        assert_eq!(queue(&parsed).name(), "codel");
        let resolved = parsed.to_toml();
        let written = resolved.split("[[fault]]").nth(1).unwrap();
        assert!(written.contains("kind = \"mine\"") && written.contains(target), "{resolved}");
        assert_eq!(read(&resolved, &[]).unwrap().scenario, parsed.scenario);
        let wrong = read(&format!("{TEXT}\n{}", fault.replace("mine", "mime")), &[]).unwrap_err();
        assert!(wrong[0].render(false).contains("did you mean `mine`?"), "{wrong:?}");
    }
}

#[test]
fn the_schema_has_them() {
    for (schema, has) in [(schema_with(&outsiders()), true), (schema(), false)] {
        for (def, name) in
            [("queue", "mine"), ("congestion_control", "my_reno"), ("multipath_control", "my_reno")]
        {
            let forms = schema["$defs"][def]["anyOf"].to_string();
            assert_eq!(forms.contains(&format!("\"const\":\"{name}\"")), has, "{def}");
        }
    }
}

#[test]
fn errors_know_them() {
    let errors = |text: &str, set: &[(&str, &str)]| {
        read(text, set).unwrap_err().iter().map(|d| d.render(false)).collect::<String>()
    };
    let error = errors(&TEXT.replace("\"mine\"", "\"mime\""), &[]);
    assert!(error.contains("did you mean `mine`?"), "{error}");
    let error = errors(&TEXT.replace("my_reno", "my_rono"), &[]);
    assert!(error.contains("did you mean `my_reno`?"), "{error}");
    let error = errors(TEXT, &[("link.wire.queue.tagret", "7 ms")]);
    assert!(error.contains("did you mean `target`?"), "{error}");
    assert!(Source::new(TEXT, "own.toml").scenario(&[], tailrace_scenario::DEFAULT_MEMORY_LIMIT).is_err());
}

#[test]
fn names_that_are_taken_or_no_names_are_refused() {
    let refused = |name| Plugins::default().with_queue(PluginConfig::named::<CodelConfig>(name)).unwrap_err();
    for name in QdiscConfig::names().iter().copied().chain(["pfifo", "bfifo"]) {
        assert!(refused(name).contains("give yours another name"), "{name}");
    }
    for name in ["", "My", "a-b", "1st", "a b", "_a"] {
        assert!(refused(name).contains("small letters"), "{name}");
    }
    let again = outsiders().with_queue(PluginConfig::named::<CodelConfig>("mine"));
    assert!(again.unwrap_err().contains("two queue disciplines"));
    for name in CcConfig::names().iter().copied().chain(["lia", "olia"]) {
        let error = Plugins::default().with_control(OutsideControl::named::<Reno>(name)).unwrap_err();
        assert!(error.contains("give yours another name"), "{name}");
    }
    assert!(outsiders().with_control(OutsideControl::named::<Reno>("my_reno")).is_err());
}
