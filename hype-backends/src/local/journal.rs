//! Where a collection claims its places and writes its sessions: a store, or memory only.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use hype_core::plugin::store::all_sessions;
use hype_core::protocol::places::{ClaimRequest, Claimed, PlaceCounts, PlaceKind, Places, Plan, Release};
use hype_core::study::analysis::looks;
use hype_core::study::backend::BackendError;
use hype_core::study::control::control;
use hype_core::study::places::StudyPlaces;
use hype_core::study::session::session_name;
use hype_core::study::stopping::Looks;
use hype_core::{Event, Micros, SessionRecord, Store, StoreExt as _, Study};
use hype_store::block_on;
use serde_json::Value;

use crate::clock::{Clock as _, SystemClock};
use crate::drive::rater_key;

/// How long a place is held without activity of its rater. Raters inside a program answer at once, so this bounds how
/// long raters of another backend wait after the program was killed.
const LEASE: Micros = Micros(120_000_000);

/// A session that ended in [`simulate`](crate::simulate).
#[derive(Debug)]
pub struct SimulatedSession {
    /// The session's name.
    pub session: Arc<str>,
    /// Its record.
    pub record: SessionRecord,
}

/// Where the workers of a collection claim places and keep sessions.
pub(super) trait Journal: Sync {
    /// Returns what the task has learned from the sessions so far; `None` if it does not learn.
    fn briefing(&self, study: &Study) -> Result<Option<Value>, BackendError>;

    /// Returns what the stopping rule has seen of the sessions so far; `None` if the study has none.
    fn looks(&self, study: &Study) -> Result<Option<Looks>, BackendError>;

    /// Claims the next place below `below`, beginning with those whose sessions this program can resume.
    fn claim(&self, below: u32) -> Result<Option<Claimed>, BackendError>;

    /// The log of the session at a claimed place.
    fn log(&self, claimed: Claimed) -> Result<Vec<Event>, BackendError>;

    /// Appends to the session of a claimed place, which has `stored` events so far.
    fn append(
        &self,
        claimed: Claimed,
        session: &str,
        stored: u64,
        events: &[Event],
    ) -> Result<(), BackendError>;

    /// Frees a place whose session can be resumed, once all workers have stopped.
    fn suspend(&self, claimed: Claimed) -> Result<(), BackendError>;

    /// Releases a place whose session has ended.
    fn release(
        &self,
        claimed: Claimed,
        release: Release,
        ended: SimulatedSession,
    ) -> Result<(), BackendError>;

    /// Whether a settled place was completed rather than given up; `None` if it is not settled.
    fn settled(&self, place: u32) -> Option<bool>;

    /// The number of places in each state, once all workers have stopped.
    fn counts(&self) -> Result<PlaceCounts, BackendError>;
}

/// Sessions in a store.
pub(super) struct Stored<'a> {
    study: &'a Study,
    store: &'a dyn Store,
    places: StudyPlaces,
    /// Places held by an earlier call.
    resumable: Mutex<VecDeque<Claimed>>,
    /// Places that were claimed while others were released.
    ready: Mutex<VecDeque<Claimed>>,
    /// Places whose sessions were stopped. They stay held until all workers have stopped. Otherwise another worker
    /// would claim them as free places and start another attempt.
    suspended: Mutex<Vec<Claimed>>,
    /// When the leases end.
    leases: Mutex<BTreeMap<u32, Micros>>,
}

impl<'a> Stored<'a> {
    pub(super) fn open(study: &'a Study, store: &'a dyn Store) -> Result<Self, BackendError> {
        block_on(async {
            store.bind(study.digest()).await?;
            let places = StudyPlaces::open(study, store).await?;
            let holders = places.holders(store).await?;
            let ours = |(claimed, holder): (Claimed, String)| (holder == key(claimed)).then_some(claimed);
            let resumable = Mutex::new(holders.into_iter().filter_map(ours).collect());
            Ok(Self {
                study,
                store,
                places,
                resumable,
                ready: Mutex::default(),
                suspended: Mutex::default(),
                leases: Mutex::default(),
            })
        })
    }

    fn now(&self) -> (Micros, Micros) {
        let now = SystemClock.now();
        (now, now.saturating_add(LEASE))
    }

    /// Resumes the next place held by an earlier call. The lock is held throughout, so another worker that finds none
    /// left waits until this place is claimed again. Otherwise it would claim the place as a free one and start
    /// another attempt.
    fn resume(&self, below: u32) -> Result<Option<Claimed>, BackendError> {
        let until = self.now().1;
        let mut resumable = lock(&self.resumable);
        while let Some(claimed) = resumable.pop_front_if(|claimed| claimed.place < below) {
            // Fails if someone else has claimed the place in the meantime.
            if block_on(self.places.prolong(self.store, claimed.place, &key(claimed), until))? {
                lock(&self.leases).insert(claimed.place, until);
                return Ok(Some(claimed));
            }
        }
        Ok(None)
    }

