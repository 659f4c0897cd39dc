//! `hype board`: a ranking over waves of studies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hype::Pseudonyms;
#[cfg(feature = "web")]
use hype::StudyFolder;
use hype_board::{
    Board, BoardError, BoardModel, BoardResults, Closing, NewModel, Visibility, WaveDesign, WaveRecord,
    WaveStudy,
};
use hype_core::plugin::store::all_sessions;
use hype_core::study::analysis::software;
use hype_core::study::spec::Spec;
use hype_core::words::counted;
use hype_core::{Digest, Findings, Study};
#[cfg(feature = "web")]
use hype_core::{Event, StoreExt as _};
use hype_report::numbers::fixed;
use serde_json::{Map, Value, json};

use super::args::{AddArguments, BoardArguments, BoardCommand, BoardWaveCommand};
use super::export;
use super::failure::Failure;
use super::grid::Grid;
use super::output::{self, Page, print_json};
use super::study_folder;

/// The settings of a new board.
const EXAMPLE: &str = include_str!("board/board.yaml");
/// The key of the board's own names for people, which connects raters of several waves and no one else.
const PEOPLE_KEY: &str = "people.key";
/// Its table of items.
const ITEMS: &str = "item,prompt\n0001,A still life of painted balls on a table\n";

pub(crate) fn run(arguments: &BoardArguments) -> Result<(), Failure> {
    match &arguments.command {
        BoardCommand::Init { board } => init(board),
        BoardCommand::Add(arguments) => add(arguments),
        BoardCommand::List { board, json } => list(&Board::open(board)?, *json),
        BoardCommand::Remove { board, model, items, reason } => {
            let removed = Board::open(board)?.remove(model, items, reason, &today())?;
            let images: usize = removed.removed.iter().map(|removal| removal.files.len()).sum();
            output::print(format_args!(
                "{} of {model} removed by law; `hype board publish` says so on the page",
                counted(images, "image")
            ))
        }
        BoardCommand::Wave { command } => match command {
            BoardWaveCommand::New { board, models } => begin(&Board::open(board)?, models),
            BoardWaveCommand::Status { board, json } => status(&Board::open(board)?, *json),
            BoardWaveCommand::Close { board } => close(&Board::open(board)?),
            BoardWaveCommand::Cancel { board } => cancel(&Board::open(board)?),
        },
        BoardCommand::Score { board, json } => score(&Board::open(board)?, *json),
        BoardCommand::Publish { board } => {
            let (_, page) = Board::open(board)?.publish(&software())?;
            output::print(format_args!("page  {}", page.display()))
        }
        BoardCommand::Verify { board } => verify(&Board::open(board)?),
    }
}

/// Today in coordinated universal time, as 2026-11-28.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Days since 0000-03-01, by which leap days are the last of a year.
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn init(root: &Path) -> Result<(), Failure> {
    Board::init(root, EXAMPLE)?;
    let items = root.join("items.csv");
    if !items.exists() {
        std::fs::write(&items, ITEMS).map_err(|error| Failure::about(&items, &error))?;
    }
    output::print(format_args!(
        "wrote {}; edit board.yaml and items.csv there, then `hype board add {} FOLDER --name … --maker …`",
        root.display(),
        root.display()
    ))
}

fn add(arguments: &AddArguments) -> Result<(), Failure> {
    let visibility = match (&arguments.codename, arguments.until, arguments.private) {
        (Some(codename), Some(until), _) => Visibility::Codename { codename: codename.clone(), until },
        (_, _, true) => Visibility::Private,
        _ => Visibility::Public,
    };
    let submission =
        NewModel { name: arguments.name.clone(), maker: arguments.maker.clone(), visibility, date: today() };
    let added = Board::open(&arguments.board)?.add(&arguments.source, &submission)?;
    output::print(format_args!(
        "added {} of {}: {}",
        added.name,
        added.maker,
        counted(added.files.len(), "image")
    ))
}

