//! Nothing on the network reveals whether an image is real, or what its file is called.
//!
//! The real images are JPEG files with Exif data, thumbnails and profiles. The generated images are PNG files of
//! another size that contain their prompts and compress far better. A classifier sees everything about all showings
//! as sent over HTTP, except the pixels and how many bytes they are compressed to, and must do no better than chance.
//! That number is a function of the pixels: files are their canonical encodings. The same classifier must detect
//! servers that send original files, lengths, formats or times. Finally every byte of the sessions is searched.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::sync::Arc;

use hype_backends::web::settings::{Encode, EncodeKind};
use hype_backends::web::{ImageSource, PreparedImages, Services, Serving, SystemClock, serve};
use hype_core::study::spec::{MaskedFrom, MasksKind, MasksSpec};
use hype_core::{
    Condition, ConditionKind, Content, Event, Item, ItemId, Role, SetId, Stimuli, StimulusId, StimulusSet,
    Store, StoreExt as _, Study, Use,
};
use hype_images::{Decoding, pad};
use hype_store::MemoryStore;
use hype_tasks::tasks::rating::Repeats;
use hype_tasks::{HypeInfinity, HypeTime, Rating};
use serde_json::{Value, json};

use crate::connection::Reply;
use crate::discrimination::{Findings, Showing, auc, discriminate};
use crate::features::{features, shown};
use crate::http_client::HttpClient;
use crate::originals::{Amount, Mistake, Originals, Wrong};
use crate::proof::{is_proof, sized};
use crate::secrets::Secrets;

/// Raters of a study.
const RATERS: usize = 10;

/// The side of images in tests that need many of them, and in tests that depend on their length.
const SMALL: u32 = 32;
const LARGE: u32 = 96;

/// The network traffic of all sessions of a study.
#[derive(Default)]
struct Traffic {
    /// The image of each trial.
    images: Vec<Showing>,
    /// The mask after the image of each trial.
    masks: Vec<Showing>,
    /// The names of images, and of the masks of each block.
    image_names: Vec<String>,
    mask_names: Vec<BTreeSet<String>>,
    /// All responses with the requested addresses.
    replies: Vec<(String, Reply)>,
}

impl Traffic {
    fn keep(&mut self, asked: &str, reply: Reply) -> Reply {
        self.replies.push((asked.to_owned(), reply.clone()));
        reply
    }
}

/// A served study with its store.
async fn served(originals: &Originals, pictures: Arc<dyn ImageSource>) -> (Serving, MemoryStore) {
    let store = MemoryStore::new();
    store.secret([7; 32]).await.unwrap();
    store.bind(originals.study.digest()).await.unwrap();
    let (study, page, clock) = (originals.study.clone(), originals.page.clone(), Arc::new(SystemClock));
    let service = Services::new(study, Arc::new(store.clone()), pictures, page, clock).await.unwrap();
    (serve(service, "127.0.0.1:0".parse().unwrap()).await.unwrap(), store)
}

/// Serves a study and lets every rater take part.
async fn traffic(originals: &Originals, pictures: Arc<dyn ImageSource>) -> Traffic {
    let masks = sources_of_masks(originals, &*pictures);
    let (serving, store) = served(originals, Arc::clone(&pictures)).await;
    let mut traffic = Traffic::default();
    for rater in 0..RATERS {
        let mut visitor = HttpClient::to(serving.address()).await;
        for path in ["/", "/operator", "/health", "/metrics", "/image/0", "/nothing"] {
            let reply = visitor.get(path).await;
            traffic.keep(path, reply);
        }
        let trials = session(&mut visitor, &mut traffic).await;
        let log = store.load(&visitor.session()).await.unwrap();
        let mut block = None;
        for (trial, event) in trials.iter().zip(log.iter().filter_map(answered)) {
            let (screen, image, mask) = (&trial.screen, &trial.image, &trial.mask);
            assert_eq!(image.1.body, pictures.stimulus(event).unwrap(), "not the image in the log");
            let sight = |name: &str, reply: &Reply, role| Showing {
                rater,
                signal: role == Role::Generated,
                features: features(screen, name, reply),
            };
            traffic.images.push(sight(&image.0, &image.1, originals.role(event)));
            traffic.image_names.push(image.0.clone());
            let Some((name, reply)) = mask else { continue };
            traffic.masks.push(sight(name, reply, masks[&reply.body]));
            let this = shown(screen)["trial"]["block"].clone();
            if block.replace(this.clone()) != Some(this) {
                traffic.mask_names.push(BTreeSet::new());
            }
            traffic.mask_names.last_mut().unwrap().insert(name.clone());
        }
    }
    serving.stop().await;
    traffic
}

