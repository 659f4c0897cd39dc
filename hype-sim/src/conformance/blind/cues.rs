//! The cues of a trial on a page, apart from pixels.

use hype_core::model::trial::{ChoiceOption, Form, Part};
use hype_core::{Content, Question, Trial};

/// The name of a cue, and its value.
pub(super) type Cue = (&'static str, String);

/// The cues of a trial on a page, apart from pixels.
pub(super) struct Cues {
    /// Cues of the trial: those of the page, and those that count trials and stimuli.
    pub(super) trial: Vec<Cue>,
    /// Cues of the page alone.
    pub(super) page: Vec<Cue>,
    /// Marks of each option of the first question with options.
    pub(super) options: Vec<Vec<Cue>>,
}

/// Collects the cues of a trial; `upcoming` is the number of stimuli that its block may still show.
pub(super) fn cues(trial: &Trial, upcoming: usize) -> Cues {
    let each = |of: &dyn Fn(&Question) -> String| -> String {
        trial.questions.iter().map(of).collect::<Vec<_>>().join("; ")
    };
    let labels: Vec<&str> = trial.gallery().iter().map(|image| &*image.label).collect();
    let page = vec![
        ("the exposure", format!("{:?}", trial.exposure())),
        ("the parts", trial.parts.iter().map(part).collect::<Vec<_>>().join(", ")),
        ("the conditions", trial.parts.iter().filter_map(condition).collect::<Vec<_>>().join("; ")),
        ("the labels of images", labels.join(", ")),
        ("the questions' names", each(&|question| question.id.to_string())),
        ("the questions", each(&|question| question.text.to_string())),
        ("the help", each(&|question| format!("{:?}", question.help))),
        ("the form of answers", each(&|question| format!("{:?} {:?}", question.form, question.scale))),
        ("the feedback", format!("{:?}", trial.feedback)),
    ];
    let everything = page.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("\n");
    let mut all = page.clone();
    all.extend([
        ("the whole page", everything),
        ("the phase", format!("{:?}", trial.phase)),
        ("the trial's number", trial.number.to_string()),
        ("the block", trial.block.to_string()),
        ("the place in the block", trial.in_block.to_string()),
        ("the length of the block", trial.block_trials.to_string()),
        ("the rest", format!("{:?}", trial.rest)),
        ("the number of stimuli to come", upcoming.to_string()),
    ]);
    let options = trial.questions.iter().find_map(|question| match &question.form {
        Form::Choice { options } => Some(options.iter().map(marks).collect()),
        _ => None,
    });
    Cues { trial: all, page, options: options.unwrap_or_default() }
}

/// A part with its durations, without its stimulus.
fn part(part: &Part) -> String {
    match part {
        Part::Countdown { from, each } => format!("countdown from {from}, {} ms each", each.0),
        Part::Stimulus { exposure, .. } => format!("stimulus for {exposure:?}"),
        Part::Masks { count, each } => format!("{count} masks, {} ms each", each.0),
        Part::Condition(condition) => format!("{:?}", condition.kind),
        Part::Gallery { candidates, exposure } => format!("{} stimuli for {exposure:?}", candidates.len()),
        _ => "another part".into(),
    }
}

/// The texts of a condition. Digits are left out: a number identifies an item, and an item may always have the
/// same right answer.
fn condition(part: &Part) -> Option<String> {
    let Part::Condition(condition) = part else {
        return None;
    };
    let text = match &condition.content {
        Content::Text(text) => text,
        Content::Stimulus(_) => "",
    };
    let name = condition.name.as_deref().unwrap_or_default();
    Some(format!("{name}: {text}").chars().filter(|letter| !letter.is_ascii_digit()).collect())
}

fn marks(option: &ChoiceOption) -> Vec<Cue> {
    vec![
        ("the value of an option", option.value.to_string()),
        ("the label of an option", option.label.to_string()),
        ("the key of an option", format!("{:?}", option.key)),
    ]
}
