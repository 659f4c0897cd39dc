//! Contrasts: two images side by side, and which is better.
//!
//! Every pair of models is judged on every item by several raters, or those pairs are judged most about which least is
//! known. Sides are balanced, so that raters who prefer a side favour no model. Bradley & Terry 1952, "Rank analysis
//! of incomplete block designs: the method of paired comparisons", Biometrika.

use std::sync::Arc;

use hype_core::model::trial::{BOTH_BAD, ChoiceOption, Form, Question, TIE, Truth};
use hype_core::{
    Design, Diagnostics, Effort, ErasedAggregator, ErasedRubric, Fact, Inputs, Micros, Millis, Next, Raters,
    Refusal, SessionRecord, StartError, Stimuli, Streams, Task, Timing, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::aggregators;
use crate::shared::side_by_side::{
    Lineups, Pace, Sequence, Size, check_raters, check_text, image_options, raters, wording,
};

mod active;
mod balanced;
mod pairs;
mod rubric;
mod votes;

use self::active::Active;
pub use self::rubric::{BothBad, ContrastRubric};
use self::votes::{PREFERENCE, Tally, Vote};

/// More models than anybody compares in pairs.
const MOST_MODELS: usize = 1_000;
/// The time that a typical rater takes over two images.
const ANSWER: Millis = Millis(7_000);

/// Contrasts of two images side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contrast {
    /// What raters are asked.
    pub question: String,
    /// What they judge by, such as `how well it fits the description`; it follows the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// Whether raters may call the two images equal.
    pub tie: bool,
    /// Whether raters may call both images bad.
    pub both_bad: bool,
    /// Whether the real image of an item is compared with the models' outputs as if it were one of them.
    pub real: bool,
    /// Whether raters see what the images were made from.
    pub conditions: bool,
    /// How the pairs of models are chosen.
    pub pairs: PairSelection,
    /// Trials of each rater; fewer where there is less to judge.
    #[schemars(range(min = 1, max = 10_000))]
    pub per_session: u32,
    /// Trials for practice before them, which are not scored.
    #[schemars(range(max = 1_000))]
    pub practice: u32,
    /// After how many trials raters may rest; `null` for no rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub rest_every: Option<u32>,
    /// The longest rest, in seconds, which the rater may cut short.
    #[schemars(range(max = 3_600))]
    pub rest_s: u32,
}

impl Default for Contrast {
    fn default() -> Self {
        Self {
            question: "Which image is better?".into(),
            criterion: None,
            tie: false,
            both_bad: false,
            real: false,
            conditions: true,
            pairs: PairSelection::Balanced,
            per_session: 30,
            practice: 0,
            rest_every: None,
            rest_s: 60,
        }
    }
}

/// How the pairs of models are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairSelection {
    /// Every pair is judged on every item equally often: `per_item` times.
    #[default]
    Balanced,
    /// The pair whose comparison tells most about the strengths of all models, given what all raters answered so far;
    /// `per_item` sets the number of comparisons, which is that of `balanced`. Raters come one after the other. It
    /// saves comparisons where models differ much, so that most pairs have a foregone end; where all are close,
    /// `balanced` is as good.
    Active,
}

/// What a rater answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContrastAnswer {
    /// The letter beneath the better image, `tie` or `both-bad`.
    pub preference: String,
}

/// The state of a session of contrasts.
#[derive(Debug, Clone, PartialEq)]
pub struct ContrastState {
    sequence: Sequence,
    active: Option<Active>,
}

impl Contrast {
    fn pace(&self) -> Pace {
        let &Self { per_session, practice, rest_every, rest_s, .. } = self;
        Pace { per_session, practice, rest_every, rest_s }
    }

    fn size(&self, stimuli: &Stimuli) -> Size {
        Size::of(stimuli, self.real)
    }

    /// How many different comparisons there are: pairs of models on items.
    fn comparisons(&self, stimuli: &Stimuli) -> u64 {
        let size = self.size(stimuli);
        size.pairs() as u64 * size.lineups as u64
    }

    fn questions(&self) -> Arc<[Question]> {
        let mut options = image_options(2);
        if self.tie {
            options.push(ChoiceOption::new(TIE, "They are equal", Some('t')));
        }
        if self.both_bad {
            options.push(ChoiceOption::new(BOTH_BAD, "Both are bad", Some('x')));
        }
        let text = wording(&self.question, self.criterion.as_deref());
        Arc::new([Question::new(PREFERENCE, &text, Form::Choice { options })])
    }
}