    async fn claim_free(&self, below: u32) -> Result<Option<Claimed>, BackendError> {
        let (now, until) = self.now();
        let claim = self.places.claim_next(self.study, self.store, below, (now, until), key);
        let claimed = claim.await?;
        if let Some(claimed) = claimed {
            lock(&self.leases).insert(claimed.place, until);
        }
        Ok(claimed)
    }
}

impl Journal for Stored<'_> {
    fn briefing(&self, study: &Study) -> Result<Option<Value>, BackendError> {
        let Some(learner) = study.task().learner() else { return Ok(None) };
        let mut briefing = Value::default();
        for session in block_on(all_sessions(self.store))? {
            let log = block_on(self.store.load(&session))?;
            let record = SessionRecord::from_events(log)
                .map_err(|source| BackendError::Log { session: session.clone(), source })?;
            if study.fills_place(&record) {
                learner.learn(&mut briefing, &record, study.stimuli());
            }
        }
        Ok(Some(briefing))
    }

    fn looks(&self, study: &Study) -> Result<Option<Looks>, BackendError> {
        let control = block_on(control(self.store))?;
        Ok(block_on(looks(&study.under(control), self.store))?)
    }

    fn claim(&self, below: u32) -> Result<Option<Claimed>, BackendError> {
        if let Some(claimed) = self.resume(below)? {
            return Ok(Some(claimed));
        }
        let ready = lock(&self.ready).pop_front();
        match ready {
            Some(claimed) if claimed.place < below => Ok(Some(claimed)),
            Some(claimed) => {
                self.suspend(claimed)?;
                block_on(self.claim_free(below))
            }
            None => block_on(self.claim_free(below)),
        }
    }

    fn log(&self, claimed: Claimed) -> Result<Vec<Event>, BackendError> {
        Ok(block_on(self.store.load(&session_name(claimed.place, claimed.attempt)))?)
    }

    fn append(
        &self,
        claimed: Claimed,
        session: &str,
        stored: u64,
        events: &[Event],
    ) -> Result<(), BackendError> {
        block_on(self.store.append_events(session, stored, events))?;
        let (now, until) = self.now();
        // The release of a session that has ended says whether it had answers.
        let ends = matches!(events.last(), Some(Event::Finished(_)));
        let answers = !ends && events.iter().any(|event| matches!(event, Event::Answered(_)));
        let holder = key(claimed);
        let lease = lock(&self.leases).get(&claimed.place).copied().unwrap_or_default();
        if answers && !self.places.has_answered(claimed.place, &holder) {
            block_on(self.places.answered(self.store, claimed.place, &holder, until))?;
        } else if lease.0.saturating_sub(now.0) < LEASE.0 / 2 {
            block_on(self.places.prolong(self.store, claimed.place, &holder, until))?;
        } else {
            return Ok(());
        }
        lock(&self.leases).insert(claimed.place, until);
        Ok(())
    }

    fn suspend(&self, claimed: Claimed) -> Result<(), BackendError> {
        lock(&self.suspended).push(claimed);
        Ok(())
    }

    fn release(&self, claimed: Claimed, release: Release, _: SimulatedSession) -> Result<(), BackendError> {
        lock(&self.leases).remove(&claimed.place);
        let holder = key(claimed);
        let release = self.places.release(self.store, claimed.place, &holder, release);
        // A place beyond the next look may turn out not to be needed.
        if !lock(&self.resumable).is_empty() || self.study.spec().collection.stopping.is_some() {
            return Ok(block_on(release)?);
        }
        // Both share one commit if the store groups concurrent writes.
        let (released, next) = block_on(both(release, self.claim_free(u32::MAX)));
        lock(&self.ready).extend(next?);
        Ok(released?)
    }

    fn settled(&self, place: u32) -> Option<bool> {
        self.places.settled(place, SystemClock.now())
    }

    fn counts(&self) -> Result<PlaceCounts, BackendError> {
        let now = SystemClock.now();
        let unused = std::mem::take(&mut *lock(&self.ready));
        for claimed in std::mem::take(&mut *lock(&self.suspended)).into_iter().chain(unused) {
            lock(&self.leases).remove(&claimed.place);
            block_on(self.places.suspend(self.store, claimed.place, &key(claimed), now))?;
        }
        Ok(block_on(self.places.counts(self.store, SystemClock.now()))?)
    }
}

