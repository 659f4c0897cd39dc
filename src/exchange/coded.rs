//! Answers that are codes of a question's options: JSON Lines with one image per line.

use std::collections::HashMap;
use std::path::PathBuf;

use hype_core::Row;
use hype_core::words::{counted, listed};
use serde_json::Value;

use super::fault::{ImportError, ImportFault};
use super::importing::{Facts, ImportReport, Importing, Sink};
use super::lines::Lines;
use super::names::ModelOf;

/// A question whose answers are coded 0..k-1 in the order of its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "programs make it")]
pub struct CodedQuestion {
    /// The measure that its answers become.
    pub measure: &'static str,
    /// The number of its options.
    pub options: usize,
}

/// The fields of a line, such as `{"image_path": "images/ORG/FILE", "human_annotations": [3, 4, …], "mean_score": 3.6}`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "programs make it")]
pub struct CodedFields {
    /// The answers: a list, or one number.
    pub answers: String,
    /// The raters: one name, or a list as long as that of the answers.
    pub raters: Option<String>,
    /// The item.
    pub item: String,
    /// Where the model is named.
    pub model: ModelOf,
    /// The mean of the answers, which is compared with them where a line has it.
    pub mean: String,
}

/// Reads files, each with answers to one question, and passes on the score of each answer, which is its code plus one. Answers
/// without a rater are attributed to `annotation-1`, `annotation-2` and so on, in their order for each image.
///
/// # Errors
/// If a file cannot be read or contains faults. The error lists the faults with their lines.
pub fn coded_jsonl(
    files: &[(PathBuf, CodedQuestion)],
    fields: &CodedFields,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut importing = Importing::new("image", sink);
    importing.facts = fields.raters.is_none().then_some(Facts::MADE_UP_RATERS);
    let mut means_faults = 0_u64;
    for (path, question) in files {
        let name = path.display().to_string();
        let mut seen: HashMap<[String; 2], u64> = HashMap::new();
        let mut lines = Lines::open(path)?;
        while let Some((line, text)) = lines.next_line().map_err(ImportError::disk(path))? {
            let fault = |column: &str, reason: String, help: &str| ImportFault {
                file: name.clone(),
                place: format!("line {line}"),
                column: (!column.is_empty()).then(|| column.to_owned()),
                reason,
                help: help.into(),
            };
            let text = match text {
                Some(text) if text.trim().is_empty() => continue,
                Some(text) => text,
                None => {
                    importing.fault(fault("", "the text is not UTF-8".into(), "save it as UTF-8"));
                    continue;
                }
            };
            importing.report.rows += 1;
            let read = Image::read(text, fields, *question, &fault);
            let image = match read {
                Ok(image) => image,
                Err(faults) => {
                    faults.into_iter().for_each(|fault| importing.fault(fault));
                    continue;
                }
            };
            if let Some(before) = seen.insert([image.model.clone(), image.item.clone()], line)
                && fields.raters.is_none()
            {
                let reason = format!("{} of {} is already on line {before}", image.item, image.model);
                importing.fault(fault(&fields.item, reason, "write each image once"));
            }
            if image.answers.is_empty() {
                importing.leave_out("images without answers");
            }
            means_faults += u64::from(image.mean_faults);
            for (rater, code) in image.raters.iter().zip(&image.answers) {
                importing.row(&Row {
                    rater,
                    model: &image.model,
                    against: "",
                    item: &image.item,
                    block: 0,
                    measure: question.measure,
                    value: (code + 1) as f64,
                })?;
            }
        }
        importing.report.files += 1;
    }
    if means_faults > 0 {
        importing.note(format!(
            "of {} `{}` is not the mean of the answers",
            counted(means_faults, "image"),
            fields.mean
        ));
    }
    if fields.raters.is_none() {
        importing.note(
            "the answers name no raters: the n-th answer about every image is attributed to `annotation-n`, so what is \
             computed over raters is over places in the lists",
        );
    }
    importing.finish()
}

struct Image {
    model: String,
    item: String,
    raters: Vec<String>,
    answers: Vec<u64>,
    mean_faults: bool,
}

impl Image {
    fn read(
        text: &str,
        fields: &CodedFields,
        question: CodedQuestion,
        fault: &dyn Fn(&str, String, &str) -> ImportFault,
    ) -> Result<Self, Vec<ImportFault>> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            vec![fault("", format!("not valid JSON: {error}"), "write one object per line")]
        })?;
        let Some(object) = value.as_object() else {
            return Err(vec![fault("", "not a JSON object".into(), "write one object per line")]);
        };
        let mut faults = Vec::new();
        let known = || listed(object.keys().map(String::as_str));
        let mut field = |name: &str| {
            let found = object.get(name);
            if found.is_none() {
                faults.push(fault(name, format!("the field is missing; the fields are {}", known()), ""));
            }
            found
        };
        let item = field(&fields.item).map(as_text).unwrap_or_default();
        let cell = fields.model.column().and_then(&mut field).map(as_text).unwrap_or_default();
        let answers = field(&fields.answers).map(as_list).unwrap_or_default();
        let named = fields.raters.as_deref().and_then(&mut field).map(as_list);
        let model = fields.model.name(&cell).to_owned();
        if faults.is_empty() && (item.trim().is_empty() || model.is_empty()) {
            let column = fields.model.column().filter(|_| model.is_empty()).unwrap_or(&fields.item);
            faults.push(fault(column, "the field is empty".into(), "write a text, or name another field"));
        }
        let most = question.options as u64;
        let mut codes = Vec::with_capacity(answers.len());
        for answer in &answers {
            match answer.as_u64().or_else(|| answer.as_str()?.trim().parse().ok()) {
                Some(code) if code < most => codes.push(code),
                _ => {
                    let help = format!("answers about {} are coded from 0 to {}", question.measure, most - 1);
                    faults.push(fault(
                        &fields.answers,
                        format!("{answer} is not the code of an answer"),
                        &help,
                    ));
                }
            }
        }
        let raters: Vec<String> = match named {
            None => (1..=codes.len()).map(|number| format!("annotation-{number}")).collect(),
            Some(named) => named.iter().map(as_text).collect(),
        };
        if raters.len() != answers.len() || raters.iter().any(|rater| rater.trim().is_empty()) {
            let column = fields.raters.as_deref().unwrap_or(&fields.answers);
            let reason =
                format!("{} for {}", counted(raters.len(), "rater"), counted(answers.len(), "answer"));
            if faults.is_empty() {
                faults.push(fault(column, reason, "name one rater for each answer"));
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mean = codes.iter().sum::<u64>() as f64 / codes.len().max(1) as f64;
        let mean_faults = !codes.is_empty()
            && object
                .get(&fields.mean)
                .and_then(Value::as_f64)
                .is_some_and(|stated| (stated - mean).abs() > 0.005);
        Ok(Self { model, item: item.trim().to_owned(), raters, answers: codes, mean_faults })
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The elements of a list, or a single value.
fn as_list(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    }
}
