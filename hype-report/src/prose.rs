//! The answer in sentences, which follow from the findings by rules.

use hype_core::model::findings::{Comparison, Estimate, Findings, MeasureFindings};
use hype_core::model::score::Direction;

use crate::numbers::{Style, fixed, p_text};
use crate::separation::{Pair, Pairs};
use crate::source::{level_of, main_agreement};
use crate::text::listed;
use crate::words::{self, Unit};

/// More models are counted instead of named.
const MOST_NAMED: usize = 3;

/// How sentences name models: on a page, with the model's glyph, and with the marks of notes about the number that follows.
#[derive(Clone, Copy)]
pub struct Speech<'a> {
    /// A model's name in a sentence.
    pub name: &'a dyn Fn(&str) -> String,
    /// The text after a number about a model; empty, or a space and marks of notes.
    pub mark: &'a dyn Fn(&str) -> String,
}

impl std::fmt::Debug for Speech<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Speech").finish_non_exhaustive()
    }
}

/// The share of right answers at the study's thresholds.
pub(crate) fn target(findings: &Findings) -> Option<f64> {
    let facts = findings.study.as_ref()?.protocol.iter();
    let known = |name: &str| matches!(name, "staircase_target" | "threshold_target");
    facts.filter(|fact| known(&fact.name)).find_map(|fact| fact.value.as_f64())
}

/// The share of comparisons won that says in words what a strength means.
pub(crate) fn win_rate_of<'f>(
    findings: &'f Findings,
    found: &MeasureFindings,
) -> Option<&'f MeasureFindings> {
    let rest = found.measure.name.strip_prefix("strength")?;
    findings.measures.iter().find(|other| other.measure.name.strip_prefix("win_rate") == Some(rest))
}

/// The result of a measure in a sentence.
#[must_use]
pub fn headline(findings: &Findings, found: &MeasureFindings, speech: Speech<'_>) -> String {
    let (measure, style) = (&found.measure, Style::of(found).of_headline());
    let label = words::label(measure);
    let Some(best) = found.estimates.first() else {
        let places = findings.collected.as_ref().map(|collected| {
            let complete = collected.completed.saturating_sub(collected.excluded);
            format!(": {complete} of {} places are complete", collected.places)
        });
        // A study says how far it is instead.
        if findings.collected.is_none()
            && let Some(agreed) = agreed(found)
        {
            return agreed;
        }
        let why = if found.raters == 0 {
            places.unwrap_or_else(|| ": no rater counts".to_owned())
        } else {
            String::new()
        };
        return format!("No estimate of {label}{why}.");
    };
    let value = |one: &Estimate| format!("{}{}", style.value(one.value), (speech.mark)(&one.model));
    if measure.direction == Direction::Neither || found.estimates.len() == 1 {
        let all: Vec<String> = found
            .estimates
            .iter()
            .take(MOST_NAMED)
            .map(|one| {
                let text = Style::of(found).estimate(one.value, one.interval.as_ref());
                format!("{} {text}{}", (speech.name)(&one.model), (speech.mark)(&one.model))
            })
            .collect();
        let more = found.estimates.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        return format!("{}: {}{more}.", capital(&label), all.join("; "));
    }
    let tied: Vec<String> = found
        .estimates
        .iter()
        .take_while(|one| one.value.total_cmp(&best.value).is_eq())
        .map(|one| (speech.name)(&one.model))
        .collect();
    if tied.len() > 1 {
        let tied = if tied.len() > MOST_NAMED { format!("{} models", tied.len()) } else { listed(&tied) };
        return format!("{tied} come first by {label}, with the same estimate: {}.", value(best));
    }
    let pairs = Pairs::of(found);
    let is_apart = |one: &Comparison| one.p.is_some_and(|p| p < 1.0 - level_of(found) + 1e-12);
    let is_tested = found.comparisons.iter().any(|one| one.p.is_some());
    if is_tested && !found.comparisons.iter().any(is_apart) {
        if let [_, second] = found.estimates.as_slice()
            && pairs.get(&best.model, &second.model).is_some()
        {
            let [first, second] =
                [best, second].map(|one| format!("{} {}", (speech.name)(&one.model), value(one)));
            return format!("The models are not told apart by {label}: {first}, {second}.");
        }
        let best = format!("{} comes first with {}", (speech.name)(&best.model), value(best));
        return format!("No two of the {} models are told apart by {label}; {best}.", found.estimates.len());
    }
    let name = (speech.name)(&best.model);
    if let Some(rate) = win_rate_of(findings, found)
        && let Some(won) = rate.estimates.iter().find(|one| one.model == best.model)
    {
        let won = format!("{}{}", Style::of(rate).of_headline().value(won.value), (speech.mark)(&best.model));
        return words::headline(&rate.measure, findings.media(), &name, &won, None);
    }
    words::headline(measure, findings.media(), &name, &value(best), target(findings))
}

