//! Publishing, and computing again what was published.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hype_core::Digest;

use crate::error::BoardError;
use crate::feed::feed;
use crate::folder::{Board, NewFolder, json, read_json, write_file};
use crate::page::page;
use crate::released::{digests, row_digests};
use crate::results::BoardResults;
use crate::wave::WaveRecord;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The packages whose files were compared.
    pub packages: usize,
    /// Files that are missing because they were removed by law.
    pub removed: Vec<String>,
    /// Differences from what was released or published; empty if there are none.
    pub differences: Vec<String>,
}

impl Board {
    /// Computes the results of all closed waves from their packages.
    ///
    /// # Errors
    /// If no wave has closed, a package is missing, damaged or not as it was released, or its estimates cannot be computed.
    pub fn results(&self, software: &str) -> Result<BoardResults, BoardError> {
        let differences = self.verify_released()?.differences;
        match differences.first() {
            Some(first) => Err(BoardError::Refused(format!(
                "{first}: only what was released is ranked, so restore it; `hype board verify` names all differences, {} here",
                differences.len()
            ))),
            None => self.computed(software),
        }
    }

    /// Computes the results and writes `site`: all files into a new folder, which becomes the site, or from which they replace those
    /// of the site: `board.json`, `feed.xml`, and last the page.
    ///
    /// # Errors
    /// As [`results`](Self::results), and if the disk fails.
    pub fn publish(&self, software: &str) -> Result<(BoardResults, PathBuf), BoardError> {
        let results = self.results(software)?;
        let site = self.path("site");
        let folder = NewFolder::begin(&site)?;
        let files = self.site(&results);
        for (name, text) in &files {
            write_file(&folder.unfinished().join(name), text.as_bytes())?;
        }
        if site.exists() {
            for (name, _) in files {
                let path = site.join(name);
                fs::rename(folder.unfinished().join(name), &path).map_err(BoardError::disk(&path))?;
            }
        } else {
            folder.finish()?;
        }
        Ok((results, site.join("index.html")))
    }

