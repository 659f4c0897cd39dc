//! Studies of clips, through sessions and scores: the raters of sureal's example give its published values, and what raters give to
//! longer clips is told from what they give to better ones.

use hype_core::model::findings::Table;
use hype_core::model::trial::Part;
use hype_core::study::analysis::Analysis;
use hype_core::{
    Digest, ItemId, Media, Role, ScoreTable, SetId, Stimuli, Stimulus, StimulusSet, Streams, Use,
};
use hype_sim::fixtures;
use hype_stats::preference::relative_difference;
use serde_json::json;

use crate::aggregate_opinion::printed;
use crate::aggregating::{aggregate, measure, named};
use crate::tables::{all_close, assert_close, numbers, yaml};
use crate::{ratings, reference, side_by_side};

const CLIPS: u32 = 79;
const RATERS: u32 = 26;

/// A study in which each rater scores every clip of a processing chain.
fn opinions() -> String {
    format!(
        "seed: 5\nstimuli: {{ chain: {{ role: generated, videos: chain/*.mp4 }} }}\nitems: {{ match: name }}\n\
         task: {{ kind: rating, per_session: {CLIPS} }}\nrubric: {{ kind: opinion, method: acr }}\n\
         aggregate: {{ kind: opinion, model: p910 }}\nraters: {{ per_item: {RATERS} }}\n"
    )
}

/// The clips of each model, one for each item, and how long each is in microseconds.
fn clips(items: u32, models: &[&str], mut duration_us: impl FnMut(usize) -> u64) -> Stimuli {
    let given = fixtures::items(items, models, &[]).items().to_vec();
    let sets = models.iter().map(|name| StimulusSet::new(name, Role::Generated, Use::Main)).collect();
    let mut all = Vec::new();
    for (model, name) in models.iter().enumerate() {
        for item in 0..items {
            let path = format!("{name}/{item:06}.mp4");
            let duration_us = duration_us(model);
            let media = Media::Video { width: 1920, height: 1080, frames: 250, duration_us };
            let digest = Digest::of(path.as_bytes());
            all.push(Stimulus::new(SetId(model as u16), digest, path, media).for_item(ItemId(item)));
        }
    }
    Stimuli::with_items(sets, all, given).unwrap()
}

#[test]
fn raters_of_clips_give_the_values_of_sureal() {
    let (Some(cells), Some(want)) =
        (reference::text("opinion/p910_ratings_79x26.csv"), reference::text("opinion/p910_expected.txt"))
    else {
        return;
    };
    let scores: Vec<Vec<f64>> =
        cells.lines().map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    let study = ratings::from_yaml(&opinions(), clips(CLIPS, &["chain"], |_| 10_000_000));
    assert_eq!(study.places(), RATERS);
    let (mut table, mut answers) = (ScoreTable::default(), 0);
    for place in 0..RATERS {
        let of = |number: u32| scores[number as usize][place as usize];
        let record = ratings::answered(&study, place, |trial, _| {
            let shown = trial.parts.iter().find_map(|part| match part {
                Part::Stimulus { stimulus, exposure: None } => Some(stimulus.0),
                _ => None,
            });
            answers += 1;
            // The score that is missing is answered, and left out below.
            let score = of(shown.unwrap()).max(1.0).to_string();
            ratings::answer_with(trial, &[("opinion", &score)])
        });
        let rater = format!("r{place:02}");
        let found = ratings::scores(&study, &record);
        for row in found.rows().filter(|row| row.measure == "opinion") {
            let score = of(row.item.parse().unwrap());
            assert!(row.value == score || score.is_nan(), "{row:?}");
            if !score.is_nan() {
                table.push(&hype_core::Row { rater: &rater, ..row });
            }
        }
    }
    assert_eq!(answers, CLIPS * RATERS);
    let found = aggregate(&*yaml("{ kind: opinion, model: p910 }"), &["opinion"], &[table]);
    let measure = measure(&found, "opinion");
    assert_eq!((measure.raters, measure.items, measure.responses), (26, 79, 79 * 26 - 1));
    let (stimuli, raters) = (named(measure, "stimuli"), named(measure, "opinion_raters"));
    all_close(&numbers(stimuli, "psi"), &printed(&want, "mos_j"), 1e-9);
    all_close(&numbers(raters, "bias"), &printed(&want, "bias_i"), 1e-9);
    all_close(&numbers(raters, "inconsistency"), &printed(&want, "inconsistency_i"), 1e-9);
    assert_close(measure.estimates[0].value, printed(&want, "mos_j").iter().sum::<f64>() / 79.0, 1e-9);
}

/// A study in which every pair of clips of three models is compared by ten raters.
const PAIRS: &str = "seed: 7
stimuli:
  long: { role: generated, videos: long/*.mp4 }
  medium: { role: generated, videos: medium/*.mp4 }
  short: { role: generated, videos: short/*.mp4 }
items: { match: name }
task: { kind: contrast, per_session: 120, repeats: null, gold: null }
aggregate: { kind: contrast, covariates: [duration] }
raters: { per_item: 10 }
";

#[test]
fn votes_for_longer_clips_are_told_from_votes_for_better_ones() {
    // Log odds of a unit of the relative difference in duration; the better models make the longer clips.
    const BETA: f64 = 3.0;
    const STRENGTHS: [f64; 3] = [0.4, 0.0, -0.4];
    let mut chance = Streams::new(42).stream("clips");
    let stimuli = clips(40, &["long", "medium", "short"], |model| {
        [6_000_000, 5_000_000, 4_000_000][model] * u64::from(60 + chance.below(80)) / 100
    });
    let study = ratings::from_yaml(PAIRS, stimuli);
    let mut found = Analysis::begin(&study);
    let mut votes = 0;
    for record in side_by_side::play_all(&study, |_, trial, _| {
        let shown = trial.parts.iter().find_map(|part| match part {
            Part::Gallery { candidates, exposure: None } => Some(candidates),
            _ => None,
        });
        let [first, second] = [0, 1].map(|place| {
            let stimulus = study.stimuli().get(shown.unwrap()[place].stimulus).unwrap();
            (STRENGTHS[usize::from(stimulus.set.0)], stimulus.media.facts()[0].1)
        });
        let lead = first.0 - second.0 + BETA * relative_difference(first.1, second.1);
        votes += 1;
        let won = chance.happens(1.0 / (1.0 + (-lead).exp()));
        json!({ "preference": if won { "A" } else { "B" } })
    }) {
        found.add(&record).unwrap();
    }
    assert_eq!(votes, 1_200);
    let found = found.findings().unwrap();
    let tables = || found.measures.iter().flat_map(|one| &one.tables);
    let table = |name: &str| -> &Table { tables().find(|table| &*table.name == name).unwrap() };
    let of = |table: &Table, name: &str| numbers(table, name)[0];
    let effects = table("covariates");
    let [sd, beta] = ["sd", "beta"].map(|name| of(effects, name));
    let [low, high] = ["low", "high"].map(|name| of(effects, name));
    // The standard error of a coefficient over 1,200 votes is near 0.06.
    assert!((beta - BETA * sd).abs() < 0.2 && low < BETA * sd && BETA * sd < high, "{effects:?}");
    let adjusted = table("adjusted");
    assert_eq!(adjusted.rows[0][0], "long");
    let [without, with] = ["without", "with"].map(|name| of(adjusted, name));
    assert!((with - STRENGTHS[0]).abs() < 0.2 && without > with + 0.2, "{adjusted:?}");
}
