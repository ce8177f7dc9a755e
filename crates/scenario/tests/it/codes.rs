//! Codes of diagnostics, and the page that lists them. With `TAILRACE_BLESS=1` its tables are written anew.

use std::collections::BTreeSet;
use std::path::Path;
use tailrace_scenario::{Code, Severity};

#[test]
fn codes_are_words_with_dashes_and_read_back() {
    let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len(), "two codes have one name");
    for code in Code::ALL {
        let name = code.name();
        assert!(
            name.split('-').all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase())),
            "{name}"
        );
        assert_eq!(Code::of(name), Some(*code));
        assert!(code.about().ends_with('.'), "{name}: {}", code.about());
    }
    assert_eq!(Code::of("nothing"), None);
}

/// The table of one severity, as the page has it.
fn table(severity: Severity) -> String {
    let rows = Code::ALL.iter().filter(|code| code.severity() == severity);
    let rows: String = rows.map(|code| format!("| `{}` | {} |\n", code.name(), code.about())).collect();
    format!("| code | meaning |\n| --- | --- |\n{rows}")
}

#[test]
fn the_page_lists_every_code() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/diagnostics.md");
    let mut page = std::fs::read_to_string(&file).unwrap();
    for severity in [Severity::Error, Severity::Warning] {
        let (from, to) = (
            format!("<!-- {} codes -->\n", severity.word()),
            format!("<!-- end of {} codes -->", severity.word()),
        );
        let start = page.find(&from).expect("the mark before the table") + from.len();
        let end = page.find(&to).expect("the mark behind the table");
        if std::env::var_os("TAILRACE_BLESS").is_some() {
            page.replace_range(start..end, &table(severity));
            std::fs::write(&file, &page).unwrap();
        } else {
            assert_eq!(page[start..end], table(severity), "cargo test with TAILRACE_BLESS=1 writes it");
        }
    }
}
