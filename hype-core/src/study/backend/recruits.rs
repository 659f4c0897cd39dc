//! Backends that recruit people and pay them.

use super::{Backend, BackendError};
use crate::protocol::fees::Fees;
use crate::protocol::terms::PanelTerms;

/// A backend that recruits people and pays them. Programs ask it before any money is spent.
pub trait Recruits: Send + Sync {
    /// Returns the terms for money at the platform, in a currency.
    fn terms(&self, currency: &str) -> PanelTerms;

    /// Whether the program spends the money, which then has to be limited, with rehearsals kept apart; `false` if people pay by
    /// hand.
    fn pays(&self) -> bool;

    /// The platform's published prices, to compare with.
    fn prices(&self) -> Vec<Fees> {
        Vec::new()
    }

    /// Whether recruiting without real money stays without it. Programs ask before they make a folder for a rehearsal.
    ///
    /// # Errors
    /// If the settings name a service where money would be paid all the same.
    fn check_money(&self) -> Result<(), BackendError>;

    /// The same backend, which spends real money.
    fn in_production(&self) -> Box<dyn Backend>;
}
