//! All faults of a study that shows images side by side are reported at once, each at its place with help.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use hype_core::plugin::task::DynTask as _;
use hype_core::{ConditionKind, Diagnostics, Raters, RubricSpec, Spec, Stimuli, TaskSpec};
use hype_core::{Qualification, RaterDesign};
use hype_sim::fixtures::{items, stimuli};
use hype_tasks::tasks::contrast::{ContrastCriterion, Grades, PairSelection, ScoredCriterion};
use hype_tasks::{
    BestOf, BestOfRubric, Contrast, ContrastRubric, Fooling, FoolingRubric, GoldComparisons, NameOr,
    NamedSettings, Ranking, RankingRubric, RepeatedComparisons,
};

use crate::side_by_side::{items_with_originals, with_gold, without};

fn found(task: &dyn TaskSpec, stimuli: &Stimuli) -> Diagnostics {
    Spec::new("faults", 1, task.boxed_clone()).check(stimuli)
}

/// The faults as `code path`, in the order of finding.
fn codes(found: &Diagnostics) -> Vec<String> {
    for one in found.iter() {
        assert!(one.help.is_some(), "no help: {one}");
        assert!(!one.message.ends_with('.') && one.message.starts_with(|c: char| !c.is_uppercase()), "{one}");
    }
    found.iter().map(|one| format!("{} {}", one.code, one.path)).collect()
}

fn check(task: &dyn TaskSpec, stimuli: &Stimuli, expected: &[&str]) {
    let found = found(task, stimuli);
    assert_eq!(codes(&found), expected, "{found}");
}

#[test]
fn the_defaults_have_no_faults() {
    let stimuli = items_with_originals(80, &["a", "b"]);
    let tasks: [Box<dyn TaskSpec>; 5] = [
        Box::new(Contrast::default()),
        Box::new(Contrast { pairs: PairSelection::Active, real: true, ..Contrast::default() }),
        Box::new(Ranking::default()),
        Box::new(BestOf::default()),
        Box::new(Fooling::default()),
    ];
    for task in tasks {
        check(&*task, &stimuli, &[]);
    }
}

#[test]
fn the_model_that_others_are_compared_with_is_one_of_those_judged() {
    let stimuli = items_with_originals(30, &["alpha", "beta"]);
    let against = |model: &str, real| Contrast {
        pairs: PairSelection::Against(model.into()),
        real,
        ..Contrast::default()
    };
    check(&against("beta", false), &stimuli, &[]);
    check(&against("real", true), &stimuli, &[]);
    for (model, real) in [("real", false), ("bta", true), ("", false)] {
        check(&against(model, real), &stimuli, &["unknown-model task.pairs"]);
    }
    let found = found(&against("bta", false), &stimuli).to_string();
    assert!(found.contains("did you mean `beta`?"), "{found}");
}

