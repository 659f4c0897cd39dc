// The task `two_choice`, sabotaged in one way or another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use hype_core::model::check::{Check, CheckState};
use hype_core::model::trial::{Feedback, Form, Part, Rest};
use hype_core::{
    Answer, Condition, ConditionKind, Content, Defaults, Design, Diagnostics, Ending, Inputs, Millis, Next,
    Profile, Question, Refusal, Role, SessionRecord, StartError, Stimuli, StimulusId, Streams, Task, Timing,
    Trial, Truth, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::two_choice::{Judgment, Showing, State, TwoChoice};

/// The fault of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sabotage {
    /// Nothing.
    #[default]
    None,
    /// The next step depends on how often it was requested.
    ImpureNext,
    /// A session that has ended continues when it is asked again.
    ComesBackToLife,
    /// A refused answer counts as a trial.
    ChangesOnRefusal,
    /// Options that were not offered are accepted.
    TakesAnyOption,
    /// It never ends.
    NeverEnds,
    /// It ends as if the rater had left.
    EndsAsLeft,
    /// The question names the model.
    NamesTheModel,
    /// The order of stimuli does not depend on the seed.
    IgnoresTheSeed,
    /// Copies share a counter.
    SharesState,
    /// The exposure depends on something outside the session.
    ReadsTheWorld,
    /// The truth names the other option.
    ContradictoryTruth,
    /// The truth names no option.
    TruthIsNoOption,
    /// The truth answers a question that is not asked.
    TruthAnswersNothing,
    /// Every answer is judged right.
    EverybodyIsRight,
    /// Every answer is judged wrong.
    NobodyIsRight,
    /// Fast answers are judged right.
    FastIsRight,
    /// Answers are judged although there is no right one.
    JudgesWithoutTruth,
    /// The truth names the sets side by side in the reverse order.
    ReversedShown,
    /// The truth says that real images are generated and vice versa, and answers are judged by it.
    SwappedRoles,
    /// The truth names no model.
    MissingModel,
    /// The truth names a set of real images as the model.
    RealModel,
    /// Every rater judges the first model at any place.
    SkipsModels,
    /// The right option is always first.
    RightFirst,
    /// The label of the right option ends with a space.
    MarkedLabel,
    /// The right option has no key.
    MarkedKey,
    /// Generated images are shown for longer.
    TellingExposure,
    /// The help differs if the image is real.
    TellingHelp,
    /// The text of the question differs if the image is real.
    TellingQuestion,
    /// A prompt reveals the right answer.
    TellingPrompt,
    /// A condition's name reveals the right answer.
    TellingName,
    /// More masks follow real images.
    TellingMasks,
    /// A countdown precedes real images.
    TellingCountdown,
    /// A rest precedes real images.
    TellingRest,
    /// Feedback lasts longer if the image is real.
    TellingFeedback,
    /// More stimuli are announced if the image is real.
    TellingUpcoming,
    /// Images of even trials are real.
    TellingOrder,
    /// All images are real.
    OnlyReal,
    /// The help differs between models.
    HelpTellsTheModel,
    /// The model is always on the same side.
    FixedSides,
    /// A disturbed trial is skipped.
    DisturbanceSkips,
    /// The session ends at a disturbance.
    DisturbanceEnds,
    /// Stimuli are shown that were not announced.
    WrongUpcoming,
    /// Stimuli are announced that do not exist.
    UnknownUpcoming,
    /// A trial is announced whose exposure depends on the answer before it.
    HastyFollowing,
    /// The question says how the answer before it was judged, in a trial that was announced before.
    AnswersBack,
    /// A trial is announced after the last one.
    EndlessFollowing,
    /// A question has one option twice.
    SameOptions,
    /// No question is asked.
    NoQuestion,
    /// Trials are numbered in descending order.
    CountsDown,
    /// Blocks are shorter than declared.
    LongerThanItsBlock,
    /// It never ends, and declares no bound.
    NoBound,
    /// A request for the next step does not return.
    NeverReturns,
    /// A request for the next step takes more and more memory, and does not return.
    FillsMemory,
    /// The state grows by 16 MB with every answer.
    GrowingState,
    /// The task panics in the middle of a session.
    Panics,
    /// The help names a model of the study, the same one in every trial.
    HelpNamesAModel,
    /// The help names the model in capitals, with spaces.
    HelpNamesInCapitals,
    /// The instructions list the models.
    InstructionsNameModels,
    /// An option is labelled with a model's name.
    OptionNamesAModel,
    /// The truth names no model for a trial with a real image.
    MissingModelBeside,
    /// The truth names no model if the image is real.
    MissingModelOfReal,
    /// The state has the time of day at the start, in seconds.
    KeepsTheTime,
    /// The exposure follows the milliseconds of the clock.
    FollowsMilliseconds,
    /// The exposure follows the seconds of the clock.
    FollowsSeconds,
    /// Logs call all trials repeats; none is scored.
    LogsRepeats,
    /// A setting that ends sessions early is lost when the task is written.
    LosesASetting,
    /// A disturbed trial shows another image, and the truth is still about the one before.
    DisturbanceLeavesTruth,
    /// The names of checks depend on the answers.
    UnsteadyChecks,
    /// Raters who have qualified elsewhere are asked to qualify again.
    QualifiesAgain,
    /// All raters of a study see the same images in the same order.
    OneOrderForAll,
}

