//! `hype new`: creates a commented example study with images that the program draws, or a spec for images that are there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hype_core::MediaKind;
use hype_images::sample::{Process, write_set};

#[cfg(feature = "web")]
use super::args::SEED;
use super::args::{NewArguments, NewTask};
use super::failure::Failure;
use super::output;
use super::progress::Bar;

mod from_folder;
mod samples;
mod sections;

/// The sets of the study: a process that represents the real world, and three models of different quality.
const SETS: [(&str, Process); 4] = [
    ("real", Process::Real),
    ("good", Process::Good),
    ("middling", Process::Middling),
    ("weak", Process::Weak),
];

const STIMULI: &str = "\
# Sets of images. A generated set is named after its model. Here a program drew them all: a process that plays
# the real world, and three models that imitate it well, not so well, and badly.
stimuli:
  real:     { role: real,      images: images/real/*.png }
  good:     { role: generated, images: images/good/*.png }
  middling: { role: generated, images: images/middling/*.png }
  weak:     { role: generated, images: images/weak/*.png }
";

/// The minimum number of images in each set.
const FEWEST: u32 = 12;

/// The name of the spec in the new folder.
const SPEC: &str = "evaluation.yaml";

pub(crate) fn run(arguments: &NewArguments) -> Result<(), Failure> {
    match (&arguments.from, &arguments.folder) {
        (Some(images), _) => from_folder::run(images, arguments),
        (None, Some(folder)) => drawn(folder, arguments),
        (None, None) => Err(Failure::Message("name the folder to create".into())),
    }
}

/// Draws images into a new folder, with a spec next to them.
fn drawn(folder: &Path, arguments: &NewArguments) -> Result<(), Failure> {
    let task = arguments.task.unwrap_or(NewTask::HypeTime);
    if samples::has(task) {
        return say_what_follows(&samples::write(folder, task, arguments.seed)?);
    }
    let protocol = Protocol::within(task, arguments.images)?;
    let spec = write_study(folder, task, &protocol, (arguments.seed, arguments.size))?;
    output::print(format_args!(
        "wrote {} and {} images of {} sets",
        spec.display(),
        protocol.images * SETS.len() as u32,
        SETS.len()
    ))?;
    say_what_follows(&spec)
}

/// Draws so many images of a size for each set into a new folder, with a spec next to them, and returns its path.
#[cfg(feature = "web")]
pub(crate) fn draw(folder: &Path, task: NewTask, images: u32, size: u32) -> Result<PathBuf, Failure> {
    write_study(folder, task, &Protocol::within(task, Some(images))?, (SEED, size))
}

fn write_study(
    folder: &Path,
    task: NewTask,
    protocol: &Protocol,
    (seed, size): (u64, u32),
) -> Result<PathBuf, Failure> {
    refuse_if_used(folder)?;
    let bar = Bar::new("drawing", u64::from(protocol.images) * SETS.len() as u64);
    let done = AtomicU64::new(0);
    for (name, process) in SETS {
        write_set(
            &folder.join("images").join(name),
            process,
            u64::from(protocol.images),
            seed,
            size,
            &|_| bar.reach(done.fetch_add(1, Ordering::Relaxed) + 1),
        )?;
    }
    bar.clear();
    let spec = folder.join(SPEC);
    let text = protocol.sections(task).spec(&name_of(folder), seed, STIMULI);
    fs::write(&spec, text).map_err(|error| Failure::about(&spec, &error))?;
    Ok(spec)
}

fn refuse_if_used(folder: &Path) -> Result<(), Failure> {
    let in_use = folder.is_file() || fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if !in_use {
        return Ok(());
    }
    Err(Failure::Message(format!("{} exists and is not empty: choose a new folder", folder.display())))
}

/// The name of a study in a folder.
fn name_of(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "study".into(), |name| name.to_string_lossy().into_owned())
}

fn say_what_follows(spec: &Path) -> Result<(), Failure> {
    let shown = spec.display();
    output::print(format_args!("next: hype check {shown}"))?;
    output::print(format_args!("      hype simulate {shown}"))?;
    Ok(())
}

/// The settings that fit a number of images.
struct Protocol {
    images: u32,
    qualification: u32,
    /// Blocks of HYPE-time.
    blocks: u32,
    /// Trials in each block, images of each class, or trials of a session.
    size: u32,
    /// Whether outputs have prompts; raters are then asked how well they fit.
    has_prompts: bool,
    kind: MediaKind,
    /// Whether real outputs are judged, which are realistic by definition.
    has_reals: bool,
}

impl Protocol {
    /// The published protocol, reduced if there are not enough images in each set.
    fn within(task: NewTask, images: Option<u32>) -> Result<Self, Failure> {
        let published = match task {
            NewTask::HypeTime => Self::new(275, 100, 3, 150),
            NewTask::HypeInfinity => Self::new(100, 100, 1, 50),
            NewTask::Contrast
            | NewTask::Rating
            | NewTask::VideoPair
            | NewTask::VideoAcr
            | NewTask::TextPair => Self::new(30, 0, 1, 30),
            NewTask::Ranking | NewTask::BestOf => Self::new(30, 0, 1, 20),
        };
        let Some(images) = images else { return Ok(published) };
        if !(FEWEST..=100_000).contains(&images) {
            return Err(Failure::Message(format!(
                "--images must be from {FEWEST} to 100000 for each set, got {images}"
            )));
        }
        let qualification = published.qualification.min(images / 3 / 2 * 2);
        let left = images - qualification / 2;
        // Short blocks do not arrive at their thresholds: there are fewer of them first.
        let blocks = (2 * left / published.size).clamp(1, published.blocks);
        let size = match task {
            NewTask::HypeTime => published.size.min(left / blocks * 2),
            _ => published.size.min(left),
        };
        Ok(Self::new(images, qualification, blocks, size))
    }

    const fn new(images: u32, qualification: u32, blocks: u32, size: u32) -> Self {
        let kind = MediaKind::Image;
        Self { images, qualification, blocks, size, has_prompts: false, kind, has_reals: true }
    }
}