impl Task for Contrast {
    type State = ContrastState;
    type Answer = ContrastAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_text(&self.question, "question", "Which image is better?", at);
        if let Some(criterion) = &self.criterion {
            check_text(criterion, "criterion", "how well it fits the description", at);
        }
        let size = self.size(design.stimuli);
        if size.contenders > MOST_MODELS {
            at.error("too-many-models", format!("{} models make too many pairs", size.contenders))
                .help(format!("compare at most {MOST_MODELS}"));
        }
        size.check(design.stimuli, self.real, at);
        self.pace().check(self.comparisons(design.stimuli), at);
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<ContrastState, StartError> {
        let stimuli = inputs.design.stimuli;
        let lineups = Lineups::new(stimuli, self.real, self.conditions, inputs.study_chance);
        let units = self.comparisons(stimuli);
        let Some(deck) = self.pace().deck(units) else {
            return Err(StartError("there is no pair of images to compare".into()));
        };
        let course = self.pace().course(units);
        let (showings, active) = match self.pairs {
            PairSelection::Balanced => {
                (balanced::draw(&lineups, deck, course.practice, inputs, chance), None)
            }
            PairSelection::Active => {
                let tally = Tally::read(inputs.briefing, lineups.contenders().len()).map_err(StartError)?;
                let (practice, active) = Active::begin(&lineups, course, tally, inputs, chance);
                (practice, Some(active))
            }
        };
        let mut state = ContrastState { sequence: Sequence::new(course, self.questions(), showings), active };
        if let Some(active) = &mut state.active {
            state.sequence.extend(active.choose());
        }
        Ok(state)
    }

    fn next(&self, state: &ContrastState) -> Next {
        state.sequence.next()
    }

    fn truth(&self, state: &ContrastState) -> Truth {
        state.sequence.truth()
    }

    fn answer(
        &self,
        state: &mut ContrastState,
        answer: ContrastAnswer,
        _: &Timing,
    ) -> Result<Verdict, Refusal> {
        state.sequence.check_choice(PREFERENCE, &answer.preference)?;
        let main = state.sequence.in_main().is_some();
        state.sequence.advance();
        if main
            && let Some(active) = &mut state.active
            && let Some(vote) = Vote::read(&answer.preference)
        {
            active.take(vote);
            state.sequence.extend(active.choose());
        }
        Ok(Verdict::default())
    }

    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        self.pace().trials(self.comparisons(design.stimuli))
    }

    fn rubric(&self) -> Box<dyn ErasedRubric> {
        Box::new(ContrastRubric::default())
    }

    fn aggregator(&self) -> Box<dyn ErasedAggregator> {
        Box::new(aggregators::contrast::Contrast::default())
    }

    fn raters(&self) -> Raters {
        raters()
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let trials = u64::from(self.trials_at_most(design));
        Some(Effort { duration: Micros(trials * Micros::from_millis(ANSWER).0), correct: 0.0 })
    }

    fn facts(&self, design: &Design<'_>) -> Vec<Fact> {
        let size = self.size(design.stimuli);
        let fact = |name: &str, label: &str, value| Fact { name: name.into(), label: label.into(), value };
        vec![
            fact("pair_selection", "how pairs of models are chosen", json!(self.pairs)),
            fact(
                "comparisons",
                "pairs of models, items, and comparisons of each rater",
                json!({
                    "pairs": size.pairs(),
                    "items": size.lineups,
                    "per_session": self.pace().course(self.comparisons(design.stimuli)).main,
                }),
            ),
        ]
    }

    fn sessions_by_item(&self, design: &Design<'_>) -> u32 {
        self.pace().sessions(self.comparisons(design.stimuli), design)
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        let stimuli = inputs.design.stimuli;
        let deck =
            self.pace().deck(self.comparisons(stimuli)).filter(|_| self.pairs == PairSelection::Balanced);
        deck.map_or_else(Vec::new, |deck| balanced::units(self.size(stimuli), deck, inputs))
    }

    fn guidance(&self, _: &Design<'_>) -> Option<Arc<str>> {
        let mut text = "You will see two images at a time, A and B. Look at both, then choose the one that answers the \
                        question better. Judge each pair by itself: which side an image stands on means nothing. Take \
                        all the time you need."
            .to_owned();
        if self.tie {
            text.push_str(" If you see no difference that matters, say that they are equal.");
        } else {
            text.push_str(" If they seem equal, choose the one that you would rather keep.");
        }
        if self.both_bad {
            text.push_str(" If neither is any good, say that both are bad.");
        }
        Some(text.into())
    }

    fn learns(&self) -> bool {
        self.pairs == PairSelection::Active
    }

    fn learn(&self, briefing: &mut Value, session: &SessionRecord, stimuli: &Stimuli) {
        votes::learn(briefing, session, stimuli, self.real);
    }
}

register_task!(
    Contrast,
    "contrast",
    summary = "Two images side by side: which is better; every pair of models, or the pairs that tell most",
    citation = "Bradley & Terry 1952, Rank analysis of incomplete block designs, Biometrika; Glickman & Jensen 2005, \
                Adaptive paired comparison design, Journal of Statistical Planning and Inference",
    example = "{ kind: contrast, criterion: how well it fits the description, tie: true, pairs: balanced }",
);
