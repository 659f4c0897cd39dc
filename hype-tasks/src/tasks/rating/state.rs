//! The trials of one session, in order: its images with gold images among them, and repeats.

use std::sync::Arc;

use hype_core::model::trial::{Candidate, Part, Rest};
use hype_core::protocol::draw::balanced;
use hype_core::{
    ConditionKind, Design, Inputs, Millis, Refusal, Role, StartError, StimulusId, Streams, Trial, Truth, Use,
    Verdict,
};

use super::allocation::ImageAllocation;
use super::questions;
use super::settings::{Rating, Reference};
use crate::questionnaires::{PageAnswers, accepted};
use crate::shared::attention::{Presented, among, with_repeats};

/// The accepted answers to gold images, by question.
type Accepted = Vec<(Arc<str>, Vec<Arc<str>>)>;

/// The state of a rating session: its trials, and how many of them are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingState {
    trials: Arc<[Planned]>,
    answered: usize,
}

/// One trial with its hidden data.
#[derive(Debug, Clone, PartialEq)]
struct Planned {
    trial: Trial,
    truth: Truth,
    /// Empty except for gold images.
    accepted: Accepted,
}

impl RatingState {
    /// The current trial; `None` after the last.
    pub(super) fn trial(&self) -> Option<&Trial> {
        Some(&self.trials.get(self.answered)?.trial)
    }

    /// The trial after the current one.
    pub(super) fn following(&self) -> Option<&Trial> {
        Some(&self.trials.get(self.answered + 1)?.trial)
    }

    pub(super) fn truth(&self) -> Option<&Truth> {
        Some(&self.trials.get(self.answered)?.truth)
    }

    /// Records the answer to the current trial; only gold images have a right one.
    pub(super) fn answer(&mut self, answer: &PageAnswers) -> Result<Verdict, Refusal> {
        let Some(planned) = self.trials.get(self.answered) else { return Ok(Verdict::default()) };
        answer.check(&planned.trial.questions)?;
        let right = |(question, accepted): &(Arc<str>, Vec<Arc<str>>)| {
            answer.0.get(question).is_some_and(|given| accepted.iter().any(|text| given.is(text)))
        };
        let is_gold = !planned.accepted.is_empty();
        let correct = is_gold.then(|| planned.accepted.iter().all(right));
        self.answered += 1;
        Ok(Verdict { correct })
    }
}

/// Draws the trials of a session.
pub(super) fn draw(
    rating: &Rating,
    inputs: &Inputs<'_>,
    chance: &Streams,
) -> Result<RatingState, StartError> {
    let design = &inputs.design;
    let turn = inputs.place.turn;
    let mut images = images(rating, inputs);
    if images.is_empty() {
        return Err(StartError("there are no images to rate".into()));
    }
    chance.stream("order").shuffle(&mut images);
    let gold_pool = gold_images(design);
    let mut gold = balanced(&gold_pool, rating.golds() as usize, turn, &inputs.study_chance.child("gold", 0));
    if gold.len() != rating.golds() as usize {
        return Err(StartError("there are too few gold images".into()));
    }
    chance.stream("gold order").shuffle(&mut gold);
    let shown = among(images, gold, chance);
    let planned = plan_all(rating, design, &shown, chance)?;
    let order = repeating(rating, &planned, chance)?;
    Ok(RatingState { trials: blocks(rating, &order), answered: 0 })
}

/// The images that the session at a place rates.
pub(super) fn images(rating: &Rating, inputs: &Inputs<'_>) -> Vec<StimulusId> {
    let allocation = ImageAllocation::of(rating, inputs.design.stimuli);
    allocation.session(inputs.place.turn, &inputs.study_chance.child("images", 0))
}

/// The images of all gold sets.
pub(super) fn gold_images(design: &Design<'_>) -> Vec<StimulusId> {
    let stimuli = design.stimuli;
    let sets = stimuli.sets().iter().filter(|set| set.used_for == Use::Gold);
    sets.filter_map(|set| stimuli.set_named(&set.name))
        .flat_map(|set| stimuli.members(set))
        .copied()
        .collect()
}

fn plan_all(
    rating: &Rating,
    design: &Design<'_>,
    shown: &[StimulusId],
    chance: &Streams,
) -> Result<Vec<Planned>, StartError> {
    // Each order for half of the session.
    let mut source_first: Vec<bool> = (0..shown.len()).map(|index| index % 2 == 0).collect();
    chance.stream("sides").shuffle(&mut source_first);
    shown.iter().zip(source_first).map(|(&image, first)| plan(rating, design, image, first)).collect()
}

