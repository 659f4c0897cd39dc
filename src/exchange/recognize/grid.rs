//! Answers in several columns: a matrix, numbered votes, and one row for each person.

use std::collections::BTreeSet;

use hype_tables::number_of;

use super::draft::Draft;
use super::roles::{Roles, folded};
use super::sample::Sample;
use super::tables::names_of_rows;

/// Numbers without a header.
pub(super) fn matrix(sample: &Sample) -> Option<Draft> {
    let places = 0..sample.headers.len();
    let is_matrix = sample.headers.len() > 1
        && sample.headers.iter().all(|header| number_of(header).is_some())
        && places.into_iter().all(|place| sample.is_number(place) || sample.cells(place).next().is_none());
    if !is_matrix {
        return None;
    }
    let mut draft = Draft::new("a matrix of numbers without a header", "csv");
    draft.flag("--no-header");
    draft.ask(
        "--columns",
        "{rater} or {item}",
        "what the columns are: --columns '{rater}' if each is a rater and each row an item, --columns '{item}' the other way round",
    );
    draft.ask("--model-name", "NAME", "the model of all rows: --model-name NAME");
    Some(draft)
}

/// Words in the headers of answers by persons, and those of answers by unnamed raters.
const PERSONS: [&str; 12] = [
    "rater",
    "annotator",
    "judge",
    "worker",
    "subject",
    "participant",
    "user",
    "expert",
    "observer",
    "evaluator",
    "person",
    "r",
];
const VOTES: [&str; 10] =
    ["vote", "answer", "score", "rating", "label", "response", "judgment", "judgement", "v", "human"];

/// One row for each item, with numbered columns of answers.
pub(super) fn votes(sample: &Sample) -> Option<Draft> {
    let mut prefixes: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, header) in sample.headers.iter().enumerate() {
        let prefix = header.trim_end_matches(|letter: char| letter.is_ascii_digit());
        if prefix.len() == header.len() || sample.cells(place).next().is_none() {
            continue;
        }
        match prefixes.iter_mut().find(|(known, _)| *known == prefix) {
            Some((_, places)) => places.push(place),
            None => prefixes.push((prefix, vec![place])),
        }
    }
    let word_of = |prefix: &str| folded(prefix).rsplit('_').next().unwrap_or_default().to_owned();
    let is_known = |prefix: &str| {
        let word = word_of(prefix);
        PERSONS.contains(&&*word) || VOTES.contains(&&*word)
    };
    let (prefix, places) =
        prefixes.into_iter().find(|(prefix, places)| places.len() > 1 && is_known(prefix))?;
    let what = if PERSONS.contains(&&*word_of(prefix)) { "rater" } else { "vote" };
    // A row that names its rater has answers to several questions.
    let is_of_one = |rater: usize| what == "vote" && !sample.has_lists(rater);
    if Roles::find(sample, &places).rater.is_some_and(is_of_one) {
        return None;
    }
    let mut draft = Draft::new("a table with the answers to each row in numbered columns", "csv");
    names_of_rows(sample, &places, &mut draft);
    draft.set("--columns", format!("{prefix}{{{what}}}"));
    let is_number = places.iter().all(|&place| sample.is_number(place));
    if !is_number {
        let texts: BTreeSet<&str> = places.iter().flat_map(|&place| sample.distinct(place)).collect();
        let texts: Vec<&str> = texts.into_iter().take(8).collect();
        draft.ask(
            "--options",
            "FIRST|SECOND|…",
            format!("the order of the answers ({}): --options 'WORST|…|BEST'", texts.join(", ")),
        );
    }
    Some(draft)
}

/// Separators of the item and the model in the name of a column.
const SEPARATORS: [&str; 8] = ["__", " - ", "_", "-", " | ", "/", ":", " "];