#[test]
fn gold_and_repeats_have_sets_numbers_and_room() {
    let gold = GoldComparisons { per_session: 5.into(), ..GoldComparisons::new("original", "blank") };
    let with = |gold: GoldComparisons| Contrast { gold: Some(gold), ..Contrast::default() };
    let stimuli = with_gold(&items(30, &["a", "b"], &[ConditionKind::Prompt]), 6, 1);
    check(&with(gold.clone()), &stimuli, &[]);
    check(&Contrast::default(), &stimuli, &["unused-gold task"]);
    let named = |better: &str, worse: &str| {
        with(GoldComparisons { better: better.into(), worse: worse.into(), ..gold.clone() })
    };
    check(
        &named("orginal", "a"),
        &stimuli,
        &["unknown-set task.gold.better", "compared-gold task.gold.worse"],
    );
    check(&named("blank", "blank"), &stimuli, &["duplicate task.gold.worse"]);
    let numbers = GoldComparisons { attentive: 1.5, ..gold.clone() };
    let out_of_range = ["out-of-range task.gold.attentive", "gold-cannot-fail task.gold.per_session"];
    check(&with(numbers), &stimuli, &out_of_range);
    let guessing = GoldComparisons { attentive: 0.5, ..gold.clone() };
    check(&with(guessing), &stimuli, &["out-of-range task.gold.attentive"]);
    let few = GoldComparisons { per_session: 7.into(), ..gold.clone() };
    check(&with(few), &stimuli, &["too-few-images task.gold.per_session"]);
    let one = GoldComparisons { per_session: 1.into(), attentive: 0.9, ..gold.clone() };
    check(&with(one), &stimuli, &["gold-cannot-fail task.gold.per_session"]);
    // Gold images of no item are shown without the prompt that all others have.
    let alone = with_gold(&items(30, &["a", "b"], &[]), 6, 1);
    check(&with(gold.clone()), &alone, &[]);
    let mut all = stimuli.all().to_vec();
    for one in all.iter_mut().filter(|one| one.path.starts_with("original") || one.path.starts_with("blank"))
    {
        one.item = None;
    }
    let told = Stimuli::with_items(stimuli.sets().to_vec(), all, stimuli.items().to_vec()).unwrap();
    check(&with(gold.clone()), &told, &["gold-tells task.gold"]);
    check(&Contrast { conditions: false, ..with(gold.clone()) }, &told, &[]);
    // As many others as there are images in a trial less one.
    let three = with_gold(&items(30, &["a", "b", "c"], &[]), 6, 1);
    let too_few = ["too-few-images task.gold.per_session"];
    check(&BestOf { gold: Some(gold.clone()), ..BestOf::default() }, &three, &too_few);
    check(&Ranking { gold: Some(gold.clone()), ..Ranking::default() }, &three, &too_few);
    let enough = with_gold(&items(30, &["a", "b", "c"], &[]), 6, 2);
    check(&BestOf { gold: Some(gold.clone()), ..BestOf::default() }, &enough, &[]);
    let repeats = |repeats: RepeatedComparisons| Contrast { repeats: Some(repeats), ..Contrast::default() };
    let plain = items(30, &["a", "b"], &[]);
    check(&repeats(RepeatedComparisons::default()), &plain, &[]);
    let far = RepeatedComparisons { apart: 25.into(), ..RepeatedComparisons::default() };
    check(&repeats(far), &plain, &["too-few-images task.repeats"]);
    let unclear = RepeatedComparisons { per_session: 1.into(), ..RepeatedComparisons::default() };
    let told = ["repeats-cannot-fail task.repeats.per_session"];
    check(&repeats(unclear), &plain, &told);
}

#[test]
fn faulty_texts_and_criteria_are_told_together() {
    let task = Contrast { question: " ".into(), criterion: Some(String::new()), ..Contrast::default() };
    check(&task, &items(5, &["a", "b"], &[]), &["empty-text task.question", "empty-text task.criterion"]);
    let criteria = ["realism", "Realism!", "?"].map(NameOr::from).to_vec();
    let task = BestOf { criteria, ..BestOf::default() };
    check(
        &task,
        &items(40, &["a", "b"], &[]),
        &["duplicate task.criteria[1]", "empty-text task.criteria[2]"],
    );
}

#[test]
fn faults_of_criteria_are_told_together() {
    let plain = ContrastCriterion::named("realism");
    let grades = |labels: &[&str]| Some(Grades::Labels(labels.iter().map(|one| (*one).to_owned()).collect()));
    let criteria = [
        plain.clone(),
        ContrastCriterion { name: "Realism?".into(), question: Some(" ".into()), ..plain.clone() },
        ContrastCriterion { name: "fit".into(), grades: grades(&["Worse", "Better"]), ..plain.clone() },
        ContrastCriterion { name: "colour".into(), grades: grades(&["Worse", "", "Worse"]), ..plain.clone() },
    ];
    let task = Contrast {
        criterion: Some("realism".into()),
        criteria: criteria.map(NameOr).to_vec(),
        ..Contrast::default()
    };
    check(
        &task,
        &items(40, &["a", "b"], &[]),
        &[
            "criterion-and-criteria task.criterion",
            "duplicate task.criteria[1]",
            "empty-text task.criteria[1].question",
            "bad-grades task.criteria[2].grades",
            "empty-text task.criteria[3].grades[1]",
            "duplicate task.criteria[3].grades[2]",
        ],
    );
    let graded = ContrastCriterion { grades: Some(Grades::Ccr), ..plain };
    let task = Contrast { criteria: vec![NameOr(graded)], both_bad: true, ..Contrast::default() };
    check(&task, &items(40, &["a", "b"], &[]), &["no-votes task.both_bad"]);
}