fn list(board: &Board, as_json: bool) -> Result<(), Failure> {
    let (models, waves) = (board.submissions()?, board.waves()?);
    let rated = |alias: &String| -> Vec<u32> {
        let of = waves.iter().filter(|wave| wave.anchors.contains(alias) || wave.new.contains(alias));
        of.map(|wave| wave.number).collect()
    };
    if as_json {
        let rows: Vec<_> = models
            .iter()
            .map(|model| {
                json!({
                    "name": model.name, "alias": model.alias, "maker": model.maker, "date": model.date,
                    "visibility": model.visibility, "waves": rated(&model.alias),
                })
            })
            .collect();
        return print_json(&rows);
    }
    let mut table = Grid::new(["model", "maker", "added", "seen as", "waves"]);
    for model in &models {
        let waves: Vec<String> = rated(&model.alias).iter().map(u32::to_string).collect();
        let alias = if model.alias == model.name { String::new() } else { model.alias.clone() };
        let alias = model.unnamed.clone().unwrap_or(alias);
        table.row([model.name.clone(), model.maker.clone(), model.date.clone(), alias, waves.join(", ")]);
    }
    let mut page = Page::default();
    page.table(&table);
    page.print()
}

fn begin(board: &Board, models: &[String]) -> Result<(), Failure> {
    let design = board.begin_wave(models, &today())?;
    let (anchors, new) = (design.record.anchors.len(), design.record.new.len());
    let spec = design.spec.display();
    let mut page = Page::default();
    page.line(format_args!(
        "wave {}: {} and {}, {:.0} % of pairs between anchors",
        design.record.number,
        counted(anchors, "anchor"),
        counted(new, "new model"),
        100.0 * design.between_anchors
    ));
    let fitting = WaveDesign::fitting(anchors);
    if new > fitting {
        page.line(format_args!(
            "links are best at 40 %: {} of them would leave the others for the next wave",
            counted(fitting, "model")
        ));
    }
    page.line(format_args!("spec    {spec}"));
    page.line(format_args!(
        "next    `hype plan {spec}` says what intervals and money to expect, `hype run {spec}` collects,"
    ));
    page.line("        then `hype board wave close`");
    page.print()
}

fn status(board: &Board, as_json: bool) -> Result<(), Failure> {
    let waves = board.waves()?;
    let open = waves.iter().find(|wave| wave.closed.is_none());
    let mut sessions = 0;
    if let Some(wave) = open
        && let Some((study, _)) = study_folder::of_people(&board.wave_folder(wave.number).join("spec.yaml"))?
    {
        sessions = hype::block_on(all_sessions(study.store()))?.len();
    }
    if as_json {
        return print_json(
            &json!({ "waves": waves, "open": open.map(|wave| wave.number), "sessions": sessions }),
        );
    }
    match open {
        Some(wave) => output::print(format_args!(
            "wave {} is open since {}, with {}: {}",
            wave.number,
            wave.begun,
            counted(sessions, "session"),
            if wave.new.is_empty() { "anchors alone".to_owned() } else { wave.new.join(", ") }
        )),
        None => output::print(format_args!("no wave is open; {} closed", counted(waves.len(), "wave"))),
    }
}

