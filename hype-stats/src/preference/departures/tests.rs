//! Departures against tests that are known in closed form.

use crate::clustered::Target;
use crate::preference::{
    BradleyTerry, CellGrades, CellVotes, Comparisons, Departure, GradeFit, PlackettLuce, Rankings, Ties,
};

/// Votes for the first of two models: rater, item, level, wins of the first and of the second, ties.
type Votes = (u32, u32, usize, [u64; 3]);

fn departures(ties: Ties, votes: &[Votes], target: Target) -> Vec<Departure> {
    let cells: Vec<(usize, CellVotes)> = votes
        .iter()
        .map(|&(rater, item, level, counts)| (level, CellVotes { rater, item, first: 0, second: 1, counts }))
        .collect();
    fitted(2, ties, &cells, target)
}

fn fitted(models: usize, ties: Ties, cells: &[(usize, CellVotes)], target: Target) -> Vec<Departure> {
    let mut table = Comparisons::new(models).unwrap();
    for (_, cell) in cells {
        for (outcome, count) in super::ComparisonOutcome::ALL.into_iter().zip(cell.counts) {
            table.push_count(cell.first, cell.second, outcome, count).unwrap();
        }
    }
    let fit = BradleyTerry::new(ties).fit(&table).unwrap();
    fit.departures(cells.iter().copied(), target).unwrap()
}

fn assert_near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-6 * want.abs().max(1.0), "{got}, not {want}");
}

#[test]
fn independent_votes_have_the_chi_squared_of_two_shares() {
    // 30 of 40 at one level, 33 of 60 at the other: a pooled share of 0.63.
    let votes = [(0, 0, 0, [30, 10, 0]), (1, 1, 1, [33, 27, 0])];
    let found = departures(Ties::Half, &votes, Target::Raters);
    assert_eq!(found.len(), 4);
    let first = &found[0];
    assert_eq!((first.observed, first.comparisons, first.is_mirrored), (0.75, 40, false));
    assert_near(first.expected, 0.63);
    // Pearson's statistic of the table 30, 10, 33, 27: 100 (30 · 27 - 10 · 33)² / (40 · 60 · 63 · 37).
    let chi = 100.0 * (30.0 * 27.0 - 10.0 * 33.0_f64).powi(2) / (40.0 * 60.0 * 63.0 * 37.0);
    assert_near((first.excess() / first.independent.unwrap()).powi(2), chi);
    for mirrored in &found[1..] {
        assert!(mirrored.is_mirrored);
        assert_near((mirrored.excess() / mirrored.independent.unwrap()).powi(2), chi);
    }
}

#[test]
fn raters_of_both_levels_have_the_paired_t_of_their_shares() {
    let wins = [[9, 4], [8, 6], [5, 5], [9, 2], [7, 6]];
    let votes: Vec<Votes> = (0..5)
        .flat_map(|rater: u32| {
            [0, 1].map(|level| {
                let won = wins[rater as usize][level];
                (rater, level as u32, level, [won, 10 - won, 0])
            })
        })
        .collect();
    let found = departures(Ties::Half, &votes, Target::Raters);
    // The differences 5, 2, 0, 7, 1 have the mean 3 and the variance 34 / 4.
    let t = 3.0 / (34.0 / 4.0 / 5.0_f64).sqrt();
    let variance = found[0].variance.as_ref().unwrap();
    assert_near(found[0].excess() / variance.standard_error(), t);
    assert_eq!(variance.degrees_of_freedom(), [4.0]);
    // Two-sided with 4 degrees of freedom, by 1 - 3/4 u (1 - u² / 12) with u = t / √(1 + t² / 4).
    assert_near(found[0].p().unwrap(), 0.0828574281);
}

#[test]
fn raters_of_one_level_each_have_welchs_t() {
    let wins = [9, 8, 6, 9, 7, 5, 2, 6, 4, 3];
    let votes: Vec<Votes> = (0..10)
        .map(|rater: u32| {
            let won = wins[rater as usize];
            (rater, 0, usize::from(rater >= 4), [won, 10 - won, 0])
        })
        .collect();
    let found = departures(Ties::Half, &votes, Target::Raters);
    let variance = found[0].variance.as_ref().unwrap();
    let moments = |all: &[u64]| {
        let count = all.len() as f64;
        let mean = all.iter().sum::<u64>() as f64 / count;
        let squares: f64 = all.iter().map(|&won| (won as f64 - mean).powi(2)).sum();
        (mean, squares / (count - 1.0) / count, count)
    };
    let ((one, part, n), (other, rest, m)) = (moments(&wins[..4]), moments(&wins[4..]));
    assert_near(found[0].excess() / variance.standard_error(), (one - other) / (part + rest).sqrt());
    let df = (part + rest).powi(2) / (part * part / (n - 1.0) + rest * rest / (m - 1.0));
    assert_near(variance.degrees_of_freedom()[0], df);
}

