//! `[[medium]]`.

use crate::declarations::codecs::NAME;
use crate::declarations::key::Section;
use crate::declarations::key_row::{required, section};
use crate::declarations::kinds::{Kinds, kind_of};
use crate::declarations::lines::Lines;
use crate::declarations::reader::Reader;
use crate::model::MediumConfig;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::At;
use crate::text::sink::Sink;
use crate::text::write::text;
use tailrace_access::media::catalog;
use tailrace_core::params::ParamInfo;

section! {
    /// Keys of `[[medium]]` beside those of its kind, which `crates/access` describes.
    pub MEDIUM = "[[medium]]", "A channel that several links share, such as a Wi-Fi channel: only one of them sends at a time, in either direction.";
    pub(crate) struct MediumKeys {
        name: At<String> = required(NAME), "The name, to which the key `medium` of links refers.";
    }
}

/// A `[[medium]]` as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MediumDecl {
    pub(crate) keys: MediumKeys,
    pub(crate) kind: MediumConfig,
}

const KINDS: Kinds<'_> =
    Kinds { what: "medium", names: MediumConfig::names(), command: "tailrace list media" };

impl MediumDecl {
    /// Reads one `[[medium]]`.
    pub(crate) fn read(node: &Node, sink: &Sink<'_>) -> Option<Self> {
        let Some(table) = node.as_table() else {
            // Reports that it is no table.
            let _ = Reader::new(node, &MEDIUM, sink);
            return None;
        };
        let kind = kind_of(node, &KINDS, sink).and_then(|(kind, _)| MediumConfig::default_of(kind));
        let section = Section { title: kind.as_ref().map_or(MEDIUM.title, MediumConfig::title), ..MEDIUM };
        // Where the kind is not known, a key may be that of any.
        let params = kind.as_ref().map_or_else(params_of_all, |kind| kind.params().to_vec());
        let r = Reader::of(table, node.origin, &section, sink).kinded().with_params(&params);
        let keys = MediumKeys::read_keys(&r);
        // A wrong medium keeps its name, so that links that share it are not reported, too.
        let mut config = kind.clone().or_else(|| MediumConfig::default_of(MediumConfig::names()[0]))?;
        let fine = kind.is_some() && r.set_params(|name, value| config.set(name, value));
        if fine && let Err((key, why)) = config.validate() {
            sink.push(sink.at(Code::BadValue, r.origin_of(key), format!("bad value of `{key}`")).label(why));
        }
        r.finish();
        Some(Self { keys: keys?, kind: config })
    }

    /// Writes it as it is.
    pub(crate) fn put(&self, out: &mut Lines) {
        self.keys.put(out);
        out.put("kind", text(self.kind.name()));
        out.params(self.kind.params(), |name| self.kind.get(name));
    }
}

fn params_of_all() -> Vec<ParamInfo> {
    catalog().iter().flat_map(|info| info.params).copied().collect()
}
