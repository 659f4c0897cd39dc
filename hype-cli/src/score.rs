//! `hype score`.

use hype::exchange::registration::Registration;
use hype_core::plugin::store::all_sessions;
use hype_core::words::counted;
use hype_core::{Event, Session, StoreExt as _};

use super::args::ScoreArguments;
use super::failure::Failure;
use super::metrics;
use super::output::{self, print_json};
use super::progress::Bar;
use super::report;
use super::study_folder;
use super::tables::Told;
use super::terminal;

pub(crate) fn run(arguments: &ScoreArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    if let Some(reason) = study_folder::nobody_finished(&opened)? {
        return Err(Failure::Message(reason));
    }
    if arguments.verify {
        verify(&opened, arguments.report.json)?;
    }
    let registered = arguments.registered.as_deref().map(Registration::read).transpose()?;
    let (mut findings, records) = report::analysed(&opened)?;
    metrics::add(&opened, arguments.metrics.as_deref(), &mut findings, &records)?;
    if let Some(registered) = registered {
        let notes = registered.notes(opened.study(), &findings);
        findings.add_notes(notes);
    }
    let written = opened.save(&mut findings);
    if let Err(error) = &written {
        terminal::report(format_args!("warning: the findings were not saved: {error}"));
    }
    if arguments.report.json {
        return print_json(&findings);
    }
    let report = if written.is_ok() { report::beside(&opened, &findings, &records) } else { None };
    Told {
        findings: &findings,
        study: Some(opened.study()),
        table: None,
        assumptions: Vec::new(),
        files: report.iter().map(|page| format!("report  {}", page.display())).collect(),
        report,
    }
    .print(&arguments.report)
}

/// Replays every session and compares it with its log.
fn verify(opened: &hype::StudyFolder, quiet: bool) -> Result<(), Failure> {
    let sessions = hype::block_on(all_sessions(opened.store()))?;
    let bar = (!quiet).then(|| Bar::new("replaying", sessions.len() as u64));
    for session in &sessions {
        let events = hype::block_on(opened.store().load(session))?;
        if matches!(events.last(), Some(Event::Erased(_))) {
            continue;
        }
        Session::replay(opened.study(), events)
            .map_err(|error| Failure::Message(format!("session {session}: {error}")))?;
        if let Some(bar) = &bar {
            bar.step();
        }
    }
    if let Some(bar) = bar {
        bar.clear();
        output::print(format_args!(
            "replayed {}: their logs agree with the study",
            counted(sessions.len(), "session")
        ))?;
    }
    Ok(())
}
