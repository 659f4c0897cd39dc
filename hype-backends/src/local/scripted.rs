//! The cohort `scripted`: raters whose answers are read from a table.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hype_core::model::trial::{Form, Question};
use hype_core::plugin::surroundings::Surroundings;
use hype_core::{
    AnswerValue, Cohort, CohortError, Diagnostics, Rater, Response, Stream, Trial, Truth, Wanted,
    register_cohort,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use self::script::Answers;
pub use self::script::{Script, ScriptError};

mod script;

/// Raters whose answers are read from a CSV table, in the format of [`Script`].
///
/// A rater whose answers end before the session does leaves the study. So does a replacement who is not in the table.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// The table, relative to the spec's folder.
    pub answers: String,
    /// The script, read once and shared by all sessions.
    #[serde(skip)]
    read: OnceLock<(PathBuf, Result<Arc<Script>, String>)>,
}

register_cohort!(
    Scripted,
    "scripted",
    summary = "Raters whose answers are read from a CSV table",
    citation = "",
    example = "{ kind: scripted, answers: answers.csv }",
);

impl Scripted {
    /// A cohort whose answers are in a CSV table. The path is relative to the spec's folder.
    #[must_use]
    pub fn new(answers: &str) -> Self {
        Self { answers: answers.to_owned(), read: OnceLock::new() }
    }

    fn script(&self, folder: &Path) -> Result<Arc<Script>, String> {
        let path = folder.join(&self.answers);
        let (first, script) = self.read.get_or_init(|| {
            let script = read(&path);
            (path.clone(), script)
        });
        if *first == path { script.clone() } else { read(&path) }
    }
}

fn read(path: &Path) -> Result<Arc<Script>, String> {
    Script::open(path).map(Arc::new).map_err(|error| format!("{}: {error}", path.display()))
}

impl Cohort for Scripted {
    fn check(&self, around: &Surroundings<'_>, at: &mut Diagnostics) {
        if self.answers.trim().is_empty() {
            at.field("answers")
                .error("empty", "the path of the table of answers is missing")
                .help("name a CSV file relative to the spec's folder, such as `answers: answers.csv`");
        } else if let Some(outside) = around.outside
            && let Err(reason) = self.script(outside.folder)
        {
            at.field("answers").error("bad-script", reason).help("the path is relative to the spec's folder");
        }
    }

    fn rater(&self, wanted: &Wanted<'_>, _: &hype_core::Streams) -> Result<Box<dyn Rater>, CohortError> {
        let place = wanted.place.number;
        let script = self.script(wanted.folder).map_err(|reason| CohortError { place, reason })?;
        let answers = match script.answers(wanted.rater) {
            Some(answers) => Arc::clone(answers),
            None if wanted.attempt > 0 => Arc::default(),
            None => {
                let reason = format!("{} has no answers of rater {}", self.answers, wanted.rater);
                return Err(CohortError { place, reason });
            }
        };
        Ok(Box::new(Reader { questions: Arc::clone(script.questions()), answers }))
    }
}

/// One rater of a script.
#[derive(Debug)]
struct Reader {
    questions: Arc<[String]>,
    answers: Arc<Answers>,
}

impl Rater for Reader {
    fn respond(&mut self, trial: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
        let Some(line) = self.answers.get(&trial.number) else {
            return Response::Leave;
        };
        // Answers missing from the table are left out: the session's refusal names them.
        let answer = trial.questions.iter().filter_map(|question| {
            let (_, cell) = self.questions.iter().zip(&line.cells).find(|(id, _)| **id == *question.id)?;
            (!cell.is_empty()).then(|| (&*question.id, value(question, cell)))
        });
        Response::Answer { answer: answer.collect(), rt: line.rt }
    }
}

/// A cell in the form of the question. Text that is not a number stays text, and the session refuses it.
fn value(question: &Question, cell: &str) -> AnswerValue {
    match question.form {
        Form::Number { .. } => match (cell.parse::<i64>(), cell.parse::<f64>()) {
            (Ok(whole), _) => whole.into(),
            (_, Ok(number)) => Number::from_f64(number).map_or_else(|| cell.into(), AnswerValue::from),
            _ => cell.into(),
        },
        _ => cell.into(),
    }
}
