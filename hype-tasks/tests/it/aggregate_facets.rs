//! `by_facet` and `trend` give what follows from Table 4 and section 4.5 of the HYPE paper (Zhou et al. 2019), with values
//! computed by statsmodels 0.15.0. Its standard deviations are its standard errors times √30 · √(30/29).

use std::sync::Arc;

use hype_analyses::aggregators::ByModel;
use hype_analyses::aggregators::by_model::Pairs;
use hype_analyses::aggregators::facets::{ByFacet, TrendAlong};
use hype_core::model::findings::{Comparison, GeneralizeTo, MeasureFindings, Test};
use hype_core::model::score::{Direction, Row};
use hype_core::{
    Accumulator, Aggregated, Aggregation, AggregatorSpec, Facet, FacetCell, FacetScale, LevelsByName,
    Measure, RaterDesign, ScoreTable, Streams,
};
use hype_stats::ttest::{self, Alternative};

use crate::tables::{excluded, faults, yaml};

const CLASSES: [&str; 5] = ["lemon", "samoyed", "library", "horn", "baseball"];
const MODELS: [&str; 3] = ["BigGAN-trunc", "BigGAN", "SN-GAN"];

/// Means and standard errors of Table 4.
const TABLE_4: [[(f64, f64); 3]; 5] = [
    [(18.4, 2.3), (20.2, 2.2), (12.0, 1.6)],
    [(19.9, 2.6), (19.7, 2.2), (5.8, 0.9)],
    [(17.4, 2.1), (22.9, 2.1), (13.6, 1.9)],
    [(7.3, 1.8), (6.9, 1.4), (3.6, 1.0)],
    [(1.9, 0.7), (2.2, 0.6), (2.8, 1.5)],
];

/// Thirty raters of a cell: half of them lie as far above the mean as the other half below.
fn raters(scores: &mut ScoreTable, model: &str, mean: f64, half_range: f64) {
    for number in 0..30 {
        let value = if number % 2 == 0 { mean + half_range } else { mean - half_range };
        scores.push(&Row::new(&format!("{model} {number}"), model, "error", value));
    }
}

fn cell(model: &str, levels: &[(&str, &str)]) -> FacetCell {
    let name = levels.iter().fold(model.to_owned(), |name, (_, level)| format!("{name}/{level}"));
    let levels = levels.iter().map(|&(facet, level)| (facet.into(), level.into())).collect();
    FacetCell { name: name.into(), model: model.into(), levels }
}

fn facet(name: &str, levels: &[&str], scale: Option<FacetScale>) -> Facet {
    Facet { name: name.into(), levels: levels.iter().map(|&level| level.into()).collect(), scale }
}

fn context(facets: Vec<Facet>, cells: Vec<FacetCell>, design: RaterDesign) -> Aggregation {
    let measures = vec![Measure::new("error", "error", "%", Direction::Higher)];
    Aggregation::new(measures, design).with_facets(facets, cells)
}

fn table_4() -> (Aggregation, ScoreTable) {
    let (mut scores, mut cells) = (ScoreTable::default(), Vec::new());
    for (model, name) in MODELS.iter().enumerate() {
        for (class, level) in CLASSES.iter().enumerate() {
            let (mean, error) = TABLE_4[class][model];
            cells.push(cell(name, &[("class", level)]));
            raters(&mut scores, &format!("{name}/{level}"), mean, error * 30.0_f64.sqrt());
        }
    }
    (context(vec![facet("class", &CLASSES, None)], cells, RaterDesign::Between), scores)
}

/// Section 4.5: the standard deviation with which F is 63.3, as published.
fn training() -> (Aggregation, ScoreTable) {
    let (mut scores, mut cells) = (ScoreTable::default(), Vec::new());
    for (epoch, mean) in [("4000", 29.5), ("9000", 45.9), ("25000", 50.3)] {
        cells.push(cell("StyleGAN", &[("epoch", epoch)]));
        let half_range = 7.546_381_073 * (29.0_f64 / 30.0).sqrt();
        raters(&mut scores, &format!("StyleGAN/{epoch}"), mean, half_range);
    }
    let epochs = facet("epoch", &["4000", "9000", "25000"], Some(FacetScale::Log));
    (context(vec![epochs], cells, RaterDesign::Between), scores)
}

