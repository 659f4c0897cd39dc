//! Random operations on a store, compared with a model of plain maps.

use std::collections::BTreeMap;

use hype_core::model::ledger::LedgerEntry;
use hype_core::plugin::store::{Identity, Registered};
use hype_core::protocol::places::{ClaimRequest, Claimed, PlaceCounts, Places, Plan, Release};
use hype_core::study::places::PlacesLog;
use hype_core::{Digest, Event, Micros, Store, StoreError, StoreExt as _};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::conformance::ledger::entry;
use crate::conformance::samples::samples;
use crate::conformance::{Suite, journals, now, sound};

/// An operation.
#[derive(Debug, Clone)]
enum Operation {
    /// Appends a writer's events at the length of the log plus `off` minus 3.
    Append {
        session: u8,
        off: u8,
        writer: u32,
        count: usize,
    },
    /// Repeats an earlier append.
    Again(prop::sample::Index),
    Load {
        session: u8,
    },
    Sessions {
        after: Option<u8>,
        limit: usize,
    },
    Bind {
        study: u8,
    },
    Claim {
        places: u32,
        replacements: u32,
        holder: u8,
        at: u64,
        span: u64,
    },
    Prolong {
        place: u32,
        holder: u8,
        until: u64,
    },
    Answered {
        place: u32,
        holder: u8,
        until: u64,
    },
    Release {
        place: u32,
        holder: u8,
        why: Release,
    },
    ReopenPlace {
        place: u32,
        places: u32,
        replacements: u32,
        at: u64,
    },
    Suspend {
        place: u32,
        holder: u8,
        at: u64,
    },
    Count {
        places: u32,
        at: u64,
        replacements: u32,
    },
    Register {
        key: u8,
        holder: u8,
        sealed: Option<u8>,
    },
    Sealed {
        holder: u8,
    },
    Forget {
        holder: u8,
    },
    Redeem {
        link: u8,
        holder: u8,
    },
    Secret {
        fresh: u8,
    },
    /// Appends a writer's entry to the ledger at its length plus `off` minus 2.
    Entry {
        off: u8,
        writer: u32,
    },
    Reopen,
}

fn operation() -> impl Strategy<Value = Operation> {
    let append = (0..4_u8, prop_oneof![4 => Just(3_u8), 1 => 0..6_u8], 0..2_u32, 0..5_usize);
    prop_oneof![
        6 => append.prop_map(|(session, off, writer, count)| Operation::Append { session, off, writer, count }),
        2 => any::<prop::sample::Index>().prop_map(Operation::Again),
        2 => (0..5_u8).prop_map(|session| Operation::Load { session }),
        1 => (proptest::option::of(0..5_u8), 0..4_usize)
            .prop_map(|(after, limit)| Operation::Sessions { after, limit }),
        1 => (0..2_u8).prop_map(|study| Operation::Bind { study }),
        8 => (0..5_u32, 0..3_u32, 0..6_u8, 0..50_u64, 0..20_u64).prop_map(
            |(places, replacements, holder, at, span)| {
                Operation::Claim { places, replacements, holder, at, span }
            }
        ),
        3 => (0..5_u32, 0..6_u8, 0..60_u64)
            .prop_map(|(place, holder, until)| Operation::Prolong { place, holder, until }),
        3 => (0..5_u32, 0..6_u8, 0..60_u64)
            .prop_map(|(place, holder, until)| Operation::Answered { place, holder, until }),
        4 => (0..5_u32, 0..6_u8, release())
            .prop_map(|(place, holder, why)| Operation::Release { place, holder, why }),
        2 => (0..5_u32, 0..6_u32, 0..3_u32, 0..60_u64)
            .prop_map(|(place, places, replacements, at)| Operation::ReopenPlace { place, places, replacements, at }),
        2 => (0..5_u32, 0..6_u8, 0..60_u64)
            .prop_map(|(place, holder, at)| Operation::Suspend { place, holder, at }),
        2 => (0..6_u32, 0..60_u64, 0..3_u32)
            .prop_map(|(places, at, replacements)| Operation::Count { places, at, replacements }),
        2 => (0..3_u8, 0..3_u8, proptest::option::of(0..2_u8))
            .prop_map(|(key, holder, sealed)| Operation::Register { key, holder, sealed }),
        1 => (0..3_u8).prop_map(|holder| Operation::Sealed { holder }),
        1 => (0..3_u8).prop_map(|holder| Operation::Forget { holder }),
        1 => (0..2_u8, 0..3_u8).prop_map(|(link, holder)| Operation::Redeem { link, holder }),
        1 => any::<u8>().prop_map(|fresh| Operation::Secret { fresh }),
        3 => (prop_oneof![3 => Just(2_u8), 1 => 0..4_u8], 0..2_u32)
            .prop_map(|(off, writer)| Operation::Entry { off, writer }),
        1 => Just(Operation::Reopen),
    ]
}

