mod coverage;

use super::*;
use crate::bootstrap::draws::Draws;
use crate::equivalence::MeanEvidence as _;

/// A wave of `raters` people, numbered from `first`, whose values are normal about the truths with deviation `spread`.
fn normal_wave(
    models: &[u32],
    truths: &[f64],
    raters: u32,
    first: u32,
    spread: f64,
    draws: &mut Draws,
) -> Wave {
    let rows: Vec<f64> =
        (0..raters).flat_map(|_| truths.to_vec()).map(|truth| truth + spread * draws.normal()).collect();
    let size = models.len();
    let means: Vec<f64> =
        (0..size).map(|at| rows.iter().skip(at).step_by(size).sum::<f64>() / f64::from(raters)).collect();
    let contributions: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(place, value)| (value - means[place % size]) / f64::from(raters))
        .collect();
    Wave::new(models, &means, &(first..first + raters).collect::<Vec<_>>(), &contributions).unwrap()
}

const TRUTHS: [f64; 6] = [1.0, 0.6, 0.2, -0.2, -0.6, -1.0];

#[test]
fn one_wave_is_itself() {
    let mut draws = Draws::new(1, 0);
    let board = Linked::new(normal_wave(&[0, 1, 2, 3, 4, 5], &TRUTHS, 100, 0, 1.0, &mut draws)).unwrap();
    let lead = board.difference(0, 5).unwrap();
    let interval = lead.interval(0.95).unwrap();
    // Two means of 100 values each.
    assert!(
        (interval.upper - interval.lower - 2.0 * 1.984 * (2.0_f64 / 100.0).sqrt()).abs() < 0.12,
        "{interval:?}"
    );
    assert_eq!((board.drift(), board.waves()), (None, 1));
    assert!(board.scale(0)[0] == 0.0 && (board.scale(0)[1] - 1.0).abs() < 1e-12);
    assert!(board.contrast(&[(0, 1.0)]).is_err() && board.difference(0, 9).is_err());
}

#[test]
fn two_tests_are_one_p_value() {
    for p in [1e-9, 0.004, 0.3] {
        assert!((cauchy([p, p]) / p - 1.0).abs() < 1e-6);
    }
    // By Python: 0.5 - atan((tan(pi * 0.495) + tan(pi * 0.49)) / 2) / pi, and with -0.4 for 0.49 where the second is near 1.
    assert!((cauchy([0.005, 0.01]) - 0.006_666_8).abs() < 1e-6);
    assert!((cauchy([0.005, 1.0]) - 0.010_505_1).abs() < 1e-6);
}

#[test]
fn scales_of_waves_are_found() {
    let mut draws = Draws::new(2, 0);
    let mut board =
        Linked::new(normal_wave(&[0, 1, 2, 3, 4, 5], &TRUTHS, 4_000, 0, 1.0, &mut draws)).unwrap();
    for (wave, slope) in [0.6, 1.5, 1.0].into_iter().enumerate() {
        let models = [0, 1, 2, 3, 4, 5, 10 + wave as u32];
        let truths: Vec<f64> = TRUTHS.iter().chain(&[0.4]).map(|value| 3.0 + slope * value).collect();
        let next = normal_wave(&models, &truths, 4_000, 0, 1.0, &mut draws);
        let found = board.add(next).unwrap();
        assert!(found.is_linked && found.anchors == 6, "{found:?}");
        let [offset, estimated] = board.scale(wave + 1);
        assert!((offset - 3.0).abs() < 0.05 && (estimated - slope).abs() < 0.1, "{offset} {estimated}");
        assert!((board.difference(10 + wave as u32, 3).unwrap().estimate() - 0.6).abs() < 0.1);
    }
    assert_eq!(board.models(), [0, 1, 2, 3, 4, 5, 10, 11, 12]);
    assert!(board.drift().unwrap() < 0.06, "{:?}", board.drift());
}

#[test]
fn an_offset_of_a_wave_changes_nothing() {
    let values = |offset: f64| {
        let mut draws = Draws::new(3, 0);
        let mut board =
            Linked::new(normal_wave(&[0, 1, 2, 3, 4, 5], &TRUTHS, 50, 0, 1.0, &mut draws)).unwrap();
        let truths: Vec<f64> = TRUTHS.iter().map(|value| value + offset).collect();
        board.add(normal_wave(&[0, 1, 2, 3, 4, 9], &truths, 50, 50, 1.0, &mut draws)).unwrap();
        let lead = board.difference(9, 5).unwrap().interval(0.95).unwrap();
        [lead.lower, lead.upper]
    };
    let (plain, moved) = (values(0.0), values(100.0));
    assert!(plain.iter().zip(moved).all(|(left, right)| (left - right).abs() < 1e-4), "{plain:?} {moved:?}");
}

#[test]
fn people_in_two_waves_are_one_cluster() {
    // The same people with the same errors: the two waves say no more than one, and the new model is compared without the errors
    // that the waves have in common.
    let width = |first: u32| {
        let mut draws = Draws::new(4, 0);
        let mut board =
            Linked::new(normal_wave(&[0, 1, 2, 3, 4, 5], &TRUTHS, 50, 0, 1.0, &mut draws)).unwrap();
        let mut draws = Draws::new(4, 0);
        board.add(normal_wave(&[0, 1, 2, 3, 4, 9], &TRUTHS, 50, first, 1.0, &mut draws)).unwrap();
        let lead = board.difference(9, 5).unwrap().interval(0.95).unwrap();
        lead.upper - lead.lower
    };
    let (same, others) = (width(0), width(50));
    assert!(same < 0.9 * others, "{same} {others}");
}

