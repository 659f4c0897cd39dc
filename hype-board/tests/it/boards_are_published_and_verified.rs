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
fn levels_of_facets_have_ranks_of_their_own() {
    let bench = published();
    assert!(bench.board.results(SOFTWARE).unwrap().measures[0].levels.is_empty());
    let items = "item,prompt,scene\n0001,a,indoors\n0002,b,outdoors\n";
    fs::write(bench.root().join("items.csv"), items).unwrap();
    bench.board.publish(SOFTWARE).unwrap();
    let board = bench.board.results(SOFTWARE).unwrap();
    let score = &board.measures[0];
    let named: Vec<(&str, &str)> = score.levels.iter().map(|level| (&*level.facet, &*level.level)).collect();
    assert_eq!(named, [("scene", "indoors"), ("scene", "outdoors")]);
    let answers: u64 = score.levels.iter().map(|level| level.answers).sum();
    assert_eq!(answers, score.links.iter().map(|step| step.answers).sum::<u64>());
    for level in &score.levels {
        assert_eq!((level.models.len(), &level.waves[..]), (score.models.len(), &[1, 2, 3][..]));
        // Half of the answers, in a family of two, say less about a model than all.
        for model in &level.models {
            let whole = score.models.iter().find(|one| one.name == model.name).unwrap();
            assert!(model.high - model.low > whole.high - whole.low, "{model:?} {whole:?}");
            assert!(model.best_rank <= whole.worst_rank && whole.best_rank <= model.worst_rank);
        }
    }
    let page = fs::read_to_string(bench.root().join("site/index.html")).unwrap();
    assert!(page.contains("href=\"#levels\"") && page.contains("outdoors (1,800 answers)"), "{page}");
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
    // Who is forgotten stays one person, and is no one whom the key names.
    assert!(
        bench.board.forget_person("worker-03").unwrap() && !bench.board.forget_person("worker-03").unwrap()
    );
    assert!(bench.board.forget_person("worker-41").unwrap());
    let rows = [1, 2].map(|wave| {
        let people = fs::read_to_string(bench.board.wave_folder(wave).join("people.csv")).unwrap();
        assert!(!people.contains("worker-03") && !people.contains("worker-41"), "{people}");
        people.lines().filter(|row| row.contains("forgotten-1") || row.contains("forgotten-2")).count()
    });
    assert_eq!((rows, bench.board.verify(SOFTWARE).unwrap().differences), ([2, 2], vec![]));
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
    // Nothing is ranked or published from it.
    let page = fs::read_to_string(bench.root().join("site/index.html")).unwrap();
    for refused in [bench.board.results(SOFTWARE).err(), bench.board.publish(SOFTWARE).err()] {
        let says = refused.expect("it is refused").to_string();
        assert!(says.contains("wave 2: scores.csv is not as it was released"), "{says}");
    }
    assert_eq!(fs::read_to_string(bench.root().join("site/index.html")).unwrap(), page);
}

#[test]
fn pages_that_are_behind_and_models_that_are_gone_are_named() {
    let mut bench = published();
    let differences = |bench: &Bench| bench.board.verify(SOFTWARE).unwrap().differences;
    fs::rename(bench.root().join("site/feed.xml"), bench.root().join("feed.xml")).unwrap();
    assert_eq!(differences(&bench), ["site/feed.xml is missing: `hype board publish` writes it"]);
    bench.add("late", "lab");
    bench.board.begin_wave(&[], "2026-04-01").unwrap();
    close(&bench.board, &strength, &HONEST, &mut Draws(3));
    let behind = "site/board.json is older than the board: `hype board publish` writes the page again";
    assert_eq!(differences(&bench), [behind]);
    bench.board.publish(SOFTWARE).unwrap();
    fs::rename(bench.root().join("submissions/late"), bench.root().join("late")).unwrap();
    let found = differences(&bench);
    assert_eq!(found[0], "submissions: late, which wave 4 rated, is missing");
}

