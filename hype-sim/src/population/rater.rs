//! Synthetic raters.

use std::collections::{BTreeMap, HashMap};

use hype_core::model::trial::{BOTH_BAD, ChoiceOption, Form, Phase, Scale, TIE};
use hype_core::{
    Answer, AnswerValue, MediaKind, Question, Rater, Response, Role, SetId, Stimuli, StimulusId, Stream,
    Streams, Trial, Truth, Use,
};
use hype_stats::StatError;
use rand_distr::{Distribution as _, Gumbel, StandardNormal};

use super::items::ItemEffects;
use super::{Population, Quality};
use crate::answers;
use crate::observer::{Acuity, Observer, times_odds};
use crate::response_time::ResponseTimes;

/// The share of trials that an inattentive rater answers without looking.
const INATTENTIVE: f64 = 0.3;
/// The quality of the best image side by side below which all are called bad, if that answer is offered.
const UNACCEPTABLE: f64 = 0.1;
/// The longest exposure in ms whose probability is cached in a table.
const TABLE_MS: usize = 4096;

/// The behaviour of a rater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Behaviour {
    /// Looks, and answers accordingly.
    Honest,
    /// Answers a share of the trials at random without looking.
    Inattentive,
    /// Always answers the same.
    Constant,
    /// Answers at random.
    Random,
    /// Answers each option in turn, or both ends of a range in turn.
    Alternating,
    /// Answers correctly and immediately.
    Bot,
    /// Sees everything at any exposure, errs only by lapses, and answers as slowly as a person.
    Machine,
}

impl Behaviour {
    /// All behaviours.
    pub const ALL: [Self; 7] = [
        Self::Honest,
        Self::Inattentive,
        Self::Constant,
        Self::Random,
        Self::Alternating,
        Self::Bot,
        Self::Machine,
    ];
}

/// The traits that distinguish one rater of a population from another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// The behaviour of the rater.
    pub behaviour: Behaviour,
    /// The rater's additional difficulty, in standard deviations of the population.
    pub difficulty: f64,
    /// The rater's leniency, in standard deviations of the population.
    pub leniency: f64,
    /// The option that a constant rater gives and an alternating one begins with, as a position in [0, 1).
    pub habit: f64,
}

/// A synthetic observer that answers any trial.
///
/// It has no memory: changes over a session depend only on the trial's number, so an interrupted session
/// continues exactly as it would have without the interruption.
#[derive(Debug, Clone)]
pub struct SyntheticRater {
    traits: Traits,
    /// The rater's difficulty, as a factor.
    hardness: f64,
    /// By set; `None` for sets that are not generated.
    sights: Vec<Option<Sight>>,
    /// For trials without a model under judgment.
    unnamed: Sight,
    qualification_error: Option<f64>,
    /// The increase in difficulty with each trial, in ln units.
    fatigue: f64,
    dropout: f64,
    quality: Quality,
    items: Option<ItemEffects>,
}

/// How a rater sees one model, with the probabilities computed so far.
#[derive(Debug, Clone)]
struct Sight {
    acuity: Acuity,
    /// The quality by questions, where it is not the acuity's.
    qualities: BTreeMap<String, f64>,
    /// Added to the quality of stimuli for items at some levels of facets, by stimulus.
    shifts: HashMap<StimulusId, f64>,
    /// The difficulty, as a multiple of the median rater's.
    hardness: f64,
    /// The probability of a right answer by the exposure in ms; NaN if it has not been
    /// asked for.
    table: Vec<f64>,
}

impl Sight {
    /// How well a rater of the given difficulty recognizes a model's stimuli, which are of this kind.
    fn new(
        observer: &Observer,
        kind: MediaKind,
        population: &Population,
        difficulty: f64,
    ) -> Result<Self, StatError> {
        let acuity = observer.acuity_for(kind)?;
        let rater_sd = acuity.rater_sd.unwrap_or(population.rater_sd);
        Ok(Self {
            acuity,
            qualities: observer.qualities.clone(),
            shifts: HashMap::new(),
            hardness: (rater_sd * difficulty).exp(),
            table: Vec::new(),
        })
    }

