//! Rubrics of ratings: HEIM's words and scores, opinion scores, custom questions, gold images and repeats.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, reason = "a test")]

use crate::ratings;

use std::collections::BTreeMap;

use crate::ratings::{answer_with, answered, from_yaml, per_item, scores, study, trials, value, with_set};
use hype_core::ConditionKind::{Instruction, Mask, Prompt, Source};
use hype_core::model::trial::Part;
use hype_core::{
    Asked, Condition, Content, Form, Item, Role, Rubric as _, Session, SessionRecord, SetId, Step, Stimuli,
    Stimulus, StimulusSet, Trial, Use,
};
use hype_core::{Streams, Timing};
use hype_sim::fixtures;
use hype_tasks::Rating;
use hype_tasks::questionnaires::opinion::RatingMethod;
use hype_tasks::questionnaires::{Aspect, HeimImage, HeimPhotorealism, Likert, Opinion};
use hype_tasks::tasks::rating::{Gold, Reference, Repeats};
use serde_json::json;

/// Lee et al. 2023, appendix C.
const HEIM: [(Aspect, &str, &[&str]); 5] = [
    (
        Aspect::Alignment,
        "How well does the image match the description?",
        &[
            "Does not match at all",
            "Has significant discrepancies",
            "Has several minor discrepancies",
            "Has a few minor discrepancies",
            "Matches exactly",
        ],
    ),
    (
        Aspect::Photorealism,
        "Does the image look like an AI-generated photo or a real photo?",
        &[
            "AI-generated photo",
            "Probably an AI-generated photo, but photorealistic",
            "Neutral",
            "Probably a real photo, but with irregular textures and shapes",
            "Real photo",
        ],
    ),
    (
        Aspect::SubjectClarity,
        "Is it clear who the subject(s) of the image is? The subject can be a living being (e.g., a dog or a person) or \
         an inanimate body or object (e.g., a mountain).",
        &["No, it's unclear.", "I don't know. It's hard to tell.", "Yes, it's clear."],
    ),
    (
        Aspect::Aesthetics,
        "How aesthetically pleasing is the image?",
        &[
            "I find the image ugly.",
            "The image has a lot of flaws, but it's not completely unappealing.",
            "I find the image neither ugly nor aesthetically pleasing.",
            "The image is aesthetically pleasing and nice to look at it.",
            "The image is aesthetically stunning. I can look at it all day.",
        ],
    ),
    (
        Aspect::Originality,
        "How original is the image, given it was created with the description?",
        &[
            "I've seen something like this before to the point it's become tiresome.",
            "The image is not really original, but it has some originality to it.",
            "Neutral.",
            "I find the image to be fresh and original.",
            "I find the image to be extremely creative and out of this world.",
        ],
    ),
];

#[test]
fn heim_asks_in_its_own_words_and_scores_by_place() {
    let content = Content::Text("a dog".into());
    let item = Item {
        id: "1".into(),
        conditions: vec![Condition { kind: Prompt, name: None, content }],
        ..Item::default()
    };
    let all = HeimImage { aspects: Aspect::ALL.to_vec() };
    let page = all.questions(&Asked { item: Some(&item), role: Role::Generated });
    assert_eq!(page.len(), 5);
    for ((aspect, text, answers), question) in HEIM.iter().zip(page.iter()) {
        assert_eq!((&*question.id, &*question.text), (aspect.id(), *text));
        let Form::Choice { options } = &question.form else { panic!("{question:?}") };
        let labels: Vec<&str> = options.iter().map(|option| &*option.label).collect();
        assert_eq!(labels, *answers);
        for (score, option) in (1..).zip(options) {
            assert_eq!(*option.value, *i32::to_string(&score));
        }
    }
    let none = Item { conditions: vec![], ..item };
    assert!(HeimImage::default().questions(&Asked { item: Some(&none), role: Role::Generated }).is_empty());
    // HEIM asks photorealism without the description.
    assert!(!HeimImage::default().aspects.contains(&Aspect::Photorealism));
}

#[test]
fn every_answer_of_heim_scores_its_place() {
    let rubric = HeimImage { aspects: Aspect::ALL.to_vec() };
    let task = Rating::default();
    let study = study(&task, &rubric, per_item(&task, 5), fixtures::items(5, &["m"], &[Prompt]));
    let stimuli = study.stimuli().clone();
    let score_of = |number: usize, answers: usize| number.min(answers - 1) + 1;
    let record = answered(&study, 0, |trial, _| {
        let number: usize = stimuli.label(trial.stimuli().next().unwrap()).parse().unwrap();
        let all = HEIM.iter().map(|(aspect, _, answers)| {
            (aspect.id().to_owned(), json!(score_of(number, answers.len()).to_string()))
        });
        serde_json::Value::Object(all.collect())
    });
    let table = scores(&study, &record);
    for number in 0..5 {
        for (aspect, _, answers) in HEIM {
            let found = value(&table, &format!("{number:06}"), aspect.id());
            assert_eq!(found, Some(score_of(number, answers.len()) as f64), "{aspect:?} of {number}");
        }
    }
    assert!(table.rows().all(|row| row.model == "m" && row.rater == "r000000-000"));
}

