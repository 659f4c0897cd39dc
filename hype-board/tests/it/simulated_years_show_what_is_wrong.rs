//! A year of twelve waves with drift: an anchor that dies is noticed, sound waves are linked, makers of many variants are seen, and
//! raters who favour one are named.

use std::collections::{BTreeMap, BTreeSet};

use hype_board::BoardFavour;

use super::proof::{row, sized};
use super::support::{Bench, Draws, HONEST, Raters, SOFTWARE, close};

const ANCHORS: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
const WAVES: u32 = 12;
/// The wave in which an anchor is another model than before, and how much worse.
const DEAD: (u32, &str, f64) = (8, "a2", 1.2);

/// The maker with many models, and how many of the raters prefer these to others nearly always.
const FAVOURED: (&str, usize) = ("many", 5);

/// A year's page: whether the dead anchor and the ring, with three of its five raters, were named, how many other waves
/// were not linked, and how many makers were said to be favoured and were not.
#[derive(Debug)]
struct Said {
    dead: bool,
    ring: bool,
    apart: usize,
    accused: usize,
}

/// A rater's own taste, which stays the same all year.
fn taste(seed: u64, rater: usize, what: &str) -> f64 {
    let key = what.bytes().fold(seed, |sum, byte| sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte));
    Draws(key.wrapping_mul(0x9e37_79b9) ^ rater as u64).normal()
}

/// One year of the same 60 people, some of whom may favour a maker.
fn year(seed: u64, has_ring: bool) -> Said {
    let mut bench = Bench::new(&ANCHORS);
    let mut draws = Draws(seed);
    let mut strengths = BTreeMap::new();
    let mut favoured = BTreeSet::new();
    for (place, anchor) in ANCHORS.iter().enumerate() {
        bench.add(anchor, "lab");
        strengths.insert((*anchor).to_owned(), 0.35 * (3.5 - place as f64));
    }
    for wave in 1..=WAVES {
        for of_wave in 0..sized(1, 5) {
            let name = format!("m{wave:02}-{of_wave}");
            // One maker enters 27 variants of one model.
            let many = sized(wave > 1 && wave < 9, of_wave < 3 && wave < 10);
            bench.add(&name, if many { FAVOURED.0 } else { "other" });
            let strength = if many { 0.5 } else { 0.6 * draws.normal() };
            favoured.extend(many.then(|| name.clone()));
            strengths.insert(name, strength);
        }
        let slope = 0.7 * 2.0_f64.powf(draws.unit());
        let seen: BTreeMap<String, f64> = strengths
            .iter()
            .map(|(name, value)| {
                let fallen = if wave == DEAD.0 && name == DEAD.1 { DEAD.2 } else { 0.0 };
                (name.clone(), slope * (value + 0.15 * draws.normal() - fallen))
            })
            .collect();
        bench.board.begin_wave(&[], "2026-01-01").unwrap();
        let choose = |rater: usize, first: &str, second: &str, lead: f64| {
            let [first, second] = [first, second].map(|model| {
                let many = favoured.contains(model);
                let maker = if many { FAVOURED.0 } else { &model[..1] };
                (many, 0.3 * taste(seed, rater, model) + 0.2 * taste(seed, rater, maker))
            });
            if has_ring && rater < FAVOURED.1 && first.0 != second.0 {
                return if first.0 { 0.95 } else { 0.05 };
            }
            1.0 / (1.0 + (second.1 - first.1 - lead).exp())
        };
        let votes = sized(60, 20);
        let raters = Raters { votes, choose: &choose, person: &|rater| Some(format!("p{rater}")), ..HONEST };
        close(&bench.board, &|model| seen[model], &raters, &mut draws);
    }
    let (results, page) = bench.board.publish(SOFTWARE).unwrap();
    let many = results.makers.iter().find(|maker| maker.maker == FAVOURED.0).unwrap();
    assert_eq!(many.models, sized(7, 27));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<td dir=\"auto\">many</td>"));
    let score = &results.measures[0];
    let dead = &score.links[DEAD.0 as usize - 1];
    let of_ring = score.favours.iter().find(|favour| favour.maker == FAVOURED.0);
    let named = |favour: &BoardFavour| {
        favour.raters[&WAVES].iter().filter(|name| name.as_str() <= "rater-005").count()
    };
    assert_eq!(page.contains("Raters who favour"), !score.favours.is_empty());
    Said {
        dead: !dead.linked && dead.farthest.as_ref().is_some_and(|far| far.model == DEAD.1),
        apart: score.links.iter().filter(|step| !step.linked && step.wave != DEAD.0).count(),
        ring: has_ring && of_ring.is_some_and(|favour| named(favour) >= 3),
        accused: score.favours.len() - usize::from(has_ring && of_ring.is_some()),
    }
}

#[test]
fn a_dead_anchor_is_noticed() {
    let years = sized(4, 200);
    // A ring in every second year.
    let found: Vec<Said> = (0..years).map(|seed| year(100 + seed, seed % 2 == 0)).collect();
    let noticed = found.iter().filter(|said| said.dead).count();
    let rings = found.iter().filter(|said| said.ring).count();
    let alarms: usize = found.iter().map(|said| said.apart).sum();
    let accused: usize = found.iter().map(|said| said.accused).sum();
    row(&[
        &format!("{years} years"),
        &format!("dead anchor noticed in {noticed}"),
        &format!("{:.2} false alarms a year", alarms as f64 / years as f64),
        &format!("ring named in {rings} of {}", years / 2),
        &format!("{accused} makers accused falsely"),
    ]);
    assert!(noticed * 10 >= found.len() * sized(6, 8), "{found:?}");
    assert!(alarms <= found.len() * sized(2, 1), "{found:?}");
    assert!(rings * 20 >= found.len() * sized(5, 8), "{found:?}");
    assert!(accused * 20 <= found.len() * sized(5, 1), "{found:?}");
}
