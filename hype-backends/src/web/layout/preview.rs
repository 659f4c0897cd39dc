//! The shapes that the trials of a study show at once, and the windows that they need.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use hype_core::diagnostics::Diagnostics;
use hype_core::model::note::Enlargement;
use hype_core::model::trial::{Form, Part, Question, Trial};
use hype_core::study::spec::surveyed;
use hype_core::{Answer, ConditionKind, Content, Micros, Session, SetId, Step, StimulusId, Study, Timing};
use hype_images::Size;
use serde_json::{Map, Value, json};

use super::{Area, Asking, Buttons, FIELD, Shape};
use crate::web::settings::{ImageFit, Page, Resize, framing};

/// The smallest window that every trial should fit.
pub(crate) const USUAL: Area = Area::new(1280, 720);

/// A laptop and a phone, in which the sizes of images are stated.
const STATED: [(Area, &str); 2] =
    [(Area::new(1366, 768), "in a window of 1366 × 768"), (Area::new(390, 844), "on a phone of 390 × 844")];

/// Windows that fill common screens, from small to large.
const WINDOWS: [Area; 8] = [
    USUAL,
    Area::new(1366, 768),
    Area::new(1440, 900),
    Area::new(1600, 900),
    Area::new(1920, 1080),
    Area::new(2560, 1440),
    Area::new(3840, 2160),
    Area::new(7680, 4320),
];

/// The number of sessions that are played through, and of trials in each of them.
const SESSIONS: u32 = 4;
const TRIALS: u32 = 600;

/// Visits trials of a study with their sessions. Sessions at the first places are played through with right answers where
/// there are any.
pub(crate) fn visit(study: &Study, mut visit: impl FnMut(&Session, &Trial)) {
    // Surveys could screen the rater out.
    let study = &study.without_surveys();
    for place in 0..study.places().min(SESSIONS) {
        let Ok((mut session, _)) = Session::open(study, "preview", place, 0) else { continue };
        for number in 0..TRIALS {
            let Step::Show(trial) = session.step() else { break };
            visit(&session, trial);
            let right = session.truth().and_then(|truth| truth.answer.clone());
            let answer = right.unwrap_or_else(|| some_answer(&trial.questions));
            let timing = Timing { at: Micros(u64::from(number)), ..Timing::default() };
            if session.handle_answer(trial.number, answer, timing).is_err() {
                break;
            }
        }
    }
}

/// The texts that raters read: the guidance, and the questions with their help and options.
pub(crate) fn texts(study: &Study) -> BTreeSet<Arc<str>> {
    let guidance = study.guidance();
    let mut texts: BTreeSet<Arc<str>> =
        guidance.iter().flat_map(|paragraph| paragraph.messages().iter().cloned()).collect();
    let mut add = |questions: &[Question]| {
        for question in questions {
            let options = match &question.form {
                Form::Choice { options } | Form::Several { options, .. } => options.as_slice(),
                Form::Ranking { candidates, .. } => candidates.as_slice(),
                _ => &[],
            };
            let ends = match &question.form {
                Form::Slider { from, to, .. } => vec![from, to],
                _ => Vec::new(),
            };
            let labels = options.iter().map(|option| &option.label).chain(ends);
            texts.extend([&question.text].into_iter().chain(&question.help).chain(labels).cloned());
        }
    };
    let protocol = &study.spec().protocol;
    add(&surveyed(&protocol.before));
    visit(study, |_, trial| add(&trial.questions));
    add(&surveyed(&protocol.after));
    texts
}

/// Returns the shapes that the trials of a study show at once. Every image counts with the size of the largest in its set.
pub(crate) fn shapes(study: &Study, resize: Option<Resize>) -> HashSet<Shape> {
    let sizes: Vec<Area> = (0..study.stimuli().sets().len())
        .map(|set| largest(study, SetId(u16::try_from(set).unwrap_or(u16::MAX)), resize))
        .collect();
    let size = |id: StimulusId| {
        let set = study.stimuli().get(id).map(|stimulus| usize::from(stimulus.set.0));
        set.and_then(|set| sizes.get(set)).copied().unwrap_or(Area::new(0, 0))
    };
    let mut shapes = HashSet::new();
    visit(study, |_, trial| {
        shapes.insert(shape(trial, &size));
    });
    shapes
}

/// The size that covers every image of a set once they are resized.
fn largest(study: &Study, set: SetId, resize: Option<Resize>) -> Area {
    let members = study.stimuli().members(set).iter().filter_map(|&id| study.stimuli().get(id));
    let sizes = members.filter_map(|stimulus| {
        let (width, height) = stimulus.media.size()?;
        let (_, size) = framing(resize).plan(Size::new(width, height).ok()?).ok()?;
        Some(Area::new(size.width(), size.height()))
    });
    sizes.fold(Area::new(0, 0), Area::cover)
}

