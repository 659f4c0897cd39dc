//! `hype plan`.

use std::path::{Path, PathBuf};

use hype::Opening;
use hype::plan::{PilotStudy, PlanOptions, PlanProgress, STUDIES, StudyPlan, curve, plan, rater_counts};
use hype_backends::fees::Customer;
use hype_core::Study;
use hype_core::plugin::surroundings::Purpose;
use hype_core::protocol::fees::{Fees, Share};
use hype_report::FigurePage;

mod figures;
mod page;

use super::args::PlanArguments;
use super::check::line_needed;
use super::failure::Failure;
use super::opening::open;
use super::output::{self, print_json};
use super::progress::Bar;
use super::report;
use super::study_folder;
use super::tables::percent;

pub(crate) fn run(arguments: &PlanArguments) -> Result<(), Failure> {
    if let Some(study) = &arguments.curve {
        let opened = study_folder::read(study)?;
        let raters = arguments.raters.as_ref().map_or_else(|| rater_counts(10, 120), |list| list.0.clone());
        let found = curve(opened.study(), opened.store(), arguments.measure.as_deref(), &raters)?;
        let drawn = figures::curve_page(&found, &opened.study().spec().name);
        let written = write(&drawn, arguments.output.as_deref())?;
        if arguments.json {
            return print_json(&found);
        }
        page::curve(&found).print()?;
        return say_written(written.as_deref());
    }
    let Some(spec) = &arguments.spec else { return Err(Failure::Message("name a spec".into())) };
    let opened = open(Opening::of(spec).to(Purpose::Simulate), arguments.json, |_| {})?;
    let bar = (!arguments.json)
        .then(|| Bar::new("simulating studies", u64::from(arguments.studies.unwrap_or(STUDIES))));
    let done = |done: u32, _: u32| {
        if let Some(bar) = &bar {
            bar.reach(u64::from(done));
        }
    };
    let planned = planned(&opened.study, arguments, &done);
    drop(bar);
    let planned = planned?;
    let written = write(&figures::page(&planned), arguments.output.as_deref())?;
    if arguments.json {
        return print_json(&planned);
    }
    let mut page = page::plan(&planned, arguments.full);
    line_needed(&opened.study).iter().for_each(|line| page.line(line));
    page.print()?;
    say_written(written.as_deref())
}

/// The plan of a study. `done` is told how many studies of how many were simulated.
pub(crate) fn planned(
    study: &Study,
    arguments: &PlanArguments,
    done: PlanProgress<'_>,
) -> Result<StudyPlan, Failure> {
    let pilot = arguments.from.as_deref().map(study_folder::read).transpose()?;
    let name = arguments.from.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let pilot = pilot.as_ref().map(|folder| PilotStudy {
        name: &name,
        study: folder.study(),
        store: folder.store(),
        simulated: folder.is_simulated(),
    });
    let options = PlanOptions {
        raters: arguments.raters.as_ref().map(|list| list.0.clone()).unwrap_or_default(),
        measure: arguments.measure.clone(),
        target: arguments.target,
        fees: fees(arguments, study),
        studies: arguments.studies,
        cohort: arguments.cohort,
    };
    Ok(plan(study, pilot, &options, done)?)
}

/// A plan as text for the terminal.
pub(crate) fn text(planned: &StudyPlan) -> String {
    page::plan(planned, false).text().into_owned()
}

/// Writes a page into a folder, if one is named, and returns the page's path.
fn write(page: &FigurePage, folder: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    folder.map(|folder| report::write_files(&page.files(), folder)).transpose()
}

fn say_written(page: Option<&Path>) -> Result<(), Failure> {
    page.map_or(Ok(()), |page| output::print(format_args!("\nwritten: {}", page.display())))
}

/// The fees of the arguments, of the panel that the study recruits through, or of Prolific.
fn fees(arguments: &PlanArguments, study: &Study) -> Vec<Fees> {
    let of = |share: f64| Share::of(share).unwrap_or_default();
    if let Some(share) = arguments.fee {
        let label = format!("fee of {} %", percent(share));
        return vec![Fees::new(&label, of(share)).with_vat(of(arguments.vat)).in_cents()];
    }
    let spec = study.spec();
    let currency = spec.protocol.payment.as_ref().map(|payment| &*payment.currency);
    let backend = spec.collection.backend.as_ref();
    match backend.and_then(|backend| backend.recruits()) {
        Some(recruits) => vec![recruits.terms(currency.unwrap_or_default()).fees],
        None => Customer::ALL.map(|customer| customer.fees(of(arguments.vat))).into(),
    }
}
