//! All cells of ImagenHub's tables are reproduced by sessions of a study in YAML.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::ratings;

use std::collections::BTreeMap;

use crate::ratings::{answer_with, answered, from_yaml, scores, value};
use hype_core::ConditionKind::{self, Control, Instruction, Mask, Prompt, Source, Subject};
use hype_core::{MeasureFindings, Study};
use hype_sim::fixtures;

const NAMES: [&str; 3] = ["none", "some", "most"];

/// The guideline's tables of semantic consistency, copied from the project's page, in the order none, some, most of
/// each condition: one condition, two conditions, three conditions.
const ONE: [f64; 3] = [0.0, 0.5, 1.0];
const TWO: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 1.0]];
const THREE: [[[f64; 3]; 3]; 3] = [
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]],
    [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 1.0]],
];

/// Perceptual quality by objects, artifacts and unusual sense: by the paper's table 1, and by the guideline's.
const QUALITY: [(&str, &str, &str, f64, Option<f64>); 12] = [
    ("unrecognizable", "serious", "some", 0.0, Some(0.0)),
    ("unrecognizable", "serious", "none", 0.0, Some(0.0)),
    ("unrecognizable", "some", "some", 0.0, None),
    ("unrecognizable", "some", "none", 0.0, None),
    ("unrecognizable", "none", "some", 0.0, None),
    ("unrecognizable", "none", "none", 0.0, None),
    ("recognizable", "serious", "some", 0.0, Some(0.5)),
    ("recognizable", "serious", "none", 0.0, None),
    ("recognizable", "some", "some", 0.5, Some(0.5)),
    ("recognizable", "some", "none", 0.5, Some(0.5)),
    ("recognizable", "none", "some", 0.5, Some(0.5)),
    ("recognizable", "none", "none", 1.0, Some(1.0)),
];

fn yaml(kind: &str, table: &str) -> String {
    format!(
        "name: cells\nseed: 3\nstimuli:\n  m: {{ role: generated, images: m/*.png }}\ntask: {{ kind: rating }}\n\
         rubric: {{ kind: imagenhub.{kind}, table: {table} }}\nraters: {{ per_item: 1 }}\n"
    )
}

/// Runs one session of a study in YAML whose image `n` gets the answers `cells[n]`, and passes on each image's
/// scores.
fn play(
    kind: &str,
    table: &str,
    kinds: &[ConditionKind],
    cells: &[Vec<(&str, &str)>],
    mut check: impl FnMut(usize, &dyn Fn(&str) -> Option<f64>),
) -> Study {
    let study = from_yaml(&yaml(kind, table), fixtures::items(cells.len() as u32, &["m"], kinds));
    let stimuli = study.stimuli().clone();
    let record = answered(&study, 0, |trial, _| {
        let number: usize = stimuli.label(trial.stimuli().next().unwrap()).parse().unwrap();
        answer_with(trial, &cells[number])
    });
    assert!(record.is_complete() && record.trials.len() == cells.len());
    let table = scores(&study, &record);
    for number in 0..cells.len() {
        let item = format!("{number:06}");
        check(number, &|measure| value(&table, &item, measure));
    }
    study
}

/// Perceptual quality is perfect, so O is the root of SC.
const FINE: [(&str, &str); 3] = [("objects", "recognizable"), ("artifacts", "none"), ("unusual", "none")];

fn with_looks<'a>(conditions: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    conditions.iter().chain(&FINE).copied().collect()
}

#[test]
fn one_condition_scores_by_its_table() {
    let cells: Vec<_> = NAMES.iter().map(|level| with_looks(&[("A", level)])).collect();
    play("text_guided_generation", "paper", &[Prompt], &cells, |cell, score| {
        assert_eq!((score("A"), score("SC"), score("PQ")), (Some(ONE[cell]), Some(ONE[cell]), Some(1.0)));
        assert_eq!(score("O"), Some(ONE[cell].sqrt()));
    });
}

#[test]
fn two_conditions_score_by_their_table() {
    for (kind, kinds, [first, second]) in [
        ("mask_guided_editing", vec![Instruction, Source, Mask], ["B", "C"]),
        ("text_guided_editing", vec![Instruction, Source], ["B", "C"]),
        ("subject_driven_generation", vec![Prompt, Subject], ["A", "D"]),
        ("subject_driven_editing", vec![Source, Subject], ["C", "D"]),
        ("control_guided_generation", vec![Prompt, Control], ["A", "E"]),
    ] {
        let cells: Vec<_> =
            (0..9).map(|cell| with_looks(&[(first, NAMES[cell / 3]), (second, NAMES[cell % 3])])).collect();
        play(kind, "paper", &kinds, &cells, |cell, score| {
            let expected = TWO[cell / 3][cell % 3];
            assert_eq!((score("SC"), score("O")), (Some(expected), Some(expected.sqrt())), "{kind} {cell}");
            assert_eq!((score(first), score(second)), (Some(ONE[cell / 3]), Some(ONE[cell % 3])), "{kind}");
        });
    }
}

