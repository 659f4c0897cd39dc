//! Secrets: neither pages nor instructions name a set.

use std::sync::Arc;

use hype_core::model::trial::{Form, Part};
use hype_core::{Content, Role, Stimuli, Study, Trial};

use super::Subject;
use super::subject::{Player, walk};
use crate::population::Behaviour;

/// The length from which a name does not occur in a sentence by chance.
const NAME: usize = 4;

/// Checks that no trial contains the name of a set or the path of a stimulus, neither in its texts nor
/// anywhere else, and that the instructions contain none either.
///
/// The sets are renamed to names that no text holds by chance. If the task refuses the renamed sets, since
/// its settings name them, the original names of the generated sets are searched for. Texts that the task always shows
/// could name a set as well: texts are also searched for the original names of generated sets, as words of their own.
pub(super) fn pages_see_no_secrets(subject: &Subject) -> Result<(), String> {
    let renamed = renamed(subject.stimuli()).map_err(|error| error.to_string())?;
    let given = subject.study()?;
    match subject.clone().with_stimuli(renamed).study() {
        Ok(study) => reveals_nothing(&study, true)?,
        Err(_) => reveals_nothing(&given, false)?,
    }
    names_no_model(&given)
}

/// Searches everything in trials and instructions for the names of sets and the paths of stimuli, whatever the case of
/// letters and the signs between them.
fn reveals_nothing(study: &Study, every_set: bool) -> Result<(), String> {
    let stimuli = study.stimuli();
    let sets = stimuli.sets().iter().filter(|set| every_set || set.role == Role::Generated);
    let names = sets.map(|set| Arc::clone(&set.name));
    let secrets: Vec<(Arc<str>, String)> = names
        .chain(stimuli.all().iter().map(|item| Arc::clone(&item.path)))
        .map(|secret| (Arc::clone(&secret), letters(&secret)))
        .collect();
    let reveals = |text: &str| {
        let text = letters(text);
        secrets.iter().find(|(_, secret)| text.contains(secret)).map(|(secret, _)| secret)
    };
    for guidance in study.guidance() {
        if let Some(secret) = reveals(&guidance.to_string()) {
            return Err(format!("the instructions reveal the secret `{secret}`"));
        }
    }
    for_every_trial(study, |trial| match reveals(&format!("{trial:?}")) {
        Some(secret) => Err(format!("the page reveals the secret `{secret}`")),
        None => Ok(()),
    })
}

/// Searches texts that raters read for the names of models.
fn names_no_model(study: &Study) -> Result<(), String> {
    let sets = study.stimuli().sets().iter().filter(|set| set.role == Role::Generated);
    let names: Vec<String> =
        sets.map(|set| set.name.to_lowercase()).filter(|name| name.len() >= NAME).collect();
    let named = |text: &str| {
        let text = text.to_lowercase();
        let is_apart = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        names.iter().find(|name| {
            text.match_indices(name.as_str()).any(|(at, found)| {
                is_apart(text[..at].chars().next_back()) && is_apart(text[at + found.len()..].chars().next())
            })
        })
    };
    for guidance in study.guidance() {
        if let Some(name) = named(&guidance.to_string()) {
            return Err(format!("the instructions name the model `{name}`"));
        }
    }
    for_every_trial(study, |trial| match texts(trial).find_map(named) {
        Some(name) => {
            Err(format!("a text names the model `{name}`, or a model of the design needs another name"))
        }
        None => Ok(()),
    })
}

/// The texts of a trial, without those of the design's items.
fn texts(trial: &Trial) -> impl Iterator<Item = &str> {
    let of_questions = trial.questions.iter().flat_map(|question| {
        let options = match &question.form {
            Form::Choice { options } | Form::Several { options, .. } => options.as_slice(),
            Form::Ranking { candidates, .. } => candidates,
            _ => &[],
        };
        let labels = options.iter().map(|option| &*option.label);
        [&*question.text].into_iter().chain(question.help.as_deref()).chain(labels)
    });
    let of_parts = trial.parts.iter().flat_map(|part| {
        let (labels, condition): (&[_], _) = match part {
            Part::Gallery { candidates, .. } => (candidates, None),
            Part::Condition(condition) => (&[], Some(condition)),
            _ => (&[], None),
        };
        let text = condition.and_then(|condition| match &condition.content {
            Content::Text(text) => Some(&**text),
            Content::Stimulus(_) => None,
        });
        let name = condition.and_then(|condition| condition.name.as_deref());
        labels.iter().map(|candidate| &*candidate.label).chain(text).chain(name)
    });
    of_questions.chain(of_parts)
}

/// Calls `each` with every trial of an honest rater at every place.
fn for_every_trial(study: &Study, each: impl Fn(&Trial) -> Result<(), String>) -> Result<(), String> {
    for place in 0..study.places() {
        let mut player = Player::new(study, place, Behaviour::Honest)?;
        walk(study, place, &mut player, |moment| each(moment.trial))?;
    }
    Ok(())
}

/// The letters and digits of a text, without case.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The stimuli with sets of names that no text holds by chance, nor either half of them.
fn renamed(stimuli: &Stimuli) -> Result<Stimuli, hype_core::model::stimulus::StimuliError> {
    let sets = stimuli
        .sets()
        .iter()
        .enumerate()
        .map(|(index, set)| {
            let mut set = set.clone();
            set.name = format!("qzx-set-{index}-xzq").into();
            set
        })
        .collect();
    Stimuli::with_items(sets, stimuli.all().to_vec(), stimuli.items().to_vec())
}