fn begin(by: &dyn AggregatorSpec, context: &Aggregation) -> Box<dyn Accumulator> {
    by.begin(context)
}

#[track_caller]
fn findings(by: &dyn AggregatorSpec, context: &Aggregation, scores: &ScoreTable) -> Aggregated {
    let mut sums = begin(by, context);
    sums.add(scores).unwrap();
    let found = sums.findings(&[], &Streams::new(1)).unwrap();
    for measure in &found.measures {
        let text = serde_json::to_string(measure).unwrap();
        assert_eq!(&serde_json::from_str::<MeasureFindings>(&text).unwrap(), measure);
    }
    found
}

fn by_class() -> ByFacet {
    ByFacet { within: "class".into(), pairs: Pairs::TukeyKramer, ..ByFacet::default() }
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "got {got}, want {want}");
}

#[track_caller]
fn test<'t>(tests: &'t [Test], name: &str) -> &'t Test {
    tests.iter().find(|test| &*test.name == name).unwrap()
}

#[track_caller]
fn pair<'c>(pairs: &'c [Comparison], models: [&str; 2]) -> &'c Comparison {
    let is = |pair: &&Comparison| models.contains(&&*pair.a) && models.contains(&&*pair.b);
    pairs.iter().find(is).unwrap()
}

#[test]
fn classes_of_table_4_are_tested_one_by_one_and_together() {
    let (context, scores) = table_4();
    let found = findings(&by_class(), &context, &scores);
    let found = &found.measures[0];
    let wanted = [
        (4.2445, 0.01742, 0.05227, 5.2113, 0.0833, 0.0185),
        (15.2696, 2e-6, 1e-5, 25.6728, 0.0, 0.0),
        (5.1009, 0.00804, 0.03216, 5.1642, 0.4002, 0.0058),
        (1.9287, 0.15151, 0.30301, 2.5747, 0.1792, 0.2529),
        (0.1965, 0.82200, 0.82200, 0.1532, 0.8120, 0.9115),
    ];
    assert_eq!(found.facets.len(), wanted.len());
    for ((class, level), (f, p, holm, welch, truncated, plain)) in
        CLASSES.iter().zip(&found.facets).zip(wanted)
    {
        assert_eq!((&*level.facet, &*level.level, level.raters), ("class", *class, 90));
        let anova = test(&level.tests, "one-way ANOVA");
        assert_eq!(anova.df, [2.0, 87.0]);
        near(anova.statistic.unwrap(), f, 6e-5);
        near(anova.p.unwrap(), p, 6e-6);
        near(anova.p_adjusted.unwrap(), holm, 6e-6);
        let unequal = test(&level.tests, "Welch's ANOVA");
        near(unequal.statistic.unwrap(), welch, 6e-5);
        assert!(unequal.p_adjusted.unwrap() >= unequal.p.unwrap());
        assert_eq!(level.comparisons.len(), 3);
        for (model, p) in [("BigGAN-trunc", truncated), ("BigGAN", plain)] {
            // The pairs of all five classes are one family.
            let tolerance = 5.0 * if p > 0.0 { 6e-5 } else { 1e-3 };
            near(pair(&level.comparisons, [model, "SN-GAN"]).p.unwrap(), (5.0_f64 * p).min(1.0), tolerance);
        }
        assert_eq!(level.estimates.len(), 3);
        assert!(level.estimates.windows(2).all(|pair| pair[0].value >= pair[1].value));
    }
    let [together] = found.interactions.as_slice() else { panic!("{:?}", found.interactions) };
    let interaction = together.test.as_ref().unwrap();
    near(interaction.statistic.unwrap(), 3.501_870_24, 1e-8);
    near(interaction.df[0], 6.582_745_55, 1e-7);
    near(interaction.df[1], 317.290_403, 1e-4);
    near(interaction.p.unwrap(), 1.594_058_53e-3, 1e-10);
    let means: Vec<(&str, f64)> =
        together.macro_means.iter().map(|mean| (&*mean.model, mean.value)).collect();
    for ((got, value), (model, mean)) in
        means.into_iter().zip([("BigGAN", 14.38), ("BigGAN-trunc", 12.98), ("SN-GAN", 7.56)])
    {
        assert_eq!(got, model);
        near(value, mean, 1e-12);
    }
    near(together.macro_means[0].se.unwrap(), 0.824_035_49, 1e-7);
    assert_eq!((together.macro_means[0].raters, together.levels.len()), (150, 5));
    assert_eq!(together.family.as_deref(), Some("15 pairs of models at 5 levels of class"));
}

