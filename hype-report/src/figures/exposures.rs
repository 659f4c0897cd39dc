//! Staircases, and accuracy by exposure.

use std::collections::BTreeMap;

use hype_core::SetId;
use hype_core::words::counted;
use hype_stats::psychometric::{
    Axis as LevelAxis, FitOptions, Lapse, PsychometricFit, PsychometricFunction, Sigmoid, Tally, fit,
};

use super::MORE;
use crate::data::Data;
use crate::figure::{Chart, Dot, Explanation, Extent, Figure, FigurePanel, Mark, PanelAxis, Tone};
use crate::numbers::fixed;
use crate::source::{Censored, ReportSource, TrialRow};
use crate::text::listed;

/// The blocks that are drawn.
const MOST_BLOCKS: usize = 6;
/// Points with fewer answers are faint.
const FEW: f64 = 10.0;
/// Exposures are drawn one by one up to this many, otherwise gathered in so many steps of equal ratio.
const MOST_LEVELS: usize = 40;
const STEPS: f64 = 20.0;
const MOST_MODELS: usize = 7;
/// The parts of exposures that the procedure does not allow.
const BELOW: &str = "below the floor";
const ABOVE: &str = "above the ceiling";

/// A block of trials with different exposures.
type Block<'a> = Vec<&'a TrialRow>;

fn blocks<'a>(source: &ReportSource<'a>) -> BTreeMap<(SetId, u32, u16), Block<'a>> {
    let mut all: BTreeMap<(SetId, u32, u16), Block<'a>> = BTreeMap::new();
    for trial in source.records.trials() {
        if let (Some(model), Some(_), Some(_)) = (trial.model, trial.exposure_ms, trial.correct) {
            all.entry((model, trial.session, trial.block)).or_default().push(trial);
        }
    }
    let varies = |block: &Block<'_>| block.windows(2).any(|pair| pair[0].exposure_ms != pair[1].exposure_ms);
    all.retain(|_, block| varies(block));
    all
}

fn late_mean(block: &Block<'_>) -> f64 {
    let late = &block[block.len() / 2..];
    late.iter().filter_map(|trial| trial.exposure_ms).sum::<f64>() / late.len().max(1) as f64
}

/// A block with the mean exposure of its second half and its model, session and number.
type Placed<'b, 'a> = (f64, (SetId, u32, u16), &'b Block<'a>);

