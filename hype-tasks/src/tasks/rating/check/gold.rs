//! Checks of gold images: enough images, and valid answers.

use std::sync::Arc;

use hype_core::words::{counted, listed};
use hype_core::{Design, Diagnostics, Form, Question, SetId, Use};

use crate::questionnaires::accepted;
use crate::tasks::rating::settings::Rating;
use crate::tasks::rating::{questions, state};

/// Checks that there are as many gold images as requested, at the path of the task.
pub(super) fn sets(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
    let there = state::gold_images(design).len();
    match &rating.gold {
        Some(_) if there == 0 => {
            at.field("gold")
                .error("no-gold", "no set of stimuli has `use: gold`")
                .help("name a set of images with known answers, with `use: gold` and `answers`");
        }
        Some(gold) if gold.per_session.get() as usize > there => {
            at.within("gold", |at| {
                at.field("per_session")
                    .error(
                        "too-few-images",
                        format!(
                            "{} for each rater, but there are {there}",
                            counted(gold.per_session.get(), "gold image")
                        ),
                    )
                    .help("add gold images; none is shown twice to a rater");
            });
        }
        None if there > 0 => {
            at.warning("unused-gold", format!("{} shown to no rater", counted(there, "gold image")))
                .help("add `gold: { per_session: 5, pass: 0.7 }`");
        }
        _ => {}
    }
}

/// Checks that gold answers are valid answers to the rubric's questions, at the path of the spec.
pub(super) fn answers(rating: &Rating, design: &Design<'_>, at: &mut Diagnostics) {
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
                if set.gold.is_empty() {
                    at.error("no-gold-answers", "gold stimuli need their right answers")
                        .help("add `answers`, such as `answers: { alignment: [\"4\", \"5\"] }`");
                }
                at.within("answers", |at| {
                    for (question, texts) in &set.gold {
                        at.within(question, |at| answer(question, texts, &asked, at));
                    }
                });
            });
        });
    }
}

fn answer(question: &str, texts: &[Arc<str>], asked: &[Question], at: &mut Diagnostics) {
    let Some(known) = asked.iter().find(|known| &*known.id == question) else {
        let all: Vec<&str> = asked.iter().map(|known| &*known.id).collect();
        at.error("unknown-question", format!("the rubric asks no question `{question}`"))
            .help(format!("it asks {}", listed(&all)));
        return;
    };
    if texts.is_empty() {
        at.error("no-gold-answers", format!("no answer to `{question}` is right"))
            .help("list the values that are right");
    }
    let help = match &known.form {
        Form::Choice { options } => {
            format!("its answers are {}", listed(options.iter().map(|one| &*one.value)))
        }
        _ => "it is answered with a number in its range".to_owned(),
    };
    for (index, text) in texts.iter().enumerate().filter(|(_, text)| accepted(known, text).is_none()) {
        at.item(index)
            .error("unknown-answer", format!("`{text}` is not an answer to `{question}`"))
            .help(&*help);
    }
}
