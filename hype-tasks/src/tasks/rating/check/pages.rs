//! Checks of the questions about images, and of the conditions that they need.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::words::counted;
use hype_core::{
    Asked, Condition, ConditionKind, Content, Design, Diagnostics, Form, Item, Question, Role, RubricSpec,
    SetId, StimulusId, Use,
};

use crate::tasks::rating::questions;
use crate::tasks::rating::settings::{Rating, Reference};

/// All kinds of conditions with their names in the section `items`.
const KINDS: [(ConditionKind, &str); 6] = [
    (ConditionKind::Prompt, "prompt"),
    (ConditionKind::Instruction, "instruction"),
    (ConditionKind::Source, "source"),
    (ConditionKind::Mask, "mask"),
    (ConditionKind::Subject, "subjects"),
    (ConditionKind::Control, "control"),
];

/// Checks for conditions that only images of one class have: they reveal the class to raters.
pub(super) fn conditions_tell(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    if !rating.real {
        return;
    }
    let stimuli = design.stimuli;
    let shown = |role: Role| -> BTreeSet<ConditionKind> {
        let sets = stimuli.sets_with(role, Use::Main);
        let images = sets.flat_map(|set| stimuli.members(set));
        images.flat_map(|&image| questions::conditions(rating, stimuli, image)).map(|one| one.kind).collect()
    };
    let (real, generated) = (shown(Role::Real), shown(Role::Generated));
    if stimuli.sets_with(Role::Real, Use::Main).next().is_none() {
        at.field("real")
            .error("no-reals", "there are no real images to rate")
            .help("name a set with `role: real`, or leave `real` out");
    } else if let Some((_, name)) =
        KINDS.iter().find(|(kind, _)| real.contains(kind) != generated.contains(kind))
    {
        at.field("real")
            .warning(
                "conditions-tell",
                format!("a `{name}` is shown only with images of one class, which reveals the class"),
            )
            .help(
                "write `conditions: []` to show none, or give the real images items with the same conditions",
            );
    }
}

/// Checks the questions about every image, at the path of the spec.
pub(super) fn all(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    let stimuli = design.stimuli;
    at.within("rubric", |at| {
        let Some(needed) = needed(design.rubric) else {
            at.error(
                "no-questions",
                format!("the rubric {} asks no questions", design.rubric.typetag_name()),
            )
            .help("use a rubric with questions, such as `heim.image`, `likert` or `opinion`");
            return;
        };
        let mut known: Option<Arc<[Question]>> = None;
        for (index, set) in stimuli.sets().iter().enumerate() {
            let is_shown = match set.used_for {
                Use::Main => set.role == Role::Generated || rating.real,
                Use::Gold => rating.gold.is_some(),
                _ => false,
            };
            let members = stimuli.members(SetId(index as u16));
            let mut lacking: Vec<StimulusId> = Vec::new();
            let mut sourceless: Vec<StimulusId> = Vec::new();
            for &image in members.iter().filter(|_| is_shown) {
                let page = questions::asked(rating, design.rubric, stimuli, image);
                if page.is_empty() {
                    lacking.push(image);
                } else if known.as_ref() != Some(&page) {
                    forms(&page, at);
                    known = Some(page);
                }
                let item = stimuli.item_of(image);
                if rating.reference == Reference::Beside
                    && item.and_then(|item| item.stimulus(ConditionKind::Source)).is_none()
                {
                    sourceless.push(image);
                }
            }
            if let Some(&first) = lacking.first() {
                let missing = missing(rating, design, &needed, first);
                tell_of_missing(design, &set.name, &lacking, members.len(), &missing, at);
            } else if !sourceless.is_empty() {
                tell_of_missing(design, &set.name, &sourceless, members.len(), &["source"], at);
            }
        }
    });
}

/// The kinds of conditions without which a rubric asks nothing; `None` if it asks nothing even with all of them.
fn needed(rubric: &dyn RubricSpec) -> Option<Vec<ConditionKind>> {
    let asks = |left_out: Option<ConditionKind>| {
        let given = KINDS.iter().filter(|(kind, _)| Some(*kind) != left_out).map(|&(kind, _)| Condition {
            kind,
            name: None,
            content: match kind {
                ConditionKind::Prompt | ConditionKind::Instruction => Content::Text("text".into()),
                _ => Content::Stimulus(StimulusId(0)),
            },
        });
        let item = Item { id: "item".into(), conditions: given.collect(), ..Item::default() };
        !rubric.questions(&Asked { item: Some(&item), role: Role::Generated }).is_empty()
    };
    asks(None).then(|| KINDS.iter().map(|&(kind, _)| kind).filter(|&kind| !asks(Some(kind))).collect())
}

/// The names of the conditions that an image's item lacks, or that are not shown.
fn missing(
    rating: &Rating,
    design: &Design<'_>,
    needed: &[ConditionKind],
    image: StimulusId,
) -> Vec<&'static str> {
    let item = design.stimuli.item_of(image);
    let given = |kind: ConditionKind| {
        rating.is_given(kind) && item.is_some_and(|item| item.of_kind(kind).next().is_some())
    };
    KINDS.iter().filter(|(kind, _)| needed.contains(kind) && !given(*kind)).map(|&(_, name)| name).collect()
}

fn tell_of_missing(
    design: &Design<'_>,
    set: &str,
    lacking: &[StimulusId],
    of: usize,
    missing: &[&str],
    at: &mut Diagnostics,
) {
    let rubric = design.rubric.typetag_name();
    let first = lacking.first().map_or("", |&image| design.stimuli.label(image));
    let count = lacking.len();
    let what = match missing {
        [] => "what it asks about".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "),
    };
    at.error(
        "missing-condition",
        format!(
            "the rubric {rubric} needs {what}, which {count} of {} of {set} lack, such as {first}",
            counted(of, "image")
        ),
    )
    .help(
        "give their items these conditions in the section `items`, and show them (`conditions` of the task)",
    );
}

/// Checks that the questions of a page can be asked here.
fn forms(page: &[Question], at: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for question in page {
        let fault = match &question.form {
            _ if !seen.insert(&question.id) => Some("is asked twice"),
            Form::Choice { options } if options.is_empty() => Some("has no options"),
            Form::Choice { .. } | Form::Number { .. } => None,
            _ => Some("asks for something other than an option or a number"),
        };
        if let Some(fault) = fault {
            at.error("bad-question", format!("the question `{}` {fault}", question.id))
                .help("give every question a different key, and options or a range of numbers");
        }
    }
}
