//! The entries that people make at a panel without an interface for programs, and the sheet by which they pay there.

use std::collections::BTreeSet;
use std::path::Path;

use hype::backends::crowd::recruiter::{CrowdStatus, SheetOutcome};
use hype::backends::web::settings::Handover;
use hype::exchange::sheet::{self, SheetError};
use hype_core::words::counted;

use super::connected::Connected;
use crate::failure::Failure;
use crate::operator::unix_ms_now;
use crate::output::{Page, begin, finish};
use crate::terminal::report;

/// Prints what to enter at the panel.
pub(super) fn print(connected: &Connected) -> Result<(), Failure> {
    let rules = connected.rules()?;
    let page_settings = connected.backend.page();
    let mut page = Page::default();
    page.line("this panel has no interface for programs: enter there");
    if let Some(address) = &page_settings.public_url {
        let parameter = page_settings.participant.as_ref().or(rules.participant.as_ref());
        let parameter = parameter.map(|name| format!("?{name}=ID")).unwrap_or_default();
        page.line(format_args!("  address        {address}{parameter}"));
        if !parameter.is_empty() {
            page.line("                 with the panel's placeholder for a participant's id in place of ID");
        }
    }
    for (ending, handover) in
        [("completed", &rules.completion.completed), ("not qualified", &rules.completion.disqualified)]
    {
        let Some(Handover { code, redirect }) = handover else { continue };
        if let Some(code) = code {
            page.line(format_args!("  code           {code} ({ending})"));
        }
        if let Some(redirect) = redirect {
            page.line(format_args!("  return address {redirect} ({ending})"));
        }
    }
    page.line("");
    page.print()
}

/// Writes what is to be paid into a file.
pub(super) fn write_sheet(
    connected: &Connected,
    status: &CrowdStatus,
    path: &Path,
    is_raw: bool,
) -> Result<(), Failure> {
    let lines = connected.wait(connected.recruiter.sheet(unix_ms_now()))?;
    let mut out = begin(Some(path))?;
    sheet::write(&lines, is_raw, &mut out)?;
    finish(out)?;
    let of = path.display();
    report(format_args!(
        "{of} has {} to pay, with the ids of people: delete it when it was read back by `--made {of}`",
        counted(lines.len(), "participant")
    ));
    let owed: BTreeSet<_> = status.by_hand.iter().map(|open| &open.payment.session).collect();
    let missing = owed.len().saturating_sub(lines.len());
    if missing > 0 {
        report(format_args!("{missing} more came without an id or were forgotten, and are not in it"));
    }
    Ok(())
}

/// Marks the payments of a sheet as made, and says which of its lines do not agree with the ledger. Returns whether all do.
pub(super) fn read_sheet(connected: &Connected, path: &Path, by: &str) -> Result<bool, Failure> {
    let of = path.display();
    let unreadable = |error: SheetError| Failure::Message(format!("{of}: {error}"));
    let read = sheet::read(
        &std::fs::read_to_string(path).map_err(|error| Failure::Message(format!("{of}: {error}")))?,
    );
    let (mut numbers, mut lines, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in read.map_err(unreadable)? {
        match line {
            Ok(line) => {
                numbers.push(number);
                lines.push(line);
            }
            Err(fault) => faults.push((number, fault)),
        }
    }
    let settled = connected.wait(connected.recruiter.settle_sheet(&lines, by, unix_ms_now()))?;
    let (mut made, mut before) = (0, 0);
    for (number, outcome) in numbers.into_iter().zip(settled) {
        match outcome {
            SheetOutcome::Agrees(0) => before += 1,
            SheetOutcome::Agrees(payments) => made += payments,
            SheetOutcome::Disagrees(fault) => faults.push((number, fault)),
            _ => {}
        }
    }
    report(format_args!(
        "{of}: {} marked as made; {} had been before; {} with the ledger",
        counted(made, "payment"),
        counted(before, "line"),
        match faults.len() {
            0 => "every line agrees".to_owned(),
            1 => "1 line does not agree".to_owned(),
            more => format!("{more} lines do not agree"),
        }
    ));
    faults.sort();
    for (number, fault) in &faults {
        report(format_args!("{of}, line {number}: {fault}"));
    }
    Ok(faults.is_empty())
}
