//! `my-discipline FILE [PATH=VALUE]...`: runs a scenario, in which a queue may be `gentle`; the runs' summaries, a line each.

use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(summaries) => {
            println!("{}", summaries.join("\n"));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(mut words: impl Iterator<Item = String>) -> Result<Vec<String>, String> {
    let file = words.next().ok_or("usage: my-discipline FILE [PATH=VALUE]...")?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let pairs: Option<Vec<_>> =
        words.map(|word| word.split_once('=').map(|(path, value)| (path.into(), value.into()))).collect();
    let runs = my_discipline::run(&text, &file, &pairs.ok_or("values are PATH=VALUE")?)?;
    Ok(runs.into_iter().map(|run| run.summary).collect())
}
