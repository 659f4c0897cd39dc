//! The backend `local`: raters who answer inside the program.

pub(crate) mod drive;
pub(crate) mod scripted;

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use async_trait::async_trait;
use hype_core::plugin::backend::{Backend, BackendError, Capabilities, Collected, Watch};
use hype_core::study::session::session_name;
use hype_core::{
    Cohort, CohortError, Design, Diagnostics, Ending, Event, Rater, SessionRecord, Store, Streams, Study,
    Wanted, register_backend,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::drive::{At, Driven, ending, rater_key, resume};
#[cfg(feature = "web")]
use crate::web::Page;

/// Collects from raters who answer inside the program, as fast as they do: no page, no waiting.
///
/// Sessions run in parallel, or one after the other where the task learns from earlier ones; their logs are the same
/// bytes on any number of threads.
/// [`collect`](Backend::collect) does all its work before it first returns, so a program with an async runtime
/// calls it on a thread of its own.
///
/// # Examples
/// ```
/// use hype_backends::Local;
///
/// let yaml = r#"{ "cohort": { "kind": "scripted", "answers": "answers.csv" }, "threads": 2 }"#;
/// let local: Local = serde_json::from_str(yaml)?;
/// assert!(local.cohort.is_some());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Local {
    /// The raters; without them only a simulation can be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohort: Option<Box<dyn Cohort>>,
    /// How many sessions run at the same time (default: as many as the machine has processors).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroUsize>,
    /// The page, for people at this machine; with raters, they come to the page as a browser does.
    #[cfg(feature = "web")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
}

impl Local {
    /// Raters who answer inside the program, on so many threads.
    #[must_use]
    pub fn with_raters(cohort: Box<dyn Cohort>, threads: Option<NonZeroUsize>) -> Self {
        Self { cohort: Some(cohort), threads, ..Self::default() }
    }

    /// The page for people at this machine, who come one after the other unless the settings say otherwise.
    #[cfg(feature = "web")]
    #[must_use]
    pub fn rater_page(&self) -> Page {
        let mut page = self.page.clone().unwrap_or_default();
        page.shared_computer.get_or_insert(true);
        page
    }
}

register_backend!(
    Local,
    "local",
    summary = "Raters who answer inside the program: scripts, synthetic observers, models",
    citation = "",
    example = "{ kind: local, cohort: { kind: scripted, answers: answers.csv }, threads: 2 }",
);

#[async_trait]
#[typetag::serde(name = "local")]
impl Backend for Local {
    fn check(&self, design: &Design<'_>, at: &mut Diagnostics) {
        if let Some(cohort) = &self.cohort {
            at.within("cohort", |at| cohort.check(design, at));
        }
        #[cfg(feature = "web")]
        if let Some(page) = &self.page {
            at.within("page", |at| page.check(at));
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { presents: cfg!(feature = "web") && self.cohort.is_none(), ..Capabilities::default() }
    }

    async fn collect(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        watch: &dyn Watch,
    ) -> Result<Collected, BackendError> {
        #[cfg(feature = "web")]
        if self.cohort.is_none() || self.page.is_some() {
            return crate::web::collect(&self.rater_page(), study, store, watch, self.cohort.as_deref())
                .await;
        }
        let Some(cohort) = &self.cohort else {
            return Err(BackendError::Settings(
                "the local backend has no raters: name some, such as `backend: { kind: local, cohort: { kind: \
                 scripted, answers: answers.csv } }`, or run with --simulate"
                    .into(),
            ));
        };
        collect_with(study, &*store, watch, self.threads, |wanted, chance| cohort.rater(wanted, chance))
    }

    fn with_cohort(&self, cohort: Box<dyn Cohort>) -> Option<Box<dyn Backend>> {
        Some(Box::new(Self { cohort: Some(cohort), ..self.clone() }))
    }

    fn is_simulated(&self) -> bool {
        self.cohort.as_ref().is_some_and(|cohort| cohort.is_synthetic())
    }

    fn boxed_clone(&self) -> Box<dyn Backend> {
        Box::new(self.clone())
    }
}

/// Collects from an embedding program's own raters until every place of the study is completed by a rater whom no rule
/// of the task leaves out, or given up, or `watch` says to stop. Goes on where an earlier call was interrupted.
///
/// `raters` makes the rater for a session, the same one for the same arguments. It is not asked for sessions that
/// have ended. The watch is told of every settled place, those of earlier calls included.
///
/// # Examples
/// ```
/// use hype_backends::{collect_with};
/// use hype_store::{MemoryStore};
/// use hype_core::plugin::backend::{BackendError, Collected, Unwatched};
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
/// That of the first place, by number, at which the collection cannot go on. What was collected is in the store.
pub fn collect_with(
    study: &Study,
    store: &dyn Store,
    watch: &dyn Watch,
    threads: Option<NonZeroUsize>,
    raters: impl Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
) -> Result<Collected, BackendError> {
    pollster::block_on(store.bind(study.digest()))?;
    let collection = Collection {
        study,
        store,
        watch,
        raters: &raters,
        next: AtomicU64::new(0),
        failed: AtomicU32::new(u32::MAX),
        failure: Mutex::new(None),
        briefing: study.spec().task.learns().then(Mutex::default),
    };
    // What a session has learned depends on the sessions before it.
    let one_by_one = collection.briefing.is_some().then_some(NonZeroUsize::MIN);
    let threads = one_by_one
        .or(threads)
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
        .min(study.places() as usize);
    let collected = if threads <= 1 {
        collection.work()
    } else {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| collection.work())).collect();
            workers.into_iter().fold(Collected::default(), |sum, worker| match worker.join() {
                Ok(part) => add(sum, part),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    };
    match collection.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(collected),
    }
}

