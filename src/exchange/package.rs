//! Packages: a study's data as a folder that can be given to anyone, without the raters' keys.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use hype_core::model::findings::Findings;
use hype_core::model::score::ScoreTable;
use hype_core::{SessionRecord, Store, StoreExt as _, Study};
use serde::Serialize;
use serde_json::{Value, json};

use self::anonymous::Anonymous;
use self::codebook::{Codebook, Contents};
use self::descriptor::{DataPackage, Identified};
use self::protocol::Protocol;
use super::building::Building;
use super::error::ExportError;
use super::export::{self, answer_rows, score_row, trial_row};
use super::layout::{self, ExportColumn, Layout};
use super::rows::{Format, RowWriter};

mod anonymous;
mod citation;
mod codebook;
mod descriptor;
mod hub;
mod protocol;
mod search;
mod text;

/// The contents of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packaged {
    /// The files, in the order of the README.
    pub files: Vec<String>,
    /// The number of raters.
    pub raters: usize,
    /// The number of sessions.
    pub sessions: usize,
    /// The ids by which a panel knows raters, by their names in the package: personal data, which no file of it has.
    pub people: BTreeMap<String, String>,
}

/// Writes a study as a folder that can be given to anyone: scores, trials, answers, sessions, stimuli and findings as tables,
/// a codebook, the protocol, the findings as JSON, descriptions for other programs (`datapackage.json`, `croissant.json`), results as
/// records, a citation file and a README that is a dataset card. Images are part of it if their set declares a licence.
///
/// Raters are named `rater-001` and so on, in the order of a keyed digest. The key is drawn for this package and not
/// stored, so these names cannot be traced back to the rater keys of the study from any file. Paths of stimuli are relative to the
/// study, and times count from the start of each session. Everything is written to a temporary folder first, which is
/// renamed at the end.
///
/// # Errors
/// If the folder is not empty, the disk or the store fails, a session cannot be scored, or a file would contain a
/// rater's key.
pub fn package(
    study: &Study,
    store: &dyn Store,
    mut findings: Findings,
    simulated: bool,
    folder: &Path,
) -> Result<Packaged, ExportError> {
    let building = Building::of(folder)?;
    let anonymous = Anonymous::of(study, store)?;
    let mut writer = Writer {
        study,
        store,
        anonymous: &anonymous,
        folder: building.path(),
        files: Vec::new(),
        inside: Vec::new(),
    };
    let (mut codebook, identified) = writer.tables()?;
    let printed = anonymous.findings(&mut findings)?;
    writer.findings(&findings, &mut codebook)?;
    let protocol = Protocol::of(study, &printed, simulated, &anonymous);
    writer.json(
        "codebook.json",
        &codebook,
        "the meaning, type, unit and values of every column, for programs",
    )?;
    writer.text("codebook.md", &text::codebook(&codebook), "the same for human readers")?;
    writer.json("protocol.json", &protocol, "how the study was made, for programs")?;
    writer.text("protocol.md", &text::protocol(&protocol), "the same for human readers")?;
    writer.json(
        "findings.json",
        &printed,
        "what the study found; its schema is printed by `hype schema findings`",
    )?;
    let described = DataPackage::of(&protocol, &codebook, &writer.files, identified, building.path())?;
    writer.json(
        "datapackage.json",
        &described,
        "the files with their digests, and the tables with types, units and keys, as Frictionless Data describes them",
    )?;
    writer.text(
        "CITATION.cff",
        &citation::citation(&protocol),
        "how to cite the data; the authors have to be added",
    )?;
    hub::write(&mut writer, &protocol, &codebook, &findings)?;
    let files = std::mem::take(&mut writer.files);
    let readme = text::readme(&protocol, &printed, &anonymous, &files);
    let head = hub::head(&protocol, &codebook, &files);
    writer.text("README.md", &format!("{head}{readme}"), "")?;
    let mut names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    names.insert(0, "README.md".into());
    let texts = names.iter().filter(|name| !name.ends_with('/')).chain(&writer.inside);
    for name in texts {
        if let Some(rater) = search::any_key(&building.path().join(name), anonymous.tellable())? {
            return Err(ExportError::Identified { file: name.clone(), rater });
        }
    }
    building.become_folder(folder)?;
    let (raters, sessions) = (anonymous.raters(), anonymous.sessions().len());
    Ok(Packaged { files: names, raters, sessions, people: anonymous.people().clone() })
}

