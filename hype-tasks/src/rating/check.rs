//! What is wrong with a design, as `check` says it.

use std::collections::BTreeSet;

use hype_core::spec::RaterDesign;
use hype_core::{
    Asked, Condition, ConditionKind, Content, Design, Diagnostics, ErasedRubric, Form, Item, Question, Role,
    SetId, StimulusId, Use,
};

use super::answer::accepted;
use super::deal::Deal;
use super::{Rating, Reference, plan, questions};

/// HEIM asks for as many raters of each image at least.
const HEIM_RATERS: u32 = 5;
/// HEIM asks for as many images for each aspect at least.
const HEIM_IMAGES: usize = 100;

/// All kinds of conditions with their names in the section `items`.
const KINDS: [(ConditionKind, &str); 6] = [
    (ConditionKind::Prompt, "prompt"),
    (ConditionKind::Instruction, "instruction"),
    (ConditionKind::Source, "source"),
    (ConditionKind::Mask, "mask"),
    (ConditionKind::Subject, "subjects"),
    (ConditionKind::Control, "control"),
];

/// Checks the task, at its path.
pub(super) fn task(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    numbers(rating, at);
    let deal = Deal::of(rating, design.stimuli);
    sizes(rating, design, &deal, at);
    gold_sets(rating, design, at);
    conditions_tell(rating, design, at);
    // What follows concerns other sections of the spec.
    let mut elsewhere = Diagnostics::new();
    pages(rating, design, &mut elsewhere);
    gold_answers(rating, design, &mut elsewhere);
    if is_heim(design.rubric) {
        heim_images(design, &mut elsewhere);
    }
    at.extend(elsewhere);
}

/// Checks the raters' protocol, at its path.
pub(super) fn raters(design: &Design<'_>, at: &mut Diagnostics) {
    if design.raters.qualification.is_some() {
        at.field("qualification")
            .error("no-qualification", "this task has no qualification")
            .help("write `qualification: null`; gold images show whether raters look");
    }
    if design.raters.design == RaterDesign::Between {
        at.field("design")
            .error("not-between", "raters of this task rate images of all models")
            .help("write `design: within`");
    }
    match design.raters.per_item {
        None => {
            at.field("per_model")
                .error("not-by-model", "this task counts raters by image, not by model")
                .help("write `per_item`: how many raters rate each image");
        }
        Some(few) if few < HEIM_RATERS && is_heim(design.rubric) => {
            at.field("per_item")
                .warning("few-raters", format!("{few} raters for each image, where HEIM has five at least"))
                .help("write `per_item: 5`");
        }
        Some(_) => {}
    }
}

fn is_heim(rubric: &dyn ErasedRubric) -> bool {
    rubric.typetag_name().starts_with("heim.")
}

fn numbers(rating: &Rating, at: &mut Diagnostics) {
    if rating.per_session == Some(0) {
        at.field("per_session")
            .error("out-of-range", "a session without images")
            .help("use a number from 1, or leave it out for all images in one session");
    }
    let share = |field: &str, share: f64, at: &mut Diagnostics| {
        if !(0.0..=1.0).contains(&share) {
            at.field(field).error("out-of-range", format!("{share} is no share")).help("use 0 to 1");
        }
    };
    if let Some(gold) = &rating.gold {
        at.within("gold", |at| {
            if gold.per_session == 0 {
                at.field("per_session").error("out-of-range", "no gold images").help("write `gold: null`");
            }
            share("pass", gold.pass, at);
        });
    }
    if let Some(repeats) = &rating.repeats {
        at.within("repeats", |at| {
            if repeats.per_session == 0 {
                at.field("per_session").error("out-of-range", "no repeats").help("write `repeats: null`");
            }
            if !(1..=1_000).contains(&repeats.apart) {
                at.field("apart")
                    .error("out-of-range", format!("repeats {} images apart", repeats.apart))
                    .help("use a number from 1 to 1000, so that raters do not merely recall their answers");
            }
            repeats.min_agreement.into_iter().for_each(|least| share("min_agreement", least, at));
        });
    }
    if let Some(rest) = rating.rest {
        at.within("rest", |at| {
            if rest.every == 0 {
                at.field("every").error("out-of-range", "a rest after every 0 images").help("use 1 or more");
            }
            if !(1..=3_600).contains(&rest.at_most_s) {
                at.field("at_most_s")
                    .error("out-of-range", format!("a rest of {} s", rest.at_most_s))
                    .help("use 1 to 3600 s, or `rest: null` for none");
            }
        });
    }
}

fn sizes(rating: &Rating, design: &Design<'_>, deal: &Deal, at: &mut Diagnostics) {
    let in_session = deal.in_session();
    if deal.images().is_empty() {
        // The stimuli's own check says that there are no models.
        return;
    }
    match rating.per_session {
        Some(wanted) if wanted as usize > in_session && rating.one_output_per_item => {
            at.field("per_session")
                .warning(
                    "short-sessions",
                    format!(
                        "sessions have {in_session} images, not {wanted}: a rater sees one output of each item at \
                         most"
                    ),
                )
                .help("make `per_session` smaller, or allow several outputs of an item");
        }
        Some(wanted) if wanted as usize > in_session => {
            at.field("per_session")
                .warning(
                    "short-sessions",
                    format!("sessions have {in_session} images, which are all there are"),
                )
                .help("leave `per_session` out for all images in one session");
        }
        _ => {}
    }
    if rating.one_output_per_item && design.stimuli.items().is_empty() {
        at.field("one_output_per_item")
            .error("no-items", "without items no two images are outputs for the same one")
            .help("add the section `items`, or leave `one_output_per_item` out");
    }
    if let Some(repeats) = &rating.repeats {
        let needed = u64::from(repeats.per_session) + u64::from(repeats.apart);
        if (in_session as u64) < needed {
            at.field("repeats")
                .error(
                    "too-few-images",
                    format!(
                        "{} repeats, {} images apart, need sessions of {needed} images, but they have {in_session}",
                        repeats.per_session, repeats.apart
                    ),
                )
                .help("repeat fewer images, or put them less apart");
        }
    }
}

