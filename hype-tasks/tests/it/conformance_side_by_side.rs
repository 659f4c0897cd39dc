//! Tasks that show images side by side, and their rubrics, pass the behaviour suites.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use hype_core::RaterDesign;
use hype_core::{ConditionKind, Raters};
use hype_sim::fixtures::{items, stimuli};
use hype_sim::{rubric_conformance, task_conformance};
use hype_tasks::tasks::contrast::{BothBad, ContrastCriterion, Grades, PairSelection, ScoredCriterion};
use hype_tasks::tasks::fooling::Ask;
use hype_tasks::{
    BestOf, BestOfRubric, Contrast, ContrastRubric, Fooling, FoolingRubric, GoldComparisons, NameOr,
    NamedSettings, Ranking, RankingRubric, RepeatedComparisons, WordedCriterion,
};

use crate::side_by_side::{items_with_originals, with_gold};

fn contrast() -> Contrast {
    Contrast { per_session: 9.into(), ..Contrast::default() }
}

task_conformance!(
    contrast_balanced,
    task = contrast(),
    stimuli = items(6, &["a", "b", "c"], &[ConditionKind::Prompt, ConditionKind::Source])
);

task_conformance!(
    contrast_with_everything,
    task = Contrast {
        tie: true,
        both_bad: true,
        real: true,
        practice: 3.into(),
        rest_every: Some(4.into()),
        criterion: Some("realism".into()),
        ..contrast()
    },
    stimuli = items_with_originals(5, &["a", "b"]),
    rubric = ContrastRubric { both_bad: BothBad::Drop, ..ContrastRubric::default() }
);

/// Votes, votes with ties of their own, grades, and grades without a middle one.
fn criteria() -> Vec<NameOr<ContrastCriterion>> {
    let plain = ContrastCriterion::named("realism");
    let labels = ["Worse", "Same", "Better"].map(String::from).to_vec();
    [
        plain.clone(),
        ContrastCriterion {
            name: "fit to the text".into(),
            question: Some("Which one fits?".into()),
            tie: Some(true),
            ..plain.clone()
        },
        ContrastCriterion { name: "quality".into(), grades: Some(Grades::Ccr), ..plain.clone() },
        ContrastCriterion {
            name: "colour".into(),
            grades: Some(Grades::Labels(labels)),
            tie: Some(false),
            ..plain
        },
    ]
    .map(NameOr)
    .to_vec()
}

task_conformance!(
    contrast_by_criteria,
    task = Contrast { criteria: criteria(), both_bad: true, practice: 2.into(), ..contrast() },
    stimuli = items_with_originals(5, &["a", "b"])
);

task_conformance!(
    contrast_active_by_criteria,
    task = Contrast {
        criteria: criteria().split_off(2),
        pairs: PairSelection::Active,
        // Of all pairs: the first sides of each are those of practice.
        practice: 6.into(),
        ..contrast()
    },
    stimuli = items(7, &["a", "b", "c", "d"], &[ConditionKind::Prompt])
);

rubric_conformance!(
    rubric_contrast_by_criteria,
    rubric = ContrastRubric {
        criteria: vec![
            "realism".into(),
            "fit to the text".into(),
            NameOr(ScoredCriterion { name: "quality".into(), graded: true }),
            NameOr(ScoredCriterion { name: "colour".into(), graded: true }),
        ],
        ..ContrastRubric::default()
    },
    task = Contrast { criteria: criteria(), both_bad: true, ..contrast() },
    stimuli = items(6, &["a", "b", "c"], &[ConditionKind::Prompt])
);

task_conformance!(
    contrast_without_items,
    task = Contrast { conditions: false, practice: 2.into(), ..contrast() },
    stimuli = stimuli(4, &[("a", 9), ("b", 7)])
);

task_conformance!(
    contrast_active,
    task = Contrast { pairs: PairSelection::Active, tie: true, practice: 2.into(), ..contrast() },
    stimuli = items(7, &["a", "b", "c", "d"], &[ConditionKind::Prompt])
);

task_conformance!(
    contrast_against_one,
    task = Contrast {
        pairs: PairSelection::Against("stylegan".into()),
        tie: true,
        practice: 2.into(),
        ..contrast()
    },
    stimuli = items(5, &["wgan", "stylegan", "biggan", "glow"], &[ConditionKind::Prompt])
);

task_conformance!(
    contrast_active_on_few_items,
    task = Contrast { pairs: PairSelection::Active, both_bad: true, real: true, ..contrast() },
    stimuli = items_with_originals(2, &["a", "b"])
);

task_conformance!(
    ranking_all_models,
    task = Ranking { per_session: 4.into(), practice: 1.into(), ..Ranking::default() },
    stimuli = items(6, &["a", "b", "c"], &[ConditionKind::Instruction])
);

task_conformance!(
    ranking_some_models_without_ties,
    task = Ranking {
        per_session: 5.into(),
        ties: false,
        real: true,
        models_per_trial: Some(3.into()),
        rest_every: Some(2.into()),
        ..Ranking::default()
    },
    stimuli = items_with_originals(5, &["a", "b", "c", "d"])
);

