//! Advice on a plan, in words.

use hype_core::words::counted;
use hype_stats::power::{CrossedDesign, MeanSquares, VarianceShares, crossed};

use super::assumptions::AssumptionSource;
use super::outlook::Chance;
use super::target::{PlanTarget, TargetReached};
use super::{PlanError, PlanRow, SHARE, StudyPlan};

/// Numbers of raters up to which a warning says how little they show about other raters.
const FEW: u32 = 5;

/// The power below which a warning says that more raters do not make up for few items.
const ENOUGH: f64 = 0.8;

/// Returns the advice in a sentence; a second one is about a declared test of equivalence.
pub(super) fn sentence(plan: &StudyPlan) -> String {
    if let Some(reached) = &plan.target {
        return needed(plan, reached);
    }
    let Some(row) = plan.rows.iter().find(|row| row.raters == plan.declared).or(plan.rows.first()) else {
        return String::new();
    };
    let larger = plan.rows.iter().find(|other| other.raters >= 2 * row.raters);
    let raters = raters(plan, row.raters);
    let verb = |many: &'static str, one: &'static str| if row.raters == 1 { one } else { many };
    let here_and_there = |of: fn(&PlanRow) -> Option<Chance>| {
        let here = percent(of(row)?.probability);
        let there = larger.and_then(|larger| Some((larger.raters, percent(of(larger)?.probability))));
        Some((here, there))
    };
    let more = |there: Option<(u32, String)>| {
        there.map_or_else(String::new, |(raters, share)| format!(", {raters} with {share}"))
    };
    let told = here_and_there(|row| row.expected.power.or(row.expected.power_alone));
    let first = match (&plan.closest, told) {
        (Some([a, b]), Some((here, there))) => {
            let order = here_and_there(order_of_several);
            let order = order.map_or_else(String::new, |(here, there)| {
                let there =
                    there.map_or_else(String::new, |(raters, share)| format!(", with {raters} in {share}"));
                format!("; the whole order comes out right in {here} of studies{there}")
            });
            let tell = verb("tell", "tells");
            format!("{raters} {tell} {a} from {b} with probability {here}{}{order}.", more(there))
        }
        _ => match (row.expected.detectable, row.expected.width) {
            (Some(least), _) => {
                let least = amount(plan, least);
                let tell = verb("tell", "tells");
                format!("{raters} {tell} two models apart that differ by {least} with probability 80 %.")
            }
            (None, Some(width)) => {
                let give = verb("give", "gives");
                format!("{raters} {give} intervals of about ± {}.", amount(plan, 0.5 * width))
            }
            (None, None) => format!("{raters} {} no interval of this measure.", verb("give", "gives")),
        },
    };
    let equivalent = here_and_there(|row| row.expected.within_margin);
    match (&plan.equivalence, &plan.measure.reference, equivalent) {
        (Some(goal), Some(reference), Some((here, there))) => {
            let (model, margin) = (&goal.model, amount(plan, goal.margin));
            let reference = match &*plan.measure.unit {
                SHARE => format!("{} %", (1e3 * reference.value).round() / 10.0),
                unit => format!("{} {unit}", reference.value).trim_end().to_owned(),
            };
            format!(
                "{first} {raters} {} {model} to be within {margin} of {reference} with probability {here}{}.",
                verb("show", "shows"),
                more(there)
            )
        }
        _ => first,
    }
}

/// The probability of the right order; `None` where it is that of the best model coming first, as with two models.
fn order_of_several(row: &PlanRow) -> Option<Chance> {
    let best = row.expected.best.map_or(1.0, |best| best.probability);
    row.expected.order.filter(|order| (order.probability - best).abs() > 1e-6)
}

/// How many raters a target needs.
fn needed(plan: &StudyPlan, reached: &TargetReached) -> String {
    let goal = goal(plan, reached.target);
    match reached.raters.and_then(|raters| plan.rows.iter().find(|row| row.raters == raters)) {
        Some(row) => {
            let cost = row.costs.first().map_or_else(String::new, |cost| {
                let are = if row.sessions == 1 { "is" } else { "are" };
                format!(", who {are} paid {} {} without fees", cost.total, cost.currency)
            });
            format!("To {goal}, the study needs {}{cost}.", raters(plan, row.raters))
        }
        None => match (reached.target, plan.measure.bias) {
            (PlanTarget::Width(width), Some(bias)) if width <= 2.0 * bias => format!(
                "No number of raters is enough to {goal}: intervals allow for a bias of {bias} {} to both sides.",
                plan.measure.unit
            ),
            _ => format!("To {goal}, the study needs more than {}.", raters(plan, reached.tried)),
        },
    }
}