#[test]
fn a_model_may_win_every_vote_at_a_level() {
    let votes: Vec<Votes> = (0..6)
        .flat_map(|rater| [(rater, 0, 0, [10, 0, 0]), (rater, 1, 1, [4 + u64::from(rater % 3), 6, 0])])
        .collect();
    let found = departures(Ties::Half, &votes, Target::Raters);
    assert_eq!(found[0].observed, 1.0);
    assert!(found[0].p().unwrap() < 0.002, "{:?}", found[0].p());
}

#[test]
fn ties_count_half_and_their_propensity_is_allowed_for() {
    let cells: Vec<(usize, CellVotes)> = (0..8)
        .flat_map(|rater: u32| {
            [0, 1].into_iter().flat_map(move |level| {
                [(0, 1), (1, 2), (0, 2)].map(|(first, second)| {
                    let more = u64::from(rater % 2) + level as u64;
                    (level, CellVotes { rater, item: level as u32, first, second, counts: [3 + more, 2, 2] })
                })
            })
        })
        .collect();
    for ties in [Ties::Half, Ties::Davidson, Ties::LeftOut] {
        let found = fitted(3, ties, &cells, Target::Raters);
        assert_eq!(found.len(), 6);
        for level in [0, 1] {
            // Wins of some models beyond what is expected are losses of others.
            let sum: f64 = found
                .iter()
                .filter(|one| one.level == level)
                .map(|one| one.excess() * one.comparisons as f64)
                .sum();
            assert!(sum.abs() < 1e-6, "{ties:?}: {sum}");
        }
        for model in 0..3 {
            let sum: f64 = found
                .iter()
                .filter(|one| one.model == model)
                .map(|one| one.excess() * one.comparisons as f64)
                .sum();
            assert!(sum.abs() < 1e-6, "{ties:?}: {sum}");
        }
        assert!(found.iter().all(|one| one.p().is_ok() && one.independent.unwrap() > 0.0));
    }
}

#[test]
fn a_level_of_one_item_has_no_error_over_items() {
    let votes: Vec<Votes> = (0..4)
        .flat_map(|rater: u32| {
            (0..5).map(move |item: u32| {
                (rater, item, usize::from(item > 0), {
                    let lost = u64::from((rater + item).is_multiple_of(3));
                    [1 - lost, lost, 0]
                })
            })
        })
        .collect();
    for target in [Target::Items, Target::RatersAndItems] {
        let found = departures(Ties::Half, &votes, target);
        assert!(found.iter().all(|one| one.p().is_err()), "{target:?}");
    }
    assert!(departures(Ties::Half, &votes, Target::Raters).iter().all(|one| one.p().is_ok()));
}

#[test]
fn one_level_has_no_departures() {
    assert!(departures(Ties::Half, &[(0, 0, 3, [3, 2, 0]), (1, 0, 3, [1, 4, 0])], Target::Raters).is_empty());
}

fn graded(cells: &[(usize, CellGrades)], models: usize, target: Target) -> (GradeFit, Vec<Departure>) {
    let all: Vec<CellGrades> = cells.iter().map(|(_, cell)| *cell).collect();
    let fit = GradeFit::new(models, &all, false).unwrap();
    let found = fit.departures(cells.iter().copied(), target).unwrap();
    (fit, found)
}

fn grades(rater: u32, models: [u32; 2], grades: &[f64]) -> CellGrades {
    CellGrades {
        rater,
        item: 0,
        first: models[0],
        second: models[1],
        count: grades.len() as u64,
        sum: grades.iter().sum(),
        squares: grades.iter().map(|grade| grade * grade).sum(),
    }
}

#[test]
fn grades_at_two_levels_have_the_paired_t_of_raters_means() {
    // Sums of two grades at each level, one of them with the models the other way round.
    let sums = [[4.0, 1.0], [2.0, 1.0], [0.0, 0.0], [5.0, -1.0], [3.0, 2.0]];
    let cells: Vec<(usize, CellGrades)> = (0..5)
        .flat_map(|rater: u32| {
            [0, 1].into_iter().flat_map(move |level| {
                let sum: f64 = sums[rater as usize][level];
                let half = 0.5 * sum;
                [(level, grades(rater, [0, 1], &[half])), (level, grades(rater, [1, 0], &[-half]))]
            })
        })
        .collect();
    let (fit, found) = graded(&cells, 2, Target::Raters);
    assert_eq!((found.len(), found[0].comparisons), (4, 10));
    assert_near(found[0].observed, 1.4);
    assert_near(found[0].expected, 1.7 / 2.0);
    assert_near(found[1].observed, -1.4);
    // The differences 3, 1, 0, 6, 1 have the mean 2.2 and the sum of squares 22.8 around it.
    let t = 2.2 / (22.8 / 4.0 / 5.0_f64).sqrt();
    let variance = found[0].variance.as_ref().unwrap();
    assert_near(found[0].excess() / variance.standard_error(), t);
    assert_eq!(variance.degrees_of_freedom(), [4.0]);
    // Independent grades: half the difference of two means of ten.
    assert_near(found[0].independent.unwrap().powi(2), fit.residual_variance.unwrap() / 20.0);
    assert_eq!(found.iter().filter(|one| !one.is_mirrored).count(), 1);
}

