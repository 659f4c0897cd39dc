//! The model of R that matches a measure and its design.

use std::sync::Arc;

use hype_core::Measure;
use hype_core::model::score::MeasureScale;

use super::facts::{Facts, MOST_LEVELS};

/// The fewest items whose effects are a sample.
const FEWEST_ITEMS: usize = 5;
/// The most compared models for which each rater may have a taste of their own.
const MOST_TASTES: usize = 6;

/// The facts of the design that fits need in addition to the answers.
#[derive(Debug, Default)]
pub(super) struct Target {
    /// Whether results are about other items, too.
    pub(super) about_items: bool,
    /// Whether several items share a prompt.
    pub(super) clusters: bool,
    /// The columns of facets of models.
    pub(super) of_models: Vec<String>,
    /// The columns of the other facets that an aggregator uses.
    pub(super) others: Vec<String>,
    /// The models in their order.
    pub(super) order: Vec<Arc<str>>,
}

/// The family of values that a fit assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Numbers,
    Times,
    Levels,
    Shares,
    Votes,
    VotesWithTies,
    Grades,
}

/// A fit of a measure.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) measure: Arc<str>,
    pub(super) label: Arc<str>,
    pub(super) family: Family,
    /// The call of R that fits it.
    pub(super) call: String,
    /// The columns that means are grouped by, as in `~ model`; for comparisons, the facet's column.
    pub(super) by: String,
    /// The compared models.
    pub(super) models: Vec<Arc<str>>,
    /// Whether tastes of raters are left out, as there are too many models.
    pub(super) without_tastes: bool,
}

/// The fits of a measure, or why there is none.
pub(super) fn of(measure: &Measure, facts: &Facts, target: &Target) -> Result<Vec<Fit>, String> {
    let families = families(measure, facts)?;
    let present = |columns: &[String]| -> Vec<String> {
        let varies = |column: &&String| facts.levels.get(*column).is_some_and(|levels| levels.len() > 1);
        columns.iter().filter(varies).cloned().collect()
    };
    let others = present(&target.others);
    let mut facets: Vec<Option<String>> = others.into_iter().map(Some).collect();
    if facets.is_empty() {
        facets.push(None);
    }
    let of_models = present(&target.of_models);
    let fits = families.iter().flat_map(|&family| {
        facets.iter().map({
            let of_models = &of_models;
            move |facet| {
                if facts.compares {
                    of_differences(measure, facts, target, family, facet.as_deref())
                } else {
                    let facets: Vec<&str> = of_models.iter().chain(facet).map(String::as_str).collect();
                    of_models_at_levels(measure, facts, target, family, &facets)
                }
            }
        })
    });
    Ok(fits.collect())
}

/// Returns the families that fit the values of a measure.
fn families(measure: &Measure, facts: &Facts) -> Result<Vec<Family>, String> {
    if let Some(reason) = &measure.descriptive {
        return Err(format!("describes the procedure: {reason}"));
    }
    if measure.scale == Some(MeasureScale::Nominal) {
        return Err("its values are codes of categories without an order".into());
    }
    if !measure.is_compared() {
        return Err("neither direction is better: models are not compared by it".into());
    }
    if facts.values.len() < 2 {
        return Err(
            if facts.rows == 0 { "has no answers" } else { "has the same value in all answers" }.into()
        );
    }
    let is_single = |family| Ok(vec![family]);
    if facts.compares {
        return is_single(match (facts.has_only(&[0.0, 1.0]), facts.has_only(&[0.0, 0.5, 1.0])) {
            (true, _) => Family::Votes,
            (false, true) => Family::VotesWithTies,
            (false, false) => Family::Grades,
        });
    }
    let together = "of the models that were seen together";
    if facts.is_choice() {
        return Err(format!("each answer chooses one {together}: mclogit or mlogit fits such choices"));
    }
    if facts.is_ranking() {
        return Err(format!("each answer is an order {together}: PlackettLuce fits orders"));
    }
    if facts.has_only(&[0.0, 1.0]) {
        return is_single(Family::Shares);
    }
    if &*measure.unit == "ms" && facts.least > 0.0 {
        return is_single(Family::Times);
    }
    let are_levels = measure.scale == Some(MeasureScale::Ordinal)
        || measure.scale.is_none() && measure.unit.is_empty() && facts.values.len() <= MOST_LEVELS;
    Ok(if are_levels && facts.values.len() > 2 {
        vec![Family::Levels, Family::Numbers]
    } else {
        vec![Family::Numbers]
    })
}

