//! A study's folder: the resolved spec, the digests of the stimuli, what is known of raters, the logs, the findings.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::model::findings::Findings;
use hype_core::model::stimulus::StimuliError;
use hype_core::study::spec::Spec;
use hype_core::{
    Digest, Event, Item, LevelsByName, Stimuli, Stimulus, StimulusSet, Store, StoreError, StoreExt as _,
    Study,
};
use hype_images::replace_file;
use serde::{Deserialize, Serialize};

use self::logs::{Logs, Opening};
use crate::SecretError;
use crate::exchange::StudyDownloads;
use crate::simulated::simulated_note;

mod backup;
mod logs;
#[cfg(feature = "crowd")]
mod money;

#[cfg(feature = "crowd")]
pub use self::money::MoneyOfFolder;

const SPEC: &str = "spec.yaml";
const STIMULI: &str = "stimuli.json";
const RATERS: &str = "raters.json";
const ABOUT: &str = "about.json";
const LOCK: &str = "lock";
/// Whether the study spends real money, if it recruits.
const MONEY: &str = "money";
const FINDINGS: &str = "findings.json";

/// The version of the folder's layout.
const LAYOUT: u32 = 2;

/// The folder of a study, with its store: a file in the folder, or the database in the spec's `store`.
pub struct StudyFolder {
    path: PathBuf,
    study: Study,
    store: Arc<dyn Store>,
    simulated: bool,
    /// Locked while this program collects into the folder's own file.
    _lock: Option<File>,
}

impl fmt::Debug for StudyFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudyFolder").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The content of `about.json`.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    layout: u32,
    software: String,
    simulated: bool,
    /// Whether the logs are in a shared database and not in the folder.
    #[serde(default, skip_serializing_if = "is_false")]
    shared: bool,
    digest: Digest,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The stimuli as stored in the folder, from which a study is scored without its files.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    sets: Vec<StimulusSet>,
    stimuli: Vec<Stimulus>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<Item>,
}

