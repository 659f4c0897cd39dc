#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hype_fuzz::media::run(bytes));
