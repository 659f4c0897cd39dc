//! Side-by-side judgments are balanced over votes, sides and positions, and no rater judges anything twice.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use hype_core::RaterDesign;
use hype_core::model::trial::{Part, Phase};
use hype_core::{ConditionKind, Raters, SessionRecord, Stimuli, Study};
use hype_sim::fixtures;
use hype_tasks::tasks::best_of::BestOf;
use hype_tasks::tasks::contrast::{Contrast, PairSelection};
use hype_tasks::tasks::fooling::Fooling;
use hype_tasks::tasks::ranking::Ranking;
use proptest::prelude::*;

use crate::side_by_side as support;

use crate::side_by_side::{by_item, in_turn, items_with_originals, main, play, play_all, sets, study};

const MODELS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// One comparison: item and the two sets in their order.
type Unit = (String, u16, u16);

/// The units that a session's main phase compared, and whether the first of the pair was on the left.
fn units(stimuli: &Stimuli, record: &SessionRecord) -> Vec<(Unit, bool)> {
    main(record)
        .map(|answered| {
            let [left, right] = answered.shown.stimuli[..] else { panic!("not two images") };
            let [a, b] = [left, right].map(|image| stimuli.get(image).unwrap().set.0);
            assert_eq!(stimuli.label(left), stimuli.label(right), "two items in one comparison");
            ((stimuli.label(left).to_owned(), a.min(b), a.max(b)), a < b)
        })
        .collect()
}

