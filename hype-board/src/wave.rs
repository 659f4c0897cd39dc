//! Waves: their design, their spec, and what is noted when they close.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hype_core::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::BoardError;
use crate::folder::{Board, NewFolder, json, read_json, write_file, write_json};
use crate::released::{digests, row_digests, write_people};
use crate::settings::BoardSettings;
use crate::submission::{Submitted, item_of};
use hype_stats::link::LEAST_ANCHORS;

/// The share of comparisons between anchors that links waves best for their cost.
const SHARE: f64 = 0.4;

/// The contents of `wave.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WaveRecord {
    /// The number, from 1.
    pub number: u32,
    /// When it began.
    pub begun: String,
    /// When it closed; absent while it is rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<String>,
    /// The names of the sets of anchors.
    pub anchors: Vec<String>,
    /// The names of the sets of new models.
    pub new: Vec<String>,
    /// Whether raters were synthetic.
    #[serde(default)]
    pub simulated: bool,
    /// The digest of every file of the package, and that of the digests of its rows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The digest of the file of short digests of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<String>,
}

impl WaveRecord {
    /// Whether it rates the model whose set has this name.
    pub(crate) fn rates(&self, alias: &str) -> bool {
        self.anchors.iter().chain(&self.new).any(|name| name == alias)
    }
}

/// A wave that was begun.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WaveDesign {
    /// The wave's record.
    pub record: WaveRecord,
    /// Its spec, for `hype run`, `hype plan` and `hype preregister`.
    pub spec: PathBuf,
    /// The share of pairs of models that are pairs of anchors; links are best with 40 %.
    pub between_anchors: f64,
}

impl WaveDesign {
    /// How many new models join a wave of so many anchors to leave two fifths of its pairs between anchors.
    #[must_use]
    pub fn fitting(anchors: usize) -> usize {
        let share = |new: usize| (share(anchors, new) - SHARE).abs();
        (1..=2 * anchors.max(1)).min_by(|left, right| share(*left).total_cmp(&share(*right))).unwrap_or(1)
    }
}

/// A wave's raters, as known when it closes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closing {
    /// Whether they were synthetic.
    pub simulated: bool,
    /// The person of a rater, as the board names people in all waves, by the rater's name in the package.
    pub people: BTreeMap<String, String>,
    /// The rules that were others than those that were written, as [`check_study`](Board::check_study) returns them.
    pub changes: Vec<String>,
}

fn share(anchors: usize, new: usize) -> f64 {
    let pairs = |of: usize| (of * of.saturating_sub(1) / 2) as f64;
    pairs(anchors) / pairs(anchors + new).max(1.0)
}

impl Board {
    /// The folder of a wave.
    #[must_use]
    pub fn wave_folder(&self, number: u32) -> PathBuf {
        self.path(&format!("waves/{number:03}"))
    }

    /// All waves, the first first.
    ///
    /// # Errors
    /// If the disk fails or a file is damaged.
    pub fn waves(&self) -> Result<Vec<WaveRecord>, BoardError> {
        self.folders("waves")?.iter().map(|folder| read_json(&folder.join("wave.json"))).collect()
    }

    /// Begins a wave of the anchors and of these models, or of all that were in none: writes its spec, whose seed is the wave's
    /// number, and notes what changed in the rules.
    ///
    /// # Errors
    /// If another wave is open; if an anchor is not on the board, there are too few, or one was replaced without overlap; if a
    /// model is not on the board or there is none.
    pub fn begin_wave(&self, models: &[String], date: &str) -> Result<WaveDesign, BoardError> {
        let refused = |reason: String| Err(BoardError::Refused(reason));
        let (waves, all) = (self.waves()?, self.submissions()?);
        if let Some(open) = waves.iter().find(|wave| wave.closed.is_none()) {
            return refused(format!(
                "wave {} is open: collect it by `hype run {}`, then `hype board wave close`",
                open.number,
                self.wave_folder(open.number).join("spec.yaml").display()
            ));
        }
        let find = |name: &String| all.iter().find(|model| model.name == *name || model.alias == *name);
        let anchors = &self.settings.anchors;
        if let Some(missing) = anchors.iter().find(|name| find(name).is_none()) {
            return refused(format!(
                "anchors: {missing} is not on the board: `hype board add` it, or take it out"
            ));
        }
        if anchors.len() < LEAST_ANCHORS {
            return refused(format!(
                "{} anchors cannot link waves: name {LEAST_ANCHORS} at least, better 8",
                anchors.len()
            ));
        }
        let anchors: Vec<&Submitted> = anchors.iter().filter_map(find).collect();
        self.check_overlap(&waves, &anchors, &all)?;
        let new = new_models(models, &anchors, &waves, &all)?;
        if let Some(removed) = anchors.iter().chain(&new).find(|model| !model.removed.is_empty()) {
            return refused(format!(
                "{} has images that were removed by law: leave it out, also of `anchors`",
                removed.alias
            ));
        }
        if new.is_empty() && !waves.is_empty() {
            return refused(if models.is_empty() {
                "every model of the board was rated: add a new one, or name those to rate again".into()
            } else {
                format!("every wave rates its anchors, {}: name other models, or none", models.join(" and "))
            });
        }
        self.check_items(anchors.iter().chain(&new).copied())?;
        let number = waves.len() as u32 + 1;
        let record = WaveRecord {
            number,
            begun: date.to_owned(),
            closed: None,
            anchors: anchors.iter().map(|model| model.alias.clone()).collect(),
            new: new.iter().map(|model| model.alias.clone()).collect(),
            simulated: false,
            files: BTreeMap::new(),
            rows: None,
        };
        self.note_changes(number, date)?;
        let folder = NewFolder::begin(&self.wave_folder(number))?;
        let spec = spec(&self.settings, number, &anchors, &new);
        let text = serde_yaml::to_string(&spec)
            .map_err(|error| BoardError::damaged(&self.path("board.yaml"), &error))?;
        write_file(&folder.unfinished().join("spec.yaml"), text.as_bytes())?;
        write_file(&folder.unfinished().join("wave.json"), json(&record).as_bytes())?;
        folder.finish()?;
        let between_anchors = share(anchors.len(), new.len());
        Ok(WaveDesign { record, spec: self.wave_folder(number).join("spec.yaml"), between_anchors })
    }

