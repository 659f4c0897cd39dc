//! Three waves with drift become a page, whose numbers are those of `board.json`.

use std::fs;

use hype_board::{BoardError, BoardResults, Closing, NewModel, Visibility};

use super::support::{Bench, Draws, HONEST, Raters, SOFTWARE, close, public, write_package};

const ANCHORS: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

fn strength(model: &str) -> f64 {
    match model.strip_prefix('a').and_then(|number| number.parse::<f64>().ok()) {
        Some(number) => 0.4 * (3.5 - number),
        None => 1.6,
    }
}

/// Three waves: the second and third with a new model each, the last of them private.
fn published() -> Bench {
    let mut bench = Bench::new(&ANCHORS);
    let mut draws = Draws(7);
    for anchor in ANCHORS {
        bench.add(anchor, "lab");
    }
    for wave in 1..=3 {
        if wave == 2 {
            bench.add("new <b>".replace(['<', '>', ' '], "").as_str(), "m & co");
        }
        if wave == 3 {
            let source = bench.images("hidden");
            let hidden = NewModel { visibility: Visibility::Private, ..public("secret", "m & co") };
            bench.board.add(&source, &hidden).unwrap();
        }
        bench.board.begin_wave(&[], "2026-01-01").unwrap();
        let drift: Vec<f64> = (0..20).map(|_| 0.1 * draws.normal()).collect();
        let drifted =
            |model: &str| 0.8 * (strength(model) + drift[model.len() + usize::from(model.as_bytes()[1] % 9)]);
        close(&bench.board, &drifted, &HONEST, &mut draws);
    }
    bench.board.publish(SOFTWARE).unwrap();
    bench
}

#[test]
fn the_page_has_the_numbers_of_the_results() {
    let bench = published();
    let site = bench.root().join("site");
    let text = fs::read_to_string(site.join("board.json")).unwrap();
    let board: BoardResults = serde_json::from_str(&text).unwrap();
    let schema = serde_json::to_value(schemars::schema_for!(BoardResults)).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&serde_json::from_str(&text).unwrap()));
    let score = &board.measures[0];
    assert_eq!((score.links.len(), score.models.len(), &*score.name), (3, 7, "preference"));
    assert!(score.links.iter().all(|step| step.linked), "{:?}", score.links);
    assert_eq!((&*score.models[0].name, score.models[0].best_rank), ("newb", 1));
    assert_eq!(score.models[0].history.len(), 2);
    assert!(score.first_place.as_ref().unwrap().answers.unwrap() < 1_200);
    assert_eq!((board.makers[1].models, board.makers[1].private), (2, 1));
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    for model in &score.models {
        assert!(page.contains(&model.name), "{}", model.name);
    }
    assert!(!page.contains("secret") && !text.contains("secret"));
    assert!(!page.contains("<script") && page.contains("m &amp; co"));
    assert!(fs::read_to_string(site.join("feed.xml")).unwrap().contains("<title>Wave 3</title>"));
}

#[test]
fn people_of_several_waves_are_noted_outside_of_packages() {
    let mut bench = Bench::new(&ANCHORS);
    for anchor in ANCHORS {
        bench.add(anchor, "lab");
    }
    // The same people with the same votes: they say less than others would.
    for (wave, new) in ["one", "two"].into_iter().enumerate() {
        bench.add(new, "m & co");
        bench.board.begin_wave(&[], "2026-01-01").unwrap();
        let raters = Raters { person: &|rater| Some(format!("worker-{:02}", 59 - rater)), ..HONEST };
        close(&bench.board, &strength, &raters, &mut Draws(9));
        let folder = bench.board.wave_folder(wave as u32 + 1);
        let people = fs::read_to_string(folder.join("people.csv")).unwrap();
        assert!(people.starts_with("rater,person\nrater-001,worker-59\n"), "{people}");
        assert_eq!(people.lines().count(), 61);
        assert!(!folder.join("package/people.csv").exists());
    }
    let results = |bench: &Bench| bench.board.publish(SOFTWARE).unwrap().0;
    let same = results(&bench);
    for file in ["index.html", "board.json", "feed.xml"] {
        assert!(!fs::read_to_string(bench.root().join("site").join(file)).unwrap().contains("worker-"));
    }
    fs::remove_file(bench.board.wave_folder(2).join("people.csv")).unwrap();
    assert_ne!(results(&bench).measures[0].models, same.measures[0].models);
}

#[test]
fn a_changed_vote_is_named() {
    let bench = published();
    let verified = bench.board.verify(SOFTWARE).unwrap();
    assert_eq!((verified.packages, verified.differences), (3, vec![]));
    let scores = bench.root().join("waves/002/package/scores.csv");
    let text = fs::read_to_string(&scores).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let vote = &mut lines[814];
    let flipped = if vote.ends_with('1') { "0" } else { "1" };
    vote.replace_range(vote.len() - 1.., flipped);
    let named = format!("wave 2: row 814 of scores.csv was another: now {vote}");
    fs::write(&scores, lines.join("\n") + "\n").unwrap();
    let found = bench.board.verify(SOFTWARE).unwrap().differences;
    assert!(found.contains(&"wave 2: scores.csv is not as it was released".to_owned()), "{found:?}");
    assert!(found.contains(&named), "{found:?}");
    assert!(found.iter().any(|one| one.starts_with("site/board.json")), "{found:?}");
}

#[test]
fn anchors_are_replaced_after_two_waves_together() {
    let mut bench = published();
    let path = bench.root().join("board.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("a6]", "newb]")).unwrap();
    bench.board = hype_board::Board::open(&bench.root()).unwrap();
    bench.add("later", "lab");
    let error = bench.board.begin_wave(&[], "2026-05-01").unwrap_err().to_string();
    assert!(error.contains("newb replaces a6, but they were rated in 1 waves together"), "{error}");
    fs::write(&path, text.replace("Nothing is withdrawn.", "Everything stays.")).unwrap();
    bench.board = hype_board::Board::open(&bench.root()).unwrap();
    bench.board.begin_wave(&[], "2026-05-01").unwrap();
    let journal = bench.board.journal().unwrap();
    assert_eq!(journal.len(), 1);
    assert_eq!(journal[0].changes, ["rules: [\"Nothing is withdrawn.\"] → [\"Everything stays.\"]"]);
}