/// One trial, without its position in the session.
fn plan(
    rating: &Rating,
    design: &Design<'_>,
    image: StimulusId,
    source_first: bool,
) -> Result<Planned, StartError> {
    let stimuli = design.stimuli;
    let set = stimuli.set_of(image).ok_or_else(|| StartError("an image belongs to no set".into()))?;
    let questions = questions::asked(rating, design.rubric, stimuli, image);
    if questions.is_empty() {
        return Err(StartError(format!("the rubric asks nothing about {}", stimuli.label(image))));
    }
    let mut parts: Vec<Part> =
        questions::conditions(rating, stimuli, image).cloned().map(Part::Condition).collect();
    let mut shown = Vec::new();
    match rating.reference {
        Reference::Before => parts.push(Part::Stimulus { stimulus: image, exposure: None }),
        Reference::Beside => {
            let source = stimuli.item_of(image).and_then(|item| item.stimulus(ConditionKind::Source));
            let source = source.ok_or_else(|| {
                StartError(format!("there is no source image to show next to {}", stimuli.label(image)))
            })?;
            let order = if source_first { [source, image] } else { [image, source] };
            shown.extend(order.iter().filter_map(|&one| stimuli.get(one)).map(|one| one.set));
            let candidate =
                |(label, stimulus): (&str, StimulusId)| Candidate { label: label.into(), stimulus };
            parts.push(Part::Gallery {
                candidates: ["A", "B"].into_iter().zip(order).map(candidate).collect(),
                exposure: None,
            });
        }
    }
    let mut answer = Vec::new();
    let mut gold = Accepted::new();
    for question in questions.iter() {
        let Some(texts) = set.gold.get(&question.id).filter(|_| set.used_for == Use::Gold) else { continue };
        if let Some(value) = texts.iter().find_map(|text| accepted(question, text)) {
            answer.push((&*question.id, value));
            gold.push((Arc::clone(&question.id), texts.clone()));
        }
    }
    if set.used_for == Use::Gold && gold.is_empty() {
        return Err(StartError(format!(
            "no answer to the questions about {} is right",
            stimuli.label(image)
        )));
    }
    let model = stimuli.get(image).map(|image| image.set).filter(|_| set.role == Role::Generated);
    let truth = Truth {
        model,
        role: Some(set.role),
        answer: (!answer.is_empty()).then(|| answer.into_iter().collect()),
        shown,
        ..Truth::default()
    };
    let trial = Trial::new(parts, questions);
    Ok(Planned { trial, truth, accepted: gold })
}

/// The trials with repeats of images that are not gold.
fn repeating<'a>(
    rating: &Rating,
    planned: &'a [Planned],
    chance: &Streams,
) -> Result<Vec<&'a Planned>, StartError> {
    let Some(repeats) = &rating.repeats else { return Ok(planned.iter().collect()) };
    let (count, apart) = (repeats.per_session.get() as usize, repeats.apart.get() as usize);
    let repeatable: Vec<bool> = planned.iter().map(|one| one.accepted.is_empty()).collect();
    let presented = with_repeats(&repeatable, count, apart, chance)
        .ok_or_else(|| StartError("there are too few images for the repeats".into()))?;
    let shown = presented.into_iter().map(|one| match one {
        Presented::First(index) | Presented::Again(index) => &planned[index],
    });
    Ok(shown.collect())
}

/// Gives every trial its position, and adds rests between blocks.
fn blocks(rating: &Rating, order: &[&Planned]) -> Arc<[Planned]> {
    let every = rating.rest_every.map_or(usize::MAX, |every| every.get() as usize);
    let rest_s = rating.rest_s.get();
    let rest = (rest_s > 0).then_some(Rest { at_most: Millis(rest_s * 1_000) });
    let mut trials = Vec::with_capacity(order.len());
    for (number, block) in order.chunks(every.min(order.len()).max(1)).enumerate() {
        for (in_block, &planned) in block.iter().enumerate() {
            let mut planned = planned.clone();
            planned.trial.block = u16::try_from(number).unwrap_or(u16::MAX);
            planned.trial.block_trials = block.len() as u32;
            planned.trial.in_block = in_block as u32;
            planned.trial.rest = rest.filter(|_| number > 0 && in_block == 0);
            trials.push(planned);
        }
    }
    trials.into()
}
