//! `hype serve`: one of any number of servers of a study.

use hype::StudyFolder;
use hype_core::words::counted;

use super::args::ServeArguments;
use super::failure::Failure;
use super::output;
use super::page::page_of;
use super::progress::CollectionWatch;
use super::run::{default_folder, open};
use super::signals::stop_requested;

pub(crate) fn run(arguments: &ServeArguments) -> Result<(), Failure> {
    let opened = open(&arguments.spec, false, |_| {})?;
    let study = &opened.study;
    let backend = study.spec().backend.as_deref();
    let mut page = backend.and_then(page_of).ok_or_else(|| {
        Failure::Message("only a study with the backend `web` or `local` has a page to serve".into())
    })?;
    if let Some(listen) = arguments.listen {
        page.listen = listen.to_string();
    }
    let folder = arguments.study.clone().unwrap_or_else(|| default_folder(&arguments.spec, false));
    let kept = StudyFolder::collect_into(&folder, study, false)?;
    let watch = CollectionWatch::new(arguments.progress, study.places()).stopped_by(stop_requested()?);
    let within = hype::runtime()?.enter();
    let served = hype::block_on(hype::backends::web::host(&page, study, kept.shared_store(), &watch));
    drop(within);
    watch.finish();
    let served = served?;
    output::tell(format_args!(
        "stopped: {} completed, {} given up, {} open; `hype score {}` reads them",
        counted(served.completed, "place"),
        served.given_up,
        served.open,
        folder.display()
    ));
    Ok(())
}
