//! Random operations on a store beside a model of plain maps.

use std::collections::BTreeMap;

use hype_core::store::{Claim, Lease};
use hype_core::{Digest, Event, Micros, Store, StoreError};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::conformance::samples::samples;
use crate::conformance::{Suite, now, sound};

/// One operation.
#[derive(Debug, Clone)]
enum Operation {
    /// Appends a writer's events at the log's length plus `off`, less 3.
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
        place: u32,
        holder: u8,
        at: u64,
        span: u64,
    },
    Release {
        place: u32,
        holder: u8,
        done: bool,
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
        4 => (0..3_u32, 0..3_u8, 0..50_u64, 0..20_u64)
            .prop_map(|(place, holder, at, span)| Operation::Claim { place, holder, at, span }),
        2 => (0..3_u32, 0..3_u8, any::<bool>())
            .prop_map(|(place, holder, done)| Operation::Release { place, holder, done }),
        1 => Just(Operation::Reopen),
    ]
}

/// An append as it was made.
type Appended = (String, u64, Vec<Event>);

#[derive(Default)]
struct Model {
    study: Option<Digest>,
    logs: BTreeMap<String, Vec<Event>>,
    appends: Vec<Appended>,
    leases: BTreeMap<u32, (String, u64)>,
    done: Vec<u32>,
}

impl Suite {
    /// Random operations give what a model of plain maps gives.
    pub fn random_operations_agree_with_a_model(&self) {
        let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let run = runner.run(&vec(operation(), 1..40), |operations| {
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
            Ok(())
        });
        if let Err(failure) = run {
            panic!("{failure}");
        }
    }
}

impl Model {
    fn step(&mut self, store: &dyn Store, operation: &Operation) -> Result<(), TestCaseError> {
        let name = |session: &u8| format!("session {session}");
        match operation {
            Operation::Append { session, off, writer, count } => {
                let name = name(session);
                let length = self.logs.get(&name).map_or(0, Vec::len);
                let Some(expected) = (length + usize::from(*off)).checked_sub(3) else { return Ok(()) };
                // The events that this writer would have written there, so that some repeats are equal.
                let events = samples(*writer, expected + count).split_off(expected);
                self.append(store, (name, expected as u64, events))?;
            }
            Operation::Again(index) => {
                if !self.appends.is_empty() {
                    let append = index.get(&self.appends).clone();
                    self.append(store, append)?;
                }
            }
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
            Operation::Claim { place, holder, at, span } => {
                self.claim(store, *place, &name(holder), *at, at + span)?
            }
            Operation::Release { place, holder, done } => {
                let holder = name(holder);
                sound(store.release(*place, &holder, *done));
                if self.leases.get(place).is_some_and(|(by, _)| *by == holder) {
                    self.leases.remove(place);
                    if *done {
                        self.done.push(*place);
                    }
                }
            }
            Operation::Reopen => {}
        }
        Ok(())
    }

    fn append(&mut self, store: &dyn Store, append: Appended) -> Result<(), TestCaseError> {
        let (name, expected, events) = &append;
        let log = self.logs.get(name).map_or(&[][..], Vec::as_slice);
        let found = log.len() as u64;
        let from_there = log.iter().skip(*expected as usize).take(events.len());
        let result = now(store.append(name, *expected, events));
        if *expected == found {
            prop_assert_eq!(result.ok(), Some(found + events.len() as u64));
            if !events.is_empty() {
                self.logs.entry(name.clone()).or_default().extend(events.iter().cloned());
            }
        } else if *expected < found && from_there.eq(events) {
            prop_assert_eq!(result.ok(), Some(found));
        } else {
            match result {
                Err(StoreError::Conflict { found: told, .. }) => prop_assert_eq!(told, found),
                other => prop_assert!(false, "expected a conflict, got {:?}", other),
            }
        }
        self.appends.push(append);
        Ok(())
    }

    fn claim(
        &mut self,
        store: &dyn Store,
        place: u32,
        holder: &str,
        at: u64,
        until: u64,
    ) -> Result<(), TestCaseError> {
        let wanted = if self.done.contains(&place) {
            Claim::Done
        } else {
            match self.leases.get(&place) {
                Some((by, end)) if by != holder && *end > at => Claim::Held { until: Micros(*end) },
                _ => Claim::Granted,
            }
        };
        if wanted == Claim::Granted {
            let lease = self.leases.entry(place).or_insert_with(|| (holder.to_owned(), 0));
            *lease = (holder.to_owned(), if lease.0 == holder { lease.1.max(until) } else { until });
        }
        let lease = Lease { place, holder, now: Micros(at), until: Micros(until) };
        prop_assert_eq!(sound(store.claim(&lease)), wanted);
        Ok(())
    }
}
