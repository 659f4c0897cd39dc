//! The counts of a study, followed from the logs of its sessions.
//!
//! Each log is read once. From then on the census takes what this process appends, and asks the store about sessions that other
//! processes may have continued, a bounded number at a time. Finished sessions are never read again, so a look at a study costs
//! the same however large it is.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use hype_core::model::record::Erased;
use hype_core::protocol::places::PlaceChange;
use hype_core::study::session::place_and_attempt;
use hype_core::{Amount, Answered, Ending, Event, ItemId, Micros, Phase, Study};

mod completions;
mod follow;
mod speed;
mod visited;

pub(crate) use self::follow::Follower;
pub(crate) use self::speed::SpeedLimit;
pub(crate) use self::visited::{Flag, Visited};

use self::completions::Completions;

/// A session: the number of its place, and of the attempt at it.
pub(crate) type Key = (u32, u32);

/// The counts of all sessions that were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) sessions: u64,
    pub(crate) completed: u64,
    pub(crate) disqualified: u64,
    pub(crate) screened_out: u64,
    pub(crate) left: u64,
    /// Sessions whose answers were erased, which count nowhere else but in `sessions`.
    pub(crate) erased: u64,
    pub(crate) answers: u64,
    pub(crate) earned: Amount,
}

/// The counts of a study.
#[derive(Debug)]
pub(crate) struct Census {
    study: Study,
    sessions: HashMap<Key, Visited>,
    /// Sessions that have not ended.
    open: BTreeSet<Key>,
    /// Claims whose sessions have not been seen.
    awaited: BTreeSet<Key>,
    /// The latest attempt at each place that was claimed since the census began.
    latest: BTreeMap<u32, u32>,
    /// Sessions to read next.
    queue: VecDeque<Key>,
    /// Sessions whose logs cannot be read.
    unreadable: BTreeSet<Key>,
    totals: Totals,
    /// Answers of the main phase by model and by item, or by stimulus in a study without items.
    models: Vec<u64>,
    items: Vec<u64>,
    /// Completed sessions by model.
    raters: Vec<u64>,
    completions: Completions,
    /// When the first session was opened, since the Unix epoch.
    opened: Option<Micros>,
    limit: SpeedLimit,
    /// Sessions with too many answers that came too fast.
    fast: BTreeSet<Key>,
    /// Completed sessions that a rule of the study excludes.
    excluded: BTreeSet<Key>,
    /// Whether every session that the store had was read.
    is_complete: bool,
    /// The session that was asked about last.
    asked: Option<Key>,
}

impl Census {
    pub(crate) fn new(study: &Study) -> Self {
        let stimuli = study.stimuli();
        let items = if stimuli.items().is_empty() { stimuli.all().len() } else { stimuli.items().len() };
        Self {
            sessions: HashMap::new(),
            open: BTreeSet::new(),
            awaited: BTreeSet::new(),
            latest: BTreeMap::new(),
            queue: VecDeque::new(),
            unreadable: BTreeSet::new(),
            totals: Totals::default(),
            models: vec![0; stimuli.sets().len()],
            items: vec![0; items],
            raters: vec![0; stimuli.sets().len()],
            completions: Completions::default(),
            opened: None,
            limit: SpeedLimit::of(study),
            fast: BTreeSet::new(),
            excluded: BTreeSet::new(),
            is_complete: false,
            asked: None,
            study: study.clone(),
        }
    }

    /// The counts; `None` until every log was read.
    pub(crate) fn totals(&self) -> Option<Totals> {
        self.is_complete.then_some(self.totals)
    }

    /// The number of sessions that were read so far.
    pub(crate) fn read_so_far(&self) -> u64 {
        self.totals.sessions
    }

    /// The number of sessions whose logs cannot be read.
    pub(crate) fn unreadable(&self) -> u64 {
        self.unreadable.len() as u64
    }