fn shape(trial: &Trial, size: &impl Fn(StimulusId) -> Area) -> Shape {
    let (mut sources, mut others, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    let mut mask = None;
    for part in &trial.parts {
        let Part::Condition(condition) = part else { continue };
        match &condition.content {
            Content::Stimulus(image) => match condition.kind {
                ConditionKind::Source => sources.push(size(*image)),
                ConditionKind::Mask => mask = Some(size(*image)),
                _ => others.push(size(*image)),
            },
            Content::Text(text) => texts.push(text.chars().count()),
        }
    }
    // The region to edit is drawn over its source.
    let overlay = mask.is_some() && !sources.is_empty();
    others.extend(mask.filter(|_| !overlay));
    Shape {
        // A text takes the size of its place, and that of its field if it is shown briefly.
        judged: trial
            .stimuli()
            .map(size)
            .map(|area| if area.width == 0 && trial.exposure().is_some() { FIELD } else { area })
            .filter(|area| area.width > 0)
            .collect(),
        sources,
        others,
        texts,
        overlay,
        question: trial.questions.first().map_or(0, |question| question.text.chars().count()),
        asking: asking(trial),
        timed: trial.exposure().is_some(),
    }
}

/// How the page asks a trial's questions; `form.js` has the same rule.
fn asking(trial: &Trial) -> Asking {
    let [Question { form: Form::Choice { options }, .. }] = &*trial.questions else {
        let ranks = trial.questions.iter().any(|one| matches!(one.form, Form::Ranking { .. }));
        return if ranks { Asking::Ranking } else { Asking::Form };
    };
    let gallery = trial.gallery();
    let is_image = |value: &str| gallery.iter().any(|one| &*one.label == value);
    let is_option = |label: &str| options.iter().any(|option| &*option.value == label);
    let picks =
        !gallery.is_empty() && trial.exposure().is_none() && gallery.iter().all(|one| is_option(&one.label));
    let shown = options.iter().filter(|option| !picks || !is_image(&option.value));
    let letters = shown.map(|option| option.label.chars().count());
    let buttons = Buttons { count: letters.clone().count(), letters: letters.max().unwrap_or(0) };
    if picks { Asking::Pick(buttons) } else { Asking::Button(buttons) }
}

/// A valid answer to any questions.
fn some_answer(questions: &[Question]) -> Answer {
    let answer: Map<String, Value> = questions
        .iter()
        .filter(|question| !question.required.is_never())
        .map(|question| {
            let value = match &question.form {
                Form::Choice { options } => options.first().map_or(Value::Null, |option| json!(option.value)),
                Form::Number { minimum, whole: true, .. } => json!(minimum.ceil()),
                Form::Number { minimum, .. } | Form::Slider { minimum, .. } => json!(minimum),
                Form::Several { options, at_least, .. } => {
                    options.iter().take(*at_least as usize).map(|option| json!(option.value)).collect()
                }
                Form::Text { .. } => json!("x"),
                Form::Marks { .. } => json!([[0, 0, 1]]),
                Form::Ranking { candidates, .. } => candidates
                    .iter()
                    .zip(1_u32..)
                    .map(|(one, rank)| (one.value.to_string(), json!(rank)))
                    .collect(),
                _ => Value::Null,
            };
            (question.id.to_string(), value)
        })
        .collect();
    Answer::from(Value::Object(answer))
}

/// The smallest window that timed trials need; `None` if no exposure is limited.
pub(crate) fn timed_window(study: &Study, resize: Option<Resize>) -> Option<Area> {
    if !study.profile().pace.limits_exposure {
        return None;
    }
    let shapes = shapes(study, resize);
    shapes.iter().filter(|shape| shape.timed).map(Shape::timed_window).reduce(Area::cover)
}

/// The sizes in which raters see the images that they judge, in words, one for each window that shows them: those of the
/// trial that reduces them most.
///
/// Sizes are in CSS pixels, and hold for any of the page's fonts.
#[must_use]
pub fn seen_sizes(study: &Study, page: &Page) -> Vec<String> {
    seen(&shapes(study, page.resize)).map(|(_, size)| size).collect()
}

/// The same with the scales.
fn seen(shapes: &HashSet<Shape>) -> impl Iterator<Item = (f64, String)> + '_ {
    STATED.into_iter().filter_map(|(window, at)| {
        let scaled = |shape: &Shape| {
            let area = |image: &&Area| u64::from(image.width) * u64::from(image.height);
            shape.judged.iter().min_by_key(area).map(|&image| (shape.scale(window), image))
        };
        let (scale, image) = shapes
            .iter()
            .filter_map(scaled)
            .min_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)))?;
        let side = |pixels: u32| (f64::from(pixels) * scale).floor();
        let words = format!("{} × {} pixels {at}", side(image.width), side(image.height));
        // Brief images are not shown where they do not fit.
        (scale > 0.0).then_some((scale, words))
    })
}

