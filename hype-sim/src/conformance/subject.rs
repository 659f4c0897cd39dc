//! What a suite is run on, and how its sessions are played.

use hype_core::model::trial::{Phase, Step};
use hype_core::study::session::Accepted;
use hype_core::{
    ErasedRubric, ErasedTask, Event, Inputs, Machine, Micros, Rater, Raters, Response, Session, Spec,
    Stimuli, Stream, Streams, Study, Timing, Trial, Truth,
};

use crate::population::Population;
use crate::rater::{Behaviour, SyntheticRater, Traits, wrong_answer};

/// A task and a design to test it with.
#[derive(Debug, Clone)]
pub struct Subject {
    task: Box<dyn ErasedTask>,
    stimuli: Stimuli,
    raters: Raters,
    rubric: Option<Box<dyn ErasedRubric>>,
    seed: u64,
}

impl Subject {
    /// A task with the stimuli of a design, and with its own raters' protocol for two raters of each model.
    #[must_use]
    pub fn new(task: &dyn ErasedTask, stimuli: Stimuli) -> Self {
        let protocol = task.raters();
        let raters = Raters { per_model: 2, per_item: protocol.per_item.map(|_| 2), ..protocol };
        Self { task: task.boxed_clone(), stimuli, raters, rubric: None, seed: 1 }
    }

    /// The same with another rubric than the task's own.
    #[must_use]
    pub fn with_rubric(self, rubric: &dyn ErasedRubric) -> Self {
        Self { rubric: Some(rubric.boxed_clone()), ..self }
    }

    /// The same with another raters' protocol.
    #[must_use]
    pub fn with_raters(self, raters: Raters) -> Self {
        Self { raters, ..self }
    }

    /// The same with another seed; the first is 1.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(super) fn with_stimuli(self, stimuli: Stimuli) -> Self {
        Self { stimuli, ..self }
    }

    pub(super) fn task(&self) -> &dyn ErasedTask {
        &*self.task
    }

    /// The rubric under test: the one given, or the task's own.
    pub(super) fn rubric(&self) -> Box<dyn ErasedRubric> {
        self.rubric.clone().unwrap_or_else(|| self.task.rubric())
    }

    pub(super) fn stimuli(&self) -> &Stimuli {
        &self.stimuli
    }

    pub(super) fn study(&self) -> Result<Study, String> {
        let mut spec = Spec::new("conformance", self.seed, self.task.boxed_clone());
        spec.raters = self.raters.clone();
        if let Some(rubric) = &self.rubric {
            spec = spec.with_rubric(rubric.clone());
        }
        Study::new(spec, self.stimuli.clone()).map_err(|found| format!("the design is refused: {found}"))
    }
}

/// Chance that no task can have drawn from.
pub(super) fn own_chance(study: &Study, place: u32) -> Streams {
    study.session_chance(place, 0).child("conformance", 0)
}

/// Opens the session at a place, with its first events.
pub(super) fn open(study: &Study, place: u32) -> Result<(Session, Vec<Event>), String> {
    Session::open(study, "r1", place, 0).map_err(|error| format!("place {place} cannot be opened: {error}"))
}

/// The task's machine for a place, as a session begins with it.
pub(super) fn machine(study: &Study, place: u32) -> Result<Box<dyn Machine>, String> {
    let at = study.place(place);
    let inputs = Inputs { design: study.design(), place: &at, study_chance: study.chance(), briefing: None };
    study
        .spec()
        .task
        .start(&inputs, &study.session_chance(place, 0))
        .map_err(|error| format!("place {place} cannot be started: {error}"))
}

/// Who answers in a test.
pub(super) struct Player {
    rater: SyntheticRater,
    /// Whether every answer outside the qualification is turned into a wrong one.
    always_wrong: bool,
}

impl Player {
    /// A synthetic rater with a behaviour, from the default population, which never leaves.
    pub(super) fn new(study: &Study, place: u32, behaviour: Behaviour) -> Result<Self, String> {
        let population = Population::default();
        let traits = population.traits(&own_chance(study, place));
        let rater = SyntheticRater::new(&population, study.stimuli(), Traits { behaviour, ..traits })
            .map_err(|error| error.to_string())?;
        Ok(Self { rater, always_wrong: false })
    }

    /// Whoever passes the qualification and is always wrong after it.
    pub(super) fn always_wrong(study: &Study, place: u32) -> Result<Self, String> {
        Ok(Self { always_wrong: true, ..Self::new(study, place, Behaviour::Bot)? })
    }

    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        match self.rater.respond(trial, truth, chance) {
            Response::Answer { rt, .. } if self.always_wrong && trial.phase != Phase::Qualification => {
                Response::Answer { answer: wrong_answer(trial, truth, chance), rt }
            }
            response => response,
        }
    }
}

/// Plays a session from where it stands to its end on virtual time, and calls `each` after every answer.
pub(super) fn play_on(
    study: &Study,
    session: &mut Session,
    player: &mut Player,
    log: &mut Vec<Event>,
    mut each: impl FnMut(&Session) -> Result<(), String>,
) -> Result<(), String> {
    let at_most = study.spec().task.trials_at_most(&study.design());
    let mut chance = own_chance(study, session.header().place.number).stream("responses");
    while let Step::Show(trial) = session.step() {
        let (trial, truth) = (trial.clone(), session.truth().cloned());
        if trial.number >= at_most {
            return Err(format!("the session asks more than its bound of {at_most} trials"));
        }
        chance.seek(u64::from(trial.number));
        let Response::Answer { answer, rt } = player.respond(&trial, truth.as_ref(), &mut chance) else {
            return Err("a rater who never leaves has left".into());
        };
        let at = session.last().saturating_add(trial.presentation()).saturating_add(rt);
        let exposure = trial.exposure().map(Micros::from_millis);
        match session.handle_answer(trial.number, answer.clone(), Timing { at, rt, exposure }) {
            Ok(Accepted::Recorded(recorded)) => log.extend(recorded.into_events()),
            Ok(Accepted::Repeated) => {
                return Err(format!("trial {}: a first answer counts as a repeat", trial.number));
            }
            Err(error) => return Err(format!("the valid answer {answer} is rejected: {error}")),
        }
        each(session)?;
    }
    Ok(())
}

/// Plays a whole session of an honest rater at a place, and gives its log.
pub(super) fn play(study: &Study, place: u32) -> Result<Vec<Event>, String> {
    let (mut session, mut log) = open(study, place)?;
    let mut player = Player::new(study, place, Behaviour::Honest)?;
    play_on(study, &mut session, &mut player, &mut log, |_| Ok(()))
        .map_err(|reason| format!("place {place}: {reason}"))?;
    Ok(log)
}