    /// The same with what is added for stimuli of a set, by the levels of their items.
    fn of_set(self, observer: &Observer, stimuli: &Stimuli, set: SetId) -> Self {
        if observer.levels.is_empty() {
            return self;
        }
        let shift =
            |&stimulus: &StimulusId| Some((stimulus, observer.shift(&stimuli.item_of(stimulus)?.levels)));
        Self { shifts: stimuli.members(set).iter().filter_map(shift).collect(), ..self }
    }

    /// The quality of one of the model's stimuli for a question.
    fn quality(&self, question: &Question, stimulus: Option<StimulusId>) -> f64 {
        let quality = self.qualities.get(&*question.id).copied().unwrap_or(self.acuity.quality);
        quality + stimulus.and_then(|stimulus| self.shifts.get(&stimulus)).copied().unwrap_or(0.0)
    }

    /// The probability of a right answer at the rater's own difficulty.
    fn timed(&mut self, exposure_ms: u32) -> f64 {
        let index = exposure_ms as usize;
        if let Some(&known) = self.table.get(index)
            && !known.is_nan()
        {
            return known;
        }
        let computed = self.acuity.timed(f64::from(exposure_ms), self.hardness);
        if index < TABLE_MS {
            if self.table.len() <= index {
                self.table.resize(index + 1, f64::NAN);
            }
            self.table[index] = computed;
        }
        computed
    }
}

impl SyntheticRater {
    /// The rater of a population with given traits, for the models of a study.
    ///
    /// # Errors
    /// If an observer of the population is refused by [`Observer::acuity`](crate::Observer::acuity).
    pub fn new(population: &Population, stimuli: &Stimuli, traits: Traits) -> Result<Self, StatError> {
        let mut sights = vec![None; stimuli.sets().len()];
        let sight = |observer: &Observer| Sight::new(observer, stimuli.kind(), population, traits.difficulty);
        let gold = stimuli.sets_with(Role::Generated, Use::Gold);
        let gold = gold.map(|id| (id, population.observer_of(stimuli, id)));
        for (set, observer) in population.observers_of(stimuli).chain(gold) {
            sights[usize::from(set.0)] = Some(sight(observer)?.of_set(observer, stimuli, set));
        }
        Ok(Self {
            traits,
            hardness: (population.rater_sd * traits.difficulty).exp(),
            sights,
            unnamed: sight(&population.default_observer)?,
            qualification_error: population.qualification_accuracy.map(|accuracy| 1.0 - accuracy),
            fatigue: population.fatigue / 100.0,
            dropout: population.dropout,
            quality: population.quality,
            items: None,
        })
    }

    /// The same rater with the item effects of a study: they are drawn with the population's `item_sd` and `output_sd` from the
    /// study's chance, so all raters of the study meet the same items. Without it no item has an effect.
    #[must_use]
    pub fn in_study(self, stimuli: &Stimuli, study_chance: &Streams) -> Self {
        Self { items: ItemEffects::new(&self.quality, stimuli, study_chance), ..self }
    }

    /// The traits of this rater.
    #[must_use]
    pub fn traits(&self) -> &Traits {
        &self.traits
    }

    /// This rater's threshold for a generated set in ms, without fatigue.
    #[must_use]
    pub fn threshold_ms(&self, model: SetId) -> Option<f64> {
        let sight = self.sights.get(usize::from(model.0))?.as_ref()?;
        Some(sight.acuity.psychometric.threshold() * sight.hardness)
    }

    /// The probability that this rater answers a trial correctly after looking.
    pub fn probability(&mut self, trial: &Trial, truth: Option<&Truth>) -> f64 {
        if self.traits.behaviour == Behaviour::Machine {
            return 1.0 - self.sight(truth.and_then(|truth| truth.model)).acuity.psychometric.lapse();
        }
        let role = truth.and_then(|truth| truth.role);
        let drift = (self.fatigue.abs() > 0.0).then(|| (self.fatigue * f64::from(trial.number)).exp());
        if let (Phase::Qualification, Some(error)) = (trial.phase, self.qualification_error) {
            return 1.0 - times_odds(error, self.hardness * drift.unwrap_or(1.0));
        }
        let sight = self.sight(truth.and_then(|truth| truth.model));
        let hardness = sight.hardness * drift.unwrap_or(1.0);
        match (trial.exposure(), drift) {
            (None, _) => sight.acuity.untimed(role, hardness),
            (Some(exposure), None) => sight.timed(exposure.0),
            (Some(exposure), Some(_)) => sight.acuity.timed(f64::from(exposure.0), hardness),
        }
    }

