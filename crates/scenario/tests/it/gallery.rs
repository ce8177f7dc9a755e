//! Every scenario of the project is one that can run, and its resolved form is the same.

use std::path::{Path, PathBuf};
use tailrace_scenario::{parse, render_all};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|e| e.expect("the folder can be read").path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn the_gallery_and_the_papers_are_scenarios_without_warnings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["scenarios", "papers"] {
        files(&root.join(folder), &mut found);
    }
    assert!(!found.is_empty(), "the project has scenarios");
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        if !text.contains("[[host]]") {
            // Claims and other data live beside the papers' scenarios.
            continue;
        }
        let name = path.display().to_string();
        let parsed = parse(&text, &name, &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
        assert!(parsed.warnings.is_empty(), "{}", render_all(&parsed.warnings, false));
        let again =
            parse(&parsed.to_toml(), &name, &[]).unwrap_or_else(|e| panic!("{}", render_all(&e, false)));
        assert_eq!(again.scenario, parsed.scenario, "{name}");
    }
}