    /// Refuses models that have not exactly one image for each item of the table.
    fn check_items<'a>(&self, models: impl Iterator<Item = &'a Submitted>) -> Result<(), BoardError> {
        let (items, table) = (self.items()?, &self.settings.items);
        for model in models {
            let own: BTreeSet<&str> = model.files.keys().map(|file| item_of(file)).collect();
            let name = &model.alias;
            if let Some(item) = items.iter().find(|item| !own.contains(&***item)) {
                return Err(BoardError::Refused(format!(
                    "{name} has no image of item {item}: take it out of {table}, or leave {name} out of the wave; what was added stays, so \
                     a model with more items has a new name"
                )));
            }
            if let Some(item) = own.iter().find(|item| !items.contains(**item)) {
                return Err(BoardError::Refused(format!(
                    "{name} has an image of {item}, which {table} does not have: put it back, or name the models of the wave without \
                     {name}"
                )));
            }
        }
        Ok(())
    }

    /// Refuses anchors that replace others without having been rated together with them in two waves.
    fn check_overlap(
        &self,
        waves: &[WaveRecord],
        anchors: &[&Submitted],
        all: &[Submitted],
    ) -> Result<(), BoardError> {
        let Some(last) = waves.last() else { return Ok(()) };
        // Those that were removed by law cannot be rated again.
        let is_gone = |model: &&Submitted| !model.removed.is_empty();
        let kept = |name: &&String| {
            anchors.iter().copied().chain(all.iter().filter(is_gone)).any(|model| model.alias == **name)
        };
        let is_dropped = |name: &&String| !kept(name);
        let dropped: Vec<&String> = last.anchors.iter().filter(is_dropped).collect();
        if dropped.is_empty() {
            return Ok(());
        }
        let rated = |wave: &WaveRecord, name: &String| wave.anchors.contains(name) || wave.new.contains(name);
        for new in anchors.iter().filter(|model| !last.anchors.contains(&model.alias)) {
            let beside = |old: &String| {
                waves.iter().filter(|wave| rated(wave, &new.alias) && rated(wave, old)).count()
            };
            if let Some(old) = dropped.iter().find(|old| beside(old) < 2) {
                return Err(BoardError::Refused(format!(
                    "anchors: {} replaces {old}, but they were rated in {} waves together: keep {old} until there are two",
                    new.alias,
                    beside(old)
                )));
            }
        }
        Ok(())
    }

    /// Closes the open wave: `package` writes the study's package into the folder that it is given, and says what is known of
    /// raters. Who took part in several waves is noted in `people.csv`, which is not released. Done again after an interruption,
    /// it goes on.
    ///
    /// # Errors
    /// If no wave is open, or the package cannot be written or read.
    pub fn close_wave<E: From<BoardError>>(
        &self,
        date: &str,
        package: impl FnOnce(&Path, &Path) -> Result<Closing, E>,
    ) -> Result<WaveRecord, E> {
        let mut record = self.open_wave()?;
        let folder = self.wave_folder(record.number);
        let target = folder.join("package");
        if target.exists() {
            // Left by a close that was interrupted before it was noted.
            fs::remove_dir_all(&target).map_err(BoardError::disk(&target))?;
        }
        let closing = package(&folder.join("spec.yaml"), &target)?;
        record.simulated = closing.simulated;
        self.note_changes_within(record.number, &record.begun, &closing.changes)?;
        if !closing.people.is_empty() {
            write_people(&folder, &closing.people)?;
        }
        let rows = row_digests(&target)?.join("\n") + "\n";
        write_file(&folder.join("rows.txt"), rows.as_bytes())?;
        record.files = digests(&target)?;
        record.rows = Some(Digest::of(rows.as_bytes()).to_string());
        record.closed = Some(date.to_owned());
        write_json(&folder.join("wave.json"), &record)?;
        Ok(record)
    }

    /// The open wave.
    ///
    /// # Errors
    /// If there is none, or as [`waves`](Self::waves).
    pub fn open_wave(&self) -> Result<WaveRecord, BoardError> {
        let open = self.waves()?.into_iter().find(|wave| wave.closed.is_none());
        open.ok_or_else(|| BoardError::Refused("no wave is open: `hype board wave new` begins one".into()))
    }

    /// Removes the open wave, whose number the next one has, unless `check` refuses because of what its spec collected.
    ///
    /// # Errors
    /// If no wave is open, by `check`, or if the disk fails.
    pub fn cancel_wave<E: From<BoardError>>(
        &self,
        check: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<WaveRecord, E> {
        let record = self.open_wave()?;
        let folder = self.wave_folder(record.number);
        check(&folder.join("spec.yaml"))?;
        // Hidden first, so a wave is there with all of its files or not at all.
        let hidden = folder.with_file_name(format!(".{:03}.cancelled", record.number));
        if hidden.exists() {
            fs::remove_dir_all(&hidden).map_err(BoardError::disk(&hidden))?;
        }
        fs::rename(&folder, &hidden).map_err(BoardError::disk(&folder))?;
        fs::remove_dir_all(&hidden).map_err(BoardError::disk(&hidden))?;
        Ok(record)
    }
}