fn release() -> impl Strategy<Value = Release> {
    prop_oneof![Just(Release::Completed), Just(Release::Answered), Just(Release::Unanswered)]
}

/// An append that was made.
type Appended = (String, u64, Vec<Event>);

#[derive(Default)]
struct Model {
    study: Option<Digest>,
    logs: BTreeMap<String, Vec<Event>>,
    appends: Vec<Appended>,
    places: BTreeMap<u32, Place>,
    keys: BTreeMap<u8, String>,
    sealed: BTreeMap<String, Vec<u8>>,
    links: BTreeMap<u8, String>,
    secret: Option<u8>,
    entries: Vec<LedgerEntry>,
    /// Two processes that alternate.
    ledgers: [PlacesLog; 2],
    turn: usize,
}

#[derive(Default)]
struct Place {
    holder: Option<String>,
    until: u64,
    /// Whether its holder neither suspended nor released it.
    held: bool,
    holders: u32,
    /// How many holders answered since the place was opened last.
    spent: u32,
    /// Whether the last holder is one of them.
    answered: bool,
    done: bool,
}

impl Place {
    fn answer(&mut self) {
        self.spent += u32::from(!self.answered);
        self.answered = true;
    }

    fn is_given_up(&self, replacements: u32, now: u64) -> bool {
        let is_held = self.held && self.until > now;
        !self.done && !is_held && self.spent > replacements
    }
}

impl Suite {
    /// Random operations have the same results as a model of plain maps.
    pub fn random_operations_agree_with_a_model(&self) {
        let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let run = runner.run(&vec(operation(), 1..80), |operations| {
            let mut fresh = self.fresh();
            let mut model = Model::default();
            for operation in operations {
                if matches!(operation, Operation::Reopen) && self.persistent {
                    fresh.store = (self.open)(fresh.folder.path());
                }
                model.step(&*fresh.store, &operation)?;
            }
            for (name, log) in &model.logs {
                prop_assert_eq!(&sound(fresh.store.load(name)), log);
            }
            prop_assert_eq!(journals::read::<LedgerEntry>(&*fresh.store, 0), model.entries);
            Ok(())
        });
        if let Err(failure) = run {
            panic!("{failure}");
        }
    }
}

impl Model {
    fn step(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        self.turn += 1;
        self.step_logs(store, operation)?;
        self.step_places(store, operation)?;
        self.step_plan(store, operation)?;
        self.step_people(store, operation)
    }

    /// Operations on the logs of sessions, on the ledger, and on the store as a whole.
    fn step_logs(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        match operation {
            Operation::Append { session, off, writer, count } => {
                let name = name(session);
                let length = self.logs.get(&name).map_or(0, Vec::len);
                let Some(expected) = (length + usize::from(*off)).checked_sub(3) else { return Ok(()) };
                // The events that this writer would have written at this position: some repeats are equal.
                let events = samples(*writer, expected + count).split_off(expected);
                self.append(store, (name, expected as u64, events))?;
            }
            Operation::Again(index) if !self.appends.is_empty() => {
                let append = index.get(&self.appends).clone();
                self.append(store, append)?;
            }
            Operation::Again(_) => {}
            Operation::Load { session } => {
                let log = self.logs.get(&name(session)).cloned().unwrap_or_default();
                prop_assert_eq!(sound(store.load(&name(session))), log);
            }
            Operation::Sessions { after, limit } => {
                let after = after.as_ref().map(name);
                let names = self.logs.keys().filter(|&name| after.as_ref().is_none_or(|after| name > after));
                let names: Vec<String> = names.take(*limit).cloned().collect();
                prop_assert_eq!(sound(store.sessions(after.as_deref(), *limit)), names);
            }
            Operation::Bind { study } => {
                let study = Digest::of(&[*study]);
                let bound = *self.study.get_or_insert(study);
                prop_assert_eq!(now(store.bind(study)).is_ok(), bound == study);
            }
            Operation::Entry { off, writer } => {
                let Some(number) = (self.entries.len() + usize::from(*off)).checked_sub(2) else {
                    return Ok(());
                };
                let entry = entry(2 * number as u32 + writer);
                if number == self.entries.len() {
                    self.entries.push(entry.clone());
                }
                let is_there = self.entries.get(number) == Some(&entry);
                prop_assert_eq!(journals::append(store, number as u64, &entry), is_there);
                let from = number.min(self.entries.len());
                let rest = journals::read::<LedgerEntry>(store, from as u64);
                prop_assert_eq!(&rest[..], &self.entries[from..]);
            }
            _ => {}
        }
        Ok(())
    }

