//! Opening a study: reading its spec and its stimuli.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::plugin::surroundings::{Outside, Purpose};
use hype_core::protocol::playback::Unequal;
use hype_core::study::related::RelatedStudies;
use hype_core::study::spec::{Draft, ItemSpec, MatchedBy, Spec, SpecSource};
use hype_core::yaml::{Document, Limits};
use hype_core::{MediaKind, Role, SetId, Stimuli, Stimulus, StimulusId, StimulusSet, Study, Use};
use hype_images::Cache;

#[cfg(feature = "media")]
use crate::media::{Clips, Texts, refuse_slow};
use crate::media::{Images, Medium};
use crate::secret;

mod facets;
mod features;
mod items;
mod raters;
mod related;

/// Receives the progress of reading stimuli. Called from any thread.
pub trait StimulusProgress: Sync {
    /// `done` of the `total` stimuli of a set have been read.
    fn read(&self, set: &str, done: usize, total: usize);
}

/// Reports no progress.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl StimulusProgress for Quiet {
    fn read(&self, _: &str, _: usize, _: usize) {}
}

/// A study that was opened from a file.
#[derive(Debug)]
pub struct OpenedStudy {
    /// The study.
    pub study: Study,
    /// The spec's path.
    pub path: PathBuf,
    /// The folder that its paths are relative to.
    pub folder: PathBuf,
    /// The spec's text, in which diagnostics are located.
    pub document: Document,
    /// Warnings and notes, located in the text.
    pub warnings: Diagnostics,
}

/// A study cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The spec cannot be read from disk; the operator checks the path and the permissions.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// The spec's path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The spec or its stimuli have faults; the author has to correct what the diagnostics name.
    #[error("{}: {diagnostics}", path.display())]
    Faults {
        /// The spec's path.
        path: PathBuf,
        /// The spec's text, with replacement characters for invalid UTF-8.
        text: String,
        /// All diagnostics, located in the text.
        diagnostics: Diagnostics,
    },
}

/// Opens a study: reads its spec, finds, reads and digests its stimuli, and checks the whole spec.
///
/// Does not check anything else, such as the files of a backend; use an [`Opening`] for that.
///
/// # Errors
/// If the spec cannot be read, or it or its stimuli have faults. The error lists all faults.
pub fn open(path: &Path, progress: &dyn StimulusProgress) -> Result<OpenedStudy, OpenError> {
    Opening::of(path).watched_by(progress).open(|_| {})
}

/// Options for opening a study from a file.
///
/// Digests of images and clips are cached in `.hype-images.jsonl` next to the spec, and these are read only once. If that
/// file cannot be written, they are read again next time. Texts are always read, to warn of what is in them.
///
/// # Examples
/// ```no_run
/// use hype::core::plugin::surroundings::Purpose;
///
/// // Reports every fault that would stop `hype run`.
/// let opened = hype::Opening::of("faces.yaml".as_ref()).to(Purpose::Collect).open(|_| {})?;
/// # Ok::<(), hype::OpenError>(())
/// ```
#[must_use]
pub struct Opening<'a> {
    path: &'a Path,
    progress: &'a dyn StimulusProgress,
    purpose: Option<Purpose>,
}

impl<'a> Opening<'a> {
    /// Opens the study with this spec.
    pub fn of(path: &'a Path) -> Self {
        Self { path, progress: &Quiet, purpose: None }
    }

    /// Reports the progress of reading stimuli.
    pub fn watched_by(self, progress: &'a dyn StimulusProgress) -> Self {
        Self { progress, ..self }
    }

    /// Also checks what the study needs for a purpose: files of its backend or cohort, environment variables, and
    /// features of the program.
    pub fn to(self, purpose: Purpose) -> Self {
        Self { purpose: Some(purpose), ..self }
    }