/// What the workers of one collection share.
struct Collection<'a, R> {
    study: &'a Study,
    store: &'a dyn Store,
    watch: &'a dyn Watch,
    raters: &'a R,
    /// The next place that nobody has taken.
    next: AtomicU64,
    /// The first place, by number, that has failed.
    failed: AtomicU32,
    failure: Mutex<Option<(u32, BackendError)>>,
    /// What completed sessions have taught the task, where it learns.
    briefing: Option<Mutex<Value>>,
}

impl<R> Collection<'_, R>
where
    R: Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
{
    /// Settles one place after the other until there are none or one has failed.
    fn work(&self) -> Collected {
        let mut collected = Collected::default();
        loop {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = u32::try_from(next).ok().filter(|&place| place < self.study.places()) else {
                return collected;
            };
            let settled = self.settle(&Worker { collection: self, place });
            match settled {
                Ok(None) => collected.open += 1,
                Ok(Some(completed)) => {
                    self.watch.settled(place, completed);
                    collected.completed += u32::from(completed);
                    collected.given_up += u32::from(!completed);
                }
                Err(error) => {
                    self.fail(place, error);
                    return collected;
                }
            }
            if self.has_failed_before(place) {
                return collected;
            }
        }
    }

    /// Drives attempts at a place until one is completed by a rater who counts, or none is left; `None` if the place
    /// stays open.
    fn settle(&self, worker: &Worker<'_, Self>) -> Result<Option<bool>, BackendError> {
        for attempt in 0..=self.study.raters().replacements {
            let name = session_name(worker.place, attempt);
            let log = pollster::block_on(self.store.load(&name))?;
            let ending = match ending(&log) {
                Some(ending) => ending,
                None if worker.stop() => return Ok(None),
                None => match self.attempt(worker, attempt, log)? {
                    Driven::Ended(ending) => ending,
                    Driven::Stopped => return Ok(None),
                },
            };
            if ending == Ending::Completed && self.counts(&name)? {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    /// Whether the rater of a completed session counts, as no rule of the task leaves them out. What such a session
    /// taught is added to the briefing of later ones.
    fn counts(&self, session: &str) -> Result<bool, BackendError> {
        let log = pollster::block_on(self.store.load(session))?;
        let record = SessionRecord::from_events(log)
            .map_err(|source| BackendError::Log { session: session.to_owned(), source })?;
        if self.study.exclusion(&record).is_some() {
            return Ok(false);
        }
        if let Some(briefing) = &self.briefing {
            let mut briefing = briefing.lock().unwrap_or_else(PoisonError::into_inner);
            self.study.spec().task.learn(&mut briefing, &record, self.study.stimuli());
        }
        Ok(true)
    }

    fn attempt(
        &self,
        worker: &Worker<'_, Self>,
        attempt: u32,
        log: Vec<Event>,
    ) -> Result<Driven, BackendError> {
        let number = worker.place;
        let key = match log.first() {
            Some(Event::Opened(header)) => header.rater.to_string(),
            _ => rater_key(number, attempt),
        };
        let place = self.study.place(number);
        let wanted = Wanted {
            place: &place,
            attempt,
            rater: &key,
            stimuli: self.study.stimuli(),
            study_chance: self.study.chance(),
            folder: self.study.folder(),
        };
        let chance = self.study.session_chance(number, attempt).child("rater", 0);
        let mut rater = (self.raters)(&wanted, &chance)?;
        let learned = self.briefing.as_ref().map(|briefing| {
            let briefing = briefing.lock().unwrap_or_else(PoisonError::into_inner);
            briefing.clone()
        });
        let at = At { place: number, attempt, briefing: learned };
        resume(self.study, self.store, worker, &mut *rater, at, log)
    }

    fn fail(&self, place: u32, error: BackendError) {
        self.failed.fetch_min(place, Ordering::Relaxed);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| place < *first) {
            *failure = Some((place, error));
        }
    }

    /// Places before the failed one go on, so that the first failure does not depend on the threads.
    fn has_failed_before(&self, place: u32) -> bool {
        self.failed.load(Ordering::Relaxed) < place
    }
}

/// Watches one place for its worker: what stops the collection stops it, and so does a failure before it.
struct Worker<'a, C> {
    collection: &'a C,
    place: u32,
}

impl<R> Watch for Worker<'_, Collection<'_, R>>
where
    R: Fn(&Wanted<'_>, &Streams) -> Result<Box<dyn Rater>, CohortError> + Sync,
{
    fn acknowledged(&self, session: &str, events: u64) {
        self.collection.watch.acknowledged(session, events);
    }

    fn stop(&self) -> bool {
        self.collection.has_failed_before(self.place) || self.collection.watch.stop()
    }
}

fn add(sum: Collected, part: Collected) -> Collected {
    Collected {
        completed: sum.completed + part.completed,
        given_up: sum.given_up + part.given_up,
        open: sum.open + part.open,
    }
}