#[test]
fn cells_are_estimated_as_models_are_and_not_compared_across_levels() {
    let (context, scores) = table_4();
    let found = findings(&by_class(), &context, &scores);
    let found = &found.measures[0];
    assert_eq!(found.estimates.len(), 15);
    assert!(found.tests.is_empty() && found.comparisons.is_empty() && found.ranks.is_none());
    let whole = findings(&*yaml("{ kind: by_model }"), &context, &scores);
    assert_eq!(found.estimates, whole.measures[0].estimates);
    let lemon = &found.facets[0].estimates[0];
    let of_cell = found.estimates.iter().find(|estimate| &*estimate.model == "BigGAN/lemon").unwrap();
    assert_eq!((&*lemon.model, lemon.value, &lemon.interval), ("BigGAN", of_cell.value, &of_cell.interval));
}

#[test]
fn training_of_section_4_5_rises_and_levels_off() {
    let (context, scores) = training();
    let by = TrendAlong { along: "epoch".into(), ..TrendAlong::default() };
    let found = findings(&by, &context, &scores);
    let [trend] = found.measures[0].trends.as_slice() else { panic!("{:?}", found.measures[0].trends) };
    assert_eq!((&*trend.model, &*trend.facet, trend.scale), ("StyleGAN", "epoch", FacetScale::Log));
    near(trend.slope.unwrap(), 11.050_426_068, 1e-7);
    near(trend.se.unwrap(), 1.060_901_084, 1e-8);
    near(trend.t.unwrap(), 10.416_075_762, 1e-7);
    near(trend.df.unwrap(), 58.0, 1e-6);
    assert_eq!(trend.p_adjusted, None);
    let departure = trend.departure.as_ref().unwrap();
    near(departure.statistic.unwrap(), 18.105_365_731, 1e-6);
    near(departure.df[1], 58.0, 1e-6);
    let interval = trend.interval.as_ref().unwrap();
    near(0.5 * (interval.low + interval.high), trend.slope.unwrap(), 1e-9);
    let anova = findings(&*yaml("{ kind: by_model, preset: hype-2019 }"), &context, &scores);
    near(test(&anova.measures[0].tests, "one-way ANOVA").statistic.unwrap(), 63.3, 1e-6);
}

/// Two facets: classes, and epochs of one model at each.
#[test]
fn other_facets_stay_in_the_names_of_models() {
    let (mut scores, mut cells) = (ScoreTable::default(), Vec::new());
    for (place, class) in ["lemon", "horn"].into_iter().enumerate() {
        for (step, epoch) in ["1", "2", "4"].into_iter().enumerate() {
            cells.push(cell("gan", &[("class", class), ("epoch", epoch)]));
            raters(&mut scores, &format!("gan/{class}/{epoch}"), 5.0 + step as f64 * place as f64, 1.0);
        }
    }
    let facets = vec![
        facet("class", &["lemon", "horn"], None),
        facet("epoch", &["1", "2", "4"], Some(FacetScale::Log)),
    ];
    let context = context(facets, cells, RaterDesign::Between);
    let by_class = findings(&by_class(), &context, &scores);
    let models: Vec<&str> =
        by_class.measures[0].facets[1].estimates.iter().map(|estimate| &*estimate.model).collect();
    assert_eq!(models, ["gan/4", "gan/2", "gan/1"]);
    let df = &by_class.measures[0].interactions[0].test.as_ref().unwrap().df;
    near(df[0], 2.0, 1e-9);
    near(df[1], 174.0, 1e-9);
    let trends = findings(&*yaml("{ kind: trend, along: epoch }"), &context, &scores);
    let trends = &trends.measures[0].trends;
    let models: Vec<&str> = trends.iter().map(|trend| &*trend.model).collect();
    assert_eq!(models, ["gan/lemon", "gan/horn"]);
    near(trends[0].slope.unwrap(), 0.0, 1e-12);
    near(trends[1].slope.unwrap(), 1.0 / 2.0_f64.ln(), 1e-9);
    near(trends[1].p_adjusted.unwrap(), 2.0 * trends[1].p.unwrap(), 1e-15);
}

