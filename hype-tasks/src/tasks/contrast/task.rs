//! The task `contrast`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::diagnostics::nearest;
use hype_core::model::guidance::Guidance;
use hype_core::model::trial::{Form, Question, Scale, Truth};
use hype_core::words::first_few;
use hype_core::{
    Answer, AnswerValue, Answered, Bounded, ByItem, Check, ComparedWith, Defaults, Description, Design,
    Diagnostics, Effort, Fact, Inputs, Learner, Micros, Millis, Next, Profile, Refusal, SessionRecord, SetId,
    StartError, Stimuli, Streams, Task, Timing, Trial, Verdict, register_task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::shared::attention::{Attention, GoldComparisons, RepeatedComparisons, Winners};
use crate::shared::named::NameOr;
use crate::shared::settings;
use crate::shared::side_by_side::{
    Compares, MatchedSets, Sequence, SessionLength, Size, check_criteria, check_raters, check_text,
    contenders, label, raters,
};

use super::active::Active;
use super::criteria::{Compared, ContrastCriterion, Wording, check_grades};
use super::pairs::{pairs, pairs_with};
use super::scoring::CriteriaAsked;
use super::votes::{Tally, Vote};
use super::{BothBadOffered, ContrastRubric, ScoredCriterion, balanced, votes};

/// The maximum number of models that can be compared in pairs.
const MOST_MODELS: usize = 1_000;
/// The time that a typical rater takes over two images.
const ANSWER: Millis = Millis(7_000);
/// The time for every further question about the same two.
const MORE: Millis = Millis(4_000);
/// The question that raters are asked unless the spec says otherwise.
const QUESTION: &str = "Which image is better?";

/// Contrasts of two images side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contrast {
    /// The question for raters.
    pub question: String,
    /// The criterion, such as `how well it fits the description`; it follows the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// Several of them, asked on one screen: the question once for each, or that of the criterion in its place. Each has
    /// measures of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<NameOr<ContrastCriterion>>,
    /// Whether raters may call the two images equal.
    pub tie: bool,
    /// Whether raters may call both images bad.
    pub both_bad: bool,
    /// Whether real images are judged among those of the models, as if they were the images of one.
    pub real: bool,
    /// Whether raters see what the images were made from.
    pub conditions: bool,
    /// How the pairs of models are chosen.
    pub pairs: PairSelection,
    /// Trials of each rater; fewer if there is less to judge.
    pub per_session: Bounded<1, 10_000>,
    /// Practice trials before them, which are never scored; with feedback on each answer if right answers are known.
    pub practice: Bounded<0, 1_000>,
    /// After how many trials raters may rest; `null` for no rests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest_every: Option<Bounded<1, 10_000>>,
    /// The longest rest, in seconds, which the rater may cut short; 0 for none.
    pub rest_s: Bounded<0, 3_600>,
    /// Comparisons with a known winner among the others; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldComparisons>,
    /// Comparisons that come again with the images in other places; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RepeatedComparisons>,
}

impl Default for Contrast {
    fn default() -> Self {
        Self {
            question: QUESTION.into(),
            criterion: None,
            criteria: Vec::new(),
            tie: false,
            both_bad: false,
            real: false,
            conditions: true,
            pairs: PairSelection::Balanced,
            per_session: Bounded::new(30),
            practice: Bounded::new(0),
            rest_every: None,
            rest_s: Bounded::new(60),
            gold: None,
            repeats: None,
        }
    }
}

/// How the pairs of models are chosen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairSelection {
    /// Every pair is judged on every item equally often: `per_item` times.
    #[default]
    Balanced,
    /// The pair whose comparison is most informative about the strengths of all models, given all answers so far;
    /// `per_item` sets the number of comparisons, which is that of `balanced`. Raters take part one after the
    /// other. This saves comparisons if models differ so much that most outcomes are predictable; if all are
    /// close, `balanced` is as good. Of several criteria the first decides.
    Active,
    /// This model is judged against each of the others, and these never against one another: every such pair on every item
    /// equally often, `per_item` times.
    Against(String),
}

impl Serialize for PairSelection {
    // Derived, it would have a tag in YAML.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Balanced => serializer.serialize_str("balanced"),
            Self::Active => serializer.serialize_str("active"),
            Self::Against(model) => serializer.collect_map([("against", model)]),
        }
    }
}

/// A rater's answer: for each question the letter beneath the better image, `tie`, `both-bad` or a grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ContrastAnswer(pub BTreeMap<String, String>);

/// The state of a session of contrasts.
#[derive(Debug, Clone, PartialEq)]
pub struct ContrastState {
    sequence: Sequence,
    active: Option<Active>,
}

impl Contrast {
    fn length(&self) -> SessionLength {
        let &Self { per_session, practice, rest_every, rest_s, .. } = self;
        SessionLength { per_session, practice, rest_every, rest_s }
    }

