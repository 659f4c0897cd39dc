//! For all sizes, every image reaches its number of raters, and no rater sees an image twice except for repeats.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::ratings;

use std::collections::{BTreeMap, BTreeSet};

use crate::ratings::{per_item, study, trials, with_set};
use hype_core::{
    Digest, Item, ItemId, Media, Role, SetId, Stimuli, Stimulus, StimulusId, StimulusSet, Study, Use,
};
use hype_tasks::Rating;
use hype_tasks::questionnaires::Opinion;
use hype_tasks::tasks::rating::{Gold, Repeats};
use proptest::prelude::*;

/// Items with as many outputs each as given; the outputs of one item belong to different models, as far as there are.
fn outputs(counts: &[usize], models: usize) -> Stimuli {
    let sets =
        (0..models).map(|model| StimulusSet::new(&format!("m{model}"), Role::Generated, Use::Main)).collect();
    let mut all: Vec<Stimulus> = Vec::new();
    for (item, &count) in counts.iter().enumerate() {
        for output in 0..count {
            let path = format!("{item}/{output}.png");
            all.push(
                Stimulus::new(
                    SetId((output % models) as u16),
                    Digest::of(path.as_bytes()),
                    path,
                    Media::Image { width: 8, height: 8 },
                )
                .for_item(Some(ItemId(item as u32))),
            );
        }
    }
    let items = (0..counts.len()).map(|item| Item { id: item.to_string().into(), ..Item::default() });
    Stimuli::with_items(sets, all, items.collect()).unwrap()
}

/// The images under judgment in each session, without repeats, and the number of repeats.
fn dealt(study: &Study) -> Vec<(Vec<StimulusId>, usize)> {
    let main = |id: &StimulusId| study.stimuli().set_of(*id).unwrap().used_for == Use::Main;
    (0..study.places())
        .map(|place| {
            let shown: Vec<StimulusId> =
                trials(study, place).iter().flat_map(|(trial, _)| trial.stimuli()).filter(main).collect();
            let mut seen = BTreeSet::new();
            let first: Vec<StimulusId> = shown.iter().copied().filter(|id| seen.insert(*id)).collect();
            let again = shown.len() - first.len();
            (first, again)
        })
        .collect()
}

fn counts(study: &Study, dealt: &[(Vec<StimulusId>, usize)]) -> Vec<u32> {
    let mut counts: BTreeMap<StimulusId, u32> = BTreeMap::new();
    for (index, _) in study.stimuli().all().iter().enumerate() {
        let id = StimulusId(index as u32);
        if study.stimuli().set_of(id).unwrap().used_for == Use::Main {
            counts.insert(id, 0);
        }
    }
    dealt.iter().flat_map(|(first, _)| first).for_each(|id| *counts.get_mut(id).unwrap() += 1);
    counts.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_image_reaches_its_raters(
        sizes in prop::collection::vec(1_usize..5, 1..14),
        models in 1_usize..5,
        per_session in prop::option::of(1_u32..30),
        raters in 1_u32..6,
        one_output_per_item: bool,
        golds in 0_u32..4,
        (repeats, apart) in (0_u32..4, 1_u32..6),
    ) {
        let stimuli = outputs(&sizes, models);
        prop_assume!(stimuli.models().count() == models);
        let images: usize = sizes.iter().sum();
        let most = if one_output_per_item { images / sizes.iter().max().unwrap() } else { images };
        let in_session = per_session.map_or(most, |wanted| most.min(wanted as usize));
        let task = Rating {
            per_session: per_session.map(Into::into),
            one_output_per_item,
            gold: (golds > 0).then(|| Gold { per_session: golds.into(), pass: 0.7 }),
            repeats: (repeats > 0).then(|| Repeats { per_session: repeats.into(), apart: apart.into(), min_agreement: None }),
            rest_every: Some(7.into()),
            ..Rating::default()
        };
        prop_assume!(repeats == 0 || in_session >= (repeats + apart) as usize);
        let stimuli = with_set(&stimuli, "gold", Role::Generated, Use::Gold, 5, &[("opinion", &["5"])]);
        let study = study(&task, &Opinion::default(), per_item(&task, raters), stimuli);
        prop_assert_eq!(study.places() as usize, (images * raters as usize).div_ceil(in_session));

        let dealt = dealt(&study);
        for (first, again) in &dealt {
            prop_assert_eq!((first.len(), *again), (in_session, repeats as usize));
            if one_output_per_item {
                let items: BTreeSet<_> =
                    first.iter().map(|&id| study.stimuli().get(id).unwrap().item).collect();
                prop_assert_eq!(items.len(), first.len(), "an item was shown twice");
            }
        }
        let counts = counts(&study, &dealt);
        let (least, greatest) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        prop_assert!(*least >= raters && greatest - least <= 1, "{:?}", counts);
    }

    #[test]
    fn gold_images_and_repeats_lie_where_they_should(
        images in 1_u32..40, golds in 0_u32..6, (repeats, apart) in (0_u32..6, 1_u32..9), seed in 0_u32..3,
    ) {
        prop_assume!(repeats == 0 || images >= repeats + apart);
        let task = Rating {
            gold: (golds > 0).then(|| Gold { per_session: golds.into(), pass: 0.7 }),
            repeats: (repeats > 0).then(|| Repeats { per_session: repeats.into(), apart: apart.into(), min_agreement: None }),
            rest_every: Some(10.into()),
            rest_s: 30.into(),
            ..Rating::default()
        };
        let main = hype_sim::fixtures::items(images, &["m"], &[]);
        let stimuli = with_set(&main, "gold", Role::Real, Use::Gold, 8, &[("opinion", &["4", "5"])]);
        let study = study(&task, &Opinion::default(), per_item(&task, 3), stimuli);
        let trials = trials(&study, seed);
        let total = (images + golds + repeats) as usize;
        prop_assert_eq!(trials.len(), total);
        let mut first: BTreeMap<StimulusId, usize> = BTreeMap::new();
        let mut right = 0;
        for (number, (trial, truth)) in trials.iter().enumerate() {
            let id = trial.stimuli().next().unwrap();
            let is_gold = study.stimuli().set_of(id).unwrap().used_for == Use::Gold;
            prop_assert_eq!(truth.answer.is_some(), is_gold);
            right += u32::from(is_gold);
            if let Some(before) = first.insert(id, number) {
                prop_assert!(number - before > apart as usize, "{} after {}", number, before);
                prop_assert!(!is_gold, "a gold image was shown twice");
            }
            prop_assert_eq!((usize::from(trial.block), trial.in_block as usize), (number / 10, number % 10));
            prop_assert_eq!(trial.block_trials as usize, (total - number / 10 * 10).min(10));
            prop_assert_eq!(trial.rest.is_some(), number > 0 && number % 10 == 0);
        }
        prop_assert_eq!(right, golds);
    }
}