    /// All sessions that were read.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = (Key, &Visited)> {
        self.sessions.iter().map(|(key, visited)| (*key, visited))
    }

    /// Sessions that have not ended.
    pub(crate) fn open(&self) -> impl Iterator<Item = (Key, &Visited)> {
        self.open.iter().filter_map(|key| Some((*key, self.sessions.get(key)?)))
    }

    pub(crate) fn session(&self, key: Key) -> Option<&Visited> {
        self.sessions.get(&key)
    }

    /// The session of a rater, the latest if there are several.
    pub(crate) fn session_of(&self, rater: &str) -> Option<Key> {
        self.sessions().filter(|(_, visited)| *visited.rater == *rater).map(|(key, _)| key).max()
    }

    /// Answers of the main phase by set.
    pub(crate) fn models(&self) -> &[u64] {
        &self.models
    }

    /// Answers of the main phase by item, or by stimulus in a study without items.
    pub(crate) fn items(&self) -> &[u64] {
        &self.items
    }

    /// Completed sessions by set.
    pub(crate) fn raters(&self) -> &[u64] {
        &self.raters
    }

    pub(crate) fn completions(&self) -> &Completions {
        &self.completions
    }

    /// When the first session was opened, since the Unix epoch; `None` if none has a page.
    pub(crate) fn opened_at(&self) -> Option<Micros> {
        self.opened
    }

    pub(crate) fn limit(&self) -> SpeedLimit {
        self.limit
    }

    /// Sessions with too many answers that came too fast.
    pub(crate) fn fast(&self) -> impl Iterator<Item = (Key, &Visited)> {
        self.fast.iter().filter_map(|key| Some((*key, self.sessions.get(key)?)))
    }

    /// The completed sessions that a rule of the study excludes.
    pub(crate) fn excluded_by_rule(&self) -> &BTreeSet<Key> {
        &self.excluded
    }

    /// Takes events that this process has appended to a session's log at a position.
    pub(crate) fn appended(&mut self, session: &str, at: u64, events: &[Event]) {
        let Some(key) = place_and_attempt(session) else { return };
        let known = self.sessions.get(&key).map_or(0, |visited| visited.events);
        if known == at {
            self.add(key, events);
            // The checks need the whole log.
            if self.sessions.get(&key).is_some_and(|visited| visited.ending.is_some()) {
                self.queue.push_back(key);
            }
        } else if known > 0 && known < at {
            self.queue.push_back(key);
        }
    }

    /// Takes the log of a session.
    pub(crate) fn read(&mut self, key: Key, log: Vec<Event>) {
        if log.is_empty() && self.latest.get(&key.0).is_some_and(|attempt| *attempt > key.1) {
            // The place has gone to someone else, and the session was never opened.
            self.awaited.remove(&key);
        }
        if let [opening, Event::Erased(erased)] = &log[..] {
            return self.erase(key, opening, erased);
        }
        let known = self.sessions.get(&key).map_or(0, |visited| visited.events);
        let new = usize::try_from(known).ok().and_then(|known| log.get(known..)).unwrap_or_default();
        self.add(key, new);
        if let Some(visited) = self.sessions.get_mut(&key)
            && visited.ending.is_some()
            && visited.checks.is_none()
        {
            visited.check(&self.study, log);
            if visited.is_excluded_by_rule() {
                self.excluded.insert(key);
            }
        }
    }

    /// Takes a session whose answers were erased. Answers by model and item stay as they were counted before.
    fn erase(&mut self, key: Key, opening: &Event, erased: &Erased) {
        if !self.sessions.contains_key(&key) {
            self.add(key, std::slice::from_ref(opening));
        }
        let Some(visited) = self.sessions.get_mut(&key).filter(|visited| !visited.is_erased) else { return };
        let totals = &mut self.totals;
        totals.answers = totals.answers.saturating_sub(visited.answered.into());
        match visited.ending {
            Some(Ending::Completed) => totals.completed -= 1,
            Some(Ending::Disqualified) => totals.disqualified -= 1,
            Some(Ending::Left) => totals.left -= 1,
            Some(Ending::ScreenedOut) => totals.screened_out -= 1,
            _ => {}
        }
        let was_open = visited.ending.is_none();
        visited.erase(erased);
        totals.erased += 1;
        // Earnings stay.
        if was_open {
            totals.earned = totals.earned.plus(visited.earned);
        }
        self.open.remove(&key);
        self.fast.remove(&key);
        self.excluded.remove(&key);
    }

    fn add(&mut self, key: Key, events: &[Event]) {
        let Some(first) = events.first() else { return };
        let visited = match self.sessions.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let Some(visited) = Visited::opened_by(first) else {
                    self.unreadable.insert(key);
                    self.awaited.remove(&key);
                    return;
                };
                self.totals.sessions += 1;
                self.open.insert(key);
                self.awaited.remove(&key);
                new.insert(visited)
            }
        };
        for event in events {
            if let Some(answered) = visited.add(event, self.limit) {
                self.totals.answers += 1;
                if answered.shown.phase == Phase::Main {
                    count(&self.study, answered, &mut self.models, &mut self.items);
                }
            }
        }
        if let Some(opened) = visited.opened_at() {
            self.opened = Some(self.opened.map_or(opened, |first| first.min(opened)));
        }
        if self.limit.is_exceeded_by(visited.fast, visited.answered) {
            self.fast.insert(key);
        } else {
            self.fast.remove(&key);
        }
        let Some(ending) = visited.ending else { return };
        if !self.open.remove(&key) {
            return;
        }
        self.totals.earned = self.totals.earned.plus(visited.earned);
        match ending {
            Ending::Completed => self.totals.completed += 1,
            Ending::Disqualified => self.totals.disqualified += 1,
            Ending::Left => self.totals.left += 1,
            Ending::ScreenedOut => self.totals.screened_out += 1,
            _ => {}
        }
        if ending == Ending::Completed {
            for model in &visited.models {
                if let Some(count) = self.raters.get_mut(usize::from(model.0)) {
                    *count += 1;
                }
            }
            if let Some(at) = visited.active_at() {
                self.completions.add(at);
            }
        }
    }

    /// Takes new entries of the log of places: sessions that were begun or continued, by any process.
    pub(crate) fn places_changed(&mut self, changes: &[PlaceChange]) {
        for change in changes {
            let Some(attempt) = change.state.holders.checked_sub(1) else { continue };
            let key = (change.place, attempt);
            self.latest.insert(change.place, attempt);
            match self.sessions.get(&key) {
                None if self.unreadable.contains(&key) => {}
                None => drop(self.awaited.insert(key)),
                Some(visited) if visited.ending.is_none() => self.queue.push_back(key),
                Some(_) => {}
            }
        }
    }

    /// At most `most` sessions to read: those that are known to have changed, then those that other processes may have
    /// begun or continued, in turn.
    fn due(&mut self, most: usize) -> Vec<Key> {
        let mut due: Vec<Key> = Vec::new();
        let mut taken = BTreeSet::new();
        while due.len() < most
            && let Some(key) = self.queue.pop_front()
        {
            if taken.insert(key) {
                due.push(key);
            }
        }
        let others: BTreeSet<Key> = self.awaited.union(&self.open).copied().collect();
        let from = self.asked.map_or((0, 0), |(place, attempt)| (place, attempt + 1));
        let turn = others.range(from..).chain(others.range(..from));
        for &key in turn.take(most.saturating_sub(due.len())) {
            self.asked = Some(key);
            if taken.insert(key) {
                due.push(key);
            }
        }
        due
    }
}

