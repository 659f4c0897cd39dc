//! What is checked of money: the hourly pay, what a panel can pay, and the spending limit.

use crate::diagnostics::Diagnostics;
use crate::model::units::Amount;
use crate::plugin::task::{Effort, Profile};
use crate::protocol::cost::ExpectedCost;
use crate::protocol::payment::Payment;
use crate::protocol::raters::Raters;
use crate::protocol::terms::{HourlyPay, PanelTerms};

/// A cent, the smallest amount that panels pay.
const CENT: u64 = 10_000;

/// Checks the section `payment`, if there is one, and that there is one where a panel needs it. The path is that of `raters`.
pub(super) fn check(
    raters: &Raters,
    profile: &Profile,
    places: u32,
    terms: Option<&PanelTerms>,
    at: &mut Diagnostics,
) {
    let Some(payment) = &raters.payment else {
        if let Some(terms) = terms.filter(|terms| terms.needs_reward) {
            at.field("payment")
                .error("no-reward", format!("{} lists no work without a reward", terms.name))
                .help("write what raters get, such as `payment: { base: 1.00 }`");
        }
        return;
    };
    at.within("payment", |at| {
        check_promise(payment, profile.effort, at);
        match terms {
            Some(terms) => {
                check_panel(payment, terms, at);
                check_hourly(payment, terms, profile.effort, at);
                check_limit(raters, payment, profile, places, terms, at);
            }
            None if payment.limit.is_some() => {
                at.field("limit")
                    .warning(
                        "unused-limit",
                        "the backend of this study pays nobody, so that the limit has no effect",
                    )
                    .help("remove it, or use a backend that pays, such as `kind: prolific`");
            }
            None => {}
        }
    });
}

fn hours(effort: Option<Effort>) -> Option<f64> {
    let hours = effort?.duration.as_secs_f64() / 3_600.0;
    (hours > 0.0).then_some(hours)
}

/// Rounded up to a cent, for advice.
fn up_to_a_cent(units: f64) -> f64 {
    // Nine digits, so that 1.10 is not taken for a little more.
    ((units * 1e9).round() / 1e7).ceil() / 100.0
}

/// Checks that a typical session earns the hourly pay that the study promises.
fn check_promise(payment: &Payment, effort: Option<Effort>, at: &mut Diagnostics) {
    let (Some(minimum), Some(effort), Some(hours)) = (payment.minimum_hourly, effort, hours(effort)) else {
        return;
    };
    let pay = payment.base.as_units() + payment.per_correct.as_units() * effort.correct;
    let hourly = pay / hours;
    if hourly < minimum.as_units() {
        at.field("minimum_hourly")
            .warning(
                "low-pay",
                format!(
                    "a typical session of {:.0} min earns {pay:.2} {currency}, which is {hourly:.2} {currency} \
                     an hour, below the minimum of {minimum} {currency}",
                    hours * 60.0,
                    currency = payment.currency
                ),
            )
            .help(format!(
                "raise `base` to {:.2} or more",
                payment.base.as_units() + (minimum.as_units() - hourly) * hours + 0.005
            ));
    }
}

/// Checks that a panel can pay what the study promises, to the cent.
fn check_panel(payment: &Payment, terms: &PanelTerms, at: &mut Diagnostics) {
    let name = &terms.name;
    if let Some(currency) = terms.currency.filter(|currency| **currency != *payment.currency) {
        at.field("currency")
            .error("bad-currency", format!("{name} pays in {currency}, not in {}", payment.currency))
            .help(format!("write `currency: {currency}`"));
    }
    for (field, amount) in [("base", payment.base), ("per_correct", payment.per_correct)] {
        if amount.0 % CENT != 0 {
            at.field(field)
                .error("fraction-of-a-cent", format!("{name} pays whole cents, and `{field}` is {amount}"))
                .help("round it to a cent, so that raters get just what they earn");
        }
    }
    if terms.needs_reward && payment.base == Amount(0) {
        at.field("base")
            .error("no-reward", format!("{name} lists no work without a reward, and `base` is 0"))
            .help("write what raters get for taking part, such as `base: 1.00`");
    }
}

/// Checks that the reward of a typical session reaches the hourly pay that the panel asks for.
fn check_hourly(payment: &Payment, terms: &PanelTerms, effort: Option<Effort>, at: &mut Diagnostics) {
    let (Some(HourlyPay { least, recommended }), Some(hours)) = (terms.hourly, hours(effort)) else { return };
    let hourly = payment.base.as_units() / hours;
    if hourly < least.as_units() {
        at.field("base")
            .warning(
                "low-hourly-pay",
                format!(
                    "{} asks for a reward of at least {least} {currency} an hour and recommends {recommended} {currency}: a \
                     session of {:.0} min with a reward of {} {currency} is {hourly:.2} {currency} an hour, and bonuses do \
                     not count",
                    terms.name,
                    hours * 60.0,
                    payment.base,
                    currency = payment.currency
                ),
            )
            .help(format!(
                "raise `base` to {:.2} or more, or make sessions shorter",
                up_to_a_cent(least.as_units() * hours)
            ));
    }
}

