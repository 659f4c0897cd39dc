//! Studies: specs with their stimuli, ready for sessions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostics::Diagnostics;
use crate::model::check::{self, Check, CheckState, Consequence};
use crate::model::digest::Digest;
use crate::model::facet::{Facet, LevelsByName};
use crate::model::findings::{Fact, StudyCard};
use crate::model::guidance::Guidance;
use crate::model::ids::SetId;

use crate::model::record::{Ending, Erased, Header, Place, SessionRecord};
use crate::model::stimulus::Stimuli;
use crate::model::units::Micros;
use crate::plugin::cohort::Wanted;
use crate::plugin::description::{Asks, Description};
use crate::plugin::rubric::{RubricSpec, Scoring};
use crate::plugin::surroundings::{Outside, Purpose};
use crate::plugin::task::{Design, Effort, Profile, TaskSpec};
use crate::plugin::translations::Catalogue;
use crate::protocol::chance::{GENERATOR, Streams};
use crate::protocol::control::{ActionRefused, Admission, Control};
use crate::protocol::places::Release;
use crate::protocol::playback::Playback;
use crate::protocol::raters::Raters;
use crate::protocol::recruitment::Retainer;
use crate::protocol::waiting::WaitingRoom;
use crate::protocol::{comprehension, playback, speed};
use crate::study::related::RelatedStudies;
use crate::study::spec::{Spec, facets_of};

pub mod analysis;
pub mod backend;
pub mod control;
pub mod erasure;
mod journal;
pub mod ledger;
pub mod places;
pub mod related;
pub mod session;
pub mod spec;
pub mod stopping;
mod surveyed;

use self::surveyed::SurveyLength;

/// A spec with its stimuli, identified by content. Sessions, scores and findings are derived from it.
#[derive(Debug, Clone)]
pub struct Study {
    spec: Arc<Spec>,
    raters: Arc<Raters>,
    stimuli: Arc<Stimuli>,
    description: Arc<Description>,
    models: Vec<SetId>,
    /// The models in groups; each rater judges one group.
    groups: Arc<[Vec<SetId>]>,
    places: u32,
    digest: Digest,
    chance: Streams,
    surveys: SurveyLength,
    profile: Arc<Profile>,
    warnings: Diagnostics,
    folder: PathBuf,
    /// The levels of raters, by rater.
    rater_levels: Arc<LevelsByName>,
    /// The levels of a panel's participants, by the panel's ids.
    participant_levels: Arc<LevelsByName>,
    /// Other studies whose participants matter.
    related: Arc<RelatedStudies>,
    /// The operators' decisions.
    control: Arc<Control>,
}

impl Study {
    /// Combines a spec with its stimuli.
    ///
    /// # Errors
    /// Every fault that [`Spec::check`] finds, warnings among them, if any of them is an error.
    pub fn new(spec: Spec, stimuli: Stimuli) -> Result<Self, Diagnostics> {
        Self::within(spec, stimuli, None)
    }

    /// Combines a spec with its stimuli for a study that is about to run, and also checks what lies outside the spec.
    ///
    /// # Errors
    /// Every fault that [`Spec::check_within`] finds, warnings among them, if any of them is an error.
    pub fn within(spec: Spec, stimuli: Stimuli, outside: Option<Outside<'_>>) -> Result<Self, Diagnostics> {
        let found = spec.check_within(&stimuli, outside);
        if found.has_errors() {
            return Err(found);
        }
        let models: Vec<SetId> = stimuli.models().collect();
        let raters = spec.raters();
        let design = Design { stimuli: &stimuli, raters: &raters, rubric: &*spec.analysis.rubric };
        let groups = raters.groups(&stimuli);
        let places = planned_places(&*spec.protocol.task, &design);
        let surveys = SurveyLength::of(&spec.protocol);
        let mut study = Self {
            profile: Arc::new(with_surveys(
                with_presentation(spec.protocol.task.profile(&design), &*spec.protocol.task, &stimuli),
                &surveys,
            )),
            surveys,
            description: Arc::new(spec.protocol.task.describe()),
            models,
            groups: groups.into(),
            places,
            digest: spec.session_digest(&stimuli),
            chance: Streams::new(spec.protocol.seed),
            spec: Arc::new(spec),
            raters: Arc::new(raters),
            stimuli: Arc::new(stimuli),
            warnings: found,
            folder: PathBuf::new(),
            rater_levels: Arc::default(),
            participant_levels: Arc::default(),
            related: Arc::default(),
            control: Arc::default(),
        };
        if outside.is_some_and(|outside| outside.purpose == Purpose::Collect)
            && let Some(backend) = &study.spec.collection.backend
        {
            let mut found = Diagnostics::new();
            found.within("backend", |at| backend.review(&study, at));
            study.warnings.extend(found);
        }
        Ok(study)
    }

