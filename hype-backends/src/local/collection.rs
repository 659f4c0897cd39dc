//! Collects from raters who answer inside the program, in parallel.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use hype_core::protocol::places::{Claimed, Release};
use hype_core::study::analysis::AnalysisError;
use hype_core::study::backend::{BackendError, Collected, Watch};
use hype_core::study::session::session_name;
use hype_core::{CohortError, Event, Rater, SessionRecord, Store, Streams, Study, Wanted};
use serde_json::Value;

use super::apart::apart;
use super::journal::{Journal, Passing, SimulatedSession, Stored};
use super::stopping::Stopping;
use crate::drive::{At, Driven, Keep, ending, rater_key, release_inside, resume};

/// Collects from an embedding program's own raters until every place of the study is given up or completed by a rater
/// that no rule of the task excludes, the study's stopping rule ends the collection, or `watch` asks to stop. Resumes sessions
/// that an earlier call left unfinished.
///
/// `raters` creates the rater of a session and must return the same rater for the same arguments. It is not called
/// for finished sessions. The watch is notified of every settled place, including those of earlier calls.
///
/// # Examples
/// ```
/// use hype_backends::collect_with;
/// use hype_store::MemoryStore;
/// use hype_core::study::backend::{BackendError, Collected, Unwatched};
/// use hype_core::{Rater, Response, Stream, Study, Trial, Truth};
///
/// struct Bored;
///
/// impl Rater for Bored {
///     fn respond(&mut self, _: &Trial, _: Option<&Truth>, _: &mut Stream) -> Response {
///         Response::Leave
///     }
/// }
///
/// fn nobody_stays(study: &Study) -> Result<Collected, BackendError> {
///     collect_with(study, &MemoryStore::new(), &Unwatched, None, |_, _| Ok(Box::new(Bored)))
/// }
/// ```
///
/// # Errors
/// The error of the lowest-numbered place that cannot be filled. Everything collected is in the store.
pub fn collect_with(
    study: &Study,
    store: &dyn Store,
    watch: &dyn Watch,
    threads: Option<NonZeroUsize>,
    raters: impl Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
) -> Result<Collected, BackendError> {
    collect_into(study, &Stored::open(study, store)?, watch, threads, &raters)
}

/// Collects as [`collect_with`] does, in its own threads, for backends: the caller's thread is free in the meantime. The watch is
/// called in the caller's task. If the future is dropped, the collection stops as if the watch asked for it.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use hype_backends::collect_apart;
/// use hype_core::study::backend::{BackendError, Collected, Watch};
/// use hype_core::{Cohort, Store, Study};
///
/// async fn collect(
///     cohort: Arc<dyn Cohort>,
///     study: &Study,
///     store: Arc<dyn Store>,
///     watch: &dyn Watch,
/// ) -> Result<Collected, BackendError> {
///     collect_apart(study, store, watch, None, move |wanted, chance| cohort.rater(wanted, chance)).await
/// }
/// ```
///
/// # Errors
/// As [`collect_with`].
pub async fn collect_apart(
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
    threads: Option<NonZeroUsize>,
    raters: impl Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Send + Sync + 'static,
) -> Result<Collected, BackendError> {
    let study = study.clone();
    apart(watch, move |watch| collect_with(&study, &*store, watch, threads, raters)).await
}

/// Collects as [`collect_with`] does, but stores nothing: each finished session is passed to `take`, in the order of
/// session names, and dropped. Memory grows with the number of places, by about 50 bytes each, and not with the
/// number of answers.
///
/// # Examples
/// ```
/// use hype_backends::simulate;
/// use hype_core::study::backend::{BackendError, Unwatched};
/// use hype_core::study::analysis::Analysis;
/// use hype_core::{Cohort, Findings, Study};
///
/// fn findings(study: &Study, cohort: &dyn Cohort) -> Result<Findings, Box<dyn std::error::Error>> {
///     let mut analysis = Analysis::begin(study);
///     let mut failed = None;
///     simulate(
///         study,
///         &Unwatched,
///         None,
///         |wanted, chance| cohort.rater(wanted, chance),
///         |session| {
///             failed = analysis.add(&session.record).err();
///             failed.is_none()
///         },
///     )?;
///     failed.map_or(Ok(()), Err)?;
///     Ok(analysis.findings()?)
/// }
/// ```
///
/// # Errors
/// As [`collect_with`].
pub fn simulate(
    study: &Study,
    watch: &dyn Watch,
    threads: Option<NonZeroUsize>,
    raters: impl Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
    mut take: impl FnMut(SimulatedSession) -> bool + Send,
) -> Result<Collected, BackendError> {
    collect_into(study, &Passing::new(study, &mut take), watch, threads, &raters)
}

fn collect_into<R>(
    study: &Study,
    journal: &dyn Journal,
    watch: &dyn Watch,
    threads: Option<NonZeroUsize>,
    raters: &R,
) -> Result<Collected, BackendError>
where
    R: Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
{
    let collection = Collection {
        study,
        journal,
        watch,
        raters,
        settled: Mutex::new(vec![false; study.places() as usize]),
        failed: AtomicU32::new(u32::MAX),
        failure: Mutex::new(None),
        briefing: journal.briefing(study)?.map(Mutex::new),
        stopping: journal.looks(study)?.map(Stopping::new),
    };
    (0..study.places()).for_each(|place| collection.notify_if_settled(place));
    // A session's briefing depends on the sessions before it.
    let one_by_one = collection.briefing.is_some().then_some(NonZeroUsize::MIN);
    let threads = one_by_one
        .or(threads)
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
        .min(study.places() as usize);
    if threads <= 1 {
        collection.work();
    } else {
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| collection.work());
            }
        });
    }
    let counts = journal.counts()?;
    match collection.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => {
            Ok(Collected::new(counts.done, counts.given_up, study.places().saturating_sub(counts.settled())))
        }
    }
}

