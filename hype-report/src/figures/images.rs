//! Which images convince most and least.

use hype_stats::shrinkage::{BetaBinomial, ItemCount, RateDistribution};

use super::slug;
use crate::data::{Cell, Data};
use crate::figure::{Beside, BesideText, Dot, Explanation, Figure, Mark, Panel, PanelAxis, Tone, Width};
use crate::source::ReportSource;
use crate::text::fixed;

/// The measures whose items are images that are taken for real or not.
const MEASURES: [&str; 2] = ["fakes_error", "fooled"];
/// Images shown from either end.
const SHOWN: usize = 12;
/// With fewer answers an image, nothing is said about single images.
const FEWEST: f64 = 2.0;
const LEVEL: f64 = 0.9;

/// For each model, the images that were taken for real most and least often.
pub(super) fn images(source: &ReportSource<'_>) -> Vec<Figure> {
    let found = source.findings.measures.iter().find(|found| MEASURES.contains(&&*found.measure.name));
    let Some(found) = found else { return Vec::new() };
    let models = source.models(found);
    let figures = models.iter().filter_map(|model| of_model(source, &found.measure.name, model));
    figures.take(SHOWN).collect()
}

fn of_model(source: &ReportSource<'_>, measure: &str, model: &str) -> Option<Figure> {
    let items = source.records.items(measure, model)?;
    let is_share = |sum: &crate::source::Sum| (sum.sum - sum.sum.round()).abs() < 1e-9;
    if !items.values().all(is_share) {
        return None;
    }
    let answers: u64 = items.values().map(|sum| sum.count).sum();
    if (answers as f64) < FEWEST * items.len() as f64 {
        return None;
    }
    let counts: Vec<ItemCount> = items
        .values()
        .map(|sum| ItemCount { successes: sum.sum.round().max(0.0) as u64, trials: sum.count })
        .collect();
    let fit = BetaBinomial::fit(&counts).ok()?;
    let rates = fit.rates(&counts, LEVEL).ok()?;
    let common = common_folder(items.keys().map(|path| &**path));
    let mut all: Vec<_> = items.keys().zip(&counts).zip(&rates).collect();
    all.sort_by(|a, b| b.1.estimate.total_cmp(&a.1.estimate).then_with(|| a.0.0.cmp(b.0.0)));
    let mut data = Data::new(["image", "path", "rate", "low", "high", "taken_for_real", "answers", "text"]);
    for ((path, count), rate) in &all {
        data.push(
            "image",
            [
                path[common..].into(),
                Cell::from(*path),
                rate.estimate.into(),
                rate.interval.lower.into(),
                rate.interval.upper.into(),
                count.successes.into(),
                count.trials.into(),
                format!("{} of {}", count.successes, count.trials).into(),
            ],
        );
    }
    let names: Vec<String> = all.iter().map(|((path, _), _)| path[common..].to_owned()).collect();
    let (names, gap) = if names.len() > 2 * SHOWN {
        let missing = names.len() - 2 * SHOWN;
        let shown = names[..SHOWN].iter().chain(&names[SHOWN + missing..]).cloned().collect();
        (shown, Some((SHOWN, missing)))
    } else {
        (names, None)
    };
    let ((first, count), rate) = all.first()?;
    let percent = |rate: f64| fixed(rate * 100.0, 0);
    let description = match fit.distribution() {
        RateDistribution::Common { rate } => format!(
            "The {} images of {model} differ no more than chance makes them: the best estimate for each is {} %.",
            all.len(),
            percent(rate)
        ),
        _ => format!(
            "Of {} images of {model}, {} convinces most: it was taken for real {} of {} times, and its shrunken rate is {} %.",
            all.len(),
            &first[common..],
            count.successes,
            count.trials,
            percent(rate.estimate)
        ),
    };
    let beside =
        |heading: &str, text| Beside { heading: heading.to_owned(), part: "image", at: "image", text };
    let estimate = BesideText::Estimate { columns: ["rate", "low", "high"], factor: 100.0, decimals: 0 };
    let panel = Panel {
        beside: vec![
            beside(&format!("rate [{:.0} %]", LEVEL * 100.0), estimate),
            beside("answers", BesideText::Column("text")),
        ],
        ..Panel::new(
            PanelAxis::numbers("taken for real, shrunken rate (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            vec![
                Mark::Interval {
                    part: "image",
                    at: "image",
                    low: "low",
                    high: "high",
                    width: Width::Bold,
                    tone: Tone::Accent,
                },
                Mark::Dots { part: "image", x: "rate", y: "image", look: Dot::Large, tone: Tone::Accent },
            ],
        )
    };
    Some(Figure {
        id: format!("f10-{}", slug(model)),
        title: format!("Images that convince most and least: {model}"),
        reading: Explanation {
            question: "Which images are taken for real, and which are not?".to_owned(),
            how: format!(
                "Dots are rates drawn towards the mean of all images of the model by a beta-binomial distribution, bars \
                 their {:.0} % intervals. Beside them: how often the image was taken for real, of how many answers.",
                LEVEL * 100.0
            ),
            not: "Raw rates of few answers are noise: many images have 100 % by chance. The intervals take the distribution over \
                  images as known."
                .to_owned(),
        },
        description,
        data,
        chart: panel.alone(),
    })
}

/// The length of the folder that all paths begin with.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> usize {
    let Some(first) = paths.next() else { return 0 };
    let mut folder = first.rfind('/').map_or("", |end| &first[..=end]);
    for path in paths {
        while !path.starts_with(folder) {
            let shorter = folder.trim_end_matches('/');
            folder = shorter.rfind('/').map_or("", |end| &shorter[..=end]);
        }
    }
    folder.len()
}
