//! Populations of synthetic raters, as declared by `simulate: { kind: synthetic }`.

use std::collections::BTreeMap;

use hype_core::plugin::surroundings::Surroundings;
use hype_core::{
    Cohort, CohortError, Design, Diagnostics, Rater, Role, SetId, Stimuli, Streams, Use, Wanted,
    register_cohort,
};
use hype_stats::StatError;
use rand_distr::{Distribution as _, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::observer::{Acuity, Observer};

mod assumptions;
mod check;
mod items;
mod rater;

pub use self::rater::{Behaviour, SyntheticRater, Traits};
#[cfg(feature = "conformance")]
pub(crate) use self::rater::{right_entry, wrong_answer};

/// A population of synthetic raters: the cohort `synthetic`.
///
/// # Method
/// A rater's base difficulty z is standard normal. The difficulty in a trial is d = rater_sd z + the drift, in ln
/// units: thresholds and the odds of untimed errors are multiplied by exp(d). The drift at trial n, counted from 0
/// over the whole session, is `fatigue` n / 100.
///
/// # Examples
/// ```
/// use hype_core::Streams;
/// use hype_sim::{Population, fixtures};
/// let stimuli = fixtures::stimuli(20, &[("wgan", 20)]);
/// let mut population = Population { rater_sd: 0.5, ..Population::default() };
/// population.behaviours.bots = 0.1;
/// let rater = population.rater(&stimuli, &Streams::new(1))?;
/// println!("a rater who is {:?}", rater.traits().behaviour);
/// # Ok::<(), hype_stats::StatError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Population {
    /// How well raters recognize each model's stimuli, by its name, or by that of a cell such as `gan/lemon`; missing fields
    /// have their defaults.
    pub observers: BTreeMap<String, Observer>,
    /// How well raters recognize the stimuli of all other models.
    pub default_observer: Observer,
    /// The standard deviation over raters of the natural logarithm of the threshold.
    #[schemars(range(min = 0.0))]
    pub rater_sd: f64,
    /// The median rater's share of right answers in the qualification; `null` if the observer decides there
    /// too.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub qualification_accuracy: Option<f64>,
    /// The increase in difficulty over 100 trials, in ln units.
    pub fatigue: f64,
    /// The shares of raters who do not follow the instructions; the remaining raters are honest.
    pub behaviours: Behaviours,
    /// The probability, at each trial, that a rater leaves the study.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dropout: f64,
    /// How questions without a right answer are answered.
    pub quality: Quality,
}

impl Default for Population {
    fn default() -> Self {
        Self {
            observers: BTreeMap::new(),
            default_observer: Observer::default(),
            rater_sd: 0.35,
            qualification_accuracy: Some(0.85),
            fatigue: 0.0,
            behaviours: Behaviours::default(),
            dropout: 0.0,
            quality: Quality::default(),
        }
    }
}

/// The shares of raters by behaviour; together at most 1, and the remaining raters are honest.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviours {
    /// Raters who do not look at all.
    pub spammers: Spammers,
    /// Raters who answer three trials of ten without looking.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub inattentive: f64,
    /// Programs that know the right answer and give it immediately.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bots: f64,
    /// Programs that see everything at any exposure, err only by lapses, and answer as slowly as a person.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.0))]
    pub machines: f64,
}

/// The shares of raters who do not look, by the pattern of their answers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spammers {
    /// Always the same answer.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub constant: f64,
    /// At random.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub random: f64,
    /// Each option in turn.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub alternating: f64,
}

impl Behaviours {
    fn shares(&self) -> [(Behaviour, f64); 6] {
        [
            (Behaviour::Constant, self.spammers.constant),
            (Behaviour::Random, self.spammers.random),
            (Behaviour::Alternating, self.spammers.alternating),
            (Behaviour::Inattentive, self.inattentive),
            (Behaviour::Bot, self.bots),
            (Behaviour::Machine, self.machines),
        ]
    }

    /// The behaviour for a uniform random number in [0, 1).
    fn of(&self, unit: f64) -> Behaviour {
        let mut left = unit;
        for (behaviour, share) in self.shares() {
            if left < share {
                return behaviour;
            }
            left -= share;
        }
        Behaviour::Honest
    }
}