    fn size(&self, stimuli: &Stimuli) -> Size {
        Size::of(stimuli, self.real)
    }

    /// The pairs of contenders that are compared; none where a model is named that is not among them.
    fn compared_pairs(&self, stimuli: &Stimuli) -> Vec<(usize, usize)> {
        let contenders = contenders(stimuli, self.real);
        match &self.pairs {
            PairSelection::Balanced | PairSelection::Active => pairs(contenders.len()),
            PairSelection::Against(model) => {
                let is_named = |set: &SetId| stimuli.set(*set).is_some_and(|set| *set.name == **model);
                let one = contenders.iter().position(is_named);
                one.map_or_else(Vec::new, |one| pairs_with(one, contenders.len()))
            }
        }
    }

    /// The numbers of compared pairs and of matched sets.
    fn units_of(&self, stimuli: &Stimuli) -> (usize, usize) {
        let size = self.size(stimuli);
        let pairs = match self.pairs {
            PairSelection::Balanced | PairSelection::Active => size.pairs(),
            PairSelection::Against(_) => self.compared_pairs(stimuli).len(),
        };
        (pairs, size.matched_sets)
    }

    /// The number of different comparisons: pairs of models on items.
    fn comparisons(&self, stimuli: &Stimuli) -> u64 {
        let (pairs, matched_sets) = self.units_of(stimuli);
        pairs as u64 * matched_sets as u64
    }

    /// Checks that the model that the others are compared with is one of those that are judged.
    fn check_pairs(&self, stimuli: &Stimuli, at: &mut Diagnostics) {
        let PairSelection::Against(model) = &self.pairs else { return };
        let contenders = contenders(stimuli, self.real);
        let known: Vec<&str> = contenders.iter().filter_map(|&set| Some(&*stimuli.set(set)?.name)).collect();
        if !known.contains(&&**model) {
            at.field("pairs")
                .error("unknown-model", format!("no model that is compared has the name `{model}`"))
                .help(format!("name one of {}", first_few(&known)))
                .suggest(nearest(model, known.iter().copied()));
        }
    }

    fn questions(&self) -> Arc<[Question]> {
        let wording = Wording {
            question: &self.question,
            criterion: self.criterion.as_deref(),
            tie: self.tie,
            both_bad: self.both_bad,
        };
        if self.criteria.is_empty() {
            return Arc::new([wording.single()]);
        }
        self.criteria.iter().map(|criterion| wording.by(criterion)).collect()
    }

    fn compared(&self) -> Vec<Compared> {
        Compared::all(self.criteria.iter().map(|criterion| (&*criterion.name, criterion.grades.is_some())))
    }

    fn attention(&self) -> Attention<'_> {
        Attention { gold: self.gold.as_ref(), repeats: self.repeats.as_ref() }
    }

    /// The right answer to a gold comparison with the winner in this place; the strongest one where answers are graded.
    fn right(&self, winner: usize) -> Answer {
        let key = self.leading_key();
        let questions = self.questions();
        let strongest = questions.iter().find(|question| *question.id == *key).and_then(|question| {
            let Form::Choice { options } = &question.form else { return None };
            let grade = if winner == 0 { options.first() } else { options.last() };
            grade.filter(|_| question.scale == Scale::Difference).map(|grade| Arc::clone(&grade.value))
        });
        Answer::one(&key, AnswerValue::from(&*strongest.unwrap_or_else(|| label(winner))))
    }

    /// Calls `act` with what checks of attention have to know.
    fn compared_in<T>(&self, stimuli: &Stimuli, act: impl FnOnce(&Compares<'_>) -> T) -> T {
        act(&Compares {
            contenders: &contenders(stimuli, self.real),
            images: 2,
            conditions: self.conditions,
            scored: self.length().schedule(self.comparisons(stimuli)).main,
        })
    }

    /// The question by which pairs are chosen: the first.
    fn leading_key(&self) -> String {
        self.compared().into_iter().next().map_or_else(String::new, |first| first.key)
    }

    fn check_asked(&self, at: &mut Diagnostics) {
        check_text(&self.question, "question", QUESTION, at);
        if let Some(criterion) = &self.criterion {
            check_text(criterion, "criterion", "how well it fits the description", at);
            if !self.criteria.is_empty() {
                at.field("criterion")
                    .error("criterion-and-criteria", "there are a criterion and criteria")
                    .help("add it to `criteria`, or leave one of them out");
            }
        }
        let criteria =
            self.criteria.iter().map(|criterion| (&*criterion.name, criterion.question.as_deref()));
        check_criteria(criteria, QUESTION, at);
        check_grades(self.criteria.iter().map(|criterion| &criterion.0), at);
        let all_graded = self.criteria.iter().all(|criterion| criterion.grades.is_some());
        if self.both_bad && !self.criteria.is_empty() && all_graded {
            at.field("both_bad")
                .error("no-votes", "no criterion offers `both bad`, as all of them are graded")
                .help("leave `both_bad` out, or ask for a criterion without `grades`");
        }
    }
}