/// The task `two_choice`, sabotaged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Sabotaged {
    /// The fault.
    pub(crate) sabotage: Sabotage,
    /// The task.
    pub(crate) inner: TwoChoice,
    #[serde(skip)]
    #[schemars(skip)]
    world: Arc<AtomicU32>,
    /// Where sessions end early.
    #[serde(skip)]
    #[schemars(skip)]
    end_after: Option<u32>,
}

/// The number of ticks after which calls return that otherwise never do.
const RELEASED: u32 = u32::MAX;

impl Sabotaged {
    pub(crate) fn new(sabotage: Sabotage) -> Self {
        let beside =
            matches!(sabotage, Sabotage::ReversedShown | Sabotage::FixedSides | Sabotage::MissingModelBeside);
        let timed = sabotage != Sabotage::AnswersBack;
        Self {
            sabotage,
            inner: TwoChoice { beside, timed, ..TwoChoice::default() },
            world: Arc::default(),
            end_after: (sabotage == Sabotage::LosesASetting).then_some(6),
        }
    }

    /// Lets calls return that otherwise never do.
    pub(crate) fn release(&self) {
        self.world.store(RELEASED, Ordering::SeqCst);
    }

    fn is_released(&self) -> bool {
        self.world.load(Ordering::SeqCst) == RELEASED
    }

    fn is(&self, sabotage: Sabotage) -> bool {
        self.sabotage == sabotage
    }

    fn tick(&self) -> u32 {
        self.world.fetch_add(1, Ordering::SeqCst)
    }
}

/// A counter that copies share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared(Arc<AtomicU32>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.0.load(Ordering::SeqCst) == other.0.load(Ordering::SeqCst)
    }
}

/// Everything that changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SabotagedState {
    inner: State,
    names: Vec<Arc<str>>,
    real: Option<hype_core::SetId>,
    ended: bool,
    shared: Shared,
    /// The time of day at the start.
    opened: u64,
    ballast: Ballast,
    /// The image in place of a disturbed one.
    replacement: Option<StimulusId>,
}

/// Memory that a state takes.
#[derive(Clone, PartialEq)]
struct Ballast(Vec<u8>);

impl std::fmt::Debug for Ballast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// The time of day.
#[expect(clippy::disallowed_methods, reason = "a sabotaged task reads a clock")]
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

impl SabotagedState {
    fn is_real(&self) -> bool {
        matches!(self.inner.showing().right, "real" | "A")
    }
}

/// Changes the first question of a trial.
fn requestion(trial: &mut Trial, change: impl FnOnce(&mut Question)) {
    let mut questions = trial.questions.to_vec();
    change(&mut questions[0]);
    trial.questions = questions.into();
}

/// The options of a question, to be changed.
fn reoption(trial: &mut Trial, change: impl FnOnce(&mut Vec<hype_core::ChoiceOption>)) {
    requestion(trial, |question| {
        if let Form::Choice { options } = &mut question.form {
            change(options);
        }
    });
}