/// How questions without a right answer are answered: by a quality from 0 (the first option, the least number) to 1
/// (the last option, the greatest number), rounded to the nearest answer. On a scale for the difference of two
/// images, the position is one half plus half of the difference in quality of the second and the first.
///
/// # Method
/// An image's quality is its model's quality (with the effects in `levels` of its observer) + item_sd u + output_sd v + rater_sd z + trial_sd e. u belongs to its
/// item, v to the image, z to the rater and e to the question. All are standard normal, except that for images side
/// by side e is a Gumbel variable and z is omitted. u and v are drawn from the study's stream `effect` of `item` and
/// `output` with their numbers in the study (`alone` in place of `item` for an image without one): all raters of a
/// study see the same effects, and another seed draws others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quality {
    /// The quality of real stimuli; that of a model is in its observer.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reals: f64,
    /// The standard deviation of leniency over raters.
    #[schemars(range(min = 0.0))]
    pub rater_sd: f64,
    /// The standard deviation over trials and their questions. For images side by side, the scale of the Gumbel noise
    /// added to each: an image beats another with the odds exp((quality - other quality) / trial_sd).
    #[schemars(range(min = 0.0))]
    pub trial_sd: f64,
    /// The standard deviation of the quality of items, which all raters share. A stimulus
    /// without an item counts as its own item.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0), extend("default" = 0.0))]
    pub item_sd: f64,
    /// The standard deviation of the quality of a model's outputs, which all raters share.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0), extend("default" = 0.0))]
    pub output_sd: f64,
    /// The largest difference between two images side by side that counts as a tie, if ties are allowed.
    #[schemars(range(min = 0.0))]
    pub indifference: f64,
}

impl Default for Quality {
    fn default() -> Self {
        Self { reals: 0.8, rater_sd: 0.1, trial_sd: 0.15, item_sd: 0.0, output_sd: 0.0, indifference: 0.05 }
    }
}

/// Settings that are off are not written: the digests of specs without them do not change.
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Population {
    /// Draws one rater's traits; the same ones for the same streams.
    #[must_use]
    pub fn traits(&self, chance: &Streams) -> Traits {
        let own = chance.child("synthetic", 0);
        Traits {
            behaviour: self.behaviours.of(own.stream("behaviour").unit_f64()),
            difficulty: StandardNormal.sample(&mut own.stream("difficulty")),
            leniency: StandardNormal.sample(&mut own.stream("leniency")),
            habit: own.stream("habit").unit_f64(),
        }
    }

    /// Draws one rater; the same one for the same arguments.
    ///
    /// # Errors
    /// If [`Observer::acuity`] refuses an observer.
    pub fn rater(&self, stimuli: &Stimuli, chance: &Streams) -> Result<SyntheticRater, StatError> {
        SyntheticRater::new(self, stimuli, self.traits(chance))
    }

    /// How well the median rater recognizes each generated set: the models in their order, then the sets that only
    /// the qualification shows.
    ///
    /// # Errors
    /// If [`Observer::acuity`] refuses an observer.
    pub fn acuities(&self, stimuli: &Stimuli) -> Result<Vec<(SetId, Acuity)>, StatError> {
        self.observers_of(stimuli)
            .map(|(id, observer)| Ok((id, observer.acuity_for(stimuli.kind())?)))
            .collect()
    }

    /// The observers of each generated set, in the order of [`Self::acuities`].
    fn observers_of<'a>(&'a self, stimuli: &'a Stimuli) -> impl Iterator<Item = (SetId, &'a Observer)> {
        let qualification = stimuli.sets_with(Role::Generated, Use::Qualification);
        stimuli.models().chain(qualification).map(|id| (id, self.observer_of(stimuli, id)))
    }

    /// The observer of a generated set.
    fn observer_of(&self, stimuli: &Stimuli, id: SetId) -> &Observer {
        let of = |name: &str| self.observers.get(name);
        let named = stimuli.set(id).and_then(|set| of(&set.name).or_else(|| of(set.declared_name())));
        named.unwrap_or(&self.default_observer)
    }
}

impl Cohort for Population {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        check::check(self, around.stimuli, at);
    }

    fn rater(&self, wanted: &Wanted<'_>, chance: &Streams) -> Result<Box<dyn Rater>, CohortError> {
        match self.rater(wanted.stimuli, chance) {
            Ok(rater) => Ok(Box::new(rater.in_study(wanted.stimuli, wanted.study_chance))),
            Err(error) => Err(CohortError { place: wanted.place.number, reason: error.to_string() }),
        }
    }

    fn is_synthetic(&self) -> bool {
        true
    }

    fn tells_apart(&self, stimuli: &Stimuli) -> bool {
        let mut observers = stimuli.models().map(|model| self.observer_of(stimuli, model));
        let first = observers.next();
        observers.any(|other| Some(other) != first)
    }

    fn assumptions(&self, design: &Design<'_>) -> Vec<String> {
        assumptions::assumptions(self, design.stimuli)
    }
}

register_cohort!(
    Population,
    "synthetic",
    summary = "Synthetic raters with psychometric functions, drift, spammers and dropouts",
    citation = "Wichmann & Hill 2001, The psychometric function I, Perception & Psychophysics",
    example = "{ kind: synthetic, default_observer: { threshold_ms: 320, slope: 4 }, rater_sd: 0.4, behaviours: { \
               spammers: { random: 0.05 } } }",
);
