//! Tables of ratings, of comparisons, and of lists of votes.

use std::collections::BTreeSet;

use hype_core::words::{cut, listed};
use hype_tables::number_of;

use super::draft::Draft;
use super::roles::{Roles, ask_model, column, folded, folders, is_value, pattern_of, values};
use super::sample::Sample;
use crate::exchange::answer::has_thousands;
use crate::exchange::lists::parts;

/// The headers of the two sides of comparisons.
const SIDES: [[&str; 2]; 23] = [
    ["model_a", "model_b"],
    ["modela", "modelb"],
    ["model_1", "model_2"],
    ["model1", "model2"],
    ["model_0", "model_1"],
    ["left_model", "right_model"],
    ["model_left", "model_right"],
    ["generator_1", "generator_2"],
    ["system_a", "system_b"],
    ["system_1", "system_2"],
    ["method_a", "method_b"],
    ["method_1", "method_2"],
    ["method1", "method2"],
    ["model", "against"],
    ["model", "other"],
    ["left", "right"],
    ["first", "second"],
    ["a", "b"],
    ["left_image", "right_image"],
    ["image_left", "image_right"],
    ["image_a", "image_b"],
    ["image1", "image2"],
    ["image_0", "image_1"],
];
const WINNERS: [&str; 20] = [
    "winner",
    "preference",
    "preferred",
    "choice",
    "chosen",
    "vote",
    "better",
    "outcome",
    "result",
    "answer",
    "response",
    "judgment",
    "judgement",
    "verdict",
    "selected",
    "selection",
    "label",
    "label_0",
    "pairwise",
    "pw",
];
/// The labels of ties.
const TIES: [&str; 18] = [
    "tie",
    "ties",
    "both",
    "equal",
    "neither",
    "same",
    "draw",
    "none",
    "tie (bothbad)",
    "tievote",
    "bothbad_vote",
    "both bad",
    "bothbad",
    "both good",
    "both_bad",
    "both_good",
    "no preference",
    "equally good",
];

/// One row for each comparison of two models.
pub(super) fn comparisons(sample: &Sample) -> Option<Draft> {
    comparisons_in(sample, ["", ""])
}

/// As [`comparisons`], where the headers of sides, and those of winners, begin with a text.
pub(super) fn comparisons_in(sample: &Sample, [of_sides, of_winners]: [&str; 2]) -> Option<Draft> {
    let side = |name: &str| column(sample, &[&format!("{of_sides}{name}")], &[]);
    let (first, second) = SIDES.iter().find_map(|[a, b]| side(a).zip(side(b)))?;
    let named = |name: &&str| column(sample, &[&format!("{of_winners}{name}")], &[first, second]);
    let mut draft = Draft::new("a table of comparisons, one a row", "csv");
    let header = |place: usize| sample.headers[place].as_str();
    let Some(winner) = WINNERS.iter().find_map(named).or_else(|| verdicts(sample).first().copied()) else {
        let of_side = |place: usize| side(&format!("winner_{}", folded(header(place))));
        let Some((one, other)) = of_side(first).zip(of_side(second)) else {
            let has_values = column(sample, &["value"], &[]).is_some();
            return if has_values { None } else { asking_winner(sample, draft, first, second) };
        };
        names_of_sides(sample, first, second, &[one, other], &mut draft);
        let all: Vec<&str> =
            [Some(one), Some(other), side("winner_tie")].into_iter().flatten().map(header).collect();
        draft.set("--winner", all.join("|"));
        return Some(draft);
    };
    names_of_sides(sample, first, second, &[winner], &mut draft);
    let mut winners = verdicts(sample);
    match &winners[..] {
        [one, other, ..] if *one == winner => {
            let question =
                format!("which verdict counts, `{}` or `{}`: --winner COLUMN", header(*one), header(*other));
            draft.ask("--winner", "COLUMN", question);
        }
        _ => {
            draft.set("--winner", header(winner));
            winners = vec![winner];
        }
    }
    labels(sample, [first, second], &winners, &mut draft);
    Some(draft)
}

/// The winners by several verdicts of one judge, such as `g1_winner` and `g2_winner` of MT-Bench, who saw the sides in both orders.
fn verdicts(sample: &Sample) -> Vec<usize> {
    let is_verdict = |place: &usize| folded(&sample.headers[*place]).ends_with("_winner");
    (0..sample.headers.len()).filter(is_verdict).collect()
}

