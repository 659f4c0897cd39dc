//! Every text that the tasks and rubrics of this repository show is translated into every language of the page, and every
//! translation keeps the values of its text.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hype::Opening;
use hype_core::model::trial::Form;
use hype_core::plugin::translations::Catalogue;
use hype_core::{MediaKind, Session, Step, Study};

const LANGUAGES: [&str; 4] = ["ar", "de", "es", "zh"];

const STUDIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/studies");

/// An example study with its `task` and `rubric` replaced.
fn study(example: &str, task: &str, rubric: Option<&str>) -> Study {
    let written = std::fs::read_to_string(Path::new(STUDIES).join(example)).unwrap();
    let mut text = String::new();
    let mut skips = false;
    for line in written.lines() {
        let begins = |key: &str| line.starts_with(&format!("{key}:"));
        if !line.starts_with([' ', '#']) && !line.is_empty() {
            skips = begins("task")
                || (rubric.is_some() && begins("rubric"))
                || begins("aggregate")
                || begins("simulate");
        }
        if !skips {
            text += line;
            text.push('\n');
        }
    }
    text += &format!("task: {task}\n");
    if let Some(rubric) = rubric {
        text += &format!("rubric: {rubric}\n");
    }
    // The table of items names images relative to the spec.
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(Path::new(STUDIES).join("../quickstart"), folder.path().join("quickstart"))
        .unwrap();
    let studies = folder.path().join("studies");
    std::fs::create_dir(&studies).unwrap();
    std::fs::copy(Path::new(STUDIES).join("still_lifes.csv"), studies.join("still_lifes.csv")).unwrap();
    let path = studies.join("evaluation.yaml");
    std::fs::write(&path, &text).unwrap();
    Opening::of(&path).open(|_| {}).unwrap_or_else(|error| panic!("{error}\n{text}")).study
}

/// Returns the texts that a rater reads before the first trial and in it.
fn texts(study: &Study) -> BTreeSet<Arc<str>> {
    let mut texts: BTreeSet<Arc<str>> =
        study.guidance().iter().flat_map(|paragraph| paragraph.messages().to_vec()).collect();
    let (session, _) = Session::open(study, "reader", 0, 0).unwrap();
    let Step::Show(trial) = session.step() else { panic!("no trial") };
    for question in &*trial.questions {
        texts.insert(Arc::clone(&question.text));
        texts.extend(question.help.clone());
        let options = match &question.form {
            Form::Choice { options } => options,
            Form::Ranking { candidates, .. } => candidates,
            _ => continue,
        };
        texts.extend(options.iter().map(|option| Arc::clone(&option.label)));
    }
    texts.retain(|text| text.chars().count() > 1);
    texts
}

fn untranslated(texts: &BTreeSet<Arc<str>>) -> Vec<(&'static str, Arc<str>)> {
    let catalogues =
        LANGUAGES.map(|language| (language, Catalogue::linked(language, MediaKind::Image).unwrap()));
    let missing = catalogues.iter().flat_map(|(language, catalogue)| {
        let missing = texts.iter().filter(|text| catalogue.translate(text).is_none());
        missing.map(|text| (*language, Arc::clone(text)))
    });
    missing.collect()
}

/// A rubric of HEIM with all its aspects.
const HEIM: &str =
    "{ kind: heim.image, aspects: [alignment, photorealism, subject_clarity, aesthetics, originality] }";