impl Task for Contrast {
    type State = ContrastState;
    type Answer = ContrastAnswer;

    const VERSION: u32 = 1;

    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        self.check_asked(at);
        let size = self.size(design.stimuli);
        if size.contenders > MOST_MODELS {
            at.error("too-many-models", format!("{} models make too many pairs", size.contenders))
                .help(format!("compare at most {MOST_MODELS}"));
        }
        size.check(design.stimuli, self.real, at);
        self.check_pairs(design.stimuli, at);
        self.length().check(self.comparisons(design.stimuli), at);
        if self.comparisons(design.stimuli) > 0 {
            self.compared_in(design.stimuli, |compares| self.attention().check(compares, design.stimuli, at));
        }
    }

    fn check_raters(&self, design: &Design<'_>, at: &mut Diagnostics) {
        check_raters(design, at);
    }

    fn start(&self, inputs: &Inputs<'_>, chance: &Streams) -> Result<ContrastState, StartError> {
        let stimuli = inputs.design.stimuli;
        let matched_sets = MatchedSets::new(stimuli, self.real, self.conditions, inputs.study_chance);
        let units = self.comparisons(stimuli);
        let Some(cyclic) = self.length().design(units) else {
            return Err(StartError("there is no pair of images to compare".into()));
        };
        let schedule = self.length().schedule(units);
        let (layouts, active) = match self.pairs {
            PairSelection::Balanced | PairSelection::Against(_) => {
                let pairs = self.compared_pairs(stimuli);
                (balanced::draw(&pairs, &matched_sets, cyclic, schedule.practice, inputs, chance), None)
            }
            PairSelection::Active => {
                let tally =
                    Tally::read(inputs.briefing, matched_sets.contenders().len()).map_err(StartError)?;
                let (practice, active) = Active::begin(&matched_sets, schedule, tally, inputs, chance);
                (practice, Some(active))
            }
        };
        let slots = self.compared_in(stimuli, |compares| {
            self.attention().slots(compares, inputs, chance, |winner| self.right(winner))
        })?;
        let sequence = Sequence::new(schedule, self.questions(), layouts).in_order(slots);
        let mut state = ContrastState { sequence, active };
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
        ContrastAnswer(answer): ContrastAnswer,
        _: &Timing,
    ) -> Result<Verdict, Refusal> {
        state.sequence.check_choices(&answer)?;
        let winner = || Vote::read(answer.get(&self.leading_key())?)?.winner();
        let correct = state.sequence.known_winner().map(|place| winner() == Some(place));
        let scored = state.sequence.is_scored();
        state.sequence.advance();
        if scored
            && let Some(active) = &mut state.active
            && let Some(vote) = answer.get(&self.leading_key()).and_then(|chosen| Vote::read(chosen))
        {
            active.take(vote);
            state.sequence.extend(active.choose());
        }
        Ok(Verdict { correct })
    }

    fn defaults(&self) -> Defaults {
        let scored = |criterion: &NameOr<ContrastCriterion>| {
            NameOr(ScoredCriterion { name: criterion.name.clone(), graded: criterion.grades.is_some() })
        };
        let rubric = ContrastRubric {
            criteria: self.criteria.iter().map(scored).collect(),
            ..ContrastRubric::default()
        };
        Defaults::new(rubric, "contrast", raters())
    }

    fn profile(&self, design: &Design<'_>) -> Profile {
        let mut profile = Profile::new(self.trials_at_most(design));
        profile.effort = self.effort(design);
        profile.guidance = Some(self.guidance());
        profile.facts = self.facts(design);
        profile.settings = settings::in_words(&profile.facts);
        profile
    }

    fn checks(&self, session: &SessionRecord, _: &Stimuli) -> Vec<Check> {
        self.attention().checks(session, 2, self)
    }

    fn following(&self, state: &ContrastState) -> Option<Trial> {
        state.sequence.following()
    }

    fn describe(&self) -> Description {
        let asked: Vec<(String, bool)> =
            self.compared().into_iter().map(|one| (one.key, one.graded)).collect();
        let mut description =
            Description::asking(asked.iter().map(|(key, _)| key.as_str())).with(CriteriaAsked(asked));
        if let PairSelection::Against(model) = &self.pairs {
            description = description.with(ComparedWith(model.as_str().into()));
        }
        if self.both_bad { description.with(BothBadOffered) } else { description }
    }

    fn by_item(&self) -> Option<&dyn ByItem> {
        Some(self)
    }

    fn learner(&self) -> Option<&dyn Learner> {
        (self.pairs == PairSelection::Active).then_some(self as &dyn Learner)
    }
}