fn close(board: &Board) -> Result<(), Failure> {
    let wave = board.open_wave()?;
    let mut page = Page::default();
    let record = board.close_wave(&today(), |spec, package| -> Result<Closing, Failure> {
        let (opened, rehearsal) = study_folder::of_people(spec)?.ok_or_else(|| {
            let spec = spec.display();
            Failure::Message(format!(
                "nothing was collected: `hype run {spec}` first, or `hype board wave cancel`"
            ))
        })?;
        let rehearsal = rehearsal.map(|folder| folder.display().to_string());
        if let Some(reason) = study_folder::nobody_finished(&opened)? {
            let also = rehearsal.map_or_else(String::new, |folder| {
                format!("; {folder} is a rehearsal, which only counts where there is no study of people")
            });
            return Err(Failure::Message(format!("{reason}{also}")));
        }
        let changes = changes(board, &wave, opened.study())?;
        let packaged = export::write_package(&opened, package)?;
        if let Some(folder) = rehearsal {
            page.line(format_args!("the answers are people's; the rehearsal in {folder} is left out"));
        }
        changes.iter().for_each(|change| page.line(format_args!("changed for this wave: {change}")));
        say_open(&mut page, spec, package)?;
        let mut people = BTreeMap::new();
        if !packaged.people.is_empty() {
            let key = board.path(PEOPLE_KEY);
            let names = Pseudonyms::kept_in(&key).map_err(|error| Failure::Message(error.to_string()))?;
            people.extend(packaged.people.into_iter().map(|(rater, id)| (rater, names.of(&id))));
        }
        Ok(Closing { simulated: opened.is_simulated(), people, changes })
    })?;
    page.line(format_args!(
        "closed wave {}: its package is {}",
        record.number,
        board.wave_folder(record.number).join("package").display()
    ));
    page.print()
}

/// Says which sessions and places are open in a study that was packaged.
fn say_open(page: &mut Page, spec: &Path, package: &Path) -> Result<(), Failure> {
    let path = package.join("findings.json");
    let text = std::fs::read(&path).map_err(|error| Failure::about(&path, &error))?;
    let found: Findings =
        serde_json::from_slice(&text).map_err(|error| Failure::Message(error.to_string()))?;
    let Some(collected) = &found.collected else { return Ok(()) };
    let open = u64::from(collected.places).saturating_sub(collected.completed);
    if collected.running + open > 0 {
        page.line(format_args!(
            "{} of {} not completed, {} running: later answers are of no wave, so end what serves {}",
            open,
            counted(collected.places as usize, "place"),
            counted(collected.running as usize, "session"),
            spec.display()
        ));
    }
    Ok(())
}

fn cancel(board: &Board) -> Result<(), Failure> {
    let record = board.cancel_wave(|spec| -> Result<(), Failure> {
        let Some((opened, _)) = study_folder::of_people(spec)? else { return Ok(()) };
        let begun = hype::block_on(all_sessions(opened.store()))?.len();
        if opened.is_simulated() || begun == 0 {
            return Ok(());
        }
        Err(Failure::Message(format!(
            "{} of people {} in {}: `hype board wave close` releases them; to give up the wave all the same, move that folder away",
            counted(begun, "session"),
            if begun == 1 { "is" } else { "are" },
            opened.path().display()
        )))
    })?;
    output::print(format_args!(
        "wave {0} is cancelled: `hype board wave new` begins wave {0} again",
        record.number
    ))
}

/// Refuses to collect for a wave that has closed, or other answers than those that it was written for.
pub(crate) fn check_wave(spec: &Path, study: &Study) -> Result<(), Failure> {
    let Some((board, wave)) = wave_of(spec)? else { return Ok(()) };
    if let Some(closed) = &wave.closed {
        return Err(Failure::Message(format!(
            "wave {} has closed on {closed}: its package is final, and further answers would be of no wave",
            wave.number
        )));
    }
    changes(&board, &wave, study).map(drop)
}

