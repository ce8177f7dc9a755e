//! Migration: keys of `behaviour` that stand beside it move there, and nothing else of a file changes.

use crate::small::{SMALL, TCP, changed};
use tailrace_scenario::{Migrated, migrate, parse, render_all};

fn migrated(text: &str) -> Migrated {
    migrate(text, "old.toml").unwrap_or_else(|e| panic!("{}", render_all(&e, false)))
}

#[test]
fn keys_of_inline_tables_and_of_headers_become_dotted_keys() {
    let inline = changed(&[(TCP, "kind = \"tcp\", tso = true, sack = true, prr = \"crb\" # a comment")]);
    let inline = inline.replace(" # a comment }", " } # a comment");
    let moved = migrated(&inline);
    assert_eq!(moved.moved, ["tso", "prr"]);
    assert_eq!(
        moved.text,
        inline.replace("tso = true", "behaviour.tso = true").replace("prr = ", "behaviour.prr = ")
    );
    assert!(parse(&moved.text, "new.toml", &[]).is_ok());
    let table = changed(&[(&format!("{{ {TCP} }}"), "\"tcp\"")]);
    let table = table.replacen(
        "[[flow]]",
        "[[flow]]\nname = \"x\"\nfrom = \"src[0]\"\nto = \"dst\"\napp = \"bulk\"\n[flow.transport]\nkind = \"mptcp\"\n\
         \"hands_out\"  = \"packets\" # why\njiffy = \"2 ms\"\nbehaviour.tso = false\n[[flow]]",
        1,
    );
    let moved = migrated(&table);
    assert_eq!(moved.moved, ["hands_out", "jiffy"]);
    assert!(
        moved.text.contains("behaviour.\"hands_out\"  = \"packets\" # why\nbehaviour.jiffy = \"2 ms\"\n")
    );
    assert!(parse(&moved.text, "new.toml", &[]).is_ok());
}

#[test]
fn paths_of_sweeps_lead_to_the_new_place() {
    let axes = "\"flow.tcp.transport.tso\" = [true, false]\nseed = [1, 2]\n\
                \"flow.udp.transport\" = [{ kind = \"tcp\", jiffy = \"1 ms\" }, \"udp\"]\n[sweep.derive]\n\
                \"flow.tcp.transport.max_burst\" = \"seed * 2\"";
    let old = changed(&[("\"link.bottleneck.queue.limit\" = [\"20 packets\"]", axes)]);
    let moved = migrated(&old);
    assert_eq!(moved.moved, ["tso", "jiffy", "max_burst"]);
    assert!(moved.text.contains("\"flow.tcp.transport.behaviour.tso\" = [true, false]"));
    assert!(moved.text.contains("\"flow.tcp.transport.behaviour.max_burst\" = \"seed * 2\""));
    assert!(moved.text.contains("[{ kind = \"tcp\", behaviour.jiffy = \"1 ms\" }, \"udp\"]"));
}

#[test]
fn files_of_today_stay_as_they_are() {
    for text in [SMALL, include_str!("../files/everything.toml")] {
        assert_eq!(migrated(text), Migrated { text: text.into(), moved: Vec::new() });
        let resolved = parse(text, "x.toml", &[]).unwrap().to_toml();
        assert_eq!(migrated(&resolved).text, resolved);
    }
}

#[test]
fn what_cannot_be_moved_is_refused() {
    assert!(migrate("name = ", "old.toml").is_err());
    let both = changed(&[(TCP, "kind = \"tcp\", tso = true, behaviour = { jiffy = \"1 ms\" }")]);
    assert!(migrate(&both, "old.toml").is_err());
}
