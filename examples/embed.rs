//! Runs an evaluation from inside a program: no YAML, no command line, and raters of the program's own.
//!
//! ```text
//! cargo run --example embed
//! ```
//!
//! The program draws its images, defines a HYPE-time study in code, collects it twice, with synthetic raters of hype
//! and with a rater defined here, and prints both results.

use std::error::Error;
use std::path::Path;
use std::{fs, io};

use hype::backends::collect_with;
use hype::images::sample::{Process, write_set};
use hype::prelude::*;
use hype::sim::{Observer, Population};
use hype::store::MemoryStore;
use hype::tasks::HypeTime;
use hype::tasks::tasks::hype_time::{Exposure, StaircaseSettings};

/// The side of the images in pixels.
const SIZE: u32 = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let study = study(draw_stimuli(folder.path())?)?;

    // Synthetic raters: a population that recognizes the weak model's images sooner than the good one's.
    let mut population = Population::default();
    for (model, threshold_ms) in [("good", 400.0), ("weak", 200.0)] {
        let observer = Observer { threshold_ms: Some(threshold_ms), ..Observer::default() };
        population.observers.insert(model.to_owned(), observer);
    }
    let synthetic = collect(&study, |stimuli, chance| Ok(Box::new(population.rater(stimuli, chance)?)))?;
    print("synthetic raters", &synthetic);

    // A custom rater: the staircase should settle near the 250 ms that it needs, whatever the model.
    let own = collect(&study, |_, _| Ok(Box::new(SlowLooker { needs: Millis(250) })))?;
    print("a rater who needs 250 ms", &own);
    Ok(())
}

/// Draws a real set and those of two models, and pins them by content.
///
/// Stimuli need not be files. A study knows each by a path, which names it in findings, and by the digest of its
/// content, which proves later that no file was replaced.
fn draw_stimuli(folder: &Path) -> Result<Stimuli, Box<dyn Error>> {
    let mut sets = Vec::new();
    let mut items = Vec::new();
    for (id, (name, role, process)) in (0..).map(SetId).zip([
        ("real", Role::Real, Process::Real),
        ("good", Role::Generated, Process::Good),
        ("weak", Role::Generated, Process::Weak),
    ]) {
        write_set(&folder.join(name), process, 70, 1, SIZE, &|_| {})?;
        sets.push(StimulusSet::new(name, role, Use::Main));
        for file in sorted(&folder.join(name))? {
            items.push(Stimulus::new(
                id,
                Digest::of(&fs::read(folder.join(name).join(&file))?),
                format!("{name}/{file}"),
                Media::Image { width: SIZE, height: SIZE },
            ));
        }
    }
    Ok(Stimuli::new(sets, items)?)
}

/// The names of the files in a folder, sorted: the system's order is arbitrary.
fn sorted(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

/// Builds a study: the published protocol by default, with the named settings changed.
fn study(stimuli: Stimuli) -> Result<Study, Box<dyn Error>> {
    let task = HypeTime {
        blocks: 2.into(),
        trials_per_block: 60.into(),
        exposure: Exposure { floor_ms: 40.into(), start_ms: 400.into(), ..Exposure::default() },
        // Steps of 20 ms down and 60 ms up settle where 75 % of answers are right, like the published rule,
        // and arrive there sooner.
        staircase: StaircaseSettings {
            step_harder_ms: Some(20.into()),
            step_easier_ms: Some(60.into()),
            ..StaircaseSettings::default()
        },
        ..HypeTime::default()
    };
    // The seed decides every draw: the same program prints the same table on every machine.
    let qualification = Some(Qualification { trials: 10, ..Qualification::default() });
    let raters = Raters { per_model: 10, qualification, payment: None, ..Raters::default() };
    let spec = Spec::new("embedded", 7, Box::new(task)).with_raters(raters);
    // Checks everything at once; the error lists every fault with its path and what to write instead.
    let study = Study::new(spec, stimuli).map_err(|faults| faults.to_string())?;
    for warning in study.warnings().iter() {
        eprintln!("{warning}");
    }
    Ok(study)
}

/// Collects from raters into memory, and analyses their answers.
///
/// `raters` makes the rater of each session. A `SqliteStore` in place of the `MemoryStore` would keep the sessions,
/// and a second run would resume where the first one was interrupted.
fn collect(
    study: &Study,
    raters: impl Fn(&Stimuli, &Streams) -> Result<Box<dyn Rater>, Box<dyn Error>> + Sync,
) -> Result<Findings, Box<dyn Error>> {
    let store = MemoryStore::new();
    // Progress is not reported, and as many sessions run at once as there are processors.
    collect_with(study, &store, &Unwatched, None, |wanted, chance| {
        raters(wanted.stimuli, chance)
            .map_err(|error| CohortError { place: wanted.place.number, reason: error.to_string() })
    })?;
    Ok(hype::block_on(analyse(study, &store))?)
}

/// A rater who sees nothing below a certain exposure, and everything above it.
///
/// In a real program this might be a vision model, a colleague at the keyboard or a replayed recording.
struct SlowLooker {
    needs: Millis,
}

impl Rater for SlowLooker {
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        // An image without a time limit, as in the qualification, is long enough for any rater.
        let seen = trial.exposure().is_none_or(|exposure| exposure >= self.needs);
        let role = truth.and_then(|truth| truth.role);
        // Randomness comes only from the stream passed in, which makes sessions repeatable.
        let generated = match role {
            Some(role) if seen => role == Role::Generated,
            _ => chance.happens(0.5),
        };
        let judgment = if generated { "generated" } else { "real" };
        Response::Answer { answer: Answer::one("judgment", judgment), rt: Micros(600_000) }
    }
}

fn print(raters: &str, findings: &Findings) {
    println!("{raters}");
    // The study's score comes first.
    for found in findings.measures.iter().take(1) {
        println!("  {} in {}", found.measure.label, found.measure.unit);
        for estimate in &found.estimates {
            let interval = estimate
                .interval
                .as_ref()
                .map_or_else(String::new, |one| format!("   95 % [{:.0}, {:.0}]", one.low, one.high));
            println!(
                "    {:<8}{:>5.0}{interval}   {} raters",
                estimate.model, estimate.value, estimate.raters
            );
        }
    }
}
