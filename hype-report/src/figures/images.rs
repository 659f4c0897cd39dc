//! Which images convince most and least.

use std::sync::Arc;

use hype_core::model::findings::MeasureFindings;
use hype_core::words::counted;
use hype_stats::shrinkage::{BetaBinomial, ItemCount, RateDistribution};

use super::key;
use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, PictureGroup, Tone,
    Width,
};
use crate::numbers::fixed;
use crate::source::ReportSource;

/// The measures whose items are images that are taken for real or not.
const MEASURES: [&str; 2] = ["fakes_error", "fooled"];
/// Images shown from either end.
const SHOWN: usize = 12;
/// Models whose images are shown.
const MOST_MODELS: usize = 12;
/// With fewer answers an image, nothing is said about single images.
const FEWEST: f64 = 2.0;
const LEVEL: f64 = 0.9;

/// The images of a model from the most to the least convincing.
struct Rated<'a> {
    model: Arc<str>,
    images: Vec<Image<'a>>,
    distribution: RateDistribution,
    /// The length of the folder that all names begin with.
    common: usize,
}

struct Image<'a> {
    /// Its name in scores.
    name: &'a str,
    /// Its path relative to the folder of the study's spec; its name without a study.
    path: &'a str,
    successes: u64,
    trials: u64,
    /// The shrunken rate and its interval.
    rate: [f64; 3],
}

/// For each model, the images that were taken for real most and least often, and the images themselves where they are given.
pub(super) fn images(source: &ReportSource<'_>) -> Vec<Figure> {
    let mut all = Vec::new();
    for rated in rated(source) {
        all.push(rates(&rated));
        all.extend(gallery(source, &rated));
    }
    all
}

/// The paths of the images that a report shows, relative to the folder of the study's spec: for each model those that were taken
/// for real most and least often.
#[must_use]
pub fn pictured(source: &ReportSource<'_>) -> Vec<Arc<str>> {
    let rated = if super::has_images(source) { rated(source) } else { Vec::new() };
    let ends = rated.iter().flat_map(|rated| {
        let (most, least) = rated.ends();
        most.iter().chain(least).map(|image| image.path.into())
    });
    ends.collect()
}

fn rated<'a>(source: &ReportSource<'a>) -> Vec<Rated<'a>> {
    let found = source.findings.measures.iter().find(|found| MEASURES.contains(&&*found.measure.name));
    let Some(found) = found else { return Vec::new() };
    let models = source.models(found);
    models.iter().filter_map(|model| Rated::of(source, found, model)).take(MOST_MODELS).collect()
}

impl<'a> Rated<'a> {
    fn of(source: &ReportSource<'a>, found: &MeasureFindings, model: &Arc<str>) -> Option<Self> {
        let items = source.records.items(&found.measure.name, model)?;
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
        let paths = source.paths_of(model);
        let mut images: Vec<Image<'a>> = items
            .keys()
            .zip(&counts)
            .zip(&rates)
            .map(|((name, count), rate)| Image {
                name,
                path: paths.get(&**name).copied().unwrap_or(name),
                successes: count.successes,
                trials: count.trials,
                rate: [rate.estimate, rate.interval.lower, rate.interval.upper],
            })
            .collect();
        images.sort_by(|a, b| b.rate[0].total_cmp(&a.rate[0]).then_with(|| a.name.cmp(b.name)));
        let common = common_folder(items.keys().map(|path| &**path));
        Some(Self { model: Arc::clone(model), images, distribution: fit.distribution(), common })
    }

    /// How many images share the highest rate, the first of which is first.
    fn tied_at_top(&self) -> usize {
        let same = |image: &&Image<'_>| image.rate[0].total_cmp(&self.images[0].rate[0]).is_eq();
        self.images.iter().take_while(same).count()
    }

    /// What is said of so many images from either end, if others have the rate of the last one.
    fn cut(&self, shown: usize) -> &'static str {
        let (images, hidden) = (&self.images, self.images.len().saturating_sub(2 * shown));
        let same = |a: usize, b: usize| images[a].rate[0].total_cmp(&images[b].rate[0]).is_eq();
        let is_cut =
            shown > 0 && hidden > 0 && (same(shown - 1, shown) || same(shown + hidden - 1, shown + hidden));
        if is_cut {
            " Images that are not shown have the same rate as some that are: among them, names decide."
        } else {
            ""
        }
    }

    /// The images that convince most, and those that convince least. No image is among both.
    fn ends(&self) -> (&[Image<'a>], &[Image<'a>]) {
        let shown = SHOWN.min(self.images.len() / 2);
        (&self.images[..shown], &self.images[self.images.len() - shown..])
    }
}

/// Adds a row for an image.
fn push(data: &mut Data, part: &str, image: &Image<'_>, common: usize) {
    data.push(
        part,
        [
            image.name[common..].into(),
            image.path.into(),
            image.rate[0].into(),
            image.rate[1].into(),
            image.rate[2].into(),
            image.successes.into(),
            image.trials.into(),
            format!("{} of {}", image.successes, image.trials).into(),
        ],
    );
}