#[test]
fn waves_that_share_four_models_have_too_few_anchors() {
    let mut bench = published();
    bench.add("late", "lab");
    bench.board.begin_wave(&[], "2026-04-01").unwrap();
    let scores = fs::read_to_string(bench.root().join("waves/001/package/scores.csv")).unwrap();
    let is_left = |line: &&str| !line.contains("a5") && !line.contains("a6");
    let scores: String =
        scores.lines().filter(is_left).map(|line| line.replace("a4", "late") + "\n").collect();
    let closed: Result<_, BoardError> = bench.board.close_wave("2026-04-28", |_, package| {
        write_package(package, &scores);
        Ok(Closing::default())
    });
    closed.unwrap();
    let (results, page) = bench.board.publish(SOFTWARE).unwrap();
    assert_eq!((results.measures[0].links[3].anchors, results.measures[0].links[3].linked), (3, false));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("3 models in common with linked waves, fewer than 5"), "{page}");
    assert!(!page.contains("disagree with earlier waves."), "{page}");
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

#[test]
fn images_are_removed_by_law_and_votes_stay() {
    let mut bench = published();
    bench.add("late", "lab");
    bench.board.begin_wave(&[], "2026-04-01").unwrap();
    let error = bench.board.remove("a2", &[], "claimed", "2026-05-01").unwrap_err().to_string();
    assert!(error.contains("wave 4 is open and shows a2"), "{error}");
    let image = bench.root().join("submissions/a2/images/0001.png");
    let scores = fs::read_to_string(bench.root().join("waves/003/package/scores.csv")).unwrap();
    let closed: Result<_, BoardError> = bench.board.close_wave("2026-04-28", |_, package| {
        write_package(package, &scores);
        fs::create_dir(package.join("images")).unwrap();
        fs::copy(&image, package.join("images/a2.png")).unwrap();
        Ok(Closing::default())
    });
    let released = closed.unwrap().files["images/a2.png"].clone();
    let prepared = bench.board.wave_folder(1).join(".hype-page/rule").join(format!("{released}.webp"));
    fs::create_dir_all(prepared.parent().unwrap()).unwrap();
    fs::copy(&image, &prepared).unwrap();
    let before = bench.board.results(SOFTWARE).unwrap();
    let bytes = fs::read(&image).unwrap();

    bench.board.remove("a2", &["0001".into()], "claimed by <its> owner", "2026-05-01").unwrap();
    assert!(!image.exists() && !prepared.exists());
    let (results, page) = bench.board.publish(SOFTWARE).unwrap();
    assert_eq!(results.measures, before.measures);
    let text = fs::read_to_string(page).unwrap();
    assert!(text.contains("removed by law: 1 of 2 images of a2: claimed by &lt;its&gt; owner"));
    let verified = bench.board.verify(SOFTWARE).unwrap();
    let gone = |what: &str| format!("{what} was removed by law on 2026-05-01");
    let removed = [gone("submissions/a2/images/0001.png"), gone("wave 4: images/a2.png")];
    assert_eq!((verified.differences, verified.removed), (vec![], removed.to_vec()));
    // A file that an interruption left is named, and goes the next time; nothing comes back under another name.
    fs::write(&image, &bytes).unwrap();
    assert_eq!(bench.board.verify(SOFTWARE).unwrap().differences.len(), 1);
    let source = bench.images("again");
    fs::write(source.join("0001.png"), &bytes).unwrap();
    let error = bench.board.add(&source, &public("again", "lab")).unwrap_err().to_string();
    assert!(error.contains("it is the image 0001.png of a2"), "{error}");

    bench.board.remove("a2", &[], "claimed by <its> owner", "2026-05-02").unwrap();
    let (results, page) = bench.board.publish(SOFTWARE).unwrap();
    assert!(!image.exists() && bench.board.verify(SOFTWARE).unwrap().differences.is_empty());
    let text = fs::read_to_string(page).unwrap() + &serde_json::to_string(&results).unwrap();
    assert!(!text.contains(">a2<") && !text.contains("\"a2\"") && text.contains("removed model 1"));
    let value = |board: &BoardResults, name: &str| {
        board.measures[0].models.iter().find(|model| model.name == name).map(|model| model.value)
    };
    assert_eq!(value(&results, "removed model 1"), value(&before, "a2"));
    bench.add("later", "lab");
    let error = bench.board.begin_wave(&[], "2026-06-01").unwrap_err().to_string();
    assert!(error.contains("a2 has images that were removed by law"), "{error}");
}