/// Sessions that are passed on in the order of their names and dropped.
pub(super) struct Passing<'a> {
    plan: Plan,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    places: Places,
    /// Finished sessions that wait for an earlier one.
    waiting: BTreeMap<Claimed, SimulatedSession>,
    /// The first place that is not settled.
    first: u32,
    take: &'a mut (dyn FnMut(SimulatedSession) -> bool + Send),
    /// Whether the caller wants no more sessions.
    has_enough: bool,
}

/// The constant time of a simulation, in which no lease expires.
const NOW: Micros = Micros(0);

impl<'a> Passing<'a> {
    pub(super) fn new(study: &Study, take: &'a mut (dyn FnMut(SimulatedSession) -> bool + Send)) -> Self {
        let state =
            State { places: Places::default(), waiting: BTreeMap::new(), first: 0, take, has_enough: false };
        let plan = Plan { places: study.places(), replacements: study.raters().replacements };
        Self { plan, state: Mutex::new(state) }
    }
}

impl State<'_> {
    /// Passes on the sessions that wait for no earlier one.
    fn hand_on(&mut self, plan: Plan) {
        while !self.has_enough
            && let Some(entry) = self.waiting.first_entry()
            && entry.key().place == self.first
        {
            self.has_enough = !(self.take)(entry.remove());
            let more = self.waiting.first_key_value().is_some_and(|(next, _)| next.place == self.first);
            if !more && kind(&self.places, plan, self.first).is_some() {
                self.first += 1;
            }
        }
    }
}

fn kind(places: &Places, plan: Plan, place: u32) -> Option<bool> {
    match places.kind(plan, place, NOW) {
        PlaceKind::Done => Some(true),
        PlaceKind::GivenUp => Some(false),
        PlaceKind::Free | PlaceKind::Held => None,
    }
}

impl Journal for Passing<'_> {
    fn briefing(&self, study: &Study) -> Result<Option<Value>, BackendError> {
        Ok(study.task().learner().is_some().then(Value::default))
    }

    fn looks(&self, study: &Study) -> Result<Option<Looks>, BackendError> {
        Ok(Looks::begin(study))
    }

    fn claim(&self, below: u32) -> Result<Option<Claimed>, BackendError> {
        let State { places, has_enough, .. } = &mut *lock(&self.state);
        let Some(claimed) = places.next(self.plan, NOW).filter(|next| next.place < below && !*has_enough)
        else {
            return Ok(None);
        };
        let request = ClaimRequest { holder: &key(claimed), now: NOW, until: Micros(1) };
        Ok(places.claim(self.plan, &request).map(|(claimed, change)| {
            places.apply(&change);
            claimed
        }))
    }

    fn log(&self, _: Claimed) -> Result<Vec<Event>, BackendError> {
        Ok(Vec::new())
    }

    fn append(&self, _: Claimed, _: &str, _: u64, _: &[Event]) -> Result<(), BackendError> {
        Ok(())
    }

    fn suspend(&self, _: Claimed) -> Result<(), BackendError> {
        Ok(())
    }

    fn release(
        &self,
        claimed: Claimed,
        release: Release,
        ended: SimulatedSession,
    ) -> Result<(), BackendError> {
        let mut state = lock(&self.state);
        if let Some(change) = state.places.release(claimed.place, &key(claimed), release) {
            state.places.apply(&change);
        }
        state.waiting.insert(claimed, ended);
        state.hand_on(self.plan);
        Ok(())
    }

    fn settled(&self, place: u32) -> Option<bool> {
        kind(&lock(&self.state).places, self.plan, place)
    }

    fn counts(&self) -> Result<PlaceCounts, BackendError> {
        Ok(lock(&self.state).places.counts(self.plan, NOW))
    }
}

/// Runs two futures to completion, polling the first one first.
async fn both<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut one, mut other) = (None, None);
    poll_fn(move |context| {
        if one.is_none()
            && let Poll::Ready(done) = first.as_mut().poll(context)
        {
            one = Some(done);
        }
        if other.is_none()
            && let Poll::Ready(done) = second.as_mut().poll(context)
        {
            other = Some(done);
        }
        match (one.take(), other.take()) {
            (Some(done), Some(also)) => Poll::Ready((done, also)),
            unfinished => {
                (one, other) = unfinished;
                Poll::Pending
            }
        }
    })
    .await
}

/// The key of the rater who makes a claimed attempt.
fn key(claimed: Claimed) -> String {
    rater_key(claimed.place, claimed.attempt)
}

/// No panic can leave a value half changed, so a poisoned lock is safe to use.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
