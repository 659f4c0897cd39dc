//! Secrets: pages do not distinguish models.

use std::sync::Arc;

use hype_core::Step;
use hype_core::{Role, Stimuli, StimulusSet};

use super::Subject;
use super::subject::{Player, open, play_on};
use crate::population::Behaviour;

/// Checks that no trial contains the name of a set or the path of a stimulus, neither in its texts nor
/// anywhere else.
///
/// The sets are renamed to names that no text holds by chance. If the task refuses the renamed sets, since
/// its settings name them, the original names of the generated sets are searched for.
///
/// # Errors
/// The first fault found.
pub fn pages_see_no_secrets(subject: &Subject) -> Result<(), String> {
    let renamed = renamed(subject.stimuli()).map_err(|error| error.to_string())?;
    let unlikely = subject.clone().with_stimuli(renamed);
    let (study, every_set) = match unlikely.study() {
        Ok(study) => (study, true),
        Err(_) => (subject.study()?, false),
    };
    let stimuli = study.stimuli();
    let secrets: Vec<Arc<str>> = stimuli
        .sets()
        .iter()
        .filter(|set| every_set || set.role == Role::Generated)
        .map(|set| Arc::clone(&set.name))
        .chain(stimuli.all().iter().map(|item| Arc::clone(&item.path)))
        .collect();
    for place in 0..study.places() {
        let (mut session, mut log) = open(&study, place)?;
        let mut player = Player::new(&study, place, Behaviour::Honest)?;
        tells(session.step(), &secrets).map_err(|reason| format!("place {place}: {reason}"))?;
        play_on(&study, &mut session, &mut player, &mut log, |session| tells(session.step(), &secrets))
            .map_err(|reason| format!("place {place}: {reason}"))?;
    }
    Ok(())
}

fn tells(step: &Step, secrets: &[Arc<str>]) -> Result<(), String> {
    let Step::Show(trial) = step else {
        return Ok(());
    };
    let seen = format!("{trial:?}");
    match secrets.iter().find(|secret| seen.contains(&***secret)) {
        Some(secret) => Err(format!("trial {} reveals the secret `{secret}`", trial.number)),
        None => Ok(()),
    }
}

fn renamed(stimuli: &Stimuli) -> Result<Stimuli, hype_core::model::stimulus::StimuliError> {
    let sets = stimuli
        .sets()
        .iter()
        .enumerate()
        .map(|(index, set)| StimulusSet { name: format!("qzx-set-{index}-xzq").into(), ..set.clone() })
        .collect();
    Stimuli::with_items(sets, stimuli.all().to_vec(), stimuli.items().to_vec())
}