#[test]
fn photorealism_keeps_real_images_apart() {
    let task = Rating { real: true, ..Rating::default() };
    let stimuli = fixtures::stimuli(6, &[("a", 6), ("b", 6)]);
    let study = study(&task, &HeimPhotorealism::default(), per_item(&task, 5), stimuli);
    let record = answered(&study, 2, |trial, truth| {
        let answer = if truth.role == Some(Role::Real) { "5" } else { "2" };
        answer_with(trial, &[("photorealism", answer)])
    });
    assert_eq!(record.trials.len(), 18);
    let mut by_model: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in scores(&study, &record).rows() {
        by_model.entry(row.model.to_owned()).or_default().push(row.value);
    }
    assert_eq!(by_model["real"], [5.0; 6]);
    assert_eq!((&by_model["a"], &by_model["b"]), (&vec![2.0; 6], &vec![2.0; 6]));
}

#[test]
fn opinions_score_their_categories_and_comparisons_turn_with_the_order() {
    for (method, reference, lowest) in [
        (RatingMethod::Acr, Reference::Before, 1),
        (RatingMethod::Dcr, Reference::Before, 1),
        (RatingMethod::Ccr, Reference::Beside, -3),
    ] {
        let task = Rating { reference, ..Rating::default() };
        let rubric = Opinion { method, ..Opinion::default() };
        let categories = method.categories();
        let images = 2 * categories.len();
        let study =
            study(&task, &rubric, per_item(&task, 2), fixtures::items(images as u32, &["m"], &[Source]));
        let stimuli = study.stimuli().clone();
        let is_given = |id| stimuli.set_of(id).unwrap().used_for == Use::Condition;
        // How much better the output is than its source; in pairs the answer depends on which one is second.
        let wanted = |number: usize| lowest + (number % categories.len()) as i32;
        let mut output_first = 0;
        let record = answered(&study, 0, |trial, truth| {
            let shown: Vec<_> = trial.stimuli().collect();
            let output = shown.iter().position(|&id| !is_given(id)).unwrap();
            let number: usize = stimuli.label(shown[output]).parse().unwrap();
            let mut answer = wanted(number);
            if method == RatingMethod::Ccr {
                assert_eq!((shown.len(), truth.shown.len()), (2, 2));
                assert_eq!(stimuli.set(truth.shown[1 - output]).unwrap().used_for, Use::Condition);
                if output == 0 {
                    output_first += 1;
                    answer = -answer;
                }
            }
            answer_with(trial, &[("opinion", &answer.to_string())])
        });
        let table = scores(&study, &record);
        for number in 0..images {
            let found = value(&table, &format!("{number:06}"), "opinion");
            assert_eq!(found, Some(f64::from(wanted(number))), "{method:?} of {number}");
        }
        if method == RatingMethod::Ccr {
            assert_eq!(output_first, images / 2, "half of the pairs show the output first");
        }
    }
}

#[test]
fn a_hidden_reference_turns_scores_into_differences_within_rater_and_item() {
    let task = Rating { real: true, ..Rating::default() };
    let rubric = Opinion { method: RatingMethod::AcrHr, ..Opinion::default() };
    let study = study(&task, &rubric, per_item(&task, 2), with_sources(4));
    let stimuli = study.stimuli().clone();
    let number = |trial: &Trial| stimuli.label(trial.stimuli().next().unwrap()).parse::<i32>().unwrap();
    // Sources have 5, 4, 3, 2, and outputs 1, 2, 3, 4.
    let record = answered(&study, 0, |trial, truth| {
        let score = if truth.role == Some(Role::Real) { 5 - number(trial) } else { 1 + number(trial) };
        answer_with(trial, &[("opinion", &score.to_string())])
    });
    let table = scores(&study, &record);
    let found = (0..4).map(|item| value(&table, &format!("{item:06}"), "dmos"));
    assert_eq!(found.collect::<Vec<_>>(), [Some(1.0), Some(3.0), Some(5.0), Some(7.0)]);
    assert!(table.rows().all(|row| row.measure != "dmos" || row.model == "m"));
    let measures = study.rubric().measures();
    assert_eq!((&*measures[0].name, measures[0].ends()), ("dmos", Some([1.0, 9.0])));
}

