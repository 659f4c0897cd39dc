//! The rules of claims, the same for every store.

use hype_core::Micros;
use hype_core::store::{Claim, Lease};

/// A claimed place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) holder: String,
    pub(crate) until: Micros,
    pub(crate) done: bool,
}

/// Decides on a claim to a place, and says how the place is held then if that changes.
pub(crate) fn claim(held: Option<&Held>, lease: &Lease<'_>) -> (Claim, Option<Held>) {
    let mut until = lease.until;
    match held {
        Some(held) if held.done => return (Claim::Done, None),
        // A late repeat of an earlier claim must not shorten the lease.
        Some(held) if held.holder == lease.holder => until = until.max(held.until),
        Some(held) if held.until > lease.now => return (Claim::Held { until: held.until }, None),
        _ => {}
    }
    (Claim::Granted, Some(Held { holder: lease.holder.to_owned(), until, done: false }))
}

/// Whether a release by `holder` changes anything.
pub(crate) fn may_release(held: Option<&Held>, holder: &str) -> bool {
    held.is_some_and(|held| held.holder == holder && !held.done)
}
