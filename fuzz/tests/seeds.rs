//! Every seed passes its target without a fuzzer.

use std::fs;
use std::path::Path;

fn run_all(target: &str, run: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus-seeds").join(target);
    let mut count = 0;
    for seed in fs::read_dir(&seeds).expect("there are seeds") {
        let path = seed.expect("the folder can be listed").path();
        println!("{}", path.display());
        run(&fs::read(&path).expect("the seed can be read"));
        count += 1;
    }
    assert!(count > 0, "{} is empty", seeds.display());
}

#[test]
fn specs_are_read_or_refused() {
    run_all("spec", hype_fuzz::spec::run);
}

#[test]
fn logs_are_replayed_or_refused() {
    run_all("replay", hype_fuzz::replay::run);
}

#[test]
fn pictures_are_decoded_or_refused() {
    run_all("decode", hype_fuzz::decode::run);
}

#[test]
fn clips_and_texts_are_read_or_refused() {
    run_all("media", hype_fuzz::media::run);
}

#[test]
fn tables_are_read_or_refused() {
    run_all("tables", hype_fuzz::tables::run);
}

#[test]
fn reports_are_taken_or_rejected() {
    run_all("session", hype_fuzz::session::run);
}
