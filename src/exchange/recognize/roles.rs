//! The columns of names and values, by the words that people use for them.

use std::collections::BTreeSet;

use hype_tables::number_of;

use super::draft::Draft;
use super::sample::{Sample, path_of};

/// The headers of columns of raters, the usual ones first.
const RATERS: [&str; 36] = [
    "rater",
    "rater_id",
    "annotator",
    "annotator_id",
    "participant",
    "participant_id",
    "participantid",
    "subject",
    "subject_id",
    "worker",
    "worker_id",
    "workerid",
    "user",
    "user_id",
    "userid",
    "username",
    "judge",
    "judge_id",
    "voter",
    "voter_id",
    "evaluator",
    "respondent",
    "respondent_id",
    "responseid",
    "response_id",
    "prolific_pid",
    "prolific_id",
    "session_uuid",
    "session_id",
    "assessor",
    "labeler",
    "labeller",
    "coder",
    "observer",
    "person",
    "teilnehmer",
];
/// The headers of columns with a list of raters in each cell.
const LISTS_OF_RATERS: [&str; 3] = ["raters", "annotators", "workers"];
pub(super) const MODELS: [&str; 17] = [
    "model",
    "model_name",
    "model_id",
    "system",
    "system_id",
    "method",
    "generator",
    "algorithm",
    "algo",
    "network",
    "net",
    "architecture",
    "condition",
    "source_model",
    "modell",
    "variant",
    "checkpoint",
];
const ITEMS: [&str; 41] = [
    "item",
    "item_id",
    "prompt_id",
    "question_id",
    "image_id",
    "img_id",
    "task",
    "task_id",
    "trial_id",
    "stimulus_id",
    "instance_id",
    "sample_id",
    "scene",
    "scene_id",
    "prompt",
    "image",
    "img",
    "image_name",
    "image_url",
    "image_path",
    "filename",
    "file_name",
    "file",
    "path",
    "url",
    "stimulus",
    "sample",
    "video",
    "audio",
    "question",
    "caption",
    "text",
    "bild",
    "name",
    "id",
    "uid",
    "idx",
    "index",
    "trial",
    "no",
    "instruction",
];
const VALUES: [&str; 28] = [
    "value",
    "rating",
    "score",
    "rating_score",
    "mos",
    "quality",
    "realism",
    "overall",
    "answer",
    "response",
    "grade",
    "points",
    "stars",
    "likert",
    "wert",
    "note",
    "alignment",
    "aesthetics",
    "aesthetic",
    "fidelity",
    "preference",
    "consistency",
    "naturalness",
    "label",
    "sc",
    "pq",
    "photorealism",
    "coherence",
];
/// Parts of headers of numbers that are not judgments.
const OTHERS: [&str; 29] = [
    "time",
    "rt",
    "seed",
    "date",
    "age",
    "duration",
    "lead",
    "index",
    "order",
    "created",
    "updated",
    "id",
    "width",
    "height",
    "session",
    "std",
    "sd",
    "var",
    "count",
    "trial",
    "batch",
    "timestamp",
    "tstamp",
    "turn",
    "elapsed",
    "version",
    "block",
    "year",
    // The state of a form in REDCap.
    "complete",
];

