//! The PostgreSQL store passes the suite, stays within its schema, and refuses invalid schemas and data.

#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_core::{Event, Micros, StoreError, StoreExt as _};
use hype_store::block_on;
use hype_store::{PostgresStore, store_conformance};

use crate::database::Database;

store_conformance!(postgres, Database::start().opener(), persistent);

fn events(count: u64) -> Vec<Event> {
    (0..count).map(|n| Event::Left { at: Micros(n) }).collect()
}

#[test]
fn studies_in_one_database_do_not_meet() {
    let database = Database::start();
    let [network, socket] = database.server.urls("one");
    let one = database.open(&network).unwrap();
    let two = database.open(&database.url("two")).unwrap();
    block_on(one.append_events("s", 0, &events(2))).unwrap();
    assert!(block_on(two.load("s")).unwrap().is_empty());
    block_on(two.append_events("s", 0, &events(1))).unwrap();
    let again = database.open(&socket).unwrap();
    assert_eq!(block_on(again.load("s")).unwrap(), events(2));
}

#[test]
fn the_database_itself_refuses_to_alter_logs() {
    let database = Database::start();
    let store = database.open(&database.url("study")).unwrap();
    block_on(store.append_events("s", 0, &events(3))).unwrap();
    for (change, reason) in [
        ("DELETE FROM study.events", "events are never altered or deleted"),
        ("UPDATE study.events SET event = '{}' WHERE number = 1", "events are never altered or deleted"),
        ("TRUNCATE study.events", "events are never altered or deleted"),
        ("TRUNCATE study.sessions CASCADE", "are never altered or deleted"),
        ("UPDATE study.sessions SET name = 'x'", "sessions are never altered or deleted"),
        ("INSERT INTO study.events VALUES (1, 0, '{}', '')", "duplicate key"),
        ("INSERT INTO study.events VALUES (2, 0, '{}', '')", "foreign key"),
    ] {
        let error = database.execute(change).unwrap_err();
        let text = error.as_db_error().unwrap().message().to_owned();
        assert!(text.contains(reason), "{change}: {text}");
    }
    assert_eq!(block_on(store.load("s")).unwrap(), events(3));
}

#[test]
fn gaps_and_foreign_texts_are_damage() {
    let database = Database::start();
    let store = database.open(&database.url("study")).unwrap();
    block_on(store.append_events("gap", 0, &events(1))).unwrap();
    block_on(store.append_events("text", 0, &events(1))).unwrap();
    database.execute("INSERT INTO study.events VALUES (1, 2, '{}', ''), (2, 1, 'x', '')").unwrap();
    for (session, reason) in [("gap", "has no event 1"), ("text", "event 1 cannot be read")] {
        match block_on(store.load(session)) {
            Err(StoreError::Damaged { reason: text, .. }) => assert!(text.contains(reason), "{text}"),
            other => panic!("{session}: {other:?}"),
        }
    }
}

/// Changes that circumvent the rules of the database are detected.
#[test]
fn altered_removed_and_moved_events_are_damage() {
    let database = Database::start();
    for (number, statements) in [
        "UPDATE events SET event = '{\"left\":{\"at\":41}}' WHERE number = 3",
        "DELETE FROM events WHERE number = 3; UPDATE events SET number = number - 1 WHERE number > 3",
        "UPDATE events SET number = 99 WHERE number = 3; UPDATE events SET number = 3 WHERE number = 4;
         UPDATE events SET number = 4 WHERE number = 99",
        "UPDATE events SET chain = '' WHERE number = 5",
    ]
    .into_iter()
    .enumerate()
    {
        let schema = format!("study{number}");
        let store = database.open(&database.url(&schema)).unwrap();
        block_on(store.append_events("s", 0, &events(8))).unwrap();
        let disable = format!("SET search_path = {schema}; ALTER TABLE events DISABLE TRIGGER USER");
        database.execute(&format!("{disable}; {statements}")).unwrap();
        match block_on(store.load("s")) {
            Err(StoreError::Damaged { reason: text, .. }) => {
                assert!(text.contains("was altered, removed or moved"), "{text}")
            }
            other => panic!("{statements}: {other:?}"),
        }
    }
}

#[test]
fn a_schema_of_something_else_or_of_another_version_is_refused() {
    let database = Database::start();
    let refused = |schema: &str, reason: &str| match database.open(&database.url(schema)) {
        Err(StoreError::Failed { reason: text, .. }) => assert!(text.contains(reason), "{text}"),
        other => panic!("{schema}: {other:?}"),
    };
    database.execute("CREATE SCHEMA other; CREATE TABLE other.t (a integer); CREATE SCHEMA bare").unwrap();
    refused("other", "not a store of hype");
    drop(database.open(&database.url("bare")).unwrap());
    for (schema, version, by) in [("newer", 99, "a newer hype"), ("older", 5, "an older hype")] {
        drop(database.open(&database.url(schema)).unwrap());
        database.execute(&format!("UPDATE {schema}.hype_version SET version = {version}")).unwrap();
        refused(schema, &format!("written by {by}: its tables have version {version}"));
    }
}

#[test]
fn a_server_that_does_not_answer_is_given_up_and_found_again() {
    let database = Database::start();
    let store = database.open(&database.url("study")).unwrap();
    block_on(store.append_events("s", 0, &events(1))).unwrap();
    assert_eq!(block_on(store.load("s")).unwrap().len(), 1);
    database.server.hang(true);
    let (appended, loaded) = database.runtime.block_on(async {
        let one = events(1);
        tokio::join!(store.append_events("s", 1, &one), store.load("s"))
    });
    for error in [appended.unwrap_err(), loaded.unwrap_err()] {
        assert!(error.is_retryable() && error.to_string().contains("has not answered"), "{error}");
    }
    database.server.hang(false);
    let length = loop {
        match block_on(store.append_events("s", 1, &events(1))) {
            Err(error) if error.is_retryable() => {}
            result => break result.unwrap(),
        }
    };
    assert_eq!(length, 2, "the append that was given up is not appended twice");
}

#[test]
fn a_server_out_of_reach_is_worth_another_try() {
    let mut database = Database::start();
    let url = database.url("study");
    let store = database.open(&url).unwrap();
    block_on(store.append_events("s", 0, &events(1))).unwrap();
    database.server.end("KILL");
    for _ in 0..3 {
        let error = block_on(store.append_events("s", 1, &events(1))).unwrap_err();
        assert!(error.is_retryable(), "{error}");
    }
    let error = database.open(&url).unwrap_err();
    assert!(error.is_retryable(), "{error}");
    database.server.run();
    let length = loop {
        match block_on(store.append_events("s", 1, &events(1))) {
            Err(error) if error.is_retryable() => {}
            result => break result.unwrap(),
        }
    };
    assert_eq!(length, 2);
    match block_on(PostgresStore::connect(&url)) {
        Err(StoreError::Failed { reason: text, .. }) => assert!(text.contains("tokio runtime"), "{text}"),
        other => panic!("{other:?}"),
    }
}