fn gold_sets(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    let there = plan::gold_images(design).len();
    match &rating.gold {
        Some(_) if there == 0 => {
            at.field("gold")
                .error("no-gold", "no set of stimuli has `use: gold`")
                .help("name a set of images with known answers, with `use: gold` and `answers`");
        }
        Some(gold) if gold.per_session as usize > there => {
            at.within("gold", |at| {
                at.field("per_session")
                    .error(
                        "too-few-images",
                        format!("{} gold images for each rater, but there are {there}", gold.per_session),
                    )
                    .help("add gold images; none is shown twice to a rater");
            });
        }
        None if there > 0 => {
            at.warning("unused-gold", format!("{there} gold images are shown to nobody"))
                .help("add `gold: { per_session: 5, pass: 0.7 }`");
        }
        _ => {}
    }
}

/// Conditions that only the images of one class have tell raters which class they see.
fn conditions_tell(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
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
                format!("a `{name}` is shown with images of one class only, which tells it"),
            )
            .help(
                "write `conditions: []` to show none, or give the real images items with the same conditions",
            );
    }
}

/// Checks what is asked about every image that is shown.
fn pages(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
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
        let mut known: Option<std::sync::Arc<[Question]>> = None;
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
                    && item.and_then(|item| item.image(ConditionKind::Source)).is_none()
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
fn needed(rubric: &dyn ErasedRubric) -> Option<Vec<ConditionKind>> {
    let asks = |left_out: Option<ConditionKind>| {
        let given = KINDS.iter().filter(|(kind, _)| Some(*kind) != left_out).map(|&(kind, _)| Condition {
            kind,
            name: None,
            content: match kind {
                ConditionKind::Prompt | ConditionKind::Instruction => Content::Text("text".into()),
                _ => Content::Image(StimulusId(0)),
            },
        });
        let item = Item { id: "item".into(), conditions: given.collect() };
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
            "the rubric {rubric} needs {what}, which {count} of {of} images of {set} lack, such as {first}"
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
            _ => Some("asks for something else than an option or a number"),
        };
        if let Some(fault) = fault {
            at.error("bad-question", format!("the question `{}` {fault}", question.id))
                .help("give every question a key of its own, and options or a range of numbers");
        }
    }
}

/// Checks that gold answers are answers to questions that are asked.
fn gold_answers(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    if rating.gold.is_none() {
        return;
    }
    let stimuli = design.stimuli;
    for (index, set) in stimuli.sets().iter().enumerate().filter(|(_, set)| set.used_for == Use::Gold) {
        let members = stimuli.members(SetId(index as u16));
        let pages = members.iter().map(|&image| questions::asked(rating, design.rubric, stimuli, image));
        let mut asked: Vec<Question> = Vec::new();
        for question in pages.flat_map(|page| page.to_vec()) {
            if asked.iter().all(|known| known.id != question.id) {
                asked.push(question);
            }
        }
        if asked.is_empty() {
            continue;
        }
        at.within("stimuli", |at| {
            at.within(&set.name, |at| {
                at.within("answers", |at| {
                    if set.gold.is_empty() {
                        at.error("no-gold-answers", "gold images need the answers that are right")
                            .help("add `answers`: for a question's key the values that are right");
                    }
                    for (question, texts) in &set.gold {
                        at.within(question, |at| gold_answer(question, texts, &asked, at));
                    }
                });
            });
        });
    }
}

fn gold_answer(question: &str, texts: &[std::sync::Arc<str>], asked: &[Question], at: &mut Diagnostics) {
    let Some(known) = asked.iter().find(|known| &*known.id == question) else {
        let all: Vec<&str> = asked.iter().map(|known| &*known.id).collect();
        at.error("unknown-question", format!("the rubric asks no question `{question}`"))
            .help(format!("it asks {}", all.join(", ")));
        return;
    };
    if texts.is_empty() {
        at.error("no-gold-answers", format!("no answer to `{question}` is right"))
            .help("list the values that are right");
    }
    let help = match &known.form {
        Form::Choice { options } => {
            format!(
                "its answers are {}",
                options.iter().map(|one| &*one.value).collect::<Vec<_>>().join(", ")
            )
        }
        _ => "it is answered with a number in its range".to_owned(),
    };
    for (index, text) in texts.iter().enumerate().filter(|(_, text)| accepted(known, text).is_none()) {
        at.item(index).error("unknown-answer", format!("`{text}` is no answer to `{question}`")).help(&*help);
    }
}

fn heim_images(design: &Design<'_>, at: &mut Diagnostics) {
    let stimuli = design.stimuli;
    let sizes = stimuli.models().map(|model| (stimuli.members(model).len(), model));
    if let Some((least, model)) = sizes.min().filter(|&(least, _)| least < HEIM_IMAGES) {
        let name = stimuli.set(model).map_or("", |set| &*set.name);
        at.within("rubric", |at| {
            at.warning(
                "few-images",
                format!("{least} images of {name}, where HEIM has {HEIM_IMAGES} at least for each aspect"),
            )
            .help("add images; estimates of few images have wide intervals");
        });
    }
}
