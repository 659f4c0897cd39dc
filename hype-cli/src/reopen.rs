//! `hype reopen`.

use hype::backends::web::{Clock as _, SystemClock};
use hype_core::protocol::places::PlaceKind;
use hype_core::study::places::{PlacesError, Reopened, StudyPlaces};
use hype_core::words::{counted, listed};

use super::args::ReopenArguments;
use super::failure::Failure;
use super::output;
use super::study_folder;

pub(crate) fn run(arguments: &ReopenArguments) -> Result<(), Failure> {
    let opened = study_folder::read(&arguments.study)?;
    let (study, store) = (opened.study(), opened.store());
    let named = (!arguments.place.is_empty()).then_some(arguments.place.as_slice());
    let reopened = hype::block_on(async {
        let places = StudyPlaces::open(study, store).await?;
        Ok::<_, PlacesError>(places.reopen(store, named, SystemClock.now()).await?)
    });
    let Reopened { opened, unchanged, unknown } =
        reopened.map_err(|error| Failure::Message(error.to_string()))?;
    match opened.as_slice() {
        [] if named.is_none() => output::print(format_args!("no place was given up; nothing was reopened"))?,
        [] => {}
        places => output::print(format_args!(
            "{} can be claimed again: {}",
            counted(places.len(), "place"),
            list(places)
        ))?,
    }
    for (place, kind) in unchanged {
        output::print(format_args!("place {place} {}", why(kind)))?;
    }
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "there is no place {}: the study has the places 0 to {}",
        list(&unknown),
        study.places().saturating_sub(1)
    )))
}

/// Why a named place was not reopened.
fn why(kind: PlaceKind) -> &'static str {
    match kind {
        PlaceKind::Free => "is free already",
        PlaceKind::Held => "is held by a rater",
        PlaceKind::Done => "is done; it stays done",
        PlaceKind::GivenUp => "was given up again in the meantime",
    }
}

fn list(places: &[u32]) -> String {
    let names: Vec<String> = places.iter().map(u32::to_string).collect();
    listed(&names)
}
