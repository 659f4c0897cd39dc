//! Proof of who has come, at panels that sign the addresses of the page.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::web::wire::request::Arrival;

/// Checks what a panel has signed of the address of an arrival.
#[async_trait]
pub trait ArrivalProof: Debug + Send + Sync {
    /// The parameters that the panel has signed for a page at an address; `None` if the arrival has no signature, or not one of the
    /// panel's for this page and this time.
    async fn signed(&self, arrival: &Arrival, page: &str) -> Option<Arrival>;
}
