//! Warnings: each scenario that deserves one gets it, and a good one gets none.

use crate::small::{SMALL, changed};
use tailrace_scenario::{Parsed, Place, Severity, parse, render_all};

fn read(changes: &[(&str, &str)]) -> Parsed {
    parse(&changed(changes), "small.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)))
}

fn warnings(changes: &[(&str, &str)]) -> Vec<String> {
    let parsed = read(changes);
    assert!(parsed.warnings.iter().all(|w| w.severity == Severity::Warning));
    parsed.warnings.iter().map(|w| format!("{}; {}", w.message, w.help.as_deref().unwrap_or(""))).collect()
}

/// Exactly one warning, which has all of these parts.
fn one(changes: &[(&str, &str)], parts: &[&str]) {
    let found = warnings(changes);
    assert_eq!(found.len(), 1, "{found:#?}");
    for part in parts {
        assert!(found[0].contains(part), "{part:?} is not in {:?}", found[0]);
    }
}

#[test]
fn good_scenarios_get_no_advice() {
    assert_eq!(warnings(&[]), Vec::<String>::new());
    for text in [include_str!("../files/dumbbell.toml"), include_str!("../files/scenario_d.toml")] {
        let parsed = parse(text, "good.toml", &[]).unwrap();
        assert!(parsed.warnings.is_empty(), "{}", render_all(&parsed.warnings, false));
    }
}

#[test]
fn an_attack_that_locks_others_out_is_called_one_and_has_no_app() {
    let attack = "[[attack]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\nkind = \"flood\"\n\
                  rate = \"1 Mbit/s\"\nsize = \"1000 B\"\n[[fault]]";
    one(&[("[[fault]]", attack)], &["attack x without jitter can", "add jitter = 0.1 to it"]);
}

#[test]
fn faults_that_draw_make_runs_differ() {
    let dull = [("start = \"uniform(0 s, 1 s)\"\n", ""), (", jitter = 0.1", "")];
    let with = |fault: &str| warnings(&[dull[0], dull[1], ("kind = \"down\"", fault)]);
    let equal = |found: &[String]| found.iter().any(|w| w.contains("nothing is random"));
    for same in [
        "kind = \"down\"",
        "kind = \"loss\"\nvalue = { kind = \"periodic\", every = 3 }",
        "kind = \"corruption\"\nprobability = 1.0",
    ] {
        assert!(equal(&with(same)), "{same}");
    }
    for drawn in [
        "kind = \"loss\"\nvalue = 0.1",
        "kind = \"queue\"\nvalue = \"red\"",
        "kind = \"corruption\"\nprobability = 0.1",
        "kind = \"duplication\"\nprobability = 0.1",
        "kind = \"reordering\"\nprobability = 0.1\nhold = \"5 ms\"",
    ] {
        assert!(!equal(&with(drawn)), "{drawn}");
    }
    let program = ("count = 4", "count = 4\nkernel = \"6.12\"\nrun = [{ command = \"true\" }]");
    assert!(!equal(&warnings(&[dull[0], dull[1], program])), "programs draw what they like");
}

/// The ends of all flows are kernels.
const KERNELS: [(&str, &str); 2] = [
    ("count = 4", "count = 4\nkernel = \"6.12\""),
    ("[[host]]\nname = \"dst\"", "[[host]]\nname = \"dst\"\nkernel = \"6.12\""),
];

#[test]
fn kernels_see_to_windows_and_segments_themselves() {
    let small = ("sack = true", "sack = true, mss = \"500 B\", window = 1");
    let narrow = ("[\"r2\", \"dst\"]", "[\"r2\", \"dst\"]\nmtu = \"1040 B\"");
    assert_eq!((warnings(&[small]).len(), warnings(&[narrow]).len()), (1, 1));
    for change in [small, narrow] {
        assert_eq!(warnings(&[KERNELS[0], KERNELS[1], change]), Vec::<String>::new());
    }
    // A segment of one that is simulated is the smaller of what both announce.
    assert_eq!(warnings(&[KERNELS[1], narrow]), Vec::<String>::new());
    assert_eq!(warnings(&[KERNELS[0], narrow]).len(), 1);
    // They see only their own links.
    let beyond = ("[\"r1\", \"r2\"]", "[\"r1\", \"r2\"]\nmtu = \"1100 B\"");
    one(
        &[KERNELS[0], KERNELS[1], beyond],
        &["packets of flow tcp have 1500 bytes, link bottleneck carries 1100 B", "then sends smaller ones"],
    );
    // A simulated host does not listen to routers.
    let beyond_simulated = [KERNELS[1], beyond];
    one(&beyond_simulated, &["link bottleneck carries 1100 B", "they will be dropped"]);
}

#[test]
fn datagrams_that_a_kernel_cuts_are_pointed_out() {
    let large = ("size = \"1000 B\"", "size = \"1473 B\"");
    let said = ["datagrams of flow udp have 1501 bytes, link src[0]-r1 carries 1500 B", "fragments"];
    one(&[KERNELS[0], large], &said);
    // A kernel that receives cuts nothing, unless the application answers.
    let dropped = "packets of flow udp have 1501 bytes";
    one(&[KERNELS[1], large], &[dropped, "dropped"]);
    let ping = (
        "kind = \"cbr\", rate = \"100 kbit/s\", size = \"1000 B\", jitter = 0.1",
        "kind = \"ping\", size = \"1473 B\"",
    );
    one(&[KERNELS[1], ping], &["link r2-dst carries 1500 B", "fragments"]);
    // Where its own link carries them, another may still drop them, until a router has told the kernel.
    let wide = ("[\"src[*]\", \"r1\"]", "[\"src[*]\", \"r1\"]\nmtu = \"9000 B\"");
    one(&[KERNELS[0], large, wide], &[dropped, "drops the first", "then sends fragments"]);
    one(&[KERNELS[1], large, wide], &[dropped, "will be dropped"]);
}

#[test]
fn a_queue_that_nothing_can_fill_is_pointed_out() {
    // r2-dst carries 0.5 Mbit/s: TCP is limited to that, and the UDP flow adds 100 kbit/s and its 28 B headers.
    let changes = [(
        "between = [\"r2\", \"dst\"]\nrate = \"10 Mbit/s\"",
        "between = [\"r2\", \"dst\"]\nrate = \"500 kbit/s\"",
    )];
    one(&changes, &["bottleneck is not a bottleneck", "602800 bit/s reach its 1 Mbit/s", "r2-dst"]);
}

#[test]
fn many_slow_access_links_make_a_fast_link_the_bottleneck_together() {
    // Four access links of 300 kbit/s (and one of them shared by UDP) feed 1 Mbit/s; three would not fill it.
    assert!(warnings(&[("10 Mbit/s", "300 kbit/s")]).is_empty());
    let three = [("10 Mbit/s", "300 kbit/s"), ("count = 4", "count = 3")];
    one(&three, &["is not a bottleneck", "900 kbit/s reach its 1 Mbit/s"]);
}

#[test]
fn a_window_too_short_for_statistics_is_pointed_out() {
    // A round trip of tcp takes 24 ms, so 20 of them half a second.
    let window =
        |end: &str| format!("[[window]]\nname = \"w\"\nstart = \"20 s\"\nend = \"{end}\"\n\n[record]");
    assert!(warnings(&[("[record]", &window("21 s"))]).is_empty());
    one(
        &[("[record]", &window("20100 ms"))],
        &["window w lasts 100 ms", "20 round trips of flow", "end later"],
    );
}

#[test]
fn an_observed_link_without_flows_is_pointed_out() {
    let link = "[[router]]\nname = \"r3\"\n[[link]]\nbetween = [\"r2\", \"r3\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nqueue = \"droptail\"\n[[link]]\nname";
    one(&[("[[link]]\nname", link)], &["no flow crosses link r2-r3"]);
}

#[test]
fn windows_below_the_bandwidth_delay_product_are_pointed_out() {
    // 1 Mbit/s times 28 ms is 3500 B; four windows of 1 x 500 B are 2000 B.
    let small = [("sack = true", "sack = true, mss = \"500 B\", window = 1")];
    one(&small, &["cannot fill it", "sum to 2000 bytes", "product is 3500 bytes"]);
    assert!(warnings(&[("sack = true", "sack = true, mss = \"500 B\", window = 2")]).is_empty());
}

#[test]
fn links_of_one_declaration_are_advised_on_together() {
    // Four access links are the slowest of their paths; 200 kbit/s times 28 ms is 700 B, more than a window of 500 B.
    let changes = [("10 Mbit/s", "200 kbit/s"), ("sack = true", "sack = true, mss = \"500 B\", window = 1")];
    let found = warnings(&changes);
    let windows: Vec<_> = found.iter().filter(|w| w.contains("cannot fill")).collect();
    assert_eq!(windows.len(), 1, "{found:#?}");
    for part in ["4 links of src[*]-r1", "worst over src[", "500 bytes", "is 700 bytes"] {
        assert!(windows[0].contains(part), "{part:?} is not in {:?}", windows[0]);
    }
}

#[test]
fn unit_slips_are_pointed_out() {
    let slow = warnings(&[("1 Mbit/s", "900 bit/s"), ("50 packets", "2 packets")]);
    assert!(slow.iter().any(|w| w.contains("a rate of 900 bit/s")), "{slow:#?}");
    let far = warnings(&[("delay = \"10 ms\"", "delay = \"11 s\"")]);
    assert!(far.iter().any(|w| w.contains("a delay of 11 s")), "{far:#?}");
    one(&[("limit = \"50 packets\"", "limit = \"1 packet\"")], &["less than two packets"]);
    one(&[("limit = \"50 packets\"", "limit = \"2 MB\"")], &["more than 10 s at 1 Mbit/s"]);
}

#[test]
fn short_statistics_are_pointed_out() {
    // 20 round trips of 2 x 500 ms + 8 ms take 20.16 s.
    let short = [
        ("delay = \"10 ms\"", "delay = \"500 ms\""),
        ("60 s", "40 s"),
        ("warmup = \"10 s\"", "warmup = \"20 s\""),
    ];
    one(&short, &["cover 20 s", "20 round trips", "1008 ms"]);
}

#[test]
fn packets_above_the_mtu_are_pointed_out() {
    one(&[("sack = true", "sack = true, mss = \"1460 B\"")], &["have 1512 bytes", "carries 1500 B"]);
    assert!(warnings(&[("sack = true", "sack = true, mss = \"1460 B\", timestamps = false")]).is_empty());
    one(&[("size = \"1000 B\"", "size = \"1473 B\"")], &["packets of flow udp have 1501 bytes"]);
}

#[test]
fn a_periodic_flood_is_pointed_out() {
    // 1000 B payload and 28 B headers: 1 Mbit/s of payload is 1.028 Mbit/s.
    let flood = [(
        "rate = \"100 kbit/s\", size = \"1000 B\", jitter = 0.1",
        "rate = \"1 Mbit/s\", size = \"1000 B\"",
    )];
    one(&flood, &["can lock other flows out of link bottleneck", "jitter"]);
    assert!(warnings(&[("rate = \"100 kbit/s\"", "rate = \"1 Mbit/s\"")]).is_empty());
}

#[test]
fn equal_runs_are_pointed_out() {
    let dull = [("start = \"uniform(0 s, 1 s)\"\n", ""), (", jitter = 0.1", "")];
    one(&dull, &["the 2 runs will be the same"]);
    assert!(warnings(&[dull[0], dull[1], ("runs = 2", "runs = 1")]).is_empty());
}

#[test]
fn what_comes_after_the_end_is_pointed_out() {
    one(&[("start = \"uniform(0 s, 1 s)\"", "start = \"60 s\"")], &["flow tcp starts at 60 s"]);
}

#[test]
fn multipath_tcp_with_one_subflow_is_pointed_out() {
    let mptcp = |more: &str| {
        let transport = format!("kind = \"mptcp\"{more}");
        warnings(&[("kind = \"tcp\", cc = \"reno\", sack = true", &transport)])
    };
    let only = |more: &str, parts: &[&str]| {
        let found = mptcp(more);
        assert_eq!(found.len(), 1, "{more}: {found:#?}");
        for part in parts {
            assert!(found[0].contains(part), "{part:?} is not in {:?}", found[0]);
        }
    };
    only("", &["flow tcp has one path only", "a second [[link]]", "ndiffports"]);
    only(", max_subflows = 1", &["one subflow only (max_subflows)", "kind = \"tcp\""]);
    only(", path_manager = \"passive\"", &["passive opens no second", "fullmesh"]);
    let ports = |n| format!(", path_manager = {{ kind = \"ndiffports\", num_subflows = {n} }}");
    only(&ports(1), &["ndiffports opens no second", "fullmesh"]);
    assert!(mptcp(&ports(2)).is_empty());
    assert!(mptcp(", path_manager = { kind = \"fullmesh\", num_subflows = 2 }").is_empty());
    // A second link at one of the hosts is a second path.
    let second = [
        ("kind = \"tcp\", cc = \"reno\", sack = true", "kind = \"mptcp\""),
        (
            "[[link]]\nbetween = [\"r2\", \"dst\"]",
            "[[link]]\nname = \"second\"\nbetween = [\"r2\", \"dst\"]\nrate = \"10 Mbit/s\"\ndelay = \"2 ms\"\n\
             [[link]]\nbetween = [\"r2\", \"dst\"]",
        ),
    ];
    assert_eq!(warnings(&second), Vec::<String>::new());
}

#[test]
fn paths_that_linux_does_not_use_are_pointed_out() {
    let disjoint = |manager: &str| {
        let mptcp = format!("kind = \"mptcp\", path_manager = {manager}");
        let link = "[[link]]\nbetween = [\"r2\", \"dst\"]";
        let second = "[[link]]\nname = \"second\"\nbetween = [\"src[*]\", \"dst\"]\nrate = \"10 Mbit/s\"\n\
                      delay = \"2 ms\"\n[[link]]\nbetween = [\"r2\", \"dst\"]";
        warnings(&[("kind = \"tcp\", cc = \"reno\", sack = true", &mptcp), (link, second)])
    };
    let opens_none = |found: &[String]| found.iter().any(|w| w.contains("it opens no second subflow"));
    let found = disjoint("\"linux\"");
    assert!(opens_none(&found) && found.iter().any(|w| w.contains("add_addr_accepted = 1")), "{found:#?}");
    let accepted = "{ kind = \"linux\", add_addr_accepted = 1, server = \"1 signal, 2 signal\" }";
    assert!(!opens_none(&disjoint(accepted)));
    assert!(!opens_none(&disjoint("\"fullmesh\"")));
}

#[test]
fn advice_stands_where_it_is_meant() {
    let parsed = read(&[("limit = \"50 packets\"", "limit = \"1 packet\"")]);
    let Place::File { line, text, .. } = &parsed.warnings[0].place else { panic!() };
    assert!(text.starts_with("queue = "), "{line}: {text}");
}

#[test]
fn a_form_that_nobody_chose_is_pointed_out_beside_flows_of_linux() {
    const QUEUE: &str = "queue = { kind = \"droptail\", limit = \"50 packets\" }";
    let linux = ("sack = true", "profile = \"linux\"");
    one(
        &[(QUEUE, "queue = { kind = \"codel\", limit = \"50 packets\" }"), linux],
        &["codel of link bottleneck", "form \"rfc\"", "queue_form"],
    );
    let chosen = [
        "{ kind = \"codel\", form = \"rfc\", limit = \"50 packets\" }",
        "\"sfq limit 50\"",
        "\"codel limit 50\"",
        "\"red\"",
    ];
    for queue in chosen.map(|queue| format!("queue = {queue}")) {
        assert_eq!(warnings(&[(QUEUE, &queue), linux]), Vec::<String>::new(), "{queue}");
    }
    let whole = [
        ("runs = 2", "runs = 2\nqueue_form = \"linux\""),
        (QUEUE, "queue = { kind = \"codel\", limit = \"50 packets\" }"),
        linux,
    ];
    assert_eq!(warnings(&whole), Vec::<String>::new());
}

#[test]
fn rates_that_come_to_exactly_the_links_are_pointed_out_whatever_says_them() {
    let udp = |more: &str| {
        format!(
            "[[flow]]\nname = \"udp\"\nfrom = \"src[0]\"\nto = \"dst\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\napp = {{ kind = \"cbr\", rate = \"{more}\", size = \"1000 B\" }}\n"
        )
    };
    let read = |tables: &str| {
        let start = SMALL.find("[[flow]]\nname = \"udp\"").unwrap();
        let end = SMALL.find("[[fault]]").unwrap();
        let text = format!("{}{tables}{}", &SMALL[..start], &SMALL[end..]);
        let parsed = parse(&text, "small.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
        parsed.warnings.iter().map(|w| w.code.name()).collect::<Vec<_>>()
    };
    let attack = |keys: &str| {
        format!(
            "[[attack]]\nname = \"x\"\nfrom = \"src[1]\"\nto = \"dst\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\nsize = \"500 B\"\n{keys}\n"
        )
    };
    let flood = attack("kind = \"flood\"\nrate = \"600 kbit/s\"");
    assert_eq!(read(&(udp("400 kbit/s") + &flood)), ["rate-tie"]);
    // Pulses without pauses are a flood, too.
    let pulses = attack("kind = \"pulse\"\nrate = \"600 kbit/s\"\nperiod = \"1 s\"\nduty = 1");
    assert_eq!(read(&(udp("400 kbit/s") + &pulses)), ["rate-tie"]);
    let none: [&str; 0] = [];
    for other in ["399 kbit/s", "401 kbit/s"] {
        assert_eq!(read(&(udp(other) + &flood)), none, "{other}");
    }
    assert_eq!(read(&(udp("400 kbit/s") + &flood + "jitter = 0.1\n")), none);
    assert_eq!(read(&(udp("400 kbit/s") + &flood + "enabled = false\n")), none);
}

/// Two hosts and a link of 10 Mbit/s between them, with datagrams.
fn datagrams(app: &str, mtu: &str) -> Vec<String> {
    let text = format!(
        "name = \"x\"\nduration = \"60 s\"\nhost = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         link = [{{ between = [\"a\", \"b\"], rate = \"10 Mbit/s\", delay = \"1 ms\", mtu = \"{mtu}\", queue = \"droptail\" }}]\n\
         [[flow]]\nname = \"udp\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"udp\"\napp = {{ {app} }}\n"
    );
    let parsed = parse(&text, "x.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
    parsed.warnings.iter().map(|w| w.message.clone()).collect()
}

#[test]
fn packets_that_arrive_by_chance_wait_at_any_load() {
    let stays_empty = ["link a-b is not a bottleneck, so its queue stays empty"];
    assert_eq!(datagrams("kind = \"cbr\", rate = \"5 Mbit/s\", size = \"imix\"", "1500 B"), stays_empty);
    let none = Vec::<String>::new();
    assert_eq!(datagrams("kind = \"poisson\", rate = \"5 Mbit/s\", size = \"1000 B\"", "1500 B"), none);
}

#[test]
fn drawn_sizes_are_compared_with_the_mtu_by_what_is_rarely_exceeded() {
    let app = |size: &str| format!("kind = \"poisson\", rate = \"5 Mbit/s\", size = \"{size}\"");
    // A packet in a million has more than 13.8 times the mean.
    let above = ["packets of flow udp can have 13843 bytes, link a-b carries 1500 B"];
    assert_eq!(datagrams(&app("exponential(1 kB)"), "1500 B"), above);
    for (size, mtu) in [("exponential(100 B)", "1500 B"), ("exponential(1 kB)", "14 kB"), ("imix", "1500 B")]
    {
        assert_eq!(datagrams(&app(size), mtu), Vec::<String>::new(), "{size}");
    }
    let too_large = parse(
        "name = \"x\"\nduration = \"1 s\"\nhost = [{ name = \"a\" }, { name = \"b\" }]\n\
         link = [{ between = [\"a\", \"b\"], rate = \"10 Mbit/s\", delay = \"1 ms\" }]\n[[flow]]\nname = \"u\"\nfrom = \"a\"\nto = \"b\"\n\
         transport = { kind = \"udp\", header = \"48 B\" }\napp = { kind = \"poisson\", rate = \"1 Mbit/s\", size = \"exponential(9 kB)\" }\n",
        "x.toml",
        &[],
    );
    assert!(render_all(&too_large.unwrap_err(), false).contains("a payload of 65507 B and headers of 48 B"));
}

#[test]
fn estimates_follow_the_path_of_least_cost() {
    // Over r2 there are 20 Mbit/s in two links, straight on 1 Mbit/s at a cost of 3: the queue straight on is never used.
    let straight = |cost: &str| {
        let text = format!(
            "name = \"x\"\nduration = \"60 s\"\nhost = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             router = [{{ name = \"r1\" }}, {{ name = \"r2\" }}, {{ name = \"r3\" }}]\n\
             link = [{{ between = [\"a\", \"r1\"], rate = \"10 Mbit/s\", delay = \"1 ms\" }},\n\
             {{ between = [\"r3\", \"b\"], rate = \"10 Mbit/s\", delay = \"1 ms\" }},\n\
             {{ between = [\"r1\", \"r2\"], rate = \"20 Mbit/s\", delay = \"1 ms\" }},\n\
             {{ between = [\"r2\", \"r3\"], rate = \"20 Mbit/s\", delay = \"1 ms\" }},\n\
             {{ between = [\"r1\", \"r3\"], rate = \"1 Mbit/s\", delay = \"1 ms\", queue = \"droptail\"{cost} }}]\n\
             [[flow]]\nname = \"up\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"tcp\"\napp = \"bulk\"\nstart = \"uniform(0 s, 1 s)\"\n"
        );
        let parsed = parse(&text, "x.toml", &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
        parsed.warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(straight(""), Vec::<String>::new());
    assert_eq!(straight(", cost = 3"), ["no flow crosses link r1-r3, whose queue is given"]);
    // Back it is the cheaper one, and there it carries acknowledgments alone.
    assert_eq!(
        straight(", cost = 3, reverse = { cost = 1 }"),
        ["no flow crosses link r1-r3, whose queue is given"]
    );
}
