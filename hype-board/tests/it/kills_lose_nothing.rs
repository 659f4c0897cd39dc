//! Programs that are killed while they add, begin, close and publish leave what was there before, or all of what they wrote.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hype_board::{Board, BoardError, BoardResults, Closing, WaveRecord};
use hype_core::Digest;

use super::proof::{row, sized};
use super::support::{Bench, Draws, HONEST, SOFTWARE, close, public, write_package};

const CHILD: &str = "HYPE_BOARD_OF_CHILD";
const PEOPLE: usize = 60;
const ANCHORS: [&str; 5] = ["a1", "a2", "a3", "a4", "a5"];

/// Adds a model, then begins, closes and publishes a wave, as far as each is not done yet. The tests kill this.
fn go_on(root: &Path) -> Result<(), BoardError> {
    let board = Board::open(root)?;
    let source = root.parent().unwrap().join("sources/new");
    if !board.submissions()?.iter().any(|model| model.name == "new") {
        board.add(&source, &public("new", "m"))?;
    }
    if board.waves()?.len() == 1 {
        board.begin_wave(&[], "2026-02-01")?;
    }
    if board.waves()?.last().is_some_and(|wave| wave.closed.is_none()) {
        let scores = fs::read_to_string(root.join("waves/001/package/scores.csv")).unwrap();
        let closed: Result<WaveRecord, BoardError> = board.close_wave("2026-02-28", |_, package| {
            write_package(package, &scores);
            let people = (0..PEOPLE).map(|rater| (format!("rater-{rater:03}"), format!("worker-{rater}")));
            Ok(Closing { simulated: true, people: people.collect(), ..Closing::default() })
        });
        closed?;
    }
    board.results(SOFTWARE)?;
    board.publish(SOFTWARE)?;
    Ok(())
}

/// Every file of the board that was said to be there, with the digest that was noted.
fn nothing_is_lost(board: &Board) {
    for model in board.submissions().unwrap() {
        for (file, noted) in &model.files {
            let name = format!("submissions/{}/images/{file}", model.name);
            assert_eq!(Digest::of(&fs::read(board.path(&name)).unwrap()), *noted, "{name}");
        }
    }
    let differences = board.verify(SOFTWARE).unwrap().differences;
    // Only the page may be that of before.
    assert!(differences.iter().all(|difference| difference.starts_with("site/")), "{differences:?}");
    if board.waves().unwrap().get(1).is_some_and(|wave| wave.closed.is_some()) {
        let people = fs::read_to_string(board.path("waves/002/people.csv")).unwrap();
        assert_eq!(people.lines().count(), PEOPLE + 1);
    }
    let json = fs::read(board.path("site/board.json")).unwrap();
    assert!(serde_json::from_slice::<BoardResults>(&json).is_ok());
    assert!(fs::read(board.path("site/feed.xml")).unwrap().ends_with(b"</feed>\n"));
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the environment says that this process is to be killed")]
fn killed_child() {
    if let Some(root) = std::env::var_os(CHILD) {
        go_on(Path::new(&root)).unwrap();
    }
}

#[test]
fn kills() {
    let mut bench = Bench::new(&ANCHORS);
    for anchor in ANCHORS {
        bench.add(anchor, "lab");
    }
    bench.images("new");
    bench.board.begin_wave(&[], "2026-01-01").unwrap();
    close(&bench.board, &|model| f64::from(model.as_bytes()[1]) * 0.3, &HONEST, &mut Draws(1));
    bench.board.publish(SOFTWARE).unwrap();
    let (root, count) = (bench.root(), sized(50, 1_000));
    let first_page = fs::read(root.join("site/index.html")).unwrap();
    let before = fs::read(root.join("waves/001/package/scores.csv")).unwrap();
    let (mut draws, mut interrupted, mut pages) = (Draws(5), 0, vec![first_page]);
    for _ in 0..count {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills_lose_nothing::killed_child", "--test-threads=1"])
            .env(CHILD, &root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros((draws.unit() * 60_000.0) as u64));
        child.kill().unwrap();
        interrupted += u32::from(!child.wait().unwrap().success());
        let board = Board::open(&root).unwrap();
        let models = board.submissions().unwrap();
        assert!(models.len() >= 5 && models.iter().all(|model| model.files.len() == 2));
        let waves = board.waves().unwrap();
        assert!(!waves.is_empty() && waves[0].closed.is_some());
        assert_eq!(fs::read(root.join("waves/001/package/scores.csv")).unwrap(), before);
        nothing_is_lost(&board);
        let page = fs::read(root.join("site/index.html")).unwrap();
        assert!(page.ends_with(b"</html>\n"));
        if !pages.contains(&page) {
            pages.push(page);
        }
        // Once all is done, a new round begins with the second wave and the new model.
        if waves.len() == 2 && waves[1].closed.is_some() && draws.unit() < 0.5 {
            fs::remove_dir_all(root.join("waves/002")).unwrap();
            fs::remove_dir_all(root.join("submissions/new")).unwrap();
        }
    }
    go_on(&root).unwrap();
    assert!(bench.board.verify(SOFTWARE).unwrap().differences.is_empty());
    assert!(interrupted > count / 4, "{interrupted} of {count}");
    assert!(pages.len() <= 3, "{} different pages", pages.len());
    row(&[&format!("{count} kills, {interrupted} of them before the end"), "nothing lost, every page whole"]);
}
