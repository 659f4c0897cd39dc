//! `hype crowd plan`: the listings that would be created, with their filters, texts and costs.

use std::sync::Arc;

use hype::Opening;
use hype::backends::crowd::settings::{ListingSettings, RejectionRule};
use hype::plan::{Sessions, sessions};
use hype_core::plugin::surroundings::Purpose;
use hype_core::protocol::cost::{CostPurpose, ExpectedCost};
use hype_core::protocol::fees::Fees;
use hype_core::protocol::terms::{PanelTerms, minutes_told};
use hype_core::words::counted;
use hype_core::{Amount, BackendSpec, Payment, Recruitment, Registry, SpecPart, Study};
use schemars::JsonSchema;
use serde::Serialize;

use super::connected::{own_backend, recruits};
use crate::args::CrowdPlanArguments;
use crate::failure::Failure;
use crate::grid::Grid;
use crate::opening::open;
use crate::output::{Page, print_json};

/// The plan of a recruiting study.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "A plan to recruit of hype")]
pub(crate) struct CrowdPlan {
    /// The study's name.
    study: Arc<str>,
    /// The panel's name for people.
    panel: Arc<str>,
    /// The number of places of each listing; empty if people list the study by hand.
    listings: Vec<u32>,
    /// Sessions that have to be completed.
    sessions: u32,
    /// The title that people read.
    title: Arc<str>,
    /// The description of the work that people read.
    description: Arc<str>,
    /// Words by which people find the study.
    keywords: Vec<Arc<str>>,
    /// The minutes that people are told a session takes.
    minutes: u32,
    /// The most minutes that a rater has.
    minutes_at_most: u32,
    /// The fewest and the most minutes that the platform lets raters have; absent if it has no such bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    minutes_allowed: Option<[u32; 2]>,
    /// The days after which the study admits no one else.
    days: u32,
    /// Who may take part.
    audience: Vec<String>,
    /// The rules by which work is rejected, as the spec declares them.
    rejected: Vec<RejectionRule>,
    /// The effort of a session.
    session: Sessions,
    /// The minutes of a session of a typical rater, by the task's own estimate; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    typical_minutes: Option<f64>,
    /// The cost; absent if raters are not paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<PlannedMoney>,
}

/// The raters' pay, and its cost with the fees of each platform.
#[derive(Debug, Serialize, JsonSchema)]
struct PlannedMoney {
    /// The currency, by its ISO 4217 code.
    currency: Arc<str>,
    /// Where the number of right answers comes from: `estimated` by the task for a typical rater, or `simulated`.
    from: &'static str,
    /// The pay for a completed session.
    session: Amount,
    /// The pay for all completed sessions.
    completed: Amount,
    /// The number of raters who are expected to fail the qualification, and get the reward.
    disqualified: u64,
    /// The expected payments by purpose.
    payments: Vec<PlannedPayments>,
    /// The raters' pay in all.
    total: Amount,
    /// With the fees of platforms, the study's own first.
    platforms: Vec<PlatformCost>,
    /// The hourly pay at the median time; absent if the time is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    hourly: Option<PlannedHourly>,
    /// The spending limit; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Amount>,
    /// The cost that the HYPE paper reports for the same setting; absent for other studies.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<ReportedCost>,
}

/// Payments for one purpose.
#[derive(Debug, Serialize, JsonSchema)]
struct PlannedPayments {
    /// Their purpose.
    purpose: CostPurpose,
    /// The amount of each, on average.
    each: Amount,
    /// Their number.
    payments: u64,
    /// Their sum.
    total: Amount,
}

/// The cost at a platform.
#[derive(Debug, Serialize, JsonSchema)]
struct PlatformCost {
    /// The platform, and the kind of its customer or listing where fees differ.
    platform: Arc<str>,
    /// Whether it is the study's own.
    is_own: bool,
    /// Its fees.
    fees: Amount,
    /// The raters' pay and its fees.
    total: Amount,
}

/// The hourly pay at the median time of synthetic raters, or at that of a typical rater if it is longer.
#[derive(Debug, Serialize, JsonSchema)]
struct PlannedHourly {
    /// The minutes of a session.
    minutes: f64,
    /// Of the reward alone.
    reward: Amount,
    /// With a typical bonus.
    with_bonus: Amount,
    /// Of the reward alone by the minutes that people are told, from which the platform computes it; absent if it asks for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_platform: Option<Amount>,
    /// The platform's minimum for the reward alone; absent if it states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<Amount>,
    /// The platform's recommendation; absent if it states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<Amount>,
}

