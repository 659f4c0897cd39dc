//! `hype check` says which windows show a study's images whole, and proposes a size that fits; and which texts take too long.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::Web;
use hype_backends::web::Page;
use hype_backends::web::settings::{ImageFit, Resize};
use hype_core::study::spec::Spec;
use hype_core::{Backend as _, Diagnostics, Digest, Item, Media, Role, SetId, Stimuli, Stimulus};
use hype_core::{StimulusSet, Study, Use};
use hype_tasks as _;

const ITEMS: u16 = 12;

/// Two models with such stimuli for the same items.
fn stimuli(media: Media) -> Stimuli {
    let set = |name: &str, role| StimulusSet::new(name, role, Use::Main);
    let sets = vec![set("real", Role::Real), set("one", Role::Generated), set("other", Role::Generated)];
    let all = (0..3 * ITEMS).map(|number| {
        Stimulus::new(
            SetId(number / ITEMS),
            Digest::of(&number.to_le_bytes()),
            format!("{number}.png"),
            media,
        )
        .for_item((number >= ITEMS).then(|| hype_core::ItemId(u32::from(number % ITEMS))))
    });
    let items = (0..ITEMS).map(|item| Item { id: item.to_string().into(), ..Item::default() });
    Stimuli::with_items(sets, all.collect(), items.collect()).unwrap()
}

/// Returns the message and help of a study's review, if there are any.
fn review(task: &str, (width, height): (u32, u32), resize: Option<Resize>) -> Option<(String, String)> {
    review_of(task, Media::Image { width, height }, resize)
}

fn review_of(task: &str, media: Media, resize: Option<Resize>) -> Option<(String, String)> {
    let yaml = format!(
        "name: large\nseed: 1\nstimuli: {{ real: {{ role: real, images: a }}, one: {{ role: generated, images: b }}, \
         other: {{ role: generated, images: c }} }}\nitems: {{ match: name }}\n{task}"
    );
    let spec = Spec::read(yaml.as_bytes()).unwrap().spec;
    let study = Study::new(spec, stimuli(media)).unwrap();
    let mut found = Diagnostics::new();
    Web(Page { resize, ..Page::default() }).review(&study, &mut found);
    let found = found.into_vec();
    assert!(found.len() <= 1, "{found:?}");
    found.first().map(|one| (one.message.clone(), one.help.clone().unwrap()))
}

const CONTRAST: &str = "task: { kind: contrast, per_session: 4 }\nraters: { per_item: 2 }";
const TIMED: &str =
    "task: { kind: fooling, trials: 3, practice: 0, exposure_ms: 300 }\nraters: { per_model: 2 }";

#[test]
fn images_that_fit_are_not_reported() {
    assert_eq!(review(CONTRAST, (256, 256), None), None);
    assert_eq!(review(TIMED, (256, 256), None), None);
}

#[test]
fn the_window_that_shows_images_whole_is_stated_and_a_size_proposed() {
    let (message, help) = review(CONTRAST, (1024, 1024), None).unwrap();
    assert_eq!(
        message,
        "images are reduced to 48 % in a window of 1280 × 720 pixels; a window of 2560 × 1440 pixels shows them whole; they are \
         seen at less than half of their size: 281 × 281 pixels on a phone of 390 × 844"
    );
    assert_eq!(
        help,
        "`resize: { fit: within, width: 491, height: 491 }` fits every image into 1280 × 720 pixels whole, by a factor \
         of 0.48"
    );
    let resize = Resize { fit: ImageFit::Within, width: 491, height: 491 };
    assert_eq!(review(CONTRAST, (1024, 1024), Some(resize)), None);
}

#[test]
fn brief_images_are_never_reduced_and_need_a_screen() {
    let (message, help) = review(TIMED, (1024, 1024), None).unwrap();
    assert_eq!(
        message,
        "images that are shown briefly are never reduced, so raters need a screen of 2072 × 1330 pixels"
    );
    assert!(help.contains("fit: within"), "{help}");
}

/// Returns what the review of a study with `zoom` says about it.
fn review_of_zoom(task: &str, sides: [u32; 3]) -> Vec<(String, String)> {
    let yaml = format!(
        "name: close\nseed: 1\nstimuli: {{ real: {{ role: real, images: a }}, one: {{ role: generated, images: b }}, \
         other: {{ role: generated, images: c }} }}\nitems: {{ match: name }}\n{task}"
    );
    let spec = Spec::read(yaml.as_bytes()).unwrap().spec;
    let same = stimuli(Media::Image { width: 64, height: 64 });
    let all = same.all().iter().map(|stimulus| {
        let side = sides[usize::from(stimulus.set.0)];
        let mut stimulus = stimulus.clone();
        stimulus.media = Media::Image { width: side, height: side };
        stimulus
    });
    let stimuli = Stimuli::with_items(same.sets().to_vec(), all.collect(), same.items().to_vec()).unwrap();
    let study = Study::new(spec, stimuli).unwrap();
    let mut found = Diagnostics::new();
    Web(Page { zoom: true, ..Page::default() }).review(&study, &mut found);
    found.into_vec().into_iter().map(|one| (one.code.to_string(), one.message)).collect()
}

#[test]
fn sizes_by_which_a_closer_look_tells_sets_apart_are_reported() {
    assert_eq!(review_of_zoom(CONTRAST, [64, 64, 64]), Vec::new());
    let found = review_of_zoom(CONTRAST, [64, 64, 128]);
    let [(code, message)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(code, "sizes-differ");
    assert_eq!(
        message,
        "raters who look closely can tell sets apart by the size of pixels: images of `real` have 64 × 64 pixels, and those of \
         `other` 128 × 128"
    );
    let found = review_of_zoom(TIMED, [64, 64, 64]);
    let [(code, _)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(code, "no-effect");
}

#[test]
fn texts_that_take_longer_than_a_place_is_kept_are_told_with_the_pay() {
    let paid = CONTRAST.replace("per_item: 2", "per_item: 2, payment: { currency: USD, base: 1.00 }");
    let text =
        |words| Media::Text { characters: 6 * words, words, lines: 1, headings: 0, list_items: 0, bold: 0 };
    assert_eq!(review_of(&paid, text(7_000), None), None);
    let (message, _) = review_of(&paid, text(23_800), None).unwrap();
    let expected = "reading the longest text, 0.png, takes about 100 min, and a place is given to another rater after 30 min \
                    without an answer; a session of ";
    assert!(message.starts_with(expected), "{message}");
    // Four pairs take 800 minutes to read.
    assert!(message.ends_with(" is paid 1.00 USD, which is 0.07 USD an hour"), "{message}");
}
