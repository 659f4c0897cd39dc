//! `hype new`: creates a commented example study with images that the program draws.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use hype_images::sample::{Process, write_set};

use super::args::{NewArguments, NewTask};
use super::failure::Failure;
use super::output;
use super::progress::Bar;

/// The sets of the study: a process that represents the real world, and three models of different quality.
const SETS: [(&str, Process); 4] = [
    ("real", Process::Real),
    ("good", Process::Good),
    ("middling", Process::Middling),
    ("weak", Process::Weak),
];

/// The minimum number of images in each set.
const FEWEST: u32 = 12;

/// The name of the spec in the new folder.
const SPEC: &str = "evaluation.yaml";

pub(crate) fn run(arguments: &NewArguments) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let in_use = folder.is_file() || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if in_use {
        return Err(Failure::Message(format!(
            "{} exists and is not empty: choose a new folder",
            folder.display()
        )));
    }
    let protocol = Protocol::within(arguments.task, arguments.images)?;
    let bar = Bar::new("drawing", u64::from(protocol.images) * SETS.len() as u64);
    let done = AtomicU64::new(0);
    for (name, process) in SETS {
        write_set(
            &folder.join("images").join(name),
            process,
            u64::from(protocol.images),
            arguments.seed,
            arguments.size,
            &|_| bar.reach(done.fetch_add(1, Ordering::Relaxed) + 1),
        )?;
    }
    bar.clear();
    let name = folder.file_name().map_or_else(|| "study".into(), |name| name.to_string_lossy().into_owned());
    let spec = folder.join(SPEC);
    fs::write(&spec, protocol.spec(&name, arguments)).map_err(|error| Failure::about(&spec, &error))?;
    let shown = spec.display();
    output::print(format_args!(
        "wrote {shown} and {} images of {} sets",
        protocol.images * SETS.len() as u32,
        SETS.len()
    ))?;
    output::print(format_args!("next: hype check {shown}"))?;
    output::print(format_args!("      hype simulate {shown}"))?;
    Ok(())
}

/// The settings that fit a number of images.
struct Protocol {
    images: u32,
    qualification: u32,
    /// Trials in each of three blocks, or images of each class.
    size: u32,
}

impl Protocol {
    /// The published protocol, reduced if there are not enough images in each set.
    fn within(task: NewTask, images: Option<u32>) -> Result<Self, Failure> {
        let published = match task {
            NewTask::HypeTime => Self { images: 275, qualification: 100, size: 150 },
            NewTask::HypeInfinity => Self { images: 100, qualification: 100, size: 50 },
        };
        let Some(images) = images else { return Ok(published) };
        if !(FEWEST..=100_000).contains(&images) {
            return Err(Failure::Message(format!(
                "--images must be from {FEWEST} to 100000 for each set, got {images}"
            )));
        }
        let qualification = published.qualification.min(images / 3 / 2 * 2);
        let left = images - qualification / 2;
        let size = match task {
            NewTask::HypeTime => published.size.min(left / 3 * 2),
            NewTask::HypeInfinity => published.size.min(left),
        };
        Ok(Self { images, qualification, size })
    }

    fn spec(&self, name: &str, arguments: &NewArguments) -> String {
        let Self { qualification, size, .. } = self;
        let seed = arguments.seed;
        let name = serde_json::Value::from(name);
        let task = match arguments.task {
            NewTask::HypeTime => format!(
                "\
# HYPE-time: an adaptive staircase finds the exposure at which raters tell real from fake.
task:
  kind: hype_time
  blocks: 3                       # a staircase each, on different images
  trials_per_block: {size}
  exposure: {{ floor_ms: 100, ceiling_ms: 1000, start_ms: 500 }}
  staircase: {{ preset: weighted }} # each right answer 10 ms harder, each wrong one 30 ms easier
  # catch: {{ trials: 12 }}         # trials of 16 ms, which only a machine gets right; they need images of their own
"
            ),
            NewTask::HypeInfinity => format!(
                "\
# HYPE-infinity: the share of images judged wrong, with all the time in the world.
task: {{ kind: hype_infinity, generated: {size}, real: {size} }}
"
            ),
        };
        format!(
            "\
# yaml-language-server: $schema=evaluation.schema.json
# A study of hype. Write the schema for your editor with: hype schema > evaluation.schema.json
name: {name}
seed: {seed}                   # of all chance: draws, orders, simulation, bootstrap

# Sets of images. A generated set is named after its model. Here a program drew them all: a process that plays
# the real world, and three models that imitate it well, not so well, and badly.
stimuli:
  real:     {{ role: real,      images: images/real/*.png }}
  good:     {{ role: generated, images: images/good/*.png }}
  middling: {{ role: generated, images: images/middling/*.png }}
  weak:     {{ role: generated, images: images/weak/*.png }}

{task}
raters:
  per_model: 30                   # who complete the study
  design: between                 # each rater judges one model; `within`: every rater judges all
  qualification: {{ trials: {qualification}, pass: {{ rule: both-classes, at_least: 0.65 }} }}
  payment: {{ currency: USD, base: 1.00, per_correct: 0.02 }}

# People, by a page in their browsers at this address.
backend: {{ kind: web, listen: \"127.0.0.1:7850\" }}

# Synthetic raters, for `hype simulate` and `hype run --simulate`.
simulate:
  kind: synthetic
  observers:
    good:     {{ threshold_ms: 363 }}
    middling: {{ threshold_ms: 241 }}
    weak:     {{ threshold_ms: 120 }}
  rater_sd: 0.4                   # of ln threshold, over raters

# Scores and tests by model. `preset: hype-2019` gives the analysis of the HYPE paper.
aggregate: {{ kind: by_model }}
"
        )
    }
}