struct Writer<'a> {
    study: &'a Study,
    store: &'a dyn Store,
    anonymous: &'a Anonymous,
    folder: &'a Path,
    /// Every file and folder with its description; names of folders end in `/`.
    files: Vec<(&'static str, &'static str)>,
    /// The texts in these folders.
    inside: Vec<String>,
}

/// The columns of a table in a package: those of the layout without the places of sessions, as the study's plan would
/// identify sessions by them.
fn released(layout: Layout) -> Vec<ExportColumn> {
    layout.columns.iter().filter(|column| column.name != "session_place").copied().collect()
}

struct Rows<'a> {
    out: RowWriter<BufWriter<File>>,
    columns: Vec<ExportColumn>,
    anonymous: &'a Anonymous,
    count: u64,
}

impl Rows<'_> {
    /// Anonymizes a row of the complete layout and writes it.
    fn write(&mut self, layout: Layout, row: &[Value]) -> Result<(), ExportError> {
        let cells = layout.columns.iter().zip(row).filter(|(column, _)| column.name != "session_place");
        let row: Vec<Value> = cells.map(|(column, cell)| self.anonymous.cell(column.name, cell)).collect();
        self.count += 1;
        self.out.write(&row)
    }

    fn finish(self) -> Result<u64, ExportError> {
        self.out.finish()?;
        Ok(self.count)
    }
}

impl<'a> Writer<'a> {
    fn rows(&mut self, name: &'static str, layout: Layout) -> Result<Rows<'a>, ExportError> {
        self.files.push((name, layout.about));
        let columns = released(layout);
        let file = BufWriter::new(File::create(self.folder.join(name))?);
        let out = RowWriter::begin(file, Format::Csv, &columns)?;
        Ok(Rows { out, columns, anonymous: self.anonymous, count: 0 })
    }

    /// Writes all tables in one pass over the sessions, with raters in the order of their new names.
    fn tables(&mut self) -> Result<(Codebook, Identified), ExportError> {
        let (study, stimuli) = (self.study, self.study.stimuli());
        let layouts = [layout::SCORES, layout::TRIALS, layout::ANSWERS, layout::SESSIONS];
        // Studies that allow no corrections have no table of them.
        let corrects = study.spec().protocol.corrections;
        let mut corrections =
            corrects.then(|| self.rows("corrections.csv", layout::CORRECTIONS)).transpose()?;
        // Only clips and texts are played and have measures.
        let is_media = !stimuli.kind().is_image();
        let mut played = is_media.then(|| self.rows("played.csv", layout::PLAYED)).transpose()?;
        let [mut scores, mut trials, mut answers, mut sessions] = [
            self.rows("scores.csv", layouts[0])?,
            self.rows("trials.csv", layouts[1])?,
            self.rows("answers.csv", layouts[2])?,
            self.rows("sessions.csv", layouts[3])?,
        ];
        let mut contents = Contents::default();
        let context = study.scoring();
        let mut raters = HashSet::new();
        let mut identified = Identified { sessions: true, stimuli: true };
        for session in self.anonymous.sessions() {
            let record = export::record(session, crate::block_on(self.store.load(session))?)?;
            identified.sessions &= raters.insert(Arc::clone(&record.header.rater));
            let counts = export::counts(study, &record);
            if counts {
                let mut table = ScoreTable::default();
                study
                    .rubric()
                    .score(&record, &context, &mut table)
                    .map_err(hype_core::AnalysisError::from)?;
                table.rows().try_for_each(|row| scores.write(layouts[0], &score_row(&row)))?;
            }
            for trial in &record.trials {
                trials.write(layouts[1], &trial_row(study, &record, trial))?;
                for row in answer_rows(study, &record, trial) {
                    contents.answer(&row[8], &row[10]);
                    answers.write(layouts[2], &row)?;
                }
            }
            if let Some(corrections) = &mut corrections {
                let rows = export::correction_rows(study, &record);
                rows.iter().try_for_each(|row| corrections.write(layout::CORRECTIONS, row))?;
            }
            if let Some(played) = &mut played {
                let rows = export::played_rows(study, &record);
                rows.iter().try_for_each(|row| played.write(layout::PLAYED, row))?;
            }
            contents.session(study, &record);
            sessions.write(layouts[3], &session_row(study, &record, counts))?;
        }
        let listed = self.stimuli(&mut identified)?;
        let facts = is_media.then(|| self.facts()).transpose()?;
        let mut codebook = Codebook::of(study, contents);
        for ((rows, name), layout) in [scores, trials, answers, sessions, listed]
            .into_iter()
            .zip(["scores.csv", "trials.csv", "answers.csv", "sessions.csv", "stimuli.csv"])
            .zip(layouts.into_iter().chain([layout::STIMULI]))
        {
            let columns = rows.columns.clone();
            codebook.add(study, name, layout.about, &columns, rows.finish()?);
        }
        for (rows, name, layout) in [
            (corrections, "corrections.csv", layout::CORRECTIONS),
            (played, "played.csv", layout::PLAYED),
            (facts, "facts.csv", layout::MEDIA_FACTS),
        ] {
            if let Some(rows) = rows {
                let columns = rows.columns.clone();
                codebook.add(study, name, layout.about, &columns, rows.finish()?);
            }
        }
        Ok((codebook, identified))
    }

    /// Writes the stimuli, and notes whether a package identifies them.
    fn stimuli(&mut self, identified: &mut Identified) -> Result<Rows<'a>, ExportError> {
        let (stimuli, mut paths) = (self.study.stimuli(), HashSet::new());
        let mut listed = self.rows("stimuli.csv", layout::STIMULI)?;
        for stimulus in stimuli.all() {
            let set = stimuli.set(stimulus.set);
            let item = stimulus.item.and_then(|item| stimuli.items().get(item.0 as usize));
            let (width, height) = stimulus.media.size().unzip();
            let path = self.anonymous.cell("stimulus", &json!(stimulus.path));
            identified.stimuli &= paths.insert((stimulus.set, path.to_string()));
            listed.write(
                layout::STIMULI,
                &[
                    json!(stimulus.path),
                    json!(set.map(|set| &set.name)),
                    json!(set.map(|set| set.role)),
                    json!(set.map(|set| set.used_for)),
                    json!(item.map(|item| &item.id)),
                    json!(width),
                    json!(height),
                    json!(stimulus.digest),
                ],
            )?;
        }
        Ok(listed)
    }

