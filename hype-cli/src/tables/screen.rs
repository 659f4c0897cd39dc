//! Findings on one screen: facts, the answer, the score's table, other measures, notes, and where files are.

use hype_core::model::findings::{Findings, MeasureFindings, Note, NoteClass};
use hype_core::words::counted;
use hype_report::numbers::{Style, count};
use hype_report::prose::{Speech, headline, lead};
use hype_report::{mark, words};

use super::models::{Line, Sheet, compared};
use super::{Told, noted};
use crate::grid::NO_BREAK;
use crate::terminal::{columns, shortened};

/// The most lines, and the most columns.
pub(super) const LINES: usize = 30;
pub(super) const COLUMNS: usize = 100;
/// The most notes of each class that are shown, and the most lines of one.
const NOTES: usize = 3;
const NOTE_LINES: usize = 2;
/// The most other measures.
const MEASURES: usize = 6;

/// The lines of findings, with the models that they draw.
pub(super) fn screen<'a>(told: &'a Told<'_>, width: usize) -> Vec<Line<'a>> {
    let findings = told.findings;
    let shown = shown_notes(findings);
    let marks_of = |found: &MeasureFindings, model: &str| -> String {
        let is_on = |note: &&&Note| {
            note.measures.contains(&found.measure.name) && note.models.iter().any(|one| **one == *model)
        };
        shown.iter().filter(is_on).map(|note| format!(" {}", sign(note))).collect()
    };
    let sheet = Sheet { findings, mark: &marks_of, width };
    let score = findings.measures.first().filter(|score| !score.estimates.is_empty());
    let mut parts = vec![plain(facts(told, width)), plain(answer(&sheet, &shown))];
    let mut others: Vec<&MeasureFindings> = compared(findings).into_iter().skip(1).collect();
    let (mut wins, mut beside) = (Vec::new(), 0);
    if let Some(score) = score {
        let criteria = criteria_of(findings, score);
        if criteria.len() > 1 {
            let (table, count) = sheet.criteria(&criteria);
            parts.push(table);
            (wins, beside) = (sheet.wins(score), count - 1);
            let is_left =
                |found: &MeasureFindings| criteria[count..].iter().any(|one| one.measure == found.measure);
            others.retain(|found| words::criterion(&found.measure).is_none() || is_left(found));
        } else {
            let of_all =
                |note: &&&Note| note.measures.contains(&score.measure.name) && note.models.is_empty();
            let marks: String = shown.iter().filter(of_all).map(|note| sign(note)).collect();
            parts.push(sheet.score(score, &marks));
        }
    }
    let files: Vec<String> = told.files.iter().flat_map(|line| wrapped_after(" ", line, width)).collect();
    let longest = wrapped_after(" ", &rest(told, 99, 0), width).len();
    let used: usize = parts.iter().map(|part| part.len() + 1).sum::<usize>() + files.len() + longest + 2;
    let mut room = LINES.saturating_sub(used);
    // Notes on what numbers mean take their place before other measures do, and those on precision after them.
    let mut notes: Vec<String> = Vec::new();
    let mut printed = 0;
    let mut add = |notes: &mut Vec<String>, class: NoteClass, most: usize, room: &mut usize| {
        for note in shown.iter().filter(|note| note.class == class) {
            let lines = note_lines(note, findings, width, most);
            if lines.len() < *room {
                *room -= lines.len();
                printed += 1;
                notes.extend(lines);
            }
        }
    };
    add(&mut notes, NoteClass::Meaning, NOTE_LINES, &mut room);
    let mut middle = |lines: Vec<String>, room: &mut usize| {
        let fits = !lines.is_empty() && lines.len() < *room;
        if fits {
            *room -= lines.len() + 1;
            parts.push(plain(lines));
        }
        fits
    };
    middle(wins, &mut room);
    others.truncate(MEASURES.min(room.saturating_sub(2)));
    let all = score.map_or_else(Vec::new, |score| {
        if others.is_empty() { Vec::new() } else { sheet.others(score, &others) }
    });
    let count = if middle(all, &mut room) { others.len() } else { 0 };
    middle(
        agreement(&sheet, score).map(|line| wrapped_after(" ", &line, width)).unwrap_or_default(),
        &mut room,
    );
    add(&mut notes, NoteClass::Precision, 1, &mut room);
    let numbered = findings.notes.iter().filter(|note| note.number.is_some()).count();
    notes.extend(wrapped_after(" ", &rest(told, numbered - printed, beside + count), width));
    parts.extend([plain(notes), plain(files)]);
    joined(parts)
}

