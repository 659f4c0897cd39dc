//! `by_facet` and `trend` where raters judge items of several levels: interactions, pairs at levels, slopes and means over levels.

use hype_analyses::aggregators::facets::{ByFacet, TrendAlong};
use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_core::{Facet, FacetScale, RaterDesign, ScoreTable};

use super::studies::{Names, Share, Source, analyse, context};
use crate::proof;

const LEVELS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

/// Raters (of each model, between raters), models, levels, and items of each level.
type Design = [usize; 4];

/// One study of equal models at equal levels. Raters differ in leniency, in their taste for models, in what they make of levels and
/// in both together; where items vary, so do these and what models make of them.
fn study(
    [raters, models, levels, per_level]: Design,
    design: RaterDesign,
    items_vary: bool,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let of_items = |sd: f64| if items_vary { sd } else { 0.0 };
    let easy = source.normals(levels * per_level, of_items(0.5));
    let outputs = source.table(levels * per_level, models, of_items(0.25));
    let mut table = ScoreTable::default();
    let of_model = |model: usize| match design {
        RaterDesign::Within => 0..raters,
        RaterDesign::Between => model * raters..(model + 1) * raters,
    };
    let people = of_model(models - 1).end;
    let lenient = source.normals(people, 0.3);
    let tastes = source.table(people, models, 0.2);
    let leanings = source.table(people, levels, 0.2);
    for model in 0..models {
        for rater in of_model(model) {
            for (level, leaning) in leanings[rater].iter().enumerate() {
                let own = lenient[rater] + tastes[rater][model] + leaning + 0.1 * source.normal();
                for item in level * per_level..(level + 1) * per_level {
                    let value = own + easy[item] + outputs[item][model] + source.normal();
                    table.push(&names.row([rater, model], Some(item), "score", value));
                }
            }
        }
    }
    table
}

fn check(sizes: Design, design: RaterDesign, target: GeneralizeTo, studies: u32) {
    let [raters, models, levels, per_level] = sizes;
    let cell = format!("levels: {sizes:?}, {design:?}, {target:?}");
    let mut source = Source::new(&cell);
    let names = Names::new(raters * models, models, levels * per_level);
    let numbers: Vec<_> = LEVELS[..levels].iter().map(|&level| level.into()).collect();
    let facet = Facet { name: "level".into(), levels: numbers, scale: Some(FacetScale::Linear) };
    let level_of = |item: usize| [("level".into(), LEVELS[item / per_level].into())].into();
    let items = (0..levels * per_level).map(|item| (names.item(item).into(), level_of(item))).collect();
    let context = context(&[("score", "")], design, target)
        .with_facets(vec![facet], Vec::new())
        .with_item_levels(items);
    let by = ByFacet { within: "level".into(), ..ByFacet::default() };
    let trend = TrendAlong { along: "level".into(), ..TrendAlong::default() };
    let [mut interactions, mut trends, mut departures, mut pairs] = [Share::default(); 4];
    let [mut means, mut slopes] = [Share::default(); 2];
    let covers = |range: &Interval| range.low <= 0.0 && 0.0 <= range.high;
    for _ in 0..studies {
        let table = study(sizes, design, target == GeneralizeTo::RatersAndItems, &names, &mut source);
        let found = analyse(&by, &context, &table).unwrap().measures.remove(0);
        let together = &found.interactions[0];
        interactions.count(together.test.as_ref().unwrap().p.unwrap() <= 0.05);
        let of_levels = found.facets.iter().flat_map(|level| &level.comparisons);
        pairs.count(of_levels.filter_map(|pair| pair.p).any(|p| p <= 0.05));
        for mean in &together.macro_means {
            means.count(covers(mean.interval.as_ref().unwrap()));
        }
        let found = analyse(&trend, &context, &table).unwrap().measures.remove(0).trends;
        trends.count(found.iter().any(|trend| trend.p_adjusted.or(trend.p).unwrap() <= 0.05));
        for trend in &found {
            slopes.count(covers(trend.interval.as_ref().unwrap()));
            departures.count(trend.departure.as_ref().unwrap().p.unwrap() <= 0.05);
        }
    }
    let percent = |share: Share| format!("{:.1}", share.percent());
    proof::row(&[
        &format!("{design:?}, {target:?}"),
        &raters.to_string(),
        &models.to_string(),
        &levels.to_string(),
        &per_level.to_string(),
        &percent(interactions),
        &percent(trends),
        &percent(departures),
        &percent(pairs),
        &percent(means),
        &percent(slopes),
    ]);
    let tests =
        [(interactions, "interaction"), (trends, "trend"), (departures, "departure"), (pairs, "pairs")];
    for (share, what) in tests {
        assert!(share.percent() <= 6.0 + share.slack(6.0), "{cell}, {what}: {}", share.percent());
    }
    for (share, what) in [(means, "means"), (slopes, "slopes")] {
        assert!(share.percent() >= 93.5 - share.slack(93.5), "{cell}, {what}: {}", share.percent());
    }
}

fn check_all(design: RaterDesign) {
    let sizes: Vec<Design> = proof::sized(
        vec![[3, 2, 3, 5], [10, 3, 3, 5], [5, 2, 8, 3]],
        [3, 5, 10, 30]
            .iter()
            .flat_map(|&raters| [2, 3].map(|models| [raters, models]))
            .flat_map(|[raters, models]| {
                [[3, 5], [4, 10], [8, 3]].map(|[levels, items]| [raters, models, levels, items])
            })
            .collect(),
    );
    for sizes in sizes {
        for target in [GeneralizeTo::Raters, GeneralizeTo::RatersAndItems] {
            check(sizes, design, target, proof::sized(20, 1_000));
        }
    }
}

#[test]
fn equal_levels_of_items_judged_by_raters_of_all_models() {
    check_all(RaterDesign::Within);
}

#[test]
fn equal_levels_of_items_judged_by_raters_of_one_model() {
    check_all(RaterDesign::Between);
}
