//! Opening a study: its spec, its images, their digests.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::study::spec::{SetSpec, Spec};
use hype_core::words::counted;
use hype_core::yaml::{Document, Limits};
use hype_core::{Digest, Role, SetId, Severity, Stimuli, Stimulus, StimulusId, StimulusSet, Study, Use};
use hype_images::{Cache, FoundFile, ImageSet, Inspected};

mod items;

/// How many faults of one set of images are told one by one.
const FAULTS_TOLD: usize = 5;

/// The file beside a spec that remembers the digests of its images.
const CACHE: &str = ".hype-images.jsonl";

/// Is told how far the reading of images has come. Called from any thread.
pub trait Progress: Sync {
    /// This many of `total` images of the set have been read.
    fn images(&self, set: &str, done: usize, total: usize);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Progress for Quiet {
    fn images(&self, _: &str, _: usize, _: usize) {}
}

/// A study that was opened from a file.
#[derive(Debug)]
pub struct Opened {
    /// The study.
    pub study: Study,
    /// The folder that its paths are relative to.
    pub folder: PathBuf,
    /// The spec's text, by which diagnostics are shown.
    pub document: Document,
    /// What was found that is no error, located in the text.
    pub warnings: Diagnostics,
}

/// A study cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The spec cannot be read from the disk; the operator looks at the path and the rights.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The spec's path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The spec or its images are at fault; the author corrects what the diagnostics name.
    #[error("{}: {diagnostics}", path.display())]
    Faults {
        /// The spec's path.
        path: PathBuf,
        /// The spec's text as far as it is text.
        text: String,
        /// Everything that was found, located in the text.
        diagnostics: Diagnostics,
    },
}

/// Opens a study: reads its spec, finds, reads and digests its images, and checks everything.
///
/// The digests are remembered in `.hype-images.jsonl` beside the spec, so that images are read once. Where that file
/// cannot be written the images are read again next time.
///
/// # Errors
/// If the spec cannot be read, or it or its images are at fault: then with every fault that was found.
pub fn open(path: &Path, progress: &dyn Progress) -> Result<Opened, OpenError> {
    open_within(path, progress, |_| {})
}

