//! Checks on money: the hourly pay, what a panel can pay, and the spending limit.

use crate::diagnostics::Diagnostics;
use crate::model::units::Amount;
use crate::plugin::task::{Effort, Profile};
use crate::protocol::cost::ExpectedCost;
use crate::protocol::payment::Payment;
use crate::protocol::raters::Raters;
use crate::protocol::terms::{HourlyPay, PanelTerms, minutes_told};

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
        check_decimals(payment, at);
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
                        "the backend of this study makes no payments, and the limit has no effect",
                    )
                    .help("remove it, or use a backend that pays, such as `kind: prolific`");
            }
            None => {}
        }
    });
}

/// Currencies whose amounts have no decimals, and those whose amounts have three (ISO 4217, minor units). All others have two.
const WITHOUT_DECIMALS: [&str; 16] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF",
    "XPF",
];
const WITH_THREE_DECIMALS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// The number of decimals of a currency's amounts.
fn decimals(currency: &str) -> u32 {
    match currency {
        _ if WITHOUT_DECIMALS.contains(&currency) => 0,
        _ if WITH_THREE_DECIMALS.contains(&currency) => 3,
        _ => 2,
    }
}

/// Checks that amounts are paid as they are stated.
fn check_decimals(payment: &Payment, at: &mut Diagnostics) {
    let (currency, decimals) = (&payment.currency, decimals(&payment.currency));
    let unit = 10_u64.pow(6 - decimals);
    let limit = payment.limit.unwrap_or_default();
    for (field, amount) in [("base", payment.base), ("per_correct", payment.per_correct), ("limit", limit)] {
        if amount.0 % unit != 0 {
            let of_currency = match decimals {
                0 => "no decimals".to_owned(),
                decimals => format!("{decimals} decimals"),
            };
            at.field(field)
                .error(
                    "too-many-decimals",
                    format!("amounts in {currency} have {of_currency}, and `{field}` is {amount}"),
                )
                .help("round it: raters then receive exactly what they earn");
        }
    }
}

fn hours(effort: Option<Effort>) -> Option<f64> {
    let hours = effort?.duration.as_secs_f64() / 3_600.0;
    (hours > 0.0).then_some(hours)
}