#[test]
fn incomparable_levels_are_reported() {
    let (context, scores) = table_4();
    let (design, cell_design) = (RaterDesign::Within, RaterDesign::Within);
    let within = Aggregation { design, cell_design, ..context.clone() };
    let found = findings(&by_class(), &within, &scores);
    let together = &found.measures[0].interactions[0];
    assert_eq!(
        &*together.test.as_ref().unwrap().statistic_name,
        "t",
        "not the F test of other raters in each cell"
    );
    assert!(together.macro_means.iter().all(|mean| mean.interval.is_some()));
    let unknown = ByFacet { within: "colour".into(), ..by_class() };
    let mut sums = begin(&unknown, &context);
    sums.add(&scores).unwrap();
    let refused = sums.findings(&[], &Streams::new(1)).unwrap_err().to_string();
    assert_eq!(refused, "the scores have no facet `colour`; their facets: class");
    // One cell of Table 4 lost all its raters.
    let lost: Vec<String> = (0..30).map(|number| format!("SN-GAN/horn {number}")).collect();
    let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
    let mut sums = begin(&by_class(), &context);
    sums.add(&scores).unwrap();
    let found = sums.findings(&excluded(&lost), &Streams::new(1)).unwrap();
    let measure = &found.measures[0];
    assert_eq!(measure.facets[3].estimates.len(), 2);
    let test = measure.interactions[0].test.as_ref().unwrap();
    assert_eq!(test.undefined.as_deref(), Some("a model has no values at a level of class"));
    assert_eq!(measure.interactions[0].macro_means.len(), 2);
    assert!(found.notes.iter().any(|note| &*note.code == "missing-levels" && note.text.contains("SN-GAN")));
}

#[test]
fn chunks_of_any_size_give_the_whole() {
    let (context, scores) = table_4();
    let whole = findings(&by_class(), &context, &scores);
    let by: Arc<dyn AggregatorSpec> = Arc::new(by_class());
    let mut sums = by.begin(&context);
    for row in scores.rows() {
        let mut one = ScoreTable::default();
        one.push(&row);
        sums.add(&one).unwrap();
    }
    assert_eq!(sums.findings(&[], &Streams::new(1)).unwrap(), whole);
}

#[test]
fn settings_are_checked() {
    assert_eq!(faults(&*yaml("{ kind: by_facet, within: class }")), []);
    crate::tables::example_reads("by_facet");
    crate::tables::example_reads("trend");
}

/// Two models, judged by the same six raters about four items of two categories and one without.
fn of_items() -> (Aggregation, ScoreTable) {
    let mut scores = ScoreTable::default();
    for rater in 0..6_u8 {
        let name = format!("r{rater}");
        for (model, better) in [("b", 0.0), ("a", 1.0)] {
            for (place, item) in ["cat", "cup", "dog", "pot", "sky"].into_iter().enumerate() {
                let noise = f64::from((rater * 7 + place as u8 * 5 + better as u8 * 3) % 11) / 4.0;
                let of_category = if place % 2 == 0 { 2.0 * better } else { -0.5 * better };
                let row = Row::new(&name, model, "error", of_category + noise).of_item(item);
                scores.push(&row);
            }
        }
    }
    let levels = [("cat", "animal"), ("cup", "object"), ("dog", "animal"), ("pot", "object")];
    let levels = levels.map(|(item, level)| (item.into(), [("category".into(), level.into())].into()));
    let facets = vec![facet("category", &["animal", "object"], None)];
    let context = context(facets, Vec::new(), RaterDesign::Within).with_item_levels(levels.into());
    (context, scores)
}