/// The cost that a paper reports for the same setting.
#[derive(Debug, Serialize, JsonSchema)]
struct ReportedCost {
    /// The paper.
    source: &'static str,
    /// The cost of one model that it reports.
    model: Amount,
    /// The same for all models of the study.
    total: Amount,
}

pub(super) fn run(arguments: &CrowdPlanArguments) -> Result<(), Failure> {
    let opened = open(Opening::of(&arguments.spec).to(Purpose::Simulate), arguments.json, |_| {})?;
    let plan = planned(&opened.study, arguments.cohort)?;
    if arguments.json {
        return print_json(&plan);
    }
    let mut page = Page::default();
    plan_on(&mut page, &plan);
    page.print()
}

fn planned(study: &Study, cohort: u32) -> Result<CrowdPlan, Failure> {
    let spec = study.spec();
    let own = recruits(own_backend(study)?)?;
    let facts = own.facts();
    let payment = spec.protocol.payment.clone().unwrap_or_default();
    let terms = facts.terms(&payment.currency);
    let told = minutes_told(own.listing().minutes, study.profile().effort.map(|effort| effort.duration));
    let allowed = own.allowed_minutes(told);
    let session = sessions(study, cohort)?;
    let ListingSettings { title, description, keywords, days, .. } = own.listing();
    Ok(CrowdPlan {
        study: Arc::clone(&spec.name),
        panel: Arc::clone(&terms.name),
        listings: listings(study.places(), facts.limits.map(|limits| limits.places_per_listing)),
        sessions: study.places(),
        title: Arc::clone(title),
        description: Arc::clone(description),
        keywords: keywords.clone(),
        minutes: told,
        minutes_at_most: own.listing().longest(study),
        minutes_allowed: (allowed != (1..=u32::MAX)).then(|| [*allowed.start(), *allowed.end()]),
        days: *days,
        audience: audience(&facts.audience, &spec.collection.recruitment),
        rejected: own.review_rules().reject.clone(),
        cost: money(study, &session, &terms, told),
        session,
        typical_minutes: typical_minutes(study),
    })
}

/// The number of places of each listing.
fn listings(places: u32, at_most: Option<u32>) -> Vec<u32> {
    let Some(at_most) = at_most else { return Vec::new() };
    let whole = places / at_most;
    let rest = places % at_most;
    (0..whole).map(|_| at_most).chain((rest > 0).then_some(rest)).collect()
}

/// The minutes of a session of a typical rater.
fn typical_minutes(study: &Study) -> Option<f64> {
    study.profile().effort.map(|effort| effort.duration.as_secs_f64() / 60.0)
}

fn audience(of_platform: &[String], recruitment: &Recruitment) -> Vec<String> {
    let mut audience = of_platform.to_vec();
    let Recruitment { qualified_by, exclude_participants_of, hold_open } = recruitment;
    audience.extend(
        qualified_by
            .as_ref()
            .map(|study| format!("people who have qualified in {study}; they skip the qualification")),
    );
    audience
        .extend(exclude_participants_of.iter().map(|study| format!("no one who has taken part in {study}")));
    audience.extend(hold_open.as_ref().map(|retainer| {
        format!(
            "at most {} at a time until `hype crowd call`, who wait up to {} for {} an hour each",
            counted(retainer.raters.get(), "rater"),
            counted(retainer.minutes_at_most.get(), "minute"),
            retainer.per_hour
        )
    }));
    audience
}

fn money(study: &Study, session: &Sessions, terms: &PanelTerms, told: u32) -> Option<PlannedMoney> {
    // As `check` computes it: both have to agree on whether a limit suffices.
    let profile = study.profile();
    let estimated = profile
        .effort
        .map(|effort| (effort.correct, profile.passing.map_or(1.0, |passing| passing.probability)));
    let (correct, passing) = estimated.unwrap_or((session.correct.unwrap_or(0.0), session.passing));
    let cost = ExpectedCost::of(study.raters(), correct, passing, study.places())?;
    let payment = study.raters().payment.as_ref()?;
    let payments = cost.parts.iter().map(|part| PlannedPayments {
        purpose: part.purpose,
        each: part.each,
        payments: part.payments,
        total: part.pay(),
    });
    let others = others().into_iter().filter(|fees| fees.label() != terms.fees.label());
    let platforms = std::iter::once(terms.fees.clone()).chain(others).enumerate().map(|(place, fees)| {
        let (platform, is_own) = (fees.label().into(), place == 0);
        PlatformCost { platform, is_own, fees: cost.fee(&fees), total: cost.with(&fees) }
    });
    Some(PlannedMoney {
        from: if estimated.is_some() { "estimated" } else { session.from },
        session: cost.session,
        completed: cost.session.times(u64::from(study.places())),
        disqualified: cost.disqualified,
        payments: payments.collect(),
        total: cost.pay(),
        platforms: platforms.collect(),
        hourly: longer(session.minutes, typical_minutes(study))
            .and_then(|minutes| hourly(payment, &cost, (minutes, told), terms)),
        limit: payment.limit,
        reported: reported(study, payment),
        currency: cost.currency,
    })
}

