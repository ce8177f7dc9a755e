//! `[[figure]]`: what is drawn when all has run. No run depends on it.

use crate::declarations::codecs::TEXT;
use crate::declarations::key_row::{optional, section};
use crate::declarations::reader::Reader;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::At;
use crate::text::sink::Sink;

section! {
    /// `[[figure]]`.
    pub FIGURE = "[[figure]]", "A figure that is drawn with the results.";
    pub(crate) struct FigureDecl {
        series: Option<At<String>> = optional(TEXT, "none"), "For `run` and `compare`: a figure over time, such as \"cwnd\". Names are those of `tailrace plot --figures`.";
        metric: Option<At<String>> = optional(TEXT, "none"), "For `sweep`: the metric to draw, such as \"tcp.goodput\". Names are those of `tailrace plot --metric`.";
        against: Option<At<String>> = optional(TEXT, "chosen"), "The varied parameter along the horizontal axis.";
        by: Option<At<String>> = optional(TEXT, "chosen"), "The varied parameter that has a line for each of its values.";
        kind: Option<At<String>> = optional(TEXT, "by the values"), "What is drawn: \"line\", \"bars\", \"box\", \"cdf\" or \"map\".";
        r#where: Option<At<String>> = optional(TEXT, "all cells"), "Only these combinations of values are drawn: `parameter=value`, or a formula.";
        formula: Option<At<String>> = optional(TEXT, "none"), "A dashed line to compare with, such as \"model = min(1, x / 2)\".";
        of: Option<At<String>> = optional(TEXT, "runs"), "What each value is of: \"runs\", or single \"flows\" or \"connections\".";
        log: Option<At<String>> = optional(TEXT, "by the values"), "Which axes are logarithmic: \"x\", \"y\", \"x,y\" or \"none\".";
    }
}

impl FigureDecl {
    /// Reads one `[[figure]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let r = Reader::new(node, &FIGURE, sink)?;
        let decl = Self::read_keys(&r);
        r.finish();
        if decl.as_ref().is_some_and(|decl| decl.series.is_some() == decl.metric.is_some()) {
            let message = "a figure has either a `series` (of run and compare) or a `metric` (of sweep)";
            sink.push(sink.at(Code::MissingKey, node.origin, message));
            return None;
        }
        decl
    }

    /// Keys and values that are written.
    pub(crate) fn said(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { series, metric, against, by, kind, r#where, formula, of, log } = self;
        let all = [
            ("series", series),
            ("metric", metric),
            ("against", against),
            ("by", by),
            ("kind", kind),
            ("where", r#where),
            ("formula", formula),
            ("of", of),
            ("log", log),
        ];
        all.into_iter().filter_map(|(key, slot)| Some((key, slot.as_ref()?.value.as_str())))
    }
}