/// Small staircases, from the block with the lowest exposures at its end to that with the highest, and more of them.
pub(super) fn staircases(source: &ReportSource<'_>) -> Vec<Figure> {
    let all = blocks(source);
    let mut order: Vec<Placed<'_, '_>> =
        all.iter().map(|(key, block)| (late_mean(block), *key, block)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let first = drawn(source, &order, MOST_BLOCKS, "f6".to_owned());
    let more =
        (order.len() > MOST_BLOCKS).then(|| drawn(source, &order, 2 * MOST_BLOCKS, format!("f6{MORE}")));
    first.into_iter().chain(more.flatten()).collect()
}

/// So many blocks, evenly spaced.
fn drawn(source: &ReportSource<'_>, order: &[Placed<'_, '_>], most: usize, id: String) -> Option<Figure> {
    let stimuli = source.study?.stimuli();
    let shown = order.len().min(most);
    if shown == 0 {
        return None;
    }
    let chosen = (0..shown).map(|at| if shown == 1 { 0 } else { at * (order.len() - 1) / (shown - 1) });
    let mut data = Data::new(["block", "trial", "exposure_ms", "answer", "low", "high"]);
    let mut panels = Vec::new();
    let bounds = bounds(source);
    let censored = |key: &(SetId, u32, u16)| source.records.censored(key.1, key.2);
    let count = order.iter().filter(|(_, key, _)| censored(key).is_some()).count();
    for place in chosen {
        let (_, key, block) = &order[place];
        let model = stimuli.set(key.0).map_or("", |set| &*set.name);
        let ending = match censored(key) {
            Some(Censored::Floor) => ", at the floor",
            Some(Censored::Ceiling) => ", at the ceiling",
            None => "",
        };
        let name = format!("{}. {}{ending}", place + 1, source.label_of(model));
        for trial in [1, block.len() as u64] {
            for (part, [low, high]) in bounds.into_iter().flatten() {
                let (block, trial) = (name.as_str().into(), trial.into());
                data.add(
                    part,
                    [("block", block), ("trial", trial), ("low", low.into()), ("high", high.into())],
                );
            }
        }
        for (number, trial) in block.iter().enumerate() {
            let correct = trial.correct == Some(true);
            for part in ["trial", "error"].into_iter().take(if correct { 1 } else { 2 }) {
                data.add(
                    part,
                    [
                        ("block", name.as_str().into()),
                        ("trial", (number as u64 + 1).into()),
                        ("exposure_ms", trial.exposure_ms.into()),
                        ("answer", if correct { "right" } else { "wrong" }.into()),
                    ],
                );
            }
        }
        panels.push(panel(source.tone(model)).only("block", &name));
    }
    let are = if count == 1 { "is" } else { "are" };
    Some(Figure {
        id,
        title: "Blocks of trials".to_owned(),
        reading: Explanation {
            question: "Did the procedure converge?".to_owned(),
            how: format!(
                "Each panel is a block of one rater: exposure by trial, with crosses at wrong answers. Shaded are exposures that the \
                 procedure does not allow. {}",
                chosen_of(shown, order.len())
            ),
            not: "A level line can also lie at the shortest or longest exposure that was allowed: the threshold of such a block is \
                  censored, and only known to lie beyond."
                .to_owned(),
        },
        description: format!(
            "Mean exposures of the second halves of {} range from {} to {} ms; {count} of them {are} censored.",
            counted(order.len(), "block"),
            fixed(order[0].0, 0),
            fixed(order[order.len() - 1].0, 0)
        ),
        data,
        chart: Chart::Panels { panels, across: 3 },
    })
}

/// A staircase in the colour of its model, within the exposures that the procedure allows.
fn panel(tone: Tone) -> FigurePanel {
    FigurePanel::new(
        PanelAxis::whole("trial").including(&[1.0]),
        PanelAxis::numbers("ms").logarithmic(),
        vec![
            band(BELOW),
            band(ABOVE),
            Mark::line("trial", ["trial", "exposure_ms"], tone),
            Mark::dots("error", ["trial", "exposure_ms"], Dot::Cross, Tone::Alert),
        ],
    )
}

/// How many blocks of so many are drawn, in a sentence.
fn chosen_of(shown: usize, blocks: usize) -> String {
    let order = "in the order of the mean exposure of their second halves";
    if shown == blocks {
        format!("All blocks are drawn, {order}.")
    } else {
        format!(
            "Of {blocks} blocks, {shown} evenly spaced ones are drawn {order}, the first and the last among them; numbers are \
             places in that order."
        )
    }
}

/// The exposures beneath and above those that the procedure allows, as far as they are drawn.
fn bounds(source: &ReportSource<'_>) -> Option<[(&'static str, [f64; 2]); 2]> {
    // How far a shaded area reaches beyond its bound.
    const REACH: f64 = 1.25;
    let facts = &source.findings.study.as_ref()?.protocol;
    let exposure = &facts.iter().find(|fact| &*fact.name == "exposure")?.value;
    let bound = |name: &str| exposure.get(name)?.as_f64().filter(|bound| *bound > 0.0);
    let (floor, ceiling) = (bound("floor_ms")?, bound("ceiling_ms")?);
    Some([(BELOW, [floor / REACH, floor]), (ABOVE, [ceiling, ceiling * REACH])])
}

fn band(part: &'static str) -> Mark {
    Mark::band(part, "trial", Extent::Between("low", "high"), Tone::Alert)
}

