//! A panel's fees for its service.

use std::sync::Arc;

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

/// A panel's fees for its service, on each payment.
///
/// # Examples
/// ```
/// use hype_core::protocol::fees::{Fees, Share};
/// use hype_core::Amount;
///
/// // A fifth, at least a cent.
/// let fees = Fees::new("a market", Share::of(0.2).unwrap()).at_least(Amount(10_000)).in_steps_of(Amount(10_000));
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

/// A cent, the smallest amount of panels.
const CENT: Amount = Amount(10_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_are_rounded_up_to_the_panels_smallest_amount() {
        let third = Fees::new("a third", Share::of(0.333).unwrap()).in_cents();
        assert_eq!(third.on(Amount(1_000_000)), Amount(340_000), "33.3 cents cost 34");
        assert_eq!(third.on(Amount(0)), Amount(0));
        let taxed = third.with_vat(Share::of(0.2).unwrap());
        assert_eq!(taxed.on(Amount(10_000_000)), Amount(4_000_000), "3.996 with tax");
        let fifth = Fees::new("a fifth", Share::of(0.2).unwrap()).at_least(CENT).in_cents();
        assert_eq!(fifth.on(Amount(10_000)), Amount(10_000), "at least a cent");
    }

    #[test]
    fn shares_are_exact_to_a_millionth() {
        assert_eq!(Share::of(0.333).map(Share::as_fraction), Some(0.333));
        assert_eq!(Share::of(-0.1), None);
        assert_eq!(Share::of(f64::NAN), None);
    }
}