/// The size that fits the [usual window](USUAL) whole; `None` if images are seen well as they are.
pub(crate) fn fitting_window(study: &Study, page: &Page) -> Option<Resize> {
    let shapes = shapes(study, page.resize);
    let scale = shapes.iter().map(|shape| shape.scale(USUAL)).fold(f64::INFINITY, f64::min);
    let is_seen_well = shapes.is_empty() || scale >= 1.0 && seen(&shapes).all(|(scale, _)| scale >= 0.5);
    (!is_seen_well).then(|| fitting(study, all_images(&shapes)).0)
}

/// The size of the largest images.
pub(crate) fn whole_size(study: &Study, page: &Page) -> Resize {
    let Area { width, height } = all_images(&shapes(study, page.resize));
    Resize { fit: ImageFit::Within, width, height }
}

/// A size that covers all images.
fn all_images(shapes: &HashSet<Shape>) -> Area {
    let images = shapes
        .iter()
        .flat_map(|shape| shape.judged.iter().chain(&shape.sources).chain(&shape.others))
        .copied();
    images.fold(Area::new(1, 1), Area::cover)
}

/// Warns if images do not fit the [usual window](USUAL) whole or are seen at less than half of their size, and proposes a size that
/// fits; and if `enlarge` has no effect.
pub(crate) fn review(study: &Study, page: &Page, at: &mut Diagnostics) {
    let shapes = shapes(study, page.resize);
    if page.enlarge != Enlargement::Nearest && !shapes.is_empty() && shapes.iter().all(|shape| shape.timed) {
        at.field("enlarge")
            .warning("no-effect", "images that are shown briefly are never interpolated")
            .help("leave `enlarge` out, or use `resize` for larger images");
    }
    let scale = |window: Area| shapes.iter().map(|shape| shape.scale(window)).fold(f64::INFINITY, f64::min);
    let halved: Vec<String> = seen(&shapes).filter(|&(scale, _)| scale < 0.5).map(|(_, size)| size).collect();
    if shapes.is_empty() || scale(USUAL) >= 1.0 && halved.is_empty() {
        return;
    }
    let whole = WINDOWS.iter().copied().find(|&window| scale(window) >= 1.0);
    let needed = whole.map_or_else(
        || "no common screen".to_owned(),
        |Area { width, height }| format!("a window of {width} × {height} pixels"),
    );
    let timed = shapes.iter().filter(|shape| shape.timed).map(Shape::timed_window).reduce(Area::cover);
    let message = match timed {
        Some(Area { width, height }) if width > USUAL.width || height > USUAL.height => format!(
            "images that are shown briefly are never reduced, so raters need a screen of {width} × {height} pixels"
        ),
        _ => format!(
            "images are reduced to {:.0} % in a window of {} × {} pixels; {needed} shows them whole",
            (100.0 * scale(USUAL)).floor(),
            USUAL.width,
            USUAL.height,
        ),
    };
    let message = match halved.as_slice() {
        [] => message,
        sizes => format!("{message}; they are seen at less than half of their size: {}", sizes.join(", ")),
    };
    let (resize, factor) = fitting(study, all_images(&shapes));
    at.field("resize").warning("large-images", message).help(format!(
        "`resize: {{ fit: within, width: {}, height: {} }}` fits every image into {} × {} pixels whole, by a factor of \
         {factor:.2}",
        resize.width, resize.height, USUAL.width, USUAL.height,
    ));
}

/// The largest size, in hundredths of images' own, that fits the [usual window](USUAL) whole, and its factor.
fn fitting(study: &Study, all: Area) -> (Resize, f64) {
    let resized = |hundredths: u32| Resize {
        fit: ImageFit::Within,
        width: (all.width * hundredths / 100).max(1),
        height: (all.height * hundredths / 100).max(1),
    };
    let fits = |hundredths: u32| {
        shapes(study, Some(resized(hundredths))).iter().all(|shape| shape.scale(USUAL) >= 1.0)
    };
    let hundredths = (1..100_u32).collect::<Vec<_>>().partition_point(|&hundredths| fits(hundredths)).max(1);
    let hundredths = u32::try_from(hundredths).unwrap_or(1);
    (resized(hundredths), f64::from(hundredths) / 100.0)
}