/// Examples with the tasks and rubrics that they are tried with.
const STUDIES_OF_TASKS: [(&str, &str, Option<&str>); 19] = [
    ("hype-infinity.yaml", "{ kind: hype_infinity, generated: 30, real: 30 }", None),
    ("fooling.yaml", "{ kind: fooling, trials: 30, practice: 0, ask: fake }", None),
    ("fooling.yaml", "{ kind: fooling, trials: 30, practice: 1, exposure_ms: 500 }", None),
    ("fooling.yaml", "{ kind: fooling, trials: 30, practice: 1, feedback_ms: 500 }", None),
    ("fooling.yaml", "{ kind: fooling, trials: 30, practice: 7, feedback_ms: 0 }", None),
    ("fooling.yaml", "{ kind: fooling, trials: 30, practice: 7, feedback_ms: 500 }", None),
    ("contrast.yaml", "{ kind: contrast }", None),
    ("contrast.yaml", "{ kind: contrast, tie: true, both_bad: true }", None),
    (
        "contrast.yaml",
        "{ kind: contrast, tie: true, criteria: [{ name: a, question: Better }, { name: b, grades: ccr, question: Good }] }",
        None,
    ),
    ("contrast.yaml", "{ kind: contrast, repeats: {} }", None),
    ("ranking.yaml", "{ kind: ranking, ties: true }", None),
    ("ranking.yaml", "{ kind: ranking, ties: false }", None),
    ("best-of.yaml", "{ kind: best_of }", Some("{ kind: best_of }")),
    ("heim.yaml", "{ kind: rating, per_session: 20, repeats: { per_session: 4 } }", Some(HEIM)),
    ("photorealism.yaml", "{ kind: rating, real: true, per_session: 58 }", None),
    ("heim.yaml", "{ kind: rating }", Some("{ kind: heim.subject_clarity }")),
    ("imagenhub-generation.yaml", "{ kind: rating }", Some("{ kind: imagenhub.text_guided_generation }")),
    ("imagenhub-editing.yaml", "{ kind: rating }", Some("{ kind: imagenhub.text_guided_editing }")),
    ("opinion.yaml", "{ kind: rating }", Some("{ kind: opinion, method: acr }")),
];

#[test]
fn tasks_and_rubrics_are_translated() {
    for (example, task, rubric) in STUDIES_OF_TASKS {
        let texts = texts(&study(example, task, rubric));
        assert!(texts.len() > 1, "{task}: {texts:?}");
        assert_eq!(untranslated(&texts), [], "{task}");
    }
}

/// Words for images in the languages of the page.
const IMAGE: [&str; 5] = ["image", "bild", "imagen", "图", "صور"];

#[test]
fn raters_of_clips_and_texts_read_nothing_of_images() {
    let own =
        STUDIES_OF_TASKS.iter().filter(|(_, _, rubric)| rubric.is_none_or(|rubric| !rubric.contains("heim")));
    let own = own.filter(|(_, _, rubric)| rubric.is_none_or(|rubric| !rubric.contains("imagenhub")));
    // Examples ask HEIM's questions where no rubric is named.
    let own = own.filter(|(example, _, rubric)| {
        rubric.is_some() || !["heim.yaml", "photorealism.yaml"].contains(example)
    });
    let read: BTreeSet<Arc<str>> =
        own.flat_map(|(example, task, rubric)| texts(&study(example, task, *rubric))).collect();
    assert!(read.iter().any(|text| text.contains("image")));
    for kind in [MediaKind::Video, MediaKind::Text] {
        for language in ["en", "ar", "de", "es", "zh"] {
            let catalogue = Catalogue::linked(language, kind).unwrap();
            for text in &read {
                let shown = catalogue.translate(text).map_or_else(|| text.to_string(), |own| own.text);
                let lower = shown.to_lowercase();
                assert!(
                    !IMAGE.iter().any(|word| lower.contains(word)),
                    "{language}: {text} is shown as {shown}"
                );
            }
        }
    }
}

#[test]
fn a_text_of_the_author_is_translated_only_by_the_author() {
    let task = "{ kind: contrast, criterion: how calm it looks }";
    let question: Arc<str> = "Which image is better? Judge by how calm it looks.".into();
    assert!(texts(&study("contrast.yaml", task, None)).contains(&question));
    let mut german = Catalogue::linked("de", MediaKind::Image).unwrap();
    assert_eq!(german.translate(&question), None);
    german.add("how calm it looks", "wie ruhig es wirkt").unwrap();
    let translated = german.translate(&question).unwrap();
    assert_eq!(translated.text, "Welches Bild ist besser? Maßstab: wie ruhig es wirkt.");
}

#[test]
fn published_instruments_are_told_apart() {
    for language in LANGUAGES {
        let catalogue = Catalogue::linked(language, MediaKind::Image).unwrap();
        let instrument = |text: &str| catalogue.translate(text).unwrap().instrument;
        assert_eq!(instrument("How aesthetically pleasing is the image?").as_deref(), Some("heim"));
        let subject = instrument("Does the object for subject 2, a red cup, look like it?");
        assert_eq!(subject.as_deref(), Some("imagenhub"));
        assert_eq!(instrument("Is this image real or fake?"), None);
    }
}
