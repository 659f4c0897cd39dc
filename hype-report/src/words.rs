//! Names of measures for people: labels of at most 24 characters, units, and what a result means in words of the task.

use hype_core::MediaKind;
use hype_core::model::score::{Direction, Measure};

/// The most characters of a label.
pub const LONGEST: usize = 24;

/// The unit of a measure's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Percent of a whole.
    Percent,
    /// Percentage points.
    Points,
    /// Logarithms of odds.
    LogOdds,
    /// Steps of a grade.
    Grades,
    /// A scale from 1, or from one number to another one.
    Scale(i32, i32),
    /// Points of Elo.
    Elo,
    /// None.
    None,
}

impl Unit {
    /// The unit of a measure.
    #[must_use]
    pub fn of(measure: &Measure) -> Self {
        match (&*measure.unit, stem(&measure.name)) {
            ("ms", _) => Self::Ms,
            ("proportion", _) => Self::Percent,
            ("grades", _) => Self::Grades,
            (_, "strength") => Self::LogOdds,
            (_, "elo") => Self::Elo,
            _ => scale(measure).map_or(Self::None, |[low, high]| Self::Scale(low as i32, high as i32)),
        }
    }

    /// Returns the factor by which numbers are multiplied where they are written.
    pub(crate) const fn factor(self) -> f64 {
        match self {
            Self::Percent | Self::Points => 100.0,
            _ => 1.0,
        }
    }

    /// Returns the text after a number.
    pub(crate) fn after(self) -> String {
        match self {
            Self::Ms => " ms".to_owned(),
            Self::Percent => "%".to_owned(),
            Self::Points | Self::Elo => " points".to_owned(),
            Self::Scale(1, high) => format!(" of {high}"),
            Self::LogOdds | Self::Grades | Self::Scale(..) | Self::None => String::new(),
        }
    }

    /// Its name at the head of a column; empty without one.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Ms => "ms".to_owned(),
            Self::Percent => "%".to_owned(),
            Self::Points | Self::Elo => "points".to_owned(),
            Self::LogOdds => "log-odds".to_owned(),
            Self::Grades => "grade steps".to_owned(),
            Self::Scale(1, high) => format!("of {high}"),
            Self::Scale(low, high) => format!("{} to {high}", crate::text::fixed(f64::from(low), 0)),
            Self::None => String::new(),
        }
    }
}

/// The ends of a measure's scale, such as those of `mean opinion score (1 to 5)`.
fn scale(measure: &Measure) -> Option<[f64; 2]> {
    measure.ends().filter(|_| &*measure.unit != "proportion")
}

/// The name of a measure without its criterion, such as `strength` of `strength.realism`.
pub(crate) fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The criterion of a measure, such as `realism` of `strength.realism`.
#[must_use]
pub fn criterion(measure: &Measure) -> Option<&str> {
    measure.name.split_once('.').map(|(_, criterion)| criterion)
}

