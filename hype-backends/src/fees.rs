//! Prolific's fees, with which plans also compare where no raters are recruited.

use hype_core::protocol::fees::{Fees, Share};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fees of Prolific, as of September 2026.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Customer {
    /// A university or another organisation that does research for the public: 33.3 %.
    #[default]
    Academic,
    /// All others: 42.8 %.
    Corporate,
}

impl Customer {
    /// All kinds of customers.
    pub const ALL: [Self; 2] = [Self::Academic, Self::Corporate];

    /// Returns Prolific's fees for each payment, with the value-added tax on it.
    #[must_use]
    pub fn fees(self, vat: Share) -> Fees {
        let (label, share) = match self {
            Self::Academic => ("Prolific, academic", 0.333),
            Self::Corporate => ("Prolific, corporate", 0.428),
        };
        Fees::new(label, Share::of(share).unwrap_or_default()).with_vat(vat).in_cents()
    }
}

#[cfg(test)]
mod tests {
    use hype_core::Amount;

    use super::*;

    #[test]
    fn fees_are_rounded_up_to_cents() {
        let fees = Customer::Academic.fees(Share::default());
        assert_eq!(fees.on(Amount(1_000_000)), Amount(340_000), "33.3 cents cost 34");
        let taxed = Customer::Academic.fees(Share::of(0.2).unwrap());
        assert_eq!(taxed.on(Amount(10_000_000)), Amount(4_000_000), "3.996 with tax");
        let corporate = Customer::Corporate.fees(Share::of(0.2).unwrap());
        assert_eq!(corporate.on(Amount(10_000_000)), Amount(5_140_000), "5.136 in cents");
    }
}