/// Checks that there is a spending limit that the study is expected to keep.
fn check_limit(
    raters: &Raters,
    payment: &Payment,
    profile: &Profile,
    places: u32,
    terms: &PanelTerms,
    at: &mut Diagnostics,
) {
    let correct = profile.effort.map(|effort| effort.correct);
    let passing = profile.passing.map_or(1.0, |passing| passing.probability);
    // Bonuses of tasks that cannot say how many answers are right are unknown.
    let cost = correct
        .or((payment.per_correct == Amount(0)).then_some(0.0))
        .and_then(|correct| Some(ExpectedCost::of(raters, correct, passing, places)?.with(&terms.fees)));
    let label = terms.fees.label();
    let currency = &payment.currency;
    match (payment.limit, cost) {
        (None, cost) => {
            let help = cost.map_or_else(
                || "write `limit`, the most that may be spent with fees".to_owned(),
                |cost| {
                    format!(
                        "write `limit`, the most that may be spent: the study is expected to cost {cost} {currency} with the \
                         fees of {label}"
                    )
                },
            );
            at.field("limit").warning("no-limit", "nothing limits what is spent on raters").help(help);
        }
        (Some(limit), Some(cost)) if limit < cost => {
            at.field("limit")
                .warning(
                    "low-limit",
                    format!(
                        "the study is expected to cost {cost} {currency} with the fees of {label}, more than the limit of \
                         {limit} {currency}"
                    ),
                )
                .help("raise it, or ask for fewer raters: nobody else is recruited once it is reached");
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::Micros;
    use crate::protocol::fees::{Fees, Share};

    fn prolific() -> PanelTerms {
        PanelTerms {
            name: "Prolific".into(),
            fees: Fees::new("Prolific, academic", Share::of(0.333).unwrap()).in_cents(),
            currency: None,
            needs_reward: true,
            hourly: Some(HourlyPay { least: Amount(8_000_000), recommended: Amount(12_000_000) }),
        }
    }

    /// The faults of a payment for sessions of so many minutes with 50 right answers, each with its path.
    fn faults(payment: Option<Payment>, minutes: u64, terms: Option<&PanelTerms>) -> Vec<String> {
        let effort = Effort { duration: Micros(minutes * 60_000_000), correct: 50.0 };
        let profile = Profile { effort: Some(effort), ..Profile::new(100) };
        let raters = Raters { payment, ..Raters::default() };
        let mut at = Diagnostics::new();
        check(&raters, &profile, 30, terms, &mut at);
        at.iter().map(|one| format!("{} {}", one.path, one.code)).collect()
    }

    fn paid(base: u64, limit: u64) -> Payment {
        let limit = Some(Amount(limit));
        Payment { base: Amount(base), per_correct: Amount(20_000), limit, ..Payment::default() }
    }

    #[test]
    fn a_panel_gets_what_it_can_pay() {
        let panel = prolific();
        let check = |payment: Payment| faults(Some(payment), 7, Some(&panel));
        assert_eq!(check(paid(1_000_000, 100_000_000)), [""; 0]);
        assert_eq!(
            check(Payment { per_correct: Amount(5_000), ..paid(1_005_000, 100_000_000) }),
            ["payment.base fraction-of-a-cent", "payment.per_correct fraction-of-a-cent"]
        );
        assert_eq!(check(paid(0, 100_000_000)), ["payment.base no-reward", "payment.base low-hourly-pay"]);
        assert_eq!(faults(None, 7, Some(&panel)), ["payment no-reward"]);
        let dollars = PanelTerms { currency: Some("USD"), ..prolific() };
        let euros = Payment { currency: "EUR".into(), ..paid(1_000_000, 100_000_000) };
        assert_eq!(faults(Some(euros), 7, Some(&dollars)), ["payment.currency bad-currency"]);
    }

    #[test]
    fn rewards_reach_the_hourly_pay_of_the_panel() {
        let panel = prolific();
        let raters = Raters { payment: Some(paid(1_000_000, 100_000_000)), ..Raters::default() };
        let effort = Effort { duration: Micros(12 * 60_000_000), correct: 50.0 };
        let mut at = Diagnostics::new();
        check(&raters, &Profile { effort: Some(effort), ..Profile::new(100) }, 30, Some(&panel), &mut at);
        let warning = &at.as_slice()[0];
        assert_eq!(
            warning.message,
            "Prolific asks for a reward of at least 8.00 USD an hour and recommends 12.00 USD: a session of 12 min with a \
             reward of 1.00 USD is 5.00 USD an hour, and bonuses do not count"
        );
        assert_eq!(warning.help.as_deref(), Some("raise `base` to 1.60 or more, or make sessions shorter"));
    }

    #[test]
    fn there_is_a_limit_that_the_study_can_keep() {
        let panel = prolific();
        let check = |limit: Option<u64>| {
            let payment = Payment { limit: limit.map(Amount), ..paid(1_000_000, 0) };
            faults(Some(payment), 7, Some(&panel))
        };
        // 30 rewards of 1.00 and bonuses of 1.00, each with a fee of 34 cents.
        assert_eq!(check(Some(80_400_000)), [""; 0]);
        assert_eq!(check(Some(80_390_000)), ["payment.limit low-limit"]);
        assert_eq!(check(None), ["payment.limit no-limit"]);
        assert_eq!(faults(Some(paid(1_000_000, 1)), 7, None), ["payment.limit unused-limit"]);
        assert_eq!(faults(Some(Payment { limit: None, ..paid(1_000_000, 1) }), 7, None), [""; 0]);
    }

    #[test]
    fn advice_is_in_whole_cents() {
        assert_eq!(up_to_a_cent(1.1), 1.1);
        assert_eq!(up_to_a_cent(8.0 * 12.0 / 60.0), 1.6);
        assert_eq!(up_to_a_cent(1.001), 1.01);
    }
}