/// Adds the options that name the rater, the models and the item of comparisons.
fn names_of_sides(sample: &Sample, first: usize, second: usize, winners: &[usize], draft: &mut Draft) {
    let header = |place: usize| sample.headers[place].as_str();
    let roles = Roles::find(sample, &[&[first, second], winners].concat());
    if let Some(rater) = roles.rater {
        draft.set("--rater", header(rater));
    }
    let paths = [(first, "{model}"), (second, "{against}")]
        .map(|(place, folder)| Some((place, pattern_of(sample, place, folder)?)));
    let mut item_is_named = false;
    if let [Some((a, of_a)), Some((b, of_b))] = paths {
        draft.set("--parts", format!("{}={of_a}", header(a)));
        draft.set("--parts", format!("{}={of_b}", header(b)));
        item_is_named = true;
    } else if sample.is_path(first) {
        draft.ask(
            "--parts",
            &format!("{}=PATTERN", header(first)),
            format!(
                "how the paths name the models: --parts '{}=*/{{model}}/{{item}}' and so on",
                header(first)
            ),
        );
        draft.set("--parts", format!("{}=PATTERN", header(second)));
        item_is_named = true;
    } else {
        draft.set("--model", header(first));
        draft.set("--against", header(second));
    }
    if !item_is_named {
        roles.write_item(sample, draft);
    }
}

fn asking_winner(sample: &Sample, mut draft: Draft, first: usize, second: usize) -> Option<Draft> {
    let text = |place: usize| !sample.is_number(place) && sample.distinct(place).len() >= 2;
    // Two columns of numbers named `a` and `b` are not models.
    if !(text(first) && text(second)) {
        return None;
    }
    draft.set("--model", sample.headers[first].as_str());
    draft.set("--against", sample.headers[second].as_str());
    draft.ask("--winner", "COLUMN", format!("the winner: --winner COLUMN (of {})", sample.listed_headers()));
    Some(draft)
}

/// Finds the meaning of the winner's cells, in one column or in all that may be chosen.
fn labels(sample: &Sample, [first, second]: [usize; 2], winners: &[usize], draft: &mut Draft) {
    let winner = winners[0];
    let is_json = sample.is_json(winner);
    if is_json {
        draft.flag("--lists");
    }
    let unpacked = |cell: &str| match parts(cell) {
        Ok(parts) if is_json && parts.len() == 1 => parts[0].text.clone(),
        _ => cell.to_owned(),
    };
    let cells: BTreeSet<String> =
        winners.iter().flat_map(|&place| sample.cells(place)).map(unpacked).collect();
    let cells: BTreeSet<&str> = cells.iter().map(String::as_str).collect();
    let models: BTreeSet<&str> = sample.distinct(first).union(&sample.distinct(second)).copied().collect();
    let usual = ["a", "b", "model_a", "model_b", "tie", "same", "draw"];
    let is_usual = |cell: &&str| usual.contains(&&*cell.to_lowercase()) || models.contains(*cell);
    if cells.iter().all(is_usual) {
        return;
    }
    let is_tie = |cell: &&str| TIES.contains(&&*cell.to_lowercase());
    let ties: Vec<&str> = cells.iter().copied().filter(is_tie).collect();
    let others: Vec<&str> = cells.iter().copied().filter(|cell| !is_tie(cell)).collect();
    let lower: Vec<String> = others.iter().map(|cell| cell.trim_end_matches(".0").to_lowercase()).collect();
    let of_side = |names: &[&str]| lower.iter().position(|cell| names.contains(&&**cell));
    let headers =
        [first, second].map(|place| sample.headers[place].trim_start_matches("Input.").to_lowercase());
    let [first_header, second_header] = headers.each_ref().map(String::as_str);
    let sides = [
        (
            [first_header, "left", "leftvote", "first", "model 1", "model1", "image 1", "option 1", "l"],
            [second_header, "right", "rightvote", "second", "model 2", "model2", "image 2", "option 2", "r"],
        ),
        (["1"; 9], ["2"; 9]),
    ];
    let are_halves = |[one, tie, other]: [&str; 3]| {
        lower.iter().all(|cell| [one, tie, other].contains(&&**cell)) && of_side(&[tie]).is_some()
    };
    let found = sides.iter().find_map(|(one, other)| of_side(one).zip(of_side(other)));
    let name_ties = |draft: &mut Draft| {
        if !ties.iter().all(is_usual) {
            ties.iter().for_each(|tie| draft.set("--tie", *tie));
        }
    };
    match found {
        _ if others.iter().all(is_usual) => name_ties(draft),
        Some((one, other)) if others.len() == 2 => {
            draft.set("--first", others[one]);
            draft.set("--second", others[other]);
            name_ties(draft);
        }
        _ if are_halves(["1", "0.5", "0"]) || are_halves(["1", "1.5", "2"]) => {
            let [one, tie, other] =
                if are_halves(["1", "0.5", "0"]) { ["1", "0.5", "0"] } else { ["1", "1.5", "2"] };
            draft.set("--first", one);
            draft.set("--second", other);
            draft.set("--tie", tie);
        }
        _ => {
            draft.ask(
                "--first",
                "LABEL",
                format!(
                    "what `{}` means ({}): --first LABEL if `{}` won, --second LABEL, and --tie LABEL",
                    sample.headers[winner],
                    listed(cells.iter().copied()),
                    sample.headers[first]
                ),
            );
            draft.set("--second", "LABEL");
        }
    }
}