/// One row for each person, with a column for each image of each model.
pub(super) fn survey(sample: &Sample) -> Option<Draft> {
    let Roles { rater, model: None, .. } = Roles::find(sample, &[]) else { return None };
    let free = |place: &usize| Some(*place) != rater && sample.cells(*place).next().is_some();
    let headers: Vec<&str> =
        (0..sample.headers.len()).filter(free).map(|place| sample.headers[place].as_str()).collect();
    let (start, end, separator, first, second) = grid(&headers)?;
    let mut draft = Draft::new("a survey with one row for each person", "csv");
    if let Some(rater) = rater {
        draft.set("--rater", sample.headers[rater].as_str());
    }
    let pattern = |one: &str, other: &str| format!("{start}{{{one}}}{separator}{{{other}}}{end}");
    let has_others = headers.iter().any(|header| {
        cut(header, &start, &end, separator)
            .is_some_and(|(one, other)| !(first.contains(one) && second.contains(other)))
    });
    // Other columns are written in the same way: the models are named.
    let model = |names: &BTreeSet<&str>| match has_others {
        true => format!("model:{}", names.iter().copied().collect::<Vec<_>>().join("|")),
        false => "model".to_owned(),
    };
    let listed = |names: &BTreeSet<&str>| names.iter().copied().take(4).collect::<Vec<_>>().join(", ");
    match (is_numbered(&first), is_numbered(&second)) {
        (true, false) => draft.set("--columns", pattern("item", &model(&second))),
        (false, true) => draft.set("--columns", pattern(&model(&first), "item")),
        _ => draft.ask(
            "--columns",
            &pattern("item", "model"),
            format!(
                "which part of the columns is the model ({}; or {}): --columns '{}' or '{}'",
                listed(&first),
                listed(&second),
                pattern("item", "model"),
                pattern("model", "item")
            ),
        ),
    }
    let columns: Vec<usize> = sample
        .headers
        .iter()
        .enumerate()
        .filter(|(_, header)| {
            cut(header, &start, &end, separator)
                .is_some_and(|(one, other)| first.contains(one) && second.contains(other))
        })
        .map(|(place, _)| place)
        .collect();
    if !columns.iter().all(|&place| sample.is_number(place)) {
        let texts: BTreeSet<&str> = columns.iter().flat_map(|&place| sample.distinct(place)).collect();
        let texts: Vec<&str> = texts.into_iter().take(8).collect();
        draft.ask(
            "--options",
            "FIRST|SECOND|…",
            format!("the order of the answers ({}): --options 'WORST|…|BEST'", texts.join(", ")),
        );
    }
    without_previews(sample, &mut draft);
    Some(draft)
}

/// Leaves out the previews, the tests and the unfinished answers of a survey by Qualtrics, by their texts or codes.
fn without_previews(sample: &Sample, draft: &mut Draft) {
    let (Some(status), Some(finished), Some(_)) =
        (sample.place("Status"), sample.place("Finished"), sample.place("ResponseId"))
    else {
        return;
    };
    let there = |place: usize, words: &[&'static str]| -> Vec<&'static str> {
        let cells = sample.distinct(place);
        words.iter().copied().filter(|word| cells.contains(word)).collect()
    };
    let not_people = there(status, &["Survey Preview", "Survey Test", "Spam", "1", "2", "8"]);
    if !not_people.is_empty() {
        draft.set("--where", format!("Status!={}", not_people.join("|")));
    }
    if !there(finished, &["False", "FALSE", "0"]).is_empty() {
        let done = there(finished, &["True", "TRUE", "1"]);
        draft.set("--where", format!("Finished={}", done.first().unwrap_or(&"True")));
    }
}

/// Whether names are one text with numbers, as `img01` and `img02`.
fn is_numbered(names: &BTreeSet<&str>) -> bool {
    let stems: BTreeSet<&str> =
        names.iter().map(|name| name.trim_end_matches(|letter: char| letter.is_ascii_digit())).collect();
    stems.len() == 1 && stems.first().is_some_and(|stem| names.iter().all(|name| name.len() > stem.len()))
}

/// The two names in a header.
fn cut<'h>(header: &'h str, start: &str, end: &str, separator: &str) -> Option<(&'h str, &'h str)> {
    let inner = header.strip_prefix(start)?.strip_suffix(end)?;
    let (first, second) = inner.split_once(separator)?;
    let is_unique = !second.contains(separator) && !first.is_empty() && !second.is_empty();
    is_unique.then_some((first, second))
}

/// The text before, after and between two names in headers that are all pairs of them, and the names.
type Grid<'h> = (String, String, &'static str, BTreeSet<&'h str>, BTreeSet<&'h str>);

fn grid<'h>(headers: &[&'h str]) -> Option<Grid<'h>> {
    // Questions repeat their text before a bracket: `How real? [sdxl - 01]`.
    let bracketed = headers.iter().find_map(|header| Some(header.split_once('[')?.0.to_owned()));
    let frames = bracketed
        .map(|text| (format!("{text}["), "]".to_owned()))
        .into_iter()
        .chain([(String::new(), String::new())]);
    for (start, end) in frames {
        for separator in SEPARATORS {
            let all: Vec<(&str, &str)> =
                headers.iter().filter_map(|header| cut(header, &start, &end, separator)).collect();
            // A column whose two names no other has is another question.
            let is_shared = |pair: &&(&str, &str)| {
                all.iter().any(|other| other != *pair && (other.0 == pair.0 || other.1 == pair.1))
            };
            let pairs: Vec<(&str, &str)> = all.iter().filter(is_shared).copied().collect();
            let first: BTreeSet<&str> = pairs.iter().map(|pair| pair.0).collect();
            let second: BTreeSet<&str> = pairs.iter().map(|pair| pair.1).collect();
            let all: BTreeSet<_> = pairs.iter().collect();
            if first.len() > 1 && second.len() > 1 && all.len() == first.len() * second.len() {
                return Some((start, end, separator, first, second));
            }
        }
    }
    None
}