#[test]
fn gold_images_are_spread_over_the_session() {
    let task = Rating {
        gold: Some(Gold { per_session: 4.into(), pass: 0.7 }),
        rest_every: None,
        ..Rating::default()
    };
    let main = hype_sim::fixtures::items(36, &["m"], &[]);
    let stimuli = with_set(&main, "gold", Role::Real, Use::Gold, 8, &[("opinion", &["5"])]);
    let study = study(&task, &Opinion::default(), per_item(&task, 30), stimuli);
    let mut places = BTreeSet::new();
    let mut dealt: BTreeMap<StimulusId, u32> = BTreeMap::new();
    for place in 0..study.places() {
        let trials = trials(&study, place);
        let gold: Vec<usize> = (0..40).filter(|&at| trials[at].1.answer.is_some()).collect();
        let tenths: Vec<usize> = gold.iter().map(|at| at / 10).collect();
        assert_eq!(tenths, [0, 1, 2, 3]);
        gold.iter().for_each(|at| *dealt.entry(trials[*at].0.stimuli().next().unwrap()).or_default() += 1);
        places.extend(gold);
    }
    assert!(places.len() > 30, "gold images could be recognized by their positions: {places:?}");
    assert_eq!(dealt.into_values().collect::<Vec<_>>(), [15; 8], "gold images take turns");
}

#[test]
fn with_one_output_for_each_item_models_take_turns() {
    let task = Rating {
        one_output_per_item: true,
        per_session: Some(12.into()),
        rest_every: None,
        ..Rating::default()
    };
    let stimuli = hype_sim::fixtures::items(24, &["a", "b", "c"], &[]);
    let study = study(&task, &Opinion::default(), per_item(&task, 4), stimuli);
    assert_eq!(study.places(), 24);
    let mut pairs: BTreeMap<(SetId, &str), u32> = BTreeMap::new();
    for place in 0..study.places() {
        let mut models: BTreeMap<SetId, u32> = BTreeMap::new();
        for (trial, _) in trials(&study, place) {
            let id = trial.stimuli().next().unwrap();
            let set = study.stimuli().get(id).unwrap().set;
            *models.entry(set).or_default() += 1;
            *pairs.entry((set, study.stimuli().label(id))).or_default() += 1;
        }
        assert_eq!(models.into_values().collect::<Vec<_>>(), [4, 4, 4], "place {place}");
    }
    assert!(pairs.len() == 72 && pairs.values().all(|&count| count == 4), "{pairs:?}");
}

#[test]
fn sessions_differ_in_their_order_and_replacements_see_the_same_images() {
    let task = Rating::default();
    let study = study(
        &task,
        &Opinion::default(),
        per_item(&task, 3),
        hype_sim::fixtures::items(12, &["a", "b"], &[]),
    );
    let order = |place: u32, attempt: u32| -> Vec<StimulusId> {
        let (mut session, _) = hype_core::Session::open(&study, "r", place, attempt).unwrap();
        let mut seen = Vec::new();
        while let hype_core::Step::Show(trial) = session.step().clone() {
            seen.extend(trial.stimuli());
            let answer = ratings::answer_with(&trial, &[]);
            session.handle_answer(trial.number, answer, hype_core::Timing::default()).unwrap();
        }
        seen
    };
    let orders = [order(0, 0), order(1, 0), order(2, 0), order(0, 1)];
    let distinct: BTreeSet<&Vec<StimulusId>> = orders.iter().collect();
    assert_eq!(distinct.len(), 4);
    assert_eq!(order(0, 0), orders[0]);
    let all: BTreeSet<StimulusId> = (0..24).map(StimulusId).collect();
    assert!(orders.iter().all(|order| order.iter().copied().collect::<BTreeSet<_>>() == all));
}
