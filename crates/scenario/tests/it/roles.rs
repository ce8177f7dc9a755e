//! Roles of routers and queues, and what `check` says of those that lack their counterpart.

use tailrace_core::params::Value;
use tailrace_scenario::{Parsed, parse, render_all};

/// src -> r1 -> r2 -> dst, with what each declaration adds.
fn text(r1: &str, r2: &str, access: &str, bottleneck: &str) -> String {
    format!(
        r#"
name = "roles"
duration = "20 s"
[[host]]
name = "src"
count = 2
[[host]]
name = "dst"
[[router]]
name = "r1"
{r1}
[[router]]
name = "r2"
{r2}
[[link]]
between = ["src[*]", "r1"]
rate = "10 Mbit/s"
delay = "1 ms"
{access}
[[link]]
name = "bottleneck"
between = ["r1", "r2"]
rate = "1 Mbit/s"
delay = "5 ms"
{bottleneck}
[[link]]
between = ["r2", "dst"]
rate = "900 kbit/s"
delay = "1 ms"
queue = "csfq"
[[flow]]
name = "udp"
from = "src[*]"
to = "dst"
transport = "udp"
app = {{ kind = "cbr", rate = "1 Mbit/s", size = "500 B", jitter = 0.1 }}
"#
    )
}

fn read(text: &str) -> Parsed {
    let parsed = parse(text, "roles.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
    let again = parse(&parsed.to_toml(), "resolved.toml", &[]).unwrap();
    assert_eq!(again.scenario, parsed.scenario, "{}", parsed.to_toml());
    parsed
}

/// Roles of link `name`, forward and backward.
fn roles(parsed: &Parsed, name: &str) -> [Option<String>; 2] {
    let link = parsed.scenario.links.iter().find(|l| l.name == name).unwrap();
    [&link.forward, &link.backward].map(|spec| match spec.queue.get("role") {
        Some(Value::Text(role)) => Some(role),
        _ => None,
    })
}

fn words(a: &str, b: &str) -> [Option<String>; 2] {
    [a, b].map(|w| Some(w.to_string()))
}

fn warnings(parsed: &Parsed) -> Vec<String> {
    parsed
        .warnings
        .iter()
        .map(|w| format!("{}; {}", w.message, w.help.as_deref().unwrap_or("")))
        .filter(|w| !w.contains("not a bottleneck"))
        .collect()
}

#[test]
fn a_router_gives_its_role_to_the_queues_on_links_that_leave_it() {
    let parsed = read(&text("role = \"edge\"", "role = \"core\"", "", "queue = \"csfq\""));
    assert_eq!(roles(&parsed, "bottleneck"), words("edge", "core"));
    // From r2 to its host it is a core, too; the host has no role, so its own queue keeps the default.
    assert_eq!(roles(&parsed, "r2-dst"), words("core", "edge"));
    assert_eq!(roles(&parsed, "src[1]-r1"), [None, None]);
    assert_eq!(warnings(&parsed), Vec::<String>::new());
}

#[test]
fn a_queue_that_says_its_role_keeps_it() {
    let explicit = "queue = { kind = \"csfq\", role = \"edge\" }";
    let parsed = read(&text("role = \"core\"", "role = \"core\"", "queue = \"csfq\"", explicit));
    assert_eq!(roles(&parsed, "bottleneck"), words("edge", "edge"));
    assert_eq!(roles(&parsed, "src[0]-r1"), words("edge", "core"));
    let reverse = format!("{explicit}\nreverse = {{ queue = {{ kind = \"csfq\" }} }}");
    let parsed = read(&text("role = \"core\"", "role = \"core\"", "queue = \"csfq\"", &reverse));
    assert_eq!(roles(&parsed, "bottleneck"), words("edge", "core"));
}

#[test]
fn a_role_that_no_queue_behind_the_router_can_have_is_pointed_out() {
    let parsed = read(&text("role = \"edge\"", "", "", "queue = \"red\""));
    let found = warnings(&parsed);
    assert_eq!(found.len(), 1, "{found:#?}");
    for part in ["router r1 has role \"edge\"", "csfq", "leaves r1"] {
        assert!(found[0].contains(part), "{found:?}");
    }
}

#[test]
fn an_unknown_role_is_an_error_that_names_those_there_are() {
    let errors = parse(&text("role = \"egde\"", "", "", "queue = \"csfq\""), "roles.toml", &[]).unwrap_err();
    let shown = render_all(&errors, false);
    assert!(shown.contains("\"edge\"") && shown.contains("\"core\"") && shown.contains("egde"), "{shown}");
    let host = text("", "", "", "queue = \"csfq\"").replace("count = 2", "count = 2\nrole = \"edge\"");
    assert!(parse(&host, "roles.toml", &[]).is_err(), "a host has no role");
}

#[test]
fn a_csfq_core_without_an_edge_before_it_is_pointed_out() {
    let core = "queue = { kind = \"csfq\", role = \"core\" }";
    let found = warnings(&read(&text("", "", "", core)));
    assert_eq!(found.len(), 1, "{found:#?}");
    for part in ["flow udp", "csfq core of link bottleneck", "role = \"edge\"", "src[0]-r1"] {
        assert!(found[0].contains(part), "{part}: {found:?}");
    }
    assert!(warnings(&read(&text("", "", "queue = \"csfq\"", core))).is_empty());
    // An edge after it does not help.
    let found = warnings(&read(&text("role = \"core\"", "role = \"edge\"", "", "queue = \"csfq\"")));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn netfence_needs_access_before_and_a_bottleneck_after() {
    let queue = |role: &str| format!("queue = {{ kind = \"netfence\", role = \"{role}\" }}");
    let found = warnings(&read(&text("", "", "", &queue("bottleneck"))));
    assert_eq!(found.len(), 1, "{found:#?}");
    for part in ["flow udp", "netfence bottleneck of link bottleneck", "role = \"access\"", "legacy"] {
        assert!(found[0].contains(part), "{part}: {found:?}");
    }
    let found = warnings(&read(&text("", "", &queue("access"), "queue = \"red\"")));
    assert_eq!(found.len(), 1, "{found:#?}");
    for part in
        ["netfence access of link src[0]-r1", "role = \"bottleneck\"", "after it", "on link bottleneck"]
    {
        assert!(found[0].contains(part), "{part}: {found:?}");
    }
    for (access, bottleneck) in [
        (queue("access"), queue("bottleneck")),
        (queue("access"), queue("both")),
        (String::new(), queue("both")),
    ] {
        assert_eq!(warnings(&read(&text("", "", &access, &bottleneck))), Vec::<String>::new());
    }
}

#[test]
fn receivers_may_withhold_feedback() {
    let written = text("", "", "", "queue = \"netfence\"");
    assert!(!read(&written).scenario.flows[0].withholds_feedback);
    let withheld = written.replace("transport = \"udp\"", "transport = \"udp\"\nfeedback = \"withhold\"");
    assert!(read(&withheld).scenario.flows[0].withholds_feedback);
}
