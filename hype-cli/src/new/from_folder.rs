//! A spec for images that are there: a folder for each set, and a table of items.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{FEWEST, Protocol, SPEC, name_of, say_what_follows};
use crate::args::{NewArguments, NewTask};
use crate::failure::Failure;
use crate::output;

/// The endings of images.
const IMAGES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];
/// The names of folders with real images, and of those with conditions, which are not judged.
const REAL: [&str; 8] = ["real", "reals", "original", "originals", "ground_truth", "gt", "photo", "photos"];
const CONDITIONS: [&str; 10] =
    ["source", "sources", "input", "inputs", "mask", "masks", "subject", "subjects", "control", "controls"];
/// The table of items, if there is one of this name.
const TABLE: &str = "items.csv";

/// A folder of images.
struct ImageFolder {
    name: String,
    kind: FolderKind,
    /// The names of the images without their endings.
    stems: BTreeSet<String>,
    /// The ending of all of them, if it is the same.
    ending: Option<String>,
    images: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderKind {
    Real,
    Generated,
    Conditions,
}

/// What a folder of images holds.
struct Found {
    folders: Vec<ImageFolder>,
    has_table: bool,
}

/// Writes the spec that fits a folder into it.
pub(super) fn run(folder: &Path, arguments: &NewArguments) -> Result<(), Failure> {
    let spec = folder.join(SPEC);
    if spec.exists() {
        let shown = spec.display();
        return Err(Failure::Message(format!("{shown} exists: move it away, or edit it")));
    }
    let found = Found::look(folder)?;
    let task = arguments.task.unwrap_or_else(|| found.task());
    let text = found.spec(task, &name_of(&whole(folder)), arguments.seed)?;
    fs::write(&spec, text).map_err(|error| Failure::about(&spec, &error))?;
    let sets = found.judged().count();
    let images: u32 = found.judged().map(|one| one.images).sum();
    output::print(format_args!("wrote {} for {images} images of {sets} sets", spec.display()))?;
    say_what_follows(&spec)
}

/// The folder with a name, as `.` has none.
fn whole(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

impl Found {
    fn look(folder: &Path) -> Result<Self, Failure> {
        let mut folders = Vec::new();
        for path in entries(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !path.is_dir() || name.starts_with('.') {
                continue;
            }
            let of_folder = ImageFolder::look(&path, name)?;
            folders.extend((of_folder.images > 0).then_some(of_folder));
        }
        let found = Self { folders, has_table: folder.join(TABLE).is_file() };
        if found.of(FolderKind::Generated).next().is_none() {
            return Err(Failure::Message(format!(
                "{} has no folder of generated images: put the images of each model into a folder of its name ({})",
                folder.display(),
                IMAGES.join(", ")
            )));
        }
        Ok(found)
    }

    fn of(&self, kind: FolderKind) -> impl Iterator<Item = &ImageFolder> {
        self.folders.iter().filter(move |one| one.kind == kind)
    }

    fn judged(&self) -> impl Iterator<Item = &ImageFolder> {
        self.folders.iter().filter(|one| one.kind != FolderKind::Conditions)
    }

    fn fewest(&self) -> u32 {
        self.judged().map(|one| one.images).min().unwrap_or(0)
    }

    /// Whether all models have images of the same names.
    fn matches(&self) -> bool {
        let mut models = self.of(FolderKind::Generated);
        models.next().is_some_and(|first| models.all(|one| one.stems == first.stems))
    }

    /// The task that fits: comparisons of models with outputs for the same items, real or fake beside real images, and
    /// else ratings.
    fn task(&self) -> NewTask {
        let models = self.of(FolderKind::Generated).count();
        if models > 1 && (self.has_table || self.matches()) {
            NewTask::Contrast
        } else if self.of(FolderKind::Real).next().is_some() && self.fewest() >= FEWEST {
            NewTask::HypeInfinity
        } else {
            NewTask::Rating
        }
    }

    fn spec(&self, task: NewTask, name: &str, seed: u64) -> Result<String, Failure> {
        let counts_by_model = matches!(task, NewTask::HypeTime | NewTask::HypeInfinity);
        let protocol = if counts_by_model {
            let fewest = self.fewest();
            if self.of(FolderKind::Real).next().is_none() || fewest < FEWEST {
                return Err(Failure::Message(format!(
                    "this task needs a folder `real` and at least {FEWEST} images in each, but the smallest has {fewest}"
                )));
            }
            Protocol::within(task, Some(fewest))?
        } else {
            Protocol::within(task, None)?
        };
        let mut sections = protocol.sections(task);
        if self.has_table {
            sections.items = format!(
                "\n# What the models were given, shown beside their outputs. Columns: item, prompt, instruction, source and others.\n\
                 items: {{ table: {TABLE} }}\n"
            );
        } else if counts_by_model || !self.matches() {
            sections.items = String::new();
        }
        sections.simulate = "\
  # Nothing is known about these models, so that they are assumed to be equal. To assume otherwise:
  # observers: { NAME: { threshold_ms: 300, quality: 0.7 } }
"
        .to_owned();
        Ok(sections.spec(name, seed, &self.stimuli()))
    }

    /// The section of stimuli.
    fn stimuli(&self) -> String {
        let mut text = "# Sets of images. A generated set is named after its model.\nstimuli:\n".to_owned();
        for one in self.judged() {
            let role = if one.kind == FolderKind::Real { "real" } else { "generated" };
            let ending = one.ending.as_deref().map_or_else(String::new, |ending| format!(".{ending}"));
            let [name, images] = [one.name.clone(), format!("{}/*{ending}", one.name)].map(Value::from);
            text += &format!("  {name}: {{ role: {role}, images: {images} }}\n");
        }
        for one in self.of(FolderKind::Conditions) {
            text += &format!(
                "# The {} images of {} are not judged: name them in a column of {TABLE}, such as `source`.\n",
                one.images, one.name
            );
        }
        text
    }
}

impl ImageFolder {
    fn look(path: &Path, name: String) -> Result<Self, Failure> {
        let lower = name.to_lowercase();
        let kind = if REAL.contains(&&*lower) {
            FolderKind::Real
        } else if CONDITIONS.contains(&&*lower) {
            FolderKind::Conditions
        } else {
            FolderKind::Generated
        };
        let mut found = Self { name, kind, stems: BTreeSet::new(), ending: None, images: 0 };
        let mut endings = BTreeSet::new();
        for file in entries(path)? {
            let ending = file.extension().map(|ending| ending.to_string_lossy().into_owned());
            let Some(ending) = ending.filter(|one| IMAGES.contains(&&*one.to_lowercase())) else { continue };
            endings.insert(ending);
            found.stems.extend(file.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            found.images += 1;
        }
        if found.images > 0 && found.name.contains(['*', '?', '[', ']', '{', '}', '\\']) {
            return Err(Failure::Message(format!(
                "{} cannot be named in a pattern of files: rename the folder to letters, digits, `-` and `_`",
                path.display()
            )));
        }
        found.ending = endings.pop_first().filter(|_| endings.is_empty());
        Ok(found)
    }
}

/// The paths in a folder, in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let about = |error: std::io::Error| Failure::about(folder, &error);
    let mut paths = fs::read_dir(folder)
        .map_err(about)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(about)?;
    paths.sort();
    Ok(paths)
}