    /// Opens the study after changing its spec with `adjust`.
    ///
    /// # Errors
    /// If the spec cannot be read, or it or its stimuli have faults. The error lists all faults.
    pub fn open(self, adjust: impl FnOnce(&mut Spec)) -> Result<OpenedStudy, OpenError> {
        let path = self.path;
        let bytes =
            read_at_most(path).map_err(|source| OpenError::Unreadable { path: path.to_owned(), source })?;
        let faults = |diagnostics: Diagnostics| OpenError::Faults {
            path: path.to_owned(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            diagnostics: features::named(diagnostics),
        };
        let mut draft = Spec::draft(&bytes).map_err(faults)?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        if let Some(spec) = draft.spec_mut() {
            adjust(spec);
        }
        let mut found = draft.found.clone();
        let stimuli = gather_all(&draft, &folder, self.progress, &mut found);
        #[cfg(feature = "media")]
        if self.purpose == Some(Purpose::Collect) {
            found = refuse_slow(found);
        }
        let known = raters::levels(draft.facets(), &folder, &mut found);
        let environment = secret::environment();
        let outside =
            self.purpose.map(|purpose| Outside { folder: &folder, environment: &environment, purpose });
        let mut others = RelatedStudies::default();
        if self.purpose == Some(Purpose::Collect) {
            features::check(&draft, &mut found);
            let recruits = |spec: &Spec| {
                spec.collection.backend.as_ref().is_some_and(|backend| backend.recruits().is_some())
            };
            if let Some(spec) = draft.spec_mut().filter(|spec| recruits(spec)) {
                others = related::find(&spec.collection.recruitment, &folder, &mut found);
            }
        }
        let located = |mut found: Diagnostics, document: &Document| {
            found.locate(document);
            found.sort();
            found
        };
        let Some(stimuli) = stimuli else { return Err(faults(located(found, &draft.document))) };
        if found.has_errors() {
            found.extend(draft.check(&stimuli, outside, &found));
            return Err(faults(located(found, &draft.document)));
        }
        let SpecSource { spec, document, .. } = draft.finish().map_err(faults)?;
        match Study::within(spec, stimuli, outside) {
            Ok(study) => {
                related::check(&others, study.digest(), &mut found);
                found.extend(study.warnings().iter().cloned());
                if found.has_errors() {
                    return Err(faults(located(found, &document)));
                }
                let warnings = located(found, &document);
                Ok(OpenedStudy {
                    study: study
                        .in_folder(&folder)
                        .with_rater_levels(known.raters)
                        .with_participant_levels(known.participants)
                        .with_related(others),
                    path: path.to_owned(),
                    folder,
                    document,
                    warnings,
                })
            }
            Err(errors) => {
                found.extend(errors);
                Err(faults(located(found, &document)))
            }
        }
    }
}

/// The items in a table of prompts, and notes on its columns.
///
/// # Errors
/// If it is not such a table, with the first reason.
pub fn items_in(table: &Path) -> Result<(Vec<ItemSpec>, Vec<String>), String> {
    let mut at = Diagnostics::new();
    let name = table.file_name().unwrap_or_default().to_string_lossy();
    let items = items::read(table.parent().unwrap_or(Path::new("")), &name, &[], &mut at);
    let mut said = at.iter().map(|one| one.message.clone());
    match items {
        Some(items) => Ok((items, said.collect())),
        None => Err(said.next().unwrap_or_default()),
    }
}

/// Reads at most one byte more than a spec may have, to refuse longer files without reading them completely.
fn read_at_most(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(Limits::default().bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The file next to a spec with the digests of its images and clips.
const CACHE: &str = ".hype-images.jsonl";

/// Finds and reads all stimuli, of the kind that the sets name; `None` if there are too many sets, or if this program was built
/// without their kind.
fn gather_all(
    draft: &Draft,
    folder: &Path,
    progress: &dyn StimulusProgress,
    at: &mut Diagnostics,
) -> Option<Stimuli> {
    let kind = draft.stimuli().iter().next().map_or(MediaKind::Image, |(_, set)| set.files().0);
    match kind {
        MediaKind::Image => gather::<Images>(draft, folder, progress, at),
        #[cfg(feature = "media")]
        MediaKind::Video => gather::<Clips>(draft, folder, progress, at),
        #[cfg(feature = "media")]
        MediaKind::Text => gather::<Texts>(draft, folder, progress, at),
        #[cfg(not(feature = "media"))]
        MediaKind::Video | MediaKind::Text => {
            at.field("stimuli")
                .error("missing-feature", format!("this program was built without {}", kind.plural()))
                .help("build it with `cargo install --path hype-cli --features media`");
            None
        }
    }
}

/// Finds and reads all stimuli of one kind; `None` if there are too many sets.
fn gather<M: Medium>(
    draft: &Draft,
    folder: &Path,
    progress: &dyn StimulusProgress,
    at: &mut Diagnostics,
) -> Option<Stimuli> {
    let mut cache = Cache::open(&folder.join(CACHE));
    let mut sets = Vec::new();
    let mut files: Vec<Vec<M::Inspected>> = Vec::new();
    let mut shown: Vec<Stimulus> = Vec::new();
    for (name, set) in draft.stimuli().iter() {
        at.within("stimuli", |at| {
            at.within(name, |at| {
                for found in facets::find::<M>(name, set, draft.facets(), folder, at) {
                    let (gold, levels) = (set.answers.clone(), found.levels);
                    let read = |done| progress.read(&found.name, done, found.files.len());
                    files.push(M::inspect(&found.files, &mut cache, &read, at));
                    let opened = StimulusSet::new(&found.name, set.role, set.used_for);
                    sets.push(opened.with_gold(gold).with_levels(levels));
                }
            });
        });
    }
    let listed = at.within("items", |at| Some(items::listed(draft.items()?, draft.facets(), folder, at)));
    if let Some(Some(listed)) = &listed {
        let [images, judged] = items::condition_files(listed, folder, M::is_source);
        if !(images.is_empty() && judged.is_empty()) {
            if sets.iter().any(|set| &*set.name == items::CONDITIONS) {
                at.within("stimuli", |at| {
                    at.field(items::CONDITIONS)
                        .error("taken-name", "this name is reserved for conditions of items")
                        .help("give the set another name");
                });
            }
            let set = SetId(sets.len() as u16);
            let all = images.len() + judged.len();
            let read = |done| progress.read(items::CONDITIONS, done, all);
            let inspected = at.within("items", |at| Images::inspect(&images, &mut cache, &read, at));
            shown.extend(inspected.iter().map(|image| Images::stimulus(set, image)));
            let read = |done| progress.read(items::CONDITIONS, images.len() + done, all);
            let inspected = at.within("items", |at| M::inspect(&judged, &mut cache, &read, at));
            shown.extend(inspected.iter().map(|file| M::stimulus(set, file)));
            sets.push(StimulusSet::new(items::CONDITIONS, Role::Real, Use::Condition));
        }
    }
    // A failure is ignored, as a cache only saves time.
    let _ = cache.save();
    let mut all: Vec<Stimulus> = files
        .iter()
        .enumerate()
        .flat_map(|(set, files)| files.iter().map(move |file| M::stimulus(SetId(set as u16), file)))
        .chain(shown)
        .collect();
    let mut resolved = Vec::new();
    if let (Some(section), Some(listed)) = (draft.items(), listed) {
        let keys = items::Keys::new(section.matched_by, draft.stimuli());
        resolved = match listed {
            Some(listed) => items::resolve(&listed, &conditions(&sets, &all)),
            None => items::named(keys, &sets, &all),
        };
        if section.matched_by == MatchedBy::Seed && section.table.is_some() | !section.list.is_empty() {
            resolved = items::with_seeds(resolved, keys, &sets, &all);
        }
        items::match_stimuli(section, keys, &resolved, &sets, &mut all, at);
    }
    if draft.playback().unequal == Unequal::Cut {
        M::cut(folder, &resolved, &mut all, at);
    }
    M::compare(&sets, &files, &all, at);
    match Stimuli::with_items(sets, all, resolved) {
        Ok(stimuli) => Some(stimuli),
        Err(error) => {
            at.field("stimuli").error("too-many", error.to_string());
            None
        }
    }
}

/// The stimuli of conditions by their paths.
fn conditions(sets: &[StimulusSet], all: &[Stimulus]) -> HashMap<Arc<str>, StimulusId> {
    let is_condition = |stimulus: &Stimulus| sets[usize::from(stimulus.set.0)].used_for == Use::Condition;
    let numbered = all.iter().enumerate().filter(|(_, stimulus)| is_condition(stimulus));
    numbered.map(|(id, stimulus)| (Arc::clone(&stimulus.path), StimulusId(id as u32))).collect()
}
