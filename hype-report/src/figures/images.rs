//! Which images convince most and least, where they differ by more than chance.

use std::fmt::Write as _;
use std::sync::Arc;

use hype_core::model::findings::MeasureFindings;
use hype_core::words::counted;
use hype_stats::shrinkage::{BetaBinomial, ItemCount};

use super::{MORE, key};
use crate::data::Data;
use crate::figure::{
    Beside, BesideText, Chart, Dot, Explanation, Figure, FigurePanel, Mark, PanelAxis, PictureGroup, Tone,
    Width,
};
use crate::media;
use crate::numbers::fixed;
use crate::prose::capital;
use crate::source::ReportSource;
use crate::wording::Wording;

/// The measures whose items are images that are judged real or fake.
const MEASURES: [&str; 2] = ["fakes_error", "fooled"];
/// Images shown from either end.
const SHOWN: usize = 6;
/// Models whose images are shown.
const MOST_MODELS: usize = 12;
/// With fewer answers an image, nothing is said about single images.
const FEWEST: f64 = 2.0;
const LEVEL: f64 = 0.9;
/// The level of the test that images differ by more than chance.
const SIGNIFICANCE: f64 = 0.05;
/// The part of images whose rates are drawn.
const IMAGE: &str = "image";
/// The parts of a gallery: the images that convince most, and those that convince least.
const ROWS: [(&str, &str); 2] =
    [("most", "Taken for real most often"), ("least", "Taken for real least often")];

/// The images of a model from the most to the least convincing.
struct Rated<'a> {
    model: Arc<str>,
    images: Vec<Image<'a>>,
    /// The share of all answers.
    share: f64,
    /// Whether images differ by more than chance.
    differ: bool,
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

/// For each model whose images differ by more than chance, those that were judged real most and least often.
pub(super) fn images(source: &ReportSource<'_>) -> Vec<Figure> {
    let all = rated(source);
    let shown = all.iter().filter(|rated| rated.has_rows(SHOWN));
    let figures = shown.flat_map(|rated| {
        let id = key("f10", &rated.model);
        let more = rated.has_more().then(|| figure(source, rated, 2 * SHOWN, format!("{id}{MORE}")));
        std::iter::once(figure(source, rated, SHOWN, id)).chain(more)
    });
    figures.collect()
}

/// Describes models whose images have no figure.
pub(super) fn in_words(source: &ReportSource<'_>) -> Vec<String> {
    let without = rated(source).into_iter().filter(|rated| !rated.has_rows(SHOWN));
    let all = capital(source.findings.media().plural());
    let said = without.map(|rated| {
        let model = source.label_of(&rated.model);
        match rated.differ {
            false => {
                let share = fixed(rated.share * 100.0, 0);
                format!("{all} of {model} do not differ by more than chance ({share}% each).")
            }
            true => format!(
                "{all} of {model} differ by more than chance, but too few of them do to show those that convince most and least."
            ),
        }
    });
    said.collect()
}

/// The paths of the images that a report shows, relative to the folder of the study's spec: for each model those that were taken
/// for real most and least often.
#[must_use]
pub fn pictured(source: &ReportSource<'_>) -> Vec<Arc<str>> {
    let rated = rated(source);
    let ends = rated.iter().filter(|rated| rated.has_rows(SHOWN)).flat_map(|rated| {
        let (most, least) = rated.ends(if rated.has_more() { 2 * SHOWN } else { SHOWN });
        most.iter().chain(least).map(|image| image.path.into())
    });
    ends.collect()
}

/// Writes the clips or texts of such a figure, which a drawing cannot show.
pub(crate) fn stimuli_of(out: &mut String, source: &ReportSource<'_>, figure: &Figure, wording: &Wording) {
    if figure.id.starts_with("f10") {
        media::gallery(out, source, figure, IMAGE, ROWS.map(|(_, title)| title), wording);
    }
}