fn spread(counts: impl Iterator<Item = u32>) -> (u32, u32) {
    counts.fold((u32::MAX, 0), |(least, most), count| (least.min(count), most.max(count)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_pair_on_every_item_gets_its_votes_on_both_sides(
        items in 1_u32..9, models in 2_usize..5, per_session in 1_u32..30, per_item in 1_u32..6, practice in 0_u32..4,
        real: bool, seed: u64,
    ) {
        let task = Contrast { per_session: per_session.into(), practice: practice.into(), real, ..Contrast::default() };
        let study = by_item(&task, items_with_originals(items, &MODELS[..models]), per_item, seed);
        let mut votes: BTreeMap<Unit, (u32, u32)> = BTreeMap::new();
        for record in play_all(&study, in_turn) {
            let units = units(study.stimuli(), &record);
            let different: BTreeSet<&Unit> = units.iter().map(|(unit, _)| unit).collect();
            prop_assert_eq!(different.len(), units.len(), "a rater judged something twice");
            if units.len() <= items as usize {
                let items: BTreeSet<&String> = units.iter().map(|((item, ..), _)| item).collect();
                prop_assert_eq!(items.len(), units.len(), "an item was shown twice although there were others");
                let contenders = (models + usize::from(real)) as u32;
                let mut pairs: BTreeMap<(u16, u16), u32> = BTreeMap::new();
                units.iter().for_each(|((_, a, b), _)| *pairs.entry((*a, *b)).or_default() += 1);
                let never = pairs.len() as u32 != contenders * (contenders - 1) / 2;
                let (least, most) = spread(pairs.values().copied().chain(never.then_some(0)));
                prop_assert!(most - least <= 2, "a rater judged {pairs:?}");
            }
            for (unit, first_left) in units {
                let sides = votes.entry(unit).or_default();
                *if first_left { &mut sides.0 } else { &mut sides.1 } += 1;
            }
        }
        let contenders = models + usize::from(real);
        prop_assert_eq!(votes.len(), items as usize * contenders * (contenders - 1) / 2);
        let (least, most) = spread(votes.values().map(|(left, right)| left + right));
        prop_assert!(least >= per_item && most - least <= 1, "{votes:?}");
        prop_assert!(votes.values().all(|(left, right)| left.abs_diff(*right) <= 1), "{votes:?}");
    }

    #[test]
    fn one_model_meets_each_other_one_equally_often_on_both_sides(
        items in 1_u32..9, models in 2_usize..6, one in 0_usize..6, per_session in 1_u32..30, per_item in 1_u32..6,
        practice in 0_u32..4, real: bool, seed: u64,
    ) {
        let one = one % models;
        let task = Contrast {
            per_session: per_session.into(),
            practice: practice.into(),
            real,
            pairs: PairSelection::Against(MODELS[one].into()),
            ..Contrast::default()
        };
        let study = by_item(&task, items_with_originals(items, &MODELS[..models]), per_item, seed);
        let one = study.stimuli().sets().iter().position(|set| *set.name == *MODELS[one]).unwrap() as u16;
        let mut votes: BTreeMap<Unit, (u32, u32)> = BTreeMap::new();
        for record in play_all(&study, in_turn) {
            let units = units(study.stimuli(), &record);
            let different: BTreeSet<&Unit> = units.iter().map(|(unit, _)| unit).collect();
            prop_assert_eq!(different.len(), units.len(), "a rater judged something twice");
            for (unit, first_left) in units {
                prop_assert!(unit.1 == one || unit.2 == one, "{unit:?} is between two others");
                let sides = votes.entry(unit).or_default();
                *if first_left { &mut sides.0 } else { &mut sides.1 } += 1;
            }
        }
        let others = models + usize::from(real) - 1;
        prop_assert_eq!(votes.len(), items as usize * others);
        let (least, most) = spread(votes.values().map(|(left, right)| left + right));
        prop_assert!(least >= per_item && most - least <= 1, "{votes:?}");
        prop_assert!(votes.values().all(|(left, right)| left.abs_diff(*right) <= 1), "{votes:?}");
    }

    #[test]
    fn active_pairs_never_repeat_on_one_item_and_balance_sides(
        items in 1_u32..7, models in 2_usize..5, per_session in 1_u32..40, per_item in 1_u32..4, practice in 0_u32..4,
        seed: u64,
    ) {
        let task =
            Contrast { per_session: per_session.into(), practice: practice.into(), pairs: PairSelection::Active, tie: true, ..Contrast::default() };
        let study = by_item(&task, items_with_originals(items, &MODELS[..models]), per_item, seed);
        let mut sides: BTreeMap<(u16, u16), (u32, u32)> = BTreeMap::new();
        let mut shown: BTreeMap<String, u32> = BTreeMap::new();
        let units_of_all = items * (models * (models - 1) / 2) as u32;
        let records = play_all(&study, in_turn);
        for record in &records {
            let units = units(study.stimuli(), record);
            prop_assert_eq!(units.len() as u32, per_session.min(units_of_all));
            let different: BTreeSet<&Unit> = units.iter().map(|(unit, _)| unit).collect();
            prop_assert_eq!(different.len(), units.len(), "a rater judged something twice");
            for ((item, a, b), first_left) in units {
                let sides = sides.entry((a, b)).or_default();
                *if first_left { &mut sides.0 } else { &mut sides.1 } += 1;
                *shown.entry(item).or_default() += 1;
            }
        }
        prop_assert!(sides.values().all(|(left, right)| left.abs_diff(*right) <= 1), "{sides:?}");
        if per_session <= items {
            let (least, most) = spread(shown.values().copied());
            prop_assert!(most - least <= 1 && shown.len() == items as usize, "{shown:?}");
        }
        prop_assert!(records.len() as u32 * per_session.min(units_of_all) >= units_of_all * per_item);
    }

    #[test]
    fn every_item_is_ranked_by_its_raters_and_models_take_turns(
        items in 1_u32..9, models in 2_usize..6, shown in 2_u32..6, per_session in 1_u32..12, per_item in 1_u32..7,
        practice in 0_u32..4, seed: u64,
    ) {
        let shown = shown.min(models as u32);
        let task = Ranking { per_session: per_session.into(), practice: practice.into(), models_per_trial: Some(shown.into()), ..Ranking::default() };
        let study = by_item(&task, items_with_originals(items, &MODELS[..models]), per_item, seed);
        let mut rankings: BTreeMap<String, u32> = BTreeMap::new();
        let mut turns: BTreeMap<(String, &str), u32> = BTreeMap::new();
        for record in play_all(&study, in_turn) {
            let mut seen = BTreeSet::new();
            for answered in main(&record) {
                let item = study.stimuli().label(answered.shown.stimuli[0]).to_owned();
                prop_assert!(seen.insert(item.clone()), "a rater ranked {item} twice");
                let sets = sets(study.stimuli(), answered);
                prop_assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), shown as usize);
                for set in sets {
                    *turns.entry((item.clone(), set)).or_default() += 1;
                }
                *rankings.entry(item).or_default() += 1;
            }
        }
        let (least, most) = spread(rankings.values().copied());
        prop_assert!(rankings.len() as u32 == items && least >= per_item && most - least <= 1, "{rankings:?}");
        for item in rankings.keys() {
            let of_item = MODELS[..models].iter().map(|model| turns.get(&(item.clone(), *model)).copied().unwrap_or(0));
            let (least, most) = spread(of_item);
            prop_assert!(most - least <= 1, "{item}: {turns:?}");
        }
    }

    #[test]
    fn fakes_meet_reals_on_both_sides_and_no_image_repeats(
        trials in 1_u32..20, practice in 0_u32..8, per_model in 1_u32..12, within: bool, same_item: bool, seed: u64,
    ) {
        let design = if within { RaterDesign::Within } else { RaterDesign::Between };
        let task = Fooling { trials: trials.into(), practice: practice.into(), same_item, ..Fooling::default() };
        let stimuli = match same_item {
            true => items_with_originals(30, &["a", "b"]),
            false => fixtures::stimuli(50, &[("a", 28), ("b", 33)]),
        };
        let raters = Raters { per_model, design, ..hype_core::Task::defaults(&task).raters };
        let study = study(&task, stimuli, raters, seed);
        let mut dealt: BTreeMap<(u16, u32), u32> = BTreeMap::new();
        for place in 0..study.places() {
            let record = play(&study, place, None, |trial, truth| in_turn(place, trial, truth));
            let models = study.place(place).models;
            prop_assert_eq!(record.trials.len() as u32, practice + trials * models.len() as u32);
            let mut seen = BTreeSet::new();
            let mut real_left: BTreeMap<(Phase, u16), i32> = BTreeMap::new();
            for answered in &record.trials {
                let names = sets(study.stimuli(), answered);
                let left = names[0] == "real";
                let fake = answered.shown.stimuli[usize::from(left)];
                let model = answered.shown.model.unwrap();
                prop_assert!(names[usize::from(!left)] == "real" && models.contains(&model));
                prop_assert_eq!(study.stimuli().get(fake).unwrap().set, model);
                for image in &answered.shown.stimuli {
                    let original = same_item && study.stimuli().get(*image).unwrap().set != model;
                    prop_assert!(original || seen.insert(*image), "an image was shown twice");
                }
                if same_item {
                    let [a, b] = answered.shown.stimuli[..] else { panic!("not two images") };
                    prop_assert_eq!(study.stimuli().label(a), study.stimuli().label(b));
                }
                let key = (answered.shown.phase, answered.shown.block);
                *real_left.entry(key).or_default() += if left { 1 } else { -1 };
                if answered.shown.phase == Phase::Main {
                    *dealt.entry((model.0, fake.0)).or_default() += 1;
                }
                prop_assert_eq!(answered.shown.exposure_ms, Some(hype_core::Millis(1_000)));
            }
            prop_assert!(real_left.values().all(|balance| balance.abs() <= 1), "{real_left:?}");
        }
        for model in study.models() {
            let all = study.stimuli().members(*model);
            let (least, most) = spread(all.iter().map(|fake| dealt.get(&(model.0, fake.0)).copied().unwrap_or(0)));
            prop_assert!(most - least <= 1, "{dealt:?}");
        }
    }
}