    /// Writes the measures of clips and texts.
    fn facts(&mut self) -> Result<Rows<'a>, ExportError> {
        let mut facts = self.rows("facts.csv", layout::MEDIA_FACTS)?;
        for stimulus in self.study.stimuli().all() {
            for (fact, value) in stimulus.media.facts() {
                facts.write(layout::MEDIA_FACTS, &[json!(stimulus.path), json!(fact), json!(value)])?;
            }
        }
        Ok(facts)
    }

    /// Anonymizes findings and writes them as a table.
    fn findings(&mut self, findings: &Findings, codebook: &mut Codebook) -> Result<(), ExportError> {
        let mut rows = self.rows("findings.csv", layout::FINDINGS)?;
        for mut row in export::finding_rows(findings)? {
            row.iter_mut().for_each(|cell| self.anonymous.sentences(cell));
            rows.count += 1;
            rows.out.write(&row)?;
        }
        let count = rows.finish()?;
        codebook.add(self.study, "findings.csv", layout::FINDINGS.about, layout::FINDINGS.columns, count);
        Ok(())
    }

    fn text(&mut self, name: &'static str, text: &str, about: &'static str) -> Result<(), ExportError> {
        self.files.push((name, about));
        Ok(fs::write(self.folder.join(name), text)?)
    }

    /// Writes a text into a folder of the package.
    fn text_in(&mut self, folder: &str, name: &str, text: &str) -> Result<(), ExportError> {
        fs::create_dir_all(self.folder.join(folder))?;
        self.inside.push(format!("{folder}/{name}"));
        Ok(fs::write(self.folder.join(folder).join(name), text)?)
    }

    fn json<T: Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
        about: &'static str,
    ) -> Result<(), ExportError> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.text(name, &text, about)
    }
}

fn session_row(study: &Study, record: &SessionRecord, counts: bool) -> [Value; 6] {
    let ending = record.outcome.as_ref().map(|outcome| outcome.ending);
    let excluded = match ending {
        Some(hype_core::Ending::Completed) => study.exclusion(record),
        _ => None,
    };
    let (rule, reason) = match (excluded, ending) {
        (Some(excluded), _) => (json!(excluded.name), json!(excluded.why)),
        (None, Some(hype_core::Ending::Completed)) => (Value::Null, Value::Null),
        (None, Some(ending)) => (json!(ending), Value::Null),
        (None, None) => (json!("unfinished"), Value::Null),
    };
    [json!(record.header.rater), json!(ending), json!(record.trials.len()), json!(counts), rule, reason]
}