#[test]
fn a_rubric_has_to_name_the_criteria_of_the_task() {
    let graded = ContrastCriterion { grades: Some(Grades::Ccr), ..ContrastCriterion::named("quality") };
    let task = Contrast { criteria: vec!["realism".into(), NameOr(graded)], ..Contrast::default() };
    let of = |criteria: Vec<NameOr<ScoredCriterion>>| {
        let rubric = ContrastRubric { criteria, ..ContrastRubric::default() };
        let spec = Spec::new("faults", 1, task.boxed_clone()).with_rubric(Box::new(rubric));
        spec.check(&items(40, &["a", "b"], &[]))
    };
    let quality = |graded| NameOr(ScoredCriterion { name: "quality".into(), graded });
    assert!(of(vec!["realism".into(), quality(true)]).is_empty());
    for criteria in [vec![], vec!["realism".into()], vec!["realism".into(), quality(false)]] {
        let found = of(criteria);
        let told = found.iter().find(|one| one.code == "other-criteria").unwrap_or_else(|| panic!("{found}"));
        let help = told.help.as_deref().unwrap();
        assert!(help.contains("[realism, { name: quality, graded: true }]"), "{help}");
    }
}

#[test]
fn there_has_to_be_something_to_compare() {
    check(&Contrast::default(), &items(5, &["a"], &[]), &["too-few-models task"]);
    check(&Ranking { real: true, ..Ranking::default() }, &items_with_originals(5, &["a"]), &[]);
    check(
        &Contrast { real: true, ..Contrast::default() },
        &items(5, &["a"], &[]),
        &["no-reals task.real", "too-few-models task"],
    );
    check(&BestOf::default(), &stimuli(0, &[("a", 3), ("b", 0)]), &["too-few-images task"]);
    check(
        &Contrast::default(),
        &stimuli(0, &[("a", 3), ("b", 5)]),
        &["unmatched-images task", "unused-images task"],
    );
    let many: Vec<String> = (0..30).map(|number| format!("m{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check(&Ranking::default(), &items(2, &many, &[]), &["too-many-models task"]);
    check(&Ranking { models_per_trial: Some(26.into()), ..Ranking::default() }, &items(2, &many, &[]), &[]);
    let task = Ranking { models_per_trial: Some(26.into()), ..Ranking::default() };
    check(&task, &items(2, &many[..20], &[]), &["out-of-range task.models_per_trial"]);
}

#[test]
fn models_that_lack_outputs_are_named() {
    let all = items_with_originals(6, &["a", "b", "c"]);
    let some = without(&all, |path| path.starts_with("a/00000") || path == "c/000003.png");
    let task = Contrast { real: true, practice: 3.into(), ..Contrast::default() };
    let found = found(&task, &some);
    assert_eq!(codes(&found), ["missing-outputs task", "missing-outputs task"]);
    let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(said[0], "a has no image for 6 of 6 items: 000000, 000001, 000002 and 3 more");
    assert_eq!(said[1], "c has no image for 1 of 6 items: 000003");
}

#[test]
fn practice_on_judged_images_is_reported() {
    let task = Contrast { practice: 4.into(), ..Contrast::default() };
    check(&task, &items(31, &["a", "b"], &[]), &["practice-repeats task.practice"]);
    check(&task, &items(34, &["a", "b"], &[]), &[]);
}

#[test]
fn fooling_needs_images_that_a_rater_has_not_seen() {
    check(
        &Fooling::default(),
        &stimuli(49, &[("a", 50), ("b", 48)]),
        &["too-few-images task", "too-few-images task"],
    );
    check(&Fooling::default(), &stimuli(0, &[("a", 50)]), &["too-few-images task"]);
    check(&Fooling::default(), &items(60, &["a"], &[]), &["no-reals task"]);
    let task = Fooling { trials: 3.into(), practice: 0.into(), same_item: true, ..Fooling::default() };
    check(&task, &stimuli(9, &[("a", 9)]), &["missing-originals task.same_item"]);
    let all = items_with_originals(9, &["a", "b"]);
    let some = without(&all, |path| path == "real/000004.png");
    let found = found(&task, &some);
    let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(said[0], "1 image of a without a real one for the item: 000004");
    assert_eq!(said.len(), 2);
}

#[test]
fn raters_are_counted_by_item_and_see_all_models() {
    let raters = Raters {
        per_item: None,
        design: RaterDesign::Between,
        qualification: Some(Qualification::default()),
        ..Raters::default()
    };
    let tasks: [Box<dyn TaskSpec>; 3] =
        [Box::new(Contrast::default()), Box::new(Ranking::default()), Box::new(BestOf::default())];
    for task in tasks {
        let mut spec = Spec::new("faults", 1, task);
        spec = spec.with_raters(raters.clone());
        let found = spec.check(&items(40, &["a", "b"], &[]));
        assert_eq!(
            codes(&found),
            [
                "no-qualification raters.qualification",
                "not-by-model raters.per_model",
                "not-between raters.design"
            ]
        );
    }
    let mut spec = Spec::new("faults", 1, Box::new(Fooling::default()));
    spec.collection.raters.per_item = Some(5);
    let found = spec.check(&stimuli(60, &[("a", 60)]));
    assert_eq!(codes(&found), ["not-by-item raters.per_item"]);
}

#[test]
fn rubrics_score_their_own_tasks_only() {
    let tasks: [Box<dyn TaskSpec>; 4] = [
        Box::new(Contrast::default()),
        Box::new(Ranking::default()),
        Box::new(BestOf::default()),
        Box::new(Fooling::default()),
    ];
    let rubrics: [Box<dyn RubricSpec>; 4] = [
        Box::new(ContrastRubric::default()),
        Box::new(RankingRubric::default()),
        Box::new(BestOfRubric::default()),
        Box::new(FoolingRubric::default()),
    ];
    let faults = |task: &dyn TaskSpec, rubric: &dyn RubricSpec| -> Vec<String> {
        let spec = Spec::new("faults", 1, task.boxed_clone()).with_rubric(rubric.boxed_clone());
        let found = spec.check(&items_with_originals(4, &["a", "b"]));
        let about_rubric = found.iter().filter(|one| one.path.starts_with("rubric") && one.help.is_some());
        about_rubric.map(|one| format!("{} {}", one.code, one.path)).collect()
    };
    for (row, task) in tasks.iter().enumerate() {
        for (column, rubric) in rubrics.iter().enumerate() {
            let expected: &[&str] = if row == column { &[] } else { &["wrong-rubric rubric"] };
            assert_eq!(faults(&**task, &**rubric), expected, "{row} {column}");
        }
    }
    let task = BestOf { criteria: ["realism", "sharpness"].map(NameOr::from).to_vec(), ..BestOf::default() };
    assert_eq!(
        faults(&task, &BestOfRubric::default()),
        ["wrong-rubric rubric"],
        "it does not ask for `best`"
    );
    let fewer = BestOfRubric { criteria: vec!["realism".to_owned()] };
    assert_eq!(faults(&task, &fewer), ["other-criteria rubric.criteria"]);
}
