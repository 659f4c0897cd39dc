//! Boards in temporary folders, with drawn images and packages of simulated raters.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hype_board::{Board, BoardError, Closing, NewModel, Visibility, WaveRecord};
use hype_images::sample::{self, Process};
use hype_images::{Encoding, encode};
use serde_json::json;
use tempfile::TempDir;

pub(crate) const SOFTWARE: &str = "hype 0.1.0";
const ITEMS: [&str; 2] = ["0001", "0002"];

/// Random numbers for simulated raters (splitmix64).
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// A board and its folder.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) board: Board,
    /// The images drawn so far.
    drawn: u64,
}

pub(crate) fn settings(anchors: &[&str]) -> String {
    format!(
        "name: Still lifes\nitems: items.csv\nanchors: [{}]\nstudy:\n  task: {{ kind: contrast, per_session: 20 }}\n  raters: {{ \
         per_item: 3 }}\nrules: [Nothing is withdrawn.]\n",
        anchors.join(", ")
    )
}

impl Bench {
    pub(crate) fn new(anchors: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("board");
        let board = Board::init(&root, &settings(anchors)).unwrap();
        fs::write(root.join("items.csv"), format!("item,prompt\n{},a\n{},b\n", ITEMS[0], ITEMS[1])).unwrap();
        Self { folder, board, drawn: 0 }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("board")
    }

    /// A folder of images that no other has.
    pub(crate) fn images(&mut self, name: &str) -> PathBuf {
        let folder = self.folder.path().join("sources").join(name);
        fs::create_dir_all(&folder).unwrap();
        for item in ITEMS {
            self.drawn += 1;
            let picture = sample::draw(Process::Good, self.drawn, 3, 16).unwrap();
            fs::write(folder.join(format!("{item}.png")), encode(&picture, Encoding::Png)).unwrap();
        }
        folder
    }

    pub(crate) fn add(&mut self, name: &str, maker: &str) {
        let source = self.images(name);
        self.board.add(&source, &public(name, maker)).unwrap();
    }
}

pub(crate) fn public(name: &str, maker: &str) -> NewModel {
    NewModel {
        name: name.into(),
        maker: maker.into(),
        visibility: Visibility::Public,
        date: "2026-01-01".into(),
    }
}

/// The answers of a wave's raters, apart from the true strengths.
pub(crate) struct Raters<'a> {
    pub(crate) count: usize,
    pub(crate) votes: usize,
    /// The probability that the first of two models is preferred by a rater, from their difference.
    pub(crate) choose: &'a dyn Fn(usize, &str, &str, f64) -> f64,
    /// The person of a rater, if that is known.
    pub(crate) person: &'a dyn Fn(usize) -> Option<String>,
}

/// Votes as strengths say.
pub(crate) const HONEST: Raters<'static> =
    Raters { count: 60, votes: 20, choose: &|_, _, _, lead| 1.0 / (1.0 + (-lead).exp()), person: &|_| None };

/// Closes the open wave with a package of simulated votes.
pub(crate) fn close(
    board: &Board,
    strength: &dyn Fn(&str) -> f64,
    raters: &Raters<'_>,
    draws: &mut Draws,
) -> WaveRecord {
    let open = board.waves().unwrap().into_iter().find(|wave| wave.closed.is_none()).unwrap();
    let models: Vec<String> = open.anchors.iter().chain(&open.new).cloned().collect();
    let date = format!("2026-{:02}-28", open.number);
    let closed: Result<WaveRecord, BoardError> = board.close_wave(&date, |_, package| {
        write_package(package, &scores(open.number as usize, &models, strength, raters, draws));
        let named = |rater| Some((format!("rater-{:03}", rater + 1), (raters.person)(rater)?));
        Ok(Closing {
            simulated: true,
            people: (0..raters.count).filter_map(named).collect(),
            ..Closing::default()
        })
    });
    closed.unwrap()
}

pub(crate) fn scores(
    wave: usize,
    models: &[String],
    strength: &dyn Fn(&str) -> f64,
    raters: &Raters<'_>,
    draws: &mut Draws,
) -> String {
    let mut text = String::from("rater,model,against,item,block,measure,value\n");
    let own: Vec<f64> = models.iter().map(|model| strength(model)).collect();
    let pairs: Vec<(usize, usize)> =
        (0..models.len()).flat_map(|first| (0..first).map(move |second| (first, second))).collect();
    for rater in 0..raters.count {
        for vote in 0..raters.votes {
            // Other pairs in each wave.
            let (first, second) = pairs[((rater + wave) * raters.votes + vote) % pairs.len()];
            let share = (raters.choose)(rater, &models[first], &models[second], own[first] - own[second]);
            let value = u8::from(draws.unit() < share);
            let item = ITEMS[vote % ITEMS.len()];
            writeln!(
                text,
                "rater-{:03},{},{},{item},0,preference,{value}",
                rater + 1,
                models[first],
                models[second]
            )
            .unwrap();
        }
    }
    text
}

/// Writes as much of a package as boards read, of votes.
pub(crate) fn write_package(folder: &Path, scores: &str) {
    write_package_of(folder, scores, &[("strength", "log-odds")]);
}

/// The same of these measures with their units, in which more is better.
pub(crate) fn write_package_of(folder: &Path, scores: &str, measures: &[(&str, &str)]) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("scores.csv"), scores).unwrap();
    let found = |&(name, unit): &(&str, &str)| {
        json!({
            "measure": { "name": name, "label": name, "unit": unit, "direction": "higher" },
            "raters": 60, "items": 2, "responses": 1200, "estimates": [], "tests": [], "comparisons": [],
        })
    };
    let measures: Vec<_> = measures.iter().map(found).collect();
    let findings = json!({
        "format": 1, "software": SOFTWARE, "exclusions": [], "notes": [], "measures": measures,
    });
    fs::write(folder.join("findings.json"), findings.to_string()).unwrap();
    fs::write(folder.join("datapackage.json"), "{}").unwrap();
}