#[test]
fn few_anchors_do_not_link() {
    let mut draws = Draws::new(5, 0);
    let mut board = Linked::new(normal_wave(&[0, 1, 2, 3, 4, 5], &TRUTHS, 50, 0, 1.0, &mut draws)).unwrap();
    let found = board.add(normal_wave(&[0, 1, 2, 3, 9, 10], &TRUTHS, 50, 0, 1.0, &mut draws)).unwrap();
    assert_eq!((found.anchors, found.is_linked, board.waves()), (4, false, 1));
    assert!(board.difference(9, 0).is_err());
}

#[test]
fn bad_waves_are_refused() {
    assert!(Wave::new(&[0, 1], &[0.0], &[0, 1], &[0.0; 4]).is_err());
    assert!(Wave::new(&[0, 1], &[0.0; 2], &[0], &[0.0; 2]).is_err());
    assert!(Wave::new(&[0, 0], &[0.0; 2], &[0, 1], &[0.0; 4]).is_err());
    assert!(Wave::new(&[0, 1], &[0.0, f64::NAN], &[0, 1], &[0.0; 4]).is_err());
}

#[test]
fn a_dead_anchor_is_named() {
    let mut draws = Draws::new(6, 0);
    let models: Vec<u32> = (0..8).collect();
    let truths: Vec<f64> = models.iter().map(|&model| 0.3 * f64::from(model)).collect();
    let wave = |dead: f64, draws: &mut Draws| {
        let found: Vec<f64> = truths
            .iter()
            .enumerate()
            .map(|(at, truth)| truth + 0.1 * draws.normal() - if at == 6 { dead } else { 0.0 })
            .collect();
        normal_wave(&models, &found, 100, 0, 0.5, draws)
    };
    let mut board = Linked::new(wave(0.0, &mut draws)).unwrap();
    for _ in 0..3 {
        assert!(board.add(wave(0.0, &mut draws)).unwrap().is_linked);
    }
    let found = board.add(wave(1.5, &mut draws)).unwrap();
    let far = found.farthest.unwrap();
    assert!(!found.is_linked && far.model == 6 && (far.shift + 1.5).abs() < 0.5, "{found:?}");
    assert_eq!(board.waves(), 4);
}

#[test]
fn drift_that_few_anchors_show_is_covered() {
    // Two waves with five anchors, which drift by four sampling errors: three degrees of freedom.
    let found = crate::parallel::map(1_000, |seed| {
        let mut draws = Draws::new(seed as u64, 7);
        let mut wave = |last: u32| {
            let truths = [-2.0, -1.0, 0.0, 1.0, 2.0, 0.0].map(|truth| truth + 0.2 * draws.normal());
            normal_wave(&[0, 1, 2, 3, 4, last], &truths, 60, 60 * last, 0.4, &mut draws)
        };
        let mut board = Linked::new(wave(5)).unwrap();
        let is_linked = board.add(wave(6)).unwrap().is_linked;
        is_linked.then(|| board.difference(6, 5).unwrap().interval(0.95).unwrap())
    });
    let linked: Vec<_> = found.into_iter().flatten().collect();
    let covered = linked.iter().filter(|interval| interval.lower <= 0.0 && 0.0 <= interval.upper).count();
    let share = covered as f64 / linked.len() as f64;
    assert!(linked.len() > 980 && (0.935..0.98).contains(&share), "{share} of {} covered", linked.len());
}

#[test]
fn anchors_without_a_slope_link_nothing() {
    // With a slope of nearly zero, a new model may be anywhere.
    let mut draws = Draws::new(8, 0);
    let mut wave = |last: u32, error: f64, found: [f64; 8]| {
        let rows: Vec<f64> = (0..60 * 9).map(|_| error * draws.normal() / 60.0_f64.sqrt()).collect();
        let people: Vec<u32> = (60 * last..60 * last + 60).collect();
        let estimates: Vec<f64> = found.into_iter().chain([0.0]).collect();
        Wave::new(&[0, 1, 2, 3, 4, 5, 6, 7, last], &estimates, &people, &rows).unwrap()
    };
    let mut board = Linked::new(wave(8, 0.1, [-0.7, -0.5, 0.3, 0.2, 0.9, -0.9, -0.4, -0.2])).unwrap();
    let sound = wave(9, 0.25, [-0.2, -0.3, 0.5, 0.5, 0.6, -1.1, -0.1, 0.0]);
    assert!(board.add(sound).unwrap().is_linked);
    let flat = board.add(wave(10, 0.25, [-0.3, 0.1, -0.4, 0.3, 0.2, 0.3, -0.3, 0.2]));
    let interval = || board.difference(10, 8).unwrap().interval(0.95);
    assert!(matches!(flat, Err(StatError::Degenerate { .. })), "{flat:?}, {:?}", interval());
    assert_eq!(board.waves(), 2);
}
