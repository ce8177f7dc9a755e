//! Applications: which there are, and what each takes, they say themselves.

use crate::declarations::composite::read_composite;
use crate::declarations::key::Section;
use crate::declarations::kinds::{Kinds, kind_of, opened};
use crate::declarations::reader::Reader;
use crate::model::AppConfig;
use crate::text::codes::Code;
use crate::text::diagnostic::first_few;
use crate::text::document::Node;
use crate::text::sink::Sink;
use tailrace_app::{KeyConflict, RequiredTransport, catalog};
use tailrace_core::params::ParamInfo;

/// Command that lists all applications.
const ALL: &str = "tailrace list apps";

/// Reads one; `tcp` says whether the transport is TCP, where that is known.
pub(super) fn read_app(node: &Node, tcp: Option<bool>, sink: &Sink<'_>) -> Option<AppConfig> {
    let kinds = Kinds { what: "application", names: AppConfig::names(), command: ALL };
    let (kind, _) = kind_of(node, &kinds, sink)?;
    let mut app = AppConfig::default_of(kind)?;
    let table = opened(node);
    let section = Section { title: app.title(), doc: "", keys: &[] };
    let r = Reader::new(&table, &section, sink)?.kinded().with_params(app.params());
    let composite = |p: &ParamInfo, node: &Node| read_composite(p, node, sink);
    let mut fine = r.set_params_by(composite, |name, value| app.set(name, value));
    if let (true, Err(misfit)) = (fine, app.validate()) {
        report(&misfit, app.title(), &r);
        fine = false;
    }
    r.finish();
    (fits_transport(&app, tcp, node, sink) && fine).then_some(app)
}

/// Says which keys do not go together.
pub(super) fn report(misfit: &KeyConflict, title: &str, r: &Reader<'_>) {
    let sink = r.sink();
    match misfit {
        KeyConflict::OutOfRange(key, why) => {
            let error = sink.at(Code::OutOfBounds, r.origin_of(key), format!("bad value of `{key}`"));
            sink.push(error.label(why));
        }
        KeyConflict::Missing(key, why) => {
            let error = sink.at(Code::MissingKey, r.origin(), format!("{title} needs `{key}`"));
            sink.push(error.help(why));
        }
        KeyConflict::Unused(key, why) => {
            let error = sink.at(Code::BadValue, r.origin_of(key), format!("`{key}` has no effect here"));
            sink.push(error.label(why));
        }
        KeyConflict::Contradiction(key, why) => sink.error(Code::ContradictingTimes, r.origin_of(key), why),
    }
}

/// Whether the transport carries such an application.
fn fits_transport(app: &AppConfig, tcp: Option<bool>, node: &Node, sink: &Sink<'_>) -> bool {
    let word = |over| if over == RequiredTransport::Streams { "TCP" } else { "UDP" };
    let there_is = tcp.map(|tcp| if tcp { RequiredTransport::Streams } else { RequiredTransport::Datagrams });
    let Some(over) = there_is.filter(|over| *over != app.over()) else { return true };
    let (kind, needs, has) = (app.name(), word(app.over()), word(over));
    let names: Vec<_> = catalog().iter().filter(|info| info.over == over).map(|info| info.name).collect();
    let error = sink.at(
        Code::WrongTransport,
        node.origin,
        format!("app {kind:?} needs {needs}, but the transport is {has}"),
    );
    sink.push(error.help(format!("over {has} there are: {}", first_few(&names, ALL))));
    false
}
