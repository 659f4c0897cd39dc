//! The rules across a population's fields.

use std::collections::{BTreeMap, BTreeSet};

use hype_core::diagnostics::nearest;
use hype_core::{Diagnostics, Role, Stimuli};

use super::{Behaviours, Population};
use crate::observer::Observer;
use crate::response_time::{ResponseTimeModel, ResponseTimes};

/// How far shares may exceed 1 through rounding.
const SLACK: f64 = 1e-9;

/// The range of a field.
#[derive(Clone, Copy)]
enum Range {
    /// From 0 to 1.
    Share,
    /// From -1 to 1.
    Balance,
    /// Over 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// Any number.
    Finite,
}

impl Range {
    fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Share => (0.0..=1.0).contains(&value),
                Self::Balance => (-1.0..=1.0).contains(&value),
                Self::Positive => value > 0.0,
                Self::NotNegative => value >= 0.0,
                Self::Finite => true,
            }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Share => "from 0 to 1",
            Self::Balance => "from -1 to 1",
            Self::Positive => "over 0",
            Self::NotNegative => "0 or more",
            Self::Finite => "a finite number",
        }
    }
}

/// Records a field whose number is out of its range; `usual` is a number to write instead.
fn number(at: &mut Diagnostics, field: &str, value: f64, range: Range, usual: f64) {
    if !range.holds(value) {
        at.field(field)
            .error("out-of-range", format!("{field} must be {}, got {value}", range.text()))
            .help(format!("a usual value is {usual}"));
    }
}

pub(super) fn check(population: &Population, stimuli: &Stimuli, at: &mut Diagnostics) {
    at.within("observers", |at| {
        for (name, observer) in &population.observers {
            let generated = stimuli.sets().iter().filter(|set| set.role == Role::Generated);
            at.within(name, |at| {
                if !generated.clone().any(|set| *set.name == **name || set.declared_name() == name) {
                    unknown_model(name, &generated.map(|set| &*set.name).collect::<Vec<_>>(), at);
                }
                check_observer(observer, stimuli, at);
            });
        }
    });
    at.within("default_observer", |at| check_observer(&population.default_observer, stimuli, at));
    number(at, "rater_sd", population.rater_sd, Range::NotNegative, 0.35);
    if let Some(accuracy) = population.qualification_accuracy {
        number(at, "qualification_accuracy", accuracy, Range::Share, 0.85);
    }
    at.within("learning", |at| {
        number(at, "gain", population.learning.gain, Range::Finite, 0.2);
        number(at, "trials", population.learning.trials, Range::Positive, 50.0);
    });
    number(at, "fatigue", population.fatigue, Range::Finite, 0.05);
    at.within("behaviours", |at| check_behaviours(&population.behaviours, at));
    number(at, "inattentive_lapse", population.inattentive_lapse, Range::Share, 0.3);
    number(at, "dropout", population.dropout, Range::Share, 0.001);
    at.within("response_times", |at| check_response_times(&population.response_times, at));
    at.within("quality", |at| {
        number(at, "reals", population.quality.reals, Range::Share, 0.8);
        number(at, "rater_sd", population.quality.rater_sd, Range::NotNegative, 0.1);
        number(at, "trial_sd", population.quality.trial_sd, Range::NotNegative, 0.15);
        number(at, "item_sd", population.quality.item_sd, Range::NotNegative, 0.1);
        number(at, "output_sd", population.quality.output_sd, Range::NotNegative, 0.1);
        number(at, "indifference", population.quality.indifference, Range::NotNegative, 0.05);
        if !population.quality.unacceptable.is_finite() {
            at.field("unacceptable").error("out-of-range", "unacceptable must be a finite number");
        }
    });
}

fn unknown_model(name: &str, generated: &[&str], at: &mut Diagnostics) {
    let meant = nearest(name, generated.iter().copied());
    at.error("unknown-model", format!("there is no generated set called `{name}`"))
        .help(format!("the generated sets are: {}", generated.join(", ")))
        .suggest(meant);
}

