//! Faults of a spec are reported with their place, line and solution. Each file in `tests/spec_faults` is a broken
//! spec, with the whole message next to it.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;
use std::path::Path;

/// A folder with images of every kind that the specs name.
fn images(folder: &Path) {
    program::succeeds(folder, &["new", "drawn", "--images", "40", "--size", "16"]);
    program::succeeds(folder, &["new", "larger", "--images", "40", "--size", "32", "--seed", "2"]);
    let images = folder.join("images");
    fs::rename(folder.join("drawn/images"), &images).unwrap();
    fs::rename(folder.join("larger/images/weak"), images.join("large")).unwrap();
    for made in ["truncated", "texts", "copies", "odd"] {
        fs::create_dir(images.join(made)).unwrap();
    }
    let whole = fs::read(images.join("weak/0001.png")).unwrap();
    for number in 1..=9 {
        fs::write(images.join(format!("truncated/000{number}.png")), &whole[..whole.len() / 2]).unwrap();
    }
    program::succeeds(folder, &["new", "largest", "--images", "12", "--size", "64", "--seed", "3"]);
    fs::copy(folder.join("largest/images/weak/0001.png"), images.join("odd/0001.png")).unwrap();
    fs::write(images.join("copies/renamed.png"), &whole).unwrap();
    fs::write(images.join("texts/0001.png"), "not an image").unwrap();
    for (place, level) in
        ["real/lemon", "gan/lemon", "gan/horn", "vae/9000", "vae/9k"].into_iter().enumerate()
    {
        let folder_of_level = folder.join("classes").join(level);
        fs::create_dir_all(&folder_of_level).unwrap();
        for image in 2 * place..2 * place + 2 {
            let name = format!("{:04}.png", image + 1);
            fs::copy(folder.join("largest/images/good").join(&name), folder_of_level.join(&name)).unwrap();
        }
    }
}

/// The names of the files in a folder with an ending, sorted.
fn files(folder: &Path, end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(end)).collect();
    names.sort_unstable();
    names
}

#[test]
fn faults_are_reported_with_place_and_advice() {
    let folder = tempfile::tempdir().unwrap();
    images(folder.path());
    let specs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("tests/spec_faults");
    let names = files(&specs, ".yaml");
    assert!(names.len() >= 40, "{} broken specs", names.len());
    // Tables that specs name.
    for table in files(&specs, ".csv") {
        fs::copy(specs.join(&table), folder.path().join(&table)).unwrap();
    }
    for name in names {
        fs::copy(specs.join(&name), folder.path().join("study.yaml")).unwrap();
        let output = program::hype(folder.path(), &["check", "study.yaml", "--strict"]);
        assert_eq!(output.status.code(), Some(1), "{name} is not refused");
        let message = String::from_utf8(output.stderr).unwrap();
        insta::with_settings!({ snapshot_path => specs.clone(), prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.trim_end_matches(".yaml"), message);
        });
    }
}
