//! Sizes that are drawn as a file says: `cdf(FILE)`, or `cdf(FILE, 1460 B)` where the file counts packets.

use crate::declarations::reader::ParamReading;
use crate::declarations::unfit::UnfitValue;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::files::Files;
use crate::text::sink::Sink;
use tailrace_core::Bytes;
use tailrace_core::SizeDist;
use tailrace_core::dist::cdf::Cdf;
use tailrace_core::params::ParamType as _;
use tailrace_core::text::Quantity as _;

/// Reads the value of `key` where it names a file.
pub(crate) fn read_sizes(key: &str, node: &Node, sink: &Sink<'_>) -> ParamReading {
    let Some(inside) = node.as_text().and_then(file_of) else { return ParamReading::Plain };
    match read_file(inside, sink.files()) {
        Ok(sizes) => ParamReading::Value(sizes.to_value()),
        Err(UnfitValue { code, why }) => {
            sink.push(sink.at(code, node.origin, format!("bad value of `{key}`")).label(why));
            ParamReading::Wrong
        }
    }
}

/// Name of a file in the parentheses. `None` for points, which stand apart and end with numbers.
fn file_of(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("cdf")?.trim_start().strip_prefix('(')?.strip_suffix(')')?.trim();
    let is_point = ends_with_number(inside) || Bytes::parse(inside).is_ok();
    // Before a comma there is a name: that the number after it lacks its unit is said where it is read.
    let is_counted = inside.rsplit_once(',').is_some_and(|(name, _)| !ends_with_number(name));
    ((is_counted || !is_point) && !inside.contains([';', '\n'])).then_some(inside)
}

fn ends_with_number(text: &str) -> bool {
    text.split_whitespace().last().is_none_or(|word| word.parse::<f64>().is_ok())
}

fn read_file(inside: &str, files: &dyn Files) -> Result<SizeDist, UnfitValue> {
    let (name, unit) = counted(inside)?.unwrap_or((inside, Bytes(1)));
    let unreadable = |why| UnfitValue { code: Code::UnreadableFile, why: format!("{name:?}: {why}") };
    let text = files.read(name).map_err(unreadable)?;
    let cdf = Cdf::of_file(&text, unit)
        .map_err(|error| format!("line {} of {name:?}: {}", error.line, error.why))?;
    Ok(SizeDist::Empirical(cdf))
}

/// The name and what each of the file's numbers counts, where that is said; any other words are a part of the name.
fn counted(inside: &str) -> Result<Option<(&str, Bytes)>, UnfitValue> {
    let Some((name, unit)) = inside.rsplit_once(',').map(|(name, unit)| (name.trim(), unit.trim())) else {
        return Ok(None);
    };
    match Bytes::parse(unit) {
        Ok(Bytes(0)) => {
            Err(UnfitValue::outside(format!("{unit} is no size of a packet; write \"cdf({name}, 1460 B)\"")))
        }
        Ok(unit) => Ok(Some((name, unit))),
        Err(why) if unit.parse::<f64>().is_ok() => Err(UnfitValue::from(why)),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_not_taken_for_files() {
        for text in [
            "cdf(1 kB 0.5; 2 kB 1)",
            "cdf(7 B 1)",
            "cdf(0 0\n5 1)",
            "cdf()",
            "cdf(1 kB)",
            "cdf(1 kB 0.5, 2 kB 1)",
            "cdf(, 1460)",
            "7 B",
            "web_search",
        ] {
            assert_eq!(file_of(text), None, "{text}");
        }
        for (text, name) in [
            ("cdf(web.cdf)", "web.cdf"),
            (" cdf( flows/web search.txt ) ", "flows/web search.txt"),
            ("cdf(3g)", "3g"),
            ("cdf (CDF_search.tcl, 1460 B)", "CDF_search.tcl, 1460 B"),
            ("cdf(CDF_search.tcl, 1460)", "CDF_search.tcl, 1460"),
        ] {
            assert_eq!(file_of(text), Some(name));
        }
    }
}