fn rated<'a>(source: &ReportSource<'a>) -> Vec<Rated<'a>> {
    if !super::has_images(source) {
        return Vec::new();
    }
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
        let successes: u64 = counts.iter().map(|count| count.successes).sum();
        Some(Self {
            model: Arc::clone(model),
            images,
            share: successes as f64 / answers as f64,
            differ: fit.p_of_common_rate() < SIGNIFICANCE,
            common,
        })
    }

    /// Whether so many images at either end are told apart by their rates.
    fn has_rows(&self, shown: usize) -> bool {
        let (most, least) = self.ends(shown);
        let rates = most.last().zip(least.first()).map(|(most, least)| (most.rate[0], least.rate[0]));
        self.differ && rates.is_some_and(|(most, least)| most > least)
    }

    /// Whether there are twice as many images from either end to show.
    fn has_more(&self) -> bool {
        self.images.len() >= 4 * SHOWN && self.has_rows(2 * SHOWN)
    }

    /// Returns the remark on images beyond so many from either end, if others have the rate of the last one.
    fn cut(&self, shown: usize, plural: &str) -> String {
        let (images, hidden) = (&self.images, self.images.len().saturating_sub(2 * shown));
        let same = |a: usize, b: usize| images[a].rate[0].total_cmp(&images[b].rate[0]).is_eq();
        let is_cut =
            shown > 0 && hidden > 0 && (same(shown - 1, shown) || same(shown + hidden - 1, shown + hidden));
        if is_cut {
            format!(
                " {plural} that are not shown have the same rate as some that are: among them, names decide."
            )
        } else {
            String::new()
        }
    }

    /// So many images that convince most, and that convince least. No image is among both.
    fn ends(&self, shown: usize) -> (&[Image<'a>], &[Image<'a>]) {
        let shown = shown.min(self.images.len() / 2);
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

/// The images themselves where they are given, and otherwise their rates.
fn figure(source: &ReportSource<'_>, rated: &Rated<'_>, shown: usize, id: String) -> Figure {
    let (most, least) = rated.ends(shown);
    let model = source.label_of(&rated.model);
    let media = source.findings.media();
    let (a, plural) = (if media.is_image() { "An" } else { "A" }, media.plural());
    let capital = capital(plural);
    let all = || most.iter().chain(least);
    let given = source.pictures.filter(|given| all().any(|image| given.has(image.path)));
    let mut data = table();
    for ((part, _), images) in ROWS.into_iter().zip([most, least]) {
        for image in images {
            push(&mut data, if given.is_some() { part } else { IMAGE }, image, rated.common);
        }
    }
    let mut not = format!(
        "{a} {media} at either end may be there by chance: see the intervals of the rates.{}",
        rated.cut(most.len(), &capital)
    );
    if given.is_some_and(|given| all().any(|image| !given.has(image.path))) {
        let _ = write!(
            not,
            " Empty frames are {plural} whose files are missing or have changed since the study."
        );
    }
    let chart = match given {
        Some(pictures) => Chart::Gallery {
            groups: ROWS
                .map(|(part, title)| PictureGroup {
                    title: title.to_owned(),
                    part,
                    picture: "path",
                    text: "text",
                })
                .to_vec(),
            pictures: pictures.clone(),
        },
        None => rates(rated, most.len(), source.tone(&rated.model)),
    };
    Figure {
        id,
        title: format!("{capital} that convince most and least: {model}"),
        reading: Explanation {
            question: format!("Which {plural} are taken for real, and which are not?"),
            how: format!(
                "{capital} are in the order of their rates, drawn towards the mean of all {plural} of the model by a beta-binomial \
                 distribution. With each: how often it was taken for real, of how many answers."
            ),
            not,
        },
        description: format!(
            "The {} of {model} that convince most have rates of {}, the {} that convince least of {}.",
            counted(most.len(), &media.to_string()),
            shares(most),
            least.len(),
            shares(least)
        ),
        data,
        chart,
    }
}

/// The shrunken rates of a row of images, from the lowest to the highest.
fn shares(images: &[Image<'_>]) -> String {
    let percent = |image: Option<&Image<'_>>| fixed(image.map_or(0.0, |image| image.rate[0]) * 100.0, 0);
    match (percent(images.last()), percent(images.first())) {
        (low, high) if low == high => format!("{low}%"),
        (low, high) => format!("{low} to {high}%"),
    }
}

/// The rates with their intervals.
fn rates(rated: &Rated<'_>, shown: usize, tone: Tone) -> Chart {
    let (most, least) = rated.ends(shown);
    let names: Vec<String> =
        most.iter().chain(least).map(|image| image.name[rated.common..].to_owned()).collect();
    let missing = rated.images.len() - names.len();
    let gap = (missing > 0).then_some((most.len(), missing));
    let answers =
        Beside { heading: "answers".to_owned(), part: IMAGE, at: "image", text: BesideText::Column("text") };
    let panel = FigurePanel {
        beside: vec![answers],
        ..FigurePanel::new(
            PanelAxis::numbers("taken for real, shrunken rate (%)").times(100.0).including(&[0.0, 1.0]),
            PanelAxis::Categories { names, gap },
            vec![
                Mark::interval(IMAGE, "image", ["low", "high"], Width::Bold, tone),
                Mark::dots(IMAGE, ["rate", "image"], Dot::Large, tone),
            ],
        )
    };
    panel.alone()
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
