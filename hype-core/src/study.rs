//! Studies: a spec with its stimuli pinned, ready for sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::check::{self, Check};
use crate::model::digest::Digest;
use crate::model::findings::{Fact, StudyCard};
use crate::model::record::{Place, SessionRecord};
use crate::model::stimulus::{SetId, Stimuli};
use crate::plugin::task::Design;
use crate::protocol::chance::{GENERATOR, Streams};
use crate::study::spec::{Raters, Spec};

pub mod analysis;
pub mod session;
pub mod spec;

/// A spec with its stimuli pinned by content: what sessions, scores and findings are made from.
#[derive(Debug, Clone)]
pub struct Study {
    spec: Arc<Spec>,
    stimuli: Arc<Stimuli>,
    models: Vec<SetId>,
    places: u32,
    digest: Digest,
    chance: Streams,
    warnings: Diagnostics,
    folder: PathBuf,
}

impl Study {
    /// Puts a spec and its stimuli together.
    ///
    /// # Errors
    /// Every fault that [`Spec::check`] finds, warnings among them, if any of them is an error.
    pub fn new(spec: Spec, stimuli: Stimuli) -> Result<Self, Diagnostics> {
        let found = spec.check(&stimuli);
        if found.has_errors() {
            return Err(found);
        }
        let models: Vec<SetId> = stimuli.models().collect();
        let design = Design { stimuli: &stimuli, raters: &spec.raters, rubric: &*spec.rubric };
        let places = match spec.raters.per_item {
            None => spec.raters.places(models.len()),
            Some(_) => spec.task.sessions_by_item(&design),
        };
        Ok(Self {
            models,
            places,
            digest: spec.session_digest(&stimuli),
            chance: Streams::new(spec.seed),
            spec: Arc::new(spec),
            stimuli: Arc::new(stimuli),
            warnings: found,
            folder: PathBuf::new(),
        })
    }

    /// The same study with the folder that paths in its spec are relative to. Without one they are relative to
    /// wherever the program runs.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// The folder that paths in the spec are relative to.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The spec.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The stimuli.
    #[must_use]
    pub fn stimuli(&self) -> &Stimuli {
        &self.stimuli
    }

    /// What the check found that is no error.
    #[must_use]
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The digest of what decides the sessions: task, raters' protocol, stimuli, seed.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The raters' protocol.
    #[must_use]
    pub fn raters(&self) -> &Raters {
        &self.spec.raters
    }

    /// Stimuli and raters, as tasks take them.
    #[must_use]
    pub fn design(&self) -> Design<'_> {
        Design { stimuli: &self.stimuli, raters: &self.spec.raters, rubric: &*self.spec.rubric }
    }

    /// The models under study.
    #[must_use]
    pub fn models(&self) -> &[SetId] {
        &self.models
    }

    /// How many sessions have to be completed.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.places
    }

    /// One place of the plan.
    #[must_use]
    pub fn place(&self, number: u32) -> Place {
        match self.spec.raters.per_item {
            None => self.spec.raters.place(number, &self.models),
            Some(_) => Place { number, models: self.models.clone(), turn: number },
        }
    }

    /// What raters read before they begin, in paragraphs: the task's guidance, then the rubric's.
    #[must_use]
    pub fn guidance(&self) -> Vec<Arc<str>> {
        let spec = &self.spec;
        [spec.task.guidance(&self.design()), spec.rubric.guidance()].into_iter().flatten().collect()
    }

    /// The root of the study's chance.
    #[must_use]
    pub fn chance(&self) -> &Streams {
        &self.chance
    }

    /// The chance of one session.
    #[must_use]
    pub fn session_chance(&self, place: u32, attempt: u32) -> Streams {
        self.chance.child("session", u64::from(place)).child("attempt", u64::from(attempt))
    }

    /// What rules say of a completed session: those of the task, and then the one of
    /// [display times](crate::model::check::timing).
    #[must_use]
    pub fn checks(&self, session: &SessionRecord) -> Vec<Check> {
        let mut checks = self.spec.task.checks(session, &self.stimuli);
        checks.extend(check::timing(session));
        checks
    }

    /// The check that leaves a completed session's rater out, if one does; another rater takes the place then.
    #[must_use]
    pub fn exclusion(&self, session: &SessionRecord) -> Option<Check> {
        self.checks(session).into_iter().find(Check::excludes)
    }

    /// What makes the study, for its findings.
    #[must_use]
    pub fn card(&self) -> StudyCard {
        StudyCard {
            name: Arc::clone(&self.spec.name),
            seed: self.spec.seed,
            study: self.digest,
            spec: self.spec.digest(),
            stimuli: self.stimuli.digest(),
            task: self.spec.task.typetag_name().into(),
            task_version: self.spec.task.version(),
            rubric: self.spec.rubric.typetag_name().into(),
            aggregator: self.aggregators().into(),
            generator: GENERATOR.into(),
            protocol: self.protocol(),
        }
    }

    fn aggregators(&self) -> String {
        let names: Vec<_> = self.spec.aggregate.0.iter().map(|one| one.typetag_name()).collect();
        names.join(" + ")
    }

    fn protocol(&self) -> Vec<Fact> {
        self.spec.task.facts(&self.design())
    }
}
