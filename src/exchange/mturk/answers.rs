//! How a batch file writes an answer.

use super::AnswerField;
use crate::exchange::answer::option_of;
use crate::exchange::fault::{ImportError, ImportFault};
use crate::exchange::table::{Next, Table};
use hype_core::words::listed;
use hype_tables::number_of;
use serde_json::{Map, Value};

/// The columns of one answer in one batch.
pub(super) enum Asked {
    /// One column with a text or a number.
    Cell(usize),
    /// One column per option, which says whether the option was chosen, with the option's score.
    Options(Vec<(usize, u32)>),
    /// A field of the column in which forms of Crowd HTML Elements write all answers as JSON.
    Field(usize),
}

/// The column of all answers to a form of Crowd HTML Elements.
const TASK_ANSWERS: &str = "Answer.taskAnswers";

/// The names of the answers of a batch: by its columns, and by the first row of [`TASK_ANSWERS`].
pub(super) fn names(table: &mut Table) -> Result<Vec<String>, ImportError> {
    let headers = table.headers().iter().filter(|header| *header != TASK_ANSWERS);
    let mut names: Vec<String> =
        headers.filter_map(|header| header.strip_prefix("Answer.")).map(str::to_owned).collect();
    if table.has(TASK_ANSWERS) {
        let place = table.column(TASK_ANSWERS)?;
        if let Next::Record = table.read()? {
            names.extend(fields(table.cell(place)).unwrap_or_default().into_iter().map(|(name, _)| name));
        }
    }
    Ok(names)
}

/// The answers in a cell: a list of one object.
fn fields(cell: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(cell).ok()? {
        Value::Object(fields) => Some(fields),
        Value::Array(list) => list.into_iter().next()?.as_object().cloned(),
        _ => None,
    }
}

impl Asked {
    /// Finds the columns: `Answer.NAME`, or those numbered `Answer.NAME.0.on` or `Answer.NAME.1`.
    pub(super) fn find(table: &Table, answer: &AnswerField) -> Result<Self, ImportError> {
        let name = format!("Answer.{}", answer.name.strip_prefix("Answer.").unwrap_or(&answer.name));
        if table.has(&name) {
            return table.column(&name).map(Self::Cell);
        }
        let numbered = |header: &str| {
            let rest = header.strip_prefix(&name)?.strip_prefix('.')?;
            rest.strip_suffix(".on").unwrap_or(rest).parse::<u32>().ok()
        };
        let headers = table.headers().iter().enumerate();
        let mut options: Vec<(usize, u32)> =
            headers.filter_map(|(place, header)| Some((place, numbered(header)?))).collect();
        if options.is_empty() && table.has(TASK_ANSWERS) {
            return table.column(TASK_ANSWERS).map(Self::Field);
        }
        if options.is_empty() {
            return table.column(&name).map(Self::Cell);
        }
        options.sort_by_key(|&(_, number)| number);
        // HEIM numbers its options from 0, others from 1; scores begin at 1.
        let from_zero = options.first().is_some_and(|&(_, number)| number == 0);
        options.iter_mut().for_each(|(_, number)| *number = number.saturating_add(u32::from(from_zero)));
        let twice = options.windows(2).any(|pair| pair[0].1 == pair[1].1);
        let most = answer.options.len();
        let beyond = most > 0 && options.last().is_some_and(|&(_, score)| score as usize > most);
        if twice || beyond {
            let reason = match twice {
                true => "two columns are for the same option".to_owned(),
                false => format!("there are more option columns than the question's {most} options"),
            };
            return Err(ImportError::Options(format!("{}, {name}: {reason}", table.name())));
        }
        Ok(Self::Options(options))
    }

    /// The score of the answer; `None` if there is none.
    pub(super) fn value(&self, table: &Table, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
        match self {
            Self::Cell(place) => cell(table, *place, answer),
            Self::Options(options) => chosen(table, options),
            Self::Field(place) => field(table, *place, answer),
        }
    }
}

/// The score of a field: a text or a number, the label of a choice, or a list of options that says which one is chosen.
fn field(table: &Table, place: usize, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
    let fault = |reason: &str, help: &str| table.fault(Some(place), reason, help);
    if table.cell(place).is_empty() {
        return Ok(None);
    }
    let fields = fields(table.cell(place))
        .ok_or_else(|| fault("the answers are not a list of one JSON object", "restore the cell"))?;
    let name = answer.name.strip_prefix("Answer.").unwrap_or(&answer.name);
    let Some(value) = fields.get(name) else {
        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
        let reason = format!("there is no answer `{name}`");
        return Err(fault(&reason, &format!("the answers are {}", listed(&names))));
    };
    match value {
        Value::Null => Ok(None),
        Value::String(text) => score(table, place, text, answer),
        Value::Object(choice) if choice.values().all(Value::is_boolean) => {
            let mut chosen = choice.iter().filter(|(_, is_chosen)| **is_chosen == Value::Bool(true));
            match (chosen.next(), chosen.next()) {
                (None, _) => Ok(None),
                (Some((option, _)), None) => score(table, place, option, answer),
                _ => Err(fault("a second option of the same question is chosen", "choose one option")),
            }
        }
        Value::Object(choice) => match choice.get("label") {
            Some(Value::String(label)) => score(table, place, label, answer),
            _ => Err(fault(
                &format!("the answer `{name}` is {value}"),
                "only choices, texts and numbers are read",
            )),
        },
        other => score(table, place, &other.to_string(), answer),
    }
}

fn cell(table: &Table, place: usize, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
    score(table, place, table.cell(place), answer)
}

/// The score of an answer that is written as text.
fn score(table: &Table, place: usize, text: &str, answer: &AnswerField) -> Result<Option<f64>, ImportFault> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = number_of(text);
    if answer.options.is_empty() {
        let help = "write a number, or name the options with --options or --heim";
        return number
            .map(Some)
            .ok_or_else(|| table.fault(Some(place), &format!("{text:?} is not a number"), help));
    }
    let most = answer.options.len();
    let scored = number.filter(|number| (1..=most).any(|score| (score as f64).total_cmp(number).is_eq()));
    option_of(text, &answer.options).map(f64::from).or(scored).map(Some).ok_or_else(|| {
        let help = format!("write a score from 1 to {most}, or one of: {}", answer.options.join(" | "));
        table.fault(Some(place), &format!("the answer is {text:?}"), &help)
    })
}

fn chosen(table: &Table, options: &[(usize, u32)]) -> Result<Option<f64>, ImportFault> {
    let mut found = None;
    for &(place, score) in options {
        let yes = match &*table.cell(place).to_ascii_lowercase() {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" | "" => false,
            other => {
                return Err(table.fault(
                    Some(place),
                    &format!("the choice is {other:?}"),
                    "write true or false",
                ));
            }
        };
        if yes && found.is_some() {
            let reason = "a second option of the same question is chosen";
            return Err(table.fault(Some(place), reason, "choose one option"));
        }
        found = if yes { Some(f64::from(score)) } else { found };
    }
    Ok(found)
}
