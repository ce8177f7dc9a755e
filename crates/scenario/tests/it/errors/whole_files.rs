//! Errors of files that are no change of the small scenario.

use super::Outcome;
use tailrace_scenario::parse;

/// The link of a file of its own, between its hosts `a` and `b`.
macro_rules! two_hosts {
    () => {
        "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n"
    };
}

/// Name, and the text of the file.
const FILES: &[(&str, &str)] = &[
    ("nothing", "name = \"nothing\"\nduration = \"1 s\"\n"),
    (
        "no_flow",
        concat!(
            "name = \"quiet\"\nduration = \"1 s\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n",
            two_hosts!()
        ),
    ),
    (
        "programs_without_a_kernel",
        concat!(
            "name = \"quiet\"\nduration = \"1 s\"\n[[host]]\nname = \"a\"\nrun = [{ command = \"ping -c 3 b\" }]\n",
            "[[host]]\nname = \"b\"\n",
            two_hosts!()
        ),
    ),
];

pub(super) fn outcomes() -> Vec<Outcome> {
    let outcome = |(name, text): &(&'static str, &str)| {
        (*name, parse(text, &format!("{name}.toml"), &[]).expect_err(name))
    };
    FILES.iter().map(outcome).collect()
}
