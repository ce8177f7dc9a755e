//! Paths into a scenario: `link.bottleneck.queue.limit`. Overrides and sweeps set what they lead to.
//!
//! An element of a list of tables is called by its `name` (a link also by its ends, `a-b`) or by its position.

use crate::text::codes::Code;
use crate::text::diagnostic::listed;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::params::Value;
use tailrace_core::text::nearest;

/// Reason why a path leads nowhere.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PathError {
    code: Code,
    message: String,
    /// The nearest path that exists, or other advice.
    help: Option<String>,
}

impl PathError {
    /// On a path that cannot lead to a value.
    const fn on(message: String) -> Self {
        Self { code: Code::BadPath, message, help: None }
    }

    /// Message and help in one text, for callers that show no place.
    pub(crate) fn said(self) -> String {
        match self.help {
            Some(help) => format!("{}; {help}", self.message),
            None => self.message,
        }
    }

    /// Reports it where the path stands.
    pub(crate) fn report(self, origin: Origin, sink: &Sink<'_>) {
        let error = sink.at(self.code, origin, self.message);
        sink.push(match self.help {
            Some(help) => error.help(help),
            None => error,
        });
    }
}

/// The table that the short form under a key stands for: `"red"` is `{ kind = "red" }`. What there is knows who reads it.
pub(crate) type LongForm = fn(key: &str, word: &str, origin: Origin) -> Table;

/// Sets the value that `path` leads to; tables on the way are made where they are missing.
pub(crate) fn set(
    root: &mut Table,
    path: &str,
    key_origin: Origin,
    value: Node,
    long_form: LongForm,
) -> Result<(), PathError> {
    let segments = split(path).map_err(PathError::on)?;
    let mut walk = PathWalk { segments: &segments, origin: key_origin, long_form };
    walk.table(root, 0, value)
}

/// Splits a path at its dots; dots within quotes and brackets do not count.
pub(crate) fn split(path: &str) -> Result<Vec<String>, String> {
    let (mut segments, mut word) = (Vec::new(), String::new());
    let (mut quoted, mut depth) = (false, 0_u32);
    for c in path.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted && depth == 0 => segments.push(std::mem::take(&mut word)),
            _ => {
                match c {
                    '[' if !quoted => depth += 1,
                    ']' if !quoted => depth = depth.saturating_sub(1),
                    _ => {}
                }
                word.push(c);
            }
        }
    }
    segments.push(word);
    if quoted {
        return Err("a quote is not closed".into());
    }
    if segments.iter().any(String::is_empty) {
        return Err("a path is made of names with dots between, such as \"link.bottleneck.rate\"".into());
    }
    Ok(segments)
}

/// The value that `path` leads to, as it is written; short forms open as for [`set`].
pub(crate) fn find(root: &Table, path: &str, long_form: LongForm) -> Result<Node, PathError> {
    let segments = split(path).map_err(PathError::on)?;
    let walk = PathWalk { segments: &segments, origin: Origin::Scenario, long_form };
    walk.find_in(root, 0)
}

/// The error of a path that begins with the name of an element instead of its list; `known` are the keys that the top of a file has.
pub(crate) fn check_beginning(root: &Table, path: &str, known: &[&str]) -> Result<(), PathError> {
    let segments = split(path).map_err(PathError::on)?;
    let [first, rest @ ..] = segments.as_slice() else { return Ok(()) };
    if rest.is_empty() || known.contains(&first.as_str()) {
        return Ok(());
    }
    let has = |node: &Node| match &node.data {
        Data::Array(items) => items.iter().any(|item| element_name(item).is_some_and(|name| name == *first)),
        _ => false,
    };
    // Names are unique in their list alone; where several have it, the rest of the path says which is meant.
    let takes = |node: &Node| match &node.data {
        Data::Array(items) => items.iter().filter_map(Node::as_table).any(|t| t.get(&rest[0]).is_some()),
        _ => false,
    };
    let lists: Vec<_> = root.entries.iter().filter(|(_, node)| has(node)).collect();
    let list = lists.iter().find(|(_, node)| takes(node)).or_else(|| lists.first());
    let Some((list, _)) = list else { return Ok(()) };
    let rest = rest.iter().map(|s| quoted(s)).collect::<Vec<_>>().join(".");
    Err(PathError {
        code: Code::UnknownPath,
        message: format!(
            "a path begins with a key of the scenario, and {first:?} is the name of a {}",
            list.value
        ),
        help: Some(format!("did you mean `{}.{}.{rest}`?", list.value, quoted(first))),
    })
}

struct PathWalk<'p> {
    segments: &'p [String],
    origin: Origin,
    long_form: LongForm,
}

