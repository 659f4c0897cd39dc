//! What a plan says in words.

use hype_core::words::counted;
use hype_stats::power::{CrossedDesign, MeanSquares, VarianceShares, crossed};

use super::assumptions::Source;
use super::target::Target;
use super::{Plan, PlanError, PlanRow};

/// Numbers of raters up to which a warning says how little they show about other raters.
const FEW: u32 = 5;

/// One sentence of advice.
pub(super) fn sentence(plan: &Plan) -> String {
    if let Some(reached) = &plan.target {
        let what = goal(plan, reached.target);
        return match reached.raters.and_then(|raters| plan.rows.iter().find(|row| row.raters == raters)) {
            Some(row) => {
                let cost = row.costs.first().map_or_else(String::new, |cost| {
                    format!(", who are paid {} {} without fees", cost.total, cost.currency)
                });
                let by = plan.raters_by;
                format!("{what} takes {} a {by}{cost}.", counted(row.raters, "rater"))
            }
            None => {
                format!("{what} takes more than {} a {}.", counted(reached.tried, "rater"), plan.raters_by)
            }
        };
    }
    let Some(row) = plan.rows.iter().find(|row| row.raters == plan.declared).or(plan.rows.first()) else {
        return String::new();
    };
    let larger = plan.rows.iter().find(|other| other.raters >= 2 * row.raters);
    let by = plan.raters_by;
    let raters = counted(row.raters, "rater");
    let here_and_there = |of: fn(&PlanRow) -> Option<f64>| {
        let here = percent(of(row)?);
        let there = larger.and_then(|larger| Some((larger.raters, percent(of(larger)?))));
        Some((here, there))
    };
    let told = |row: &PlanRow| row.expected.power.or(row.expected.power_alone).map(|power| power.probability);
    match (&plan.closest, here_and_there(told)) {
        (Some([a, b]), Some((here, there))) => {
            let more = there.map_or_else(String::new, |(raters, share)| format!(", {raters} with {share}"));
            let order = here_and_there(|row| row.expected.order.map(|order| order.probability));
            let order = order.map_or_else(String::new, |(here, there)| {
                let there =
                    there.map_or_else(String::new, |(raters, share)| format!(", with {raters} in {share}"));
                format!("; the whole order comes out right in {here} of studies{there}")
            });
            format!("{raters} a {by} tell {a} from {b} with probability {here}{more}{order}.")
        }
        _ => match (row.expected.detectable, row.expected.width) {
            (Some(least), _) => {
                let least = amount(plan, least);
                format!("{raters} a {by} tell two models apart that differ by {least} with probability 80 %.")
            }
            (None, Some(width)) => {
                format!("{raters} a {by} give intervals of about ± {}.", amount(plan, 0.5 * width))
            }
            (None, None) => format!("{raters} a {by} give no interval of this measure."),
        },
    }
}

/// A target in words.
fn goal(plan: &Plan, target: Target) -> String {
    match target {
        Target::Width(width) if &*plan.measure.unit == "proportion" => {
            format!("an interval that is {width} percentage points wide")
        }
        Target::Width(width) => format!("an interval that is {width} {} wide", plan.measure.unit),
        Target::Power(power) => {
            let pair = plan.closest.as_ref().map_or_else(String::new, |[a, b]| format!("{a} from {b} "));
            format!("telling {pair}with probability {}", percent(power))
        }
        Target::Rank(rank) => format!("the right order with probability {}", percent(rank)),
    }
}

/// A value with its unit.
fn amount(plan: &Plan, value: f64) -> String {
    match &*plan.measure.unit {
        "proportion" => format!("{:.1} percentage points", 100.0 * value),
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

/// What the plan cannot say.
pub(super) fn warnings(plan: &Plan) -> Result<Vec<String>, PlanError> {
    let mut warnings = Vec::new();
    if plan.assumptions.synthetic {
        warnings.push("synthetic raters do as they are told: a pilot with people says more".to_owned());
    }
    if plan.assumptions.source == Source::Pilot {
        let least = plan.assumptions.models.iter().filter_map(|model| model.raters).min();
        if let Some(least) = least.filter(|&least| least < 10) {
            warnings.push(format!(
                "a pilot of {} a model knows little about how much raters differ: plan by the upper limit",
                counted(least, "rater")
            ));
        }
    }
    if let Some(row) = plan.rows.iter().rfind(|row| (2..=FEW).contains(&row.raters)) {
        // A large difference, and shares of variance that Westfall, Kenny and Judd (2014) take as typical.
        let typical = VarianceShares {
            error: 0.3,
            raters: 0.2,
            stimuli: 0.2,
            raters_by_stimuli: 0.1,
            raters_by_condition: 0.1,
            stimuli_by_condition: 0.1,
        };
        let counts = [f64::from(row.raters), f64::INFINITY];
        let found = crossed(CrossedDesign::Crossed, 0.5, typical, counts, MeanSquares::Matching, 0.05)?;
        warnings.push(format!(
            "{} who all judge the same show a difference of half a standard deviation to be true of other raters with probability \
             {}, however many images they see",
            counted(row.raters, "rater"),
            percent(found.power)
        ));
    }
    Ok(warnings)
}