/// The name of a task's kind.
#[must_use]
pub fn task(kind: &str) -> String {
    match kind {
        "hype_time" => "HYPE-time".to_owned(),
        "hype_infinity" => "HYPE∞".to_owned(),
        "contrast" => "comparisons of pairs".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The labels of measures that are not their own.
const LABELS: [(&str, &str); 34] = [
    ("alignment", "text fit"),
    ("subject_clarity", "subject clarity"),
    ("mode_ms", "threshold"),
    ("mean_last_half_ms", "threshold"),
    ("mean_reversals_ms", "threshold"),
    ("fit_ms", "threshold"),
    ("posterior_mean_ms", "threshold"),
    ("posterior_sd_ms", "sd of the posterior"),
    ("block_trials", "trials in a block"),
    ("error", "judged wrong"),
    ("fakes_error", "fakes taken for real"),
    ("fooled", "fakes taken for real"),
    ("reals_error", "real taken for fakes"),
    ("d_prime", "sensitivity d′"),
    ("criterion", "bias c (+: “real”)"),
    ("at_floor", "at the floor"),
    ("at_ceiling", "at the ceiling"),
    ("still_falling", "still falling at the end"),
    ("still_rising", "still rising at the end"),
    ("left", "left image chosen"),
    ("strength", "strength"),
    ("win_rate", "comparisons won"),
    ("graded_strength", "graded strength"),
    ("both_bad", "both bad"),
    ("elo", "Elo"),
    ("rank", "mean rank"),
    ("votes", "chosen as best"),
    ("opinion", "MOS"),
    ("dmos", "DMOS"),
    ("O", "overall"),
    ("SC", "semantic consistency"),
    ("PQ", "perceptual quality"),
    ("gold_correct", "gold images right"),
    ("consistency", "same answer twice"),
];

/// The label of a measure: at most 24 characters, without unit, scale and criterion.
#[must_use]
pub fn label(measure: &Measure) -> String {
    if let Some(own) = measure.shown.as_ref().and_then(|shown| shown.label.as_ref()) {
        return own.to_string();
    }
    // Measures of clips and texts say so themselves where these labels speak of images.
    let is_of_others = ["clip", "text"].iter().any(|word| measure.label.contains(word));
    let fits = |label: &str| !(is_of_others && label.contains("image"));
    let known = |(name, label): &&(&str, &str)| *name == stem(&measure.name) && fits(label);
    if let Some((_, label)) = LABELS.iter().find(known) {
        return (*label).to_owned();
    }
    let own = match (scale(measure), measure.label.rsplit_once(" (")) {
        (Some(_), Some((before, _))) => before,
        _ => &measure.label,
    };
    if own.ends_with('?') {
        return "mean answer".to_owned();
    }
    shortened(own)
}

/// A text of at most [`LONGEST`] characters, cut between words where it can be.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut kept = String::new();
    for word in text.split_whitespace() {
        let longer = if kept.is_empty() { word.to_owned() } else { format!("{kept} {word}") };
        if longer.chars().count() >= LONGEST {
            break;
        }
        kept = longer;
    }
    if kept.is_empty() {
        kept = text.chars().take(LONGEST - 1).collect();
    }
    format!("{kept}…")
}

/// A name of at most [`LONGEST`] characters, cut in its middle: names that differ often begin the same way.
pub(crate) fn shortened_name(name: &str) -> String {
    const END: usize = 9;
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LONGEST {
        return name.to_owned();
    }
    let start = letters[..LONGEST - 1 - END].iter();
    start.chain(&['…']).chain(&letters[letters.len() - END..]).collect()
}

/// Distinguishes a measure from others of the same label: its estimator, criterion or question; empty for a measure alone.
#[must_use]
pub fn panel(measure: &Measure) -> String {
    let estimator = match &*measure.name {
        "mode_ms" => "mode",
        "mean_last_half_ms" => "mean of last half",
        "mean_reversals_ms" => "mean of reversals",
        "fit_ms" => "psychometric fit",
        "posterior_mean_ms" => "posterior mean",
        _ => "",
    };
    let own = measure.shown.as_ref().and_then(|shown| shown.label.as_ref());
    match criterion(measure) {
        _ if own.is_some() => own.map(ToString::to_string).unwrap_or_default(),
        Some(criterion) => criterion.replace('_', " "),
        None if !estimator.is_empty() => estimator.to_owned(),
        None if measure.label.ends_with('?') => measure.label.to_string(),
        None => label(measure),
    }
}

/// A label with its unit, such as `threshold (ms)`.
#[must_use]
pub fn labelled(measure: &Measure) -> String {
    let own = measure.shown.as_ref().and_then(|shown| shown.unit.as_ref()).map(ToString::to_string);
    match own.unwrap_or_else(|| Unit::of(measure).name()) {
        unit if unit.is_empty() => label(measure),
        unit => format!("{} ({unit})", label(measure)),
    }
}

/// Returns the label of an axis: for thresholds, what they are.
pub(crate) fn axis(measure: &Measure, target: Option<f64>) -> String {
    match (&*measure.unit, target) {
        ("ms", Some(share)) => {
            format!("exposure, {}% right (ms)", crate::text::fixed(share * 100.0, 0))
        }
        _ => labelled(measure),
    }
}

/// The first sentence about a measure of stimuli of a kind, of the model `best` with its value, in words of the task.
pub(crate) fn headline(
    measure: &Measure,
    media: MediaKind,
    best: &str,
    value: &str,
    target: Option<f64>,
) -> String {
    if let Some(own) = measure.shown.as_ref().and_then(|shown| shown.headline.as_ref()) {
        return own.replace("{model}", best).replace("{value}", value);
    }
    let media = media.plural();
    match stem(&measure.name) {
        "mode_ms" | "mean_last_half_ms" | "mean_reversals_ms" | "fit_ms" | "posterior_mean_ms" => {
            let target = crate::text::fixed(target.unwrap_or(0.75) * 100.0, 0);
            format!(
                "{best} is the hardest to tell from real {media}: raters need {value} to be right {target}% of the time."
            )
        }
        "error" => format!(
            "{best} is the hardest to tell from real {media}: raters judge {value} of its and real {media} wrong."
        ),
        "fakes_error" | "fooled" => format!("{best} is taken for real most often: {value} of its {media}."),
        "strength" | "win_rate" if Unit::of(measure) == Unit::Percent => {
            format!("{best} is {}: it wins {value} of its comparisons.", preferred(measure))
        }
        "strength" | "graded_strength" | "elo" => {
            format!("{best} is {}: its {} is {value}.", preferred(measure), label(measure))
        }
        "rank" => format!("{best} is ranked best: {value} on average."),
        "votes" => format!("{best} is {}: chosen as best in {value}.", preferred(measure)),
        "alignment" => format!("{best} fits its text best: {value}."),
        _ => {
            let most = if measure.direction == Direction::Lower { "lowest" } else { "highest" };
            let of = match (criterion(measure), measure.label.ends_with('?')) {
                (Some(criterion), _) => format!("{} ({})", label(measure), criterion.replace('_', " ")),
                (None, true) => format!("mean answer to “{}”", measure.label),
                (None, false) => label(measure),
            };
            format!("{best} has the {most} {of}: {value}.")
        }
    }
}

/// How the best model of comparisons is called.
fn preferred(measure: &Measure) -> String {
    match criterion(measure) {
        Some(criterion) => format!("preferred most for {}", criterion.replace('_', " ")),
        None => "preferred most".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_without_units() {
        for (_, label) in LABELS {
            assert!(label.chars().count() <= LONGEST, "{label}");
        }
        let measure = |name: &str, text: &str| Measure::new(name, text, "", Direction::Higher);
        assert_eq!(
            label(&measure("taste", "overall quality of the picture (1 to 5)")),
            "overall quality of the…"
        );
        assert_eq!(label(&measure("realism", "How realistic is the image?")), "mean answer");
        let names = ["stable-diffusion-xl-base-1.0", "stable-diffusion-xl-base-1.1"].map(shortened_name);
        assert_eq!(names, ["stable-diffusi…-base-1.0", "stable-diffusi…-base-1.1"]);
        assert_eq!(shortened_name("a name of 24 characters!"), "a name of 24 characters!");
        assert_eq!(Unit::of(&measure("opinion", "mean opinion score (1 to 5)")), Unit::Scale(1, 5));
        assert_eq!(Unit::of(&measure("cmos", "comparison (−3 to 3)")).name(), "−3 to 3");
        assert_eq!(panel(&measure("strength.text_fit", "")), "text fit");
        assert_eq!(labelled(&measure("strength.fit", "")), "strength (log-odds)");
    }
}
