//! Preregistrations: what was decided about a study before anybody came, and what is different from it later.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hype_core::model::findings::{Collection, Fact, GeneralizeTo, Note, StudyCard};
use hype_core::study::analysis::{software, target_of_inference};
use hype_core::study::spec::Hypothesis;
use hype_core::words::counted;
use hype_core::{Digest, Findings, Measure, SetId, Store, Study};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::ExportError;
use super::export;

mod differences;
mod rules;
mod text;

pub use self::differences::Difference;
pub use self::rules::RegisteredRule;

/// The version of the layout; raised when a field changes its meaning or is removed.
const FORMAT: u32 = 1;

/// The kind of stopping without a rule: the collection ends when all places are filled.
const ALL_PLACES: &str = "all-places";

/// The decisions about a study before any answer: hypotheses, protocol, population, exclusions, stopping, and analysis.
///
/// It follows from the spec, the stimuli and the program alone, without a date: anyone who has them can write it again
/// and compare. Where it is deposited, such as in a public registry, says when it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// The version of this layout.
    pub format: u32,
    /// The program that wrote it, with its version.
    pub software: Arc<str>,
    /// The study's name.
    pub name: Arc<str>,
    /// The subject of the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// The digests that identify it.
    pub digests: RegisteredDigests,
    /// The questions and the stimuli of raters.
    pub protocol: RegisteredProtocol,
    /// How many raters there are, how models are assigned to them, how they are reached and paid.
    pub population: Value,
    /// Who is left out of the findings.
    pub exclusions: RegisteredExclusions,
    /// When the collection ends.
    pub stopping: Value,
    /// From answers to findings.
    pub analysis: RegisteredAnalysis,
    /// The data collected when this was written; `None` if there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collected_before: Option<CollectedBefore>,
    /// Whether answers may be kept where this program did not look, in the database of the section `store`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub store_not_read: bool,
}

/// The digests that identify a registered study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisteredDigests {
    /// The session digest: of task, stimuli, seed and the raters' protocol.
    pub protocol: Digest,
    /// The digest of the stimuli by name and content.
    pub stimuli: Digest,
    /// The digest of [`Registration::analysis`], as JSON with sorted keys and without white space.
    pub analysis: Digest,
}

/// The questions and the stimuli of raters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegisteredProtocol {
    /// The task with all its settings.
    pub task: Value,
    /// The task's version.
    pub task_version: u32,
    /// The seed of all randomness.
    pub seed: u64,
    /// The random generator.
    pub generator: Arc<str>,
    /// The masks, if the spec sets them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub masks: Value,
    /// The sets of stimuli: name, role, use, and number of stimuli.
    pub sets: Vec<Value>,
    /// The number of items.
    pub items: usize,
    /// The facts that follow from the settings, such as a staircase's target.
    pub facts: Vec<Fact>,
    /// The meaning of the settings, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Arc<str>>,
    /// The texts that raters read before they begin.
    pub guidance: Vec<Arc<str>>,
}

/// Who is left out of the findings, in addition to raters who do not complete a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegisteredExclusions {
    /// The qualification that raters have to pass, or `null`.
    pub qualification: Value,
    /// The rule on response times, or `null`.
    pub speed: Value,
    /// The quality checks of a completed session, and what follows from failing them, without those of what a page reports,
    /// which only flag; `None` if they cannot be listed, as synthetic raters do not complete a session of the study.
    pub rules: Option<Vec<RegisteredRule>>,
    /// Raters excluded by the operator by hand: none, when a study is registered before collection.
    pub by_operator: usize,
}

/// From answers to findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegisteredAnalysis {
    /// The hypotheses of the study.
    pub hypotheses: Vec<Hypothesis>,
    /// The rubric with all its settings.
    pub rubric: Value,
    /// Its measures; the study's score comes first.
    pub measures: Vec<Measure>,
    /// The aggregators with all their settings.
    pub aggregate: Value,
    /// Whether the items are declared as fixed, and are not a sample of others.
    pub fixed_items: bool,
    /// The scope of results unless an aggregator says otherwise, as follows from the items.
    pub generalize_to: GeneralizeTo,
    /// The scope of each aggregator's results in its settings; `None` where they say nothing.
    pub aggregators_generalize_to: Vec<Option<GeneralizeTo>>,
}

/// The data collected when a study was registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectedBefore {
    /// The session digest of the study that was collected.
    pub protocol: Digest,
    /// Its sessions and answers.
    #[serde(flatten)]
    pub counts: Collection,
}