/// The prices of the platforms that this program knows, to compare with, the lowest first.
fn others() -> Vec<Fees> {
    let mut prices: Vec<Fees> =
        default_backends().iter().filter_map(|one| Some(one.recruits()?.prices())).flatten().collect();
    prices.sort_by(|a, b| a.share().total_cmp(&b.share()));
    prices
}

/// The backends of this program with their default settings.
fn default_backends() -> Vec<Box<dyn BackendSpec>> {
    let Ok(registry) = Registry::linked() else { return Vec::new() };
    let of_kind = |kind| serde_json::from_value(serde_json::json!({ "kind": kind })).ok();
    registry.of(SpecPart::Backend).filter_map(|entry| of_kind(entry.kind)).collect()
}

/// The longer of two times. Synthetic raters do not take the time that people need to look.
fn longer(simulated: Option<f64>, typical: Option<f64>) -> Option<f64> {
    match (simulated, typical) {
        (Some(simulated), Some(typical)) => Some(simulated.max(typical)),
        (simulated, typical) => simulated.or(typical),
    }
}

fn hourly(
    payment: &Payment,
    cost: &ExpectedCost,
    (minutes, told): (f64, u32),
    terms: &PanelTerms,
) -> Option<PlannedHourly> {
    if minutes <= 0.0 {
        return None;
    }
    // Rounded down to a cent.
    let hourly_of =
        |amount: Amount, minutes: f64| Amount((amount.as_units() * 6_000.0 / minutes) as u64 * 10_000);
    let hourly = |amount: Amount| hourly_of(amount, minutes);
    Some(PlannedHourly {
        minutes,
        reward: hourly(payment.base),
        with_bonus: hourly(cost.session),
        by_platform: terms.hourly.map(|_| hourly_of(payment.base, f64::from(told))),
        least: terms.hourly.map(|hourly| hourly.least),
        recommended: terms.hourly.map(|hourly| hourly.recommended),
    })
}

/// Returns the cost of one model with 30 raters in Zhou et al. (2019, section 5), if the study has their setting.
fn reported(study: &Study, payment: &Payment) -> Option<ReportedCost> {
    let is_theirs = payment.currency.as_ref() == "USD"
        && (payment.base, payment.per_correct) == (Amount(1_000_000), Amount(20_000))
        && study.raters().per_model == 30
        && study.raters().per_item.is_none();
    let model = match study.task().typetag_name() {
        "hype_time" if is_theirs => Amount(360_000_000),
        "hype_infinity" if is_theirs => Amount(60_000_000),
        _ => return None,
    };
    let total = model.times(study.models().len() as u64);
    Some(ReportedCost { source: "the HYPE paper", model, total })
}

fn plan_on(page: &mut Page, plan: &CrowdPlan) {
    let sessions = counted(plan.sessions, "session");
    match &*plan.listings {
        [] => page
            .line(format_args!("{}: {sessions} of people from {}, listed by hand", plan.study, plan.panel)),
        [_] => page.line(format_args!("{}: {sessions} in one listing of {}", plan.study, plan.panel)),
        [first, ..] => page.line(format_args!(
            "{}: {sessions} in {} of {}, of at most {} each",
            plan.study,
            counted(plan.listings.len(), "listing"),
            plan.panel,
            counted(first, "place")
        )),
    }
    page.line("");
    let Some(cost) = &plan.cost else {
        page.line("raters are not paid");
        page.line("");
        return read_on(page, plan);
    };
    cost_on(page, cost);
    page.line("");
    hourly_on(page, plan, cost);
    match cost.limit {
        Some(limit) => {
            page.line(format_args!("nothing is spent beyond the limit of {limit} {}", cost.currency))
        }
        None => page.line("nothing limits what is spent: write `payment.limit`"),
    }
    page.line("");
    read_on(page, plan);
}