/// A study's folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder does not contain a study; the operator chooses another one.
    #[error("{} is not the folder of a study: it contains no {missing}", path.display())]
    NotAStudy {
        /// The folder.
        path: PathBuf,
        /// The missing file.
        missing: &'static str,
    },
    /// A file in the folder cannot be read or written; the operator checks disk space and permissions.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file in the folder was altered or damaged; the operator restores it.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A copy would overwrite something; the operator names a new folder.
    #[error("{} exists: name a new folder for the copy", path.display())]
    Taken {
        /// The existing path.
        path: PathBuf,
    },
    /// The folder is a copy of a study whose logs are in a database; the operator restores it.
    #[error("{0} is a backup: `hype restore {0} FOLDER` makes a study of it again", path.display())]
    Backup {
        /// The folder.
        path: PathBuf,
    },
    /// Another program is collecting into the folder; the operator waits or stops it.
    #[error("{} is in use by another process of hype", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains something else; the operator chooses a new folder, and nothing is overwritten.
    #[error("{} is not the folder of a study: it contains {holds}; choose a new folder", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The content that it has.
        holds: String,
    },
    /// The folder contains another study; the operator chooses another folder, or restores the spec of that study.
    #[error(
        "{} contains {found}, not {wanted}: the spec, its stimuli or the synthetic raters have changed since \
         collection began. Choose another folder with --study, or restore the spec", path.display()
    )]
    AnotherStudy {
        /// The folder.
        path: PathBuf,
        /// The content of the folder.
        found: String,
        /// The expected content.
        wanted: String,
    },
    /// The folder contains a study of people and this study has synthetic raters, or the reverse. The operator chooses
    /// another folder.
    #[error(
        "{} contains answers of {found}, but this study has {wanted}: people and synthetic raters cannot share a \
         study. Choose another folder with --study", path.display()
    )]
    OtherRaters {
        /// The folder.
        path: PathBuf,
        /// Whose answers the folder contains.
        found: &'static str,
        /// Who would answer now.
        wanted: &'static str,
    },
    /// The answers are not where the spec says; the operator restores the original `store`, or chooses another folder.
    #[error(
        "the answers of {} are stored {found}, but the spec's `store` now says {wanted}: restore it, or choose \
         another folder with --study", path.display()
    )]
    AnotherStore {
        /// The folder.
        path: PathBuf,
        /// Where the answers are.
        found: &'static str,
        /// Where the spec says.
        wanted: &'static str,
    },
    /// The folder's study was listed with real money and this one is a rehearsal, or the reverse. The operator chooses another folder.
    #[cfg(feature = "crowd")]
    #[error("{} has {found}, and this is {wanted}: choose another folder with --study", path.display())]
    OtherMoney {
        /// The folder.
        path: PathBuf,
        /// The money in the folder.
        found: MoneyOfFolder,
        /// The expected money.
        wanted: MoneyOfFolder,
    },
    /// The spec's `store` names an environment variable that cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The folder was written by another version.
    #[error("{} has layout {found}, and this program reads layout {LAYOUT}", path.display())]
    AnotherLayout {
        /// The folder.
        path: PathBuf,
        /// Its layout.
        found: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StudyFolder {
    /// Opens a study's folder for collection, and creates it if it does not exist.
    ///
    /// A simulated study has the raters of its `simulate` section. It never shares a folder with people.
    ///
    /// # Errors
    /// If the folder belongs to another study or is in use, or if the disk fails.
    pub fn collect_into(path: &Path, study: &Study, simulated: bool) -> Result<Self, FolderError> {
        let logs = Logs::of(study.spec(), simulated)?;
        fs::create_dir_all(path).map_err(disk(path))?;
        let lock = if logs.are_shared() { None } else { Some(lock(path)?) };
        let wanted = About {
            layout: LAYOUT,
            software: hype_core::study::analysis::software().to_string(),
            simulated,
            shared: logs.are_shared(),
            digest: digest(study, simulated),
        };
        if !path.join(ABOUT).exists() {
            refuse_foreign(path)?;
        } else {
            let found = About::read(path)?;
            if found.simulated != simulated {
                return Err(FolderError::OtherRaters {
                    path: path.to_owned(),
                    found: found.raters(),
                    wanted: wanted.raters(),
                });
            }
            if found.digest != wanted.digest {
                return Err(FolderError::AnotherStudy {
                    path: path.to_owned(),
                    found: found.name(),
                    wanted: wanted.name(),
                });
            }
            if found.shared != wanted.shared {
                return Err(FolderError::AnotherStore {
                    path: path.to_owned(),
                    found: found.place(),
                    wanted: wanted.place(),
                });
            }
        }
        let manifest = Manifest {
            sets: study.stimuli().sets().to_vec(),
            stimuli: study.stimuli().all().to_vec(),
            items: study.stimuli().items().to_vec(),
        };
        write(&path.join(STIMULI), &json(&path.join(STIMULI), &manifest)?)?;
        write(&path.join(SPEC), &yaml(&path.join(SPEC), study.spec())?)?;
        // Written last: a folder without this file counts as new.
        write(&path.join(ABOUT), &json(&path.join(ABOUT), &wanted)?)?;
        let store = logs.open(path, Opening::ToCollect)?;
        let study = under_control(&identified(study, &store)?, &*store)?;
        write_raters(path, study.rater_levels())?;
        Ok(Self { path: path.to_owned(), study, store, simulated, _lock: lock })
    }

    /// Opens a study whose answers are in the database that its spec names, and makes its folder from the spec and the stimuli;
    /// `None` if the spec names none, or nothing was collected there.
    ///
    /// # Errors
    /// As [`collect_into`](Self::collect_into); also if the database contains another study.
    pub fn of_database(path: &Path, study: &Study) -> Result<Option<Self>, FolderError> {
        let logs = Logs::of(study.spec(), false)?;
        if !logs.are_shared() {
            return Ok(None);
        }
        let store = logs.open(path, Opening::ToRead)?;
        if crate::block_on(store.sessions(None, 1))?.is_empty() {
            return Ok(None);
        }
        crate::block_on(store.bind(study.digest()))?;
        Self::collect_into(path, study, false).map(Some)
    }

    /// Opens a study's folder for reading. The files of the stimuli are not needed.
    ///
    /// # Errors
    /// If the folder does not contain a study or is damaged, or if the disk fails.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let (simulated, study) = Self::study_in(path)?;
        let store = Logs::of(study.spec(), simulated)?.open(path, Opening::ToRead)?;
        let study = under_control(&study, &*store)?;
        Ok(Self { path: path.to_owned(), study, store, simulated, _lock: None })
    }

    /// Reads a folder's study without its logs, and whether its raters are synthetic.
    fn study_in(path: &Path) -> Result<(bool, Study), FolderError> {
        let about = About::read(path)?;
        let spec_path = path.join(SPEC);
        let text = fs::read(&spec_path).map_err(disk(&spec_path))?;
        let spec = Spec::read(&text).map_err(|faults| damaged(&spec_path, &faults))?.spec;
        let manifest_path = path.join(STIMULI);
        let text = fs::read(&manifest_path).map_err(disk(&manifest_path))?;
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|error| damaged(&manifest_path, &error))?;
        let stimuli = Stimuli::with_items(manifest.sets, manifest.stimuli, manifest.items)
            .map_err(|error: StimuliError| damaged(&manifest_path, &error))?;
        let study = Study::new(spec, stimuli).map_err(|faults| damaged(&spec_path, &faults))?;
        let study = study.with_rater_levels(read_raters(path)?);
        if digest(&study, about.simulated) != about.digest {
            return Err(damaged(&spec_path, &"the spec or the stimuli were altered after collection began"));
        }
        Ok((about.simulated, study))
    }

    /// The study, under what operators had decided when the folder was opened.
    #[must_use]
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The log.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The log, for backends to write to.
    #[must_use]
    pub fn shared_store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Whether the raters are synthetic.
    #[must_use]
    pub const fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// Returns the files that operators can download while the study is collected.
    #[must_use]
    pub fn downloads(&self) -> StudyDownloads {
        StudyDownloads::new(&self.path, self.simulated)
    }

    /// Removes what is known of the raters of these sessions from the folder.
    ///
    /// # Errors
    /// If the store or the disk fails.
    pub fn forget_raters(&self, sessions: &[String]) -> Result<(), FolderError> {
        let mut levels = self.study.rater_levels().clone();
        if levels.is_empty() {
            return Ok(());
        }
        for session in sessions {
            if let Some(Event::Opened(header)) = crate::block_on(self.store.load(session))?.first() {
                levels.remove(&header.rater);
            }
        }
        write_raters(&self.path, &levels)
    }

    /// Writes the findings into the folder, after adding a note if the raters are synthetic.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn save(&self, findings: &mut Findings) -> Result<(), FolderError> {
        if self.simulated {
            findings.add_notes([simulated_note()]);
        }
        let path = self.path.join(FINDINGS);
        write(&path, &json(&path, findings)?)
    }
}

