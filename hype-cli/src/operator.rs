//! `hype operator`: controls a study from the command line, while servers run or not.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hype::StudyFolder;
#[cfg(feature = "web")]
use hype::backends::web::{OperatorRole, Participants};
use hype_core::Event;
use hype_core::StoreExt as _;
use hype_core::model::action::{LoggedAction, OperatorAction};
use hype_core::model::time::utc;
use hype_core::plugin::store::all_sessions;
use hype_core::protocol::control::Control;
use hype_core::study::control::{Acted, ActionError, ActionRequest, ControlLog};
use hype_core::study::places::{PlacesError, StudyPlaces};

use super::args::{OperatorArguments, OperatorCommand};
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
        #[cfg(feature = "web")]
        OperatorCommand::Key { name, .. } => OperatorAction::Key { name: name.as_str().into(), number: 0 },
        OperatorCommand::Exclude(decision) => {
            let (rater, session) = rater_of(&opened, &decision.rater)?;
            OperatorAction::Exclude { rater, session, reason: decision.reason.trim().into() }
        }
        OperatorCommand::Include(decision) => {
            let (rater, session) = rater_of(&opened, &decision.rater)?;
            OperatorAction::Include { rater, session, reason: decision.reason.trim().into() }
        }
    };
    if opened.is_simulated() {
        return Err(Failure::Message("a simulated study has no operator: its raters are synthetic".into()));
    }
    let log = ControlLog::default();
    let (id, by) = (request_name(), account());
    let request = ActionRequest { id: &id, by: &by, unix_ms: unix_ms_now() };
    match hype::block_on(log.act(opened.store(), request, |control| numbered(&action, control)))? {
        Acted::Unchanged => output::print(format_args!("nothing to do: the study is in this state already")),
        Acted::Logged(entry) => {
            follow(&opened, &log, &entry)?;
            #[cfg(feature = "web")]
            if let (OperatorCommand::Key { look, .. }, OperatorAction::Key { name, number }) =
                (&arguments.command, &entry.action)
            {
                return print_key(&opened, name, *number, *look);
            }
            output::print(format_args!("{}", entry.action.describe()))
        }
    }
}

/// The action, with its number if it makes a key.
fn numbered(action: &OperatorAction, control: &Control) -> OperatorAction {
    match action {
        OperatorAction::Key { name, .. } => {
            OperatorAction::Key { name: Arc::clone(name), number: control.keys_of(name).saturating_add(1) }
        }
        other => other.clone(),
    }
}

/// Prints where a key opens the operator's page.
#[cfg(feature = "web")]
fn print_key(opened: &StudyFolder, name: &str, number: u32, look: bool) -> Result<(), Failure> {
    let keys = hype::block_on(Participants::of(opened.shared_store()))
        .map_err(|fault| Failure::Message(fault.to_string()))?;
    let role = if look { OperatorRole::Reader } else { OperatorRole::Operator };
    let key = keys.operator_key(role, name, number);
    output::print(format_args!("the key of {name}, to follow the page's address: operator#{key}"))
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
            page.line(format_args!("{}  {}  {}", utc(entry.unix_ms), entry.by, entry.action.describe()));
        }
    }
    if control.log().is_empty() && !json {
        page.line(format_args!("no operator has acted so far"));
    }
    page.print()
}

/// The rater whose key begins with this, and the rater's session.
fn rater_of(opened: &StudyFolder, begins: &str) -> Result<(Arc<str>, Arc<str>), Failure> {
    let mut found: Option<(Arc<str>, Arc<str>)> = None;
    for session in hype::block_on(all_sessions(opened.store()))? {
        let log = hype::block_on(opened.store().load(&session))?;
        let Some(Event::Opened(header)) = log.first() else { continue };
        if !header.rater.starts_with(begins) {
            continue;
        }
        if found.as_ref().is_some_and(|(rater, _)| *rater != header.rater) {
            return Err(Failure::Message(format!(
                "the keys of several raters begin with {begins}: write more of the key"
            )));
        }
        found = Some((Arc::clone(&header.rater), session.into()));
    }
    found.ok_or_else(|| Failure::Message(format!("this study has no rater {begins:?}")))
}

/// A random name for a request.
pub(crate) fn request_name() -> String {
    let random = || RandomState::new().hash_one(0_u8);
    format!("{:016x}{:016x}", random(), random())
}

/// Who acts: the account's name, if the system tells it.
pub(crate) fn account() -> String {
    let name = ["USER", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "command line".to_owned())
}

pub(crate) fn unix_ms_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Self {
        Self::Message(error.to_string())
    }
}