#[test]
fn three_conditions_score_by_their_table_and_more_subjects_by_the_least() {
    let kind = "multi_concept_composition";
    let cells: Vec<_> = (0..27)
        .map(|cell| {
            with_looks(&[("A", NAMES[cell / 9]), ("D_1", NAMES[cell / 3 % 3]), ("D_2", NAMES[cell % 3])])
        })
        .collect();
    play(kind, "paper", &[Prompt, Subject, Subject], &cells, |cell, score| {
        let expected = THREE[cell / 9][cell / 3 % 3][cell % 3];
        assert_eq!((score("SC"), score("O")), (Some(expected), Some(expected.sqrt())), "cell {cell}");
        assert_eq!(score("D"), Some(ONE[cell / 3 % 3].min(ONE[cell % 3])));
    });
    let four =
        [with_looks(&[("A", "most"), ("D_1", "most"), ("D_2", "most"), ("D_3", "some"), ("D_4", "most")])];
    play(kind, "paper", &[Prompt, Subject, Subject, Subject, Subject], &four, |_, score| {
        assert_eq!((score("SC"), score("D")), (Some(0.5), Some(0.5)));
    });
}

#[test]
fn perceptual_quality_scores_by_either_table() {
    let cells: Vec<Vec<(&str, &str)>> = QUALITY
        .iter()
        .map(|&(objects, artifacts, unusual, ..)| {
            vec![("A", "most"), ("objects", objects), ("artifacts", artifacts), ("unusual", unusual)]
        })
        .collect();
    play("text_guided_generation", "paper", &[Prompt], &cells, |cell, score| {
        let (.., paper, _) = QUALITY[cell];
        assert_eq!((score("PQ"), score("O")), (Some(paper), Some(paper.sqrt())), "cell {cell}");
        assert_eq!(score("not_in_table"), None);
    });
    let study = play("text_guided_generation", "guideline", &[Prompt], &cells, |cell, score| {
        let (.., guideline) = QUALITY[cell];
        assert_eq!((score("PQ"), score("O")), (guideline, guideline.map(f64::sqrt)), "cell {cell}");
        assert_eq!((score("SC"), score("A")), (Some(1.0), Some(1.0)), "cell {cell}");
        assert_eq!(score("not_in_table"), Some(f64::from(u8::from(guideline.is_none()))));
    });
    let found: Vec<MeasureFindings> = [("SC", 12), ("PQ", 7)]
        .into_iter()
        .map(|(name, responses)| {
            let measures = study.rubric().measures();
            let measure = measures.into_iter().find(|measure| &*measure.name == name).unwrap();
            MeasureFindings { responses, ..MeasureFindings::new(measure) }
        })
        .collect();
    let context = study.scoring();
    let notes = study.rubric().remarks(&found, &context);
    let texts: BTreeMap<&str, &str> = notes.iter().map(|note| (&*note.code, &*note.text)).collect();
    assert!(texts["pq-table"].contains("guideline"), "{texts:?}");
    assert!(texts["not-in-table"].starts_with("5 of 12 ratings"), "{texts:?}");
}

#[test]
fn the_study_score_is_the_overall_score() {
    let study = from_yaml(
        &yaml("control_guided_generation", "paper"),
        fixtures::items(4, &["m"], &[Prompt, Control]),
    );
    let names: Vec<String> =
        study.rubric().measures().iter().map(|measure| measure.name.to_string()).collect();
    let expected =
        ["O", "SC", "PQ", "A", "E", "objects", "artifacts", "unusual", "gold_correct", "consistency"];
    assert_eq!(names, expected);
}

#[test]
fn subjects_are_asked_about_by_their_names() {
    let kinds = [Prompt, Subject, Subject];
    let study = from_yaml(&yaml("multi_concept_composition", "paper"), fixtures::items(3, &["m"], &kinds));
    let (trial, _) = &ratings::trials(&study, 0)[0];
    let asked: Vec<(&str, &str)> =
        trial.questions.iter().map(|question| (&*question.id, &*question.text)).collect();
    assert_eq!(asked[1].0, "D_1");
    assert!(asked[1].1.contains("<subject 1>") && asked[2].1.contains("<subject 2>"), "{asked:?}");
}
