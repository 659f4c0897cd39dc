//! Studies of clips and texts on the page: files that do not tell their model, reports of playback with each answer, and trials
//! that stalls make void.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{hype, succeeds};
use crate::served::{Answered, Browser, Served, request};

/// A study that `hype new` writes, served at a free port.
fn served(folder: &Path, task: &str) -> Served {
    succeeds(folder, &["new", "study", "--task", task]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("127.0.0.1:7850", "127.0.0.1:0")).unwrap();
    Served::start(&folder.join("study"), &["run", "evaluation.yaml"], &[])
}

/// A rater at the first trial.
fn at_first_trial(server: &Served) -> (Browser, Value) {
    let mut rater = Browser::new(json!({}));
    rater.consent(&server.address);
    let screen = rater.begin(&server.address);
    assert_eq!(screen["screen"], "trial", "{screen}");
    (rater, screen)
}

/// The files of a trial's gallery, or of its only stimulus.
fn files(server: &Served, rater: &Browser, screen: &Value) -> Vec<(String, Answered)> {
    let parts = screen["trial"]["parts"].as_array().unwrap();
    let shown = parts.iter().flat_map(|part| match part["images"].as_array() {
        Some(several) => several.clone(),
        None if part["part"] == "image" => vec![part.clone()],
        None => Vec::new(),
    });
    shown
        .map(|one| {
            let path = format!("/image/{}", one["image"].as_str().unwrap());
            let cookie = [("Cookie", rater.cookie.as_deref().unwrap())];
            let file = request(&server.address, "GET", &path, &cookie, "");
            assert_eq!(file.status, 200, "{file:?}");
            (one["media"].as_str().unwrap_or("image").to_owned(), file)
        })
        .collect()
}

/// The report of a rater who saw all of this many clips or texts.
fn played(members: usize, seen: u32) -> Value {
    let member = json!({
        "first_us": 16_000, "shown_us": 2_000_000, "seen": [[0, seen]], "replays": 0, "dropped": 0, "stalls": [],
    });
    json!({ "members": vec![member; members], "offset_us": 0, "slips": [], "hidden_us": 0 })
}

fn answer(rater: &mut Browser, server: &Served, screen: &Value, more: &Value) -> (u16, Value) {
    let trial = &screen["trial"];
    let mut given = serde_json::Map::new();
    for question in trial["questions"].as_array().unwrap() {
        given.insert(
            question["id"].as_str().unwrap().into(),
            question["form"]["choice"]["options"][0]["value"].clone(),
        );
    }
    let mut body = json!({
        "trial": trial["number"], "showing": trial["showing"], "answer": given, "rt_us": 90_000,
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rater.post(&server.address, "/api/answer", body)
}

#[test]
fn clips_of_a_pair_are_files_that_tell_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let server = served(folder.path(), "video-pair");
    let page = request(&server.address, "GET", "/", &[], "");
    assert!(page.head.contains("; media-src blob:;"), "{}", page.head);
    let (rater, screen) = at_first_trial(&server);
    assert_eq!(screen["trial"]["playback"]["replay"], true);
    let files = files(&server, &rater, &screen);
    assert_eq!(files.len(), 2);
    for (media, file) in &files {
        assert_eq!(media, "video");
        assert!(file.head.contains("content-type: video/mp4"), "{}", file.head);
        let text = String::from_utf8_lossy(&file.body);
        for trace in ["Lavf", "Lavc", "smooth", "stuttering", "libvpx"] {
            assert!(!text.contains(trace), "{trace} is left in a clip");
        }
    }
    // Steps of a quarter, from the longest on: few lengths for all clips.
    let prepared = fs::read_dir(folder.path().join("study/.hype-page")).unwrap();
    let clips: Vec<u64> = prepared
        .map(Result::unwrap)
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".mp4"))
        .map(|entry| entry.metadata().unwrap().len())
        .collect();
    let lengths: BTreeSet<u64> = clips.iter().copied().collect();
    assert_eq!(clips.len(), 12);
    assert!(lengths.len() < 10, "{lengths:?}");
}

