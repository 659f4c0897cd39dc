//! Runs a study that uses the plugin, with synthetic raters.
//!
//! `hype-example-plugin evaluation.yaml` runs that spec on its images; without an argument the program draws the
//! images of the spec beside this source into a temporary folder first.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hype::backends::collect_with;
use hype::core::plugin::backend::Unwatched;
use hype::core::{CohortSpec, Findings, analyse};
use hype::images::sample::{DEFAULT_SIZE, Process, write_set};
use hype::sim::Population;
use hype::store::MemoryStore;

// Links the plugin, so that specs can name its parts.
use hype_example_plugin as _;

/// The sets of the bundled spec: a process that plays the real world, and three models of graded quality.
const SETS: [(&str, Process); 4] = [
    ("real", Process::Real),
    ("good", Process::Good),
    ("middling", Process::Middling),
    ("weak", Process::Weak),
];

fn main() -> ExitCode {
    let ran = match std::env::args_os().nth(1) {
        Some(spec) => run(Path::new(&spec)),
        None => run_bundled(),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_bundled() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for (name, process) in SETS {
        let images = folder.path().join("images").join(name);
        write_set(&images, process, 30, 1, DEFAULT_SIZE, &|_| {})?;
    }
    let spec: PathBuf = folder.path().join("evaluation.yaml");
    fs::write(&spec, include_str!("../evaluation.yaml"))?;
    run(&spec)
}

fn run(spec: &Path) -> Result<(), Box<dyn Error>> {
    // Reads the spec, finds and digests the images, checks everything, and says every fault at its place.
    let opened = hype::open(spec, &hype::Quiet)?;
    for warning in opened.warnings.iter() {
        eprintln!("{warning}");
    }
    let study = opened.study;
    let cohort: Box<dyn CohortSpec> = match &study.spec().collection.simulate {
        Some(cohort) => cohort.clone(),
        None => Box::new(Population::default()),
    };
    let store = MemoryStore::new();
    collect_with(&study, &store, &Unwatched, None, |wanted, chance| cohort.rater(wanted, chance))?;
    print(&hype::block_on(analyse(&study, &store))?);
    Ok(())
}

fn print(findings: &Findings) {
    for found in &findings.measures {
        println!("{}, {} raters", found.measure.label, found.raters);
        for estimate in &found.estimates {
            let interval = estimate
                .interval
                .as_ref()
                .map_or_else(String::new, |one| format!("  [{:.3}, {:.3}]", one.low, one.high));
            println!("  {:<12}{:>7.3}{interval}", estimate.model, estimate.value);
        }
    }
    for note in &findings.notes {
        println!("{}: {}", note.code, note.text);
    }
}