#[test]
fn equal_grades_at_all_levels_depart_by_nothing() {
    let cells: Vec<(usize, CellGrades)> = (0..6)
        .flat_map(|rater: u32| {
            (0..3).flat_map(move |level| {
                let more = f64::from(rater % 3);
                [([0, 1], 1.0 + more), ([1, 2], 2.0 - more), ([0, 2], 3.0)]
                    .map(|(models, grade)| (level, grades(rater, models, &[grade])))
            })
        })
        .collect();
    let (_, found) = graded(&cells, 3, Target::Raters);
    assert_eq!(found.len(), 9);
    for one in &found {
        assert!(one.excess().abs() < 1e-12 && one.p().unwrap() > 0.999, "{one:?}");
    }
    // More grades at a level than parameters are not needed there, but some between two levels.
    assert!(graded(&[(0, grades(0, [0, 1], &[1.0]))], 2, Target::Raters).1.is_empty());
}

/// Rankings, best first, with rater, item and level.
fn ranked(models: usize, all: &[(u32, u32, usize, Vec<u32>)], target: Target) -> Vec<Departure> {
    let mut rankings = Rankings::new(models).unwrap();
    all.iter().for_each(|(_, _, _, ranking)| rankings.push(ranking).unwrap());
    let fit = PlackettLuce::new().fit(&rankings).unwrap();
    let levels: Vec<usize> = all.iter().map(|(_, _, level, _)| *level).collect();
    let raters: Vec<u32> = all.iter().map(|(rater, ..)| *rater).collect();
    let items: Vec<u32> = all.iter().map(|(_, item, ..)| *item).collect();
    fit.departures(&rankings, &levels, [&raters, &items], target).unwrap()
}

#[test]
fn rankings_of_two_depart_like_votes() {
    let won = |rater: u32, item: u32| (rater * 5 + item * 3) % 7 > 2 + item % 2;
    let (mut votes, mut rankings) = (Vec::new(), Vec::new());
    for rater in 0..6 {
        for item in 0..8 {
            let level = item as usize % 3;
            let first = u64::from(won(rater, item));
            votes.push((rater, item, level, [first, 1 - first, 0]));
            rankings.push((rater, item, level, if first == 1 { vec![0, 1] } else { vec![1, 0] }));
        }
    }
    for target in [Target::Raters, Target::Items, Target::RatersAndItems] {
        let (by_votes, by_rankings) = (departures(Ties::Half, &votes, target), ranked(2, &rankings, target));
        assert_eq!(by_votes.len(), 6);
        for (vote, ranking) in by_votes.iter().zip(&by_rankings) {
            assert_eq!(
                (vote.level, vote.model, vote.comparisons),
                (ranking.level, ranking.model, ranking.comparisons)
            );
            assert_near(ranking.observed, vote.observed);
            assert_near(ranking.expected, vote.expected);
            assert_near(ranking.independent.unwrap(), vote.independent.unwrap());
            assert_near(ranking.p().unwrap(), vote.p().unwrap());
        }
    }
}

#[test]
fn rankings_that_turn_round_depart() {
    let turned: Vec<(u32, u32, usize, Vec<u32>)> = (0..12)
        .flat_map(|rater: u32| {
            let one = [vec![0, 1, 2], vec![0, 2, 1], vec![1, 0, 2]][rater as usize % 3].clone();
            let other = [vec![2, 1, 0], vec![1, 2, 0], vec![2, 0, 1]][rater as usize % 3].clone();
            [(rater, 0, 0, one), (rater, 1, 1, other)]
        })
        .collect();
    let found = ranked(3, &turned, Target::Raters);
    assert_eq!(found.iter().filter(|one| !one.is_mirrored).count(), 3);
    let of = |model: usize| found.iter().find(|one| (one.level, one.model) == (0, model)).unwrap();
    // Never the last at the first level, in two of three rankings at the other.
    assert_eq!((of(0).observed, of(0).comparisons), (1.0, 12));
    assert!(of(0).excess() > 0.2 && of(0).p().unwrap() < 0.01, "{:?}", of(0));
    assert!(of(2).excess() < -0.2 && of(2).p().unwrap() < 0.01, "{:?}", of(2));
    for level in [0, 1] {
        let sum: f64 = found.iter().filter(|one| one.level == level).map(Departure::excess).sum();
        assert!(sum.abs() < 1e-9, "{sum}");
    }
    // Lengths that do not fit are refused.
    let mut rankings = Rankings::new(2).unwrap();
    rankings.push(&[0, 1]).unwrap();
    rankings.push(&[1, 0]).unwrap();
    let fit = PlackettLuce::new().fit(&rankings).unwrap();
    let refused = fit.departures(&rankings, &[0], [&[0, 1], &[0, 0]], Target::Raters);
    assert!(refused.is_err());
}
