//! A population in words, for readers of simulated findings.

use std::collections::BTreeMap;

use hype_core::{SetId, Stimuli};

use super::{Behaviour, Population};
use crate::observer::{Acuity, Observer};

/// The assumptions about each model, then about the raters, one sentence each.
pub(super) fn assumptions(population: &Population, stimuli: &Stimuli) -> Vec<String> {
    let Ok(acuities) = population.acuities(stimuli) else {
        return Vec::new();
    };
    let models: Vec<&(SetId, Acuity)> =
        acuities.iter().filter(|(id, _)| stimuli.models().any(|model| model == *id)).collect();
    let mut found = Vec::new();
    let at_levels = |id: SetId| at_levels(population.observer_of(stimuli, id));
    match models.as_slice() {
        [(id, first), _, ..]
            if models
                .iter()
                .all(|(other, acuity)| acuity == first && at_levels(*other) == at_levels(*id)) =>
        {
            found.push(format!("every model is assumed to be equal: {}{}", seen(first), at_levels(*id)));
        }
        _ => found.extend(models.iter().map(|(id, acuity)| {
            let name = stimuli.set(*id).map_or("", |set| &*set.name);
            format!("{name} is assumed to have {}{}", seen(acuity), at_levels(*id))
        })),
    }
    found.push(raters(population));
    found
}

/// How well the median rater recognizes a model's stimuli.
fn seen(acuity: &Acuity) -> String {
    let untimed = acuity.untimed;
    format!(
        "a threshold of {} ms, {:.0} % errors on generated and {:.0} % on real stimuli without a limit of time, a \
         quality of {:.2}",
        (acuity.psychometric.threshold() * 10.0).round() / 10.0,
        100.0 * untimed.fakes_error,
        100.0 * untimed.reals_error,
        acuity.quality
    )
}

/// Describes the amounts added to the quality for items at levels of facets.
fn at_levels(observer: &Observer) -> String {
    let of_facet = |(facet, levels): (&String, &BTreeMap<String, f64>)| {
        let shifts: Vec<String> =
            levels.iter().map(|(level, shift)| format!("{shift:+.2} where {facet} is {level}")).collect();
        shifts
    };
    observer.levels.iter().flat_map(of_facet).map(|shift| format!(", {shift}")).collect()
}

fn raters(population: &Population) -> String {
    let mut honest = 1.0;
    let mut others = Vec::new();
    for (behaviour, share) in population.behaviours.shares() {
        honest -= share;
        if share > 0.0 {
            others.push(format!("{} {:.1} %", name(behaviour), 100.0 * share));
        }
    }
    let mut text = format!(
        "raters' thresholds differ by a factor of exp({}) for each standard deviation",
        population.rater_sd
    );
    if let Some(accuracy) = population.qualification_accuracy {
        text += &format!("; the median rater gets {:.0} % of the qualification right", 100.0 * accuracy);
    }
    if others.is_empty() {
        text += "; all are honest";
    } else {
        text += &format!("; {:.1} % are honest, {}", 100.0 * honest.max(0.0), others.join(", "));
    }
    text
}

const fn name(behaviour: Behaviour) -> &'static str {
    match behaviour {
        Behaviour::Honest => "honest",
        Behaviour::Inattentive => "inattentive",
        Behaviour::Constant => "constant",
        Behaviour::Random => "random",
        Behaviour::Alternating => "alternating",
        Behaviour::Bot => "bots",
        Behaviour::Machine => "machines",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn text(population: &Population) -> String {
        assumptions(population, &fixtures::stimuli(2, &[("wgan", 2), ("stylegan", 2)])).join("\n")
    }

    #[test]
    fn models_without_assumptions_are_equal() {
        assert_eq!(
            text(&Population::default()),
            "every model is assumed to be equal: a threshold of 360 ms, 40 % errors on generated and 40 % on real stimuli \
             without a limit of time, a quality of 0.60\n\
             raters' thresholds differ by a factor of exp(0.35) for each standard deviation; the median rater gets 85 % of \
             the qualification right; all are honest"
        );
    }

    #[test]
    fn models_that_differ_and_raters_who_do_not_look_are_named() {
        let mut population = Population { qualification_accuracy: None, ..Population::default() };
        population
            .observers
            .insert("wgan".into(), Observer { threshold_ms: Some(90.0), ..Observer::default() });
        let levels = [("subject".into(), [("text".into(), -0.2)].into())].into();
        population.observers.insert("stylegan".into(), Observer { levels, ..Observer::default() });
        population.behaviours.bots = 0.1;
        assert_eq!(
            text(&population),
            "wgan is assumed to have a threshold of 90 ms, 10 % errors on generated and 10 % on real stimuli without a \
             limit of time, a quality of 0.15\n\
             stylegan is assumed to have a threshold of 360 ms, 40 % errors on generated and 40 % on real stimuli without a \
             limit of time, a quality of 0.60, -0.20 where subject is text\n\
             raters' thresholds differ by a factor of exp(0.35) for each standard deviation; 90.0 % are honest, bots 10.0 %"
        );
    }
}