#[test]
fn an_answer_says_how_every_clip_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let server = served(folder.path(), "video-pair");
    let (mut rater, screen) = at_first_trial(&server);
    let refused = |(status, receipt): (u16, Value)| (status, receipt["error"]["message"].to_string());
    let (status, message) = refused(answer(&mut rater, &server, &screen, &json!({})));
    assert_eq!(status, 422, "{message}");
    assert!(message.contains("0 clips or texts where the trial shows 2"), "{message}");
    let (status, _) = answer(&mut rater, &server, &screen, &json!({ "played": played(1, 20) }));
    assert_eq!(status, 422);
    let (status, _) = answer(&mut rater, &server, &screen, &json!({ "played": played(2, 0) }));
    assert_eq!(status, 400, "an empty range is not in order");
    // A stall makes the trial void: it comes again.
    let stalled = json!({ "trial": 0, "showing": 0, "reason": "stalled" });
    let (status, receipt) = rater.post(&server.address, "/api/disturbed", stalled);
    assert_eq!(status, 200, "{receipt}");
    let again = &receipt["next"];
    assert_eq!((&again["trial"]["number"], &again["trial"]["showing"]), (&json!(0), &json!(1)));
    let mut screen = again.clone();
    while screen["screen"] == "trial" {
        let (status, mut receipt) = answer(&mut rater, &server, &screen, &json!({ "played": played(2, 20) }));
        assert_eq!(status, 200, "{receipt}");
        screen = receipt["next"].take();
    }
    assert_eq!(screen["ending"], "completed", "{screen}");
    drop(server);
    let table = succeeds(folder.path(), &["export", "study/evaluation.yaml", "--what", "played"]);
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("clips/")).collect();
    assert_eq!(rows.len(), 12, "{table}");
    assert!(rows.iter().all(|row| row.contains(",16000,2000000,1.0,0,0,0,0,0,0")), "{table}");
}

/// A study of the stuttering clips with the smooth ones as their sources.
const DEGRADED: &str = "
name: degraded
stimuli: { stuttering: { role: generated, videos: \"clips/stuttering/[gz]*.mp4\" } }
items: { match: name, table: items.csv }
task: { kind: rating }
rubric: { kind: opinion, method: dcr }
raters: { per_item: 1 }
backend: { kind: web, listen: '127.0.0.1:0' }
";

#[test]
fn sources_are_clips_that_are_played_and_reported_too() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["new", "study", "--task", "video-acr"]);
    let study = folder.path().join("study");
    let rows = ["glow", "gradient", "zoom"].map(|item| format!("{item},clips/smooth/{item}.mp4\n"));
    fs::write(study.join("items.csv"), format!("item,source\n{}", rows.concat())).unwrap();
    fs::write(study.join("evaluation.yaml"), DEGRADED).unwrap();
    let server = Served::start(&study, &["run", "evaluation.yaml"], &[]);
    let (mut rater, mut screen) = at_first_trial(&server);
    let parts = screen["trial"]["parts"].as_array().unwrap();
    assert_eq!(parts[0]["clip"], json!({ "width": 160, "height": 120 }), "{parts:?}");
    assert_eq!(answer(&mut rater, &server, &screen, &json!({ "played": played(1, 20) })).0, 422);
    while screen["screen"] == "trial" {
        let (status, mut receipt) = answer(&mut rater, &server, &screen, &json!({ "played": played(2, 20) }));
        assert_eq!(status, 200, "{receipt}");
        screen = receipt["next"].take();
    }
    drop(server);
    let table = succeeds(folder.path(), &["export", "study/evaluation.yaml", "--what", "played"]);
    let rows_of = |path: &str| table.lines().filter(|line| line.contains(path)).count();
    assert_eq!((rows_of("clips/stuttering/"), rows_of("clips/smooth/")), (3, 3), "{table}");
}

