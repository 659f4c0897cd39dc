//! Every number of a report's figures, tables, LaTeX, sentences and methods is one of `findings.json`, of the trials or of the spec,
//! rounded where people read it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::report::Report;
use crate::program;

mod figures;
mod levels;
mod methods;
mod numbers;
mod report;
mod sentences;
mod tables;
mod trials;

/// Example studies that together have every figure and every table.
const STUDIES: [&str; 12] = [
    "best-of",
    "contrast",
    "fooling",
    "heim",
    "hype-infinity",
    "hype-time-quest-plus",
    "imagenet5",
    "imagenhub-generation",
    "opinion",
    "ranking",
    "stopping",
    "training",
];

fn nothing_is_no_number(report: &Report) {
    for folder in ["figures", "tables", "."] {
        for entry in fs::read_dir(report.folder.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if let Ok(text) = fs::read_to_string(&path) {
                // The content of pictures is not text.
                let mut parts = text.split(";base64,");
                let first = parts.next().unwrap_or_default().to_owned();
                let text = parts.fold(first, |text, part| text + part.split_once('"').unwrap().1);
                for bad in ["NaN", "Infinity", "inf,", "\"inf", ",inf"] {
                    assert!(!text.contains(bad), "{} has {bad}", path.display());
                }
            }
        }
    }
}

#[test]
fn reports_of_example_studies() {
    let temporary = tempfile::tempdir().unwrap();
    let mut seen = sentences::Seen::default();
    for study in STUDIES {
        let report = Report::of(study, temporary.path());
        figures::forests_have_estimates(&report);
        figures::votes_and_agreement_are_of_the_findings(&report);
        figures::pairs_flow_and_widths_are_of_the_findings(&report);
        figures::errors_are_of_the_findings(&report);
        levels::levels_are_of_the_findings(&report);
        trials::answers_are_counted(&report);
        sentences::sentences_have_known_numbers(&report, &mut seen);
        methods::methods_have_known_numbers(&report, &mut seen);
        tables::tables_are_rounded_alike(&report);
        tables::tables_are_typeset(&report);
        nothing_is_no_number(&report);
    }
    seen.is_strict();
}

#[test]
fn threads_do_not_change_a_report() {
    let temporary = tempfile::tempdir().unwrap();
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("examples/studies");
    let kept = temporary.path().join("kept");
    let kept = kept.to_str().unwrap();
    program::succeeds(
        &examples,
        &["run", "fooling.yaml", "--simulate", "--study", kept, "--progress", "none"],
    );
    let read = |folder: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        ["", "figures", "tables"]
            .into_iter()
            .flat_map(|within| fs::read_dir(folder.join(within)).unwrap())
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect()
    };
    let of = |threads: &str| {
        let folder = temporary.path().join(format!("with-{threads}"));
        let output = ["report", kept, "-o", folder.to_str().unwrap(), "--with-images"];
        program::ends(&examples, &[("RAYON_NUM_THREADS", threads)], &output, true);
        read(&folder)
    };
    let (one, four) = (of("1"), of("4"));
    assert!(one.len() > 10);
    assert_eq!(one, four);
}
