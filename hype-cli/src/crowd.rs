//! `hype crowd`: recruits through a panel, reviews, pays, and audits what was paid.
//!
//! Every decision is that of a [`Recruiter`](hype::backends::crowd::recruiter::Recruiter). The commands connect it with the study's folder and print what it says.

use hype::StudyFolder;
use hype::backends::crowd::access::Money;
use hype::backends::crowd::platform::Settlement;
use hype::backends::crowd::recruiter::{Carried, CrowdStatus, RecruitError};
use hype::backends::crowd::recruiting;
use hype_core::model::action::OperatorAction;
use hype_core::study::control::{ActionRequest, ControlLog};
use hype_core::{Backend, BackendSpec, Study};

use super::args::{
    CrowdArguments, CrowdCommand, CrowdStudyArguments, Made, PayArguments, ReviewArguments, TopUpArguments,
};
use super::failure::Failure;
use super::operator::{account, request_name, unix_ms_now};
use super::output::{Page, print_json};
use super::terminal;

mod audit;
mod by_hand;
mod connected;
mod ledger;
mod money;
mod plan;
mod tables;

#[cfg(feature = "fakes")]
pub(crate) use self::audit::audit_fake;
use self::connected::{Connected, WhereNew};
pub(crate) use self::ledger::PrintedLedger;
pub(crate) use self::money::print_money;
pub(crate) use self::plan::CrowdPlan;

pub(crate) fn run(arguments: &CrowdArguments) -> Result<(), Failure> {
    match &arguments.command {
        CrowdCommand::Plan(arguments) => plan::run(arguments),
        CrowdCommand::Publish(arguments) => publish(arguments),
        CrowdCommand::Status(arguments) => status(arguments),
        CrowdCommand::Review(arguments) => review(arguments),
        CrowdCommand::Pay(arguments) => pay(arguments),
        CrowdCommand::Call(arguments) => call(arguments),
        CrowdCommand::TopUp(arguments) => top_up(arguments),
        CrowdCommand::Close(arguments) => close(arguments),
        CrowdCommand::Ledger(arguments) => ledger::run(arguments),
        CrowdCommand::Audit(arguments) => audit::run(arguments),
    }
}

fn publish(arguments: &CrowdStudyArguments) -> Result<(), Failure> {
    let connected = Connected::open(arguments, WhereNew::Create)?;
    let status = connected.wait(connected.recruiter.publish(unix_ms_now()))?;
    if !arguments.json && connected.backend.facts().limits.is_none() {
        by_hand::print(&connected)?;
    }
    finished(arguments, &status)
}

fn status(arguments: &CrowdStudyArguments) -> Result<(), Failure> {
    let connected = Connected::open(arguments, WhereNew::Refuse)?;
    finished(arguments, &connected.wait(connected.recruiter.status(unix_ms_now()))?)
}

fn review(arguments: &ReviewArguments) -> Result<(), Failure> {
    let connected = Connected::open(&arguments.of, WhereNew::Refuse)?;
    let (recruiter, by) = (&connected.recruiter, account());
    for name in &arguments.approve {
        let carried = connected.wait(recruiter.approve(name, &by, unix_ms_now()))?;
        report_decision(name, "approved", carried);
    }
    for name in &arguments.reject {
        let reason = arguments.reason.as_deref().unwrap_or_default();
        let carried = connected.wait(recruiter.reject(name, reason, &by, unix_ms_now()))?;
        report_decision(name, "rejected", carried);
    }
    let status = connected.wait(recruiter.status(unix_ms_now()))?;
    if arguments.of.json {
        print_json(&status)?;
    } else {
        let mut page = Page::default();
        tables::held_on(&mut page, &status);
        page.print()?;
    }
    problems(&status)
}

/// Says what has become of a decision, on standard error.
fn report_decision(name: &str, done: &str, carried: Carried) {
    match carried {
        Carried::Out => terminal::report(format_args!("{name} is {done}")),
        Carried::NotYet(error) => terminal::report(format_args!(
            "{name} will be {done}: the decision is in the ledger, and `hype crowd pay` repeats the request ({error})"
        )),
    }
}

fn pay(arguments: &PayArguments) -> Result<(), Failure> {
    let connected = Connected::open(&arguments.of, WhereNew::Refuse)?;
    let (recruiter, by) = (&connected.recruiter, account());
    let settle =
        |key, settlement| connected.wait(recruiter.settle_by_hand(key, settlement, &by, unix_ms_now()));
    let mut agrees = true;
    for made in &arguments.made {
        match made {
            Made::Payment(key) => {
                settle(key, Settlement::Made)?;
                terminal::report(format_args!("{key} was made"));
            }
            Made::Sheet(path) => agrees &= by_hand::read_sheet(&connected, path, &by)?,
        }
    }
    for key in &arguments.not_made {
        settle(key, Settlement::NotMade)?;
        terminal::report(format_args!("{key} was not made"));
    }
    let mut status = connected.wait(recruiter.pay(unix_ms_now()))?;
    if arguments.adopt {
        for key in connected.wait(recruiter.adopt(&by, unix_ms_now()))? {
            terminal::report(format_args!("{key} was made"));
        }
        status = connected.wait(recruiter.status(unix_ms_now()))?;
    }
    if let Some(path) = &arguments.sheet {
        by_hand::write_sheet(&connected, &status, path, arguments.raw)?;
    }
    finished(&arguments.of, &status)?;
    if agrees { Ok(()) } else { Err(Failure::Printed) }
}