/// Rounded up to a cent, for advice.
fn up_to_a_cent(units: f64) -> f64 {
    // Nine digits: 1.10 is not rounded up as a little more.
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

/// Checks that a panel can pay what the study promises.
fn check_panel(payment: &Payment, terms: &PanelTerms, at: &mut Diagnostics) {
    let name = &terms.name;
    if let [first, ..] = *terms.currencies
        && !terms.currencies.contains(&&*payment.currency)
    {
        let known = terms.currencies.join(" or ");
        at.field("currency")
            .error("bad-currency", format!("{name} pays in {known}, not in {}", payment.currency))
            .help(format!("write `currency: {first}`, with amounts in it"));
    }
    if terms.needs_reward && payment.base == Amount(0) {
        at.field("base")
            .error("no-reward", format!("{name} lists no work without a reward, and `base` is 0"))
            .help("write what raters get for taking part, such as `base: 1.00`");
    }
}

/// Checks that the reward reaches the hourly pay that the panel asks for: by the minutes that people are told, which the panel itself
/// computes it from, and by those of a typical session.
fn check_hourly(payment: &Payment, terms: &PanelTerms, effort: Option<Effort>, at: &mut Diagnostics) {
    let Some(HourlyPay { least, recommended }) = terms.hourly else { return };
    let (name, currency, base) = (&terms.name, &payment.currency, payment.base);
    let minutes = minutes_told(terms.minutes, effort.map(|effort| effort.duration));
    let told = f64::from(minutes) / 60.0;
    let raise = |hours: f64| format!("raise `base` to {:.2} or more", up_to_a_cent(least.as_units() * hours));
    // In whole millionths, as the panel does: a reward of just the least is enough.
    if u128::from(base.0) * 60 < u128::from(least.0) * u128::from(minutes) {
        at.field("base")
            .error(
                "low-hourly-pay",
                format!(
                    "{name} refuses a reward below {least} {currency} an hour and recommends {recommended} {currency}: people are \
                     told that a session takes {minutes} min, for which a reward of {base} {currency} is {:.2} {currency} an \
                     hour, and bonuses do not count",
                    base.as_units() / told
                ),
            )
            .help(format!("{}, or make sessions shorter", raise(told)));
    } else if let Some(hours) = hours(effort)
        && base.as_units() / hours < least.as_units()
    {
        at.field("base")
            .warning(
                "low-hourly-pay",
                format!(
                    "{name} asks for a reward of at least {least} {currency} an hour by the time that people really take: a \
                     typical session of {:.0} min is longer than they are told, and {base} {currency} for it is {:.2} \
                     {currency} an hour",
                    hours * 60.0,
                    base.as_units() / hours
                ),
            )
            .help(format!("{}, or state the minutes that a session takes", raise(hours)));
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
                .help("raise it, or ask for fewer raters: recruiting stops once it is reached");
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
            currencies: vec!["USD", "GBP"],
            needs_reward: true,
            hourly: Some(HourlyPay { least: Amount(8_000_000), recommended: Amount(12_000_000) }),
            minutes: None,
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
            ["payment.base too-many-decimals", "payment.per_correct too-many-decimals"]
        );
        assert_eq!(check(paid(0, 100_000_000)), ["payment.base no-reward", "payment.base low-hourly-pay"]);
        assert_eq!(faults(None, 7, Some(&panel)), ["payment no-reward"]);
        let euros = Payment { currency: "EUR".into(), ..paid(1_000_000, 100_000_000) };
        assert_eq!(faults(Some(euros.clone()), 7, Some(&panel)), ["payment.currency bad-currency"]);
        let any = PanelTerms { currencies: Vec::new(), ..prolific() };
        assert_eq!(faults(Some(euros), 7, Some(&any)), [""; 0]);
    }

    #[test]
    fn amounts_have_the_decimals_of_their_currency() {
        let check = |currency: &str, base: u64| {
            faults(
                Some(Payment {
                    currency: currency.into(),
                    ..Payment { base: Amount(base), ..Payment::default() }
                }),
                7,
                None,
            )
        };
        assert_eq!(check("JPY", 150_000_000), [""; 0]);
        assert_eq!(check("JPY", 500_000), ["payment.base too-many-decimals"]);
        assert_eq!(check("KWD", 1_005_000), [""; 0]);
        assert_eq!(check("KWD", 1_000_500), ["payment.base too-many-decimals"]);
        assert_eq!(check("USD", 1_005_000), ["payment.base too-many-decimals"]);
    }

    #[test]
    fn rewards_reach_the_hourly_pay_of_the_panel() {
        let panel = prolific();
        let raters = Raters { payment: Some(paid(1_000_000, 100_000_000)), ..Raters::default() };
        let effort = Effort { duration: Micros(12 * 60_000_000), correct: 50.0 };
        let mut at = Diagnostics::new();
        check(&raters, &Profile { effort: Some(effort), ..Profile::new(100) }, 30, Some(&panel), &mut at);
        let error = &at.as_slice()[0];
        assert_eq!(
            error.message,
            "Prolific refuses a reward below 8.00 USD an hour and recommends 12.00 USD: people are told that a session takes 12 \
             min, for which a reward of 1.00 USD is 5.00 USD an hour, and bonuses do not count"
        );
        assert_eq!(error.help.as_deref(), Some("raise `base` to 1.60 or more, or make sessions shorter"));
        // Just the least by what people are told, which is less than they need.
        let check = |base, told, minutes| {
            let terms = PanelTerms { minutes: Some(told), ..prolific() };
            faults(Some(paid(base, 900_000_000)), minutes, Some(&terms))
        };
        assert_eq!(check(1_600_000, 12, 7), [""; 0]);
        assert_eq!(check(1_590_000, 12, 7), ["payment.base low-hourly-pay"]);
        assert_eq!(check(1_600_000, 12, 13), ["payment.base low-hourly-pay"]);
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
        assert_eq!(faults(Some(paid(1_000_000, 10_000)), 7, None), ["payment.limit unused-limit"]);
        assert_eq!(faults(Some(Payment { limit: None, ..paid(1_000_000, 10_000) }), 7, None), [""; 0]);
    }

    #[test]
    fn advice_is_in_whole_cents() {
        assert_eq!(up_to_a_cent(1.1), 1.1);
        assert_eq!(up_to_a_cent(8.0 * 12.0 / 60.0), 1.6);
        assert_eq!(up_to_a_cent(1.001), 1.01);
    }
}
