//! A year of twelve waves with drift: an anchor that dies is noticed, sound waves are linked, and makers of many variants are seen.

use super::proof::{row, sized};
use super::support::{Bench, Draws, HONEST, SOFTWARE, close};

const ANCHORS: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
const WAVES: u32 = 12;
/// The wave in which an anchor is another model than before, and how much worse.
const DEAD: (u32, &str, f64) = (8, "a2", 1.2);

/// One year: whether the dead anchor was noticed and named, and how many other waves were not linked.
fn year(seed: u64) -> (bool, usize) {
    let mut bench = Bench::new(&ANCHORS);
    let mut draws = Draws(seed);
    let mut strengths = std::collections::BTreeMap::new();
    for (place, anchor) in ANCHORS.iter().enumerate() {
        bench.add(anchor, "lab");
        strengths.insert((*anchor).to_owned(), 0.35 * (3.5 - place as f64));
    }
    for wave in 1..=WAVES {
        for of_wave in 0..sized(1, 5) {
            let name = format!("m{wave:02}-{of_wave}");
            // One maker enters 27 variants of one model.
            let many = sized(wave > 3 && wave < 9, of_wave < 3 && wave < 10);
            bench.add(&name, if many { "many" } else { "other" });
            let strength = if many { 0.5 } else { 0.6 * draws.normal() };
            strengths.insert(name, strength);
        }
        let slope = 0.7 * 2.0_f64.powf(draws.unit());
        let seen: std::collections::BTreeMap<String, f64> = strengths
            .iter()
            .map(|(name, value)| {
                let fallen = if wave == DEAD.0 && name == DEAD.1 { DEAD.2 } else { 0.0 };
                (name.clone(), slope * (value + 0.15 * draws.normal() - fallen))
            })
            .collect();
        bench.board.begin_wave(&[], "2026-01-01").unwrap();
        close(&bench.board, &|model| seen[model], &HONEST, &mut draws);
    }
    let (results, page) = bench.board.publish(SOFTWARE).unwrap();
    let many = results.makers.iter().find(|maker| maker.maker == "many").unwrap();
    assert_eq!(many.models, sized(5, 27));
    assert!(std::fs::read_to_string(page).unwrap().contains("<td dir=\"auto\">many</td>"));
    let links = &results.measures[0].links;
    let dead = &links[DEAD.0 as usize - 1];
    let noticed = !dead.linked && dead.farthest.as_ref().is_some_and(|far| far.model == DEAD.1);
    (noticed, links.iter().filter(|step| !step.linked && step.wave != DEAD.0).count())
}

#[test]
fn a_dead_anchor_is_noticed() {
    let years = sized(3, 200);
    let found: Vec<(bool, usize)> = (0..years).map(|seed| year(100 + seed)).collect();
    let noticed = found.iter().filter(|(noticed, _)| *noticed).count();
    let alarms: usize = found.iter().map(|(_, alarms)| alarms).sum();
    row(&[
        &format!("{years} years"),
        &format!("dead anchor noticed in {noticed}"),
        &format!("{:.2} false alarms a year", alarms as f64 / years as f64),
    ]);
    assert!(noticed * 10 >= found.len() * sized(6, 8), "{found:?}");
    assert!(alarms <= found.len() * sized(2, 1), "{found:?}");
}