    /// Operations of holders of places.
    fn step_places(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        match operation {
            Operation::Claim { places, replacements, holder, at, span } => {
                let holder = name(holder);
                let request = ClaimRequest { holder: &holder, now: Micros(*at), until: Micros(at + span) };
                let plan = Plan { places: *places, replacements: *replacements };
                let claim = |places: &mut Places| places.claim(plan, &request);
                let claimed = sound(self.ledger().claim(store, claim));
                self.claim(plan, &request, claimed)?;
            }
            Operation::Prolong { place, holder, until } => {
                let holder = name(holder);
                let held = self.held(*place, &holder);
                if let Some(place) = held {
                    place.until = place.until.max(*until);
                    place.held = true;
                }
                let holds = self.held(*place, &holder).is_some();
                let prolong = |places: &Places| places.prolong(*place, &holder, Micros(*until));
                prop_assert_eq!(sound(self.ledger().keep(store, prolong)), holds);
            }
            Operation::Answered { place, holder, until } => {
                let holder = name(holder);
                if let Some(place) = self.held(*place, &holder) {
                    place.until = place.until.max(*until);
                    place.held = true;
                    place.answer();
                }
                let holds = self.held(*place, &holder).is_some();
                let answered = |places: &Places| places.answered(*place, &holder, Micros(*until));
                prop_assert_eq!(sound(self.ledger().keep(store, answered)), holds);
            }
            Operation::Release { place, holder, why } => {
                let holder = name(holder);
                let release = |places: &Places| places.release(*place, &holder, *why);
                let released = sound(self.ledger().keep(store, release));
                prop_assert_eq!(released, self.held(*place, &holder).is_some());
                if let Some(place) = self.held(*place, &holder) {
                    (place.holder, place.held) = (None, false);
                    place.done = *why == Release::Completed;
                    if *why != Release::Unanswered {
                        place.answer();
                    }
                }
            }
            Operation::Suspend { place, holder, at } => {
                let holder = name(holder);
                let suspend = |places: &Places| places.suspend(*place, &holder, Micros(*at));
                let suspended = sound(self.ledger().keep(store, suspend));
                prop_assert_eq!(suspended, self.held(*place, &holder).is_some());
                if let Some(place) = self.held(*place, &holder) {
                    (place.held, place.until) = (false, *at);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Operations on a plan of places.
    fn step_plan(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        match operation {
            Operation::ReopenPlace { place, places, replacements, at } => {
                let plan = Plan { places: *places, replacements: *replacements };
                let reopen = |of: &mut Places| Some(((), of.reopen(plan, *place, Micros(*at))?));
                sound(self.ledger().refresh(store));
                let reopened = sound(self.ledger().change(store, reopen)).is_some();
                let given_up =
                    self.places.get_mut(place).filter(|place| place.is_given_up(*replacements, *at));
                prop_assert_eq!(reopened, given_up.is_some());
                if let Some(place) = given_up {
                    (place.held, place.spent) = (false, 0);
                }
            }
            Operation::Count { places, at, replacements } => {
                let held = |place: &&Place| place.held && place.until > *at;
                let count = |wanted: &dyn Fn(&&Place) -> bool| {
                    self.places.range(..places).map(|(_, place)| place).filter(wanted).count() as u32
                };
                let counts = PlaceCounts {
                    done: count(&|place| place.done),
                    held: count(&held),
                    given_up: count(&|place| place.is_given_up(*replacements, *at)),
                };
                sound(self.ledger().refresh(store));
                let plan = Plan { places: *places, replacements: *replacements };
                prop_assert_eq!(self.ledger().counts(plan, Micros(*at)), counts);
            }
            _ => {}
        }
        Ok(())
    }

    /// Operations on people, links and the secret.
    fn step_people(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        match operation {
            Operation::Register { key, holder, sealed } => {
                let holder = name(holder);
                let sealed = sealed.map(|sealed| vec![sealed; 3]);
                let wanted = bind(&mut self.keys, *key, &holder);
                if let (Registered::New, Some(sealed)) = (&wanted, &sealed) {
                    self.sealed.entry(holder.clone()).or_insert_with(|| sealed.clone());
                }
                let returned = sound(store.register(
                    Identity::Person(&format!("key {key}")),
                    &holder,
                    sealed.as_deref(),
                ));
                prop_assert_eq!(returned, wanted);
            }
            Operation::Sealed { holder } => {
                let sealed = self.sealed.get(&name(holder)).cloned();
                prop_assert_eq!(sound(store.sealed_of(&name(holder))), sealed);
            }
            Operation::Forget { holder } => {
                let holder = name(holder);
                sound(store.forget(&holder));
                self.keys.retain(|_, by| *by != holder);
                self.sealed.remove(&holder);
            }
            Operation::Redeem { link, holder } => {
                let wanted = bind(&mut self.links, *link, &name(holder));
                let link = format!("link {link}");
                prop_assert_eq!(sound(store.register(Identity::Link(&link), &name(holder), None)), wanted);
            }
            Operation::Secret { fresh } => {
                let secret = *self.secret.get_or_insert(*fresh);
                prop_assert_eq!(sound(store.secret([*fresh; 32])), [secret; 32]);
            }
            _ => {}
        }
        Ok(())
    }

    fn append(&mut self, store: &dyn Store, append: Appended) -> Result<(), TestCaseError> {
        let (name, expected, events) = &append;
        let log = self.logs.get(name).map_or(&[][..], Vec::as_slice);
        let found = log.len() as u64;
        let from_there = log.iter().skip(*expected as usize).take(events.len());
        let result = now(store.append_events(name, *expected, events));
        if *expected == found {
            prop_assert_eq!(result.ok(), Some(found + events.len() as u64));
            if !events.is_empty() {
                self.logs.entry(name.clone()).or_default().extend(events.iter().cloned());
            }
        } else if *expected < found && from_there.eq(events) {
            prop_assert_eq!(result.ok(), Some(found));
        } else {
            match result {
                Err(StoreError::Conflict { found: returned, .. }) => prop_assert_eq!(returned, found),
                other => prop_assert!(false, "expected a conflict, got {:?}", other),
            }
        }
        self.appends.push(append);
        Ok(())
    }

    /// The place, if it belongs to the holder.
    fn held(&mut self, place: u32, holder: &str) -> Option<&mut Place> {
        self.places.get_mut(&place).filter(|place| place.holder.as_deref() == Some(holder))
    }

    /// A holder obtains its own place, or else a free one. It is not always the first one that is free, as the other
    /// ledger may have released that since this one last read the log.
    fn claim(
        &mut self,
        plan: Plan,
        request: &ClaimRequest<'_>,
        claimed: Option<Claimed>,
    ) -> Result<(), TestCaseError> {
        let own = self.places.iter().find(|(_, place)| place.holder.as_deref() == Some(request.holder));
        let own = own.map(|(&number, _)| number);
        let free = |number: &u32| {
            self.places.get(number).is_none_or(|place| {
                let is_held = place.held && place.until > request.now.0;
                !is_held && !place.done && place.spent <= plan.replacements
            })
        };
        let Some(Claimed { place: number, attempt }) = claimed else {
            prop_assert_eq!(own.or_else(|| (0..plan.places).find(free)), None);
            return Ok(());
        };
        match own {
            Some(own) => prop_assert_eq!(number, own),
            None => prop_assert!(number < plan.places && free(&number), "place {} is not free", number),
        }
        let place = self.places.entry(number).or_default();
        if own.is_none() {
            place.holder = Some(request.holder.to_owned());
            place.holders += 1;
            place.answered = false;
            place.until = 0;
        }
        place.held = true;
        place.until = place.until.max(request.until.0);
        prop_assert_eq!(attempt, place.holders - 1);
        Ok(())
    }

    fn ledger(&self) -> &PlacesLog {
        &self.ledgers[self.turn % 2]
    }
}

fn bind(names: &mut BTreeMap<u8, String>, name: u8, holder: &str) -> Registered {
    if let Some(before) = names.get(&name) {
        return Registered::Before(before.clone());
    }
    names.insert(name, holder.to_owned());
    Registered::New
}

fn name(number: &u8) -> String {
    format!("session {number}")
}
