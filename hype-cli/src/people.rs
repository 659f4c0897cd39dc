//! `hype links` and `hype forget`.

use std::io::{BufRead as _, stdin};
use std::path::Path;

use hype::backends::web::Page as PageSettings;
use hype::backends::web::settings::Access;
use hype::backends::web::{Clock as _, Participants, SystemClock};
use hype::{Opening, StudyFolder};
use hype_core::StoreExt as _;
use hype_core::study::backend::view;
use hype_core::study::erasure::{self, ErasedSession, PlaceAfter};
use hype_core::study::places::{PlacesError, StudyPlaces};
use hype_core::words::counted;
#[cfg(feature = "crowd")]
use hype_core::{Amount, SessionRecord};

use super::args::{ForgetArguments, LinksArguments};
use super::failure::Failure;
use super::opening::open;
use super::output::{self, Page};
use super::report;
use super::study_folder::{self, study_folder};

pub(crate) fn links(arguments: &LinksArguments) -> Result<(), Failure> {
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), false);
    let opened = open(Opening::of(&arguments.spec), true, |_| {})?;
    let study = &opened.study;
    let backend = study.spec().collection.backend.as_deref();
    let page = backend
        .and_then(|backend| view::<PageSettings>(backend))
        .ok_or_else(|| Failure::Message("the study has no page; only the backend `web` has links".into()))?;
    if page.access != Access::Links {
        return Err(Failure::Message(
            "this study is open to anyone with its address and needs no links: write `access: links` under `backend` \
             to require them"
                .into(),
        ));
    }
    let address = match &page.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None if !page.listen.ends_with(":0") => format!("http://{}", page.listen),
        None => {
            return Err(Failure::Message(
                "the page listens on an arbitrary free port: set a port in `listen`, or a `public_url`"
                    .into(),
            ));
        }
    };
    let participants = participants(&folder, study)?;
    let mut lines = Page::default();
    for number in arguments.from..arguments.from.saturating_add(arguments.count) {
        lines.line(format_args!("{address}/?link={}", participants.link(number)));
    }
    lines.print()
}

/// The participants of a study, whether or not a server is running.
fn participants(folder: &Path, study: &hype_core::Study) -> Result<Participants, Failure> {
    let opened = match StudyFolder::read(folder) {
        Err(hype::FolderError::NotAStudy { .. }) => StudyFolder::collect_into(folder, study, false)?,
        read => read?,
    };
    if opened.study().digest() != study.digest() {
        return Err(Failure::Message(format!(
            "{} contains a different study from the spec's",
            folder.display()
        )));
    }
    of(&opened)
}

fn of(opened: &StudyFolder) -> Result<Participants, Failure> {
    hype::block_on(Participants::of(opened.shared_store()))
        .map_err(|fault| Failure::Message(fault.to_string()))
}

pub(crate) fn forget(arguments: &ForgetArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let people = of(&opened)?;
    let participants = participants_of(arguments)?;
    let mut known = Vec::new();
    let mut sessions = arguments.session.clone();
    for participant in &participants {
        if let Some(session) = hype::block_on(people.session(participant))? {
            known.push(participant);
            sessions.push(session);
        }
    }
    #[cfg(feature = "crowd")]
    refuse_open_money(&opened, arguments, &sessions)?;
    if arguments.answers {
        erase(&opened, arguments, &sessions)?;
    }
    opened.forget_raters(&sessions)?;
    #[cfg(feature = "board")]
    super::board::forget_people(&opened, &sessions)?;
    // Last, because the command can then be repeated after an interruption.
    for participant in &known {
        let now = SystemClock.now().0 / 1_000;
        hype::block_on(people.forget(participant, now))
            .map_err(|fault| Failure::Message(fault.to_string()))?;
    }
    // Also after an interruption, when the participants are already unknown.
    if arguments.answers {
        hype::block_on(opened.store().scrub())?;
    }
    if !participants.is_empty() {
        let fate = match arguments.answers {
            true => "their answers are erased",
            false => "their answers stay, under keys that can no longer be traced to them",
        };
        output::print(format_args!("{} forgotten; {fate}", counted(known.len(), "participant")))?;
    }
    let unknown = participants.len() - known.len();
    if unknown > 0 {
        let who = counted(unknown, "participant");
        return Err(Failure::Message(format!(
            "{who} of those named did not take part in this study or were already forgotten"
        )));
    }
    Ok(())
}

