//! Texts of models that are yet to be judged: the answers of AlpacaEval and MT-Bench, and tables with a column for each model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value;

use super::roles::{MODELS, column, folded};
use super::sample::Sample;
use super::tables::comparisons;
use crate::exchange::fault::ImportError;

const IDS: [&str; 9] =
    ["question_id", "prompt_id", "item", "item_id", "id", "uid", "idx", "index", "instance_id"];
const PROMPTS: [&str; 7] = ["instruction", "prompt", "question", "query", "input", "turns", "prompt_text"];
/// The headers of answers where another column, or the name of the file, is that of the model.
const TEXTS: [&str; 7] =
    ["output", "answer", "response", "completion", "generation", "model_output", "choices"];
/// The headers of texts that are not answers.
const OTHERS: [&str; 12] = [
    "category",
    "dataset",
    "source",
    "topic",
    "subset",
    "split",
    "type",
    "language",
    "difficulty",
    "answer_id",
    "notes",
    "comment",
];
/// The line between turns of a conversation, in Markdown.
pub(crate) const BETWEEN_TURNS: &str = "\n\n---\n\n";

/// The texts of models in tables, which are yet to be judged.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TextOutputs {
    /// The texts of each model, by the place of their item.
    pub models: BTreeMap<String, BTreeMap<usize, String>>,
    /// The id and the prompt of each item; either may be empty.
    items: Vec<[String; 2]>,
    /// The places of items, by their id or prompt, and by how many answers of a model to these come before.
    places: HashMap<(String, usize), usize>,
    /// The prompts of tables without answers, by their ids.
    prompts: HashMap<String, String>,
}

/// An item of [`TextOutputs`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextItem {
    /// Its name in the names of files.
    pub name: String,
    /// Its id in the tables, or an empty text.
    pub id: String,
    /// The text that models were given, or an empty one.
    pub prompt: String,
}

/// The columns of a table of answers.
struct Columns {
    id: Option<usize>,
    prompt: Option<usize>,
    model: Option<usize>,
    /// The columns of answers: one, or one for each model.
    texts: Vec<usize>,
    is_wide: bool,
}

impl Columns {
    fn of(sample: &Sample) -> Self {
        let (id, model) = (column(sample, &IDS, &[]), column(sample, &MODELS, &[]));
        let prompt = column(sample, &PROMPTS, &[]);
        let is_answers = |place: &usize| {
            let is_taken = [id, model, prompt].contains(&Some(*place));
            let is_text = !sample.is_number(*place) && !sample.is_path(*place) && !sample.is_json(*place);
            let is_other = OTHERS.contains(&&*folded(&sample.headers[*place]));
            !is_taken && !is_other && is_text && 2 * sample.distinct(*place).len() > sample.len()
        };
        let wide: Vec<usize> = (0..sample.headers.len()).filter(is_answers).collect();
        let is_wide = model.is_none() && (id.is_some() || prompt.is_some()) && wide.len() > 1;
        let only = column(sample, &TEXTS, &[id, model, prompt].map(|place| place.unwrap_or(usize::MAX)));
        let only = only.filter(|_| id.is_some() || prompt.is_some());
        let texts = match (is_wide, comparisons(sample)) {
            (_, Some(_)) => Vec::new(),
            (true, None) => wide,
            (false, None) => only.into_iter().collect(),
        };
        Self { id, prompt, model, texts, is_wide }
    }
}

/// Whether a table has the answers of models.
pub(super) fn are_in(sample: &Sample) -> bool {
    !Columns::of(sample).texts.is_empty()
}

impl TextOutputs {
    /// Adds the answers in a table, or the prompts in a table of ids and prompts. Answers are those of the file's name where the table
    /// names no model. Comparisons of answers are left out.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn add(&mut self, path: &Path) -> Result<(), ImportError> {
        let sample = Sample::whole(path)?;
        let columns = Columns::of(&sample);
        if !columns.texts.is_empty() {
            let file = path.file_stem().unwrap_or_default().to_string_lossy();
            self.add_answers(&sample, &columns, &file);
        } else if let (Some(id), Some(prompt)) = (columns.id, columns.prompt) {
            let row = |row: &Vec<String>| (row[id].clone(), in_turns(&row[prompt]));
            self.prompts.extend(sample.rows().iter().map(row));
        }
        Ok(())
    }

    fn add_answers(&mut self, sample: &Sample, columns: &Columns, file: &str) {
        // A model's second answer to one question is another item.
        let mut times: HashMap<(String, String), usize> = HashMap::new();
        for row in sample.rows() {
            let id = columns.id.map(|id| row[id].clone()).unwrap_or_default();
            let prompt = columns.prompt.map(|prompt| in_turns(&row[prompt])).unwrap_or_default();
            let key = if id.is_empty() { &prompt } else { &id };
            for &place in columns.texts.iter().filter(|&&place| !row[place].trim().is_empty()) {
                let model = match columns.model {
                    _ if columns.is_wide => &sample.headers[place],
                    Some(model) if !row[model].is_empty() => &row[model],
                    _ => file,
                };
                let time = times.entry((model.to_owned(), key.clone())).or_default();
                let item = *self.places.entry((key.clone(), *time)).or_insert_with(|| {
                    self.items.push([id.clone(), prompt.clone()]);
                    self.items.len() - 1
                });
                *time += 1;
                self.models.entry(model.to_owned()).or_default().insert(item, in_turns(&row[place]));
            }
        }
    }

    /// The items in the order of the tables. They are named by their ids, if these are numbers or one word with numbers, and else by
    /// their places from 1 on.
    #[must_use]
    pub fn items(&self) -> Vec<TextItem> {
        let stem = |id: &str| id.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
        let ids: BTreeSet<&str> = self.items.iter().map(|[id, _]| id.as_str()).collect();
        let is_plain = |id: &&str| {
            id.len() > stem(id).len() && id.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
        };
        let stems: BTreeSet<String> = ids.iter().map(|id| stem(id)).collect();
        let are_names = ids.len() == self.items.len() && stems.len() == 1 && ids.iter().all(is_plain);
        let width = self.items.len().to_string().len();
        let item = |(place, [id, prompt]): (usize, &[String; 2])| TextItem {
            name: if are_names { id.clone() } else { format!("{:0width$}", place + 1) },
            prompt: match prompt.is_empty() {
                true => self.prompts.get(id).cloned().unwrap_or_default(),
                false => prompt.clone(),
            },
            id: id.clone(),
        };
        self.items.iter().enumerate().map(item).collect()
    }
}

/// The text of a cell, or those of the turns of a conversation: a list of texts, or MT-Bench's list of choices with `turns`.
fn in_turns(cell: &str) -> String {
    let text = || cell.trim().to_owned();
    let Ok(Value::Array(list)) = serde_json::from_str::<Value>(cell) else { return text() };
    let turns = match list.first().and_then(|choice| choice.get("turns")) {
        Some(Value::Array(turns)) => turns,
        _ => &list,
    };
    let turns: Option<Vec<&str>> = turns.iter().map(Value::as_str).collect();
    turns.filter(|turns| !turns.is_empty()).map_or_else(text, |turns| turns.join(BETWEEN_TURNS))
}
