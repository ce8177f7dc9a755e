#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tailrace_fuzz::tc::run(data));
