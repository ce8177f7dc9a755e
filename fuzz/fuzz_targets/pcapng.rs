#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tailrace_fuzz::pcapng::run(data));