#[test]
fn more_raters_for_each_item_leave_what_was_judged_as_it_was() {
    for pairs in [PairSelection::Balanced, PairSelection::Active] {
        let task = Contrast { per_session: 7.into(), pairs, ..Contrast::default() };
        let (few, more) = (
            by_item(&task, items_with_originals(6, &MODELS), 1, 3),
            by_item(&task, items_with_originals(6, &MODELS), 4, 3),
        );
        assert!(few.digest() == more.digest() && more.places() > few.places());
        let (first, then) = (play_all(&few, in_turn), play_all(&more, in_turn));
        assert_eq!(support::text(&first), support::text(&then[..first.len()]));
    }
}

#[test]
fn practice_comes_first_on_other_items_and_is_not_scored() {
    for pairs in [PairSelection::Balanced, PairSelection::Active] {
        let task = Contrast { per_session: 12.into(), practice: 5.into(), pairs, ..Contrast::default() };
        let study = by_item(&task, items_with_originals(20, &MODELS[..3]), 2, 1);
        for place in 0..study.places() {
            let record = play(&study, place, None, |trial, truth| in_turn(place, trial, truth));
            let phases: Vec<Phase> = record.trials.iter().map(|trial| trial.shown.phase).collect();
            assert!(phases[..5].iter().all(|phase| *phase == Phase::Practice) && phases[5..].len() == 12);
            let item = |trial: &hype_core::Answered| study.stimuli().label(trial.shown.stimuli[0]).to_owned();
            let items: BTreeSet<String> = record.trials.iter().map(item).collect();
            assert_eq!(items.len(), 17, "practice and main phase share items");
            let context = study.scoring();
            let mut table = hype_core::ScoreTable::default();
            study.rubric().score(&record, &context, &mut table).unwrap();
            assert_eq!(table.len(), 12);
        }
    }
}