    /// The files of the site.
    fn site(&self, results: &BoardResults) -> [(&'static str, String); 3] {
        [
            ("board.json", json(results)),
            ("feed.xml", feed(results, self.settings.address.as_deref())),
            ("index.html", page(results)),
        ]
    }

    /// Compares the packages of all closed waves with what was noted when they closed, and the site with what follows from them.
    ///
    /// # Errors
    /// If a file cannot be read, or the results cannot be computed.
    pub fn verify(&self, software: &str) -> Result<Verified, BoardError> {
        let mut found = self.verify_released()?;
        let (site, results) = (self.path("site"), self.computed(software)?);
        if found.differences.is_empty() && is_behind(&site.join("board.json"), &results) {
            let behind =
                "site/board.json is older than the board: `hype board publish` writes the page again";
            found.differences.push(behind.to_owned());
            return Ok(found);
        }
        let next = if found.differences.is_empty() { ": `hype board publish` writes what does" } else { "" };
        for (name, text) in self.site(&results) {
            let path = site.join(name);
            if !path.exists() {
                found.differences.push(format!("site/{name} is missing: `hype board publish` writes it"));
                continue;
            }
            let published = fs::read_to_string(&path).map_err(BoardError::disk(&path))?;
            if published != text {
                let line = published.lines().zip(text.lines()).position(|(old, new)| old != new);
                let line = line.unwrap_or_else(|| published.lines().count().min(text.lines().count()));
                found
                    .differences
                    .push(format!("site/{name}: line {} does not follow from the packages{next}", line + 1));
            }
        }
        Ok(found)
    }

    /// Compares models and the packages of all closed waves with what was noted when they were added and closed.
    pub(crate) fn verify_released(&self) -> Result<Verified, BoardError> {
        let mut found = Verified { packages: 0, removed: Vec::new(), differences: Vec::new() };
        let removed = self.verify_removals(&mut found)?;
        let submissions = self.submissions()?;
        for wave in self.waves()?.iter().filter(|wave| wave.closed.is_some()) {
            found.packages += 1;
            let is_gone = |alias: &&String| !submissions.iter().any(|model| model.alias == **alias);
            for alias in wave.anchors.iter().chain(&wave.new).filter(is_gone) {
                let gone = format!("submissions: {alias}, which wave {} rated, is missing", wave.number);
                found.differences.push(gone);
            }
            self.verify_wave(wave, &removed, &mut found)?;
        }
        Ok(found)
    }

    /// The dates of removal of images by their digests, once each is gone.
    fn verify_removals(&self, found: &mut Verified) -> Result<BTreeMap<String, String>, BoardError> {
        let mut all = BTreeMap::new();
        for model in self.submissions()? {
            for (file, digest) in &model.files {
                let Some(date) = model.removed_on(file) else { continue };
                let name = format!("submissions/{}/images/{file}", model.name);
                if self.path(&name).exists() {
                    found
                        .differences
                        .push(format!("{name} was removed by law on {date}, but is still there"));
                } else {
                    found.removed.push(format!("{name} was removed by law on {date}"));
                }
                all.insert(digest.to_string(), date.to_owned());
            }
        }
        Ok(all)
    }

    fn verify_wave(
        &self,
        wave: &WaveRecord,
        removed: &BTreeMap<String, String>,
        found: &mut Verified,
    ) -> Result<(), BoardError> {
        let folder = self.wave_folder(wave.number);
        let package = folder.join("package");
        let now: BTreeMap<String, String> = digests(&package)?;
        for name in wave.files.keys().chain(now.keys().filter(|name| !wave.files.contains_key(*name))) {
            let what = match (wave.files.get(name), now.get(name)) {
                (Some(old), None) if removed.contains_key(old) => {
                    let date = &removed[old];
                    found.removed.push(format!("wave {}: {name} was removed by law on {date}", wave.number));
                    continue;
                }
                (Some(old), Some(_)) if removed.contains_key(old) => "was removed by law, but is still there",
                (Some(old), Some(new)) if old == new => continue,
                (Some(_), Some(_)) => "is not as it was released",
                (Some(_), None) => "is missing",
                _ => "was not released",
            };
            found.differences.push(format!("wave {}: {name} {what}", wave.number));
        }
        if wave.files.get("scores.csv") != now.get("scores.csv") && now.contains_key("scores.csv") {
            rows(wave, &folder, &mut found.differences)?;
        }
        Ok(())
    }
}

/// Whether a page that was published lacks waves that have closed, or changes that were noted.
fn is_behind(published: &Path, now: &BoardResults) -> bool {
    read_json::<BoardResults>(published)
        .is_ok_and(|before| before.waves.len() < now.waves.len() || before.journal.len() < now.journal.len())
}

/// Names the rows of the scores that are not as they were released.
fn rows(wave: &WaveRecord, folder: &Path, differences: &mut Vec<String>) -> Result<(), BoardError> {
    const NAMED: usize = 5;
    let path = folder.join("rows.txt");
    let noted = fs::read_to_string(&path).map_err(BoardError::disk(&path))?;
    if wave.rows.as_deref() != Some(&*Digest::of(noted.as_bytes()).to_string()) {
        differences
            .push(format!("wave {}: rows.txt is not as it was written, so no row can be named", wave.number));
        return Ok(());
    }
    let package = folder.join("package");
    let path = package.join("scores.csv");
    let text = fs::read_to_string(&path).map_err(BoardError::disk(&path))?;
    let now = row_digests(&package)?;
    let changed =
        noted.lines().zip(&now).zip(text.lines()).enumerate().filter(|(_, ((old, new), _))| old != new);
    for (row, (_, line)) in changed.take(NAMED) {
        differences.push(format!("wave {}: row {row} of scores.csv was another: now {line}", wave.number));
    }
    let released = noted.lines().count();
    if released != now.len() {
        let of = now.len().saturating_sub(1);
        differences.push(format!(
            "wave {}: scores.csv has {of} rows, and {} were released",
            wave.number,
            released.saturating_sub(1)
        ));
    }
    Ok(())
}
