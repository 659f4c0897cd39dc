//! The files of programs and platforms that collect ratings.

use hype_core::words::listed;
use std::collections::BTreeSet;

use super::draft::Draft;
use super::roles::{Roles, ask_model, column, folded, folders};
use super::sample::Sample;
use super::tables::{answers, comparisons, comparisons_in};

/// A batch of Mechanical Turk.
pub(super) fn mechanical_turk(sample: &Sample) -> Option<Draft> {
    if !sample.has(&["AssignmentId", "WorkerId", "AssignmentStatus"]) {
        return None;
    }
    if let Some(mut draft) = comparisons_in(sample, ["input_", "answer_"]) {
        draft.set("--where", "AssignmentStatus!=Rejected");
        return Some(draft);
    }
    let mut draft = Draft::new("a batch of Mechanical Turk", "mturk-csv");
    let inputs = || (0..sample.headers.len()).filter(|&place| sample.headers[place].starts_with("Input."));
    let named = |word: &str| {
        inputs().find(|&place| sample.headers[place]["Input.".len()..].to_lowercase().contains(word))
    };
    let header = |place: usize| sample.headers[place].as_str();
    let paths: Vec<usize> = inputs().filter(|&place| folders(sample, place).is_some()).collect();
    let item = paths
        .first()
        .copied()
        .or_else(|| ["image", "item", "prompt", "url", "id"].into_iter().find_map(named));
    match (["model", "system", "method"].into_iter().find_map(named), paths.first()) {
        (Some(model), _) => draft.set("--model", header(model)),
        (None, Some(&path)) => draft.set("--model-folder", header(path)),
        (None, None) => {
            let known: Vec<&str> = inputs().map(header).collect();
            draft.ask(
                "--model",
                "COLUMN",
                format!(
                    "the model: --model COLUMN or --model-folder COLUMN of a path (of {}), or --model-name NAME",
                    listed(&known)
                ),
            );
        }
    }
    if let Some(item) = item {
        draft.set("--item", header(item));
    }
    let mut names: Vec<String> = Vec::new();
    for (place, header) in sample.headers.iter().enumerate() {
        let Some(name) = header.strip_prefix("Answer.") else { continue };
        if name == "taskAnswers" {
            names.extend(task_answers(sample, place));
            continue;
        }
        let name = name.strip_suffix(".on").unwrap_or(name);
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let name = stem.strip_suffix('.').filter(|_| stem.len() < name.len()).unwrap_or(name);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let is_remark = |name: &&String| {
        ["comment", "remark", "feedback", "suggestion"].iter().any(|word| name.to_lowercase().contains(word))
    };
    for name in names.iter().filter(|name| names.len() == 1 || !is_remark(name)) {
        let place = sample.place(&format!("Answer.{name}"));
        match place.filter(|&place| sample.cells(place).next().is_some() && !sample.is_number(place)) {
            None => draft.set("--answer", name.as_str()),
            Some(place) => {
                let texts: Vec<&str> = sample.distinct(place).into_iter().take(8).collect();
                draft.set("--answer", name.as_str());
                draft.ask(
                    "--options",
                    &format!("{name}=FIRST|SECOND|…"),
                    format!(
                        "the order of the answers to `{name}` ({}): --options '{name}=WORST|…|BEST', or no --answer {name} if it is \
                         a remark",
                        listed(&texts)
                    ),
                );
            }
        }
    }
    Some(draft)
}

/// The names of the answers in a cell of a form of Crowd HTML Elements.
fn task_answers(sample: &Sample, place: usize) -> Vec<String> {
    let first = sample.cells(place).next().unwrap_or_default();
    let fields = match serde_json::from_str::<serde_json::Value>(first) {
        Ok(serde_json::Value::Array(list)) => list.into_iter().next(),
        other => other.ok(),
    };
    let fields = fields.as_ref().and_then(serde_json::Value::as_object);
    fields.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}

/// One of ImagenHub's tables, whose cells are `[SC, PQ]`.
pub(super) fn imagenhub(sample: &Sample) -> Option<Draft> {
    let is_pair = |cell: &str| {
        let inner = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']'));
        inner.is_some_and(|inner| {
            let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
            parts.len() == 2 && parts.iter().all(|part| part.parse::<f64>().is_ok())
        })
    };
    let pairs = (1..sample.headers.len()).filter(|&place| sample.all(place, is_pair)).count();
    let first = sample.headers.first().map(|header| header.to_lowercase());
    (pairs > 1 && first.is_some_and(|first| first == "uid"))
        .then(|| Draft::new("a table of ImagenHub, named after its rater", "imagenhub").of_folders())
}

