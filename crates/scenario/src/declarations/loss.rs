//! Random loss: a probability, or a loss process, which `crates/impair` describes.

use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::{MisplacedKey, Reader};
use crate::declarations::values::plain;
use crate::model::LossConfig;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use tailrace_core::Probability;

const KINDS: Kinds<'_> =
    Kinds { what: "loss process", names: LossConfig::names(), command: "tailrace list losses" };

/// A probability, or a table of a loss process, that stands under `key`.
pub(crate) fn read_loss(key: &str, node: &Node, sink: &Sink<'_>) -> Option<LossConfig> {
    if matches!(node.data, Data::Broken) {
        return None;
    }
    if !matches!(node.data, Data::Table(_)) {
        return match plain::<Probability>(node) {
            Ok(p) => Some(p.into()),
            Err(unfit) => {
                sink.push(sink.at(unfit.code, node.origin, format!("bad value of `{key}`")).label(unfit.why));
                None
            }
        };
    }
    let (kind, table) = kind_of(node, &KINDS, sink)?;
    let mut loss = LossConfig::default_of(kind)?;
    let section = Section { title: loss.title(), doc: "", keys: &[] };
    let others = keys_elsewhere(kind);
    let r = Reader::of(table?, node.origin, &section, sink)
        .kinded()
        .with_params(loss.params())
        .elsewhere(&others);
    let fine = r.set_params(|name, value| loss.set(name, value));
    r.finish();
    fine.then_some(loss)
}

/// Keys of the other form of the two states, in time or in packets: the remedy is that form.
fn keys_elsewhere(kind: &str) -> Vec<MisplacedKey> {
    let (names, help) = match kind {
        "gilbert_elliott" => (
            ["p", "r"],
            "here the states last a time, `mean_good` and `mean_bad`; states that change with packets, with the probabilities `p` \
             and `r`, are kind = \"gemodel\"",
        ),
        "gemodel" => (
            ["mean_good", "mean_bad"],
            "here the states change with packets, with the probabilities `p` and `r`; states that last a time are kind = \
             \"gilbert_elliott\"",
        ),
        _ => return Vec::new(),
    };
    names.map(|name| MisplacedKey { name, help: help.into() }).into()
}
