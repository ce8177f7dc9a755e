//! A file that is read once gives the same scenarios as one that is read for each; variants know nothing of each other.

use tailrace_core::Bytes;
use tailrace_scenario::{Objection, Source, parse};

const MEMORY: Bytes = Bytes(1 << 34);

/// Its second variant is no bottleneck, which is worth a warning.
const SWEPT: &str = r#"
    name = "swept"
    duration = "10 s"
    [[host]]
    name = "a"
    [[host]]
    name = "b"
    [[router]]
    name = "r"
    [[link]]
    between = ["a", "r"]
    rate = "100 Mbit/s"
    delay = "1 ms"
    [[link]]
    name = "out"
    between = ["r", "b"]
    rate = "10 Mbit/s"
    delay = "5 ms"
    queue = "red"
    [[flow]]
    name = "f"
    from = "a"
    to = "b"
    transport = "tcp"
    app = "bulk"
    start = "uniform(0 s, 1 s)"
    [sweep]
    "link.out.rate" = ["10 Mbit/s", "1 Gbit/s"]
"#;

fn set(value: &str) -> Vec<(String, String)> {
    vec![("link.out.rate".into(), value.into())]
}

#[test]
fn a_variant_is_the_scenario_that_its_values_make() {
    let source = Source::new(SWEPT, "swept.toml");
    for value in ["10 Mbit/s", "1 Gbit/s"] {
        let variant = source.variant(&set(value), MEMORY).unwrap();
        assert_eq!(variant.scenario, parse(SWEPT, "swept.toml", &set(value)).unwrap().scenario);
        assert!(variant.declaration.sweep().is_empty());
    }
    assert_eq!(source.scenario(&[], MEMORY).unwrap().declaration.sweep().grid[0].values.len(), 2);
}

#[test]
fn the_resolved_form_of_a_variant_is_not_warned_of_for_others() {
    let source = Source::new(SWEPT, "swept.toml");
    let warnings = |value| source.variant(&set(value), MEMORY).unwrap().warnings.len();
    assert_eq!((warnings("10 Mbit/s"), warnings("1 Gbit/s")), (0, 1));
    let resolved = source.variant(&set("10 Mbit/s"), MEMORY).unwrap().to_toml();
    let again = parse(&resolved, "scenario.toml", &[]).unwrap();
    assert!(again.warnings.is_empty() && again.declaration.sweep().is_empty(), "{resolved}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_of_each_scenario_that_is_made_of_it() {
    for (text, what) in [("name = ", "not valid TOML"), (&SWEPT.replace("10 s", "10 parsecs"), "parsecs")] {
        let source = Source::new(text, "wrong.toml");
        for _ in 0..2 {
            let errors = source.scenario(&[], MEMORY).unwrap_err();
            assert!(errors[0].render(false).contains(what), "{}", errors[0].render(false));
        }
    }
}

#[test]
fn a_value_may_contradict_the_file_where_others_change_with_it() {
    let pulses = SWEPT.replace("transport = \"tcp\"", "transport = \"udp\"").replace(
        "app = \"bulk\"",
        "app = { kind = \"pulse\", period = \"1 s\", burst = \"100 ms\", rate = \"1 Mbit/s\", size = \"500 B\" }",
    );
    let axis = format!("{pulses}\n\"flow.f.app.period\" = [\"50 ms\"]\n");
    let derived = format!("{axis}[sweep.derive]\n\"flow.f.app.burst\" = \"period / 10\"\n");
    let codes = |text: &str| match parse(text, "pulses.toml", &[]) {
        Ok(_) => Vec::new(),
        Err(found) => found.iter().map(|d| d.to_json()["code"].as_str().unwrap_or("").to_string()).collect(),
    };
    assert!(codes(&axis).contains(&"contradicting-times".into()), "{:?}", codes(&axis));
    assert_eq!(codes(&derived), Vec::<String>::new());
    assert!(codes(&derived.replace("50 ms", "50 mm")).contains(&"bad-value".into()));
}

#[test]
fn the_plain_form_has_a_line_for_each_key_and_means_the_same() {
    let text = format!("# a comment\n{SWEPT}").replace("kind = \"red\"", "kind = \"red\",\n # TOML 1.1\n");
    let plain = Source::new(&text, "swept.toml").plain().unwrap();
    assert_eq!(plain.lines().filter(|line| line.contains(" = ")).count(), plain.lines().count());
    let [said, again] = [&text, &plain].map(|text| parse(text, "swept.toml", &[]).unwrap());
    assert_eq!(said.to_toml(), again.to_toml());
    assert!(plain.contains("\nsweep = { "));
    assert_eq!(Source::new("name = ", "broken.toml").plain(), None);
}

#[test]
fn the_file_says_what_stands_at_a_path_and_why_nothing_does() {
    let source = Source::new(SWEPT, "swept.toml");
    let value = |path| source.value(&set("5 Mbit/s"), path);
    assert_eq!(value("link.out.rate").as_deref(), Ok("\"5 Mbit/s\""));
    assert_eq!(value("link.a-r.delay").as_deref(), Ok("\"1 ms\""));
    assert_eq!(value("link.1.queue.kind").as_deref(), Ok("\"red\""));
    assert_eq!(value("duration").as_deref(), Ok("\"10 s\""));
    for (path, why) in [
        ("link.otu.rate", "there is no `link.otu`; did you mean `link.out.rate`?"),
        ("link.out.mtu", "the file does not say `link.out.mtu`"),
        ("link.out.dealy", "the file does not say `link.out.dealy`; did you mean `link.out.delay`?"),
        ("sweep", "the file does not say `sweep`"),
        ("", "a path is made of names with dots between, such as \"link.bottleneck.rate\""),
    ] {
        assert_eq!(value(path), Err(why.to_string()), "{path}");
    }
    assert!(Source::new("name = ", "broken.toml").value(&[], "name").is_err());
}

#[test]
fn objections_stand_at_the_values_that_they_are_about() {
    let text = format!("{SWEPT}[[figure]]\nmetric = \"goodputt\"\n[[figure]]\nseries = \"cwnd\"\n");
    let source = Source::new(&text, "swept.toml");
    let against = |path: &str| Objection { path: path.into(), why: "wrong".into(), help: Some("so".into()) };
    let shown =
        |overrides: &[(String, String)], path| source.objected(overrides, &[against(path)])[0].render(false);
    let lines = text.lines().count();
    let at = |line: usize, path| {
        let found = shown(&[], path);
        assert!(found.contains(&format!("swept.toml:{line}:")) && found.ends_with("= help: so\n"), "{found}");
        found
    };
    assert!(at(lines - 2, "figure.0.metric").contains("^ wrong"));
    assert!(at(lines - 2, "figure.0.metric").contains("bad value of `metric`"));
    // A value that is not written has the place of its table.
    at(lines - 1, "figure.1.where");
    let set = [("figure.0.metric".to_string(), "loss".to_string())];
    assert!(shown(&set, "figure.0.metric").contains("--set figure.0.metric=loss"));
    let both = source.objected(&[], &[against("figure.1.series"), against("figure.0.metric")]);
    assert!(both[0].render(false).contains("goodputt"), "not in the order of the file");
}