impl Sabotaged {
    /// Breaks the stimuli and questions of a trial.
    fn spoil(&self, trial: &mut Trial, state: &SabotagedState) {
        let real = state.is_real();
        let right = state.inner.showing().right;
        let words = |real: bool| if real { "Look at the light." } else { "Look at the edges." };
        let prompt = |name: Option<&str>, text: &str| {
            Part::Condition(Condition {
                kind: ConditionKind::Prompt,
                name: name.map(Into::into),
                content: Content::Text(text.into()),
            })
        };
        match self.sabotage {
            Sabotage::NamesTheModel => {
                let name = state.inner.model.map_or("", |model| &*state.names[usize::from(model.0)]);
                requestion(trial, |question| question.text = format!("Is this by {name}?").into());
            }
            Sabotage::RightFirst => reoption(trial, |options| {
                if *options[0].value != *right {
                    options.reverse();
                }
            }),
            Sabotage::MarkedLabel => reoption(trial, |options| {
                for option in options.iter_mut().filter(|option| *option.value == *right) {
                    option.label = format!("{} ", option.label).into();
                }
            }),
            Sabotage::MarkedKey => reoption(trial, |options| {
                for option in options.iter_mut().filter(|option| *option.value == *right) {
                    option.key = None;
                }
            }),
            Sabotage::TellingExposure => {
                for part in &mut trial.parts {
                    if let Part::Stimulus { exposure: Some(exposure), .. } = part {
                        exposure.0 = exposure.0 / 20 * 20 + 10 * u32::from(!real);
                    }
                }
            }
            Sabotage::TellingHelp => requestion(trial, |question| question.help = Some(words(real).into())),
            Sabotage::TellingQuestion => requestion(trial, |question| {
                question.text = if real { "Is this a photo?" } else { "Is this a photograph?" }.into();
            }),
            Sabotage::AnswersBack => {
                let judged = format!("So far: {}.", state.inner.exposure.0);
                requestion(trial, |question| question.help = Some(judged.into()));
            }
            Sabotage::HelpTellsTheModel => requestion(trial, |question| {
                let first = state.inner.model.is_some_and(|model| model.0 == 1);
                question.help = Some(words(first).into());
            }),
            Sabotage::TellingPrompt => trial.parts.push(prompt(None, words(real))),
            Sabotage::TellingName => {
                trial.parts.push(prompt(Some(if real { "<r>" } else { "<g>" }), "A tree."))
            }
            Sabotage::TellingMasks => {
                trial.parts.push(Part::Masks { count: 3 + u8::from(real), each: Millis(30) });
            }
            Sabotage::TellingCountdown if real => {
                trial.parts.insert(0, Part::Countdown { from: 3, each: Millis(500) });
            }
            Sabotage::TellingRest if real => trial.rest = Some(Rest { at_most: Millis(60_000) }),
            Sabotage::TellingFeedback => {
                trial.feedback = Some(Feedback { shown: Millis(500 + 100 * u32::from(real)) });
            }
            Sabotage::HelpNamesAModel => requestion(trial, |question| {
                question.help = Some("Images of WGAN are often blurred.".into());
            }),
            Sabotage::HelpNamesInCapitals => {
                let name = state.names[1].to_uppercase().replace('-', " ");
                requestion(trial, |question| question.help = Some(format!("It may be {name}.").into()));
            }
            Sabotage::OptionNamesAModel => {
                reoption(trial, |options| options[1].label = format!("made by {}", state.names[1]).into());
            }
            Sabotage::DisturbanceLeavesTruth => {
                if let (Some(id), Part::Stimulus { stimulus, .. }) = (state.replacement, &mut trial.parts[0])
                {
                    *stimulus = id;
                }
            }
            Sabotage::FollowsMilliseconds | Sabotage::FollowsSeconds => {
                if let Part::Stimulus { exposure: Some(exposure), .. } = &mut trial.parts[0] {
                    exposure.0 += state.opened as u32;
                }
            }
            Sabotage::SameOptions => reoption(trial, |options| options.push(options[0].clone())),
            Sabotage::NoQuestion => trial.questions = Arc::new([]),
            Sabotage::CountsDown => trial.in_block = trial.block_trials - 1 - trial.in_block,
            Sabotage::LongerThanItsBlock => trial.block_trials = 3,
            _ => {}
        }
    }
}

