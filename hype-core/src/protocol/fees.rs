//! What a panel takes for its service.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::units::Amount;

/// Parts in a million.
const WHOLE: u128 = 1_000_000;

/// A share of an amount, exact to a millionth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    /// The share closest to a fraction, such as 0.2; `None` unless it is from 0 to 10.
    #[must_use]
    pub fn of(fraction: f64) -> Option<Self> {
        (0.0..=10.0).contains(&fraction).then(|| Self((fraction * WHOLE as f64).round() as u32))
    }

    /// The fraction.
    #[must_use]
    pub fn as_fraction(self) -> f64 {
        f64::from(self.0) / WHOLE as f64
    }

    /// The share of an amount, in full and without rounding below a millionth.
    fn of_amount(self, amount: Amount) -> u128 {
        u128::from(amount.0) * u128::from(self.0)
    }
}

/// What a panel takes for its service, of each payment.
///
/// # Examples
/// ```
/// use hype_core::protocol::fees::{Fees, Share};
/// use hype_core::Amount;
///
/// // A fifth, at least a cent.
/// let fees = Fees::new("MTurk", Share::of(0.2).unwrap()).at_least(Amount(10_000)).in_steps_of(Amount(10_000));
/// assert_eq!(fees.on(Amount(1_000_000)), Amount(200_000));
/// assert_eq!(fees.on(Amount(20_000)), Amount(10_000));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fees {
    /// The panel, and the kind of its customer where fees differ.
    label: Arc<str>,
    share: Share,
    /// The value-added tax on the fee.
    vat: Share,
    least: Amount,
    step: Amount,
}

impl Fees {
    /// Fees that are a share of what raters get.
    #[must_use]
    pub fn new(label: &str, share: Share) -> Self {
        Self { label: label.into(), share, vat: Share::default(), least: Amount(0), step: Amount(1) }
    }

    /// With value-added tax on the fee.
    #[must_use]
    pub fn with_vat(self, vat: Share) -> Self {
        Self { vat, ..self }
    }

    /// With a minimum for each payment, without tax.
    #[must_use]
    pub fn at_least(self, least: Amount) -> Self {
        Self { least, ..self }
    }

    /// Rounded up to the panel's smallest amount.
    #[must_use]
    pub fn in_steps_of(self, step: Amount) -> Self {
        Self { step: Amount(step.0.max(1)), ..self }
    }

    /// Rounded up to cents.
    #[must_use]
    pub fn in_cents(self) -> Self {
        self.in_steps_of(CENT)
    }

    /// The panel, and the kind of its customer where fees differ.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The share of what raters get, with tax.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.share.as_fraction() * (1.0 + self.vat.as_fraction())
    }

    /// The fee on one payment, with tax; none on nothing.
    #[must_use]
    pub fn on(&self, amount: Amount) -> Amount {
        if amount == Amount(0) {
            return Amount(0);
        }
        let fee = self.share.of_amount(amount).max(u128::from(self.least.0) * WHOLE);
        let taxed = fee * (WHOLE + u128::from(self.vat.0));
        let step = u128::from(self.step.0) * WHOLE * WHOLE;
        let steps = taxed.div_ceil(step);
        Amount(u64::try_from(steps * u128::from(self.step.0)).unwrap_or(u64::MAX))
    }
}

/// Fees of Prolific, as of September 2026.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Customer {
    /// A university or another organisation that does research for the public: 33.3 %.
    #[default]
    Academic,
    /// Everybody else: 42.8 %.
    Corporate,
}

/// A cent, the smallest amount of panels.
const CENT: Amount = Amount(10_000);

impl Fees {
    /// Those of Prolific, as of September 2026, with the value-added tax on them.
    #[must_use]
    pub fn prolific(customer: Customer, vat: Share) -> Self {
        let (label, share) = match customer {
            Customer::Academic => ("Prolific, academic", 333_000),
            Customer::Corporate => ("Prolific, corporate", 428_000),
        };
        Self::new(label, Share(share)).with_vat(vat).in_cents()
    }

    /// Those of Amazon Mechanical Turk for listings of at most nine assignments or of more, with or without Masters: a fifth,
    /// as much again from ten assignments on, and 5 % for Masters, at least a cent for each assignment or bonus.
    #[must_use]
    pub fn mturk(assignments: u32, masters: bool) -> Self {
        let (label, share) = match assignments {
            0..=9 => ("MTurk", 200_000),
            _ => ("MTurk, ten or more assignments", 400_000),
        };
        let masters = if masters { 50_000 } else { 0 };
        Self::new(label, Share(share + masters)).at_least(CENT).in_cents()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_are_rounded_up_to_the_panels_smallest_amount() {
        let prolific = Fees::prolific(Customer::Academic, Share::default());
        assert_eq!(prolific.on(Amount(1_000_000)), Amount(340_000), "33.3 cents cost 34");
        assert_eq!(prolific.on(Amount(0)), Amount(0));
        let taxed = Fees::prolific(Customer::Academic, Share::of(0.2).unwrap());
        assert_eq!(taxed.on(Amount(10_000_000)), Amount(4_000_000), "3.996 with tax");
    }

    #[test]
    fn ten_assignments_double_the_fees_of_mechanical_turk() {
        let fee = |assignments, masters| Fees::mturk(assignments, masters).on(Amount(2_000_000));
        assert_eq!(fee(9, false), Amount(400_000));
        assert_eq!(fee(10, false), Amount(800_000));
        assert_eq!(fee(9, true), Amount(500_000));
        assert_eq!(Fees::mturk(9, false).on(Amount(10_000)), Amount(10_000), "at least a cent");
    }

    #[test]
    fn shares_are_exact_to_a_millionth() {
        assert_eq!(Share::of(0.333).map(Share::as_fraction), Some(0.333));
        assert_eq!(Share::of(-0.1), None);
        assert_eq!(Share::of(f64::NAN), None);
    }
}
