//! The tasks and rubrics pass the behaviour suites that every task and every rubric has to pass.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::ratings;

use hype_core::ConditionKind::{Control, Instruction, Mask, Prompt, Source, Subject};
use hype_core::{ConditionKind, Raters, Role, Stimuli, Use};
use hype_core::{PassMark, PassRule, Qualification, RaterDesign};
use hype_sim::fixtures::stimuli;
use hype_sim::{fixtures, rubric_conformance, task_conformance};
use hype_tasks::questionnaires::heim::*;
use hype_tasks::questionnaires::imagenhub::*;
use hype_tasks::questionnaires::opinion::RatingMethod;
use hype_tasks::questionnaires::{Likert, Opinion};
use hype_tasks::tasks::hype_time::StaircaseSettings;
use hype_tasks::tasks::rating::{Gold, Reference, Repeats};
use hype_tasks::{HypeInfinity, HypeInfinityRubric, HypeTime, HypeTimeRubric, Rating};

fn raters(design: RaterDesign) -> Raters {
    let pass = PassMark { rule: PassRule::Overall, at_least: 0.6 };
    Raters {
        per_model: 2,
        design,
        qualification: Some(Qualification { trials: 10, pass }),
        ..Raters::default()
    }
}

fn short() -> HypeTime {
    HypeTime { blocks: 2.into(), trials_per_block: 12.into(), ..HypeTime::default() }
}

fn cumulative() -> HypeTime {
    let staircase =
        serde_json::from_str::<StaircaseSettings>(r#"{ "preset": "cumulative-3-1" }"#).unwrap_or_default();
    HypeTime { staircase, ..short() }
}

task_conformance!(
    hype_time_between,
    task = short(),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

task_conformance!(
    hype_time_within,
    task = cumulative(),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Within)
);

task_conformance!(
    hype_infinity_between,
    task = HypeInfinity { generated: 7.into(), real: 9.into() },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);

task_conformance!(
    hype_infinity_within,
    task = HypeInfinity { generated: 7.into(), real: 9.into() },
    stimuli = stimuli(60, &[("a", 40), ("b", 40), ("c", 30)]),
    raters = raters(RaterDesign::Within)
);

/// Short sessions with every feature of a rating session.
fn rating() -> Rating {
    Rating {
        per_session: Some(8.into()),
        gold: Some(Gold { per_session: 2.into(), pass: 0.5 }),
        repeats: Some(Repeats { per_session: 2.into(), apart: 3.into(), min_agreement: Some(0.2) }),
        rest_every: Some(5.into()),
        rest_s: 10.into(),
        ..Rating::default()
    }
}

/// Eight items with these conditions, two models, and gold images for one of the items each.
fn rated(kinds: &[ConditionKind], question: &str, right: &[&str]) -> Stimuli {
    let main = fixtures::items(8, &["a", "b"], kinds);
    ratings::with_set(&main, "catch", Role::Generated, Use::Gold, 3, &[(question, right)])
}

fn likert() -> Likert {
    let questions = r#"[
        { "id": "real", "text": "How real?", "options": ["Not", "Somewhat", { "label": "Very", "score": 5 }] },
        { "id": "percent", "text": "How much?", "number": { "minimum": 0, "maximum": 100, "whole": true } },
        { "id": "share", "text": "Which share?", "number": { "minimum": -1, "maximum": 1 } }
    ]"#;
    Likert { questions: serde_json::from_str(questions).unwrap(), guidance: None }
}

task_conformance!(
    rating_opinion,
    task = rating(),
    stimuli = rated(&[], "opinion", &["1", "2"]),
    rubric = Opinion::default()
);

task_conformance!(
    rating_pairs,
    task = Rating { reference: Reference::Beside, ..rating() },
    stimuli = rated(&[Prompt, Source], "opinion", &["-3"]),
    rubric = Opinion { method: RatingMethod::Ccr, anchors: None }
);

task_conformance!(
    rating_one_output_per_item,
    task = Rating { one_output_per_item: true, gold: None, ..rating() },
    stimuli = fixtures::items(9, &["a", "b", "c"], &[Prompt, Subject, Subject]),
    rubric = MultiConceptComposition::default()
);

task_conformance!(
    rating_real_and_generated,
    task = Rating { real: true, per_session: None, gold: None, repeats: None, rest_every: None, ..rating() },
    stimuli = stimuli(7, &[("a", 7), ("b", 6)]),
    rubric = HeimPhotorealism::default()
);

task_conformance!(
    rating_likert,
    task = rating(),
    stimuli = rated(&[Instruction, Source, Mask], "percent", &["10", "20"]),
    rubric = likert()
);

task_conformance!(
    rating_heim,
    task = rating(),
    stimuli = rated(&[Prompt], "subject_clarity", &["3"]),
    rubric = HeimImage::default()
);

/// Runs the suite on rubrics of the rating task: each with the conditions that it needs, and a gold answer.
macro_rules! rating_rubrics {
    ($($name:ident: $rubric:expr, $kinds:expr, $question:literal, $right:literal;)*) => {$(
        rubric_conformance!(
            $name,
            rubric = $rubric,
            task = rating(),
            stimuli = rated(&$kinds, $question, &[$right])
        );
    )*};
}

rating_rubrics! {
    rubric_alignment: HeimAlignment::default(), [Prompt], "alignment", "1";
    rubric_photorealism: HeimPhotorealism::default(), [], "photorealism", "1";
    rubric_subject_clarity: HeimSubjectClarity::default(), [], "subject_clarity", "1";
    rubric_aesthetics: HeimAesthetics::default(), [], "aesthetics", "1";
    rubric_originality: HeimOriginality::default(), [Prompt], "originality", "1";
    rubric_image: HeimImage::default(), [Prompt], "alignment", "1";
    rubric_text_generation: TextGuidedGeneration::default(), [Prompt], "A", "most";
    rubric_mask_editing: MaskGuidedEditing::default(), [Instruction, Source, Mask], "B", "most";
    rubric_text_editing: TextGuidedEditing(ImagenHubSettings { table: PqTable::Guideline }), [Instruction, Source], "C", "most";
    rubric_subject_generation: SubjectDrivenGeneration::default(), [Prompt, Subject], "D", "most";
    rubric_subject_editing: SubjectDrivenEditing::default(), [Source, Subject], "C", "most";
    rubric_composition: MultiConceptComposition::default(), [Prompt, Subject, Subject], "D_2", "most";
    rubric_control: ControlGuidedGeneration::default(), [Prompt, Control], "objects", "recognizable";
    rubric_opinion: Opinion::default(), [], "opinion", "1";
    rubric_degradation: Opinion { method: RatingMethod::Dcr, anchors: None }, [Source], "opinion", "1";
    rubric_likert: likert(), [], "real", "1";
}

rubric_conformance!(
    rubric_comparison,
    rubric = Opinion { method: RatingMethod::Ccr, anchors: None },
    task = Rating { reference: Reference::Beside, ..rating() },
    stimuli = rated(&[Source], "opinion", &["-3"])
);

rubric_conformance!(
    rubric_hype_time,
    rubric = HypeTimeRubric::default(),
    task = short(),
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Within)
);

rubric_conformance!(
    rubric_hype_infinity,
    rubric = HypeInfinityRubric::default(),
    task = HypeInfinity { generated: 7.into(), real: 9.into() },
    stimuli = stimuli(60, &[("a", 40), ("b", 40)]),
    raters = raters(RaterDesign::Between)
);