/// A number of raters of each model or item.
fn raters(plan: &StudyPlan, number: u32) -> String {
    format!("{} {}", counted(number, "rater"), plan.each())
}

/// A target in words.
fn goal(plan: &StudyPlan, target: PlanTarget) -> String {
    match target {
        PlanTarget::Width(width) => {
            let width = match &*plan.measure.unit {
                SHARE => format!("{width} percentage points"),
                unit => format!("{width} {unit}").trim_end().to_owned(),
            };
            format!("have no interval wider than {width}")
        }
        PlanTarget::Power(power) => {
            let [a, b] = plan.closest.as_ref().map_or(["the best model", "the next"], |[a, b]| [&**a, &**b]);
            format!("tell {a} from {b} with probability {}", percent(power))
        }
        PlanTarget::Rank(rank) => format!("find the right order with probability {}", percent(rank)),
    }
}

/// A value with its unit.
fn amount(plan: &StudyPlan, value: f64) -> String {
    match &*plan.measure.unit {
        SHARE => format!("{:.1} percentage points", 100.0 * value),
        unit => format!("{value:.3} {unit}").trim_end().to_owned(),
    }
}

/// A probability in whole percent; a simulated or computed one is never certain.
fn percent(share: f64) -> String {
    match 100.0 * share {
        high if high >= 99.5 => "over 99 %".to_owned(),
        low if low < 0.5 => "under 1 %".to_owned(),
        other => format!("{other:.0} %"),
    }
}

/// Returns the limits of the plan. `items` is the number of items where results generalize to other items.
/// `asked` says that the numbers of raters were asked for: each of them matters.
pub(super) fn warnings(plan: &StudyPlan, items: Option<u32>, asked: bool) -> Result<Vec<String>, PlanError> {
    let mut warnings = Vec::new();
    if plan.assumptions.synthetic {
        warnings.push("synthetic raters do as they are told: a pilot with people says more".to_owned());
    }
    if plan.assumptions.source == AssumptionSource::Pilot {
        let least = plan.assumptions.models.iter().filter_map(|model| model.raters).min();
        if let Some(least) = least.filter(|&least| least < 10) {
            warnings.push(format!(
                "a pilot of {} a model knows little about how much raters differ: plan by the upper limit",
                counted(least, "rater")
            ));
        }
    }
    let people = |row: &PlanRow| if plan.raters_by == "item" { row.sessions } else { row.raters };
    let few = |row: &&PlanRow| (2..=FEW).contains(&people(row));
    let reached = plan.target.as_ref().and_then(|target| target.raters);
    let meant = |row: &&PlanRow| row.raters == plan.declared || Some(row.raters) == reached;
    let asked_for = plan.rows.iter().filter(|_| asked);
    if let Some(row) = plan.rows.iter().filter(meant).chain(asked_for).find(few) {
        let few = people(row);
        warnings.push(format!(
            "{} say little about other raters: if all of them judge the same, they show a difference of half a standard deviation \
             with probability {}, however many {} they see",
            counted(few, "rater"),
            percent(limit([f64::from(few), f64::INFINITY], plan.level)?),
            plan.media.plural()
        ));
    }
    if let Some(items) = items.filter(|&items| items > 1) {
        let most = limit([f64::INFINITY, f64::from(items)], plan.level)?;
        if most < ENOUGH {
            warnings.push(format!(
                "{} say little about other items: they show a difference of half a standard deviation with probability {}, however \
                 many raters judge them",
                counted(items, "item"),
                percent(most)
            ));
        }
    }
    Ok(warnings)
}

/// The power of finding a difference of half a standard deviation with these numbers of raters and items, one of them without a
/// bound, where the shares of variance are typical.
fn limit(counts: [f64; 2], level: f64) -> Result<f64, PlanError> {
    let (design, typical) = (CrossedDesign::Crossed, VarianceShares::TYPICAL);
    Ok(crossed(design, 0.5, typical, counts, MeanSquares::Matching, 1.0 - level)?.power)
}