task_conformance!(
    best_of_one_question,
    task = BestOf { per_session: 4.into(), practice: 2.into(), ..BestOf::default() },
    stimuli = stimuli(0, &[("a", 6), ("b", 6), ("c", 6)])
);

task_conformance!(
    best_of_several_criteria,
    task = BestOf {
        per_session: 4.into(),
        criteria: vec![
            "realism".into(),
            NameOr(WordedCriterion {
                name: "Quality of the change".into(),
                question: Some("Which change is best?".into()),
            }),
        ],
        real: true,
        ..BestOf::default()
    },
    stimuli = items_with_originals(6, &["a", "b"])
);

task_conformance!(
    fooling_between,
    task = Fooling { trials: 8.into(), practice: 3.into(), ..Fooling::default() },
    stimuli = stimuli(20, &[("a", 15), ("b", 12)])
);

task_conformance!(
    fooling_within_untimed,
    task = Fooling {
        trials: 5.into(),
        practice: 3.into(),
        ask: Ask::Fake,
        exposure_ms: None,
        feedback_ms: 0.into(),
        ..Fooling::default()
    },
    stimuli = stimuli(20, &[("a", 15), ("b", 12)]),
    raters = Raters {
        per_model: 2,
        design: RaterDesign::Within,
        ..hype_core::Task::defaults(&Fooling::default()).raters
    }
);

task_conformance!(
    fooling_same_item,
    task = Fooling { trials: 6.into(), practice: 2.into(), same_item: true, ..Fooling::default() },
    stimuli = items_with_originals(9, &["a", "b"])
);

/// Names that no text of a page contains: with gold trials, settings name sets, which conformance cannot rename.
const MODELS: [&str; 4] = ["model-one", "model-two", "model-three", "model-four"];

/// Originals of four items against other images for them.
fn gold() -> Option<GoldComparisons> {
    Some(GoldComparisons { per_session: 4.into(), ..GoldComparisons::new("original", "blank") })
}

fn repeats() -> Option<RepeatedComparisons> {
    Some(RepeatedComparisons {
        per_session: 2.into(),
        apart: 2.into(),
        attentive: 0.9,
        ..RepeatedComparisons::default()
    })
}

task_conformance!(
    contrast_with_gold_and_repeats,
    task = Contrast {
        gold: gold(),
        repeats: repeats(),
        tie: true,
        practice: 2.into(),
        rest_every: Some(4.into()),
        ..contrast()
    },
    stimuli = with_gold(&items(6, &MODELS[..3], &[ConditionKind::Prompt]), 6, 1)
);

task_conformance!(
    contrast_by_criteria_with_gold_and_repeats,
    task = Contrast { criteria: criteria(), gold: gold(), repeats: repeats(), ..contrast() },
    stimuli = with_gold(&items(6, &MODELS[..3], &[ConditionKind::Prompt]), 6, 1)
);

task_conformance!(
    contrast_active_with_gold_and_repeats,
    task = Contrast {
        pairs: PairSelection::Active,
        // Of all pairs: the first sides of each are those of practice.
        practice: 6.into(),
        gold: gold(),
        repeats: repeats(),
        ..contrast()
    },
    stimuli = with_gold(&items(7, &MODELS, &[ConditionKind::Prompt]), 7, 1)
);

task_conformance!(
    ranking_with_gold_and_repeats,
    task = Ranking {
        per_session: 5.into(),
        practice: 1.into(),
        gold: gold(),
        repeats: repeats(),
        ..Ranking::default()
    },
    stimuli = with_gold(&items(6, &MODELS[..3], &[ConditionKind::Prompt]), 6, 2)
);

task_conformance!(
    best_of_with_gold_and_repeats,
    task = BestOf {
        per_session: 5.into(),
        criteria: vec!["realism".into(), "fit".into()],
        gold: gold(),
        repeats: repeats(),
        ..BestOf::default()
    },
    stimuli = with_gold(&items(6, &MODELS[..3], &[ConditionKind::Prompt]), 6, 2)
);

rubric_conformance!(
    rubric_contrast_with_gold_and_repeats,
    rubric = ContrastRubric::default(),
    task = Contrast { gold: gold(), repeats: repeats(), ..contrast() },
    stimuli = with_gold(&items(6, &MODELS[..3], &[ConditionKind::Prompt]), 6, 1)
);

rubric_conformance!(
    rubric_contrast,
    rubric = ContrastRubric::default(),
    task = Contrast { tie: true, both_bad: true, ..contrast() },
    stimuli = items(6, &["a", "b", "c"], &[ConditionKind::Prompt])
);

rubric_conformance!(
    rubric_ranking,
    rubric = RankingRubric::default(),
    task = Ranking { per_session: 4.into(), practice: 1.into(), ..Ranking::default() },
    stimuli = items(6, &["a", "b", "c"], &[])
);

rubric_conformance!(
    rubric_best_of,
    rubric = BestOfRubric::default(),
    task = BestOf { per_session: 4.into(), practice: 2.into(), ..BestOf::default() },
    stimuli = items(6, &["a", "b", "c"], &[])
);

rubric_conformance!(
    rubric_fooling,
    rubric = FoolingRubric::default(),
    task = Fooling { trials: 8.into(), practice: 3.into(), ..Fooling::default() },
    stimuli = stimuli(20, &[("a", 15), ("b", 12)])
);
