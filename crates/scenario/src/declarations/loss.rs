//! Random loss: a probability, or a loss process.

use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::reader::Reader;
use crate::declarations::sections::{LOSSES, section_of};
use crate::declarations::values::{plain, positive_count};
use crate::model::Loss;
use crate::text::document::{Data, Node};
use crate::text::sink::Sink;
use tailrace_core::Probability;

/// Independent loss; one that never happens is none, however it is written.
fn independent(p: Probability) -> Loss {
    if p == Probability::ZERO { Loss::None } else { Loss::Bernoulli(p) }
}

/// A probability, or a table of a loss process.
pub(crate) fn read_loss(node: &Node, sink: &Sink<'_>) -> Option<Loss> {
    if matches!(node.data, Data::Broken) {
        return None;
    }
    if !matches!(node.data, Data::Table(_)) {
        return match plain::<Probability>(node) {
            Ok(p) => Some(independent(p)),
            Err(unfit) => {
                sink.push(sink.at(unfit.code, node.origin, "bad value of `loss`").label(unfit.why));
                None
            }
        };
    }
    let kinds: Vec<&'static str> = LOSSES.iter().map(|(k, _)| *k).collect();
    let (kind, table) =
        kind_of(node, &Kinds { what: "loss process", names: &kinds, command: "tailrace list losses" }, sink)?;
    let section = section_of(LOSSES, kind);
    let r = Reader::of(table?, node.origin, section, sink).kinded();
    let loss = match kind {
        "bernoulli" => r.need("p", plain::<Probability>).map(|p| independent(p.value)),
        "periodic" => r.need("every", positive_count::<u64>).map(|n| Loss::Periodic(n.value)),
        _ => {
            let p = r.need("p", plain);
            let r_back = r.need("r", plain);
            let good = r.read_or("good", Probability::ZERO, plain);
            let bad = r.read_or("bad", Probability::ONE, plain);
            (|| Some(Loss::GilbertElliott { p: p?.value, r: r_back?.value, good: good?, bad: bad? }))()
        }
    };
    r.finish();
    loss
}