/// The spec of a wave: the board's sections of studies, with the sets of this wave.
pub(crate) fn spec(
    settings: &BoardSettings,
    number: u32,
    anchors: &[&Submitted],
    new: &[&Submitted],
) -> Map<String, Value> {
    let up = |path: &str| format!("../../{path}");
    let mut stimuli = Map::new();
    if let Some(real) = &settings.real {
        stimuli.insert("real".into(), json!({ "role": "real", "images": up(real) }));
    }
    for model in anchors.iter().chain(new) {
        let set = json!({ "role": "generated", "images": up(&Board::images_of(model)) });
        stimuli.insert(model.alias.clone(), set);
    }
    let mut spec = Map::new();
    spec.insert("name".into(), json!(format!("{}, wave {number}", settings.name)));
    spec.insert("seed".into(), json!(number));
    spec.insert("stimuli".into(), Value::Object(stimuli));
    spec.insert("items".into(), json!({ "table": up(&settings.items) }));
    spec.extend(settings.study.clone());
    // Synthetic raters know the models of this wave.
    let observers = spec.get_mut("simulate").and_then(|simulate| simulate.get_mut("observers"));
    if let Some(Value::Object(observers)) = observers {
        observers
            .retain(|name, _| anchors.iter().chain(new).any(|model| model.alias == *name) || name == "real");
    }
    spec
}

/// The models of a wave that are no anchors: those that are named, or all that no wave has rated.
fn new_models<'a>(
    named: &[String],
    anchors: &[&Submitted],
    waves: &[WaveRecord],
    all: &'a [Submitted],
) -> Result<Vec<&'a Submitted>, BoardError> {
    let is_anchor = |model: &&Submitted| anchors.iter().any(|anchor| anchor.alias == model.alias);
    if named.is_empty() {
        let is_rated = |model: &Submitted| waves.iter().any(|wave| wave.rates(&model.alias));
        let is_new = |model: &&Submitted| !is_rated(model) && !is_anchor(model) && model.removed.is_empty();
        return Ok(all.iter().filter(is_new).collect());
    }
    let found = named.iter().map(|name| {
        let found = all.iter().find(|model| model.name == *name || model.alias == *name);
        found.ok_or_else(|| BoardError::Refused(format!("{name} is not on the board: `hype board add` it")))
    });
    let found: Vec<&Submitted> = found.collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|model| !is_anchor(model)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fifths_of_pairs_are_between_anchors() {
        for anchors in 5..=9 {
            let new = WaveDesign::fitting(anchors);
            assert!((share(anchors, new) - SHARE).abs() < 0.07, "{anchors} {new} {}", share(anchors, new));
        }
        assert_eq!(WaveDesign::fitting(8), 4);
    }
}