/// Rankings of several candidates in each row.
pub(super) fn rankings(sample: &Sample) -> Option<Draft> {
    let is_list = |place: usize, is: fn(&serde_json::Value) -> bool| {
        sample.all(place, |cell| {
            serde_json::from_str::<Vec<serde_json::Value>>(cell)
                .is_ok_and(|list| list.len() > 1 && list.iter().all(is))
        })
    };
    (!sample.has_own_header).then_some(())?;
    let places = 0..sample.headers.len();
    let lists = |is: fn(&serde_json::Value) -> bool| places.clone().filter(move |&place| is_list(place, is));
    let candidates = lists(serde_json::Value::is_string).next()?;
    let is_rank = |value: &serde_json::Value| {
        value.is_u64() || value.as_array().is_some_and(|list| list.iter().all(serde_json::Value::is_u64))
    };
    // A preference is higher for what is better.
    let mut ranks = lists(is_rank).filter(|&place| !folded(&sample.headers[place]).contains("preference"));
    let ranks = ranks.next()?;
    let mut draft = Draft::new("a list of rankings", "ranking-json");
    let roles = Roles::find(sample, &[candidates, ranks]);
    let header = |place: usize| sample.headers[place].as_str();
    let item = column(sample, &["id", "item", "item_id", "prompt_id", "prompt"], &[candidates, ranks])
        .or(roles.item);
    match item {
        Some(item) => draft.set("--item", header(item)),
        None => draft.ask("--item", "FIELD", "the item: --item FIELD"),
    }
    draft.set("--candidates", header(candidates));
    draft.set("--ranks", header(ranks));
    if let Some(rater) = roles.rater {
        draft.set("--rater", header(rater));
    }
    let all: Vec<Vec<String>> =
        sample.cells(candidates).filter_map(|cell| serde_json::from_str(cell).ok()).collect();
    let are_few = |name: fn(&str) -> &str| {
        let names: BTreeSet<&str> = all.iter().flatten().map(|text| name(text)).collect();
        let is_unique = |list: &Vec<String>| {
            let own: BTreeSet<&str> = list.iter().map(|text| name(text)).collect();
            own.len() == list.len() && !own.contains("")
        };
        all.iter().all(is_unique) && names.len() * 2 <= all.iter().flatten().count()
    };
    if are_few(|path| path.rsplit('/').nth(1).unwrap_or_default()) {
        draft.flag("--model-folder");
    } else if !are_few(|name| name) {
        draft.wonder(
            "the models: the candidates are images whose names and folders name none, and models cannot be compared unless \
             another field names them (--candidates FIELD)",
        );
    }
    Some(draft)
}

/// HEIM's released answers.
pub(super) fn heim(sample: &Sample) -> Option<Draft> {
    sample
        .has(&["image_path", "human_annotations"])
        .then(|| Draft::new("answers as HEIM released them", "heim-jsonl"))
}

/// Results of webMUSHRA.
pub(super) fn webmushra(sample: &Sample) -> Option<Draft> {
    if !sample.has(&["session_uuid", "trial_id"]) {
        return None;
    }
    let mut draft = Draft::new("results of webMUSHRA", "csv");
    draft.set("--rater", "session_uuid");
    draft.set("--item", "trial_id");
    if sample.has(&["rating_stimulus", "rating_score"]) {
        draft.set("--model", "rating_stimulus");
        draft.set("--value", "rating_score");
    } else if sample.has(&["choice_reference", "choice_non_reference", "choice_answer"]) {
        draft.set("--model", "choice_reference");
        draft.set("--against", "choice_non_reference");
        draft.set("--winner", "choice_answer");
    } else if sample.has(&["stimuli", "stimuli_rating"]) {
        draft.set("--model", "stimuli");
        draft.set("--value", "stimuli_rating");
        draft.flag("--lists");
    } else {
        return None;
    }
    Some(draft)
}

