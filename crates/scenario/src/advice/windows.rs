//! Advice on windows.

use crate::advice::adviser::Adviser;
use crate::advice::paths::{Paths, Windows};
use crate::text::codes::Code;
use std::collections::BTreeMap;

/// TCP flows whose windows together cannot fill the slowest link of their path; once a declaration of links
/// and a flow group, with the link that is worst off.
pub(super) fn check(a: &Adviser<'_>, paths: &Paths) {
    let mut short: BTreeMap<(usize, usize), Vec<&Windows>> = BTreeMap::new();
    for w in paths.windows.iter().filter(|w| w.bytes < w.bdp) {
        short.entry((w.group, a.decl_index(w.link))).or_default().push(w);
    }
    for ((group, decl), windows) in short {
        // Cross-multiplied: the least share of its bandwidth-delay product.
        let lesser =
            |a: &&&Windows, b: &&&Windows| a.bytes.saturating_mul(b.bdp).cmp(&b.bytes.saturating_mul(a.bdp));
        let worst = windows.iter().min_by(lesser).expect("a group has a member");
        let link = &a.scenario.links[worst.link].name;
        let (what, at) = match windows.len() {
            1 => (format!("link {link} cannot fill it"), "they sum".to_string()),
            n => {
                let name = a.draft.links[decl].shown();
                (format!("{n} links of {name} cannot fill them"), format!("worst over {link}: they sum"))
            }
        };
        let help = format!(
            "{at} to {} bytes, but the bandwidth-delay product is {} bytes; raise `window` or `receive_buffer`",
            worst.bytes, worst.bdp
        );
        a.warn(
            Code::SmallWindows,
            a.flow_origin(group),
            format!("the windows of the TCP flows over {what}"),
            &help,
        );
    }
}
