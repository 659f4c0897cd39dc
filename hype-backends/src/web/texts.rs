//! Review of what raters read: examples, and translations that are missing or never shown.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use hype_core::model::trial::Form;
use hype_core::plugin::translations::Catalogue;
use hype_core::protocol::playback::reading_time;
use hype_core::words::counted;
use hype_core::{Diagnostics, Media, Micros, Session, Step, Study};

use crate::web::layout::preview;
use crate::web::service::wording::{Wording, Wordings};
use crate::web::settings::Page;

/// Checks that the example images can be read.
pub(crate) fn check_examples(page: &Page, folder: &Path, at: &mut Diagnostics) {
    at.within("examples", |at| {
        for (position, example) in page.instructions.examples.iter().enumerate() {
            let Err(error) = hype_images::inspect(&folder.join(&*example.image)) else { continue };
            at.within(&position.to_string(), |at| {
                at.field("image")
                    .error("bad-image", error.to_string())
                    .help("name an image file relative to the spec");
            });
        }
    });
}

/// Reviews the texts of a study on its page.
pub(crate) fn review(study: &Study, page: &Page, at: &mut Diagnostics) {
    check_answers(study, page, at);
    check_length(study, page, at);
    let Ok(wordings) = Wordings::new(page, study.stimuli().kind()) else { return };
    let texts = all(study, page);
    check_words(study, wordings.of("en"), &texts, at);
    // A text may also be a value in another one, such as the criterion of a comparison.
    let unread = |text: &str| {
        let mut catalogue = Catalogue::default();
        catalogue.add(text, text).is_ok()
            && !texts.iter().any(|one| one.contains(text) || catalogue.translate(one).is_some())
    };
    at.within("translations", |at| {
        for (language, translations) in &page.translations {
            at.within(language, |at| {
                for text in translations.keys().filter(|text| unread(text)) {
                    at.field(text)
                        .warning("unread", "raters read no such text in the sessions that were tried")
                        .help("copy the text from the spec word for word");
                }
            });
        }
    });
    let offered = page.consents();
    let missing: Vec<(&str, usize, &str)> = offered
        .iter()
        .filter_map(|consent| {
            let missing = wordings.of(&consent.language).missing(&texts);
            Some((&*consent.language, missing.len(), &**missing.first().copied()?))
        })
        .collect();
    let Some(&(language, count, first)) = missing.first() else { return };
    let languages: Vec<&str> = missing.iter().map(|(language, ..)| *language).collect();
    let written_in = page.written_in.as_deref().unwrap_or("en");
    at.field("translations")
        .warning(
            "untranslated",
            format!(
                "the page is offered in {}, but {} of the study {} not translated, such as {first:?}",
                languages.join(", "),
                counted(count, "text"),
                if count == 1 { "is" } else { "are" },
            ),
        )
        .help(format!(
            "translate the texts, as in `translations: {{ {language}: {{ \"{first}\": … }} }}`, or offer one language \
             with `language: {written_in}`"
        ));
}

/// Warns if the longest text takes longer to read than a place is kept without an answer.
fn check_length(study: &Study, page: &Page, at: &mut Diagnostics) {
    let minutes = |time: Micros| time.as_secs_f64() / 60.0;
    let timed = study.stimuli().all().iter().filter_map(|stimulus| match stimulus.media {
        Media::Text { words, .. } => Some((reading_time(words), &stimulus.path)),
        _ => None,
    });
    let Some((longest, path)) = timed.rev().max_by_key(|(time, _)| *time) else { return };
    if minutes(longest) <= f64::from(page.idle_minutes) {
        return;
    }
    let mut message = format!(
        "reading the longest text, {path}, takes about {:.0} min, and a place is given to another rater after {} min without \
         an answer",
        minutes(longest),
        page.idle_minutes
    );
    if let (Some(effort), Some(payment)) = (study.profile().effort, &study.spec().protocol.payment) {
        let session = minutes(effort.duration);
        let pay = payment.base.as_units() + payment.per_correct.as_units() * effort.correct;
        let _ = write!(
            message,
            "; a session of {session:.0} min is paid {pay:.2} {currency}, which is {:.2} {currency} an hour",
            60.0 * pay / session,
            currency = payment.currency
        );
    }
    at.field("idle_minutes")
        .warning("long-texts", message)
        .help("shorten the texts, or raise `idle_minutes` and the pay");
}

/// Warns of texts on images in a study of clips or texts, such as those of published instruments.
fn check_words(study: &Study, english: &Wording, texts: &BTreeSet<Arc<str>>, at: &mut Diagnostics) {
    let kind = study.stimuli().kind();
    if kind.is_image() {
        return;
    }
    let is_of_images = |text: &Arc<str>| {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.map(str::to_lowercase).any(|word| word == "image" || word == "images")
    };
    let of_images: Vec<Arc<str>> =
        texts.iter().map(|text| english.as_written(text)).filter(is_of_images).collect();
    let Some(first) = of_images.first() else { return };
    let message = format!(
        "raters of {} read of images in {}, such as {first:?}",
        kind.plural(),
        counted(of_images.len(), "text")
    );
    at.field("kind")
        .warning("words-of-images", message)
        .help("ask questions of your own, or choose a rubric whose published wording fits");
}

/// All texts of the study and the page that raters read, apart from those that the page has in all languages.
fn all(study: &Study, page: &Page) -> BTreeSet<Arc<str>> {
    let mut texts = preview::texts(study);
    let notes = page.instructions.examples.iter().filter_map(|example| example.note.as_ref());
    texts.extend(page.title.iter().chain(notes).cloned());
    if let Some(comprehension) = &page.instructions.comprehension {
        texts.insert(Arc::clone(&comprehension.question));
        texts.extend(comprehension.options.iter().cloned());
    }
    texts
}

/// Reports answers of examples that are not options of the first question.
fn check_answers(study: &Study, page: &Page, at: &mut Diagnostics) {
    let examples = &page.instructions.examples;
    if examples.is_empty() {
        return;
    }
    // Surveys come before the instructions.
    let Ok((session, _)) = Session::open(&study.without_surveys(), "preview", 0, 0) else { return };
    let Step::Show(trial) = session.step() else { return };
    let options = match trial.questions.first().map(|question| &question.form) {
        Some(Form::Choice { options }) => options.as_slice(),
        _ => &[],
    };
    let values: Vec<String> = options.iter().map(|option| format!("`{}`", option.value)).collect();
    at.within("instructions", |at| {
        at.within("examples", |at| {
            for (position, example) in examples.iter().enumerate() {
                if options.iter().any(|option| option.value == example.answer) {
                    continue;
                }
                at.within(&position.to_string(), |at| {
                    let message = format!("{:?} is not an option of the first question", example.answer);
                    let help = match values.as_slice() {
                        [] => "the first question has no options; explain the answer in `note`".to_owned(),
                        values => format!("choose one of {}", values.join(", ")),
                    };
                    at.field("answer").error("unknown-option", message).help(help);
                });
            }
        });
    });
}
