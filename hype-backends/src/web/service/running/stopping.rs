//! The stopping rule of a study that people rate on a page.

use hype_core::AnalysisError;
use hype_core::study::analysis::looks;
use tokio::sync::Mutex;

use super::RunningStudy;

/// This process's knowledge of the stopping rule. The logs are read only when the places up to the next look are settled.
#[derive(Debug, Default)]
pub(crate) struct LatestLook(Mutex<Option<Known>>);

#[derive(Debug, Clone, Copy)]
struct Known {
    /// The position of the log of places when the logs were last read, or found to have no news.
    position: u64,
    /// The number of places up to the next look; `None` if there is no other look.
    before_next: Option<u32>,
    stopped: bool,
}

impl LatestLook {
    /// Lets the next call read the logs again, as operators have excluded or included raters.
    pub(super) async fn outdate(&self) {
        *self.0.lock().await = None;
    }
}

impl RunningStudy {
    /// Whether the stopping rule has ended the collection, on this server or another.
    pub(crate) async fn has_stopped(&self) -> Result<bool, AnalysisError> {
        if self.context.study.spec().collection.stopping.is_none() {
            return Ok(false);
        }
        let mut latest = self.stopping.0.lock().await;
        let now = self.context.now();
        // Reads what other servers have appended to the log of places.
        self.places.counts(&*self.context.store, now).await?;
        let position = self.places.position();
        let is_reached = |known: &Known| {
            let settled = |places: u32| (0..places).all(|place| self.places.settled(place, now).is_some());
            known.position != position && !known.stopped && known.before_next.is_some_and(settled)
        };
        if latest.as_ref().is_none_or(is_reached) {
            let looked = looks(&self.current(), &*self.context.store).await?;
            let Some(mut looked) = looked else { return Ok(false) };
            let stopped = looked.stopped_at();
            if let (Some(raters), false) = (stopped, latest.is_some_and(|known| known.stopped)) {
                tracing::info!(raters, "the stopping rule has ended the collection");
            }
            let before_next = looked.places_before_next();
            *latest = Some(Known { position, before_next, stopped: stopped.is_some() });
        }
        Ok(latest.as_mut().is_some_and(|known| {
            known.position = position;
            known.stopped
        }))
    }
}
