//! Any text is answered by a scenario or by errors; a scenario's resolved form is the same scenario.

use tailrace_scenario::{parse_within, render_all};

// Text after this mark is overrides, one `path=value` a line.
const MARK: &str = "\n#set\n";

/// Tries one input.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (text, set) = text.split_once(MARK).unwrap_or((text, ""));
    let overrides: Vec<(String, String)> =
        set.lines().filter_map(|l| l.split_once('=')).map(|(p, v)| (p.into(), v.into())).collect();
    // Little memory, so that counts which are large but allowed do not use up the time.
    let memory = tailrace_core::Bytes(64 << 20);
    match parse_within(text, "fuzz.toml", &overrides, memory) {
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal gives a reason");
            render_all(&errors, true);
            errors.iter().for_each(|e| drop(e.to_json()));
        }
        Ok(parsed) => {
            render_all(&parsed.warnings, false);
            let resolved = parsed.to_toml();
            match parse_within(&resolved, "resolved.toml", &[], memory) {
                Ok(again) => {
                    assert_eq!(again.scenario, parsed.scenario, "{resolved}");
                    assert_eq!(again.to_toml(), resolved);
                }
                Err(errors) => panic!("{resolved}\n{}", render_all(&errors, false)),
            }
        }
    }
}