    /// The same study with the folder that paths in its spec are relative to; by default the current directory.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..self }
    }

    /// The folder that paths in the spec are relative to.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same study with what is known of its raters: their levels of facets, by rater. They have no effect on sessions.
    #[must_use]
    pub fn with_rater_levels(self, rater_levels: LevelsByName) -> Self {
        Self { rater_levels: Arc::new(rater_levels), ..self }
    }

    /// The levels of raters, by rater.
    #[must_use]
    pub fn rater_levels(&self) -> &LevelsByName {
        &self.rater_levels
    }

    /// The same study with what a panel knows of its participants: their levels of facets, by the panel's ids. They count once it
    /// is known which raters the participants are.
    #[must_use]
    pub fn with_participant_levels(self, participant_levels: LevelsByName) -> Self {
        Self { participant_levels: Arc::new(participant_levels), ..self }
    }

    /// The same study with the other studies that its `raters` name.
    #[must_use]
    pub fn with_related(self, related: RelatedStudies) -> Self {
        Self { related: Arc::new(related), ..self }
    }

    /// Returns the other studies whose participants matter; none before the program that opened the study has found them.
    #[must_use]
    pub fn related(&self) -> &RelatedStudies {
        &self.related
    }

    /// The levels of a panel's participants, by the panel's ids.
    #[must_use]
    pub fn participant_levels(&self) -> &LevelsByName {
        &self.participant_levels
    }

    /// The same study under an operator's decisions: with additional places, and without the raters that the operator
    /// excludes.
    #[must_use]
    pub fn under(&self, control: Arc<Control>) -> Self {
        Self { control, ..self.clone() }
    }

    /// Returns the operators' decisions, as far as this study knows them.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The settings by which raters wait before their first trial; `None` if they need not wait: the spec says nothing of it, the
    /// operator has called, or the study is closed and no one would call.
    #[must_use]
    pub fn held_open(&self) -> Option<&Retainer> {
        let has_to_wait = !self.control.is_called() && self.control.admission() != Admission::Closed;
        self.raters.recruitment.hold_open.as_ref().filter(|_| has_to_wait)
    }

    /// Returns the waiting room of a study that is held open, with so many raters waiting; `None` if its spec does not
    /// say that it is.
    #[must_use]
    pub fn waiting_room(&self, waiting: u32) -> Option<WaitingRoom> {
        let retainer = self.raters.recruitment.hold_open.as_ref()?;
        Some(WaitingRoom { waiting, raters: retainer.raters.get(), is_called: self.control.is_called() })
    }

    /// Checks that there can be raters for an operator to call.
    ///
    /// # Errors
    /// If the study is not held open.
    pub fn check_call(&self) -> Result<(), ActionRefused> {
        match self.raters.recruitment.hold_open {
            Some(_) => Ok(()),
            None => Err(ActionRefused(
                "no rater waits in this study, as its spec has no `raters: { hold_open: … }`".into(),
            )),
        }
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

    /// The warnings of the check.
    #[must_use]
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &dyn TaskSpec {
        &*self.spec.protocol.task
    }

    /// The rubric.
    #[must_use]
    pub fn rubric(&self) -> &dyn RubricSpec {
        &*self.spec.analysis.rubric
    }

    /// The digest of everything that determines the sessions; see [`Spec::session_digest`].
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// How clips are played and texts read.
    #[must_use]
    pub fn playback(&self) -> Playback {
        self.spec.protocol.playback.unwrap_or_default()
    }

    /// The raters.
    #[must_use]
    pub fn raters(&self) -> &Raters {
        &self.raters
    }

    /// Stimuli, raters and rubric in the form that tasks take.
    #[must_use]
    pub fn design(&self) -> Design<'_> {
        Design { stimuli: &self.stimuli, raters: &self.raters, rubric: self.rubric() }
    }

    /// The facets, with the levels that models, items and raters have.
    #[must_use]
    pub fn facets(&self) -> Vec<Facet> {
        let mut facets = facets_of(&self.spec.protocol.facets, self.stimuli(), &self.rater_levels);
        self.order_asked_levels(&mut facets);
        facets
    }

    /// Stimuli and task in the form that rubrics take.
    #[must_use]
    pub fn scoring(&self) -> Scoring<'_> {
        Scoring { stimuli: &self.stimuli, task: &self.description }
    }

    /// Returns what is known about the sessions of this study in advance: the profile of its task, with the time that surveys
    /// take.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The same study without its surveys, for looking at what the task shows. It has another digest, and separate sessions.
    #[must_use]
    pub fn without_surveys(&self) -> Self {
        let protocol = &self.spec.protocol;
        if protocol.before.is_empty() && protocol.after.is_empty() {
            return self.clone();
        }
        let mut spec = Spec::clone(&self.spec);
        (spec.protocol.before, spec.protocol.after) = (Vec::new(), Vec::new());
        let surveys = SurveyLength::default();
        let profile = Arc::new(self.task().profile(&self.design()));
        Self {
            profile,
            digest: spec.session_digest(&self.stimuli),
            spec: Arc::new(spec),
            surveys,
            ..self.clone()
        }
    }

    /// An upper bound on the number of trials in a session: those of the task, and the pages of surveys.
    #[must_use]
    pub fn trials_at_most(&self) -> u32 {
        self.profile().trials_at_most.saturating_add(self.surveys.pages)
    }

    /// The models under study.
    #[must_use]
    pub fn models(&self) -> &[SetId] {
        &self.models
    }

    /// The number of sessions that have to be completed: those of the plan, and those that operators added.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.places.saturating_add(self.control.extra_places())
    }

    /// A place of the plan.
    #[must_use]
    pub fn place(&self, number: u32) -> Place {
        match self.raters.per_item {
            None => Raters::place(number, &self.groups),
            Some(_) => Place { number, models: self.models.clone(), turn: number },
        }
    }

    /// The session of a rater who makes an attempt at a place, as a [`Cohort`](crate::Cohort) is asked for it.
    #[must_use]
    pub fn wanted<'a>(&'a self, place: &'a Place, attempt: u32, rater: &'a str) -> Wanted<'a> {
        Wanted {
            place,
            attempt,
            rater,
            stimuli: &self.stimuli,
            study_chance: &self.chance,
            folder: &self.folder,
        }
    }

    /// Returns the texts that raters read before they begin, as paragraphs: first the guidance of the task, then that
    /// of the rubric.
    #[must_use]
    pub fn guidance(&self) -> Vec<Guidance> {
        let guidance = [self.profile().guidance.clone(), self.rubric().guidance()];
        guidance.into_iter().flatten().collect()
    }

    /// The same in English, in the words of the study's media.
    #[must_use]
    pub fn worded_guidance(&self) -> Vec<String> {
        let words = self.words();
        let paragraph = |paragraph: &Guidance| {
            paragraph.messages().iter().map(|message| words.worded(message)).collect::<Vec<_>>().join(" ")
        };
        self.guidance().iter().map(paragraph).collect()
    }

    /// The English words of the study's media for texts of tasks, rubrics and aggregators.
    #[must_use]
    pub fn words(&self) -> Catalogue {
        Catalogue::linked("en", self.stimuli.kind()).unwrap_or_default()
    }

    /// The root of the study's random streams.
    #[must_use]
    pub fn chance(&self) -> &Streams {
        &self.chance
    }

    /// The random streams of one session.
    #[must_use]
    pub fn session_chance(&self, place: u32, attempt: u32) -> Streams {
        self.chance.child("session", u64::from(place)).child("attempt", u64::from(attempt))
    }

    /// The checks of a completed session: those of the task, then those of [display times](crate::model::check::timing),
    /// of [comprehension](comprehension::check), of the [clock](speed::clock), of
    /// [playback](crate::Playback::check) if clips or texts were shown, and of [speed](speed::SpeedRule::check) if the study
    /// has a rule. An exclusion by the operator is a check that the rater
    /// fails, after those that were declared.
    #[must_use]
    pub fn checks(&self, session: &SessionRecord) -> Vec<Check> {
        let mut checks = self.task().checks(session, &self.stimuli);
        checks.extend(check::timing(session));
        checks.extend(comprehension::check(session));
        checks.extend(speed::clock(session));
        checks.extend(self.playback().check(session, &self.stimuli));
        checks.extend(self.spec.protocol.speed.map(|rule| rule.check(session)));
        checks.extend(self.control.excluded().get(&session.header.rater).map(|exclusion| {
            let why = format!("excluded by the operator: {}", exclusion.reason);
            Check::new(check::OPERATOR, CheckState::Fail, why).with(Consequence::Exclude)
        }));
        checks
    }

    /// The names of the checks that a completed session of this study can have: those of a session without answers, and
    /// those that depend on what the page has reported, but without the operator's exclusions.
    #[must_use]
    pub fn check_names(&self) -> BTreeSet<Arc<str>> {
        let header = Header {
            rater: "".into(),
            place: Place { number: 0, models: Vec::new(), turn: 0 },
            attempt: 0,
            study: self.digest(),
            task: "".into(),
            task_version: 0,
            briefing: None,
            qualified_in: None,
            generator: "".into(),
            software: "".into(),
        };
        let empty = SessionRecord::opened(header);
        let of_page = [check::TIMING, comprehension::COMPREHENSION, speed::CLOCK, playback::PLAYBACK];
        let declared = self.checks(&empty).into_iter().map(|check| check.name);
        declared.filter(|name| **name != *check::OPERATOR).chain(of_page.map(Into::into)).collect()
    }

    /// The check that excludes the rater of a completed session, if any. Another rater then takes the place.
    #[must_use]
    pub fn exclusion(&self, session: &SessionRecord) -> Option<Check> {
        self.checks(session).into_iter().find(Check::excludes)
    }

    /// Whether a session fills its place, that is, was completed by a rater that no rule excludes.
    #[must_use]
    pub fn fills_place(&self, session: &SessionRecord) -> bool {
        session.is_complete() && self.exclusion(session).is_none()
    }

    /// Whether a rater who has answered this many trials, surveys among them, uses up one of the attempts at the place by leaving:
    /// a fifth of a session's trials. Otherwise strangers could take places from a study for good with a few clicks.
    #[must_use]
    pub fn uses_up_attempt(&self, answered: u32) -> bool {
        answered > 0 && u64::from(answered) * 5 >= u64::from(self.trials_at_most())
    }

    /// Why a place is released whose session has ended. Raters who did not qualify or were excluded by a rule have used up an
    /// attempt, and others by [`uses_up_attempt`](Self::uses_up_attempt). A session whose answers were erased counts as it did
    /// before.
    #[must_use]
    pub fn release(&self, session: &SessionRecord) -> Release {
        if let Some(erased) = &session.erased {
            return self.release_erased(erased);
        }
        let ending = session.outcome.as_ref().map(|outcome| outcome.ending);
        let is_attempt = session.has_begun() && self.is_attempt(ending, session.trials.len() as u32);
        Release::after(self.fills_place(session), is_attempt)
    }

    /// [`release`](Self::release) of a session whose answers were erased.
    pub(crate) fn release_erased(&self, erased: &Erased) -> Release {
        Release::after(erased.filled, self.is_attempt(erased.ending, erased.answers))
    }

    fn is_attempt(&self, ending: Option<Ending>, answered: u32) -> bool {
        match ending {
            Some(Ending::Completed | Ending::Disqualified) => answered > 0,
            _ => self.uses_up_attempt(answered),
        }
    }

    /// The identification of the study, for its findings.
    #[must_use]
    pub fn card(&self) -> StudyCard {
        StudyCard {
            name: Arc::clone(&self.spec.name),
            seed: self.spec.protocol.seed,
            study: self.digest,
            spec: self.spec.digest(),
            stimuli: self.stimuli.digest(),
            media: self.stimuli.kind(),
            task: self.task().typetag_name().into(),
            task_version: self.task().version(),
            rubric: self.rubric().typetag_name().into(),
            aggregator: self.aggregators().into(),
            generator: GENERATOR.into(),
            protocol: self.protocol(),
            cells: self.stimuli.cells().filter(|cell| self.is_model(&cell.name)).collect(),
        }
    }

    fn aggregators(&self) -> String {
        let names: Vec<_> = self.spec.analysis.aggregate.0.iter().map(|one| one.typetag_name()).collect();
        names.join(" + ")
    }

    fn is_model(&self, name: &str) -> bool {
        self.models.iter().filter_map(|&model| self.stimuli.set(model)).any(|set| *set.name == *name)
    }

    fn protocol(&self) -> Vec<Fact> {
        let words = self.words();
        let worded = |fact: &Fact| Fact { label: words.worded(&fact.label), ..fact.clone() };
        self.profile().facts.iter().map(worded).collect()
    }
}