/// Parts with an empty line between each two.
fn joined<'a>(parts: Vec<Vec<Line<'a>>>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        lines.extend((!lines.is_empty()).then(|| (String::new(), None)));
        lines.extend(part);
    }
    lines
}

/// The measures of the score's kind by each criterion.
fn criteria_of<'a>(findings: &'a Findings, score: &MeasureFindings) -> Vec<&'a MeasureFindings> {
    let is_of_kind = |found: &&MeasureFindings| {
        words::criterion(&found.measure).is_some()
            && words::label(&found.measure) == words::label(&score.measure)
    };
    compared(findings).into_iter().filter(is_of_kind).collect()
}

/// The mark of a note.
fn sign(note: &Note) -> String {
    note.number.map(mark).unwrap_or_default()
}

fn plain<'a>(lines: Vec<String>) -> Vec<Line<'a>> {
    lines.into_iter().map(|line| (line, None)).collect()
}

/// A text after a beginning, whose further lines begin under its first word. Words, such as paths, stay whole.
pub(crate) fn wrapped_after(beginning: &str, text: &str, width: usize) -> Vec<String> {
    let wide = columns(beginning);
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if wide + columns(last) + 1 + columns(word) <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let begun = |(place, line): (usize, String)| {
        let line = line.replace(NO_BREAK, " ");
        if place == 0 { format!("{beginning}{line}") } else { format!("{}{line}", " ".repeat(wide)) }
    };
    lines.into_iter().enumerate().map(begun).collect()
}

/// A sentence whose intervals stay on one line.
fn unbroken(text: &str) -> String {
    let mut inside = false;
    let kept = text.chars().map(|sign| {
        inside = match sign {
            '[' => true,
            ']' => false,
            _ => inside,
        };
        if inside && sign == ' ' { NO_BREAK } else { sign }
    });
    kept.collect()
}

/// Writes what was judged, by how many raters.
fn facts(told: &Told<'_>, width: usize) -> Vec<String> {
    let findings = told.findings;
    let (mut parts, mut further): (Vec<String>, Vec<String>) = Default::default();
    let score = findings.measures.first();
    if let Some(study) = &findings.study {
        parts.push(study.name.to_string());
        let criteria = compared(findings);
        let of_criteria = criteria.iter().filter(|found| words::criterion(&found.measure).is_some());
        let mut of_criteria: Vec<_> = of_criteria.map(|found| words::criterion(&found.measure)).collect();
        of_criteria.dedup();
        of_criteria.sort_unstable();
        of_criteria.dedup();
        let many = match of_criteria.len() {
            0 if &*study.task == "rating" && criteria.len() > 1 => format!(", {} questions", criteria.len()),
            0 | 1 => String::new(),
            several => format!(", {several} criteria"),
        };
        parts.push(format!("{}{many}", words::task(&study.task)));
    }
    if let Some(table) = &told.table {
        parts.push(table.clone());
    }
    let items = score.map_or(0, |score| score.items);
    let items = match items {
        0 => String::new(),
        1 => ", 1 item".to_owned(),
        several => format!(", {} items", count(several)),
    };
    if let Some(collected) = &findings.collected {
        let raters = collected.completed.saturating_sub(collected.excluded);
        let each = score
            .map(|score| score.estimates.iter().map(|one| one.raters).collect::<Vec<_>>())
            .unwrap_or_default();
        let each = each.first().filter(|first| **first < raters && each.iter().all(|one| one == *first));
        let each = each.map_or_else(String::new, |each| format!(", {each} per model"));
        parts.push(format!("{} of {} raters{each}", count(raters), count(u64::from(collected.places))));
        parts.push(format!("{} answers{items}", count(collected.responses)));
        let others = [
            (collected.excluded, "excluded"),
            (collected.disqualified, "disqualified"),
            (collected.screened_out, "screened out"),
            (collected.left, "left"),
            (collected.running, "unfinished"),
            (collected.erased, "erased"),
        ];
        let others = others.iter().filter(|(number, _)| *number > 0);
        let others: Vec<String> = others.map(|(number, what)| format!("{number} {what}")).collect();
        further.extend((!others.is_empty()).then(|| others.join(", ")));
    } else if let Some(score) = score {
        parts.push(format!(
            "{} values of {} on {}{items}",
            count(score.responses),
            counted(score.raters, "rater"),
            counted(score.estimates.len(), "model")
        ));
    }
    if findings.notes.iter().any(|note| &*note.code == "simulated") {
        parts.push("SIMULATED: no people".to_owned());
    }
    parts.extend(further);
    let parts: Vec<String> =
        parts.iter().map(|part| shortened(part, width).replace(' ', &NO_BREAK.to_string())).collect();
    let mut lines = wrapped_after("", &parts.join(" · "), width);
    lines.truncate(2);
    lines
}

