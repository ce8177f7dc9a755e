//! Does on this machine what tests/wasm does in WebAssembly: one request a line comes in, one answer a line goes out.

use std::io::BufRead as _;
use tailrace_wasm::Session;

#[expect(clippy::print_stdout, reason = "answers are this program's data")]
fn main() -> std::io::Result<()> {
    for request in std::io::stdin().lock().lines() {
        let answer = match Session::open(&request?) {
            Ok((mut session, _)) => match session.step(f64::INFINITY) {
                Ok(_) => session.finish(),
                Err(stall) => serde_json::json!({ "errors": stall }),
            },
            Err(errors) => errors,
        };
        println!("{answer}");
    }
    Ok(())
}
