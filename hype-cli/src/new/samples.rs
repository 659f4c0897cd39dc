//! Example studies of clips and texts, whose files are part of the program.

use std::fs;
use std::path::{Path, PathBuf};

use super::{SPEC, name_of, refuse_if_used};
use crate::args::NewTask;
use crate::failure::Failure;
use crate::output;

/// The files of a sample: paths from the study's folder, and contents.
type Files = &'static [(&'static str, &'static [u8])];

macro_rules! files {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_bytes!(concat!("../../../examples/studies/", $path)))),+]
    };
}

const CLIPS: Files = files![
    "clips/smooth/carpet.mp4",
    "clips/smooth/glow.mp4",
    "clips/smooth/gradient.mp4",
    "clips/smooth/pattern.mp4",
    "clips/smooth/rings.mp4",
    "clips/smooth/zoom.mp4",
    "clips/stuttering/carpet.mp4",
    "clips/stuttering/glow.mp4",
    "clips/stuttering/gradient.mp4",
    "clips/stuttering/pattern.mp4",
    "clips/stuttering/rings.mp4",
    "clips/stuttering/zoom.mp4",
];

const ANSWERS: Files = files![
    "answers.csv",
    "answers/florid/bicycle.md",
    "answers/florid/bread.md",
    "answers/florid/email.md",
    "answers/florid/rainbow.md",
    "answers/florid/tea.md",
    "answers/florid/tides.md",
    "answers/plain/bicycle.md",
    "answers/plain/bread.md",
    "answers/plain/email.md",
    "answers/plain/rainbow.md",
    "answers/plain/tea.md",
    "answers/plain/tides.md",
];

/// The name of a sample, its spec and its files; `None` for tasks on images.
const fn sample(task: NewTask) -> Option<(&'static str, &'static str, Files)> {
    Some(match task {
        NewTask::VideoPair => {
            ("video-pair", include_str!("../../../examples/studies/video-pair.yaml"), CLIPS)
        }
        NewTask::VideoAcr => ("video-acr", include_str!("../../../examples/studies/video-acr.yaml"), CLIPS),
        NewTask::TextPair => ("text-pair", include_str!("../../../examples/studies/text-pair.yaml"), ANSWERS),
        _ => return None,
    })
}

/// Whether a task has a sample.
pub(super) const fn has(task: NewTask) -> bool {
    sample(task).is_some()
}

/// Writes the sample of a task into a new folder, and returns the path of its spec.
pub(super) fn write(folder: &Path, task: NewTask, seed: u64) -> Result<PathBuf, Failure> {
    let (name, spec, files) =
        sample(task).ok_or_else(|| Failure::Message("this task has no sample".into()))?;
    refuse_if_used(folder)?;
    for (path, content) in files {
        let path = folder.join(path);
        let within = path.parent().unwrap_or(folder);
        fs::create_dir_all(within).map_err(|error| Failure::about(within, &error))?;
        fs::write(&path, content).map_err(|error| Failure::about(&path, &error))?;
    }
    let own = serde_json::Value::from(name_of(folder));
    let spec = spec
        .replace("$schema=../../schemas/evaluation.json", "$schema=evaluation.schema.json")
        .replace(&format!("\nname: {name}\n"), &format!("\nname: {own}\n"))
        .replace("\nseed: 42\n", &format!("\nseed: {seed}\n"));
    let path = folder.join(SPEC);
    fs::write(&path, spec).map_err(|error| Failure::about(&path, &error))?;
    output::print(format_args!("wrote {} and {} files", path.display(), files.len()))?;
    Ok(path)
}
