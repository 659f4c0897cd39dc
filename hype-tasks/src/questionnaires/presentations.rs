//! The presentations of a session: first ones, gold stimuli, and repeats.

use std::collections::HashMap;

use hype_core::{Answered, SessionRecord, Stimuli, StimulusId, StimulusSet, Use};

/// One answered trial of the main phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Presentation<'a> {
    pub(crate) answered: &'a Answered,
    /// The stimulus under judgment.
    pub(crate) stimulus: StimulusId,
    pub(crate) set: &'a StimulusSet,
    /// Whether it was the first of a pair.
    pub(crate) first_of_pair: bool,
    /// The trial that presented the stimulus first, if this one repeats it.
    pub(crate) repeats: Option<&'a Answered>,
}

impl Presentation<'_> {
    pub(crate) fn is_gold(&self) -> bool {
        self.set.used_for == Use::Gold
    }

    /// The share of answers that agree with those of the first presentation; `None` unless this one is a repeat.
    pub(crate) fn agreement(&self) -> Option<f64> {
        let first = &self.repeats?.answer;
        let again = &self.answered.answer;
        let asked = first.entries().count();
        let same = first.entries().filter(|&(question, answer)| again.get(question) == Some(answer)).count();
        (asked > 0).then(|| same as f64 / asked as f64)
    }
}

/// The trials of a session's main phase, in order.
///
/// # Errors
/// The number of a trial that has no stimulus under judgment.
pub(crate) fn of_session<'a>(
    session: &'a SessionRecord,
    stimuli: &'a Stimuli,
) -> Result<Vec<Presentation<'a>>, u32> {
    let mut presentations: Vec<Presentation<'a>> = Vec::new();
    let mut first: HashMap<StimulusId, &'a Answered> = HashMap::new();
    for answered in session.main_trials() {
        let shown = &answered.shown.stimuli;
        let judged = shown.iter().enumerate().find_map(|(place, &stimulus)| {
            let set = stimuli.set_of(stimulus).filter(|set| set.used_for != Use::Condition)?;
            Some((place, stimulus, set))
        });
        let (place, stimulus, set) = judged.ok_or(answered.trial)?;
        let repeats = first.get(&stimulus).copied();
        first.entry(stimulus).or_insert(answered);
        let first_of_pair = place + 1 < shown.len();
        presentations.push(Presentation { answered, stimulus, set, first_of_pair, repeats });
    }
    Ok(presentations)
}
