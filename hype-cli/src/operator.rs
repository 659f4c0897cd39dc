//! `hype operator`: controls a study from the command line, while servers run or not.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hype::StudyFolder;
use hype_core::Event;
use hype_core::model::action::{LoggedAction, OperatorAction};
use hype_core::plugin::store::all_sessions;
use hype_core::study::control::{Acted, ActionError, ActionRequest, ControlLog};
use hype_core::study::places::{PlacesError, StudyPlaces};

use super::args::{DecisionArguments, OperatorArguments, OperatorCommand};
use super::failure::Failure;
use super::output::{self, Page};
use super::study_folder;

pub(crate) fn run(arguments: &OperatorArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let action = match &arguments.command {
        OperatorCommand::Log { json } => return list(&opened, *json),
        OperatorCommand::Pause => OperatorAction::Pause,
        OperatorCommand::Resume => OperatorAction::Resume,
        OperatorCommand::Close => OperatorAction::Close,
        OperatorCommand::TopUp { places } => OperatorAction::TopUp { places: *places },
        OperatorCommand::Exclude(decision) => {
            let (rater, session, reason) = decided(&opened, decision)?;
            OperatorAction::Exclude { rater, session, reason }
        }
        OperatorCommand::Include(decision) => {
            let (rater, session, reason) = decided(&opened, decision)?;
            OperatorAction::Include { rater, session, reason }
        }
    };
    if opened.is_simulated() {
        return Err(Failure::Message("a simulated study has no operator: its raters are synthetic".into()));
    }
    let log = ControlLog::default();
    let (id, by) = (request_name(), account());
    let request = ActionRequest { id: &id, by: &by, unix_ms: unix_ms_now() };
    match hype::block_on(log.act(opened.store(), request, |_| action.clone()))? {
        Acted::Unchanged => output::print(format_args!("nothing to do: the study is in this state already")),
        Acted::Logged(entry) => {
            follow(&opened, &log, &entry)?;
            output::print(format_args!("{}", entry.action.describe()))
        }
    }
}

/// Brings places in line with an exclusion, in case no server runs that would.
fn follow(opened: &StudyFolder, log: &ControlLog, entry: &LoggedAction) -> Result<(), Failure> {
    if !matches!(entry.action, OperatorAction::Exclude { .. } | OperatorAction::Include { .. }) {
        return Ok(());
    }
    let (study, store) = (opened.study().under(log.current()), opened.store());
    let followed = hype::block_on(async {
        let places = StudyPlaces::open(&study, store).await?;
        places.follow_actions(&study, store, std::slice::from_ref(entry)).await
    });
    followed.map_err(|error: PlacesError| Failure::Message(error.to_string()))
}

fn list(opened: &StudyFolder, json: bool) -> Result<(), Failure> {
    let control = hype::block_on(hype_core::study::control::control(opened.store()))?;
    let mut page = Page::default();
    for entry in control.log() {
        if json {
            let line = serde_json::to_string(entry).map_err(|error| Failure::Message(error.to_string()))?;
            page.line(format_args!("{line}"));
        } else {
            page.line(format_args!("{}  {}  {}", time(entry.unix_ms), entry.by, entry.action.describe()));
        }
    }
    if control.log().is_empty() && !json {
        page.line(format_args!("no operator has acted so far"));
    }
    page.print()
}

/// The rater whose key begins as given, with the session and the reason.
fn decided(
    opened: &StudyFolder,
    decision: &DecisionArguments,
) -> Result<(Arc<str>, Arc<str>, Arc<str>), Failure> {
    let mut found: Option<(Arc<str>, String)> = None;
    for session in hype::block_on(all_sessions(opened.store()))? {
        let log = hype::block_on(opened.store().load(&session))?;
        let Some(Event::Opened(header)) = log.first() else { continue };
        if !header.rater.starts_with(&decision.rater) {
            continue;
        }
        if found.as_ref().is_some_and(|(rater, _)| *rater != header.rater) {
            return Err(Failure::Message(format!(
                "the keys of several raters begin with {}: write more of the key",
                decision.rater
            )));
        }
        found = Some((Arc::clone(&header.rater), session));
    }
    let (rater, session) =
        found.ok_or_else(|| Failure::Message(format!("this study has no rater {:?}", decision.rater)))?;
    Ok((rater, session.into(), decision.reason.trim().into()))
}

/// A random name for a request.
fn request_name() -> String {
    let random = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", random(), random())
}

/// Who acts: the account's name, if the system tells it.
fn account() -> String {
    let name = ["USER", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "command line".to_owned())
}

fn unix_ms_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A time in UTC, such as `2019-04-01 12:30:00Z` (days by Howard Hinnant's `civil_from_days`).
fn time(unix_ms: u64) -> String {
    let seconds = unix_ms / 1_000;
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Self {
        Self::Message(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (unix_ms, text) in [
            (0, "1970-01-01 00:00:00Z"),
            (951_782_399_000, "2000-02-28 23:59:59Z"),
            (951_782_400_000, "2000-02-29 00:00:00Z"),
            (1_554_121_800_000, "2019-04-01 12:30:00Z"),
            (4_107_542_400_000, "2100-03-01 00:00:00Z"),
        ] {
            assert_eq!(time(unix_ms), text);
        }
    }
}
