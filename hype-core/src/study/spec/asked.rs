//! The sections `before`, `beside` and `after`, and `corrections`: what a study asks besides its task, and whether raters can
//! return to the trial before.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostics::{Diagnostics, nearest};
use crate::model::facet::NOT_SAID;
use crate::model::media::MediaKind;
use crate::model::record::Place;
use crate::model::stimulus::{Role, Stimulus};
use crate::model::trial::{Form, Phase, Question, Required};
use crate::plugin::description::Asks;
use crate::plugin::rubric::Asked;
use crate::plugin::survey::SurveySpec;
use crate::plugin::task::{Design, Inputs, Next};
use crate::protocol::chance::Streams;
use crate::protocol::questions::{AnswerSpec, QuestionSpec, check_page};
use crate::words::listed;

use super::{FacetSpec, FacetSpecs, Named, ProtocolSpec};

/// The questions of surveys, in order.
#[must_use]
pub fn surveyed(surveys: &[Box<dyn SurveySpec>]) -> Vec<Question> {
    // The keys and forms of questions do not depend on chance.
    let chance = Streams::new(0);
    let pages = surveys.iter().flat_map(|survey| survey.pages(&chance));
    pages.flat_map(|page| page.questions.to_vec()).collect()
}

/// Checks the sections against each other and against the task.
pub(super) fn check(protocol: &ProtocolSpec, design: &Design<'_>, at: &mut Diagnostics) {
    let ProtocolSpec { before, beside, after, corrections, task, .. } = protocol;
    let mut keys: BTreeMap<Arc<str>, &str> = BTreeMap::new();
    if !beside.is_empty() {
        let own = keys_of_task(&task.describe().asks().clone(), design);
        keys.extend(own.into_iter().map(|key| (key, "the task")));
        let pace = task.profile(design).pace;
        if pace.limits_exposure {
            at.field("beside")
                .error("timed", "a task that limits exposures asks for quick answers and for nothing else")
                .help("ask in `after`, or leave out `beside`");
        }
        at.within("beside", |at| check_beside(beside, &keys, design, at));
        keys.extend(beside.iter().map(|question| (Arc::clone(&question.id), "`beside`")));
    }
    for (section, surveys) in [("before", before), ("after", after)] {
        at.within(section, |at| {
            for (index, survey) in surveys.iter().enumerate() {
                at.within_item(index, |at| {
                    survey.check(at);
                    if section == "after" && survey.can_screen_out() {
                        at.error("too-late", "raters cannot be screened out after the task")
                            .help("move the survey to `before`, or leave out what screens raters out");
                    }
                    for question in surveyed(std::slice::from_ref(survey)) {
                        if matches!(question.form, Form::Marks { .. }) {
                            no_marks("a survey shows no texts", at);
                        }
                        let name = if section == "before" { "`before`" } else { "`after`" };
                        if let Some(other) = keys.insert(Arc::clone(&question.id), name) {
                            at.error("twice", format!("`{}` is also asked by {other}", question.id))
                                .help("give each question a key of its own: answers are known by their keys");
                        }
                    }
                });
            }
        });
    }
    at.within("facets", |at| {
        let asked = surveyed(before).into_iter().chain(surveyed(after)).collect::<Vec<_>>();
        for (name, facet) in protocol.facets.iter() {
            let Some(question) = &facet.asked else { continue };
            at.within(name, |at| match asked.iter().find(|one| one.id == *question).map(|one| &one.form) {
                Some(Form::Choice { .. } | Form::Number { .. } | Form::Slider { .. }) => {}
                Some(_) => {
                    at.field("asked")
                        .error("no-level", format!("an answer to `{question}` is not a level"))
                        .help("name a question that is answered by one option or by a number");
                }
                None => {
                    at.field("asked")
                        .error("unknown-question", format!("no survey asks `{question}`"))
                        .help("name the key of a question of `before` or `after`")
                        .suggest(nearest(question, asked.iter().map(|one| &*one.id)));
                }
            });
        }
    });
    if *corrections && task.profile(design).pace.limits_exposure {
        at.field("corrections")
            .error("timed", "what was shown for a limited time cannot be judged again")
            .help("leave out `corrections`");
    }
    // A task begins only with a design that has no faults.
    if (*corrections || !beside.is_empty()) && !at.has_errors() {
        check_with_first_trial(protocol, design, at);
    }
}