/// A registration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// The file cannot be read; the reader checks the path and the permissions.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is not a registration.
    #[error("{} is not a preregistration of hype in JSON: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: serde_json::Error,
    },
    /// The file was written by another version.
    #[error("{} has format {found}, and this program reads format {FORMAT}", path.display())]
    AnotherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Registration {
    /// The registration of a study, under what its operators have decided so far.
    #[must_use]
    pub fn of(study: &Study) -> Self {
        let (spec, stimuli) = (study.spec(), study.stimuli());
        let StudyCard { study: protocol, stimuli: pinned, generator, protocol: facts, .. } = study.card();
        let analysis = RegisteredAnalysis::of(study);
        let sets = stimuli.sets().iter().enumerate().map(|(place, set)| {
            let members = stimuli.members(SetId(place as u16)).len();
            json!({ "name": set.name, "role": set.role, "use": set.used_for, "stimuli": members })
        });
        Self {
            format: FORMAT,
            software: software(),
            name: Arc::clone(&spec.name),
            description: spec.description.clone(),
            digests: RegisteredDigests {
                protocol,
                stimuli: pinned,
                analysis: Digest::of_json(&setting(&analysis)),
            },
            protocol: RegisteredProtocol {
                task: setting(&spec.protocol.task),
                task_version: study.task().version(),
                seed: spec.protocol.seed,
                generator,
                masks: setting(&spec.protocol.masks),
                sets: sets.collect(),
                items: stimuli.items().len(),
                facts,
                settings: study.profile().settings.iter().map(|text| study.words().worded(text)).collect(),
                guidance: study.worded_guidance().into_iter().map(Into::into).collect(),
            },
            population: population(study),
            exclusions: RegisteredExclusions {
                qualification: setting(&spec.protocol.qualification),
                speed: setting(&spec.protocol.speed),
                rules: rules::of(study),
                by_operator: study.control().excluded().len(),
            },
            stopping: stopping(study),
            analysis,
            collected_before: None,
            store_not_read: spec.collection.store.is_some(),
        }
    }

    /// Adds what has been collected already, by the store of a study.
    ///
    /// # Errors
    /// If the store fails or a log is damaged.
    pub fn after(mut self, collected: &Study, store: &dyn Store) -> Result<Self, ExportError> {
        let mut counts = Collection { places: collected.places(), ..Collection::default() };
        export::each_record(store, |record| {
            match &record.outcome {
                _ if record.erased.is_some() => counts.count_erased(),
                outcome => {
                    counts.count(outcome.as_ref().map(|outcome| outcome.ending), record.trials.len() as u64);
                }
            }
            Ok(())
        })?;
        self.store_not_read = false;
        if counts.sessions > 0 {
            self.collected_before = Some(CollectedBefore { protocol: collected.digest(), counts });
        }
        Ok(self)
    }

    /// Reads a registration from JSON.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a registration of this version.
    pub fn read(path: &Path) -> Result<Self, RegistrationError> {
        let path = || path.to_owned();
        let text =
            std::fs::read(path()).map_err(|source| RegistrationError::Disk { path: path(), source })?;
        let invalid = |source| RegistrationError::Invalid { path: path(), source };
        let value: Value = serde_json::from_slice(&text).map_err(invalid)?;
        match value["format"].as_u64().and_then(|found| u32::try_from(found).ok()) {
            Some(found) if found != FORMAT => Err(RegistrationError::AnotherFormat { path: path(), found }),
            _ => serde_json::from_value(value).map_err(invalid),
        }
    }

    /// The registration as indented JSON.
    ///
    /// # Errors
    /// If a setting of a plugin cannot be serialized.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// The registration as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        text::registration(self)
    }

    /// Returns the differences between a registration and a study with its findings, one by one, in the order of the
    /// registration; empty if there are none. Names and descriptions are not compared.
    #[must_use]
    pub fn differences(&self, study: &Study, findings: &Findings) -> Vec<Difference> {
        differences::between(self, &Self::of(study), findings)
    }

    /// Returns notes for readers of registered findings: each difference, or that there is none, and whether
    /// the study was registered after answers had been collected.
    #[must_use]
    pub fn notes(&self, study: &Study, findings: &Findings) -> Vec<Note> {
        let late = match &self.collected_before {
            None if self.store_not_read => Some(
                "it is not known whether answers had been collected when the study was registered".to_owned(),
            ),
            None => None,
            Some(before) => Some(format!(
                "when the study was registered, {} of {} had been collected",
                counted(before.counts.responses, "answer"),
                counted(before.counts.sessions, "session")
            )),
        };
        let late = late.map(|text| Note::meaning("registered-late", text));
        let differences = self.differences(study, findings);
        let as_registered = differences.is_empty().then(|| {
            let RegisteredDigests { protocol, analysis, .. } = self.digests;
            let text = format!(
                "protocol and analysis are as registered (digests {} and {})",
                protocol.short(),
                analysis.short()
            );
            Note::setting("as-registered", text)
        });
        let differences = differences.iter().map(|one| Note::meaning("not-as-registered", one.to_string()));
        late.into_iter().chain(as_registered).chain(differences).collect()
    }
}

impl RegisteredAnalysis {
    fn of(study: &Study) -> Self {
        let spec = study.spec();
        let aggregators = spec.analysis.aggregate.0.iter();
        Self {
            hypotheses: spec.analysis.hypotheses.clone(),
            rubric: setting(&spec.analysis.rubric),
            measures: study.rubric().measures(),
            aggregate: setting(&spec.analysis.aggregate),
            fixed_items: spec.protocol.items.as_ref().is_some_and(|items| items.fixed),
            generalize_to: target_of_inference(study),
            aggregators_generalize_to: aggregators.map(|one| one.generalizes_to()).collect(),
        }
    }
}

/// A setting as JSON. Settings that cannot be serialized could not have been read either.
fn setting<T: Serialize>(setting: &T) -> Value {
    serde_json::to_value(setting).unwrap_or_default()
}

fn population(study: &Study) -> Value {
    let spec = study.spec();
    let mut raters = setting(&spec.raters());
    if let Some(fields) = raters.as_object_mut() {
        // These are exclusions.
        fields.remove("qualification");
        fields.remove("speed");
    }
    raters["places"] = json!(study.places());
    raters["reached_by"] = json!(spec.collection.backend.as_ref().map(|backend| backend.typetag_name()));
    raters
}

/// The rule by which the collection ends before its places are filled: the section `stopping` of the spec. Without one, the
/// collection ends when all places are filled.
fn stopping(study: &Study) -> Value {
    match setting(study.spec())["stopping"].take() {
        Value::Null => json!({ "kind": ALL_PLACES }),
        rule => rule,
    }
}