/// A model and the sources of its items, which are rated among its outputs.
fn with_sources(items: u32) -> Stimuli {
    let outputs = fixtures::items(items, &["m"], &[]);
    let own =
        |set, one: &Stimulus| Stimulus::new(SetId(set), one.digest, &*one.path, one.media).for_item(one.item);
    let all = [0, 1].into_iter().flat_map(|set| outputs.all().iter().map(move |one| own(set, one)));
    let set = |name, role| StimulusSet::new(name, role, Use::Main);
    let sets = vec![set("m", Role::Generated), set("source", Role::Real)];
    Stimuli::with_items(sets, all.collect(), outputs.items().to_vec()).unwrap()
}

#[test]
fn degradations_are_shown_after_their_source_and_texts_before_images() {
    let task = Rating::default();
    let rubric = Opinion { method: RatingMethod::Dcr, ..Opinion::default() };
    let kinds = [Mask, Source, Instruction, Prompt];
    let study = study(&task, &rubric, per_item(&task, 2), fixtures::items(3, &["m"], &kinds));
    for (trial, _) in trials(&study, 0) {
        let kinds = trial.parts.iter().filter_map(|part| match part {
            Part::Condition(condition) => Some(condition.kind),
            _ => None,
        });
        assert_eq!(kinds.collect::<Vec<_>>(), [Instruction, Prompt, Mask, Source]);
        assert!(matches!(trial.parts.last(), Some(Part::Stimulus { exposure: None, .. })));
    }
    let bare = Rating { conditions: Some(vec![Source]), ..Rating::default() };
    let study = ratings::study(&bare, &rubric, per_item(&bare, 2), fixtures::items(3, &["m"], &kinds));
    assert_eq!(trials(&study, 0)[0].0.parts.len(), 2);
}