/// The fit of values of single models.
fn of_models_at_levels(
    measure: &Measure,
    facts: &Facts,
    target: &Target,
    family: Family,
    facets: &[&str],
) -> Fit {
    let models = (facts.models.len() > 1).then_some("model");
    let factors: Vec<&str> = models.into_iter().chain(facets.iter().copied()).collect();
    let fixed = if factors.is_empty() { "1".to_owned() } else { factors.join(" * ") };
    let by = match (models, facets.is_empty()) {
        (Some(model), false) => format!("~ {model} | {}", facets.join(" * ")),
        _ => format!("~ {fixed}"),
    };
    let terms = terms(facts, target);
    let right = [fixed].into_iter().chain(terms.iter().cloned()).collect::<Vec<_>>().join(" + ");
    let (mixed, plain) = (!terms.is_empty(), "data = one)");
    let call = match family {
        Family::Levels if mixed => format!("clmm(level ~ {right}, {plain}"),
        Family::Levels => format!("clm(level ~ {right}, {plain}"),
        Family::Shares if mixed => {
            format!("glmer(value ~ {right}, family = binomial, control = bobyqa, {plain}")
        }
        Family::Shares => format!("glm(value ~ {right}, family = binomial, {plain}"),
        _ => {
            let left = if family == Family::Times { "log(value)" } else { "value" };
            format!("{}({left} ~ {right}, {plain}", if mixed { "lmer" } else { "lm" })
        }
    };
    fit(measure, family, call, by)
}

/// The random effects of raters and items.
fn terms(facts: &Facts, target: &Target) -> Vec<String> {
    let raters = facts.raters.len() as u64;
    let (of_raters, of_items) = (Facts::pairs(&facts.raters), Facts::pairs(&facts.items));
    let items = facts.items.len() as u64;
    let judges = raters > 1 && facts.rows > raters;
    let mut terms = Vec::new();
    let mut add = |there: bool, group: &str| terms.extend(there.then(|| format!("(1 | {group})")));
    add(judges, "rater");
    add(judges && of_raters > raters && facts.rows >= 2 * of_raters, "rater_model");
    let repeats = facts.items.len() >= FEWEST_ITEMS && facts.rows >= 2 * items;
    add(repeats, "item");
    add(repeats && target.about_items && of_items > items && facts.rows >= 2 * of_items, "output");
    add(target.clusters, "prompt");
    terms
}

/// The fit of comparisons of two models, by the columns `d1`, `d2` and so on of the models.
fn of_differences(
    measure: &Measure,
    facts: &Facts,
    target: &Target,
    family: Family,
    facet: Option<&str>,
) -> Fit {
    let known = |model: &&Arc<str>| facts.models.contains(&***model);
    let models: Vec<Arc<str>> = target.order.iter().filter(known).cloned().collect();
    let columns: Vec<String> = (1..=models.len()).map(|number| format!("d{number}")).collect();
    let strengths = columns[1.min(columns.len())..].join(" + ");
    let mut right = vec![facet.map_or_else(|| strengths.clone(), |facet| format!("({strengths}):{facet}"))];
    // With a fixed effect of the left side, a habit of each rater.
    right.push("(1 | rater)".into());
    let without_tastes = models.len() > MOST_TASTES;
    let repeats = facts.items.len() >= FEWEST_ITEMS && facts.rows >= 2 * facts.items.len() as u64;
    let units = [
        Some("rater"),
        (target.about_items && repeats).then_some(if target.clusters { "prompt" } else { "item" }),
    ];
    if !without_tastes {
        // The columns of two models are each other's opposites.
        let tastes = if columns.len() == 2 { &columns[1..] } else { &columns[..] };
        for unit in units.into_iter().flatten() {
            right.extend(tastes.iter().map(|column| format!("(0 + {column} | {unit})")));
        }
    }
    let right = right.join(" + ");
    let call = match family {
        Family::Votes => format!("glmer(value ~ {right}, family = binomial, control = bobyqa, data = one)"),
        Family::VotesWithTies => format!("clmm(level ~ {right}, threshold = \"symmetric\", data = one)"),
        _ => format!("lmer(value ~ {right}, data = one)"),
    };
    Fit { models, without_tastes, ..fit(measure, family, call, facet.unwrap_or_default().to_owned()) }
}

fn fit(measure: &Measure, family: Family, call: String, by: String) -> Fit {
    let (measure, label) = (Arc::clone(&measure.name), Arc::clone(&measure.label));
    Fit { measure, label, family, call, by, models: Vec::new(), without_tastes: false }
}

#[cfg(test)]
mod tests {
    use hype_core::{Direction, Row};

    use super::*;

    /// Answers of raters about models and items, each with the value that these three give.
    fn facts(counts: [usize; 3], against: bool, value: impl Fn(usize, usize, usize) -> f64) -> Facts {
        let mut facts = Facts::default();
        let [raters, models, items] = counts;
        for rater in 0..raters {
            for (item, model) in (0..items).flat_map(|item| (0..models).map(move |model| (item, model))) {
                let name = |prefix: &str, number: usize| format!("{prefix}{number}");
                let (by, judged) = (name("r", rater), name("m", model));
                let other = if against { name("m", (model + 1) % models) } else { String::new() };
                let of_item = if items > 1 { name("i", item) } else { String::new() };
                let value = value(rater, model, item);
                let row = Row { against: &other, item: &of_item, ..Row::new(&by, &judged, "x", value) };
                let level = if item % 2 == 0 { "few" } else { "many" };
                facts.add(&row, std::iter::once(("facet.size", level)));
            }
            facts.end_session();
        }
        facts
    }

