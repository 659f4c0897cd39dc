//! The package of a wave: its scores, row by row.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use hype_core::{Digest, Findings};

use crate::error::BoardError;
use crate::folder::{Board, read_json, write_file};

/// The columns of `scores.csv` that are read.
const COLUMNS: [&str; 6] = ["rater", "model", "against", "item", "measure", "value"];
/// Of a row that is not a comparison.
pub(crate) const ALONE: u32 = u32::MAX;

/// One score, by numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoreLine {
    pub(crate) rater: u32,
    pub(crate) model: u32,
    pub(crate) against: u32,
    pub(crate) item: u32,
    pub(crate) measure: u32,
    pub(crate) value: f64,
}

/// The scores of a wave.
#[derive(Debug)]
pub(crate) struct Released {
    pub(crate) raters: Vec<String>,
    pub(crate) models: Vec<String>,
    pub(crate) items: Vec<String>,
    pub(crate) measures: Vec<String>,
    pub(crate) lines: Vec<ScoreLine>,
    pub(crate) findings: Findings,
    /// The person of a rater, where the lab says who took part in several waves.
    pub(crate) people: BTreeMap<String, String>,
}

#[derive(Default)]
struct Numbered {
    numbers: BTreeMap<String, u32>,
    names: Vec<String>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

impl Released {
    /// Reads the package in a wave's folder.
    pub(crate) fn read(wave: &Path) -> Result<Self, BoardError> {
        let package = wave.join("package");
        let path = package.join("scores.csv");
        let damaged = |reason: &dyn std::fmt::Display| BoardError::damaged(&path, reason);
        let mut reader = csv::Reader::from_path(&path).map_err(|error| damaged(&error))?;
        let headers = reader.headers().map_err(|error| damaged(&error))?.clone();
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let found = headers.iter().position(|header| header == name);
            *place = found.ok_or_else(|| damaged(&format!("it has no column `{name}`")))?;
        }
        let [mut raters, mut models, mut items, mut measures] = [(); 4].map(|()| Numbered::default());
        let mut lines = Vec::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| damaged(&error))? {
            let [rater, model, against, item, measure, value] =
                places.map(|place| record.get(place).unwrap_or_default());
            let value: f64 = value
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| damaged(&format!("row {}: {value:?} is not a number", lines.len() + 1)))?;
            lines.push(ScoreLine {
                rater: raters.number(rater),
                model: models.number(model),
                against: if against.is_empty() { ALONE } else { models.number(against) },
                item: items.number(item),
                measure: measures.number(measure),
                value,
            });
        }
        Ok(Self {
            raters: raters.names,
            models: models.names,
            items: items.names,
            measures: measures.names,
            lines,
            findings: read_json(&package.join("findings.json"))?,
            people: people(&wave.join(PEOPLE))?,
        })
    }
}

/// The file in a wave's folder that says who its raters are, next to the package and not in it.
const PEOPLE: &str = "people.csv";
/// The names of people who were forgotten begin with this.
const FORGOTTEN: &str = "forgotten-";

/// Writes who the raters of a wave are, by names without commas.
pub(crate) fn write_people(wave: &Path, people: &BTreeMap<String, String>) -> Result<(), BoardError> {
    let rows: String = people.iter().map(|(rater, person)| format!("{rater},{person}\n")).collect();
    write_file(&wave.join(PEOPLE), format!("rater,person\n{rows}").as_bytes())
}

/// Who the raters of a wave are, by `people.csv` with the columns `rater` and `person`, if there is one.
fn people(path: &Path) -> Result<BTreeMap<String, String>, BoardError> {
    let mut all = BTreeMap::new();
    if !path.exists() {
        return Ok(all);
    }
    let damaged = |error: csv::Error| BoardError::damaged(path, &error);
    let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
    for row in reader.deserialize::<(String, String)>() {
        let (rater, person) = row.map_err(damaged)?;
        all.insert(rater, person);
    }
    Ok(all)
}

impl Board {
    /// Gives a person a name in the `people.csv` of all waves that no key leads to. Raters that were one person stay one, so the
    /// page does not change. Returns whether the person was in any.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn forget_person(&self, person: &str) -> Result<bool, BoardError> {
        let mut waves = Vec::new();
        for folder in self.folders("waves")? {
            let people = people(&folder.join(PEOPLE))?;
            waves.push((folder, people));
        }
        let numbers = waves.iter().flat_map(|(_, people)| people.values());
        let last = numbers.filter_map(|name| name.strip_prefix(FORGOTTEN)?.parse::<u32>().ok()).max();
        let name = format!("{FORGOTTEN}{}", last.unwrap_or(0) + 1);
        let is_of = |people: &BTreeMap<String, String>| people.values().any(|known| known == person);
        waves.retain(|(_, people)| is_of(people));
        for (folder, people) in &mut waves {
            people
                .values_mut()
                .filter(|known| known.as_str() == person)
                .for_each(|known| known.clone_from(&name));
            write_people(folder, people)?;
        }
        Ok(!waves.is_empty())
    }
}

/// The digest of every file of a package, by its path in it.
pub(crate) fn digests(package: &Path) -> Result<BTreeMap<String, String>, BoardError> {
    let mut all = BTreeMap::new();
    let mut folders = vec![package.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(BoardError::disk(&folder))? {
            let path = entry.map_err(BoardError::disk(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).map_err(BoardError::disk(&path))?;
            let name = path.strip_prefix(package).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            all.insert(name, Digest::of(&bytes).to_string());
        }
    }
    Ok(all)
}

/// A short digest of each row of the scores, to name a changed one.
pub(crate) fn row_digests(package: &Path) -> Result<Vec<String>, BoardError> {
    let path = package.join("scores.csv");
    let file = File::open(&path).map_err(BoardError::disk(&path))?;
    let digest =
        |line: std::io::Result<String>| Ok(Digest::of(line?.as_bytes()).to_string()[..12].to_owned());
    BufReader::new(file).lines().map(digest).collect::<std::io::Result<_>>().map_err(BoardError::disk(&path))
}