/// The study with the levels of a panel's participants as those of the raters that they are, according to a store. Nothing is known
/// of participants who did not take part or were forgotten.
#[cfg_attr(
    not(feature = "web"),
    expect(unused_variables, unused_mut, reason = "only the rater page has participants")
)]
fn identified(study: &Study, store: &Arc<dyn Store>) -> Result<Study, StoreError> {
    let mut levels = study.rater_levels().clone();
    #[cfg(feature = "web")]
    if !study.participant_levels().is_empty() {
        let people = crate::block_on(hype_backends::web::Participants::of(Arc::clone(store)))
            .map_err(|fault| StoreError::failed(fault.to_string()))?;
        for (participant, known) in study.participant_levels() {
            if let Some(rater) = crate::block_on(people.rater(participant))? {
                levels.entry(rater.into()).or_default().extend(known.clone());
            }
        }
    }
    Ok(study.clone().with_rater_levels(levels).with_participant_levels(LevelsByName::new()))
}

/// The study under what operators decided, according to a store.
fn under_control(study: &Study, store: &dyn Store) -> Result<Study, StoreError> {
    Ok(study.under(crate::block_on(hype_core::study::control::control(store))?))
}

impl About {
    fn read(path: &Path) -> Result<Self, FolderError> {
        if path.join(backup::DUMP).exists() {
            return Err(FolderError::Backup { path: path.to_owned() });
        }
        let about_path = path.join(ABOUT);
        let text = match fs::read(&about_path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(FolderError::NotAStudy { path: path.to_owned(), missing: ABOUT });
            }
            Err(source) => return Err(disk(&about_path)(source)),
        };
        let about: Self = serde_json::from_slice(&text).map_err(|error| damaged(&about_path, &error))?;
        if about.layout != LAYOUT {
            return Err(FolderError::AnotherLayout { path: path.to_owned(), found: about.layout });
        }
        Ok(about)
    }

    fn name(&self) -> String {
        let raters = if self.simulated { "simulated study" } else { "study" };
        format!("{raters} {}", self.digest.short())
    }

    fn raters(&self) -> &'static str {
        if self.simulated { "synthetic raters" } else { "people or scripts" }
    }

    fn place(&self) -> &'static str {
        if self.shared { "in a database" } else { "in the folder" }
    }
}

