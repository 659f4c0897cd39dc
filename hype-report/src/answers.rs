//! The page of single answers next to their stimuli, with filters. It is a viewer, and the only page with a script.

use hype_core::serde_json::{Value, json};
use hype_core::{Stimulus, StimulusId, Study};

use crate::pictures::Pictures;
use crate::source::{AnswerRow, ReportSource};
use crate::text::markup;

/// The page, with places for the title, what it shows, and the answers.
const PAGE: &str = include_str!("answers.html");

/// The page; `None` without a study or answers.
pub(crate) fn page(source: &ReportSource<'_>) -> Option<String> {
    let study = source.study?;
    let (rows, all) = source.records.answers();
    if rows.is_empty() {
        return None;
    }
    let about = match all {
        all if all > rows.len() as u64 => {
            format!("The first {} of {all} answers of raters who count.", rows.len())
        }
        all => format!("The {all} answers of raters who count."),
    };
    let caution = source.caution().map(|caution| format!(" These are {caution}.")).unwrap_or_default();
    let about = format!(
        "{about}{caution} Disagreement is the share of answers about the same stimuli that differ from the most frequent one."
    );
    let answers: Vec<Value> = rows
        .iter()
        .map(|row| {
            let stimuli: Vec<u32> = row.stimuli.iter().map(|id| id.0).collect();
            let model = row.model.map(|model| model.0);
            json!([row.session + 1, model, stimuli, chosen(source, study, row), row.correct, row.rt_ms])
        })
        .collect();
    let data = json!({
        "models": study.stimuli().sets().iter().map(|set| source.label_of(&set.name)).collect::<Vec<_>>(),
        "stimuli": stimuli(study),
        "kind": study.stimuli().kind(),
        "folder": source.pictures.and_then(Pictures::folder),
        "answers": answers,
    });
    // No text of a study ends the script.
    let data = data.to_string().replace('<', "\\u003c");
    let title = markup(&format!("{}: single answers", source.name()));
    Some(PAGE.replace("{title}", &title).replace("{about}", &markup(&about)).replace("{data}", &data))
}

/// An answer in which the letters of stimuli that are shown together are their models, whose places differ between trials.
fn chosen(source: &ReportSource<'_>, study: &Study, row: &AnswerRow) -> String {
    if row.stimuli.len() < 2 {
        return row.answer.clone();
    }
    let stimuli = study.stimuli();
    let model_of = |value: &str| {
        let place = ('A'..='Z').position(|letter| value.chars().eq([letter]))?;
        let set = stimuli.get(*row.stimuli.get(place)?)?.set;
        Some(source.label_of(&stimuli.set(set)?.name))
    };
    let part = |part: &str| match part.rsplit_once(": ") {
        Some((question, value)) => model_of(value).map(|model| format!("{question}: {model}")),
        None => model_of(part),
    };
    row.answer
        .split("; ")
        .map(|one| part(one).unwrap_or_else(|| one.to_owned()))
        .collect::<Vec<_>>()
        .join("; ")
}

/// The name, the path and the item of each stimulus.
fn stimuli(study: &Study) -> Vec<[String; 3]> {
    let stimuli = study.stimuli();
    let item = |stimulus: &Stimulus| {
        let item = stimulus.item.and_then(|id| stimuli.items().get(id.0 as usize));
        item.map_or_else(String::new, |item| item.id.to_string())
    };
    stimuli
        .all()
        .iter()
        .zip(0..)
        .map(|(stimulus, number)| {
            let name = stimuli.label(StimulusId(number)).to_owned();
            [name, stimulus.path.to_string(), item(stimulus)]
        })
        .collect()
}