fn table() -> Data {
    Data::new(["image", "path", "rate", "low", "high", "taken_for_real", "answers", "text"])
}

/// The shrunken rates of all images.
fn rates(rated: &Rated<'_>) -> Figure {
    let Rated { model, images, common, .. } = rated;
    let mut data = table();
    for image in images {
        push(&mut data, "image", image, *common);
    }
    let names: Vec<String> = images.iter().map(|image| image.name[*common..].to_owned()).collect();
    let (names, gap) = if names.len() > 2 * SHOWN {
        let missing = names.len() - 2 * SHOWN;
        let shown = names[..SHOWN].iter().chain(&names[SHOWN + missing..]).cloned().collect();
        (shown, Some((SHOWN, missing)))
    } else {
        (names, None)
    };
    let percent = |rate: f64| fixed(rate * 100.0, 0);
    let description = match (rated.distribution, images.first()) {
        (RateDistribution::Common { rate }, _) => format!(
            "The rates of {} of {model} differ no more than by chance: the best estimate for each is {} %.",
            counted(images.len(), "image"),
            percent(rate)
        ),
        (_, Some(first)) if rated.tied_at_top() > 1 => format!(
            "Of {} images of {model}, {} share the highest shrunken rate, {} %.",
            images.len(),
            rated.tied_at_top(),
            percent(first.rate[0])
        ),
        (_, Some(first)) => format!(
            "Of {} of {model}, {} convinces most: it was taken for real {} of {}, and its shrunken rate is {} %.",
            counted(images.len(), "image"),
            &first.name[*common..],
            first.successes,
            counted(first.trials, "time"),
            percent(first.rate[0])
        ),
        (_, None) => format!("There are no images of {model}."),
    };
    let beside =
        |heading: &str, text| Beside { heading: heading.to_owned(), part: "image", at: "image", text };
    let estimate = BesideText::Estimate { columns: ["rate", "low", "high"], factor: 100.0, decimals: 0 };
    let panel = FigurePanel {
        beside: vec![
            beside(&format!("rate [{:.0} %]", LEVEL * 100.0), estimate),
            beside("answers", BesideText::Column("text")),
        ],
        ..FigurePanel::new(
            PanelAxis::numbers("taken for real, shrunken rate (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            vec![
                Mark::interval("image", "image", ["low", "high"], Width::Bold, Tone::Accent),
                Mark::dots("image", ["rate", "image"], Dot::Large, Tone::Accent),
            ],
        )
    };
    Figure {
        id: key("f10", model),
        title: format!("Images that convince most and least: {model}"),
        reading: Explanation {
            question: "Which images are taken for real, and which are not?".to_owned(),
            how: format!(
                "Dots are rates drawn towards the mean of all images of the model by a beta-binomial distribution, bars \
                 their {:.0} % intervals. Beside them: how often the image was taken for real, of how many answers.",
                LEVEL * 100.0
            ),
            not: format!(
                "Raw rates of few answers are noise: many images may have 100 % by chance. The intervals take the distribution \
                 over images as known.{}",
                rated.cut(SHOWN)
            ),
        },
        description,
        data,
        chart: panel.alone(),
    }
}

/// The images themselves, if they are given.
fn gallery(source: &ReportSource<'_>, rated: &Rated<'_>) -> Option<Figure> {
    let pictures = source.pictures?;
    let (most, least) = rated.ends();
    if most.is_empty() || !most.iter().chain(least).any(|image| pictures.has(image.path)) {
        return None;
    }
    let model = &rated.model;
    let mut data = table();
    for (part, images) in [("most", most), ("least", least)] {
        for image in images {
            push(&mut data, part, image, rated.common);
        }
    }
    let group =
        |title: &str, part| PictureGroup { title: title.to_owned(), part, picture: "path", text: "text" };
    let missing = most.iter().chain(least).filter(|image| !pictures.has(image.path)).count();
    let mut not = format!(
        "An image at either end may be there by chance: see the intervals of the rates.{}",
        rated.cut(most.len())
    );
    if missing > 0 {
        not.push_str(" Empty frames are images whose files are missing or have changed since the study.");
    }
    Some(Figure {
        id: key("f10-images", model),
        title: format!("The images that convince most and least: {model}"),
        reading: Explanation {
            question: "What do the images look like that are taken for real, and those that are not?".to_owned(),
            how: "Images are in the order of their shrunken rates, from the most to the least convincing. Beneath each: how \
                  often it was taken for real, of how many answers."
                .to_owned(),
            not,
        },
        description: format!(
            "{} of {model} with the highest shrunken rates, and {} with the lowest, of {} in all.",
            counted(most.len(), "image"),
            least.len(),
            rated.images.len()
        ),
        data,
        chart: Chart::Gallery {
            groups: vec![group("Most convincing", "most"), group("Least convincing", "least")],
            pictures: pictures.clone(),
        },
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