/// Writes the levels of raters into a study's folder, or removes them if nothing is known.
fn write_raters(folder: &Path, levels: &LevelsByName) -> Result<(), FolderError> {
    let path = folder.join(RATERS);
    if !levels.is_empty() {
        return write(&path, &json(&path, levels)?);
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(&path)(error)),
        _ => Ok(()),
    }
}

/// The levels of raters in a study's folder; none if nothing is known.
fn read_raters(folder: &Path) -> Result<LevelsByName, FolderError> {
    let path = folder.join(RATERS);
    match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|error| damaged(&path, &error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(LevelsByName::new()),
        Err(error) => Err(disk(&path)(error)),
    }
}

/// Locks a folder against collection by other programs.
fn lock(path: &Path) -> Result<File, FolderError> {
    let lock_path = path.join(LOCK);
    let lock = File::create(&lock_path).map_err(disk(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(disk(&lock_path)(source)),
    }
}

/// Refuses a folder that contains anything other than an interrupted start of a study. The stimuli are written before
/// the spec.
fn refuse_foreign(path: &Path) -> Result<(), FolderError> {
    let begun = path.join(STIMULI).exists();
    for entry in fs::read_dir(path).map_err(disk(path))? {
        let name = entry.map_err(disk(path))?.file_name();
        let known = [LOCK, STIMULI, RATERS, SPEC].iter().any(|own| name == *own) || is_unfinished(&name);
        if !known || (name == SPEC && !begun) {
            let holds = name.to_string_lossy().into_owned();
            return Err(FolderError::Foreign { path: path.to_owned(), holds });
        }
    }
    Ok(())
}

/// Whether a file was left behind by a program that was stopped while writing.
fn is_unfinished(name: &std::ffi::OsStr) -> bool {
    let Some((file, rest)) = name.to_str().and_then(|name| name.strip_suffix(".new")?.rsplit_once('.'))
    else {
        return false;
    };
    [STIMULI, RATERS, SPEC, ABOUT].contains(&file)
        && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// The digest of everything that must not change during collection.
fn digest(study: &Study, simulated: bool) -> Digest {
    let spec = study.spec();
    let own = spec.collection.backend.as_ref().filter(|backend| backend.is_simulated());
    let cohort = simulated.then(|| serde_json::json!([spec.collection.simulate, own]));
    Digest::of_json(&serde_json::json!([study.digest().to_string(), cohort]))
}

fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> FolderError {
    let path = path.to_owned();
    |source| FolderError::Disk { path, source }
}

fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> FolderError {
    FolderError::Damaged { path: path.to_owned(), reason: reason.to_string() }
}

fn json<T: Serialize>(path: &Path, value: &T) -> Result<String, FolderError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| damaged(path, &error))?;
    text.push('\n');
    Ok(text)
}

fn yaml<T: Serialize>(path: &Path, value: &T) -> Result<String, FolderError> {
    serde_yaml::to_string(value).map_err(|error| damaged(path, &error))
}

/// Writes a file completely or not at all. A file that already has this content is not touched.
fn write(path: &Path, text: &str) -> Result<(), FolderError> {
    if fs::read(path).is_ok_and(|before| before == text.as_bytes()) {
        return Ok(());
    }
    let write = |mut file: &File| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    replace_file(path, write).map_err(disk(path))
}