/// The state shared by the workers of one collection.
struct Collection<'a, R> {
    study: &'a Study,
    journal: &'a dyn Journal,
    watch: &'a dyn Watch,
    raters: &'a R,
    /// The places whose settlement the watch has been notified of.
    settled: Mutex<Vec<bool>>,
    /// The lowest-numbered place that has failed.
    failed: AtomicU32,
    failure: Mutex<Option<(u32, BackendError)>>,
    /// The briefing that the task has learned from completed sessions; `None` if it does not learn.
    briefing: Option<Mutex<Value>>,
    /// The stopping rule, if the study has one.
    stopping: Option<Stopping>,
}

impl<R> Collection<'_, R>
where
    R: Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
{
    /// Fills free places one after another until none is left, one has failed, or the watch asks to stop.
    fn work(&self) {
        while !self.watch.stop() {
            // Places before a failed one are still filled: the first failure does not depend on the threads.
            let claim = |below: u32| self.journal.claim(below.min(self.failed.load(Ordering::Relaxed)));
            let claimed = match &self.stopping {
                None => claim(u32::MAX).map(|claimed| claimed.map(|claimed| (claimed, None))),
                Some(stopping) => stopping
                    .claim(claim, || self.watch.stop())
                    .map(|claimed| claimed.map(|(claimed, busy)| (claimed, Some(busy)))),
            };
            // Other workers may wait until this one is no longer busy.
            let (claimed, _busy) = match claimed {
                Ok(Some(claimed)) => claimed,
                Ok(None) => return,
                Err(error) => return self.fail(0, error),
            };
            match self.attempt(claimed) {
                Ok(Driven::Ended(_)) => self.notify_if_settled(claimed.place),
                Ok(Driven::Stopped) => return,
                Err(error) => self.fail(claimed.place, error),
            }
        }
    }

    /// Drives the session of a claimed place, and releases the place.
    fn attempt(&self, claimed: Claimed) -> Result<Driven, BackendError> {
        let log = self.journal.log(claimed)?;
        let driven = match ending(&log) {
            // The program that drove the session to its end could not release the place.
            Some(ending) => Ok((Driven::Ended(ending), log)),
            None => self.session(&Worker { collection: self, claimed }, log),
        };
        let (driven, log) = match driven {
            Ok((driven @ Driven::Ended(_), log)) => (driven, log),
            other => {
                self.journal.suspend(claimed)?;
                return other.map(|(driven, _)| driven);
            }
        };
        let session = session_name(claimed.place, claimed.attempt);
        let record = SessionRecord::from_events(log)
            .map_err(|source| BackendError::Log { session: session.to_string(), source })?;
        let release = release_inside(self.study, &record);
        if let (Some(learner), Some(briefing), Release::Completed) =
            (self.study.task().learner(), &self.briefing, release)
        {
            learner.learn(&mut lock(briefing), &record, self.study.stimuli());
        }
        if let Some(stopping) = &self.stopping {
            stopping.add(&record).map_err(AnalysisError::from)?;
        }
        self.journal.release(claimed, release, SimulatedSession { session, record })?;
        Ok(driven)
    }

    fn session(
        &self,
        worker: &Worker<'_, Self>,
        log: Vec<Event>,
    ) -> Result<(Driven, Vec<Event>), BackendError> {
        let claimed = worker.claimed;
        let number = claimed.place;
        let key = match log.first() {
            Some(Event::Opened(header)) => header.rater.to_string(),
            _ => rater_key(number, claimed.attempt),
        };
        let place = self.study.place(number);
        let wanted = self.study.wanted(&place, claimed.attempt, &key);
        let chance = self.study.session_chance(number, claimed.attempt).child("rater", 0);
        let mut rater = (self.raters)(&wanted, &chance)?;
        let learned = self.briefing.as_ref().map(|briefing| lock(briefing).clone());
        let at = At { place: number, attempt: claimed.attempt, briefing: learned };
        resume(self.study, worker, &mut *rater, at, log)
    }

    /// Notifies the watch of a settled place, once.
    fn notify_if_settled(&self, place: u32) {
        let Some(completed) = self.journal.settled(place) else { return };
        let before =
            lock(&self.settled).get_mut(place as usize).map(|notified| std::mem::replace(notified, true));
        if before == Some(false) {
            self.watch.settled(place, completed);
        }
    }

    fn fail(&self, place: u32, error: BackendError) {
        self.failed.fetch_min(place, Ordering::Relaxed);
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(first, _)| place < *first) {
            *failure = Some((place, error));
        }
    }
}

/// Writes the session of a claimed place to the journal. The session stops with the collection, or when a place with
/// a lower number fails.
struct Worker<'a, C> {
    collection: &'a C,
    claimed: Claimed,
}

impl<R> Keep for Worker<'_, Collection<'_, R>> {
    fn append(&self, session: &str, stored: u64, events: &[Event]) -> Result<(), BackendError> {
        self.collection.journal.append(self.claimed, session, stored, events)?;
        self.collection.watch.acknowledged(session, stored + events.len() as u64);
        Ok(())
    }

    fn stop(&self) -> bool {
        self.collection.failed.load(Ordering::Relaxed) < self.claimed.place || self.collection.watch.stop()
    }
}

/// A panic in another thread ends the whole collection, so the data behind a poisoned lock no longer matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
