//! Lines as tc takes them: no panic, errors have reasons, and what is understood means the same when it is written
//! and read again.

use crate::input::text_of;
use tailrace_core::{Duration, Rate};
use tailrace_qdisc::{LinkView, QdiscConfig};

const LINK: LinkView = LinkView::new(Rate::from_mbit(45), Duration::from_millis(10));

/// Takes the bytes for text as far as they are.
pub fn run(data: &[u8]) {
    let line = text_of(data);
    let read = match QdiscConfig::parse_tc(line) {
        Ok(read) => read,
        Err(error) => return assert!(!error.message.is_empty()),
    };
    let Ok(export) = read.to_tc(&LINK) else { return };
    let again = QdiscConfig::parse_tc(&export.line).expect("what was written can be read");
    let (here, there) = (read.explicit(&LINK), again.explicit(&LINK));
    for p in here.params() {
        let named = export.differs.iter().any(|d| d.param == p.name);
        assert_eq!(
            here.get(p.name) != there.get(p.name),
            named,
            "{}: {line:?} became {:?}",
            p.name,
            export.line
        );
    }
    // Fractions of a microsecond have no digits; once they are gone nothing changes any more.
    let twice = again.to_tc(&LINK).expect("what was written once");
    assert!(twice.differs.is_empty(), "{:?} became {:?}", export.line, twice.line);
    assert_eq!(twice.line, export.line);
}