/// One row for each value, or one column for each measure.
pub(super) fn ratings(sample: &Sample) -> Option<Draft> {
    let measure =
        column(sample, &["measure", "criterion", "aspect", "question_name", "metric", "dimension"], &[]);
    let against = column(sample, &["against"], &[]);
    let block = column(sample, &["block"], &[]);
    let fixed: Vec<usize> = [measure, against, block].into_iter().flatten().collect();
    let roles = Roles::find(sample, &fixed);
    let taken = [roles.taken(), fixed].concat();
    let mut found = values(sample, &taken);
    let value = found.iter().copied().find(|place| folded(&sample.headers[*place]) == "value");
    if let (Some(_), Some(value)) = (measure, value.or(found.first().copied())) {
        found = vec![value];
    }
    let is_plausible = roles.model.is_some()
        || roles.rater.is_some()
        || roles.item.is_some_and(|item| folders(sample, item).is_some());
    if found.is_empty() || (!is_plausible && found.len() > 3) {
        return None;
    }
    let header = |place: usize| sample.headers[place].as_str();
    let mut draft = Draft::new("a table of ratings, one row for each", "csv");
    let names_both = roles.rater.is_some() && roles.model.is_some();
    if measure.is_none() && against.is_none() && !names_both && are_unknown(sample, &found) {
        return asking_columns(sample, &roles, &found, draft);
    }
    roles.write(sample, &mut draft);
    if let Some(against) = against {
        draft.set("--against", header(against));
    }
    if let Some(measure) = measure {
        draft.set("--measure", header(measure));
    }
    for &place in &found {
        draft.set("--value", header(place));
    }
    if let Some(block) = block {
        draft.set("--block", header(block));
    }
    answers(sample, &found, &mut draft);
    Some(if roles.rater.is_none() { draft.without_rater() } else { draft })
}

/// Whether several columns of numbers have headers that are not known as those of measures.
fn are_unknown(sample: &Sample, found: &[usize]) -> bool {
    let is_usual = |&place: &usize| is_value(&sample.headers[place]);
    found.len() > 1 && found.iter().all(|&place| sample.is_number(place)) && !found.iter().any(is_usual)
}

/// Asks whether columns of numbers are raters or models, if nothing else names these, or measures.
fn asking_columns(sample: &Sample, roles: &Roles, found: &[usize], mut draft: Draft) -> Option<Draft> {
    let kind = match (roles.rater, roles.model) {
        (Some(_), None) => "model",
        (None, Some(_)) => "rater",
        _ => return None,
    };
    let header = |place: usize| sample.headers[place].as_str();
    for (option, place) in [("--rater", roles.rater), ("--model", roles.model), ("--item", roles.item)] {
        if let Some(place) = place {
            draft.set(option, header(place));
        }
    }
    let headers: Vec<&str> = found.iter().map(|&place| header(place)).collect();
    let quoted: Vec<String> = headers.iter().take(6).map(|header| format!("`{header}`")).collect();
    let [first, .., last] = &quoted[..] else { return None };
    let names = match quoted.len() {
        2 => format!("{first} and {last}"),
        some => format!("{} and {last}", quoted[..some - 1].join(", ")),
    };
    let values: Vec<String> = headers.iter().map(|header| format!("--value '{header}'")).collect();
    draft.ask(
        "--columns",
        &format!("{{{kind}}}"),
        format!(
            "what {names} are: --columns '{{{kind}}}' if they are {kind}s, or {} if they are measures",
            cut(&values, 6, " ")
        ),
    );
    Some(draft)
}