impl ByItem for Contrast {
    fn unit(&self) -> &'static str {
        "pair of models on an item"
    }

    fn sessions(&self, design: &Design<'_>) -> u32 {
        self.length().sessions(self.comparisons(design.stimuli), design)
    }

    fn units(&self, inputs: &Inputs<'_>) -> Vec<u64> {
        let stimuli = inputs.design.stimuli;
        let cyclic =
            self.length().design(self.comparisons(stimuli)).filter(|_| self.pairs != PairSelection::Active);
        let (pairs, matched_sets) = self.units_of(stimuli);
        cyclic.map_or_else(Vec::new, |cyclic| balanced::units(pairs, matched_sets, cyclic, inputs))
    }
}

impl Winners for Contrast {
    fn winner(&self, answered: &Answered) -> Option<usize> {
        Vote::of(answered, &self.leading_key())?.winner()
    }
}

impl Learner for Contrast {
    fn learn(&self, briefing: &mut Value, session: &SessionRecord, stimuli: &Stimuli) {
        votes::learn(briefing, session, stimuli, self.real, &self.leading_key());
    }
}

impl Contrast {
    fn trials_at_most(&self, design: &Design<'_>) -> u32 {
        self.length().trials(self.comparisons(design.stimuli)).saturating_add(self.attention().trials())
    }

    fn effort(&self, design: &Design<'_>) -> Option<Effort> {
        let trials = u64::from(self.trials_at_most(design));
        let more = self.criteria.len().saturating_sub(1) as u64;
        let trial = Millis(ANSWER.0.saturating_add(MORE.0.saturating_mul(more as u32)));
        let duration = Micros(trials * Micros::from_millis(trial).0);
        Some(Effort { duration, correct: f64::from(self.attention().golds()) })
    }

    fn facts(&self, design: &Design<'_>) -> Vec<Fact> {
        let (pairs, items) = self.units_of(design.stimuli);
        let fact = |name: &str, label: &str, value| Fact { name: name.into(), label: label.into(), value };
        let mut facts = vec![
            fact("pair_selection", "how pairs of models are chosen", json!(self.pairs)),
            fact(
                "comparisons",
                "pairs of models, items, and comparisons of each rater",
                json!({
                    "pairs": pairs,
                    "items": items,
                    "per_session": self.length().schedule(self.comparisons(design.stimuli)).main,
                }),
            ),
        ];
        if !self.criteria.is_empty() {
            facts.push(fact("criteria", "criteria of every comparison", json!(self.criteria)));
        }
        facts.extend(self.attention().facts(2));
        facts
    }

    fn guidance(&self) -> Guidance {
        let by_criteria = !self.criteria.is_empty();
        let begin = if by_criteria {
            "You will see two images at a time, A and B. Look at both, then answer every question about the two. Judge each \
             pair by itself: which side an image stands on means nothing. Take all the time you need."
        } else {
            "You will see two images at a time, A and B. Look at both, then choose the one that answers the question \
             better. Judge each pair by itself: which side an image stands on means nothing. Take all the time you \
             need."
        };
        let mut guidance = Guidance::from(begin);
        if self.criteria.len() > 1 {
            guidance = guidance.then(
                "Answer each question by itself: the same image may be better in one respect and worse in another.",
            );
        }
        let votes = self.criteria.iter().filter(|criterion| criterion.grades.is_none());
        let ties: Vec<bool> = votes.map(|criterion| criterion.tie.unwrap_or(self.tie)).collect();
        let tie = if by_criteria { ties.iter().all(|&tie| tie) } else { self.tie };
        let no_tie = if by_criteria { ties.iter().all(|&tie| !tie) } else { !self.tie };
        // Where some questions allow for ties and others do not, the options say which; so do grades.
        guidance = match (by_criteria && ties.is_empty(), tie, no_tie) {
            (false, true, _) => {
                guidance.then("If you see no difference that matters, say that they are equal.")
            }
            (false, false, true) => {
                guidance.then("If they seem equal, choose the one that you would rather keep.")
            }
            _ => guidance,
        };
        if self.both_bad {
            guidance = guidance.then("If neither is any good, say that both are bad.");
        }
        self.attention().guide(guidance)
    }
}

register_task!(
    Contrast,
    "contrast",
    summary = "Two images side by side: which is better, by one criterion or by several, or by how much; every pair of models, \
               the most informative pairs, or one model against each of the others",
    citation = "Bradley & Terry 1952, Rank analysis of incomplete block designs, Biometrika; Glickman & Jensen 2005, \
                Adaptive paired comparison design, Journal of Statistical Planning and Inference",
    example = "{ kind: contrast, criterion: how well it fits the description, tie: true, pairs: balanced }",
);