/// Refuses to forget raters who are owed money: without their ids, payments could not be made or checked.
#[cfg(feature = "crowd")]
fn refuse_open_money(
    opened: &StudyFolder,
    arguments: &ForgetArguments,
    sessions: &[String],
) -> Result<(), Failure> {
    let ledger = hype::block_on(hype_core::study::ledger::ledger(opened.store()))?;
    let backend = opened.study().spec().collection.backend.as_ref();
    let pays = backend.is_some_and(|backend| backend.recruits().is_some());
    for session in sessions {
        let log = hype::block_on(opened.store().load(session))?;
        let Ok(record) = SessionRecord::from_events(log) else { continue };
        let rater = &record.header.rater;
        if ledger.is_open_for(rater) {
            let payments = ledger.payments().iter();
            let open = payments.filter(|(_, payment)| payment.rater == *rater && payment.state.is_open());
            let open: Vec<String> =
                open.map(|(key, paid)| format!("{key} is {}", paid.state.name())).collect();
            return Err(Failure::Message(format!(
                "no rater was forgotten: money for the rater of session {session} is open ({}); pay or settle it first with \
                 `hype crowd pay`",
                hype_core::words::listed(&open)
            )));
        }
        let Some(earned) = record.earned().filter(|_| pays && !arguments.unpaid) else { continue };
        if ledger.unpaid(&session.as_str().into(), &earned) > Amount(0) {
            return Err(Failure::Message(format!(
                "no rater was forgotten: the earnings of the rater of session {session} were not paid; pay them first with `hype \
                 crowd pay`, or use --unpaid if the rater has returned the work at the panel"
            )));
        }
    }
    Ok(())
}

/// The participants named as arguments, or else, unless sessions are named, on standard input.
fn participants_of(arguments: &ForgetArguments) -> Result<Vec<String>, Failure> {
    if !arguments.participants.is_empty() || !arguments.session.is_empty() {
        return Ok(arguments.participants.clone());
    }
    let mut participants = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            participants.push(line.trim().to_owned());
        }
    }
    Ok(participants)
}

/// Erases the answers of sessions, and says what happens to their places.
fn erase(opened: &StudyFolder, arguments: &ForgetArguments, sessions: &[String]) -> Result<(), Failure> {
    let (study, store) = (opened.study(), opened.store());
    for session in sessions {
        if hype::block_on(store.load(session))?.is_empty() {
            return Err(Failure::Message(format!("there is no session {session} in this study")));
        }
    }
    let after = if arguments.reopen { PlaceAfter::Reopened } else { PlaceAfter::Kept };
    let erased = hype::block_on(async {
        let places = StudyPlaces::open(study, store).await?;
        erasure::erase(study, store, &places, sessions, SystemClock.now(), after).await
    });
    let erased = erased.map_err(|error: PlacesError| Failure::Message(error.to_string()))?;
    for ErasedSession { session, place, erased, done } in &erased {
        let answers = counted(erased.answers, "answer");
        let place = match (erased.filled, done) {
            (true, true) => format!(
                "place {place} stays done although nothing of it counts; --reopen lets another rater take it"
            ),
            (true, false) => format!("place {place} can be claimed again"),
            (false, _) => format!("it did not fill place {place}"),
        };
        output::print(format_args!("session {session}: {answers} erased; {place}"))?;
    }
    if !erased.is_empty() {
        // Some of its figures have single trials.
        report::remove(opened)?;
        output::print(format_args!(
            "findings, tables and packages made before still count them: score and export again"
        ))?;
    }
    Ok(())
}