    fn sight(&mut self, model: Option<SetId>) -> &mut Sight {
        model
            .and_then(|SetId(set)| self.sights.get_mut(usize::from(set))?.as_mut())
            .unwrap_or(&mut self.unnamed)
    }

    /// The worth of a stimulus relative to others of its set.
    fn effect(&self, stimulus: Option<StimulusId>) -> f64 {
        self.items.as_ref().zip(stimulus).map_or(0.0, |(items, stimulus)| items.of(stimulus))
    }

    /// The quality of the stimulus for the rater in this trial, from 0 to 1.
    fn worth(&mut self, trial: &Trial, truth: Option<&Truth>, question: &Question, noise: f64) -> f64 {
        // It is shown before or after its source image.
        let judged = truth.and_then(|truth| truth.shown.iter().position(|&set| Some(set) == truth.model));
        let stimulus = trial.stimuli().nth(judged.unwrap_or(0));
        let quality = match truth.and_then(|truth| truth.role) {
            Some(Role::Real) => self.quality.reals,
            _ => self.sight(truth.and_then(|truth| truth.model)).quality(question, stimulus),
        };
        let effect = self.effect(stimulus);
        quality + effect + self.quality.rater_sd * self.traits.leniency + self.quality.trial_sd * noise
    }

    /// The quality of each image of a gallery for the rater and a question in this trial. With Gumbel noise choices follow the
    /// Bradley-Terry model with strengths `quality / trial_sd`, and orders that of Plackett and Luce.
    fn worths(
        &self,
        trial: &Trial,
        truth: Option<&Truth>,
        question: &Question,
        mut noise: impl FnMut() -> f64,
    ) -> Vec<f64> {
        let quality = |set: &SetId, stimulus| match self.sights.get(usize::from(set.0)) {
            Some(Some(sight)) => sight.quality(question, stimulus),
            _ => self.quality.reals,
        };
        let shown = truth.map_or(&[][..], |truth| &truth.shown);
        if shown.is_empty() {
            return Vec::new();
        }
        let stimuli = trial.stimuli().map(Some).chain(std::iter::repeat(None));
        let worth = |(set, stimulus)| {
            quality(set, stimulus) + self.effect(stimulus) + self.quality.trial_sd * noise()
        };
        shown.iter().zip(stimuli).map(worth).collect()
    }

    /// Answers a question about the images of a gallery by their qualities; `None` if it asks for something else.
    fn compare(&self, trial: &Trial, question: &Question, worths: &[f64]) -> Option<AnswerValue> {
        let gallery = trial.gallery();
        if gallery.len() != worths.len() || gallery.is_empty() {
            return None;
        }
        let form = &question.form;
        if let (Scale::Difference, &[first, second]) = (question.scale, worths) {
            return Some(answers::at(form, 0.5 + 0.5 * (second - first)));
        }
        let place_of = |value: &str| gallery.iter().position(|image| &*image.label == value);
        match form {
            Form::Ranking { candidates, ties } => {
                let of = |candidate: &ChoiceOption| place_of(&candidate.value).map(|place| worths[place]);
                let worths: Option<Vec<f64>> = candidates.iter().map(of).collect();
                let same = ties.then_some(self.quality.indifference);
                Some(answers::ranking::by_worth(candidates, &worths?, same))
            }
            Form::Choice { options } => {
                let offered = |value: &str| options.iter().any(|option| &*option.value == value);
                if !gallery.iter().all(|image| offered(&image.label)) {
                    return None;
                }
                let mut order: Vec<usize> = (0..worths.len()).collect();
                order.sort_by(|&a, &b| worths[b].total_cmp(&worths[a]));
                let best = order[0];
                let lead = order.get(1).map_or(f64::INFINITY, |&second| worths[best] - worths[second]);
                let answer = if offered(BOTH_BAD) && worths[best] < UNACCEPTABLE {
                    BOTH_BAD
                } else if offered(TIE) && lead <= self.quality.indifference {
                    TIE
                } else {
                    &gallery[best].label
                };
                Some(AnswerValue::from(answer))
            }
            _ => None,
        }
    }