    fn measure(unit: &str) -> Measure {
        Measure::new("x", "x", unit, Direction::Higher)
    }

    fn target() -> Target {
        Target { order: ["m0", "m1", "m2"].map(Arc::from).to_vec(), ..Target::default() }
    }

    fn calls(measure: &Measure, facts: &Facts, target: &Target) -> Vec<String> {
        of(measure, facts, target)
            .unwrap()
            .into_iter()
            .map(|fit| format!("{} {}", fit.call, fit.by))
            .collect()
    }

    const BINOMIAL: &str = "family = binomial, control = bobyqa, data = one)";

    #[test]
    fn ratings_are_levels_and_numbers() {
        let ratings = facts([4, 2, 6], false, |rater, model, item| ((rater + model + item) % 5) as f64);

        assert_eq!(
            calls(&measure(""), &ratings, &target())[0],
            "clmm(level ~ model + (1 | rater) + (1 | rater_model) + (1 | item), data = one) ~ model"
        );
        let about_items = Target { about_items: true, clusters: true, ..target() };
        assert_eq!(
            calls(&measure(""), &ratings, &about_items)[1],
            "lmer(value ~ model + (1 | rater) + (1 | rater_model) + (1 | item) + (1 | output) + (1 | prompt), data = one) ~ model"
        );
        // Who judges a model once has no taste for it that could be told from the answer.
        let once = facts([4, 3, 1], false, |rater, model, _| (rater * model % 5) as f64);
        assert_eq!(
            calls(&measure("points"), &once, &target()),
            ["lmer(value ~ model + (1 | rater), data = one) ~ model"]
        );
        let within = Target { others: vec!["facet.size".into()], ..target() };
        let at_levels = &calls(&measure("points"), &ratings, &within)[0];
        assert!(
            at_levels.starts_with("lmer(value ~ model * facet.size + ")
                && at_levels.ends_with("~ model | facet.size")
        );
    }

    #[test]
    fn shares_times_and_single_values() {
        let shares = facts([4, 2, 6], false, |rater, model, item| ((rater * model + item) % 2) as f64);
        let call = &calls(&measure("proportion"), &shares, &target())[0];
        assert_eq!(
            call,
            &format!(
                "glmer(value ~ model + (1 | rater) + (1 | rater_model) + (1 | item), {BINOMIAL} ~ model"
            )
        );
        let times = facts([9, 2, 1], false, |rater, model, _| 100.0 + (rater * 7 + model) as f64);
        assert_eq!(
            calls(&measure("ms"), &times, &target()),
            ["lmer(log(value) ~ model + (1 | rater), data = one) ~ model"]
        );
        let one_model = facts([9, 1, 1], false, |rater, _, _| 1.0 + rater as f64 / 7.0);
        assert_eq!(calls(&measure("d'"), &one_model, &target()), ["lm(value ~ 1, data = one) ~ 1"]);
    }

    #[test]
    fn comparisons_have_a_column_for_each_model() {
        let votes = facts([4, 3, 6], true, |rater, _, item| ((rater + item) % 2) as f64);
        let tastes = "(1 | rater) + (0 + d1 | rater) + (0 + d2 | rater) + (0 + d3 | rater)";
        assert_eq!(
            calls(&measure("proportion"), &votes, &target()),
            [format!("glmer(value ~ d2 + d3 + {tastes}, {BINOMIAL} ")]
        );
        let ties = facts([4, 3, 6], true, |rater, _, item| ((rater + item) % 3) as f64 / 2.0);
        let within = Target { others: vec!["facet.size".into()], ..target() };
        assert_eq!(
            calls(&measure("proportion"), &ties, &within),
            [format!(
                "clmm(level ~ (d2 + d3):facet.size + {tastes}, threshold = \"symmetric\", data = one) facet.size"
            )]
        );
        let grades = facts([4, 2, 6], true, |rater, _, item| ((rater + item) % 7) as f64 - 3.0);
        let about_items = Target { about_items: true, ..target() };
        assert_eq!(
            calls(&measure("points"), &grades, &about_items),
            ["lmer(value ~ d2 + (1 | rater) + (0 + d2 | rater) + (0 + d2 | item), data = one) "]
        );
    }

    #[test]
    fn other_answers_are_refused_with_a_reason() {
        let choices = facts([4, 3, 6], false, |rater, model, _| f64::from(u8::from(rater % 3 == model)));
        let orders = facts([4, 3, 6], false, |rater, model, item| ((rater + model + item) % 3 + 1) as f64);
        let equal = facts([4, 3, 6], false, |_, _, _| 1.0);
        let descriptive = measure("").descriptive("the staircase sets it");
        let nominal = measure("").on_scale(MeasureScale::Nominal);
        for (measure, facts, word) in [
            (&measure("proportion"), &choices, "mclogit"),
            (&measure(""), &orders, "PlackettLuce"),
            (&measure(""), &equal, "same value"),
            (&measure(""), &Facts::default(), "no answers"),
            (&descriptive, &orders, "staircase"),
            (&nominal, &orders, "categories"),
        ] {
            let reason = of(measure, facts, &target()).unwrap_err();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
