//! When a group of flows sends, for figures.

use serde_json::Value as Json;
use tailrace_app::{AppConfig, AttackConfig};
use tailrace_core::Duration;
use tailrace_core::params::{ParamInfo, SetError, Value};

/// From and until, in seconds since the start of a flow that is stopped after `within`, what `table` describes sends: an application,
/// or where `attack` is true an attack, with `kind` and its keys.
///
/// The table is read by itself, not with its scenario: of that, files may be gone and algorithms not at hand. `None` where it cannot be
/// read, as where somebody has changed it.
pub(crate) fn bursts(table: &Json, attack: bool, within: f64) -> Option<Vec<(f64, f64)>> {
    let kind = table.get("kind")?.as_str()?;
    let app = if attack {
        let mut config = AttackConfig::default_of(kind)?;
        let params = config.params();
        set(params, table, |key, value| config.set(key, value))?;
        config.validate().ok()?;
        config.app()
    } else {
        let mut config = AppConfig::default_of(kind)?;
        let params = config.params();
        set(params, table, |key, value| config.set(key, value))?;
        config
    };
    app.validate().ok()?;
    let within = (0.0..1e9).contains(&within).then(|| Duration::from_secs_f64(within))?;
    let seconds = |(from, until): (Duration, Duration)| (from.as_secs_f64(), until.as_secs_f64());
    Some(app.bursts(within).into_iter().map(seconds).collect())
}

/// Sets those keys that the table has.
fn set(
    params: &[ParamInfo],
    table: &Json,
    mut set: impl FnMut(&str, &Value) -> Result<(), SetError>,
) -> Option<()> {
    params.iter().try_for_each(|info| match table.get(info.name) {
        Some(said) => set(info.name, &value(said)?).ok(),
        None => (!info.required).then_some(()),
    })
}

/// A value of a scenario file that has come as JSON.
fn value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => {
            n.as_i64().map_or_else(|| n.as_f64().map(Value::Float), |n| Some(Value::Integer(n)))?
        }
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect::<Option<_>>()?),
        Json::Object(table) => {
            let entry = |(key, json): (&String, &Json)| Some((key.clone(), value(json)?));
            Value::Table(table.iter().map(entry).collect::<Option<_>>()?)
        }
        Json::Null => return None,
    })
}