impl Task for Sabotaged {
    type State = SabotagedState;
    type Answer = Judgment;
    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        Task::check(&self.inner, design, at);
    }

    fn check_raters(&self, _: &Design<'_>, _: &mut Diagnostics) {}

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<SabotagedState, StartError> {
        let stimuli = inputs.design.stimuli;
        let mut place = inputs.place.clone();
        if self.is(Sabotage::SkipsModels) {
            place.models = stimuli.models().take(1).collect();
        }
        let mut inputs = *inputs;
        inputs.place = &place;
        inputs.is_qualified &= !self.is(Sabotage::QualifiesAgain);
        let fixed = Streams::new(0);
        let chance = match self.sabotage {
            Sabotage::IgnoresTheSeed => &fixed,
            Sabotage::OneOrderForAll => inputs.study_chance,
            _ => chance,
        };
        let mut inner = self.inner.start(&inputs, chance)?;
        let mut showings = inner.showings.to_vec();
        let real = |right: &str| right == "real" || right == "A";
        match self.sabotage {
            Sabotage::OnlyReal => showings.retain(|showing| real(showing.right)),
            Sabotage::FixedSides => showings.retain(|showing| real(showing.right)),
            Sabotage::TellingOrder => {
                let (first, second): (Vec<_>, Vec<_>) =
                    showings.into_iter().partition(|showing| real(showing.right));
                showings =
                    first.into_iter().zip(second).flat_map(|(first, second)| [first, second]).collect();
            }
            _ => {}
        }
        inner.showings = showings.into();
        Ok(SabotagedState {
            inner,
            names: stimuli.sets().iter().map(|set| Arc::clone(&set.name)).collect(),
            real: stimuli.sets_with(Role::Real, hype_core::Use::Main).next(),
            ended: false,
            shared: Shared::default(),
            opened: match self.sabotage {
                Sabotage::KeepsTheTime => now().as_secs(),
                Sabotage::FollowsMilliseconds => u64::from(now().subsec_millis()),
                Sabotage::FollowsSeconds => now().as_secs() % 2,
                _ => 0,
            },
            ballast: Ballast(Vec::new()),
            replacement: None,
        })
    }

    fn next(&self, state: &SabotagedState) -> Next {
        if state.ended || self.end_after.is_some_and(|after| state.inner.answered >= after) {
            return Next::End(Ending::Completed);
        }
        if state.inner.answered == 5 {
            let mut memory: Vec<Vec<u8>> = Vec::new();
            while self.is(Sabotage::NeverReturns) && !self.is_released() {
                thread::yield_now();
            }
            while self.is(Sabotage::FillsMemory) && !self.is_released() {
                memory.push(vec![1; 1 << 20]);
            }
            assert!(!self.is(Sabotage::Panics), "the sixth trial is missing");
        }
        let mut next = self.inner.next(&state.inner);
        let goes_on = matches!(self.sabotage, Sabotage::NeverEnds | Sabotage::NoBound)
            || (self.is(Sabotage::ComesBackToLife) && self.tick() % 2 == 1);
        if let (Next::End(ending), true) = (&mut next, self.is(Sabotage::EndsAsLeft)) {
            *ending = Ending::Left;
        }
        if goes_on && matches!(next, Next::End(_)) {
            next = self.inner.next(&State { answered: state.inner.qualification, ..state.inner.clone() });
        }
        if let Next::Trial(trial) = &mut next {
            if self.is(Sabotage::ImpureNext) {
                trial.rest = Some(Rest { at_most: Millis(self.tick()) });
            }
            self.spoil(trial, state);
        }
        next
    }

    fn truth(&self, state: &SabotagedState) -> Truth {
        let mut truth = self.inner.truth(&state.inner);
        let answer = |seen: &str| Some(Answer::one("seen", seen));
        let other = if state.is_real() { "generated" } else { "real" };
        match self.sabotage {
            Sabotage::ContradictoryTruth => truth.answer = answer(other),
            Sabotage::TruthIsNoOption => truth.answer = answer("painted"),
            Sabotage::TruthAnswersNothing => truth.answer = Some(Answer::one("heard", "real")),
            Sabotage::JudgesWithoutTruth => truth.answer = None,
            Sabotage::ReversedShown => truth.shown.reverse(),
            Sabotage::SwappedRoles => {
                truth.answer = answer(other);
                truth.role = Some(if state.is_real() { Role::Generated } else { Role::Real });
            }
            Sabotage::MissingModel | Sabotage::MissingModelBeside => truth.model = None,
            Sabotage::MissingModelOfReal if state.is_real() => truth.model = None,
            Sabotage::LogsRepeats => truth.logged_as = Some(hype_core::Phase::Repeat),
            Sabotage::RealModel => truth.model = state.real,
            _ => {}
        }
        truth
    }

    fn answer(
        &self,
        state: &mut SabotagedState,
        answer: Judgment,
        timing: &Timing,
    ) -> Result<Verdict, Refusal> {
        let known = ["real", "generated", "A", "B"].contains(&&*answer.seen);
        if !known && self.is(Sabotage::ChangesOnRefusal) {
            state.inner.answered += 1;
        }
        let answer = if !known && self.is(Sabotage::TakesAnyOption) {
            Judgment { seen: "real".into() }
        } else {
            answer
        };
        let mut verdict = self.inner.answer(&mut state.inner, answer, timing)?;
        state.replacement = None;
        match self.sabotage {
            Sabotage::EverybodyIsRight => verdict.correct = Some(true),
            Sabotage::NobodyIsRight => verdict.correct = Some(false),
            Sabotage::FastIsRight if timing.rt.0 < 1_000 => verdict.correct = Some(true),
            Sabotage::SwappedRoles => verdict.correct = verdict.correct.map(|correct| !correct),
            Sabotage::SharesState => {
                state.shared.0.fetch_add(1, Ordering::SeqCst);
            }
            Sabotage::ReadsTheWorld => state.inner.exposure.0 += self.tick(),
            Sabotage::GrowingState => state.ballast.0.resize(state.ballast.0.len() + (16 << 20), 1),
            _ => {}
        }
        Ok(verdict)
    }

    fn disturb(&self, state: &mut SabotagedState) {
        match self.sabotage {
            Sabotage::DisturbanceSkips => state.inner.answered += 1,
            Sabotage::DisturbanceEnds => state.ended = true,
            Sabotage::DisturbanceLeavesTruth => {
                let other = |showing: &&Showing| showing.right != state.inner.showing().right;
                state.replacement = state.inner.showings.iter().find(other).map(|other| other.images[0].0);
            }
            _ => {}
        }
    }

    fn upcoming(&self, state: &SabotagedState) -> Vec<StimulusId> {
        let shown = || state.inner.showing().images.iter().map(|&(id, _)| id);
        match self.sabotage {
            Sabotage::TellingUpcoming if state.is_real() => state
                .inner
                .showings
                .iter()
                .flat_map(|showing| showing.images.iter().map(|&(id, _)| id))
                .collect(),
            Sabotage::WrongUpcoming => shown().collect(),
            Sabotage::UnknownUpcoming => shown().chain([StimulusId(1_000_000)]).collect(),
            _ => Vec::new(),
        }
    }

    fn following(&self, state: &SabotagedState) -> Option<Trial> {
        let (answered, qualification) = (state.inner.answered + 1, state.inner.qualification);
        let answered = match self.sabotage {
            Sabotage::HastyFollowing | Sabotage::AnswersBack => answered,
            Sabotage::EndlessFollowing if answered == qualification + self.inner.trials => qualification,
            _ => return None,
        };
        match self.inner.next(&State { answered, ..state.inner.clone() }) {
            Next::Trial(trial) => Some(trial),
            Next::End(_) => None,
        }
    }

    fn defaults(&self) -> Defaults {
        Task::defaults(&self.inner)
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Task::profile(&self.inner, design);
        match self.sabotage {
            Sabotage::NoBound => profile.trials_at_most = u32::MAX,
            Sabotage::InstructionsNameModels => {
                let names = design.stimuli.models().filter_map(|model| design.stimuli.set(model));
                let names: Vec<&str> = names.map(|set| &*set.name).collect();
                profile.guidance = Some(format!("The models are {}.", names.join(" and ")).into());
            }
            _ => {}
        }
        profile
    }

    fn checks(&self, session: &SessionRecord, _: &Stimuli) -> Vec<Check> {
        let name = match session.trials.len() {
            trials @ 1.. if self.is(Sabotage::UnsteadyChecks) => format!("pace of {trials} trials"),
            _ => "pace".to_owned(),
        };
        vec![Check::new(&name, CheckState::Unclear, "no time was taken")]
    }
}

register_task!(
    Sabotaged,
    "sabotaged",
    summary = "Real or generated, with something wrong",
    citation = "",
    example = "{ kind: sabotaged, sabotage: none }"
);