#[test]
fn levels_of_items_match_by_model_over_their_rows() {
    let (context, scores) = of_items();
    let by = ByFacet { within: "category".into(), ..ByFacet::default() };
    let found = findings(&by, &context, &scores).measures.remove(0);
    let plain = |rows: &dyn Fn(&Row<'_>) -> bool| {
        let mut of_level = ScoreTable::default();
        scores.rows().filter(|row| rows(row)).for_each(|row| of_level.push(&row));
        findings(&ByModel::default(), &context, &of_level).measures.remove(0)
    };
    let whole = plain(&|_| true);
    assert_eq!((&found.estimates, &found.comparisons), (&whole.estimates, &whole.comparisons));
    let items: [(&str, &[&str]); 2] = [("animal", &["cat", "dog"]), ("object", &["cup", "pot"])];
    for (level, (name, items)) in found.facets.iter().zip(items) {
        let own = plain(&|row| items.contains(&row.item));
        assert_eq!((&*level.level, level.raters), (name, 6));
        assert_eq!(level.estimates, own.estimates);
        let [pair] = level.comparisons.as_slice() else { panic!("{:?}", level.comparisons) };
        assert_eq!(pair.difference, own.comparisons[0].difference);
        assert_eq!(pair.p, own.comparisons[0].p.map(|p| (2.0 * p).min(1.0)));
        // The smallest p value of the pairs at a level says nothing that the family does not.
        assert!(level.tests.is_empty() && !own.tests.is_empty());
    }

    // Each rater judged both models at both levels: paired t tests of what follows from each rater's means.
    let together = &found.interactions[0];
    let growth: Vec<f64> = (0..6)
        .map(|rater| {
            mean_of(&scores, rater, "a", 0)
                - mean_of(&scores, rater, "b", 0)
                - mean_of(&scores, rater, "a", 1)
                + mean_of(&scores, rater, "b", 1)
        })
        .collect();
    let want = ttest::paired(&growth, &vec![0.0; growth.len()], Alternative::TwoSided, 0.95).unwrap();
    let test = together.test.as_ref().unwrap();
    assert_eq!((&*test.statistic_name, &test.df), ("t", &vec![5.0]));
    near(test.statistic.unwrap().abs(), want.t.abs(), 1e-9);
    near(test.p.unwrap(), want.p, 1e-12);
    assert_eq!(together.macro_means.len(), 2);
    for mean in &together.macro_means {
        let over: Vec<f64> = (0..6)
            .map(|rater| {
                f64::midpoint(
                    mean_of(&scores, rater, &mean.model, 0),
                    mean_of(&scores, rater, &mean.model, 1),
                )
            })
            .collect();
        let want = ttest::paired(&over, &vec![0.0; over.len()], Alternative::TwoSided, 0.95).unwrap();
        let range = mean.interval.as_ref().unwrap();
        near(mean.value, want.difference, 1e-12);
        near(range.low, want.low, 1e-9);
        near(range.high, want.high, 1e-9);
        assert_eq!((mean.raters, mean.responses), (6, 24));
    }
    let trend = TrendAlong { along: "category".into(), ..TrendAlong::default() };
    let trends = findings(&trend, &context, &scores).measures.remove(0).trends;
    let names: Vec<&str> = trends.iter().map(|trend| &*trend.model).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(
        trends.iter().all(|trend| trend.p.is_none() && trend.undefined.is_some()),
        "names are not numbers"
    );
}

