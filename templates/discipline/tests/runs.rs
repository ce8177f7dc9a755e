//! The discipline in a scenario.

const SCENARIO: &str = include_str!("../line.toml");

fn fingerprints(set: &[(&str, &str)]) -> Result<Vec<u64>, String> {
    let set: Vec<_> = set.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    Ok(my_discipline::run(SCENARIO, "line.toml", &set)?.iter().map(|run| run.fingerprint).collect())
}

#[test]
fn runs_repeat_and_its_parameters_count() {
    let once = fingerprints(&[]).unwrap();
    assert_eq!(once.len(), 2);
    assert_ne!(once[0], once[1], "random draws differ between runs");
    assert_eq!(once, fingerprints(&[]).unwrap());
    assert_ne!(once, fingerprints(&[("link.line.queue.share", "0.5")]).unwrap());
    assert_ne!(once, fingerprints(&[("link.line.queue", "codel")]).unwrap());
}

#[test]
fn what_it_cannot_be_is_said() {
    let error = |path, value| fingerprints(&[(path, value)]).unwrap_err();
    assert!(error("link.line.queue.share", "0").contains("it must be larger"));
    assert!(error("link.line.queue.lnog", "5 ms").contains("did you mean `long`?"));
    assert!(error("link.line.queue", "gentel").contains("did you mean `gentle`?"));
}

#[test]
fn it_shows_in_the_summary() {
    let runs = my_discipline::run(SCENARIO, "line.toml", &[]).unwrap();
    assert!(runs[0].summary.contains("\"gentle\""), "{}", runs[0].summary);
}