#[test]
fn packages_speak_of_clips_as_raters_read() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["new", "study", "--task", "video-pair"]);
    let study = folder.path().join("study");
    let spec = "stimuli: { smooth: { role: generated, videos: clips/smooth/*.mp4 }, stuttering: { role: generated, videos: \
                clips/stuttering/*.mp4 } }\nitems: { match: name }\ntask: { kind: contrast }\nraters: { per_item: 2 }\n";
    fs::write(study.join("evaluation.yaml"), spec).unwrap();
    succeeds(&study, &["run", "evaluation.yaml", "--simulate", "--study", "kept", "--progress", "none"]);
    succeeds(&study, &["export", "kept", "--package", "package"]);
    for file in ["codebook.json", "codebook.md", "protocol.json", "protocol.md"] {
        let text = fs::read_to_string(study.join("package").join(file)).unwrap();
        let asked = text.contains("Which clip is better?") || !file.starts_with("codebook");
        assert!(asked && !text.contains("Which image is better?"), "{file}: {text}");
    }
}

#[test]
fn texts_are_served_as_text_and_images_do_not_stall() {
    let folder = tempfile::tempdir().unwrap();
    let server = served(folder.path(), "text-pair");
    let page = request(&server.address, "GET", "/", &[], "");
    assert!(!page.head.contains("media-src"), "{}", page.head);
    let (mut rater, screen) = at_first_trial(&server);
    let stalled = json!({ "trial": 0, "showing": 0, "reason": "stalled" });
    assert_eq!(rater.post(&server.address, "/api/disturbed", stalled).0, 422);
    for (media, file) in files(&server, &rater, &screen) {
        assert_eq!(media, "text");
        assert!(file.head.contains("content-type: text/plain; charset=utf-8"), "{}", file.head);
        assert!(file.head.contains("x-content-type-options: nosniff"), "{}", file.head);
        assert!(String::from_utf8(file.body).unwrap().starts_with('<'));
    }
    let (status, receipt) = answer(&mut rater, &server, &screen, &json!({ "played": played(2, 100) }));
    assert_eq!(status, 200, "{receipt}");
}

#[test]
fn texts_say_how_long_the_fastest_reader_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (_, screen) = at_first_trial(&served(folder.path(), "text-pair"));
    assert_eq!(screen["trial"]["playback"].get("reading_ms"), None);
    let spec = folder.path().join("study/evaluation.yaml");
    let paced = fs::read_to_string(&spec).unwrap() + "playback: { words_per_minute: 600 }\n";
    fs::remove_dir_all(folder.path().join("study/evaluation.study")).unwrap();
    fs::write(&spec, paced).unwrap();
    let server = Served::start(&folder.path().join("study"), &["run", "evaluation.yaml"], &[]);
    let (_, screen) = at_first_trial(&server);
    let times = screen["trial"]["playback"]["reading_ms"].as_array().unwrap();
    assert!(times.len() == 2 && times.iter().all(|time| time.as_u64() > Some(1_000)), "{times:?}");
}

#[test]
fn programs_speak_of_what_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    for (task, one) in [("video-acr", "clip"), ("text-pair", "text")] {
        succeeds(folder.path(), &["new", task, "--task", task]);
        let spec = format!("{task}/evaluation.yaml");
        let checked = succeeds(folder.path(), &["check", &spec]);
        let planned = succeeds(folder.path(), &["plan", &spec, "--raters", "5", "--studies", "5"]);
        assert!(planned.contains(&format!("12 {one}s")), "{planned}");
        succeeds(folder.path(), &["preregister", &spec]);
        let registered = folder.path().join(format!("{task}/evaluation.preregistration.md"));
        let registered = fs::read_to_string(registered).unwrap();
        for said in [checked, planned] {
            assert!(!said.contains("image"), "{said}");
        }
        assert!(!registered.contains("of 12 images"), "{registered}");
    }
}