/// The answer, as the report's page begins. Without a result, the gravest note is part of it.
fn answer(sheet: &Sheet<'_, '_>, shown: &[&Note]) -> Vec<String> {
    let Some(score) = sheet.findings.measures.first() else { return Vec::new() };
    let name = |model: &str| sheet.name(model);
    let mark = |model: &str| (sheet.mark)(score, model);
    let speech = Speech { name: &name, mark: &mark };
    let mut text = headline(sheet.findings, score, speech);
    let is_agreement =
        sheet.findings.collected.is_none() && score.agreement.iter().any(|one| one.value.is_some());
    let further = match (score.estimates.is_empty() && !is_agreement, shown.first()) {
        (true, Some(note)) => noted(note, sheet.findings),
        _ => lead(score, speech),
    };
    if !further.is_empty() {
        text = format!("{text} {further}");
    }
    wrapped_after("", &unbroken(&text), sheet.width)
}

/// How far raters agree on the score, by the coefficient that allows for chance.
fn agreement(sheet: &Sheet<'_, '_>, score: Option<&MeasureFindings>) -> Option<String> {
    let all = &score?.agreement;
    let is_of_all = |one: &&hype_core::model::findings::Agreement| one.model.is_none() && one.value.is_some();
    let found = all.iter().filter(is_of_all).find(|one| one.coefficient.starts_with("Krippendorff"));
    let found = found.or_else(|| all.iter().find(is_of_all))?;
    let style = Style { factor: 1.0, decimals: 2, signed: false, unit: words::Unit::None };
    let name = found.coefficient.split(" (").next().unwrap_or_default();
    let measure = &score?.measure.name;
    let is_of = |note: &&Note| &*note.code == "few-items" && note.concerns(measure);
    let of = sheet.findings.notes.iter().find(is_of);
    let mark = of.map_or_else(String::new, |note| format!(" {}", sign(note)));
    Some(unbroken(&format!(
        "raters agree: {name} {}{mark}",
        style.estimate(found.value?, found.interval.as_ref())
    )))
}

/// The notes that are shown: those that change what numbers mean, and those that make the score less certain.
fn shown_notes(findings: &Findings) -> Vec<&Note> {
    let score = findings.measures.first().map(|found| &found.measure.name);
    let grave = findings.notes.iter().filter(|note| note.class == NoteClass::Meaning).take(NOTES);
    let of_score = |note: &&Note| {
        note.class == NoteClass::Precision && score.is_some_and(|score| note.measures.contains(score))
    };
    grave.chain(findings.notes.iter().filter(of_score).take(NOTES)).collect()
}

/// A note in so many lines.
fn note_lines(note: &Note, findings: &Findings, width: usize, most: usize) -> Vec<String> {
    let mark = sign(note);
    let mut lines = wrapped_after(&format!(" {mark} "), &noted(note, findings), width);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = shortened(&format!("{last} ……"), width.min(crate::terminal::columns(last) + 2));
        }
    }
    lines
}

/// Names what `--full` adds: the numbers of notes and of measures beyond the score.
fn rest(told: &Told<'_>, notes: usize, shown: usize) -> String {
    let findings = told.findings;
    let any = |is: fn(&MeasureFindings) -> bool| findings.measures.iter().any(is);
    let measures = findings.measures.len().saturating_sub(1 + shown);
    let mut parts = Vec::new();
    match (notes, findings.notes.iter().any(|note| note.number.is_some())) {
        (0, false) => parts.push("no notes; ".to_owned()),
        (0, true) => {}
        (some, _) => parts.push(format!("{}, ", counted(some, "smaller note"))),
    }
    let mut more: Vec<String> = Vec::new();
    more.extend(
        any(|found| !found.tests.is_empty() || !found.comparisons.is_empty()).then(|| "tests".to_owned()),
    );
    more.extend((measures > 0).then(|| counted(measures, "other measure")));
    more.extend(any(|found| !found.facets.is_empty()).then(|| "levels".to_owned()));
    more.extend(any(|found| !found.agreement.is_empty()).then(|| "agreement".to_owned()));
    more.extend((!findings.metrics.is_empty()).then(|| "metrics".to_owned()));
    more.extend(any(|found| !found.tables.is_empty()).then(|| "tables of the task".to_owned()));
    more.extend((!told.assumptions.is_empty()).then(|| "assumptions".to_owned()));
    more.extend(findings.earnings.is_some().then(|| "earnings".to_owned()));
    more.push("settings".to_owned());
    format!("{}{}: --full", parts.concat(), more.join(", "))
}
