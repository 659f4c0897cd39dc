//! The text of the script.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use hype_core::Study;
use hype_core::plugin::aggregator::Aggregation;
use hype_core::study::analysis::software;

use super::column;
use super::fits::{Family, Fit, Target};

/// The models in the order of the study: those of comparisons, then those whose levels are in columns of their own.
pub(super) fn models(context: &Aggregation) -> Vec<Arc<str>> {
    let mut models: Vec<Arc<str>> = Vec::new();
    for model in context.models.iter().chain(context.cells.iter().map(|cell| &cell.model)) {
        if !models.contains(model) {
            models.push(Arc::clone(model));
        }
    }
    models
}

/// The script with these fits.
pub(super) fn of(
    study: &Study,
    context: &Aggregation,
    target: &Target,
    fits: &[Fit],
    left_out: &[(Arc<str>, String)],
) -> String {
    let mut text = header(study, target);
    for (measure, reason) in left_out {
        let _ = writeln!(text, "# Left out: {} ({})", comment(measure), comment(reason));
    }
    let mut order = vec![format!("  model = {}", vector(&target.order))];
    let facets: BTreeMap<String, &[Arc<str>]> =
        context.facets.iter().map(|facet| (column(facet), facet.levels.as_slice())).collect();
    order.extend(facets.iter().map(|(column, levels)| format!("  {column} = {}", vector(levels))));
    let _ = write!(text, "\norder <- list(\n{}\n)\n\n{}", order.join(",\n"), include_str!("functions.R"));
    fits.iter().for_each(|fit| text.push_str(&section(fit)));
    text.push_str(
        "\nif (length(problems) > 0) {\n  cat(\"\\nWARNING: do not rely on these fits:\\n\", paste0(\"  \", problems, \"\\n\"), sep = \
         \"\")\n}\n",
    );
    text
}

fn header(study: &Study, target: &Target) -> String {
    let items = if target.about_items {
        "Results are about other raters and other items, as in hype."
    } else {
        "hype's results are about other raters and these items. A random effect of items makes intervals of means about other \
         items, too."
    };
    format!(
        "# Mixed models for the scores of the study {}, written by {}.\n\
         # Run `Rscript analysis.R` in this folder. It needs lme4, ordinal and emmeans; in Debian:\n\
         #   apt install r-base-core r-cran-lme4 r-cran-ordinal r-cran-emmeans\n\
         #\n\
         # answers.csv has a row for each score, as `hype export --what scores`. Excluded raters are left out, as in the findings,\n\
         # unless the export was asked for all.\n\
         #\n\
         # What these models assume, and where they differ from hype's own analysis:\n\
         # - Effects of raters and items are normal and add up. hype needs independent raters, and no distribution.\n\
         # - {items}\n\
         # - Intervals with infinitely many degrees of freedom are narrower than hype's by Student's t: with 10 raters by 13 %.\n\
         # - Pairs are adjusted by Tukey's method within a table; hype's family may have several measures.\n",
        comment(&study.spec().name),
        software(),
    )
}

/// The fit with its remarks.
fn section(fit: &Fit) -> String {
    let (name, label) = (string(&fit.measure), comment(&fit.label));
    let mut text = format!("\n# {}: {label}\n# {}\n", comment(&fit.measure), remark(fit.family));
    if fit.without_tastes {
        text.push_str("# With so many models, tastes of single raters are left out: intervals are too narrow where raters differ.\n");
    }
    if fit.models.is_empty() {
        let title = string(&format!("{}, {}", fit.measure, words(fit.family)));
        let _ = writeln!(
            text,
            "one <- of({name})\nfit <- checked({title}, {})\nmeans({title}, fit, {})",
            fit.call, fit.by
        );
    } else {
        let facet = if fit.by.is_empty() { String::new() } else { format!(", {}", string(&fit.by)) };
        let title = string(&format!("{}, {}", fit.measure, words(fit.family)));
        let _ = writeln!(
            text,
            "models <- {}\none <- compared({name}, models)\nfit <- checked({title}, {})\nstrengths({title}, fit, models{facet})",
            vector(&fit.models),
            fit.call
        );
    }
    text
}

/// Returns the name of a family of values, for titles.
const fn words(family: Family) -> &'static str {
    match family {
        Family::Numbers => "as numbers",
        Family::Times => "logarithms of times",
        Family::Levels => "as ordered levels",
        Family::Shares => "shares",
        Family::Votes => "Bradley-Terry",
        Family::VotesWithTies => "Bradley-Terry with ties",
        Family::Grades => "differences of grades",
    }
}

/// The assumptions of a family, and hype's own.
const fn remark(family: Family) -> &'static str {
    match family {
        Family::Numbers => {
            "Residuals are normal with one variance; hype allows each model a variance of its own. In a balanced design the means \
             are hype's."
        }
        Family::Times => {
            "Logarithms are normal: estimates are geometric means in ms and pairs are ratios, where hype's are arithmetic means. \
             Blocks at a bound\n# count as if they had arrived there; hype gives no interval where they are many."
        }
        Family::Levels => {
            "Proportional odds: a model shifts the answers by the same log odds at each level, and distances of levels are \
             estimated.\n# Estimates are on the scale of log odds, with 0 at the mean of the thresholds; hype compares means of the \
             levels as numbers."
        }
        Family::Shares => {
            "Estimates are the probability of 1 for a rater and an item in the middle, and pairs are odds ratios; hype's are shares \
             over\n# raters and their differences, which are nearer to one half."
        }
        Family::Votes => {
            "Strengths in log odds, whose mean is 0; the intercept is the advantage of the left. Raters (and items) have tastes of \
             their own.\n# hype fits Bradley and Terry's model to the votes and takes them from the spread over raters (and items)."
        }
        Family::VotesWithTies => {
            "Rao and Kupper's model: ties lie between two thresholds around the advantage of a side. hype's model of ties is \
             Davidson's.\n# Strengths in log odds, whose mean is 0. Raters (and items) have tastes of their own."
        }
        Family::Grades => {
            "A grade is the difference of two strengths, whose mean is 0, and an advantage of the left (the intercept); hype fits \
             the same by least squares."
        }
    }
}

/// A text as R writes it.
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            other if other.is_control() => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn vector(texts: &[Arc<str>]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| string(text)).collect();
    format!("c({})", texts.join(", "))
}

/// A text on one line.
fn comment(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
