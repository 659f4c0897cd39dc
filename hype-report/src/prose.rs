//! Sentences that follow from findings by rules. A sentence is written only where the findings say so.

use hype_core::model::findings::{Estimate, MeasureFindings};
use hype_core::model::score::Direction;

use crate::separation::{Pair, Pairs};
use crate::source::level_of;
use crate::text::{Style, fixed, listed, p_value, percent};

/// More models are counted instead of named.
const MOST_NAMED: usize = 4;

/// The result of a measure in one or two sentences.
pub(crate) fn answer(found: &MeasureFindings) -> String {
    let style = Style::of(found);
    let Some(best) = found.estimates.first() else {
        let why = if found.raters == 0 { ": no rater counts" } else { "" };
        return format!("There is no estimate of \"{}\"{why}.", found.measure.label);
    };
    let value = |one: &Estimate| with_interval(found, style, one);
    if found.measure.direction == Direction::Neither || found.estimates.len() == 1 {
        let all: Vec<String> =
            found.estimates.iter().take(3).map(|one| format!("{} {}", one.model, value(one))).collect();
        let more = found.estimates.len().saturating_sub(3);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        return format!("{}: {}{more}.", found.measure.label, all.join("; "));
    }
    let tied: Vec<&str> = found
        .estimates
        .iter()
        .take_while(|one| one.value.total_cmp(&best.value).is_eq())
        .map(|one| &*one.model)
        .collect();
    if tied.len() > 1 {
        return format!(
            "{} come first by \"{}\", with the same estimate: {}.",
            listed(&tied),
            found.measure.label,
            value(best)
        );
    }
    let mut text = format!("{} comes first by \"{}\": {}", best.model, found.measure.label, value(best));
    text.push_str(&lead(found, style, best));
    text.push('.');
    if let Some(share) = resampled_lead(found, &best.model) {
        text.push_str(&share);
    }
    text
}

/// An estimate with its unit and interval.
fn with_interval(found: &MeasureFindings, style: Style, one: &Estimate) -> String {
    let unit = style.unit(found);
    match &one.interval {
        Some(interval) => format!(
            "{}{unit} ({} % interval {} to {})",
            style.number(one.value),
            percent(interval.level),
            style.number(interval.low),
            style.number(interval.high)
        ),
        None => format!("{}{unit}", style.number(one.value)),
    }
}

/// From which models the first is separable.
fn lead(found: &MeasureFindings, style: Style, best: &Estimate) -> String {
    let level = level_of(found);
    let others = &found.estimates[1..];
    let known = Pairs::of(found);
    let pairs: Vec<_> = others.iter().map(|other| (other, known.get(&best.model, &other.model))).collect();
    let is_untested = |pair: &Option<Pair<'_>>| pair.is_none_or(|pair| pair.found.p.is_none());
    let untested: Vec<&str> =
        pairs.iter().filter(|(_, pair)| is_untested(pair)).map(|(other, _)| &*other.model).collect();
    if !untested.is_empty() {
        let of = match untested.len() {
            all if all > 1 && all == pairs.len() => "any of the others".to_owned(),
            count if count > MOST_NAMED => format!("{count} of the {} others", pairs.len()),
            _ => listed(&untested),
        };
        return format!("; the study does not test its lead over {of}");
    }
    let apart = pairs.iter().filter(|(_, pair)| pair.is_some_and(|pair| pair.is_separable(level))).count();
    if let [(other, Some(pair))] = pairs.as_slice() {
        let verdict = if apart == 1 { "is" } else { "is not" };
        let p = pair.found.p.map(p_text).unwrap_or_default();
        return format!(
            "; its lead over {} of {}{} {verdict} separable from zero ({p})",
            other.model,
            style.number(pair.difference().abs()),
            style.unit_of_difference(found)
        );
    }
    match apart {
        all if all == pairs.len() => {
            format!("; its lead over each of the {all} others is separable from zero")
        }
        0 => "; its lead is not separable from zero for any of the others".to_owned(),
        1 => {
            let other = pairs.iter().find(|(_, pair)| pair.is_some_and(|pair| pair.is_separable(level)));
            let other = other.map_or("", |(other, _)| &*other.model);
            format!("; only its lead over {other} is separable from zero")
        }
        some => {
            let near: Vec<&str> = pairs
                .iter()
                .filter(|(_, pair)| pair.is_some_and(|pair| !pair.is_separable(level)))
                .map(|(other, _)| &*other.model)
                .collect();
            if near.len() <= MOST_NAMED {
                format!(
                    "; its lead over {} is not separable from zero, that over the {some} others is",
                    listed(&near)
                )
            } else {
                format!("; its lead is separable from zero for {some} of the {} others", pairs.len())
            }
        }
    }
}

/// A p value in a sentence.
pub(crate) fn p_text(p: f64) -> String {
    let text = p_value(p);
    if text.starts_with('<') { format!("p {text}") } else { format!("p = {text}") }
}

/// How often a model led among resamples, which is no probability of being best.
fn resampled_lead(found: &MeasureFindings, model: &str) -> Option<String> {
    let resampled = found.resampled_orders.as_ref()?;
    let share = resampled.lead.iter().find(|lead| &*lead.model == model)?.share;
    Some(format!(" It comes first in {} % of resamples of {}.", fixed(share * 100.0, 0), resampled.units))
}