/// Counts an answer for the models and items that it is about.
fn count(study: &Study, answered: &Answered, models: &mut [u64], items: &mut [u64]) {
    let stimuli = study.stimuli();
    let mut judged: Vec<_> = match answered.shown.model {
        Some(model) => vec![model],
        None => {
            let sets = answered.shown.stimuli.iter().filter_map(|&id| stimuli.get(id));
            sets.map(|stimulus| stimulus.set).filter(|set| study.models().contains(set)).collect()
        }
    };
    judged.sort_unstable();
    judged.dedup();
    for set in judged {
        if let Some(count) = models.get_mut(usize::from(set.0)) {
            *count += 1;
        }
    }
    let by_item = !stimuli.items().is_empty();
    let mut about: Vec<u32> = answered
        .shown
        .stimuli
        .iter()
        .filter_map(|&id| {
            let stimulus = stimuli.get(id)?;
            if by_item { stimulus.item.map(|ItemId(item)| item) } else { Some(id.0) }
        })
        .collect();
    about.sort_unstable();
    about.dedup();
    for item in about {
        if let Some(count) = items.get_mut(item as usize) {
            *count += 1;
        }
    }
}

/// The name of an item, or of a stimulus in a study without items.
pub(crate) fn item_name(study: &Study, number: usize) -> Arc<str> {
    let stimuli = study.stimuli();
    match stimuli.items().get(number) {
        Some(item) => Arc::clone(&item.id),
        None => {
            // The folder of a set and the file in it.
            let path: &str = stimuli.all().get(number).map_or("", |stimulus| &stimulus.path);
            let begin = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
            path[begin..].into()
        }
    }
}
