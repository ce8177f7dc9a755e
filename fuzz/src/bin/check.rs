//! `check [TARGET ...]`: the same inputs every time (`tailrace_fuzz::check`).

// The runtime of libFuzzer, which the flags for coverage need, asks for a target.
libfuzzer_sys::fuzz_target!(|_data: &[u8]| {});

fn main() -> std::process::ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    match tailrace_fuzz::check::run(&names) {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::from(2)
        }
    }
}