/// Checks what the first trial of the task tells: the answers to it that additional questions refer to, and whether raters can
/// return to it.
fn check_with_first_trial(protocol: &ProtocolSpec, design: &Design<'_>, at: &mut Diagnostics) {
    let chance = Streams::new(0);
    let place = Place { number: 0, models: design.stimuli.models().collect(), turn: 0 };
    let inputs = Inputs { is_qualified: true, ..Inputs::new(*design, &place, &chance) };
    let Ok(machine) = protocol.task.start(&inputs, &chance) else { return };
    let Next::Trial(trial) = machine.next() else { return };
    let can_return = trial.phase != Phase::Main || trial.block_trials < 2 || machine.following().is_some();
    if protocol.corrections && !can_return {
        at.field("corrections")
            .warning("no-effect", "each answer decides what is shown next; raters cannot return to a trial")
            .help("leave out `corrections`");
    }
    at.within("beside", |at| {
        for (index, question) in protocol.beside.iter().enumerate() {
            let Required::After(trigger) = &question.required else { continue };
            let Some(Form::Choice { options } | Form::Several { options, .. }) =
                trial.questions.iter().find(|one| one.id == trigger.after).map(|one| &one.form)
            else {
                continue;
            };
            let known: Vec<&str> = options.iter().map(|option| &*option.value).collect();
            for value in trigger.any_of.iter().filter(|value| !known.contains(&&***value)) {
                at.within_item(index, |at| {
                    at.within("required", |at| {
                        at.field("any_of")
                            .warning(
                                "unknown-answer",
                                format!("`{value}` is not an answer to `{}`", trigger.after),
                            )
                            .help(format!("the answers are {}", listed(&known)))
                            .suggest(nearest(value, known.iter().copied()));
                    });
                });
            }
        }
    });
}

/// The facets with the options of questions as the levels of those that answers are levels of, except that of raters who do not
/// say.
pub(super) fn with_levels(protocol: &ProtocolSpec) -> FacetSpecs {
    let asked = surveyed(&protocol.before).into_iter().chain(surveyed(&protocol.after)).collect::<Vec<_>>();
    let with_levels = |(name, facet): (&str, &FacetSpec)| {
        let mut facet = facet.clone();
        let question = asked.iter().find(|one| Some(&one.id) == facet.asked.as_ref());
        if let (Some(Form::Choice { options }), None) =
            (question.map(|one| &one.form), facet.declared_levels())
        {
            let levels = options.iter().map(|option| &option.value).filter(|value| ***value != *NOT_SAID);
            facet.order = levels.cloned().collect();
        }
        (Arc::from(name), facet)
    };
    Named(protocol.facets.iter().map(with_levels).collect())
}

/// Reports that there is nothing in which `marks` can be made.
fn no_marks(why: &str, at: &mut Diagnostics) {
    at.field("answer")
        .error("no-marks", format!("{why}, and marks are spans of plain texts"))
        .help("ask for marks in `beside`, with `texts` that are files `.txt`");
}

/// A stimulus in which no marks can be made, if raters judge one.
fn other_than_plain<'a>(design: &Design<'a>) -> Option<&'a Stimulus> {
    let stimuli = design.stimuli;
    let is_plain = |one: &Stimulus| {
        one.media.kind() == MediaKind::Text && one.path.to_ascii_lowercase().ends_with(".txt")
    };
    let of_models = stimuli.models().flat_map(|set| stimuli.members(set).iter().copied());
    of_models.chain(stimuli.real()).filter_map(|id| stimuli.get(id)).find(|one| !is_plain(one))
}

fn check_beside(
    beside: &[QuestionSpec],
    own: &BTreeMap<Arc<str>, &str>,
    design: &Design<'_>,
    at: &mut Diagnostics,
) {
    // A question may depend on one of the task, whose options are not known here.
    let is_own = |question: &QuestionSpec| match &question.required {
        Required::After(trigger) => own.contains_key(&trigger.after),
        Required::Is(_) => false,
    };
    let known: Vec<QuestionSpec> = beside
        .iter()
        .map(|question| match is_own(question) {
            true => QuestionSpec { required: Required::ALWAYS, ..question.clone() },
            false => question.clone(),
        })
        .collect();
    check_page(&known, at);
    let mut seen: Vec<&Arc<str>> = Vec::new();
    for (index, question) in beside.iter().enumerate() {
        at.within_item(index, |at| {
            if own.contains_key(&question.id) || seen.contains(&&question.id) {
                let other = if own.contains_key(&question.id) { "the task" } else { "another question here" };
                at.field("id")
                    .error("twice", format!("`{}` is also asked by {other}", question.id))
                    .help("give each question a key of its own: answers are known by their keys");
            }
            seen.push(&question.id);
            let is_marks = |one: &QuestionSpec| matches!(one.answer, AnswerSpec::Marks(_));
            if let (true, Some(other)) = (is_marks(question), other_than_plain(design)) {
                no_marks(&format!("{} is not a plain text", other.path), at);
            }
            if is_marks(question) && beside[..index].iter().any(is_marks) {
                at.field("answer")
                    .error("twice", "another question here is answered by marks in the same texts")
                    .help("ask for one kind of marks");
            }
            if question.screen_out.is_some() {
                at.field("screen_out")
                    .error("too-late", "raters cannot be screened out during the task")
                    .help("ask the question in `before`");
            }
        });
    }
}

/// The keys of the questions that the task asks.
fn keys_of_task(asks: &Asks, design: &Design<'_>) -> Vec<Arc<str>> {
    match asks {
        Asks::Own(keys) => keys.clone(),
        Asks::RubricQuestions(_) => {
            let items = design.stimuli.items().iter().map(Some).chain([None]);
            let asked = items.flat_map(|item| {
                let asked = Asked { item, role: Role::Generated };
                design.rubric.questions(&asked).to_vec()
            });
            let mut keys: Vec<Arc<str>> = asked.map(|question| question.id).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        }
    }
}
