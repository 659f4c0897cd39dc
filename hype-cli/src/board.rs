//! `hype board`: a ranking over waves of studies.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hype::Pseudonyms;
use hype_board::{Board, BoardError, BoardResults, Closing, NewModel, Visibility, WaveDesign};
use hype_core::plugin::store::all_sessions;
use hype_core::study::analysis::software;
use hype_core::words::counted;
use hype_report::numbers::fixed;
use serde_json::json;

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
        && let Ok(study) = study_folder::read(&board.wave_folder(wave.number).join("spec.yaml"))
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
            wave.new.join(", ")
        )),
        None => output::print(format_args!("no wave is open; {} closed", counted(waves.len(), "wave"))),
    }
}

fn close(board: &Board) -> Result<(), Failure> {
    let record = board.close_wave(&today(), |spec, package| -> Result<Closing, Failure> {
        let opened = study_folder::read(spec)?;
        if let Some(reason) = study_folder::nobody_finished(&opened)? {
            return Err(Failure::Message(reason));
        }
        let packaged = export::write_package(&opened, package)?;
        let mut people = BTreeMap::new();
        if !packaged.people.is_empty() {
            let key = board.path(PEOPLE_KEY);
            let names = Pseudonyms::kept_in(&key).map_err(|error| Failure::Message(error.to_string()))?;
            people.extend(packaged.people.into_iter().map(|(rater, id)| (rater, names.of(&id))));
        }
        Ok(Closing { simulated: opened.is_simulated(), people })
    })?;
    output::print(format_args!(
        "closed wave {}: its package is {}",
        record.number,
        board.wave_folder(record.number).join("package").display()
    ))
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
    let mut table = Grid::new(["rank", "model", score.name.as_str(), "95 % interval", "waves"]);
    for model in score.models.iter().chain(&score.within_wave) {
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
    page.table(&table);
    for step in score.links.iter().filter(|step| !step.linked) {
        let far =
            step.farthest.as_ref().map_or_else(String::new, |far| format!("; {} departs most", far.model));
        page.line(format_args!(
            "wave {} is not linked: its anchors disagree with earlier waves{far}",
            step.wave
        ));
    }
    page
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