fn check_observer(observer: &Observer, stimuli: &Stimuli, at: &mut Diagnostics) {
    if let Some(threshold_ms) = observer.threshold_ms {
        number(at, "threshold_ms", threshold_ms, Range::Positive, 300.0);
    }
    if let Some(rater_sd) = observer.rater_sd {
        number(at, "rater_sd", rater_sd, Range::NotNegative, 0.35);
    }
    number(at, "slope", observer.slope, Range::Positive, 5.0);
    number(at, "guess", observer.guess, Range::Share, 0.5);
    number(at, "lapse", observer.lapse, Range::Share, 0.02);
    let both = observer.guess + observer.lapse;
    if Range::Share.holds(observer.guess) && Range::Share.holds(observer.lapse) && both >= 1.0 {
        at.error(
            "out-of-range",
            format!("guess + lapse must be under 1, got {} + {}", observer.guess, observer.lapse),
        )
        .help("a usual observer of two options has `guess: 0.5` and `lapse: 0.02`");
    }
    number(at, "bias", observer.bias, Range::Balance, 0.0);
    if let Some(untimed) = observer.untimed {
        at.within("untimed", |at| {
            number(at, "fakes_error", untimed.fakes_error, Range::Share, 0.3);
            number(at, "reals_error", untimed.reals_error, Range::Share, 0.3);
        });
    }
    if let Some(quality) = observer.quality {
        number(at, "quality", quality, Range::Share, 0.5);
    }
    at.within("qualities", |at| {
        for (question, &quality) in &observer.qualities {
            number(at, question, quality, Range::Share, 0.5);
        }
    });
    at.within("levels", |at| {
        for (facet, levels) in &observer.levels {
            at.within(facet, |at| check_levels(facet, levels, stimuli, at));
        }
    });
}

/// Checks what is added to the quality at levels of a facet, which some items have to have.
fn check_levels(facet: &str, levels: &BTreeMap<String, f64>, stimuli: &Stimuli, at: &mut Diagnostics) {
    let known: BTreeSet<&str> =
        stimuli.items().iter().filter_map(|item| item.levels.get(facet)).map(|level| &**level).collect();
    for (level, &shift) in levels {
        number(at, level, shift, Range::Balance, -0.2);
        if !known.contains(&**level) {
            let listed: Vec<&str> = known.iter().copied().collect();
            let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
            at.field(level)
                .error("unknown-level", format!("no item has the level `{level}` of {facet}"))
                .help(format!("the levels of items are: {listed}"))
                .suggest(nearest(level, known.iter().copied()));
        }
    }
}

fn check_behaviours(behaviours: &Behaviours, at: &mut Diagnostics) {
    at.within("spammers", |at| {
        number(at, "constant", behaviours.spammers.constant, Range::Share, 0.02);
        number(at, "random", behaviours.spammers.random, Range::Share, 0.05);
        number(at, "alternating", behaviours.spammers.alternating, Range::Share, 0.02);
    });
    number(at, "inattentive", behaviours.inattentive, Range::Share, 0.1);
    number(at, "bots", behaviours.bots, Range::Share, 0.02);
    number(at, "machines", behaviours.machines, Range::Share, 0.02);
    let shares = behaviours.shares();
    let sum: f64 = shares.iter().map(|&(_, share)| share).sum();
    if shares.iter().all(|&(_, share)| Range::Share.holds(share)) && sum > 1.0 + SLACK {
        at.error("out-of-range", format!("the shares must sum to at most 1, got {sum}"))
            .help("the remainder to 1 is the share of honest raters");
    }
}

fn check_response_times(times: &ResponseTimes, at: &mut Diagnostics) {
    number(at, "shift_ms", times.shift_ms, Range::NotNegative, 200.0);
    match times.model {
        ResponseTimeModel::Lognormal => {
            number(at, "median_ms", times.median_ms, Range::Positive, 450.0);
            number(at, "sigma", times.sigma, Range::NotNegative, 0.45);
        }
        ResponseTimeModel::ExGaussian => {
            number(at, "mu_ms", times.mu_ms, Range::NotNegative, 350.0);
            number(at, "sigma_ms", times.sigma_ms, Range::NotNegative, 60.0);
            number(at, "tau_ms", times.tau_ms, Range::NotNegative, 180.0);
        }
    }
    number(at, "easier", times.easier, Range::Share, 0.25);
}