#[test]
fn the_conditions_come_before_the_images_and_rests_after_so_many_trials() {
    let stimuli = fixtures::items(20, &["a", "b"], &[ConditionKind::Prompt, ConditionKind::Source]);
    let task = Contrast {
        per_session: 10.into(),
        practice: 1.into(),
        rest_every: Some(4.into()),
        rest_s: 30.into(),
        ..Contrast::default()
    };
    let study = by_item(&task, stimuli.clone(), 1, 1);
    let mut rests = Vec::new();
    let mut blocks = Vec::new();
    play(&study, 0, None, |trial, truth| {
        let [Part::Condition(prompt), Part::Condition(source), Part::Gallery { candidates, exposure: None }] =
            trial.parts.as_slice()
        else {
            panic!("{:?}", trial.parts)
        };
        assert_eq!((prompt.kind, source.kind), (ConditionKind::Prompt, ConditionKind::Source));
        assert_eq!(candidates.iter().map(|candidate| &*candidate.label).collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(truth.shown.len(), 2);
        rests.extend(trial.rest.map(|_| trial.number));
        blocks.push((trial.block, trial.in_block, trial.block_trials));
        in_turn(0, trial, truth)
    });
    assert_eq!(rests, [5, 9]);
    assert_eq!(blocks[..3], [(0, 0, 1), (0, 0, 4), (0, 1, 4)]);
    assert_eq!(blocks[9..], [(2, 0, 2), (2, 1, 2)]);
    let bare = by_item(&Contrast { conditions: false, ..task }, stimuli, 1, 1);
    play(&bare, 0, None, |trial, truth| {
        assert_eq!(trial.parts.len(), 1);
        in_turn(0, trial, truth)
    });
}

#[test]
fn without_items_images_are_paired_once_for_the_whole_study() {
    let task = Contrast { per_session: 8.into(), ..Contrast::default() };
    let study: Study = by_item(&task, fixtures::stimuli(3, &[("a", 9), ("b", 6), ("c", 7)]), 3, 2);
    assert!(study.warnings().iter().any(|found| found.code == "unused-images"));
    let mut votes: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for record in play_all(&study, in_turn) {
        for answered in main(&record) {
            let mut pair: Vec<u32> = answered.shown.stimuli.iter().map(|image| image.0).collect();
            pair.sort_unstable();
            *votes.entry(pair).or_default() += 1;
        }
    }
    assert_eq!(votes.len(), 3 * 6);
    assert!(votes.values().all(|&count| (3..=4).contains(&count)), "{votes:?}");
}

#[test]
fn all_models_are_there_to_choose_the_best_of_in_every_place() {
    let task = BestOf { per_session: 10.into(), real: true, ..BestOf::default() };
    let study = by_item(&task, items_with_originals(10, &MODELS[..3]), 40, 5);
    let mut places: BTreeMap<(&str, usize), u32> = BTreeMap::new();
    for record in play_all(&study, in_turn) {
        for answered in main(&record) {
            let sets = sets(study.stimuli(), answered);
            assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), 4);
            for (place, set) in sets.into_iter().enumerate() {
                *places.entry((set, place)).or_default() += 1;
            }
        }
    }
    // 400 trials, 100 expected in each place; five standard deviations are 43.
    assert!(places.values().all(|count| count.abs_diff(100) < 43), "{places:?}");
}
