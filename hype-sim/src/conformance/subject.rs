//! The subject of a suite, and how its sessions are played.

use hype_core::Step;
use hype_core::model::trial::Phase;
use hype_core::study::session::Accepted;
use hype_core::{
    Ending, Event, Inputs, Machine, Micros, Next, Rater, Raters, Response, RubricSpec, Session, Spec,
    Stimuli, Stream, Streams, Study, TaskSpec, Timing, Trial, Truth,
};

use super::{ensure, limits};
use crate::answers;
use crate::population::{Behaviour, Population, SyntheticRater, Traits, wrong_answer};

/// A task and a design to test it with.
#[derive(Debug, Clone)]
pub struct Subject {
    task: Box<dyn TaskSpec>,
    stimuli: Stimuli,
    raters: Raters,
    rubric: Option<Box<dyn RubricSpec>>,
    seed: u64,
}

impl Subject {
    /// A task with the stimuli of a design, and with its own raters' protocol for two raters per model.
    #[must_use]
    pub fn new(task: &dyn TaskSpec, stimuli: Stimuli) -> Self {
        let protocol = task.defaults().raters;
        let raters = Raters { per_model: 2, per_item: protocol.per_item.map(|_| 2), ..protocol };
        Self { task: task.boxed_clone(), stimuli, raters, rubric: None, seed: 1 }
    }

    /// Replaces the task's own rubric.
    #[must_use]
    pub fn with_rubric(self, rubric: &dyn RubricSpec) -> Self {
        Self { rubric: Some(rubric.boxed_clone()), ..self }
    }

    /// Replaces the raters' protocol.
    #[must_use]
    pub fn with_raters(self, raters: Raters) -> Self {
        Self { raters, ..self }
    }

    /// Replaces the seed, which is 1 by default.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(super) fn with_stimuli(self, stimuli: Stimuli) -> Self {
        Self { stimuli, ..self }
    }

    pub(super) fn with_task(self, task: Box<dyn TaskSpec>) -> Self {
        Self { task, ..self }
    }

    pub(super) fn task(&self) -> &dyn TaskSpec {
        &*self.task
    }

    /// The rubric under test: the given one, or the task's own.
    pub(super) fn rubric(&self) -> Box<dyn RubricSpec> {
        self.rubric.clone().unwrap_or_else(|| self.task.defaults().rubric)
    }

    pub(super) fn stimuli(&self) -> &Stimuli {
        &self.stimuli
    }

    pub(super) fn study(&self) -> Result<Study, String> {
        self.study_with(|_| {})
    }

    /// The study with other settings.
    pub(super) fn study_with(&self, change: impl FnOnce(&mut Spec)) -> Result<Study, String> {
        let mut spec =
            Spec::new("conformance", self.seed, self.task.boxed_clone()).with_raters(self.raters.clone());
        if let Some(rubric) = &self.rubric {
            spec = spec.with_rubric(rubric.clone());
        }
        change(&mut spec);
        let study = Study::new(spec, self.stimuli.clone())
            .map_err(|found| format!("the design is refused: {found}"))?;
        let declared = study.trials_at_most();
        ensure(declared <= limits::TRIALS, || {
            format!(
                "sessions have up to {declared} trials, and this suite plays at most {}: choose settings with \
                 shorter sessions",
                limits::TRIALS
            )
        })?;
        Ok(study)
    }
}

/// A random stream that no task draws from.
pub(super) fn own_chance(study: &Study, place: u32) -> Streams {
    study.session_chance(place, 0).child("conformance", 0)
}

/// Opens the session at a place, with its first events.
pub(super) fn open(study: &Study, place: u32) -> Result<(Session, Vec<Event>), String> {
    Session::open(study, "r1", place, 0).map_err(|error| format!("place {place} cannot be opened: {error}"))
}

/// The task's machine for a place, as a session begins with it.
pub(super) fn machine(study: &Study, place: u32) -> Result<Box<dyn Machine>, String> {
    machine_for(study, place, false)
}

/// The task's machine for a place, as a session begins with it whose rater may have qualified elsewhere.
pub(super) fn machine_for(study: &Study, place: u32, is_qualified: bool) -> Result<Box<dyn Machine>, String> {
    let at = study.place(place);
    let mut inputs = Inputs::new(study.design(), &at, study.chance());
    inputs.is_qualified = is_qualified;
    study
        .task()
        .start(&inputs, &study.session_chance(place, 0))
        .map_err(|error| format!("place {place} cannot be started: {error}"))
}

/// Checks that a session may ask the trial with this number.
pub(super) fn within_bound(study: &Study, number: u32) -> Result<(), String> {
    let at_most = study.trials_at_most();
    ensure(number < at_most, || format!("the session asks more than its bound of {at_most} trials"))
}

/// A rater in a test.
pub(super) struct Player {
    rater: SyntheticRater,
    manner: Manner,
}