/// How far raters agree, where that is all that is known of a measure.
fn agreed(found: &MeasureFindings) -> Option<String> {
    let one = &found.agreement[main_agreement(&found.agreement)?];
    let ends = one.interval.as_ref().map_or_else(String::new, |interval| {
        format!(" [{}, {}]", fixed(interval.low, 2), fixed(interval.high, 2))
    });
    Some(format!("Raters agree by {}: {}{ends}.", one.coefficient, fixed(one.value?, 2)))
}

/// How far the first model leads, and which models are not told apart, in one or two sentences; empty where there is nothing to
/// lead, or several models come first.
#[must_use]
pub fn lead(found: &MeasureFindings, speech: Speech<'_>) -> String {
    let Some((best, others)) = found.estimates.split_first() else { return String::new() };
    let is_tied = others.first().is_some_and(|second| second.value.total_cmp(&best.value).is_eq());
    if others.is_empty() || is_tied || found.measure.direction == Direction::Neither {
        return String::new();
    }
    let pairs = Pairs::of(found);
    let leads: Vec<Lead<'_>> =
        others.iter().map(|other| Lead { other, pair: pairs.get(&best.model, &other.model) }).collect();
    let mut text = Leads { found, style: Style::of(found).of_differences(), leads, speech }.text();
    if let Some(share) = resampled_lead(found, &best.model) {
        text.push_str(&share);
    }
    text
}

/// The comparison of the first model with another one, if there is one.
struct Lead<'a> {
    other: &'a Estimate,
    pair: Option<Pair<'a>>,
}

struct Leads<'a> {
    found: &'a MeasureFindings,
    style: Style,
    leads: Vec<Lead<'a>>,
    speech: Speech<'a>,
}

impl<'a> Leads<'a> {
    fn text(&self) -> String {
        let tested = |one: &&Lead<'_>| one.pair.is_some_and(|pair| pair.found.p.is_some());
        let untested: Vec<&Lead<'_>> = self.leads.iter().filter(|one| !tested(one)).collect();
        if untested.len() == self.leads.len() {
            return "Differences between models were not tested.".to_owned();
        }
        let level = level_of(self.found);
        let is_apart = |one: &&&Lead<'_>| one.pair.is_some_and(|pair| pair.is_separable(level));
        let is_ahead = |one: &&&Lead<'_>| one.pair.is_some_and(|pair| self.ahead(pair.difference()) >= 0.0);
        let all: Vec<&Lead<'_>> = self.leads.iter().filter(tested).collect();
        let apart: Vec<&Lead<'_>> = all.iter().filter(is_apart).filter(is_ahead).copied().collect();
        let behind: Vec<&Lead<'_>> =
            all.iter().filter(|one| is_apart(one) && !is_ahead(one)).copied().collect();
        let near: Vec<&Lead<'_>> = all.iter().filter(|one| !is_apart(one)).copied().collect();
        let mut sentences = Vec::new();
        match (apart.as_slice(), near.as_slice()) {
            ([], []) => {}
            ([], [one]) => sentences.push(format!(
                "The difference of {}{} does not show that they are equal.",
                self.by(one),
                self.p_of(&[one])
            )),
            ([], many) => sentences.push(format!("It is not told apart from {}.", self.named(many))),
            (some, []) => sentences.push(format!("It leads {}{}.", self.led(some), self.rest(some))),
            (some, many) => sentences.push(format!(
                "It leads {}{}, and is not told apart from {}.",
                self.led(some),
                self.p_of(some),
                self.named(many)
            )),
        }
        if !behind.is_empty() {
            let p = self.p_of(&behind);
            let behind = self.some(&behind, |name, one| format!("{name} ({})", self.size(one, -1.0)));
            sentences.push(format!("Raters who judged both put {behind} before it{p}."));
        }
        if !untested.is_empty() {
            sentences.push(format!("It was not compared with {}.", self.some(&untested, |name, _| name)));
        }
        sentences.join(" ")
    }