const LIKERT: &str = "
name: own
stimuli: { m: { role: generated, images: m/*.png } }
task: { kind: rating }
rubric:
  kind: likert
  guidance: Take your time.
  questions:
    - id: flaws
      text: How many flaws do you see?
      help: Anything that a camera would not record.
      label: flaws seen
      better: lower
      options:
        - { label: None, score: 0, value: none }
        - { label: A few, score: 2 }
        - Many
    - id: realism
      text: How realistic is the image, in percent?
      number: { minimum: 0, maximum: 100, whole: true }
raters: { per_item: 2 }
";

#[test]
fn questions_of_ones_own_score_as_written() {
    let study = from_yaml(LIKERT, fixtures::items(3, &["m"], &[]));
    let stimuli = study.stimuli().clone();
    let record = answered(&study, 0, |trial, _| {
        let number: usize = stimuli.label(trial.stimuli().next().unwrap()).parse().unwrap();
        let flaws = ["none", "2", "3"][number];
        json!({ "flaws": flaws, "realism": 10 * number })
    });
    let table = scores(&study, &record);
    let found: Vec<_> = (0..3)
        .map(|number| {
            let item = format!("{number:06}");
            (value(&table, &item, "flaws").unwrap(), value(&table, &item, "realism").unwrap())
        })
        .collect();
    assert_eq!(found, [(0.0, 0.0), (2.0, 10.0), (3.0, 20.0)]);
    let measures = study.rubric().measures();
    assert_eq!((&*measures[0].label, measures[0].direction), ("flaws seen", hype_core::Direction::Lower));
    assert_eq!(study.guidance().last().map(ToString::to_string).as_deref(), Some("Take your time."));
    let (trial, _) = &trials(&study, 0)[0];
    assert_eq!(trial.questions[0].help.as_deref(), Some("Anything that a camera would not record."));
    let likert: &Likert = study.rubric().downcast_ref().unwrap();
    let again: Likert = serde_json::from_value(serde_json::to_value(likert).unwrap()).unwrap();
    assert_eq!(&again, likert);
}

#[test]
fn invalid_answers_are_refused_with_the_reason() {
    let study = from_yaml(LIKERT, fixtures::items(3, &["m"], &[]));
    let (mut session, _) = Session::open(&study, "r", 0, 0).unwrap();
    for (answer, reason) in [
        (json!({ "flaws": "none" }), "the question `realism` is not answered"),
        (json!({ "flaws": "none", "realism": 3, "extra": "x" }), "there is no question `extra`"),
        (
            json!({ "flaws": "few", "realism": 3 }),
            "the question `flaws` has no option `few`; it has none, 2, 3",
        ),
        (json!({ "flaws": "none", "realism": 101 }), "a whole number from 0 to 100, got 101"),
        (json!({ "flaws": "none", "realism": 3.5 }), "a whole number from 0 to 100, got 3.5"),
        (json!({ "flaws": 2, "realism": 3 }), "`flaws` is not the value of an option"),
        (json!({ "flaws": "none", "realism": 3, "extra": null }), "cannot be read"),
    ] {
        let rejected = session.handle_answer(0, answer, Timing::default()).unwrap_err().to_string();
        assert!(rejected.contains(reason), "{rejected}");
    }
    let valid = json!({ "flaws": "none", "realism": 3 });
    assert!(session.handle_answer(0, valid, Timing::default()).is_ok());
    assert!(matches!(session.step(), Step::Show(trial) if trial.number == 1));
}

/// Sessions with gold images and repeats.
fn watched() -> hype_core::Study {
    let task = Rating {
        gold: Some(Gold { per_session: 4.into(), pass: 0.75 }),
        repeats: Some(Repeats { per_session: 4.into(), apart: 3.into(), min_agreement: Some(0.5) }),
        ..Rating::default()
    };
    let main = fixtures::items(10, &["m"], &[]);
    let stimuli = with_set(&main, "catch", Role::Generated, Use::Gold, 4, &[("opinion", &["1", "2"])]);
    study(&task, &Opinion::default(), per_item(&task, 2), stimuli)
}

/// Runs a session with the given numbers of right gold images and of repeats with the same answer.
fn watched_record(study: &hype_core::Study, right: u32, alike: u32) -> SessionRecord {
    let (mut right, mut alike) = (right, alike);
    let mut seen = BTreeMap::new();
    let take = |left: &mut u32| {
        let some = *left > 0;
        *left -= u32::from(some);
        some
    };
    answered(study, 0, |trial, truth| {
        let image = trial.stimuli().next().unwrap();
        let answer = if truth.answer.is_some() {
            if take(&mut right) { "2" } else { "3" }
        } else if seen.insert(image, ()).is_some() {
            if take(&mut alike) { "4" } else { "5" }
        } else {
            "4"
        };
        answer_with(trial, &[("opinion", answer)])
    })
}

#[test]
fn gold_images_and_repeats_are_measured_and_not_scored() {
    let study = watched();
    let record = watched_record(&study, 3, 1);
    let table = scores(&study, &record);
    let of = |measure: &str| -> Vec<(String, f64)> {
        table
            .rows()
            .filter(|row| row.measure == measure)
            .map(|row| (row.model.to_owned(), row.value))
            .collect()
    };
    assert_eq!(of("opinion"), vec![("m".to_owned(), 4.0); 10], "each image once, by its first showing");
    let gold: Vec<f64> = of("gold_correct").into_iter().map(|(_, value)| value).collect();
    assert_eq!((gold.len(), gold.iter().sum::<f64>()), (4, 3.0));
    assert!(of("gold_correct").iter().all(|(model, _)| model == "catch"));
    let same: Vec<f64> = of("consistency").into_iter().map(|(_, value)| value).collect();
    assert_eq!((same.len(), same.iter().sum::<f64>()), (4, 1.0));
    assert_eq!(record.outcome.unwrap().correct, 3);
}

#[test]
fn raters_who_do_not_look_are_left_out() {
    let study = watched();
    let rule = |right, alike| {
        let record = watched_record(&study, right, alike);
        study.exclusion(&record).map(|one| (one.name, one.why))
    };
    assert_eq!(rule(3, 2), None);
    let (by, reason) = rule(2, 2).unwrap();
    assert_eq!((&*by, &*reason), ("gold", "2 of 4 gold images right, under 0.75"));
    let (by, reason) = rule(4, 1).unwrap();
    assert_eq!(&*by, "repeats");
    assert_eq!(&*reason, "25 % of the answers to 4 repeated images are the same, under 0.5");
}

#[test]
fn simulated_raters_know_the_gold_answers() {
    let study = watched();
    let population = hype_sim::Population {
        behaviours: hype_sim::Behaviours { bots: 1.0, ..Default::default() },
        ..hype_sim::Population::default()
    };
    let mut rater = population.rater(study.stimuli(), &Streams::new(1)).unwrap();
    let mut log = Vec::new();
    hype_backends::play(&study, &mut rater, 1, 0, |event| log.push(event)).unwrap();
    let record = SessionRecord::from_events(log).unwrap();
    assert_eq!(record.outcome.as_ref().unwrap().correct, 4);
    assert_eq!(study.exclusion(&record), None);
}
