//! Conversion of database errors into store errors.

use std::error::Error as _;
use std::io;

use deadpool_postgres::PoolError;
use hype_core::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// SQL states after which the same call may succeed later, in addition to the classes of lost connections and
/// insufficient resources.
const PASSING: [&SqlState; 8] = [
    &SqlState::ADMIN_SHUTDOWN,
    &SqlState::CRASH_SHUTDOWN,
    &SqlState::CANNOT_CONNECT_NOW,
    &SqlState::QUERY_CANCELED,
    &SqlState::T_R_SERIALIZATION_FAILURE,
    &SqlState::T_R_DEADLOCK_DETECTED,
    &SqlState::LOCK_NOT_AVAILABLE,
    // A standby that is about to become the server.
    &SqlState::READ_ONLY_SQL_TRANSACTION,
];

pub(super) fn fault(error: Error) -> StoreError {
    let text = describe(&error);
    let fault = match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => StoreError::full(text),
        Some(code) if PASSING.contains(&code) || ["08", "53"].contains(&&code.code()[..2]) => {
            StoreError::unavailable(text)
        }
        Some(code) if [&SqlState::DATA_CORRUPTED, &SqlState::INDEX_CORRUPTED].contains(&code) => {
            StoreError::damaged(text)
        }
        Some(_) => StoreError::failed(text),
        None if error.is_closed() || error.source().is_some_and(|source| source.is::<io::Error>()) => {
            StoreError::unavailable(text)
        }
        None => StoreError::failed(text),
    };
    fault.caused_by(error)
}

pub(super) fn pool_fault(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => fault(error),
        PoolError::Timeout(_) => StoreError::unavailable("no connection to the database is free".to_owned()),
        other => StoreError::failed(other.to_string()).caused_by(other),
    }
}

/// The error with its causes, which its own message does not include.
fn describe(error: &Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}