/// The mean of a rater's values of a model about the items of a category.
fn mean_of(scores: &ScoreTable, rater: u8, model: &str, category: usize) -> f64 {
    let items = [["cat", "dog"], ["cup", "pot"]][category];
    let rater = format!("r{rater}");
    let is_own = |row: &Row<'_>| row.rater == rater && row.model == model && items.contains(&row.item);
    let values: Vec<f64> = scores.rows().filter(is_own).map(|row| row.value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn raters_of_all_levels_have_slopes_of_their_own() {
    let (mut context, scores) = of_items();
    let number = |item: &str| {
        ["1", "2", "3", "5", "7"]
            [["cat", "cup", "dog", "pot", "sky"].iter().position(|one| *one == item).unwrap()]
    };
    let levels = ["cat", "cup", "dog", "pot", "sky"]
        .map(|item| (item.into(), [("size".into(), number(item).into())].into()));
    context.facets = vec![facet("size", &["1", "2", "3", "5", "7"], Some(FacetScale::Linear))];
    let context = context.with_item_levels(levels.into());
    let trend = TrendAlong { along: "size".into(), ..TrendAlong::default() };
    let trends = findings(&trend, &context, &scores).measures.remove(0).trends;
    for trend in &trends {
        let slopes: Vec<f64> = (0..6)
            .map(|rater| {
                let rater = format!("r{rater}");
                let own = scores.rows().filter(|row| row.rater == rater && *row.model == *trend.model);
                let weight = |x: f64| (x - 3.6) / 23.2;
                own.map(|row| weight(number(row.item).parse().unwrap()) * row.value).sum()
            })
            .collect();
        let want = ttest::paired(&slopes, &vec![0.0; slopes.len()], Alternative::TwoSided, 0.95).unwrap();
        near(trend.slope.unwrap(), want.difference, 1e-12);
        near(trend.t.unwrap(), want.t, 1e-9);
        near(trend.p.unwrap(), want.p, 1e-12);
        near(trend.interval.as_ref().unwrap().low, want.low, 1e-9);
        assert_eq!(trend.df, Some(5.0));
        assert!(trend.departure.as_ref().unwrap().p.is_some());
    }
}

#[test]
fn levels_of_items_are_found_in_chunks() {
    let (context, scores) = of_items();
    let by = ByFacet { within: "category".into(), ..ByFacet::default() };
    let mut sums = begin(&by, &context);
    for row in scores.rows() {
        let mut one = ScoreTable::default();
        one.push(&row);
        sums.add(&one).unwrap();
    }
    assert_eq!(sums.findings(&[], &Streams::new(1)).unwrap(), findings(&by, &context, &scores));
}

/// Table 4 with its classes as levels of raters: each rater judges one model.
fn of_raters() -> (Aggregation, ScoreTable) {
    let (_, by_cell) = table_4();
    let (mut scores, mut levels) = (ScoreTable::default(), LevelsByName::new());
    for row in by_cell.rows() {
        let (model, class) = row.model.split_once('/').unwrap();
        scores.push(&Row { model, ..row });
        levels.insert(row.rater.into(), [("group".into(), class.into())].into());
    }
    let facets = vec![facet("group", &CLASSES, None)];
    (context(facets, Vec::new(), RaterDesign::Between).with_rater_levels(levels), scores)
}

fn by_group() -> ByFacet {
    ByFacet { within: "group".into(), ..by_class() }
}

#[test]
fn levels_of_raters_are_compared_as_cells_are() {
    let (context, scores) = of_raters();
    let found = findings(&by_group(), &context, &scores);
    assert_eq!(found.notes.iter().filter(|note| &*note.code == "missing-levels").count(), 0);
    let found = &found.measures[0];
    let (cell_context, cell_scores) = table_4();
    let of_cells = &findings(&by_class(), &cell_context, &cell_scores).measures[0];
    for (own, cell) in found.facets.iter().zip(&of_cells.facets) {
        assert_eq!((&own.level, own.raters, &own.tests), (&cell.level, cell.raters, &cell.tests));
        assert_eq!((&own.estimates, &own.comparisons), (&cell.estimates, &cell.comparisons));
    }
    let p = |found: &MeasureFindings| found.interactions[0].test.as_ref().unwrap().p.unwrap();
    near(p(found), p(of_cells), 1e-12);
    assert_eq!(found.interactions[0].macro_means, of_cells.interactions[0].macro_means);
    let whole = findings(&*yaml("{ kind: by_model, pairs: tukey-kramer }"), &context, &scores);
    assert_eq!(found.comparisons, whole.measures[0].comparisons, "models are compared over all raters too");
}

/// Levels with declared shares: the means are those of the levels weighted by hand, with equal shares those over levels.
#[test]
fn levels_are_weighted_by_their_shares() {
    let (context, scores) = of_raters();
    let with = |shares: &[f64]| {
        let shares = CLASSES.iter().zip(shares).map(|(&class, &share)| (class.into(), share)).collect();
        findings(&ByFacet { shares, ..by_group() }, &context, &scores).measures.remove(0)
    };
    let found = with(&[0.1, 0.2, 0.3, 0.15, 0.25]);
    let weighted = found.interactions[0].weighted.as_ref().unwrap();
    let shares = [0.1, 0.2, 0.3, 0.15, 0.25];
    weighted.shares.iter().zip(shares).for_each(|(got, want)| near(*got, want, 1e-12));
    for mean in &weighted.estimates {
        let of_levels = found.facets.iter().map(|level| {
            let one = level.estimates.iter().find(|one| one.model == mean.model).unwrap();
            (one.value, one.sem.or(one.se).unwrap())
        });
        let want: f64 = of_levels.clone().zip(shares).map(|((value, _), share)| share * value).sum();
        let variance: f64 = of_levels.zip(shares).map(|((_, sem), share)| (share * sem).powi(2)).sum();
        near(mean.value, want, 1e-9);
        near(mean.se.unwrap(), variance.sqrt(), 1e-9);
    }
    let [first, second] = [&weighted.estimates[0], &weighted.estimates[1]];
    let pair = weighted.comparisons.iter().find(|pair| {
        (pair.a == first.model && pair.b == second.model) || (pair.b == first.model && pair.a == second.model)
    });
    let pair = pair.unwrap();
    near(pair.difference.abs(), (first.value - second.value).abs(), 1e-9);
    near(pair.se.unwrap(), first.se.unwrap().hypot(second.se.unwrap()), 1e-9);
    assert_eq!(weighted.family.as_deref(), Some("3 pairs of weighted means"));
    // As many raters at each level: 5 Σ p².
    let effect: f64 = 5.0 * shares.iter().map(|share| share * share).sum::<f64>();
    weighted.design_effects.values().for_each(|found| near(*found, effect, 1e-12));
    let alike = with(&[0.2; 5]);
    let together = &alike.interactions[0];
    for (mean, weighted) in together.macro_means.iter().zip(&together.weighted.as_ref().unwrap().estimates) {
        assert_eq!(mean.model, weighted.model);
        near(weighted.value, mean.value, 1e-12);
        near(weighted.se.unwrap(), mean.se.unwrap(), 1e-12);
    }
    // Shares of other levels than there are weight nothing, and say so.
    let by = ByFacet { shares: [("lemon".into(), 0.4), ("pear".into(), 0.6)].into(), ..by_group() };
    let other = findings(&by, &context, &scores);
    assert!(other.measures[0].interactions[0].weighted.is_none());
    let note = other.notes.iter().find(|note| &*note.code == "unweighted").unwrap();
    assert!(note.text.contains("lemon and pear") && note.text.contains("3 more"), "{}", note.text);
}

#[test]
fn raters_of_all_models_are_other_people_at_each_level() {
    let (mut context, scores) = of_items();
    context.item_levels.clear();
    let level = |rater: u8| if rater < 3 { "1" } else { "2" };
    let levels =
        (0..5).map(|rater| (format!("r{rater}").into(), [("age".into(), level(rater).into())].into()));
    // No rater of the third level took part.
    let elsewhere = ("nobody".into(), [("age".into(), "3".into())].into());
    context.facets = vec![facet("age", &["1", "2", "3"], Some(FacetScale::Linear))];
    let context = context.with_rater_levels(levels.chain([elsewhere]).collect());
    let over_raters = ByModel { generalize_to: Some(GeneralizeTo::Raters), ..ByModel::default() };
    let by = ByFacet { within: "age".into(), generalize_to: over_raters.generalize_to, ..ByFacet::default() };
    let found = findings(&by, &context, &scores);
    let note = found.notes.iter().find(|note| &*note.code == "missing-levels").unwrap();
    assert_eq!(&*note.text, "1 rater without a level of age, left out of results by level");
    let found = &found.measures[0];
    let raters: Vec<u64> = found.facets.iter().map(|level| level.raters).collect();
    assert_eq!(raters, [3, 2]);
    assert_eq!(found.interactions[0].levels.len(), 2);
    let mut first = ScoreTable::default();
    scores.rows().filter(|row| ["r0", "r1", "r2"].contains(&row.rater)).for_each(|row| first.push(&row));
    assert_eq!(found.facets[0].estimates, findings(&over_raters, &context, &first).measures[0].estimates);
    // Each rater judged both models: the differences of the raters of one level against those of the other.
    let growth = |raters: std::ops::Range<u8>| -> Vec<f64> {
        let mean = |rater: u8, model: &str| {
            let rater = format!("r{rater}");
            let own = scores.rows().filter(|row| row.rater == rater && row.model == model);
            own.map(|row| row.value).sum::<f64>() / 5.0
        };
        raters.map(|rater| mean(rater, "a") - mean(rater, "b")).collect()
    };
    let want = ttest::welch(&growth(0..3), &growth(3..5), Alternative::TwoSided, 0.95).unwrap();
    let test = found.interactions[0].test.as_ref().unwrap();
    near(test.statistic.unwrap().abs(), want.t.abs(), 1e-9);
    near(test.df[0], want.degrees_of_freedom, 1e-9);
    near(test.p.unwrap(), want.p, 1e-9);
    assert!(found.interactions[0].macro_means.iter().all(|mean| mean.interval.is_some()));
    let trend =
        TrendAlong { along: "age".into(), generalize_to: over_raters.generalize_to, ..TrendAlong::default() };
    let trends = &findings(&trend, &context, &scores).measures[0].trends;
    assert!(trends.iter().all(|trend| trend.p.is_some()), "{trends:?}");
}

#[test]
fn raters_without_levels_are_counted() {
    let (context, scores) = of_raters();
    let mut context = context.with_rater_levels(LevelsByName::new());
    context.facets[0].levels.clear();
    let found = findings(&by_group(), &context, &scores);
    let note = found.notes.iter().find(|note| &*note.code == "missing-levels").unwrap();
    assert_eq!(&*note.text, "450 raters without a level of group, left out of results by level");
    assert!(found.measures[0].facets.is_empty() && found.measures[0].interactions.is_empty());
    assert_eq!(found.measures[0].comparisons.len(), 3);
}

#[test]
fn dependence_on_raters_and_losses_is_reported() {
    let (context, mut scores) = training();
    for lost in 0..300 {
        let rater = format!("StyleGAN/4000 {}", lost % 30);
        scores.push_missing(&Row::new(&rater, "StyleGAN/4000", "error", 0.0));
    }
    let found = findings(&TrendAlong { along: "epoch".into(), ..TrendAlong::default() }, &context, &scores);
    let trend = &found.measures[0].trends[0];
    assert!(trend.slope.is_some() && trend.p.is_none() && trend.interval.is_none(), "{trend:?}");
    assert!(trend.undefined.as_ref().is_some_and(|why| why.contains("are missing more often")), "{trend:?}");

    // Raters with higher values answer more, and those who are excluded have the highest.
    let (context, mut scores) = (of_items().0, ScoreTable::default());
    let names: Vec<String> = (0..40).map(|rater| format!("r{rater:02}")).collect();
    for (rater, name) in names.iter().enumerate() {
        for model in ["a", "b"] {
            for answer in 0..=rater {
                let item = if answer % 2 == 0 { "cat" } else { "cup" };
                scores.push(&Row::new(name, model, "error", rater as f64).of_item(item));
            }
        }
    }
    let mut sums = begin(&ByFacet { within: "category".into(), ..ByFacet::default() }, &context);
    sums.add(&scores).unwrap();
    let last: Vec<&str> = names[30..].iter().map(String::as_str).collect();
    let found = sums.findings(&excluded(&last), &Streams::new(1)).unwrap();
    for code in ["informative-numbers", "excluded-differ"] {
        assert!(found.notes.iter().any(|note| &*note.code == code), "{:?}", found.notes);
    }
}
