//! `hype serve`: runs one of any number of servers of a study.

use hype::{Opening, StudyFolder};
use hype_core::plugin::surroundings::Purpose;
use hype_core::study::spec::Spec;
use hype_core::words::counted;

use super::args::ServeArguments;
use super::failure::Failure;
use super::logging;
use super::open_files::raise_limit;
use super::opening::open;
use super::page::page_of;
use super::progress::CollectionWatch;
use super::report::ReportFigures;
use super::signals::stop_requested;
use super::study_folder::study_folder;
use super::terminal;

pub(crate) fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    logging::start(&arguments.log);
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), false);
    let folder_of = |_: &Spec| folder.clone();
    let opening = Opening::of(&arguments.spec).to(Purpose::Collect).continuing(&folder_of);
    let opened = open(opening, false, |_| {})?;
    let study = &opened.study;
    let backend = study.spec().collection.backend.as_deref();
    let mut page = backend.and_then(page_of).ok_or_else(|| {
        Failure::Message("only a study with the backend `web` or `local` has a page to serve".into())
    })?;
    if let Some(listen) = arguments.listen {
        page.listen = listen.to_string();
    }
    let opened = StudyFolder::collect_into(&folder, study, false)?;
    raise_limit();
    let watch = CollectionWatch::new(arguments.progress, opened.study().places())
        .offering(opened.downloads())
        .drawing(ReportFigures { simulated: false })
        .stopped_by(stop_requested()?);
    let within = hype::runtime()?.enter();
    let served = hype::block_on(hype::backends::web::host(&page, study, opened.shared_store(), &watch));
    drop(within);
    watch.finish();
    let served = served?;
    terminal::report(format_args!(
        "stopped: {} completed, {} given up, {} open; score them with `hype score {}`",
        counted(served.completed, "place"),
        served.given_up,
        served.open,
        folder.display()
    ));
    Ok(())
}