/// Marks count the characters of the text, lie within it, and are exported with its path.
#[test]
fn spans_that_raters_mark_are_exported() {
    const SPEC: &str = "name: marks
seed: 1
stimuli:
  one: { role: generated, texts: texts/one/*.txt }
  two: { role: generated, texts: texts/two/*.txt }
items: { match: name }
task: { kind: rating }
rubric: { kind: likert, questions: [{ id: good, text: Is it good?, options: [No, Yes] }] }
beside: [{ id: wrong, text: Mark what is wrong., answer: { marks: 2 }, required: false }]
raters: { per_item: 1 }
backend: { kind: web, listen: \"127.0.0.1:0\", language: en }
";
    let folder = tempfile::tempdir().unwrap();
    for (model, last) in [("one", 'A'), ("two", 'B')] {
        fs::create_dir_all(folder.path().join("texts").join(model)).unwrap();
        // Six characters: one has two units of UTF-16, and one is written as a letter and its accent.
        fs::write(
            folder.path().join(format!("texts/{model}/a.txt")),
            format!("\u{1F600} e\u{301}r\r\n{last}"),
        )
        .unwrap();
    }
    fs::write(folder.path().join("marked.yaml"), SPEC).unwrap();
    let server = Served::start(folder.path(), &["run", "marked.yaml"], &[]);
    let (mut rater, screen) = at_first_trial(&server);
    assert_eq!(screen["trial"]["questions"][1]["form"], json!({ "marks": { "at_most": 2 } }));
    let good = screen["trial"]["questions"][0]["form"]["choice"]["options"][0]["value"].clone();
    let given =
        |wrong: Value| json!({ "played": played(1, 100), "answer": { "good": good, "wrong": wrong } });
    for (wrong, reason) in [
        (json!([[0, 2, 7]]), "a mark up to character 7 of a text with 6"),
        (json!([[1, 0, 1]]), "of a text with 0"),
        (json!([[0, 2, 4], [0, 3, 5]]), "overlap"),
    ] {
        let (status, receipt) = answer(&mut rater, &server, &screen, &given(wrong));
        assert!(status == 422 && receipt.to_string().contains(reason), "{reason}: {receipt}");
    }
    let (status, receipt) = answer(&mut rater, &server, &screen, &given(json!([[0, 0, 1], [0, 2, 6]])));
    assert_eq!(status, 200, "{receipt}");
    drop(server);
    let table = succeeds(folder.path(), &["export", "marked.yaml", "--what", "marks"]);
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(rows.len() == 2 && rows[0].ends_with(",wrong,0,1") && rows[1].ends_with(",wrong,2,6"), "{table}");
    assert!(rows.iter().all(|row| row.contains("/a.txt,")), "{table}");
}

/// A study of texts that are shown briefly, with two blocks of two trials.
fn timed_texts(folder: &Path) {
    for (set, word) in [("real", "heron"), ("model", "robot")] {
        fs::create_dir_all(folder.join(set)).unwrap();
        for number in 0..4 {
            let text =
                format!("# On the {word}\n\nThe **{word}** stands & waits <{number}>.\n\n1. It flies.\n");
            fs::write(folder.join(format!("{set}/{number}.md")), text).unwrap();
        }
    }
    let spec = "stimuli:\n  real: { role: real, texts: real/*.md }\n  model: { role: generated, texts: model/*.md }\n\
                task: { kind: hype_time, blocks: 1, trials_per_block: 4 }\n\
                raters: { per_model: 1, qualification: null, payment: null }\n\
                backend: { kind: web, listen: \"127.0.0.1:0\" }\n";
    fs::write(folder.join("evaluation.yaml"), spec).unwrap();
}

#[test]
fn texts_shown_briefly_are_masked_by_their_letters_and_need_no_report_of_reading() {
    let folder = tempfile::tempdir().unwrap();
    timed_texts(folder.path());
    let server = Served::start(folder.path(), &["run", "evaluation.yaml"], &[]);
    let (mut rater, mut screen) = at_first_trial(&server);
    let file = |rater: &Browser, name: &Value| {
        let cookie = [("Cookie", rater.cookie.as_deref().unwrap())];
        let path = format!("/image/{}", name.as_str().unwrap());
        let file = request(&server.address, "GET", &path, &cookie, "");
        assert!(file.head.contains("content-type: text/plain; charset=utf-8"), "{}", file.head);
        String::from_utf8(file.body).unwrap()
    };
    while screen["screen"] == "trial" {
        assert_eq!(screen["trial"]["playback"], Value::Null);
        let parts = &screen["trial"]["parts"];
        let of = |kind: &str| {
            let found = parts.as_array().unwrap().iter().find(|part| part["part"] == kind);
            found.unwrap_or_else(|| panic!("no {kind}: {parts}"))
        };
        let (shown, masks) = (of("image"), of("masks")["images"].as_array().unwrap());
        assert_eq!(
            (&shown["media"], &shown["width"], &shown["height"]),
            (&json!("text"), &json!(704), &json!(560))
        );
        let text = file(&rater, &shown["image"]);
        // Two masks in turn, four times; both wait in the block with the text.
        assert_eq!((masks.len(), &masks[0], &masks[1]), (4, &masks[2], &masks[3]));
        assert_ne!(masks[0], masks[1]);
        let frame = |html: &str| html.replace(char::is_alphabetic, "x");
        for mask in &masks[..2] {
            assert!(screen["block"].as_array().unwrap().contains(mask));
            let mask = file(&rater, mask);
            assert_ne!(mask, text);
            assert_eq!(frame(&mask), frame(&text));
            assert!(mask.contains("<strong>") && mask.contains(" &amp; ") && mask.contains("<ol>"), "{mask}");
        }
        let played = json!({ "played": played(1, 100) });
        assert_eq!(answer(&mut rater, &server, &screen, &played).0, 422, "nothing was scrolled");
        let (status, mut receipt) = answer(&mut rater, &server, &screen, &json!({}));
        assert_eq!(status, 200, "{receipt}");
        screen = receipt["next"].take();
    }
    assert_eq!(screen["ending"], "completed", "{screen}");
    drop(server);
    let table = succeeds(folder.path(), &["export", "evaluation.yaml", "--what", "trials"]);
    let mut rows = table.lines();
    let place = rows.next().unwrap().split(',').position(|name| name == "exposure_ms").unwrap();
    let exposures: Vec<&str> = rows.filter_map(|row| row.split(',').nth(place)).collect();
    assert_eq!((exposures.len(), exposures[0]), (4, "5000"), "{table}");
}

#[test]
fn sets_of_other_media_and_faulty_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["new", "study", "--task", "video-acr"]);
    let study = folder.path().join("study");
    let spec = fs::read_to_string(study.join("evaluation.yaml")).unwrap();
    let checked = |spec: &str| {
        fs::write(study.join("evaluation.yaml"), spec).unwrap();
        String::from_utf8_lossy(&hype(&study, &["check", "evaluation.yaml"]).stderr).into_owned()
    };
    assert_eq!(checked(&spec), "");
    let mixed = spec.replace("videos: clips/stuttering/*.mp4", "texts: clips/stuttering/*.md");
    assert!(checked(&mixed).contains("stuttering has texts, and smooth has clips"), "{}", checked(&mixed));
    let both = spec.replace("videos: clips/smooth/*.mp4", "videos: clips/smooth/*.mp4, images: a/*.png");
    assert!(checked(&both).contains("names files by images and videos"), "{}", checked(&both));
    let none = spec.replace(", videos: clips/smooth/*.mp4", "");
    assert!(checked(&none).contains("the set names no files"), "{}", checked(&none));
    let timed = spec.replace(
        "task: { kind: rating, per_session: 12 }\nrubric: { kind: opinion, method: acr }",
        "task: { kind: hype_time }",
    );
    assert!(checked(&timed).contains("limits how long images are shown"), "{}", checked(&timed));
    fs::write(study.join("clips/smooth/zoom.mp4"), b"no clip").unwrap();
    let faulty = checked(&spec);
    assert!(faulty.contains("1 clip cannot be shown: clips/smooth/zoom.mp4"), "{faulty}");
}
