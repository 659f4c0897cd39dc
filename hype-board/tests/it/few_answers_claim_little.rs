//! Boards of few, equal or hidden answers say what they know, and no more.

use std::fmt::Write as _;
use std::fs;

use hype_board::{BoardModel, BoardResults, Closing, NewModel, Visibility};

use super::support::{Bench, Draws, HONEST, Raters, SOFTWARE, close, public, scores, write_package_of};

const ANCHORS: [&str; 6] = ["a1", "a2", "a3", "a4", "a5", "a6"];

/// The strengths of the anchors, the best first.
fn strength(model: &str) -> f64 {
    let place = ANCHORS.iter().position(|anchor| *anchor == model).unwrap();
    0.4 * (2.5 - place as f64)
}

/// A board whose first wave is open, with its anchors and a private model if that is said.
fn begun(has_private: bool) -> Bench {
    let mut bench = Bench::new(&ANCHORS);
    ANCHORS.iter().for_each(|anchor| bench.add(anchor, "lab"));
    if has_private {
        let source = bench.images("hidden");
        let hidden = NewModel { visibility: Visibility::Private, ..public("secret", "m & co") };
        bench.board.add(&source, &hidden).unwrap();
    }
    bench.board.begin_wave(&[], "2026-01-01").unwrap();
    bench
}

/// Closes the wave with these scores.
fn closed(bench: &Bench, scores: &str, measures: &[(&str, &str)]) -> BoardResults {
    let done = bench.board.close_wave("2026-01-28", |_, package| -> Result<_, hype_board::BoardError> {
        write_package_of(package, scores, measures);
        Ok(Closing::default())
    });
    done.unwrap();
    bench.board.results(SOFTWARE).unwrap()
}

fn row<'a>(board: &'a BoardResults, name: &str) -> Option<&'a BoardModel> {
    board.measures[0].models.iter().find(|model| model.name == name)
}

#[test]
fn a_private_model_in_the_lead_is_said() {
    let headline = |own: f64| {
        let bench = begun(true);
        let of = |model: &str| if ANCHORS.contains(&model) { strength(model) } else { own };
        close(&bench.board, &of, &HONEST, &mut Draws(3));
        let page = fs::read_to_string(bench.board.publish(SOFTWARE).unwrap().1).unwrap();
        let (_, after) = page.split_once("<h1 dir=\"auto\">").unwrap();
        after.split_once("</h1>").unwrap().0.to_owned()
    };
    assert_eq!(headline(4.0), "A private model is first");
    let tied = headline(1.0);
    assert!(tied.starts_with("a1") && tied.ends_with("and a private model are not told apart"), "{tied}");
}

#[test]
fn a_measure_of_equal_answers_leaves_the_others() {
    let bench = begun(false);
    let models: Vec<String> = ANCHORS.map(str::to_owned).to_vec();
    let mut text = scores(1, &models, &strength, &HONEST, &mut Draws(5));
    for (rater, model) in (1..=60).flat_map(|rater| ANCHORS.map(|model| (rater, model))) {
        writeln!(text, "rater-{rater:03},{model},,0001,0,reals_error,0").unwrap();
    }
    let board = closed(&bench, &text, &[("strength", "log-odds"), ("reals_error", "proportion")]);
    assert_eq!(board.measures.iter().map(|one| one.models.len()).collect::<Vec<_>>(), [6, 0]);
}

#[test]
fn who_won_all_votes_has_the_error_of_single_votes() {
    let bench = begun(false);
    let choose = |_, first: &str, second: &str, lead: f64| match (first, second) {
        ("a1", _) => 1.0,
        (_, "a1") => 0.0,
        _ => 1.0 / (1.0 + (-lead).exp()),
    };
    let raters = Raters { count: 30, votes: 3, choose: &choose, ..HONEST };
    close(&bench.board, &strength, &raters, &mut Draws(11));
    let board = bench.board.results(SOFTWARE).unwrap();
    let best = row(&board, "a1").unwrap();
    // Of 24 to 36 votes that are all won, the strength has an error of about 1.
    assert!(best.high - best.low > 3.0, "{best:?}");
}

#[test]
fn one_rater_ranks_nothing() {
    let bench = begun(false);
    let mut draws = Draws(13);
    let mut text = String::from("rater,model,against,item,block,measure,value\n");
    for (rater, model) in (1..=10).flat_map(|rater| ANCHORS.map(|model| (rater, model))) {
        if model != "a6" || rater < 3 {
            writeln!(text, "rater-{rater:03},{model},,0001,0,score,{:.3}", strength(model) + draws.normal())
                .unwrap();
        }
    }
    let board = closed(&bench, &text, &[("score", "points")]);
    assert!(row(&board, "a1").is_some() && row(&board, "a6").is_none(), "{:?}", board.measures[0].models);
}