    /// A difference in the direction that is better.
    fn ahead(&self, difference: f64) -> f64 {
        if self.found.measure.direction == Direction::Lower { -difference } else { difference }
    }

    /// The models that the first one leads, by how much.
    fn led(&self, some: &[&Lead<'a>]) -> String {
        self.some(some, |name, one| format!("{name} by {}", self.by(one)))
    }

    /// The models with the differences of the first one from them.
    fn named(&self, some: &[&Lead<'a>]) -> String {
        self.some(some, |name, one| format!("{name} ({})", self.by(one)))
    }

    /// The models as they are written; of many, how many they are and the first of them.
    fn some(&self, some: &[&Lead<'a>], written: impl Fn(String, &Lead<'a>) -> String) -> String {
        let one = |lead: &&Lead<'a>| written((self.speech.name)(&lead.other.model), lead);
        if some.len() <= MOST_NAMED {
            let all: Vec<String> = some.iter().map(one).collect();
            return match all.as_slice() {
                // Commas stand within brackets.
                [first, second, last] if first.contains(", ") => format!("{first}; {second}; and {last}"),
                all => listed(all),
            };
        }
        let of = if some.len() == self.leads.len() {
            format!("the {} others", some.len())
        } else {
            format!("{} of the {} others", some.len(), self.leads.len())
        };
        format!("{of}, such as {}", one(&some[0]))
    }

    /// The size of a lead with its interval; below zero if the other model is ahead.
    fn by(&self, one: &Lead<'_>) -> String {
        self.size(one, 1.0)
    }

    /// The lead of the first model, or with −1 that of the other one.
    fn size(&self, one: &Lead<'_>, sign: f64) -> String {
        let Some(pair) = one.pair else { return String::new() };
        let ahead = |difference: f64| sign * self.ahead(difference);
        let mut text = self.style.value(ahead(pair.difference()));
        if let Some((low, high)) = pair.interval() {
            let (a, b) = (ahead(low), ahead(high));
            text.push(' ');
            text.push_str(&self.style.ends((a.min(b), a.max(b))));
        }
        text + &(self.speech.mark)(&one.other.model)
    }

    /// The p value of a pair, or the largest of several.
    fn p_of(&self, some: &[&Lead<'_>]) -> String {
        let most = some.iter().filter_map(|one| one.pair?.found.p).fold(0.0, f64::max);
        format!(" ({})", if some.len() > 1 { largest_p(most) } else { p_text(most) })
    }

    /// Whether the others differ from one another, too.
    fn rest(&self, some: &[&Lead<'_>]) -> String {
        let level = level_of(self.found);
        let all = &self.found.comparisons;
        let most = all.iter().filter_map(|one| one.p).fold(0.0, f64::max);
        let count = self.found.estimates.len();
        if count > 2 && all.len() == count * (count - 1) / 2 && most < 1.0 - level + 1e-12 {
            let count =
                ["three", "four"].get(count - 3).map_or_else(|| count.to_string(), |one| (*one).to_owned());
            return format!("; all {count} differ ({})", largest_p(most));
        }
        self.p_of(some)
    }
}

/// The largest of several p values, such as `p ≤ 0.017`.
fn largest_p(p: f64) -> String {
    p_text(p).replacen(" = ", " ≤ ", 1)
}

/// How often a model led among resamples, which is not the probability of being best.
fn resampled_lead(found: &MeasureFindings, model: &str) -> Option<String> {
    let resampled = found.resampled_orders.as_ref()?;
    let share = resampled.lead.iter().find(|lead| &*lead.model == model)?.share;
    Some(format!(" It comes first in {}% of resamples of {}.", fixed(share * 100.0, 0), resampled.units))
}

/// A text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The unit of a difference of a measure's estimates as a heading has it.
pub(crate) fn unit_of_differences(found: &MeasureFindings) -> String {
    match Unit::of(&found.measure) {
        Unit::Percent | Unit::Scale(..) => "points".to_owned(),
        unit => unit.name(),
    }
}
