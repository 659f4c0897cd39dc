//! `hype serve`: runs one of any number of servers of a study.

use hype::backends::web::Page;
use hype::{Opening, StudyFolder};
use hype_core::plugin::surroundings::Purpose;
use hype_core::study::backend::{BackendError, Watch, view};
use hype_core::words::counted;
use hype_core::{BackendSpec, Collected};

use super::args::ServeArguments;
use super::failure::Failure;
use super::logging;
use super::open_files::raise_limit;
use super::opening::open;
use super::progress::CollectionWatch;
use super::report::ReportFigures;
use super::signals::stop_requested;
use super::study_folder::study_folder;
use super::terminal;

pub(crate) fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    logging::start(&arguments.log);
    let folder = study_folder(&arguments.spec, arguments.study.as_deref(), false);
    let opening = Opening::of(&arguments.spec).to(Purpose::Collect);
    let opened = open(opening, false, |_| {})?;
    let study = &opened.study;
    #[cfg(feature = "board")]
    super::board::check_wave(&arguments.spec, study)?;
    let backend = study.spec().collection.backend.as_deref();
    let mut page = backend.and_then(|backend| view::<Page>(backend)).ok_or_else(|| {
        Failure::Message("only a study with the backend `web` or `local` has a page to serve".into())
    })?;
    if let Some(listen) = arguments.listen {
        page.listen = listen.to_string();
    }
    if study.spec().collection.store.is_none() {
        super::ephemeral::refuse(&folder)?;
    }
    let opened = StudyFolder::collect_into(&folder, study, false)?;
    raise_limit();
    let watch = CollectionWatch::new(arguments.progress, opened.study().places())
        .offering(opened.downloads())
        .drawing(ReportFigures { simulated: false })
        .stopped_by(stop_requested()?);
    let within = hype::runtime()?.enter();
    let served = hype::block_on(host(backend, &page, &opened, &watch));
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

/// Serves the page, with what its panel asks of it if there is one.
async fn host(
    backend: Option<&dyn BackendSpec>,
    page: &Page,
    opened: &StudyFolder,
    watch: &dyn Watch,
) -> Result<Collected, BackendError> {
    let (study, store) = (opened.study(), opened.shared_store());
    #[cfg(feature = "crowd")]
    if let Some(recruits) = backend.and_then(|backend| hype::backends::crowd::recruiting(backend)) {
        let rules = recruits.panel_rules(study, opened.shared_store()).await?;
        return hype::backends::web::host_panel(page, study, store, watch, rules).await;
    }
    let _ = backend;
    hype::backends::web::host(page, study, store, watch).await
}
