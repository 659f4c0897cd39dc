//! The questions about an image, and the conditions shown with it.

use std::sync::Arc;

use hype_core::{Asked, Condition, ConditionKind, Item, Question, Role, RubricSpec, Stimuli, StimulusId};

use super::settings::{Rating, Reference};

/// The rubric's questions about an image, given the conditions that are shown with it.
pub(super) fn asked(
    rating: &Rating,
    rubric: &dyn RubricSpec,
    stimuli: &Stimuli,
    image: StimulusId,
) -> Arc<[Question]> {
    let role = stimuli.set_of(image).map_or(Role::Generated, |set| set.role);
    let item = stimuli.item_of(image);
    match (&rating.conditions, item) {
        (Some(_), Some(item)) => {
            let shown = Item {
                id: Arc::clone(&item.id),
                conditions: item.conditions.iter().filter(|one| rating.is_given(one.kind)).cloned().collect(),
                ..Item::default()
            };
            rubric.questions(&Asked { item: Some(&shown), role })
        }
        _ => rubric.questions(&Asked { item, role }),
    }
}

/// The conditions that are shown before an image: texts first, then images, each in the item's order.
pub(super) fn conditions<'a>(
    rating: &'a Rating,
    stimuli: &'a Stimuli,
    image: StimulusId,
) -> impl Iterator<Item = &'a Condition> {
    let is_text =
        |condition: &Condition| matches!(condition.kind, ConditionKind::Prompt | ConditionKind::Instruction);
    let beside = rating.reference == Reference::Beside;
    let shown = move |condition: &&Condition| {
        rating.is_given(condition.kind) && !(beside && condition.kind == ConditionKind::Source)
    };
    let of = move || stimuli.item_of(image).into_iter().flat_map(|item| &item.conditions).filter(shown);
    of().filter(move |one| is_text(one)).chain(of().filter(move |one| !is_text(one)))
}
