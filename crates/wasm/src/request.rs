//! Request of a page: the text of a scenario, overrides, files that it names, and the run's number.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tailrace_core::Bytes;
use tailrace_scenario::model::FlowGroup;
use tailrace_scenario::{Diagnostic, Files, Objection, Parsed, Source};

/// A page has less room than a machine: what needs more than three quarters of this is refused.
const MEMORY: Bytes = Bytes(2 << 30);

/// Paths with values as TOML text, as after `--set`.
pub(crate) type Overrides = Vec<(String, String)>;

/// `{"text": scenario, "overrides": [[path, value]...], "files": {name: text}, "run": 1}`, all but the text optional.
pub(crate) struct Request {
    pub(crate) source: Source,
    pub(crate) overrides: Overrides,
    pub(crate) run: u32,
}

impl Request {
    /// Reads it from JSON.
    pub(crate) fn read(request: &str) -> Result<Self, Value> {
        let request: Value = serde_json::from_str(request).map_err(|e| plain(e.to_string()))?;
        let text = request["text"].as_str().ok_or_else(|| plain("the request has no text"))?;
        let overrides = request["overrides"].as_array().into_iter().flatten();
        let pair = |p: &Value| Some((p[0].as_str()?.to_owned(), p[1].as_str()?.to_owned()));
        let overrides: Option<Overrides> = overrides.map(pair).collect();
        let overrides = overrides.ok_or_else(|| plain("overrides are pairs of texts"))?;
        let files = request["files"].as_object().into_iter().flatten();
        let file = |(name, text): (&String, &Value)| Some((name.clone(), text.as_str()?.to_owned()));
        let files: Option<BTreeMap<_, _>> = files.map(file).collect();
        let files = files.ok_or_else(|| plain("files are texts by name"))?;
        let run = request["run"].as_u64().map_or(Some(1), |n| u32::try_from(n).ok());
        let run = run.filter(|n| *n > 0).ok_or_else(|| plain("runs are numbered from 1"))?;
        let source = Source::new(text, "scenario.toml").reading(Arc::new(Given(files)));
        Ok(Self { source, overrides, run })
    }

    /// The scenario, if a page can run it.
    pub(crate) fn scenario(&self) -> Result<Parsed, Value> {
        let errors = |errors: &[Diagnostic]| json!({ "errors": data(errors) });
        let parsed = self.source.scenario(&self.overrides, MEMORY).map_err(|e| errors(&e))?;
        let kernels = parsed.scenario.nodes.iter().filter(|node| node.kernel.is_some());
        let objections: Vec<Objection> = kernels
            .map(|node| Objection {
                path: format!("host.{}.kernel", declared(&node.name)),
                why: "a Linux kernel of its own, which no browser can start".into(),
                help: Some("run it natively, on Linux: tailrace run scenario.toml".into()),
            })
            .take(1)
            .chain(
                parsed
                    .scenario
                    .flows
                    .iter()
                    .filter(|group| group.transport.quic().is_some())
                    .map(over_quic)
                    .take(1),
            )
            .collect();
        if objections.is_empty() {
            return Ok(parsed);
        }
        Err(errors(&self.source.objected(&self.overrides, &objections)))
    }
}

/// Objection to a flow over QUIC.
fn over_quic(group: &FlowGroup) -> Objection {
    Objection {
        path: format!("flow.{}.transport", group.name),
        why: "QUIC, whose implementations are not part of the playground".into(),
        help: Some("run it natively: tailrace run scenario.toml, or write transport = \"tcp\"".into()),
    }
}

/// The name that a member of a counted table was declared with: `src` of `src[3]`.
pub(crate) fn declared(name: &str) -> &str {
    name.split_once('[').map_or(name, |(name, _)| name)
}

/// An error without a place.
pub(crate) fn plain(message: impl Into<String>) -> Value {
    json!({ "errors": [{ "severity": "error", "message": message.into() }] })
}

/// Diagnostics as JSON.
pub(crate) fn data(diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(Diagnostic::to_json).collect()
}

/// Files that came with the request.
#[derive(Debug)]
struct Given(BTreeMap<String, String>);

impl Files for Given {
    fn read(&self, name: &str) -> Result<String, String> {
        let there = self.0.get(name).cloned();
        there.ok_or_else(|| {
            "a page has no such file; write what is in it instead, or run the scenario natively".into()
        })
    }
}