fn top_up(arguments: &TopUpArguments) -> Result<(), Failure> {
    let connected = Connected::open(&arguments.of, WhereNew::Refuse)?;
    if let Some(places) = arguments.places {
        act(&connected, &OperatorAction::TopUp { places })?;
    }
    finished(&arguments.of, &connected.wait(connected.recruiter.publish(unix_ms_now()))?)
}

fn call(arguments: &CrowdStudyArguments) -> Result<(), Failure> {
    let connected = Connected::open(arguments, WhereNew::Refuse)?;
    let (id, by) = (request_name(), account());
    let request = ActionRequest { id: &id, by: &by, unix_ms: unix_ms_now() };
    let (is_new, status) = connected.wait(connected.recruiter.call(request))?;
    terminal::report(format_args!(
        "{}",
        match is_new {
            true => "called: raters who wait begin within seconds, and all places are listed",
            false => "nothing to do: raters were called before",
        }
    ));
    finished(arguments, &status)
}

fn close(arguments: &CrowdStudyArguments) -> Result<(), Failure> {
    let connected = Connected::open(arguments, WhereNew::Refuse)?;
    // First, to keep servers from listing the places again.
    act(&connected, &OperatorAction::Close)?;
    finished(arguments, &connected.wait(connected.recruiter.close(unix_ms_now()))?)
}

/// Appends what the operator decides. What is in effect already is not appended again.
fn act(connected: &Connected, action: &OperatorAction) -> Result<(), Failure> {
    let (id, by) = (request_name(), account());
    let request = ActionRequest { id: &id, by: &by, unix_ms: unix_ms_now() };
    hype::block_on(ControlLog::default().act(connected.store(), request, |_| action.clone()))?;
    Ok(())
}

/// The backend of a study, with real money if the command line says so. The program lists and pays nothing without a limit.
pub(crate) fn in_effect(
    study: &Study,
    backend: &dyn BackendSpec,
    production: bool,
) -> Result<Box<dyn Backend>, Failure> {
    let Some(recruits) = backend.recruits() else {
        return match production {
            true => Err(Failure::Message(format!(
                "--production is for backends that recruit, not for {}",
                backend.typetag_name()
            ))),
            false => Ok(backend.boxed_clone()),
        };
    };
    if !production {
        recruits.check_money()?;
        if let Some(said) = recruiting(backend).and_then(|backend| backend.facts().rehearsal) {
            terminal::report(format_args!("a rehearsal, without money: {said}"));
        }
        return Ok(backend.boxed_clone());
    }
    if recruits.pays() && study.spec().collection.limit.is_none() {
        return Err(Failure::Message(
            "raters.payment.limit: `--production` spends real money, and nothing limits how much: write the most that may be \
             spent with fees, as in `payment: { base: 2.00, limit: 60.00 }`; `hype crowd plan` says what the study is expected \
             to cost"
                .into(),
        ));
    }
    Ok(recruits.in_production())
}

/// Refuses real money in the folder of a rehearsal, and the reverse. A panel without an interface knows no rehearsals.
pub(crate) fn spend(opened: &StudyFolder, backend: &dyn Backend, production: bool) -> Result<(), Failure> {
    if !backend.recruits().is_some_and(|recruits| recruits.pays()) {
        return Ok(());
    }
    Ok(opened.spend(if production { Money::Real } else { Money::Test })?)
}

/// Prints the state that a command has left behind. Fails if something went wrong.
fn finished(arguments: &CrowdStudyArguments, status: &CrowdStatus) -> Result<(), Failure> {
    if arguments.json {
        print_json(status)?;
    } else {
        let mut page = Page::default();
        tables::status_on(&mut page, status);
        page.print()?;
    }
    problems(status)
}

/// Reports what went wrong with single requests.
fn problems(status: &CrowdStatus) -> Result<(), Failure> {
    for problem in &status.problems {
        terminal::report(format_args!("error: {problem}"));
    }
    if status.problems.is_empty() { Ok(()) } else { Err(Failure::Printed) }
}

impl From<RecruitError> for Failure {
    fn from(error: RecruitError) -> Self {
        Self::Message(error.to_string())
    }
}