/// The share of right answers by exposure, over all blocks, with a fitted psychometric function.
pub(super) fn accuracy(source: &ReportSource<'_>) -> Option<Figure> {
    let stimuli = source.study?.stimuli();
    let mut by_model: BTreeMap<SetId, Answers> = BTreeMap::new();
    for ((model, session, _), block) in blocks(source) {
        let answers = block.iter().filter_map(|trial| Some((trial.exposure_ms?, trial.correct?)));
        by_model.entry(model).or_default().entry(session).or_default().extend(answers);
    }
    if by_model.is_empty() || by_model.len() > MOST_MODELS {
        return None;
    }
    let mut data = Data::new(["model", "exposure_ms", "share", "right", "answers"]);
    let (mut panels, mut right) = (Vec::new(), Vec::new());
    for (model, answers) in &by_model {
        let name = stimuli.set(*model).map(|set| &set.name)?;
        let all: Vec<(f64, bool)> = answers.values().flatten().copied().collect();
        let level = level_of(&all);
        for tally in Tally::count(all.iter().map(|(exposure, correct)| (level(*exposure), *correct))) {
            let share = f64::from(tally.correct) / f64::from(tally.total);
            data.push(
                "exposure",
                [
                    name.into(),
                    tally.level.into(),
                    share.into(),
                    u64::from(tally.correct).into(),
                    u64::from(tally.total).into(),
                ],
            );
        }
        curve(&mut data, name, answers, &level);
        let share = all.iter().filter(|(_, correct)| *correct).count() as f64 / all.len() as f64;
        right.push(format!("{}% about {}", fixed(share * 100.0, 0), source.label_of(name)));
        data.add("threshold", [("model", name.into()), ("share", 0.75.into())]);
        let panel = FigurePanel {
            tones: source.tones([&**name]),
            ..FigurePanel::new(
                PanelAxis::numbers("exposure (ms)").logarithmic(),
                PanelAxis::numbers("right (%)").times(100.0).including(&[0.0, 1.0]),
                vec![
                    Mark::level("threshold", "share", Tone::Faint).dashed(),
                    Mark::line("fit", ["exposure_ms", "share"], Tone::ByModel),
                    Mark::dots(
                        "exposure",
                        ["exposure_ms", "share"],
                        Dot::Sized("answers", FEW),
                        Tone::ByModel,
                    ),
                ],
            )
        };
        panels.push(panel.only("model", name));
    }
    Some(Figure {
        id: "f7".to_owned(),
        title: "Right answers by exposure".to_owned(),
        reading: Explanation {
            question: "How does accuracy grow with exposure?".to_owned(),
            how: format!(
                "Points are shares of right answers of all raters, their areas in proportion to the answers; those with fewer \
                 than {FEW} are faint. The line is what the raters' own psychometric functions expect of the same answers, \
                 logistic functions of log time with a guess rate of 50%; the dashed line is at 75%."
            ),
            not: "Raters with low thresholds see short exposures more often than others: the pooled curve is steeper or flatter \
                  than that of any rater."
                .to_owned(),
        },
        description: format!("Right answers over all exposures: {}.", listed(&right)),
        data,
        chart: Chart::Panels { across: panels.len().min(2), panels },
    })
}

/// Exposures and whether the answers were right, by session.
type Answers = BTreeMap<u32, Vec<(f64, bool)>>;

/// Where an exposure is drawn: as it is, or at the middle of its step if there are many exposures.
fn level_of(answers: &[(f64, bool)]) -> impl Fn(f64) -> f64 {
    let exact = Tally::count(answers.iter().copied());
    let bounds =
        (exact.len() > MOST_LEVELS).then(|| (exact[0].level.ln(), exact[exact.len() - 1].level.ln()));
    move |exposure| match bounds {
        None => exposure,
        Some((low, high)) => {
            let step = (high - low) / STEPS;
            (low + (((exposure.ln() - low) / step).floor().min(STEPS - 1.0) + 0.5) * step).exp()
        }
    }
}

/// Adds the shares of right answers that the raters' own functions expect: of each answer at its exposure, which makes
/// the line about the same raters as the points. Raters whose answers do not determine a function have that of all.
fn curve(data: &mut Data, name: &str, answers: &Answers, level: &impl Fn(f64) -> f64) {
    let pooled = function(answers.values().flatten());
    let mut expected: Vec<(f64, f64, f64)> = Vec::new();
    for own in answers.values() {
        let Some(function) = function(own.iter()).or(pooled) else { continue };
        for (exposure, _) in own {
            let (at, share) = (level(*exposure), function.evaluate(*exposure));
            match expected.binary_search_by(|(known, ..)| known.total_cmp(&at)) {
                Ok(place) => {
                    expected[place].1 += share;
                    expected[place].2 += 1.0;
                }
                Err(place) => expected.insert(place, (at, share, 1.0)),
            }
        }
    }
    for (at, sum, count) in expected {
        data.add(
            "fit",
            [("model", name.into()), ("exposure_ms", at.into()), ("share", (sum / count).into())],
        );
    }
}

/// The psychometric function of some answers; `None` where they do not determine one.
fn function<'a>(answers: impl Iterator<Item = &'a (f64, bool)>) -> Option<PsychometricFunction> {
    let tallies = Tally::count(answers.copied().filter(|(exposure, _)| *exposure > 0.0));
    let options =
        FitOptions::new(Sigmoid::Logistic, LevelAxis::Logarithmic, 0.5, Lapse::Free { greatest: 0.1 })
            .ok()?;
    fit(&tallies, &options).ok().filter(PsychometricFit::is_identified).map(|found| found.function)
}
