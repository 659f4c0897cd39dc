//! A population in words, for readers of findings that rest on it.

use hype_core::{SetId, Stimuli};

use super::{Behaviour, Population};
use crate::observer::Acuity;

/// What is assumed of each model, then of the raters, a sentence each.
pub(super) fn assumptions(population: &Population, stimuli: &Stimuli) -> Vec<String> {
    let Ok(acuities) = population.acuities(stimuli) else {
        return Vec::new();
    };
    let models: Vec<&(SetId, Acuity)> =
        acuities.iter().filter(|(id, _)| stimuli.models().any(|model| model == *id)).collect();
    let mut found = Vec::new();
    match models.as_slice() {
        [(_, first), _, ..] if models.iter().all(|(_, acuity)| acuity == first) => {
            found.push(format!("every model is assumed to be equal: {}", seen(first)));
        }
        _ => found.extend(models.iter().map(|(id, acuity)| {
            let name = stimuli.set(*id).map_or("", |set| &*set.name);
            format!("{name} is assumed to have {}", seen(acuity))
        })),
    }
    found.push(raters(population));
    found
}

/// How the median rater sees a model.
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
