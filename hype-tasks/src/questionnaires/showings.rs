//! What a session showed: first showings, gold images, and images that came again.

use hype_core::{Answered, SessionRecord, Stimuli, StimulusId, StimulusSet, Use};

/// One answered trial of the main phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Showing<'a> {
    pub(crate) answered: &'a Answered,
    /// The image under judgment.
    pub(crate) image: StimulusId,
    pub(crate) set: &'a StimulusSet,
    /// Whether another image stood after it: it was the first of a pair.
    pub(crate) before_another: bool,
    /// The trial that showed the image first, if this one shows it again.
    pub(crate) again: Option<&'a Answered>,
}

impl Showing<'_> {
    pub(crate) fn is_gold(&self) -> bool {
        self.set.used_for == Use::Gold
    }

    /// The share of answers that are the same as when the image was shown first; `None` for first showings.
    pub(crate) fn agreement(&self) -> Option<f64> {
        let first = self.again?.answer.as_object()?;
        let again = self.answered.answer.as_object()?;
        let same = first.iter().filter(|(question, answer)| again.get(*question) == Some(*answer)).count();
        (!first.is_empty()).then(|| same as f64 / first.len() as f64)
    }
}

/// The trials of a session's main phase, in order; the number of a trial that shows no image under judgment.
pub(crate) fn of_session<'a>(
    session: &'a SessionRecord,
    stimuli: &'a Stimuli,
) -> Result<Vec<Showing<'a>>, u32> {
    let mut showings: Vec<Showing<'a>> = Vec::new();
    let mut first: std::collections::HashMap<StimulusId, &'a Answered> = std::collections::HashMap::new();
    for answered in session.main_trials() {
        let images = &answered.shown.stimuli;
        let judged = images.iter().enumerate().find_map(|(place, &image)| {
            let set = stimuli.set_of(image).filter(|set| set.used_for != Use::Condition)?;
            Some((place, image, set))
        });
        let (place, image, set) = judged.ok_or(answered.trial)?;
        let again = first.get(&image).copied();
        first.entry(image).or_insert(answered);
        showings.push(Showing { answered, image, set, before_another: place + 1 < images.len(), again });
    }
    Ok(showings)
}
