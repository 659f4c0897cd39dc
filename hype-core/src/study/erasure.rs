//! Erasure of raters' answers on request.

use crate::model::event::Event;
use crate::model::record::{Erased, SessionRecord};
use crate::model::units::Micros;
use crate::plugin::store::{Erasure, Store, StoreError, StoreExt as _};
use crate::study::Study;
use crate::study::places::{PlacesError, StudyPlaces};
use crate::study::session::place_and_attempt;

/// A session whose answers were erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedSession {
    /// The session.
    pub session: String,
    /// The place that it was at.
    pub place: u32,
    /// The remains of the session.
    pub erased: Erased,
    /// Whether the session filled its place, which no one else can claim until it is reopened.
    pub done: bool,
}

/// The fate of a place whose session's answers are erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceAfter {
    /// A filled place stays done, although its answers no longer count.
    Kept,
    /// Another rater may claim it.
    Reopened,
}

/// Erases the answers of sessions that exist: their logs are replaced by [what remains](SessionRecord::remains), and unfinished ones end.
/// Every step can be repeated, such as after a crash; a session that was erased before does not change. The caller then
/// [scrubs](Store::scrub) the store.
///
/// # Errors
/// If the store fails, or the log of a session is damaged.
pub async fn erase(
    study: &Study,
    store: &dyn Store,
    places: &StudyPlaces,
    sessions: &[String],
    now: Micros,
    after: PlaceAfter,
) -> Result<Vec<ErasedSession>, PlacesError> {
    loop {
        let mut erasures = Vec::new();
        let mut found = Vec::new();
        for session in sessions {
            let events = store.load(session).await?;
            let expected = events.len() as u64;
            let log = |source| PlacesError::Log { session: session.clone(), source };
            let record = SessionRecord::from_events(events).map_err(log)?;
            let erased = match &record.erased {
                Some(erased) => erased.clone(),
                None => {
                    let remains = record.remains(study.fills_place(&record), now.0 / 1_000);
                    let Event::Erased(erased) = remains[1].clone() else { continue };
                    erasures.push(Erasure { session: session.clone(), expected, remains });
                    erased
                }
            };
            found.push((session, record.header, erased));
        }
        match store.erase(&erasures).await {
            Ok(()) => {}
            // A server has stored another answer in the meantime.
            Err(StoreError::Conflict { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut all = Vec::with_capacity(found.len());
        for (session, header, erased) in found {
            let place = place_and_attempt(session).map_or(header.place.number, |(place, _)| place);
            // The rater may still hold the place: in the middle of the session, or because a server stopped at its end.
            places.release(store, place, &header.rater, study.release_erased(&erased)).await?;
            if erased.filled && after == PlaceAfter::Reopened {
                places.reopen_erased(store, place, header.attempt).await?;
            }
            let done = erased.filled && places.is_done_by(place, header.attempt);
            all.push(ErasedSession { session: session.clone(), place, erased, done });
        }
        return Ok(all);
    }
}
