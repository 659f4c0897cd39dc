//! Tables of votes and grades whose models did not stand first equally often, from raters who prefer a side.

use hype_analyses::aggregators::contrast::PairedPreferences;
use hype_analyses::aggregators::grades::GradedPreferences;
use hype_core::model::findings::GeneralizeTo;
use hype_core::{AggregatorSpec, RaterDesign, ScoreTable};

use super::grades::grade_of;
use super::studies::{Counts, Names, Source, analyse, context, of_measure};
use crate::proof;

const ITEMS: usize = 40;

/// How models come to stand first.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    /// By chance.
    Balanced,
    /// The first model in this share of its comparisons, others by chance.
    Lead(f64),
    /// Always by the order of their names.
    Sorted,
}

/// The kind of answers: which side raters prefer, or by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Votes,
    Grades,
}

/// Raters, models, and comparisons of a rater.
type Design = [usize; 3];

/// One study of equal models, whose log odds of being preferred on the first side are `bias`.
fn study(
    (kind, order, bias): (Kind, Order, f64),
    [raters, models, each]: Design,
    names: &Names,
    source: &mut Source,
) -> ScoreTable {
    let tastes = source.table(raters, models, 0.3);
    let leanings = source.normals(raters, 0.3);
    let mut table = ScoreTable::default();
    for (rater, tastes) in tastes.iter().enumerate() {
        for at in 0..each {
            let one = (source.unit() * models as f64) as usize % models;
            let other = (one + 1 + (source.unit() * (models - 1) as f64) as usize) % models;
            let [low, high] = [one.min(other), one.max(other)];
            let keeps = match order {
                Order::Sorted => true,
                Order::Lead(share) if low == 0 => source.happens(share),
                Order::Balanced | Order::Lead(_) => source.happens(0.5),
            };
            let pair = if keeps { [low, high] } else { [high, low] };
            let latent = tastes[pair[0]] - tastes[pair[1]] + bias + leanings[rater] + source.logistic();
            let item = at % ITEMS;
            match kind {
                Kind::Votes => table.push(&names.vote(rater, pair, item, latent > 0.0)),
                Kind::Grades => {
                    table.push(&names.compared(rater, pair, item, "grade", grade_of(latent)));
                }
            }
        }
    }
    table
}

fn check(what: (Kind, Order, f64), sizes: Design, studies: u32) {
    let [raters, models, _] = sizes;
    type Wanted = (&'static str, f64);
    let (measure, by, found): (_, Box<dyn AggregatorSpec>, &[Wanted]) = match what.0 {
        Kind::Votes => {
            let found: &[Wanted] = &[("strength", 0.0), ("win_rate", 0.5)];
            (("preference", "proportion"), Box::new(PairedPreferences::default()), found)
        }
        Kind::Grades => {
            let found: &[Wanted] = &[("graded_strength", 0.0)];
            (("grade", "grades"), Box::new(GradedPreferences::default()), found)
        }
    };
    let context = context(&[measure], RaterDesign::Within, GeneralizeTo::Raters);
    for &(measure, truth) in found {
        let cell = format!("sides: {what:?}, {sizes:?}, {measure}");
        let mut source = Source::new(&cell);
        let names = Names::new(raters, models, ITEMS);
        let counts = Counts::of(studies, Some(truth), None, || {
            of_measure(analyse(&*by, &context, &study(what, sizes, &names, &mut source))?, measure)
        });
        counts.print(&[&format!("{what:?}"), &raters.to_string(), &models.to_string(), measure]);
        if what.1 == Order::Sorted {
            // Sides and models are one: nothing is said of either.
            assert_eq!((counts.estimates.of, counts.pairs.of), (0, 0), "{cell}");
        } else {
            if measure != "win_rate" {
                counts.rejects_at_most(6.0, &cell);
            }
            // Win rates have no intervals where too few comparisons are in one of both orders.
            if measure != "win_rate" || counts.estimates.of > 0 {
                counts.covers_at_least(93.5, &cell);
            }
        }
    }
}

#[test]
fn a_side_that_raters_prefer_makes_no_model_better() {
    let sizes: Vec<Design> = proof::sized(
        vec![[5, 3, 30], [10, 2, 20]],
        [3, 5, 10, 30]
            .into_iter()
            .flat_map(|raters| [[raters, 2, 20], [raters, 3, 30], [raters, 5, 60]])
            .collect(),
    );
    let orders = [
        (Order::Balanced, 0.4),
        (Order::Lead(0.8), 0.4),
        (Order::Lead(0.95), 0.8),
        (Order::Lead(1.0), 0.4),
        (Order::Sorted, 0.4),
    ];
    for (order, bias) in orders {
        for sizes in &sizes {
            for kind in [Kind::Votes, Kind::Grades] {
                // Of two models, the first always leads.
                let order = if sizes[1] == 2 && order == Order::Lead(1.0) { Order::Sorted } else { order };
                check((kind, order, bias), *sizes, proof::sized(70, 1_000));
            }
        }
    }
}
