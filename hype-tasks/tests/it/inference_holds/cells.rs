//! `by_facet` and `trend` where each cell has raters of its own, in numbers and with spreads that differ between cells.

use hype_analyses::aggregators::facets::{ByFacet, TrendAlong};
use hype_core::model::findings::{GeneralizeTo, Interval};
use hype_core::{Facet, FacetCell, FacetScale, RaterDesign, ScoreTable};

use super::studies::{Share, Source, analyse, context};
use crate::proof;

const LEVELS: [&str; 4] = ["1", "2", "4", "8"];

/// A cell: its number of raters, and their standard deviation.
type Cell = (usize, f64);

/// One design: its name, and for each model its cells along the levels.
struct Design {
    name: &'static str,
    cells: Vec<Vec<Cell>>,
    /// Whether values are log-normal in place of normal.
    skewed: bool,
}

fn designs() -> Vec<Design> {
    let of = |name, cells: &[&[Cell]]| Design {
        name,
        cells: cells.iter().map(|cells| cells.to_vec()).collect(),
        skewed: false,
    };
    let even = |raters, sd| vec![(raters, sd); 3];
    let mut all = vec![
        of(
            "3 × 3, small cells vary most",
            &[&[(8, 150.0), (8, 150.0), (30, 50.0)], &[(30, 50.0); 3], &[(30, 50.0); 3]],
        ),
        of(
            "2 × 4, one cell of 6 among 30",
            &[&[(6, 150.0), (30, 50.0), (30, 50.0), (30, 50.0)], &[(30, 50.0); 4]],
        ),
        of("2 × 2, 8 and 30", &[&[(8, 150.0), (30, 50.0)], &[(30, 50.0), (8, 150.0)]]),
        of("2 × 3, large cells vary most", &[&[(30, 150.0), (8, 50.0), (8, 50.0)], &[(8, 50.0); 3]]),
        of("1 × 4, small levels vary most", &[&[(6, 160.0), (10, 80.0), (20, 60.0), (40, 40.0)]]),
        of("1 × 4, large levels vary most", &[&[(6, 40.0), (10, 60.0), (20, 80.0), (40, 160.0)]]),
        of("1 × 3, ends of 6", &[&[(6, 160.0), (40, 40.0), (6, 160.0)]]),
        of("2 × 3, a level of 2", &[&[(2, 50.0), (8, 50.0), (8, 50.0)], &[(8, 50.0); 3]]),
        of("2 × 3, a level of 3 varies most", &[&[(3, 150.0), (10, 50.0), (10, 50.0)], &[(10, 50.0); 3]]),
        of("2 × 3, cells of 4", &[&[(4, 100.0), (4, 50.0), (4, 50.0)], &[(4, 50.0); 3]]),
    ];
    for raters in [3, 5, 10, 30] {
        let cells = vec![even(raters, 50.0), even(raters, 50.0)];
        all.push(Design { name: "2 × 3, all alike", cells, skewed: false });
    }
    all.push(Design {
        name: "2 × 3, log-normal", cells: vec![even(10, 50.0), even(10, 50.0)], skewed: true
    });
    all
}

fn check(design: &Design, studies: u32) {
    let sizes: Vec<String> = design
        .cells
        .iter()
        .map(|cells| cells.iter().map(|(raters, sd)| format!("{raters}:{sd}")).collect::<Vec<_>>().join(" "))
        .collect();
    let label = format!("cells: {}, {}", design.name, sizes.join(" / "));
    let mut source = Source::new(&label);
    let levels = &LEVELS[..design.cells[0].len()];
    let facet = Facet {
        name: "level".into(),
        levels: levels.iter().map(|&level| level.into()).collect(),
        scale: Some(FacetScale::Linear),
    };
    let name = |model: usize, level: usize| format!("m{model}/{}", levels[level]);
    let cells = (0..design.cells.len())
        .flat_map(|model| (0..levels.len()).map(move |level| (model, level)))
        .map(|(model, level)| FacetCell {
            name: name(model, level).into(),
            model: format!("m{model}").into(),
            levels: [("level".into(), levels[level].into())].into(),
        });
    let context = context(&[("score", "ms")], RaterDesign::Between, GeneralizeTo::Raters)
        .with_facets(vec![facet], cells.collect())
        .with_cell_design(RaterDesign::Between);
    let by = ByFacet { within: "level".into(), ..ByFacet::default() };
    let trend = TrendAlong { along: "level".into(), ..TrendAlong::default() };
    // The mean of a log-normal variable whose logarithm has a standard deviation of 0.8, and its standard deviation.
    let (mean, sd) = (0.32_f64.exp(), (0.32_f64.exp().powi(2) * (0.64_f64.exp() - 1.0)).sqrt());
    let [mut interactions, mut slopes, mut departures, mut means] = [Share::default(); 4];
    let mut significant = Share::default();
    let covers = |range: &Interval| range.low <= 0.0 && 0.0 <= range.high;
    for _ in 0..studies {
        let mut table = ScoreTable::default();
        for (model, cells) in design.cells.iter().enumerate() {
            for (level, &(raters, spread)) in cells.iter().enumerate() {
                let cell = name(model, level);
                for rater in 0..raters {
                    let normal = source.normal();
                    let value = if design.skewed { ((0.8 * normal).exp() - mean) / sd } else { normal };
                    let rater = format!("{cell} {rater}");
                    table.push(&hype_core::Row::new(&rater, &cell, "score", spread * value));
                }
            }
        }
        let found = analyse(&by, &context, &table).unwrap().measures.remove(0);
        let together = &found.interactions[0];
        if let Some(test) = &together.test {
            interactions.count(test.p.unwrap() <= 0.05);
        }
        for mean in &together.macro_means {
            means.count(covers(mean.interval.as_ref().unwrap()));
        }
        for trend in &analyse(&trend, &context, &table).unwrap().measures.remove(0).trends {
            slopes.count(covers(trend.interval.as_ref().unwrap()));
            significant.count(trend.p.unwrap() <= 0.05);
            if let Some(departure) = &trend.departure {
                departures.count(departure.p.unwrap() <= 0.05);
            }
        }
    }
    proof::row(&[
        design.name,
        &sizes.join(" / "),
        &interactions.cell(),
        &slopes.cell(),
        &departures.cell(),
        &means.cell(),
    ]);
    // Skewed values of few raters are the subject of a warning of their own.
    let (most, least) = if design.skewed { (7.0, 92.0) } else { (6.0, 93.5) };
    for (share, what) in [(interactions, "interaction"), (departures, "departure"), (significant, "slope")] {
        // Of designs of one model or two levels there are no such tests.
        let rejects = share.percent().max(0.0);
        assert!(rejects <= most + share.slack(most), "{label}, {what}: {}", share.cell());
    }
    for (share, what) in [(means, "means"), (slopes, "slopes")] {
        assert!(share.percent() >= least - share.slack(least), "{label}, {what}: {}", share.cell());
    }
}

#[test]
fn equal_cells_of_other_raters() {
    for design in designs() {
        check(&design, proof::sized(50, 10_000));
    }
}