    /// Answers a trial after looking.
    fn look(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        let probability = self.probability(trial, truth);
        let right = chance.happens(probability);
        // Where one of several images is known to be better, raters see that as they see the quality of any image.
        let is_gold = truth.is_some_and(|truth| truth.logged_as == Some(Phase::Gold));
        let answer = answers::answer(trial, |question| {
            // Drawn for questions with a right answer too: later draws do not depend on whether there is one.
            let worths = self.worths(trial, truth, question, || standard_gumbel().sample(chance));
            match right_entry(question, truth).filter(|_| !is_gold) {
                Some(answer) if right => answer.clone(),
                Some(answer) => answers::other_than(&question.form, answer, chance),
                None => self.compare(trial, question, &worths).unwrap_or_else(|| {
                    let place = self.worth(trial, truth, question, StandardNormal.sample(chance));
                    answers::at(&question.form, place)
                }),
            }
        });
        Response::Answer { answer, rt: ResponseTimes::HONEST.draw(probability, chance) }
    }

    fn bot(&mut self, trial: &Trial, truth: Option<&Truth>) -> Answer {
        answers::answer(trial, |question| match right_entry(question, truth) {
            Some(answer) => answer.clone(),
            None => {
                let worths = self.worths(trial, truth, question, || 0.0);
                self.compare(trial, question, &worths).unwrap_or_else(|| {
                    let place = self.worth(trial, truth, question, 0.0);
                    answers::at(&question.form, place)
                })
            }
        })
    }

    fn alternating(&self, trial: &Trial) -> Answer {
        let turn = trial.number as usize;
        answers::answer(trial, |question| match answers::options(&question.form) {
            Some(options) => {
                let first = (self.traits.habit * options as f64) as usize;
                answers::option(&question.form, first + turn)
            }
            None => answers::at(&question.form, f64::from(u8::from(turn % 2 == 1))),
        })
    }
}

impl Rater for SyntheticRater {
    fn respond(&mut self, trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Response {
        if chance.happens(self.dropout) {
            return Response::Leave;
        }
        if trial.phase.is_survey() {
            let rt = ResponseTimes::HONEST.draw(1.0, chance);
            return Response::Answer { answer: about_itself(trial, truth, chance), rt };
        }
        let careless = match self.traits.behaviour {
            Behaviour::Honest | Behaviour::Machine => return self.look(trial, truth, chance),
            Behaviour::Inattentive if !chance.happens(INATTENTIVE) => {
                return self.look(trial, truth, chance);
            }
            Behaviour::Inattentive | Behaviour::Random => answers::random(trial, chance),
            Behaviour::Constant => {
                answers::answer(trial, |question| match answers::options(&question.form) {
                    Some(options) => {
                        answers::option(&question.form, (self.traits.habit * options as f64) as usize)
                    }
                    None => answers::at(&question.form, self.traits.habit),
                })
            }
            Behaviour::Alternating => self.alternating(trial),
            Behaviour::Bot => {
                let answer = self.bot(trial, truth);
                return Response::Answer { answer, rt: ResponseTimes::BOT.draw(1.0, chance) };
            }
        };
        Response::Answer { answer: careless, rt: ResponseTimes::CARELESS.draw(0.5, chance) }
    }
}

/// The answer to a page of a survey: the right one where there is one, and otherwise a random one.
fn about_itself(trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Answer {
    answers::answer(trial, |question| match right_entry(question, truth) {
        Some(answer) => answer.clone(),
        None => answers::any(&question.form, chance),
    })
}

/// The noise added to the quality of an image of a gallery; the difference of two values is standard logistic.
fn standard_gumbel() -> Gumbel<f64> {
    // Only a location that is not finite, or a scale that is not positive and finite, is refused.
    Gumbel::new(0.0, 1.0).expect("a location of 0 and a scale of 1 are valid")
}

/// A wrong answer to a trial; a random one to questions without a right answer.
#[cfg(feature = "conformance")]
pub(crate) fn wrong_answer(trial: &Trial, truth: Option<&Truth>, chance: &mut Stream) -> Answer {
    answers::answer(trial, |question| match right_entry(question, truth) {
        Some(answer) => answers::other_than(&question.form, answer, chance),
        None => answers::any(&question.form, chance),
    })
}

/// The right answer to a question, if there is one.
pub(crate) fn right_entry<'a>(question: &Question, truth: Option<&'a Truth>) -> Option<&'a AnswerValue> {
    let answer = truth?.answer.as_ref()?.get(&question.id)?;
    answers::accepts(&question.form, answer).then_some(answer)
}