fn answered(event: &Event) -> Option<StimulusId> {
    match event {
        Event::Answered(answered) => answered.shown.stimuli.first().copied(),
        _ => None,
    }
}

/// The class of the image that each mask was made from, by the mask's bytes as sent.
fn sources_of_masks(originals: &Originals, pictures: &dyn ImageSource) -> HashMap<Vec<u8>, Role> {
    originals
        .all()
        .flat_map(|of| pictures.masks(of).map(move |mask| (mask, of)))
        .map(|(mask, of)| (pictures.mask(mask).unwrap(), originals.role(of)))
        .collect()
}

/// A trial as sent over the network: its screen, and the names of its image and first mask.
struct Trial {
    screen: Reply,
    image: (String, Reply),
    mask: Option<(String, Reply)>,
}

/// One rater, from the invitation to the end page, who loads what a page loads, at the same time.
async fn session(visitor: &mut HttpClient, traffic: &mut Traffic) -> Vec<Trial> {
    let consent = visitor.agree().await;
    traffic.keep("/api/consent", consent);
    let begun = visitor.begin().await;
    let mut screen = traffic.keep("/api/begin", begun);
    let mut loaded: HashMap<String, Reply> = HashMap::new();
    let mut trials = Vec::new();
    loop {
        let now = shown(&screen);
        if now["screen"] != "trial" {
            assert_eq!(now["screen"], "end");
            return trials;
        }
        for name in now["block"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            if !loaded.contains_key(name) {
                let reply = visitor.get(&format!("/image/{name}")).await;
                assert_eq!(reply.status, 200);
                loaded.insert(name.to_owned(), traffic.keep("/image", reply));
            }
        }
        let trial = &now["trial"];
        let named = |name: &Value| {
            let name = name.as_str().unwrap().to_owned();
            (name.clone(), loaded[&name].clone())
        };
        let parts = trial["parts"].as_array().unwrap();
        let image = parts.iter().find(|part| part["part"] == "image").map(|part| named(&part["image"]));
        let masks = parts.iter().find(|part| part["part"] == "masks");
        let mask = masks.map(|part| named(&part["images"][0]));
        // The answers are independent of the images.
        let judgment = if trials.len() % 3 == 0 { "real" } else { "generated" };
        let next = visitor.answer(trial, json!({ "judgment": judgment })).await;
        assert_eq!(next.status, 200, "{:?}", next.json());
        trials.push(Trial { screen, image: image.unwrap(), mask });
        screen = traffic.keep("/api/answer", next);
    }
}

/// The number of images of each class that a rater sees, half of them in each block if there are two.
///
/// The bound of [`discriminate`] has the same false alarm rate for any number of showings. With fewer showings only
/// larger differences are detected.
fn images_of_class() -> u32 {
    sized(10, 50)
}

/// The number of showings to all raters.
fn showings() -> usize {
    2 * RATERS * images_of_class() as usize
}

/// A study without time limits.
fn untimed(side: u32) -> Originals {
    let each = images_of_class();
    let amount = Amount { each: 6 * each, side };
    Originals::new(amount, Box::new(HypeInfinity { generated: each.into(), real: each.into() }), |_| {})
}

/// A study with time limits, in which each image has masks that are made from it.
fn timed() -> Originals {
    let task =
        HypeTime { blocks: 2.into(), trials_per_block: images_of_class().into(), ..HypeTime::default() };
    // Masks are compared with every image.
    Originals::new(Amount { each: 2 * images_of_class() + 10, side: SMALL }, Box::new(task), |spec| {
        let kind = MasksKind::PhaseScrambled;
        spec.protocol.masks =
            Some(MasksSpec { kind, from: MaskedFrom::Own, count: 1.into(), ..MasksSpec::default() });
    })
}

fn report(what: &str, found: &Findings) {
    let say = |(name, auc): &(String, f64)| format!("{name} {auc:.3}");
    let strongest: Vec<String> = found.alone.iter().take(3).map(say).collect();
    let time: Vec<String> = found.alone.iter().filter(|(name, _)| name.ends_with("after")).map(say).collect();
    println!(
        "{what}: AUC {:.3} ± {:.3}; most telling of {} features: {}; of time: {}; by chance up to ± {:.3}",
        found.together,
        found.error,
        found.alone.len(),
        strongest.join(", "),
        time.join(", "),
        found.bound
    );
}