/// A task's profile with the time that clips play, or that texts are read: one at a time if the rubric asks, else two. Limited
/// exposures are part of the profile.
fn with_presentation(profile: Profile, task: &dyn TaskSpec, stimuli: &Stimuli) -> Profile {
    if profile.pace.limits_exposure {
        return profile;
    }
    let texts = if matches!(task.describe().asks(), Asks::RubricQuestions(_)) { 1 } else { 2 };
    let each = playback::presentation(stimuli, texts);
    let all = Micros(each.0.saturating_mul(u64::from(profile.trials_at_most)));
    let effort = profile
        .effort
        .map(|Effort { duration, correct }| Effort { duration: duration.saturating_add(all), correct });
    Profile { effort, ..profile }
}

/// A task's profile with the time that surveys take.
fn with_surveys(profile: Profile, surveys: &SurveyLength) -> Profile {
    let effort = profile.effort.map(|Effort { duration, correct }| Effort {
        duration: duration.saturating_add(surveys.duration()),
        correct,
    });
    Profile { effort, ..profile }
}

/// The number of places in the plan of a study.
fn planned_places(task: &dyn TaskSpec, design: &Design<'_>) -> u32 {
    match (design.raters.per_item, task.by_item()) {
        (Some(_), Some(by_item)) => by_item.sessions(design),
        _ => design.raters.places(&design.groups()),
    }
}