/// Takes the people of these sessions of a wave out of what its board knows of raters in all waves.
#[cfg(feature = "web")]
pub(crate) fn forget_people(opened: &StudyFolder, sessions: &[String]) -> Result<(), Failure> {
    let Some((board, _)) = wave_of(opened.path())? else { return Ok(()) };
    let key = board.path(PEOPLE_KEY);
    if !key.exists() {
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let names = Pseudonyms::kept_in(&key).map_err(|error| failed(&error))?;
    let known = hype::block_on(hype::backends::web::panel_ids(opened.store()));
    let known: BTreeMap<String, _> = known.map_err(|fault| failed(&fault))?.into_iter().collect();
    for session in sessions {
        if let Some(Event::Opened(header)) = hype::block_on(opened.store().load(session))?.first()
            && let Some(ids) = known.get(&*header.rater)
        {
            board.forget_person(&names.of(&ids.person()))?;
        }
    }
    Ok(())
}

/// The board and the wave of a spec, or of a study next to it.
fn wave_of(spec: &Path) -> Result<Option<(Board, WaveRecord)>, Failure> {
    let Ok(path) = spec.canonicalize() else { return Ok(None) };
    let folders = path.parent().and_then(|wave| Some((wave, wave.parent()?.parent()?)));
    let Some((folder, root)) =
        folders.filter(|(wave, root)| wave.join("wave.json").exists() && root.join("board.yaml").exists())
    else {
        return Ok(None);
    };
    let board = Board::open(root)?;
    let wave = board.waves()?.into_iter().find(|wave| board.wave_folder(wave.number) == folder);
    Ok(wave.map(|wave| (board, wave)))
}

/// The rules that differ in a wave's study from what was written for it.
fn changes(board: &Board, wave: &WaveRecord, study: &Study) -> Result<Vec<String>, Failure> {
    let sections = |spec: &Spec| match serde_json::to_value(spec) {
        Ok(Value::Object(sections)) => sections,
        _ => Map::new(),
    };
    let written = Spec::read(board.written_spec(wave)?.as_bytes())
        .map_err(|faults| Failure::Message(format!("wave {}: {faults}", wave.number)))?;
    let stimuli = study.stimuli();
    let mut images = BTreeMap::<String, BTreeSet<Digest>>::new();
    for stimulus in stimuli.all() {
        if let Some(set) = stimuli.set(stimulus.set) {
            images.entry(set.name.to_string()).or_default().insert(stimulus.digest);
        }
    }
    let rated = WaveStudy { spec: sections(study.spec()), images };
    Ok(board.check_study(wave, sections(&written.spec), rated)?)
}

fn score(board: &Board, as_json: bool) -> Result<(), Failure> {
    let results = board.results(&software())?;
    if as_json {
        return print_json(&results);
    }
    shown(&results).print()
}

/// The ranking by the score, and what is to be known of the waves.
fn shown(results: &BoardResults) -> Page {
    let mut page = Page::default();
    let Some(score) = results.measures.first() else {
        page.line("no measure of the packages has a direction: nothing is ranked");
        return page;
    };
    if results.simulated {
        page.line("SIMULATED: no people");
    }
    page.table(&ranked(&score.name, &score.models));
    for step in score.links.iter().filter(|step| !step.linked) {
        page.line(format_args!("wave {} is not linked: {}", step.wave, step.why_apart()));
    }
    if !score.within_wave.is_empty() {
        page.line("ranked within their wave only, on a scale of its own:");
        page.table(&ranked(&score.name, &score.within_wave));
    }
    page
}

/// Models with their ranks.
fn ranked(measure: &str, models: &[BoardModel]) -> Grid {
    let mut table = Grid::new(["rank", "model", measure, "95 % interval", "waves"]);
    for model in models {
        let ranks = if model.best_rank == model.worst_rank {
            model.best_rank.to_string()
        } else {
            format!("{}-{}", model.best_rank, model.worst_rank)
        };
        let waves: Vec<String> = model.waves.iter().map(u32::to_string).collect();
        table.row([
            ranks,
            model.name.clone(),
            fixed(model.value, 2),
            format!("[{}, {}]", fixed(model.low, 2), fixed(model.high, 2)),
            waves.join(", "),
        ]);
    }
    table
}

fn verify(board: &Board) -> Result<(), Failure> {
    let found = board.verify(&software())?;
    for removed in &found.removed {
        output::print(format_args!("{removed}"))?;
    }
    if found.differences.is_empty() {
        return output::print(format_args!(
            "the page follows from {}, byte for byte",
            counted(found.packages, "package")
        ));
    }
    let mut page = Page::default();
    found.differences.iter().for_each(|difference| page.line(difference));
    page.print()?;
    Err(Failure::Message(counted(found.differences.len(), "difference")))
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        Self::Message(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn today_is_a_date() {
        let today = super::today();
        assert!(today.len() == 10 && *today > *"2024-01-01", "{today}");
    }
}
