//! `hype crowd audit`.

#[cfg(feature = "fakes")]
use hype::StudyFolder;
use hype::backends::crowd::recruiter::{Audit, AuditedPayment, Disagreement};
#[cfg(feature = "fakes")]
use hype::backends::crowd::recruiting;
#[cfg(feature = "fakes")]
use hype_core::Backend;
use hype_core::words::counted;
use hype_core::{Amount, Study};

use super::connected::{Connected, WhereNew};
use crate::args::CrowdStudyArguments;
use crate::failure::Failure;
use crate::grid::Grid;
#[cfg(feature = "fakes")]
use crate::operator::request_name;
use crate::operator::unix_ms_now;
use crate::output::{Page, print_json};

pub(super) fn run(arguments: &CrowdStudyArguments) -> Result<(), Failure> {
    let connected = Connected::open(arguments, WhereNew::Refuse)?;
    let audit = connected.wait(connected.recruiter.audit(unix_ms_now()))?;
    if arguments.json {
        print_json(&audit)?;
    } else {
        print(&audit, &connected.study)?;
    }
    decided(&audit)
}

/// Audits what a collection has paid through a fake, which leaves nothing when the program ends. Panels without an interface
/// know nothing.
#[cfg(feature = "fakes")]
pub(crate) fn audit_fake(opened: &StudyFolder, backend: &dyn Backend) -> Result<(), Failure> {
    let Some(recruits) = recruiting(backend) else { return Ok(()) };
    let audit = hype::runtime()?.block_on(async {
        let recruiter = recruits.connect(opened.study(), opened.shared_store(), &request_name()).await?;
        Ok::<_, Failure>(recruiter.audit(unix_ms_now()).await?)
    })?;
    if audit.platform.is_none() {
        return Ok(());
    }
    print(&audit, opened.study())?;
    decided(&audit)
}

fn print(audit: &Audit, study: &Study) -> Result<(), Failure> {
    let currency = study.raters().payment.as_ref().map(|payment| &*payment.currency);
    let mut page = Page::default();
    audit_on(&mut page, audit, currency.unwrap_or_default());
    page.print()
}

/// Fails if ledger, earnings and platform differ, other than by a decision or by what is on its way.
fn decided(audit: &Audit) -> Result<(), Failure> {
    match audit.differences().filter(|one| !is_decided(one)).count() {
        0 => Ok(()),
        open => Err(Failure::Message(format!(
            "ledger, earnings and platform do not agree on {}",
            counted(open, "payment")
        ))),
    }
}

/// Whether an operator has decided to pay more or less than was earned, or a payment is being made.
fn is_decided(payment: &AuditedPayment) -> bool {
    matches!(
        payment.difference,
        Some(
            Disagreement::OnItsWay
                | Disagreement::Rejected
                | Disagreement::Returned
                | Disagreement::MoreThanEarned
        )
    )
}

fn audit_on(page: &mut Page, audit: &Audit, currency: &str) {
    let amount = |amount: Option<Amount>| amount.map_or_else(|| "-".to_owned(), |amount| amount.to_string());
    let mut totals = Grid::new(["according to", currency]).right_from(1);
    totals.row(["the ledger".to_owned(), audit.ledger.to_string()]);
    totals.row(["what was earned".to_owned(), audit.earned.to_string()]);
    totals.row(["the platform".to_owned(), amount(audit.platform)]);
    page.table(&totals);
    if audit.platform.is_none() {
        page.line("the panel has no interface for programs and was not asked");
    }
    if audit.differences().next().is_none() {
        page.line(format_args!("all agree on {}", counted(audit.payments.len(), "payment")));
        return;
    }
    let mut grid = Grid::new(["payment", "ledger", "earned", "platform", "difference"]);
    (1..4).for_each(|column| grid.right(column));
    for one in audit.differences() {
        grid.row([
            one.payment.to_string(),
            one.ledger.to_string(),
            one.earned.to_string(),
            amount(one.platform),
            one.difference.map_or("-", describe).to_owned(),
        ]);
    }
    page.table(&grid);
}

const fn describe(difference: Disagreement) -> &'static str {
    match difference {
        Disagreement::NotPaidYet => "earned and not paid yet",
        Disagreement::OnItsWay => "on its way: sent minutes ago",
        Disagreement::Unclear => "unclear whether it was paid",
        Disagreement::Rejected => "the work was rejected",
        Disagreement::Returned => "the work was returned or timed out",
        Disagreement::PaidTwice => "the platform has paid it more than once",
        Disagreement::Platform => "the platform has paid another amount",
        Disagreement::MoreThanEarned => "more was paid than was earned, by decision",
        _ => "other",
    }
}