/// Data of jsPsych.
pub(super) fn jspsych(sample: &Sample) -> Option<Draft> {
    if !sample.has(&["trial_type", "trial_index", "response"]) {
        return None;
    }
    let mut draft = Draft::new("data of jsPsych", "csv");
    let place = |header: &str| sample.place(header);
    // Trials without an image, such as questionnaires before and after, are not judgments.
    let type_place = place("trial_type")?;
    let shows_image = |kind: &&str| {
        let of_kind = sample.only(|row| row[type_place] == **kind);
        place("stimulus").is_some_and(|stimulus| of_kind.is_path(stimulus))
    };
    let judged: Vec<&str> = sample.distinct(type_place).into_iter().filter(shows_image).collect();
    let ids = [
        "participant_id",
        "participant",
        "subject_id",
        "subject",
        "PROLIFIC_PID",
        "workerId",
        "worker_id",
        "run_id",
    ];
    match ids.into_iter().find(|id| place(id).is_some_and(|place| sample.cells(place).next().is_some())) {
        Some(id) => draft.set("--rater", id),
        None => draft = draft.of_one_rater(),
    }
    let model = column(sample, &["model", "system", "method", "condition"], &[]);
    let pattern = place("stimulus").and_then(|stimulus| pattern_of_rows(sample, stimulus));
    match (model, pattern) {
        (Some(model), _) => {
            draft.set("--model", sample.headers[model].as_str());
            let item = column(sample, &["item", "item_id", "image_id", "prompt", "stimulus"], &[model]);
            if let Some(item) = item {
                draft.set("--item", sample.headers[item].as_str());
            }
        }
        (None, Some(pattern)) => draft.set("--parts", format!("stimulus={pattern}")),
        (None, None) => ask_model(sample, &mut draft),
    }
    draft.set("--value", "response");
    if judged.is_empty() {
        let known: Vec<&str> = sample.distinct(type_place).into_iter().collect();
        draft.ask(
            "--where",
            "trial_type=TYPE",
            format!("the trials that are judgments: --where trial_type=TYPE (of {})", listed(&known)),
        );
    } else {
        draft.set("--where", format!("trial_type={}", judged.join("|")));
    }
    Some(draft)
}

/// The pattern of the paths among the cells of a column.
fn pattern_of_rows(sample: &Sample, place: usize) -> Option<String> {
    let narrowed = sample.only(|row| row[place].contains('/') && !row[place].contains('<'));
    folders(&narrowed, place)
}

/// An export of Label Studio.
pub(super) fn label_studio(sample: &Sample) -> Option<Draft> {
    if !(sample.has(&["annotator"]) && (sample.has(&["annotation_id"]) || sample.has(&["lead_time"]))) {
        return None;
    }
    let own = [
        "annotator",
        "annotation_id",
        "id",
        "task",
        "created_at",
        "updated_at",
        "lead_time",
        "agreement",
        "sentiment",
    ];
    let mut draft = Draft::new("an export of Label Studio", "csv");
    let taken: Vec<usize> = own[..8].iter().filter_map(|header| sample.place(header)).collect();
    let comparison = comparisons(sample);
    if let Some(comparison) = comparison {
        return Some(comparison);
    }
    let rater = sample.place("annotator");
    let roles = Roles { rater, ..Roles::find(sample, &taken) };
    let named = [taken, roles.taken()].concat();
    let is_answer = |place: &usize| {
        !named.contains(place) && !sample.is_path(*place) && (2..=12).contains(&sample.distinct(*place).len())
    };
    let numbers = |place: &usize| sample.is_number(*place) || sample.is_json(*place);
    let free: Vec<usize> = (0..sample.headers.len()).filter(is_answer).collect();
    let numeric: Vec<usize> = free.iter().copied().filter(numbers).collect();
    let found = if numeric.is_empty() { free } else { numeric };
    roles.write(sample, &mut draft);
    if found.is_empty() {
        draft.ask(
            "--value",
            "COLUMN",
            format!("the answers: --value COLUMN (of {})", sample.listed_headers()),
        );
    }
    for &place in &found {
        draft.set("--value", sample.headers[place].as_str());
    }
    answers(sample, &found, &mut draft);
    Some(draft)
}

/// Annotations of Potato.
pub(super) fn potato(sample: &Sample) -> Option<Draft> {
    let schemas: BTreeSet<&str> =
        sample.headers.iter().filter_map(|header| Some(header.split_once(":::")?.0)).collect();
    let has_objects = sample.has(&["label_annotations"]);
    if schemas.is_empty() && !has_objects {
        return None;
    }
    let mut draft = Draft::new("annotations of Potato", "csv");
    let user = column(sample, &["user", "user_id", "annotator"], &[]);
    match user {
        Some(user) => draft.set("--rater", sample.headers[user].as_str()),
        None => draft = draft.of_one_rater(),
    }
    let taken: Vec<usize> = user.into_iter().chain(sample.place("displayed_text")).collect();
    let path = sample.place("displayed_text").filter(|&place| folders(sample, place).is_some());
    let roles = Roles { rater: None, ..Roles::find(sample, &taken) };
    match path {
        Some(item) => Roles { item: Some(item), ..Roles::default() }.write(sample, &mut draft),
        None => roles.write(sample, &mut draft),
    }
    if has_objects {
        draft.set("--value", "label_annotations");
        draft.flag("--lists");
    }
    schemas.iter().for_each(|schema| draft.set("--value", *schema));
    Some(draft)
}