/// Adds how the cells of values are read.
pub(super) fn answers(sample: &Sample, values: &[usize], draft: &mut Draft) {
    let has_words = |place: &usize| sample.has_lists(*place) && !sample.is_list(*place);
    let words: Vec<usize> = values.iter().copied().filter(has_words).collect();
    if !words.is_empty() || values.iter().any(|&place| sample.is_list(place)) {
        draft.flag("--lists");
        for place in words {
            let parts = sample.cells(place).flat_map(|cell| parts(cell).unwrap_or_default());
            let texts: BTreeSet<String> = parts.map(|part| part.text).collect();
            ask_order(&sample.headers[place], texts.iter().map(String::as_str), draft);
        }
        return;
    }
    let has_comma =
        |cell: &str| number_of(cell).is_some() || number_of(&cell.replacen(',', ".", 1)).is_some();
    let mut others: Vec<usize> = values.iter().copied().filter(|&place| !sample.is_number(place)).collect();
    let is_grouped = |cell: &str| number_of(cell).is_some() || has_thousands(cell, ',');
    if let Some(place) = others.iter().position(|&place| sample.all(place, is_grouped)) {
        let place = others.swap_remove(place);
        let first = sample.cells(place).find(|cell| cell.contains(',')).unwrap_or_default();
        draft.wonder(format!(
            "the commas in `{}` ({first}): leave them out if they separate thousands, or add --decimal-comma",
            sample.headers[place]
        ));
    }
    if !others.is_empty() && others.iter().all(|&place| sample.all(place, has_comma)) {
        return draft.flag("--decimal-comma");
    }
    for place in others {
        ask_order(&sample.headers[place], sample.distinct(place).into_iter(), draft);
    }
}

/// Asks for the order of answers in words.
fn ask_order<'t>(header: &str, texts: impl Iterator<Item = &'t str>, draft: &mut Draft) {
    let texts = listed(texts.filter(|text| !text.is_empty()).take(8).collect::<Vec<_>>());
    let help = format!("--options '{header}=WORST|…|BEST'");
    let question = format!("the order of the answers in `{header}` ({texts}): {help}");
    draft.ask("--options", &format!("{header}=FIRST|SECOND|…"), question);
}

/// One row for each item, with all its votes in a cell.
pub(super) fn lists_of_votes(sample: &Sample) -> Option<Draft> {
    let list = |place: &usize| {
        let labels: BTreeSet<&str> =
            sample.cells(*place).flat_map(|cell| cell.split(',').map(str::trim)).collect();
        sample.cells(*place).any(|cell| cell.contains(','))
            && (2..=5).contains(&labels.len())
            && labels.iter().all(|label| !label.is_empty() && !label.contains(' '))
    };
    let place = (0..sample.headers.len()).find(list)?;
    let labels: BTreeSet<&str> =
        sample.cells(place).flat_map(|cell| cell.split(',').map(str::trim)).collect();
    let mut draft = Draft::new("a table with a list of votes in each row", "votes");
    draft.set("--decisions", sample.headers[place].as_str());
    let is_tie = |label: &&&str| TIES.contains(&&*label.to_lowercase());
    let ties: Vec<&&str> = labels.iter().filter(is_tie).collect();
    let sides: Vec<&str> = labels.iter().filter(|label| !is_tie(label)).copied().collect();
    match (&sides[..], &ties[..]) {
        ([first, second], [] | [_]) => {
            draft.set("--compare", format!("{first},{second}"));
            if let Some(tie) = ties.first().filter(|tie| ***tie != "same") {
                draft.set("--tie", **tie);
            }
        }
        _ => draft.ask(
            "--labels",
            "FIRST,SECOND,…",
            format!(
                "the order of the labels ({}): --labels WORST,…,BEST, or --compare FIRST,SECOND if they are models",
                listed(labels.iter().copied())
            ),
        ),
    }
    let item = Roles::find(sample, &[place]).item;
    if let Some(item) = item.filter(|&item| sample.distinct(item).len() == sample.len()) {
        draft.set("--item", sample.headers[item].as_str());
    }
    Some(draft)
}

/// Adds the names of a row of answers in columns, which has a model of its own.
pub(super) fn names_of_rows(sample: &Sample, taken: &[usize], draft: &mut Draft) {
    let roles = Roles { rater: None, ..Roles::find(sample, taken) };
    match (roles.model, roles.item) {
        (None, None) => ask_model(sample, draft),
        _ => roles.write(sample, draft),
    }
}