/// A header in small letters, with `_` for all characters but letters and digits.
pub(super) fn folded(header: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    let text: String = header.trim().to_lowercase().chars().map(letter).collect();
    text.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// The columns whose role is known.
#[derive(Default)]
pub(super) struct Roles {
    pub(super) rater: Option<usize>,
    pub(super) model: Option<usize>,
    pub(super) item: Option<usize>,
    /// The turn of a conversation that the item is about, where several are judged.
    pub(super) turn: Option<usize>,
}

impl Roles {
    pub(super) fn find(sample: &Sample, taken: &[usize]) -> Self {
        let mut taken = taken.to_vec();
        let mut named = |words: &[&str]| {
            let found = column(sample, words, &taken);
            taken.extend(found);
            found
        };
        let rater =
            named(&RATERS).or_else(|| named(&LISTS_OF_RATERS).filter(|&place| sample.has_lists(place)));
        let (model, item) = (named(&MODELS), named(&ITEMS));
        let turn = named(&["turn"]).filter(|&turn| item.is_some() && sample.distinct(turn).len() > 1);
        let mut found = Self { rater, model, item, turn };
        // Without a column of models, the folders of images may name them.
        if found.model.is_none() {
            let path = (0..sample.headers.len()).find(|&place| folders(sample, place).is_some());
            found.item = path.or(found.item);
        }
        found
    }

    pub(super) fn taken(&self) -> Vec<usize> {
        [self.rater, self.model, self.item, self.turn].into_iter().flatten().collect()
    }

    /// Adds the options that name the rater, the model and the item.
    pub(super) fn write(&self, sample: &Sample, draft: &mut Draft) {
        let header = |place: usize| sample.headers[place].as_str();
        if let Some(rater) = self.rater {
            draft.set("--rater", header(rater));
        }
        match (self.model, self.item) {
            (Some(model), _) => {
                draft.set("--model", header(model));
                self.write_item(sample, draft);
            }
            (None, Some(item)) if folders(sample, item).is_some() => {
                let pattern = folders(sample, item).unwrap_or_default();
                draft.set("--parts", format!("{}={pattern}", header(item)));
            }
            (None, _) => {
                self.write_item(sample, draft);
                ask_model(sample, draft);
            }
        }
    }

    /// Adds the columns that name the item.
    pub(super) fn write_item(&self, sample: &Sample, draft: &mut Draft) {
        for place in self.item.into_iter().chain(self.turn) {
            draft.set("--item", sample.headers[place].as_str());
        }
    }
}

/// Asks which column names the model.
pub(super) fn ask_model(sample: &Sample, draft: &mut Draft) {
    draft.ask(
        "--model",
        "COLUMN",
        format!(
            "the model: --model COLUMN (of {}), --model-name NAME if all rows are about one, --parts 'COLUMN=*/{{model}}/{{item}}' if a \
             path names it, or --columns '{{item}}_{{model}}' if columns do",
            sample.listed_headers()
        ),
    );
}

/// The column with the first of some words as its header.
pub(super) fn column(sample: &Sample, words: &[&str], taken: &[usize]) -> Option<usize> {
    let headers: Vec<String> = sample.headers.iter().map(|header| folded(header)).collect();
    words
        .iter()
        .find_map(|word| (0..headers.len()).find(|place| headers[*place] == *word && !taken.contains(place)))
}

/// The pattern of a column of paths whose folders are named after models: two or more, each with several images.
pub(super) fn folders(sample: &Sample, place: usize) -> Option<String> {
    pattern_of(sample, place, "{model}")
}

/// As [`folders`], with the placeholder for the folder.
pub(super) fn pattern_of(sample: &Sample, place: usize, folder: &str) -> Option<String> {
    if !sample.is_path(place) {
        return None;
    }
    let cells = || sample.cells(place).map(|cell| path_of(cell).replace('\\', "/"));
    let mut names: Vec<String> =
        cells().map(|cell| cell.rsplit('/').nth(1).map(str::to_owned)).collect::<Option<_>>()?;
    let count = names.len();
    names.sort();
    names.dedup();
    if names.len() < 2 || 2 * names.len() > count {
        return None;
    }
    let is_deep = |cell: &String| cell.matches('/').count() > 1;
    let start = match (cells().all(|cell| is_deep(&cell)), cells().any(|cell| is_deep(&cell))) {
        (true, _) => "*/",
        (false, false) => "",
        _ => return None,
    };
    let endings: BTreeSet<String> =
        cells().filter_map(|cell| Some(cell.rsplit_once('.')?.1.to_owned())).collect();
    let ending = match (endings.len(), endings.first()) {
        (1, Some(only)) => format!(".{only}"),
        _ => String::new(),
    };
    let added = match sample.cells(place).any(|cell| path_of(cell) != cell) {
        true if sample.all(place, |cell| cell[path_of(cell).len()..].starts_with('?')) => "?*",
        true => "*",
        false => "",
    };
    let pattern = format!("{start}{folder}/{{item}}{ending}{added}");
    let is_of_windows = sample.all(place, |cell| cell.contains('\\') && !cell.contains('/'));
    Some(if is_of_windows { pattern.replace('/', "\\") } else { pattern })
}

/// Whether a header is one of those that values usually have.
pub(super) fn is_value(header: &str) -> bool {
    VALUES.contains(&&*folded(header))
}

/// The columns of values: those with usual headers, or else numbers that may be ratings.
pub(super) fn values(sample: &Sample, taken: &[usize]) -> Vec<usize> {
    let free: Vec<usize> = (0..sample.headers.len()).filter(|place| !taken.contains(place)).collect();
    let is_rating = |place: &usize| {
        !sample.headers[*place].is_empty()
            && (sample.is_number(*place) || sample.is_list(*place))
            && !folded(&sample.headers[*place]).split('_').any(|word| OTHERS.contains(&word))
            && sample.distinct(*place).len() <= 101.max(sample.len() / 4)
    };
    let numbers: Vec<usize> = free.iter().copied().filter(is_rating).collect();
    let named: Vec<usize> = free.iter().copied().filter(|&place| is_value(&sample.headers[place])).collect();
    if named.is_empty() {
        return numbers;
    }
    if !named.iter().all(|place| numbers.contains(place)) {
        return named;
    }
    // Other numbers of the same range are ratings too.
    let range = |place: usize| {
        let numbers = sample.cells(place).filter_map(number_of);
        numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
            (least.min(number), most.max(number))
        })
    };
    let (least, most) = named
        .iter()
        .map(|&place| range(place))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (low, high)| {
            (least.min(low), most.max(high))
        });
    let fits = |&place: &usize| {
        let (low, high) = range(place);
        named.contains(&place) || (low >= least && high <= most)
    };
    numbers.into_iter().filter(fits).collect()
}
