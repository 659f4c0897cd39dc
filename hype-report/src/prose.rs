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
            "{} come first by \"{}\", with the same estimate: {}{}.",
            listed(&tied),
            found.measure.label,
            style.number(best.value),
            style.unit(found)
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

/// From which models the first is separable, and which ones raters who judged both put before it: pairs are compared by raters who
/// judged both models, if there are any, and estimates are of all.
fn lead(found: &MeasureFindings, style: Style, best: &Estimate) -> String {
    let known = Pairs::of(found);
    let pairs: Vec<OfLead<'_>> = found.estimates[1..]
        .iter()
        .map(|other| OfLead { other: &other.model, pair: known.get(&best.model, &other.model) })
        .collect();
    let direction = found.measure.direction;
    let reversed: Vec<&str> =
        pairs.iter().filter(|one| one.lead(direction) < 0.0).map(|one| one.other).collect();
    if let ([one], [_]) = (pairs.as_slice(), reversed.as_slice())
        && let Some((pair, p)) = one.tested()
    {
        let verdict = if pair.is_separable(level_of(found)) { "is" } else { "is not" };
        return format!(
            "; raters who judged both put {} before it by {}{}, which {verdict} separable from zero ({})",
            one.other,
            style.number(pair.difference().abs()),
            style.unit_of_difference(found),
            p_text(p)
        );
    }
    let mut text = tested_lead(found, style, &pairs);
    if !reversed.is_empty() {
        let named = match reversed.len() {
            count if count > MOST_NAMED => format!("{count} of the {} others", pairs.len()),
            _ => listed(&reversed),
        };
        text.push_str(&format!(", while raters who judged both put {named} before it"));
    }
    text
}

/// The comparison of the first model with another one, if there is one.
struct OfLead<'a> {
    other: &'a str,
    pair: Option<Pair<'a>>,
}

impl<'a> OfLead<'a> {
    /// The difference in the direction that is better.
    fn lead(&self, direction: Direction) -> f64 {
        let difference = self.pair.as_ref().map_or(0.0, Pair::difference);
        if direction == Direction::Lower { -difference } else { difference }
    }

    /// The comparison and its p value.
    fn tested(&self) -> Option<(&Pair<'a>, f64)> {
        self.pair.as_ref().and_then(|pair| Some((pair, pair.found.p?)))
    }
}

/// From which models the first is separable.
fn tested_lead(found: &MeasureFindings, style: Style, pairs: &[OfLead<'_>]) -> String {
    let untested: Vec<&str> =
        pairs.iter().filter(|one| one.tested().is_none()).map(|one| one.other).collect();
    if !untested.is_empty() {
        let of = match untested.len() {
            all if all > 1 && all == pairs.len() => "any of the others".to_owned(),
            count if count > MOST_NAMED => format!("{count} of the {} others", pairs.len()),
            _ => listed(&untested),
        };
        return format!("; the study does not test its lead over {of}");
    }
    let (level, direction) = (level_of(found), found.measure.direction);
    let (apart, near): (Vec<&OfLead<'_>>, Vec<&OfLead<'_>>) = pairs.iter().partition(|one| {
        one.lead(direction) >= 0.0 && one.pair.as_ref().is_some_and(|pair| pair.is_separable(level))
    });
    if let [one] = pairs
        && let Some((pair, p)) = one.tested()
    {
        let verdict = if near.is_empty() { "is" } else { "is not" };
        return format!(
            "; its lead over {} of {}{} {verdict} separable from zero ({})",
            one.other,
            style.number(pair.difference().abs()),
            style.unit_of_difference(found),
            p_text(p)
        );
    }
    match apart.as_slice() {
        all if all.len() == pairs.len() => {
            format!("; its lead over each of the {} others is separable from zero", all.len())
        }
        [] => "; its lead is not separable from zero over any other model".to_owned(),
        [one] => format!("; only its lead over {} is separable from zero", one.other),
        some if near.len() <= MOST_NAMED => {
            let near: Vec<&str> = near.iter().map(|one| one.other).collect();
            format!(
                "; its lead over {} is not separable from zero, that over the {} others is",
                listed(&near),
                some.len()
            )
        }
        some => {
            format!("; its lead over {} of the {} others is separable from zero", some.len(), pairs.len())
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
