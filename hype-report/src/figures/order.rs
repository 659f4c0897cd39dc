//! Whether raters change as they go on.

use std::collections::BTreeMap;

use crate::data::Data;
use crate::figure::{Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, Tone};
use crate::source::ReportSource;

/// Parts of a session.
const PARTS: u32 = 10;
/// Models whose lines can be told apart.
const MOST_LINES: usize = 7;

/// The wrong answers, and all answers, about each model in each tenth of the session.
fn wrong_answers(source: &ReportSource<'_>) -> BTreeMap<(u16, u32), (u64, u64)> {
    let mut counts: BTreeMap<(u16, u32), (u64, u64)> = BTreeMap::new();
    for trial in source.records.trials() {
        let (Some(model), Some(correct)) = (trial.model, trial.correct) else { continue };
        if trial.of >= PARTS {
            let tenth = trial.place * PARTS / trial.of;
            let entry = counts.entry((model.0, tenth)).or_default();
            entry.0 += u64::from(!correct);
            entry.1 += 1;
        }
    }
    counts
}

/// Adds the share of wrong answers in a tenth, which counts from 0.
fn push(data: &mut Data, model: &str, tenth: u32, (wrong, total): (u64, u64)) {
    let share = wrong as f64 / total as f64;
    data.push("tenth", [model.into(), u64::from(tenth + 1).into(), share.into(), wrong.into(), total.into()]);
}

/// The share of wrong answers by tenths of the session.
pub(super) fn by_tenths(source: &ReportSource<'_>) -> Option<Figure> {
    let stimuli = source.study?.stimuli();
    let counts = wrong_answers(source);
    let mut models: Vec<u16> = counts.keys().map(|(model, _)| *model).collect();
    models.dedup();
    if models.is_empty() {
        return None;
    }
    let pooled = models.len() > MOST_LINES;
    let mut data = Data::new(["model", "tenth", "share", "wrong", "answers"]);
    let mut legend = Vec::new();
    let mut ends: [(u64, u64); 2] = [(0, 0); 2];
    if pooled {
        let mut all: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for ((_, tenth), (wrong, total)) in &counts {
            let sum = all.entry(*tenth).or_default();
            *sum = (sum.0 + wrong, sum.1 + total);
        }
        for (tenth, counts) in all {
            push(&mut data, "all models", tenth, counts);
        }
    }
    for ((model, tenth), (wrong, total)) in &counts {
        let end = match *tenth {
            0 => Some(0),
            tenth if tenth == PARTS - 1 => Some(1),
            _ => None,
        };
        if let Some(end) = end {
            ends[end] = (ends[end].0 + wrong, ends[end].1 + total);
        }
        let set = stimuli.sets().get(usize::from(*model))?;
        if !pooled {
            if !legend.iter().any(|(name, _)| *name == *set.name) {
                legend.push((set.name.to_string(), source.tone(&set.name)));
            }
            push(&mut data, &set.name, *tenth, (*wrong, *total));
        }
    }
    let share = |(wrong, total): (u64, u64)| 100.0 * wrong as f64 / total.max(1) as f64;
    let panel = FigurePanel {
        tones: legend.clone(),
        legend,
        ..FigurePanel::new(
            PanelAxis::whole("tenth of the session").including(&[1.0, 10.0]),
            PanelAxis::numbers("wrong answers (%)").times(100.0).including(&[0.0]),
            vec![
                Mark::line("tenth", ["tenth", "share"], Tone::ByModel).by("model"),
                Mark::dots("tenth", ["tenth", "share"], Dot::Small, Tone::ByModel),
            ],
        )
    };
    Some(Figure {
        id: "f11".to_owned(),
        title: "Wrong answers in the course of a session".to_owned(),
        reading: Explanation {
            question: "Do raters learn or tire?".to_owned(),
            how: if pooled {
                "The line is about all models together; each point has the answers of all raters in a tenth of their scored trials."
            } else {
                "Each line is a model; each point has the answers of all raters in a tenth of their scored trials."
            }
            .to_owned(),
            not: "A change has no test here. Where the difficulty follows the answers, as in staircases, the line shows the \
                  procedure rather than the raters."
                .to_owned(),
        },
        description: format!(
            "{:.0}% of the answers in the first tenth of sessions are wrong, and {:.0}% in the last.",
            share(ends[0]),
            share(ends[1])
        ),
        data,
        chart: panel.alone(),
    })
}

/// How often the left image was chosen, if two images were shown side by side.
pub(super) fn sides(source: &ReportSource<'_>) -> Option<Figure> {
    let found = source.findings.measures.iter().find(|found| &*found.measure.name == "left")?;
    if found.estimates.is_empty() {
        return None;
    }
    let figure = super::key::single(source, found);
    let question = "Do raters prefer a side?".to_owned();
    Some(Figure { id: "f11-left".to_owned(), reading: Explanation { question, ..figure.reading }, ..figure })
}