/// Writes what people read, who may take part, and how long.
fn read_on(page: &mut Page, plan: &CrowdPlan) {
    page.line(format_args!("  title        {}", plan.title));
    page.line(format_args!("  description  {}", plan.description));
    if !plan.keywords.is_empty() {
        page.line(format_args!("  keywords     {}", plan.keywords.join(", ")));
    }
    page.line(format_args!(
        "  time         about {} min, {} min at most; no one enters after {}",
        plan.minutes,
        plan.minutes_at_most,
        counted(plan.days, "day")
    ));
    if let Some([least, most]) = plan.minutes_allowed {
        page.line(format_args!("               {} lets people have {least} to {most} min", plan.panel));
    }
    for (place, who) in plan.audience.iter().enumerate() {
        page.line(format_args!("  {:<12} {who}", if place == 0 { "for" } else { "" }));
    }
    for (place, rule) in plan.rejected.iter().enumerate() {
        let label = if place == 0 { "rejected" } else { "" };
        page.line(format_args!("  {label:<12} work that fails `{}`: {}", rule.check, rule.reason));
    }
}

fn cost_on(page: &mut Page, cost: &PlannedMoney) {
    let currency = &cost.currency;
    page.line(format_args!(
        "a completed session pays about {} {currency} ({}), all of them {} {currency}",
        cost.session, cost.from, cost.completed
    ));
    if cost.disqualified > 0 {
        page.line(format_args!(
            "{} expected to fail the qualification, and get the reward",
            counted(cost.disqualified, "rater")
        ));
    }
    let mut payments = Grid::new(["paid for", "payments", "each", currency]).right_from(1);
    for part in &cost.payments {
        payments.row([
            part.purpose.name().to_owned(),
            part.payments.to_string(),
            part.each.to_string(),
            part.total.to_string(),
        ]);
    }
    payments.row(["in all".to_owned(), String::new(), String::new(), cost.total.to_string()]);
    page.table(&payments);
    page.line("");
    let mut platforms = Grid::new(["with the fees of", "fees", currency]).right_from(1);
    for platform in &cost.platforms {
        let own = if platform.is_own { " (this study)" } else { "" };
        platforms.row([
            format!("{}{own}", platform.platform),
            platform.fees.to_string(),
            platform.total.to_string(),
        ]);
    }
    page.table(&platforms);
    if let Some(reported) = &cost.reported {
        let several = if reported.total == reported.model {
            String::new()
        } else {
            format!(", {} {currency} for all models of this study", reported.total)
        };
        page.line(format_args!(
            "{} reports about {} {currency} for a model{several}; what this study pays follows from its own settings",
            reported.source, reported.model
        ));
    }
}

fn hourly_on(page: &mut Page, plan: &CrowdPlan, cost: &PlannedMoney) {
    let currency = &cost.currency;
    let Some(hourly) = &cost.hourly else {
        page.line("how long a session takes is not known");
        return;
    };
    let whose = match plan.session.minutes_of {
        "plan" => Some("as `plan` says"),
        "synthetic" => Some("the median of synthetic raters"),
        _ => None,
    };
    let known = plan.session.minutes.zip(whose).map(|(minutes, whose)| format!("{minutes:.1} min, {whose}"));
    let typical = plan.typical_minutes.map(|minutes| format!("{minutes:.1} min for a typical rater"));
    let times: Vec<String> = known.into_iter().chain(typical).collect();
    page.line(format_args!("a session takes {}", times.join(", and ")));
    page.line(format_args!(
        "at {:.1} min, the reward is {} {currency} an hour, {} {currency} with a typical bonus",
        hourly.minutes, hourly.reward, hourly.with_bonus
    ));
    if let Some(by_platform) = hourly.by_platform {
        page.line(format_args!(
            "{} computes {by_platform} {currency} an hour, by the {} min that people are told",
            plan.panel, plan.minutes
        ));
    }
    match (hourly.least, hourly.recommended) {
        (Some(least), Some(recommended)) => page.line(format_args!(
            "{} asks for a reward of at least {least} {currency} an hour, and recommends {recommended} {currency}",
            plan.panel
        )),
        _ => page.line(format_args!("{} asks for no hourly pay in {currency}", plan.panel)),
    }
}