impl PathWalk<'_> {
    fn find_in(&self, table: &Table, depth: usize) -> Result<Node, PathError> {
        let word = &self.segments[depth];
        let node = table.get(word).ok_or_else(|| self.not_written(table, depth))?;
        self.found(node, depth + 1)
    }

    fn found(&self, node: &Node, depth: usize) -> Result<Node, PathError> {
        if depth == self.segments.len() {
            return Ok(node.clone());
        }
        match &node.data {
            Data::Plain(Value::Text(word)) => {
                self.find_in(&(self.long_form)(&self.segments[depth - 1], word, node.origin), depth)
            }
            Data::Table(table) => self.find_in(table, depth),
            Data::Array(items) => match position(items, &self.segments[depth]) {
                Some(i) => self.found(&items[i], depth + 1),
                None => Err(self.no_element(items, depth)),
            },
            Data::Plain(_) | Data::Date | Data::Broken => Err(self.no_keys(node, depth)),
        }
    }

    fn not_written(&self, table: &Table, depth: usize) -> PathError {
        let word = &self.segments[depth];
        let near = nearest(word, table.entries.iter().map(|(key, _)| key.value.as_str()));
        let path = |word: &str| {
            [&self.segments[..depth], &[word.into()], &self.segments[depth + 1..]].concat().join(".")
        };
        PathError {
            code: Code::UnknownPath,
            message: format!("the file does not say `{}`", self.segments[..=depth].join(".")),
            help: near.map(|near| format!("did you mean `{}`?", path(near))),
        }
    }

    fn no_keys(&self, node: &Node, depth: usize) -> PathError {
        let here = self.segments[..depth].join(".");
        PathError::on(format!("`{here}` is {}, it has no keys", node.shown()))
    }

    fn table(&mut self, table: &mut Table, depth: usize, value: Node) -> Result<(), PathError> {
        let key = &self.segments[depth];
        if depth + 1 == self.segments.len() {
            if let Some(Node { data: Data::Array(items), .. }) = table.get(key)
                && items.iter().any(|item| item.as_table().is_some())
            {
                return Err(self.stops_at_list(items, depth + 1));
            }
            table.insert(key, value);
            if let Some((k, _)) = table.entries.iter_mut().find(|(k, _)| k.value == *key)
                && matches!(self.origin, Origin::Override(_))
            {
                *k = At { value: key.clone(), origin: self.origin };
            }
            return Ok(());
        }
        let node = table.get_or_table(key, self.origin);
        self.node(node, depth + 1, value)
    }

    fn node(&mut self, node: &mut Node, depth: usize, value: Node) -> Result<(), PathError> {
        if let Data::Plain(Value::Text(word)) = &node.data {
            node.data = Data::Table((self.long_form)(&self.segments[depth - 1], word, node.origin));
        }
        match &mut node.data {
            Data::Table(table) => self.table(table, depth, value),
            Data::Array(items) => {
                let i =
                    position(items, &self.segments[depth]).ok_or_else(|| self.no_element(items, depth))?;
                if depth + 1 == self.segments.len() {
                    let here = self.segments.join(".");
                    return Err(PathError::on(format!("`{here}` is a table; set one of its keys")));
                }
                self.node(&mut items[i], depth + 1, value)
            }
            Data::Plain(_) | Data::Date | Data::Broken => Err(self.no_keys(node, depth)),
        }
    }

    fn stops_at_list(&self, items: &[Node], depth: usize) -> PathError {
        let list = self.segments[..depth].join(".");
        let example = items.iter().find_map(element_name).unwrap_or_else(|| "0".into());
        PathError {
            code: Code::BadPath,
            message: format!("`{list}` is a list of tables; name one of them"),
            help: Some(format!("for example `{list}.{}`", quoted(&example))),
        }
    }

    fn no_element(&self, items: &[Node], depth: usize) -> PathError {
        let (list, word) = (self.segments[..depth].join("."), &self.segments[depth]);
        let names: Vec<String> = items.iter().filter_map(element_name).collect();
        let help = match nearest(word, names.iter().map(String::as_str)) {
            Some(near) => {
                let rest: String = self.segments[depth + 1..].iter().map(|s| format!(".{s}")).collect();
                format!("did you mean `{list}.{}{rest}`?", quoted(near))
            }
            None if names.is_empty() => {
                format!(
                    "they have no names, so use their positions in the file: 0 to {}",
                    items.len().saturating_sub(1)
                )
            }
            None => format!("there are: {}", listed(&names)),
        };
        let message = format!("there is no `{list}.{}`", quoted(word));
        PathError { code: Code::UnknownPath, message, help: Some(help) }
    }
}

/// A name as a path has to write it.
fn quoted(name: &str) -> String {
    if name.contains(['.', '"']) { format!("\"{name}\"") } else { name.to_string() }
}

fn position(items: &[Node], word: &str) -> Option<usize> {
    let named = items.iter().position(|item| element_name(item).is_some_and(|n| n == word));
    named.or_else(|| word.parse().ok().filter(|i| *i < items.len()))
}

/// The name of an element, or the ends of a link that has none.
pub(crate) fn element_name(item: &Node) -> Option<String> {
    let table = item.as_table()?;
    if let Some(name) = table.text("name") {
        return Some(name.to_string());
    }
    match &table.get("between")?.data {
        Data::Array(ends) => match ends.as_slice() {
            [a, b] => Some(format!("{}-{}", a.as_text()?, b.as_text()?)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_in_quotes_and_brackets_do_not_split() {
        let parts = |path| split(path).unwrap();
        assert_eq!(parts("link.bottleneck.queue.limit"), ["link", "bottleneck", "queue", "limit"]);
        assert_eq!(parts("link.a[0..4]-b.rate"), ["link", "a[0..4]-b", "rate"]);
        assert_eq!(parts("link.\"v1.2\".rate"), ["link", "v1.2", "rate"]);
        for bad in ["", ".", "link.", "a..b", "\"a"] {
            assert!(split(bad).is_err(), "{bad}");
        }
    }
}