/// Asserts that nothing discriminates. In the proof the classifier of all features together must also be within three
/// standard errors of chance, which fails in one of 370 proofs without a leak.
fn assert_chance(found: &Findings) {
    assert_eq!(found.significant(), Vec::<String>::new());
    assert!(!is_proof() || (found.together - 0.5).abs() <= 3.0 * found.error, "AUC {:.3}", found.together);
}

async fn by_mistake(mistake: Mistake, originals: &Originals, prepared: &Arc<PreparedImages>) -> Traffic {
    let wrong = Wrong { mistake, study: originals.study.clone(), prepared: Arc::clone(prepared) };
    traffic(originals, Arc::new(wrong)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_and_generated_images_differ_only_in_their_pixels() {
    let mut originals = untimed(LARGE);
    for encode in [
        Encode { kind: EncodeKind::Jpeg, quality: Some(80) },
        Encode { kind: EncodeKind::Png, quality: None },
        Encode { kind: EncodeKind::Webp, quality: None },
    ]
    .into_iter()
    .take(sized(1, 3))
    {
        originals.page.encode = Some(encode);
        let prepared = Arc::new(originals.prepare());
        let found = discriminate(&traffic(&originals, prepared.clone()).await.images);
        report(prepared.media_type(), &found);
        assert_chance(&found);
    }
    originals.page.encode = None;
    let prepared = Arc::new(originals.prepare());
    let lengths: Vec<f64> = prepared.stimuli().iter().map(|one| one.bytes as f64).collect();
    let real: Vec<bool> = originals.all().map(|id| originals.role(id) == Role::Real).collect();
    assert!(auc(&lengths, &real) > 0.99, "the images are too similar to test the padding");

    let traffic = traffic(&originals, prepared.clone()).await;
    assert_eq!(traffic.images.len(), showings());
    let found = discriminate(&traffic.images);
    report("images", &found);
    assert_chance(&found);
    let names: HashSet<&String> = traffic.image_names.iter().collect();
    assert_eq!(names.len(), showings(), "two showings share a name");

    for (mistake, tells) in [
        (Mistake::OriginalFiles, "byte 0"),
        (Mistake::OwnLengths, "length"),
        (Mistake::OwnFormats, "byte 0"),
        (Mistake::OwnTime, "last byte after"),
    ] {
        let found = discriminate(&by_mistake(mistake, &originals, &prepared).await.images);
        report(&format!("{mistake:?}"), &found);
        let tales = found.significant();
        assert!(tales.iter().any(|tale| tale.starts_with(tells)), "{mistake:?} is not detected: {tales:?}");
        // Other processes on the machine may hide differences in time.
        assert!(found.together > 0.95 || mistake == Mistake::OwnTime, "{mistake:?}: {}", found.together);
    }
}

/// Raters who look closely see every pixel of an image. All pixels are in the one file that each image has anyway, of the same size
/// and by the same encoder for all sets, and the page is told the same about all images.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closer_look_shows_images_prepared_in_the_same_way() {
    let mut originals = untimed(SMALL);
    originals.page.zoom = true;
    let prepared = Arc::new(originals.prepare());
    let seen = traffic(&originals, prepared.clone()).await;
    assert_eq!(seen.images.len(), showings());
    let found = discriminate(&seen.images);
    report("images that can be looked at closely", &found);
    assert_chance(&found);
    let mut offered = BTreeSet::new();
    let mut sizes = BTreeSet::new();
    let mut lengths = BTreeSet::new();
    for (asked, reply) in &seen.replies {
        if asked == "/image" {
            lengths.insert(reply.body.len());
            let picture = hype_images::decode("served", &reply.body, &Decoding::default()).unwrap().picture;
            sizes.insert((picture.size().width(), picture.size().height()));
        } else if asked.starts_with("/api/") && shown(reply)["screen"] == "trial" {
            offered.insert(shown(reply)["trial"]["zoom"].to_string());
        }
    }
    assert_eq!(offered, BTreeSet::from(["true".to_owned()]));
    assert_eq!(sizes, BTreeSet::from([(SMALL, SMALL)]));
    assert_eq!(lengths.len(), 1, "{lengths:?}");
    // Images are asked for once, and a closer look asks for nothing else.
    let images = seen.replies.iter().filter(|(asked, _)| asked == "/image").count();
    assert_eq!(images, showings());

    let found = discriminate(&by_mistake(Mistake::OriginalFiles, &originals, &prepared).await.images);
    assert!(found.together > 0.95, "original files are not detected");
}

/// Brief images cannot be looked at closely, whatever the settings say, nor can those of the entry test before them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timed_tasks_offer_no_closer_look() {
    let mut originals = timed();
    originals.page.zoom = true;
    let seen = traffic(&originals, Arc::new(originals.prepare())).await;
    for (asked, reply) in &seen.replies {
        if asked.starts_with("/api/") && matches!(shown(reply)["screen"].as_str(), Some("trial")) {
            assert_eq!(shown(reply)["trial"]["zoom"], false);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn masks_and_timed_images_reveal_nothing() {
    let originals = timed();
    let prepared = Arc::new(originals.prepare());
    let traffic = traffic(&originals, prepared.clone()).await;
    for (what, showings_of) in [("glimpses", &traffic.images), ("masks", &traffic.masks)] {
        assert_eq!(showings_of.len(), showings());
        let found = discriminate(showings_of);
        report(what, &found);
        assert_chance(&found);
    }
    // A rater sees every image once; masks are repeated within their block, under the same name.
    let images: HashSet<&String> = traffic.image_names.iter().collect();
    assert_eq!(images.len(), showings());
    assert_eq!(traffic.mask_names.len(), 2 * RATERS);
    let masks: HashSet<&String> = traffic.mask_names.iter().flatten().collect();
    assert_eq!(masks.len(), traffic.mask_names.iter().map(BTreeSet::len).sum::<usize>());
    assert!(images.is_disjoint(&masks));

    let found = discriminate(&by_mistake(Mistake::OriginalFiles, &originals, &prepared).await.masks);
    report("masks of a server that serves original files", &found);
    assert!(found.together > 0.95);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_byte_of_a_session_has_a_label_model_or_file_name() {
    // Only the timed study gives feedback, after each of its trials.
    for (originals, feedback) in [(untimed(SMALL), 0), (timed(), showings())] {
        let prepared = Arc::new(originals.prepare());
        let secrets = Secrets::new(originals.secrets(&prepared));
        let sent = traffic(&originals, prepared.clone()).await.replies;
        assert!(sent.len() > 2 * showings());
        for (asked, reply) in &sent {
            assert_eq!(secrets.found_in(reply), BTreeSet::new(), "in the response to {asked}");
        }
        let with_feedback = sent.iter().filter(|(_, reply)| !reply.json()["correct"].is_null()).count();
        assert_eq!(with_feedback, feedback);
        let alike = assert_labels_only_in_common_texts(&sent);
        assert_eq!(alike.len(), 1, "the questions of a study are the same in every trial");

        let sent = by_mistake(Mistake::OriginalFiles, &originals, &prepared).await.replies;
        let found: BTreeSet<String> = sent
            .iter()
            .filter(|(asked, _)| asked == "/image")
            .flat_map(|(_, reply)| secrets.found_in(reply))
            .collect();
        for word in
            ["platypus", "kookaburra optics", "axolotl-diffusion-v7", "a thylacine at noon", "bandicoot"]
        {
            assert!(found.contains(word), "the search misses {word}");
        }
    }
}

/// Asserts that labels appear only in texts that are independent of the right answer: those before the first trial,
/// and the questions with their options, which are returned. They appear nowhere else, and in no header.
fn assert_labels_only_in_common_texts(sent: &[(String, Reply)]) -> BTreeSet<String> {
    let mut questions = BTreeSet::new();
    for (asked, reply) in sent {
        let mut texts = vec![reply.head.to_lowercase()];
        if asked.starts_with("/api/") {
            let mut screen = shown(reply);
            screen["paragraphs"].take();
            if screen["screen"] == "instructions" {
                // The questions with their answers, and examples, which are not images of trials.
                for explained in ["questions", "test", "examples", "comprehension"] {
                    screen[explained].take();
                }
            }
            if screen["screen"] == "trial" {
                questions.insert(screen["trial"]["questions"].take().to_string());
                // The next trial, where no answer can change it.
                if screen["following"].is_object() {
                    questions.insert(screen["following"]["trial"]["questions"].take().to_string());
                }
            }
            texts.push(screen.to_string().to_lowercase());
        }
        for text in texts {
            for label in ["real", "fake", "generated", "model", "role", "truth", "synthetic"] {
                assert!(!text.contains(label), "{label} in the response to {asked}: {text}");
            }
        }
    }
    questions
}

/// Whatever the originals were: decoding what is served, encoding and padding it again gives the same bytes.
#[test]
fn served_stimuli_masks_and_conditions_are_canonical() {
    for encode in [
        None,
        Some(Encode { kind: EncodeKind::Png, quality: None }),
        Some(Encode { kind: EncodeKind::Webp, quality: None }),
    ] {
        let mut with_masks = timed();
        let mut with_conditions = edits();
        for originals in [&mut with_masks, &mut with_conditions] {
            originals.page.encode = encode;
            let prepared = originals.prepare();
            let stimuli = originals.all().map(|id| prepared.stimulus(id).unwrap());
            let masks = (0..prepared.masks().len() as u32).map(|number| prepared.mask(number).unwrap());
            let mut count = 0;
            for served in stimuli.chain(masks) {
                assert_eq!(served.len(), prepared.length());
                let picture = hype_images::decode("served", &served, &Decoding::default()).unwrap().picture;
                let again = hype_images::encode(&picture, prepared.encoding());
                assert!(pad(again, prepared.length()).unwrap() == served);
                count += 1;
            }
            assert!(count > 30, "{count}");
        }
        assert!(!with_masks.prepare().masks().is_empty());
    }
}

/// Outputs of a model next to the image that each was made from: one is a photograph, the other is not.
fn edits() -> Originals {
    let mut originals = Originals::new(Amount { each: 20, side: SMALL }, Box::new(Rating::default()), |_| {});
    let stimuli = originals.study.stimuli();
    let all = stimuli.all().iter().enumerate().map(|(number, stimulus)| {
        let item = (stimulus.set == SetId(1)).then(|| ItemId(number as u32 - 20));
        stimulus.clone().for_item(item)
    });
    let items = (0..20).map(|number| Item {
        id: number.to_string().into(),
        conditions: vec![Condition {
            kind: ConditionKind::Source,
            name: None,
            content: Content::Stimulus(StimulusId(number)),
        }],
        ..Item::default()
    });
    let sets = vec![
        StimulusSet::new("sources", Role::Real, Use::Condition),
        StimulusSet::new("outputs", Role::Generated, Use::Main),
    ];
    let stimuli = Stimuli::with_items(sets, all.collect(), items.collect()).unwrap();
    let study = Study::new(originals.study.spec().clone(), stimuli).unwrap();
    originals.study = study.in_folder(originals.folder.path());
    originals
}

#[tokio::test]
async fn a_repeated_image_gets_a_new_name() {
    let repeats = Some(Repeats { per_session: 3.into(), apart: 5.into(), min_agreement: None });
    let task = Box::new(Rating { repeats, ..Rating::default() });
    let originals = Originals::new(Amount { each: 12, side: 16 }, task, |_| {});
    let (serving, _) = served(&originals, Arc::new(originals.prepare())).await;
    let mut visitor = HttpClient::to(serving.address()).await;
    visitor.agree().await;
    let mut screen = visitor.begin().await;
    let mut names: HashMap<Vec<u8>, BTreeSet<String>> = HashMap::new();
    while shown(&screen)["screen"] == "trial" {
        let now = shown(&screen);
        let name = now["block"][0].as_str().unwrap().to_owned();
        let image = visitor.get(&format!("/image/{name}")).await.body;
        assert!(names.entry(image).or_default().insert(name), "a name is reused");
        let question = &now["trial"]["questions"][0];
        let first = &question["form"]["choice"]["options"][0]["value"];
        screen = visitor.answer(&now["trial"], json!({ question["id"].as_str().unwrap(): first })).await;
    }
    let counts: Vec<usize> = names.values().map(BTreeSet::len).collect();
    assert_eq!((counts.len(), counts.iter().sum()), (12, 15), "{counts:?}");
    let all: HashSet<&String> = names.values().flatten().collect();
    assert_eq!(all.len(), 15);
}

#[tokio::test]
async fn page_files_are_the_same_for_every_study_and_rater() {
    let mut seen = Vec::new();
    for originals in [untimed(SMALL), timed()] {
        let (serving, _) = served(&originals, Arc::new(originals.prepare())).await;
        let mut visitor = HttpClient::to(serving.address()).await;
        visitor.agree().await;
        let module = visitor.module().await;
        let names = ["icon.svg", "ticker.js", "locale/en.json"].map(|name| format!("/assets/{name}"));
        for address in ["/", "/operator", &module].into_iter().chain(names.iter().map(String::as_str)) {
            let reply = visitor.get(address).await;
            assert_eq!(reply.status, 200, "{address}");
            if names.iter().any(|name| name == address) {
                let file = format!("{}/page{address}", env!("CARGO_MANIFEST_DIR"));
                assert_eq!(
                    reply.body,
                    fs::read(file).unwrap(),
                    "{address} differs from the file in the repository"
                );
            }
            seen.push((address.to_owned(), reply.body));
        }
    }
    let (one, other) = seen.split_at(seen.len() / 2);
    assert!(one == other);
}