/// How a synthetic rater's answers are changed.
#[derive(Clone, Copy)]
enum Manner {
    /// They are unchanged.
    Own,
    /// Outside the qualification they are replaced by wrong ones.
    AlwaysWrong,
    /// Outside the qualification they are right with this probability, for any stimulus.
    Indifferent(f64),
}

impl Player {
    /// A synthetic rater with a behaviour, from the default population, which never leaves.
    pub(super) fn new(study: &Study, place: u32, behaviour: Behaviour) -> Result<Self, String> {
        let population = Population::default();
        let traits = population.traits(&own_chance(study, place));
        let rater = SyntheticRater::new(&population, study.stimuli(), Traits { behaviour, ..traits })
            .map_err(|error| error.to_string())?;
        Ok(Self { rater, manner: Manner::Own })
    }

    /// A rater who passes the qualification and is always wrong after it.
    pub(super) fn always_wrong(study: &Study, place: u32) -> Result<Self, String> {
        Ok(Self { manner: Manner::AlwaysWrong, ..Self::new(study, place, Behaviour::Bot)? })
    }

    /// A rater who passes the qualification and is right after it with the same probability in every trial; questions
    /// without a right answer are answered at random.
    pub(super) fn indifferent(study: &Study, place: u32, share_right: f64) -> Result<Self, String> {
        Ok(Self { manner: Manner::Indifferent(share_right), ..Self::new(study, place, Behaviour::Bot)? })
    }

    pub(super) fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        let response = self.rater.respond(trial, truth, chance);
        let Response::Answer { mut answer, rt } = response else { return response };
        if trial.phase != Phase::Qualification {
            let wrong = match self.manner {
                Manner::Own => false,
                Manner::AlwaysWrong => true,
                Manner::Indifferent(share_right) => !chance.happens(share_right),
            };
            if wrong {
                answer = wrong_answer(trial, truth, chance);
            } else if matches!(self.manner, Manner::Indifferent(_))
                && truth.is_none_or(|truth| truth.answer.is_none())
            {
                answer = answers::random(trial, chance);
            }
        }
        Response::Answer { answer, rt }
    }
}

/// One trial before it is answered.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) study: &'a Study,
    pub(super) place: u32,
    /// The trial's number in its session.
    pub(super) number: u32,
    pub(super) machine: &'a dyn Machine,
    pub(super) trial: &'a Trial,
    pub(super) truth: &'a Truth,
}

/// Runs a session at a place on the task's machine alone, and calls `each` before every answer.
pub(super) fn walk(
    study: &Study,
    place: u32,
    player: &mut Player,
    mut each: impl FnMut(&Moment<'_>) -> Result<(), String>,
) -> Result<Ending, String> {
    let mut machine = machine(study, place)?;
    let mut chance = own_chance(study, place).stream("responses");
    for number in 0.. {
        let trial = match machine.next() {
            Next::Trial(trial) => trial.numbered(number),
            Next::End(ending) => return Ok(ending),
        };
        let at = |reason: String| format!("place {place}, trial {number}: {reason}");
        within_bound(study, number).map_err(at)?;
        let truth = machine.truth();
        each(&Moment { study, place, number, machine: &*machine, trial: &trial, truth: &truth })
            .map_err(at)?;
        chance.seek(u64::from(number));
        let Response::Answer { answer, rt } = player.respond(&trial, Some(&truth), &mut chance) else {
            return Err(at("a rater who never leaves has left".into()));
        };
        let exposure = trial.exposure().map(Micros::from_millis);
        machine
            .answer(&answer, &Timing { at: Micros(0), rt, exposure })
            .map_err(|refusal| at(format!("the valid answer {answer} is refused: {refusal}")))?;
    }
    Ok(Ending::Completed)
}

/// Calls `each` at every trial of an honest rater's session and of one that is always right, at every place.
pub(super) fn at_every_trial(
    subject: &Subject,
    mut each: impl FnMut(&Moment<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let study = subject.study()?;
    for place in 0..study.places() {
        for behaviour in [Behaviour::Honest, Behaviour::Bot] {
            walk(&study, place, &mut Player::new(&study, place, behaviour)?, &mut each)?;
        }
    }
    Ok(())
}

/// Plays the rest of a session in virtual time, and calls `each` after every answer.
pub(super) fn play_on(
    study: &Study,
    session: &mut Session,
    player: &mut Player,
    log: &mut Vec<Event>,
    mut each: impl FnMut(&Session) -> Result<(), String>,
) -> Result<(), String> {
    let mut chance = own_chance(study, session.header().place.number).stream("responses");
    while let Step::Show(trial) = session.step() {
        let (trial, truth) = (trial.clone(), session.truth().cloned());
        within_bound(study, trial.number)?;
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

/// Plays a whole session of an honest rater at a place, and returns its log.
pub(super) fn play(study: &Study, place: u32) -> Result<Vec<Event>, String> {
    let (mut session, mut log) = open(study, place)?;
    let mut player = Player::new(study, place, Behaviour::Honest)?;
    play_on(study, &mut session, &mut player, &mut log, |_| Ok(()))
        .map_err(|reason| format!("place {place}: {reason}"))?;
    Ok(log)
}
