//! Places that were given back at the platform, as people find out who have come and see none.

use std::collections::BTreeMap;
use std::sync::Arc;

use hype_core::Micros;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::place_and_attempt;
use tokio::sync::Mutex;

use super::work::{PanelWork, SessionFacts, Work};
use super::{RecruitError, Recruiter, Seen};
use crate::web::PanelIds;

/// The most people who are remembered.
const REMEMBERED: usize = 10_000;

/// How long they are assumed to be there, in milliseconds. Those who stay ask again.
const PATIENCE_MS: u64 = 60_000;

/// People with a place at the platform but none in the study, by submissions.
#[derive(Debug, Default)]
pub(super) struct TurnedAway(Mutex<BTreeMap<Arc<str>, Newcomer>>);

#[derive(Debug)]
struct Newcomer {
    listing: Arc<str>,
    /// When the person was there last.
    unix_ms: u64,
}

impl Recruiter {
    /// Remembers a person who has come and sees no place, if the platform says that it has given this person one.
    ///
    /// # Errors
    /// If the platform does not answer.
    pub(crate) async fn turn_away(&self, ids: &PanelIds, unix_ms: u64) -> Result<(), RecruitError> {
        let Some((platform, _)) = self.interface() else { return Ok(()) };
        let PanelWork { submission: Some(submission), listing: Some(listing), .. } =
            PanelWork::of(ids.clone())
        else {
            return Ok(());
        };
        let is_listed =
            self.ledger.current().listings().values().any(|one| one.id.as_ref() == Some(&listing));
        let is_known = self.turned_away.0.lock().await.contains_key(&submission);
        if is_listed && (is_known || platform.was_accepted(&submission).await?) {
            let mut turned_away = self.turned_away.0.lock().await;
            if is_known || turned_away.len() < REMEMBERED {
                turned_away.insert(submission, Newcomer { listing, unix_ms });
            }
        }
        Ok(())
    }

    /// Asks the platform which places were given back, and frees them.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub(crate) async fn vacate(&self, unix_ms: u64) -> Result<(), RecruitError> {
        let _turn = self.turn.lock().await;
        // Before the sessions are read: people who accept work in between must not be missing from the platform's count.
        let unlisted = self.unlisted().await?;
        let seen = self.see(unix_ms).await?;
        self.free_places(&seen).await?;
        self.free_unlisted(&seen, &unlisted).await
    }

    /// The number of people at work whose work the platform does not list, by listings, where it counts them.
    async fn unlisted(&self) -> Result<BTreeMap<Arc<str>, u32>, RecruitError> {
        let mut unlisted = BTreeMap::new();
        let Some((platform, _)) = self.interface() else { return Ok(unlisted) };
        let ledger = self.ledger.refresh(&*self.store).await?;
        for id in ledger.listings().values().filter(|one| !one.is_closed).filter_map(|one| one.id.as_ref()) {
            if let Some(count) = platform.unlisted(id).await? {
                unlisted.insert(Arc::clone(id), count);
            }
        }
        Ok(unlisted)
    }

    /// Lets places be claimed of as many people as have returned unlisted work: those who were heard of longest ago, since the
    /// platform does not say who they are. They can continue if no one else has claimed their place.
    async fn free_unlisted(
        &self,
        seen: &Seen,
        unlisted: &BTreeMap<Arc<str>, u32>,
    ) -> Result<(), RecruitError> {
        let mut turned_away = self.turned_away.0.lock().await;
        let has_come = |submission: &Arc<str>| {
            seen.work.iter().any(|work| work.submission.as_ref().is_some_and(|one| one.id == *submission))
        };
        let sessions = self.sessions.submissions().await;
        turned_away.retain(|submission, newcomer| {
            let is_there = seen.unix_ms.saturating_sub(newcomer.unix_ms) < PATIENCE_MS;
            is_there && !sessions.contains(submission) && !has_come(submission)
        });
        if unlisted.is_empty() {
            return Ok(());
        }
        let now = Micros(seen.unix_ms.saturating_mul(1_000));
        let places = StudyPlaces::open(&seen.study, &*self.store).await?;
        for (listing, count) in unlisted {
            let holds = |session: &&SessionFacts| {
                // People who have come since may have accepted the work after the platform was asked.
                session.opened_unix_ms.is_some_and(|opened| opened <= seen.unix_ms)
                    && place_and_attempt(&session.session)
                        .is_some_and(|(place, _)| places.is_leased_by(place, &session.rater, now))
            };
            let mut open: Vec<&SessionFacts> = seen
                .work
                .iter()
                .filter(|work| came_by(work, listing))
                .filter_map(at_work)
                .filter(holds)
                .collect();
            let waiting = turned_away.values().filter(|newcomer| newcomer.listing == *listing).count();
            let gone = (open.len() + waiting).saturating_sub(*count as usize);
            open.sort_by_key(|session| (session.heard_unix_ms, Arc::clone(&session.session)));
            for session in open.into_iter().take(gone) {
                let Some((place, _)) = place_and_attempt(&session.session) else { continue };
                places.suspend(&*self.store, place, &session.rater, now).await?;
            }
        }
        Ok(())
    }
}

fn came_by(work: &Work, listing: &Arc<str>) -> bool {
    work.came_through.as_ref() == Some(listing) && work.submission.is_none()
}

/// The session of a rater who has not finished.
fn at_work(work: &Work) -> Option<&SessionFacts> {
    work.session.as_ref().filter(|session| session.ending.is_none())
}