/// Opens a study as [`open`] does, after `adjust` has changed its spec.
///
/// # Errors
/// As [`open`].
pub fn open_within(
    path: &Path,
    progress: &dyn Progress,
    adjust: impl FnOnce(&mut Spec),
) -> Result<Opened, OpenError> {
    let bytes =
        read_at_most(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
    let faults = |diagnostics: Diagnostics| OpenError::Faults {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        diagnostics,
    };
    let mut source = Spec::read(&bytes).map_err(faults)?;
    adjust(&mut source.spec);
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut found = source.warnings;
    let stimuli = gather(&source.spec, &folder, progress, &mut found);
    let located = |mut found: Diagnostics| {
        found.locate(&source.document);
        found.sort();
        found
    };
    let Some(stimuli) = stimuli else { return Err(faults(located(found))) };
    if found.has_errors() {
        let mut consequences = vec!["too-few-images", "no-models", "no-reals"];
        if found.iter().any(|one| one.severity == Severity::Error && one.path.starts_with("items")) {
            consequences.extend(["missing-condition", "no-items"]);
        }
        let others = source.spec.check(&stimuli).into_iter().filter(|one| !consequences.contains(&one.code));
        found.extend(others);
        return Err(faults(located(found)));
    }
    match Study::new(source.spec, stimuli) {
        Ok(study) => {
            found.extend(study.warnings().iter().cloned());
            let warnings = located(found);
            Ok(Opened { study: study.in_folder(&folder), folder, document: source.document, warnings })
        }
        Err(errors) => {
            found.extend(errors);
            Err(faults(located(found)))
        }
    }
}

/// Reads one byte more than a spec may have, so that the reader can refuse a longer one without reading it all.
fn read_at_most(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(Limits::default().bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Finds and reads all images. `None` if the sets are too many to go on.
fn gather(spec: &Spec, folder: &Path, progress: &dyn Progress, at: &mut Diagnostics) -> Option<Stimuli> {
    let mut cache = Cache::open(&folder.join(CACHE));
    let mut sets = Vec::new();
    let mut images: Vec<Vec<Inspected>> = Vec::new();
    for (name, set) in spec.stimuli.iter() {
        let files = at.within("stimuli", |at| at.within(name, |at| find(folder, set, at)));
        let read =
            at.within("stimuli", |at| at.within(name, |at| read(name, &files, &mut cache, progress, at)));
        let gold = set.answers.clone();
        sets.push(StimulusSet { gold, ..StimulusSet::new(name, set.role, set.used_for) });
        images.push(read);
    }
    let listed = at.within("items", |at| Some(items::listed(spec.items.as_ref()?, folder, at)));
    if let Some(Some(listed)) = &listed {
        let files = items::condition_files(listed, folder);
        if !files.is_empty() {
            if sets.iter().any(|set| &*set.name == items::CONDITIONS) {
                at.within("stimuli", |at| {
                    at.field(items::CONDITIONS)
                        .error("taken-name", "the items' condition images have this name")
                        .help("give the set another name");
                });
            }
            images.push(at.within("items", |at| read(items::CONDITIONS, &files, &mut cache, progress, at)));
            sets.push(StimulusSet::new(items::CONDITIONS, Role::Real, Use::Condition));
        }
    }
    // The cache only saves time.
    let _ = cache.save();
    warn_of_shortcuts(&sets, &images, at);
    let mut all: Vec<Stimulus> = images
        .into_iter()
        .enumerate()
        .flat_map(|(set, images)| images.into_iter().map(move |image| stimulus(set, image)))
        .collect();
    let mut resolved = Vec::new();
    if let (Some(section), Some(listed)) = (&spec.items, listed) {
        resolved = match listed {
            Some(listed) => items::resolve(&listed, &condition_images(&sets, &all)),
            None => items::named(section.matched_by, &sets, &all),
        };
        items::match_stimuli(section, &resolved, &sets, &mut all, at);
    }
    match Stimuli::with_items(sets, all, resolved) {
        Ok(stimuli) => Some(stimuli),
        Err(error) => {
            at.field("stimuli").error("too-many", error.to_string());
            None
        }
    }
}

fn condition_images(sets: &[StimulusSet], all: &[Stimulus]) -> HashMap<Arc<str>, StimulusId> {
    let is_condition = |stimulus: &Stimulus| sets[usize::from(stimulus.set.0)].used_for == Use::Condition;
    let numbered = all.iter().enumerate().filter(|(_, stimulus)| is_condition(stimulus));
    numbered.map(|(id, stimulus)| (Arc::clone(&stimulus.path), StimulusId(id as u32))).collect()
}

fn stimulus(set: usize, image: Inspected) -> Stimulus {
    Stimulus {
        set: SetId(set as u16),
        path: image.path,
        digest: Digest(image.digest.0),
        width: image.width,
        height: image.height,
        item: None,
    }
}

fn find(folder: &Path, set: &SetSpec, at: &mut Diagnostics) -> Vec<FoundFile> {
    let found = match hype_images::find(folder, &set.images.0) {
        Ok(found) => found,
        Err(error) => {
            at.field("images").error("no-images", error.to_string()).help(
                "patterns are relative to the spec's folder; `*` stands for any name, `**` for any folders",
            );
            return Vec::new();
        }
    };
    if !found.others.is_empty() {
        let first = &found.others[0].relative;
        at.field("images")
            .warning(
                "not-images",
                format!("{} passed over, such as {first}", counted(found.others.len(), "file")),
            )
            .help("stimuli are png, jpg, jpeg or webp files; make the pattern narrower to leave others out");
    }
    found.images
}

fn read(
    name: &str,
    files: &[FoundFile],
    cache: &mut Cache,
    progress: &dyn Progress,
    at: &mut Diagnostics,
) -> Vec<Inspected> {
    let tell = |done| progress.images(name, done, files.len());
    let images = match hype_images::inspect_all(files, cache, &tell) {
        Ok(images) => images,
        Err(faults) => {
            let count = faults.0.len();
            for fault in faults.0.iter().take(FAULTS_TOLD) {
                at.field("images")
                    .error("bad-image", fault.to_string())
                    .help("replace the file by a whole image, or remove it");
            }
            if count > FAULTS_TOLD {
                at.field("images").error(
                    "bad-image",
                    format!("{} of this set cannot be used", counted(count - FAULTS_TOLD, "more image")),
                );
            }
            return Vec::new();
        }
    };
    let misnamed: Vec<&Inspected> = images.iter().filter(|image| image.misnamed().is_some()).collect();
    if let Some(first) = misnamed.first() {
        at.field("images").warning(
            "misnamed-image",
            format!(
                "{} named for another format: {} is {}",
                counted(misnamed.len(), "image"),
                first.path,
                first.format
            ),
        );
    }
    images
}

fn warn_of_shortcuts(sets: &[StimulusSet], images: &[Vec<Inspected>], at: &mut Diagnostics) {
    let with = |role: Role, used_for: Use| -> Vec<ImageSet<'_>> {
        sets.iter()
            .zip(images)
            .filter(|(set, _)| set.role == role && set.used_for == used_for)
            .map(|(set, images)| ImageSet { name: &set.name, images })
            .collect()
    };
    for used_for in [Use::Main, Use::Qualification] {
        let shortcuts = hype_images::shortcuts(&with(Role::Real, used_for), &with(Role::Generated, used_for));
        for shortcut in shortcuts {
            at.within("stimuli", |at| {
                at.field(&shortcut.model).warning("shortcut", shortcut.to_string()).help(
                    "raters, or a page's loading time, could tell the classes by this; bring all images to one \
                     format and size",
                );
            });
        }
    }
}
