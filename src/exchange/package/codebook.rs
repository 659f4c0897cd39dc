//! The codebook: the meaning of every column, and the questions that were asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hype_core::model::record::Header;
use hype_core::study::session::Background;
use hype_core::{Asked, Form, Measure, Question, Role, Session, SessionRecord, Step, Study};
use serde::Serialize;
use serde_json::Value;

use crate::exchange::export::FINDING_KINDS;
use crate::exchange::layout::{ColumnType, ExportColumn};

/// The maximum number of values of a column or question that are listed individually.
const LISTED: usize = 64;

/// Everything that readers of the tables have to know.
#[derive(Debug, Serialize)]
pub(super) struct Codebook {
    /// The version of this layout.
    pub(super) format: u32,
    pub(super) files: Vec<FileEntry>,
    pub(super) measures: Vec<Measure>,
    pub(super) questions: Vec<QuestionEntry>,
}

#[derive(Debug, Serialize)]
pub(super) struct FileEntry {
    pub(super) name: String,
    /// The meaning of one row.
    pub(super) row: &'static str,
    pub(super) rows: u64,
    pub(super) columns: Vec<ColumnEntry>,
}

#[derive(Debug, Serialize)]
pub(super) struct ColumnEntry {
    pub(super) name: &'static str,
    #[serde(rename = "type")]
    pub(super) kind: ColumnType,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) unit: &'static str,
    pub(super) meaning: &'static str,
    /// All values, if they are few and known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) values: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct QuestionEntry {
    #[serde(flatten)]
    pub(super) question: Question,
    /// How often each answer was given; empty if there are too many different answers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) given: BTreeMap<String, u64>,
}

/// Statistics of the tables for the codebook.
#[derive(Debug, Default)]
pub(super) struct Contents {
    given: BTreeMap<String, BTreeMap<String, u64>>,
    questions: Vec<Question>,
    looked: bool,
}

impl Contents {
    /// Counts an answer.
    pub(super) fn answer(&mut self, question: &Value, answer: &Value) {
        let (Some(question), Some(answer)) = (question.as_str(), answer.as_str()) else { return };
        if !self.given.contains_key(question) {
            self.given.insert(question.to_owned(), BTreeMap::new());
        }
        let Some(answers) = self.given.get_mut(question) else { return };
        // One value more than the maximum shows that there are too many to list.
        if answers.len() <= LISTED || answers.contains_key(answer) {
            *answers.entry(answer.to_owned()).or_default() += 1;
        }
    }

    /// Takes the questions from the first completed session.
    pub(super) fn session(&mut self, study: &Study, record: &SessionRecord) {
        if self.looked || !record.is_complete() {
            return;
        }
        self.looked = true;
        let Header { rater, place, attempt, briefing, qualified_in, .. } = record.header.clone();
        let background = Background { briefing, qualified_in };
        let Ok((mut session, _)) = Session::open_with(study, &rater, place.number, attempt, background)
        else {
            return;
        };
        for answered in &record.trials {
            let Step::Show(trial) = session.step() else { return };
            trial.questions.iter().for_each(|question| self.add(question));
            if session.handle_answer(answered.trial, answered.answer.clone(), answered.timing).is_err() {
                return;
            }
        }
    }

    fn add(&mut self, question: &Question) {
        if self.questions.iter().all(|known| known.id != question.id) {
            self.questions.push(question.clone());
        }
    }
}

impl Codebook {
    pub(super) fn of(study: &Study, mut contents: Contents) -> Self {
        let rubric = &study.spec().analysis.rubric;
        for item in study.stimuli().items().iter().map(Some).chain([None]) {
            let asked = rubric.questions(&Asked { item, role: Role::Generated });
            asked.iter().for_each(|question| contents.add(question));
        }
        let Contents { mut given, questions, .. } = contents;
        let words = study.words();
        let questions = questions
            .into_iter()
            .map(|question| {
                let mut given = given.remove(&*question.id).unwrap_or_default();
                // Words of raters' own are theirs, and nothing to count.
                if given.len() > LISTED || matches!(question.form, Form::Text { .. }) {
                    given.clear();
                }
                QuestionEntry { question: words.worded_question(&question), given }
            })
            .collect();
        let mut measures = rubric.measures();
        measures.iter_mut().for_each(|measure| measure.label = words.worded(&measure.label));
        Self { format: 1, files: Vec::new(), measures, questions }
    }

    pub(super) fn add(
        &mut self,
        study: &Study,
        name: &str,
        row: &'static str,
        columns: &[ExportColumn],
        rows: u64,
    ) {
        let columns = columns
            .iter()
            .map(|column| ColumnEntry {
                name: column.name,
                kind: column.kind,
                unit: column.unit,
                meaning: column.meaning,
                values: values(study, column.name, &self.measures, &self.questions),
            })
            .collect();
        self.files.push(FileEntry { name: name.to_owned(), row, rows, columns });
    }
}

/// The possible values of a column, if they are few and known.
fn values(study: &Study, column: &str, measures: &[Measure], questions: &[QuestionEntry]) -> Vec<String> {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let names = |names: BTreeSet<Arc<str>>| -> Vec<String> {
        if names.len() > LISTED { Vec::new() } else { names.iter().map(ToString::to_string).collect() }
    };
    let stimuli = study.stimuli();
    match column {
        "phase" => {
            owned(&["before", "qualification", "practice", "main", "catch", "gold", "repeat", "after"])
        }
        "ending" => owned(&["completed", "disqualified", "left", "screened-out"]),
        "role" => owned(&["real", "generated"]),
        "use" => owned(&["main", "qualification", "gold", "condition"]),
        "better" => owned(&["higher", "lower", "neither"]),
        "kind" => owned(&FINDING_KINDS),
        "correct" | "counts" | "within_margin" => owned(&["true", "false"]),
        "model" | "against" => names(
            stimuli.models().filter_map(|id| stimuli.set(id)).map(|set| Arc::clone(&set.name)).collect(),
        ),
        "set" => names(stimuli.sets().iter().map(|set| Arc::clone(&set.name)).collect()),
        "measure" => names(measures.iter().map(|measure| Arc::clone(&measure.name)).collect()),
        "question" => names(questions.iter().map(|entry| Arc::clone(&entry.question.id)).collect()),
        "candidate" => {
            let ranked = questions.iter().filter_map(|entry| match &entry.question.form {
                Form::Ranking { candidates, .. } => Some(candidates),
                _ => None,
            });
            names(ranked.flatten().map(|candidate| Arc::clone(&candidate.value)).collect())
        }
        _ => Vec::new(),
    }
}
