//! Formulas that compute one measure from answers and other measures.

use std::borrow::Cow;

use hype_core::{MeasureFindings, Note};

/// Scores that differ by less are the same row of a table.
const SAME: f64 = 1e-9;

/// The computation of one measure.
#[derive(Debug, Clone)]
pub(in crate::questionnaires) struct ScoreRule {
    pub(in crate::questionnaires) measure: Cow<'static, str>,
    pub(in crate::questionnaires) formula: Formula,
}

impl ScoreRule {
    pub(in crate::questionnaires) const fn new(measure: &'static str, formula: Formula) -> Self {
        Self { measure: Cow::Borrowed(measure), formula }
    }
}

/// Computes a value from answers or from earlier measures of the same response.
#[derive(Debug, Clone, Copy)]
pub(in crate::questionnaires) enum Formula {
    /// The score of the answer to the question with the measure's name.
    Answer,
    /// The measure of the question's name minus the same rater's for the real stimulus of the item, plus a constant; no value
    /// for real stimuli, and for items whose real one the rater did not judge.
    FromReal { question: &'static str, plus: f64 },
    /// The minimum of several measures.
    Least(&'static [&'static str]),
    /// The first row of a table that matches the measures `of`; no value if none matches.
    Table { of: [&'static str; 3], rows: &'static [TableRow] },
    /// The square root of the product of two measures; no value if one of them is missing.
    RootOfProduct([&'static str; 2]),
    /// 1 if a measure has no value, 0 if it has one.
    Lacks {
        measure: &'static str,
        /// A measure that every response has.
        beside: &'static str,
        /// Other measures that have a value if `measure` has one.
        along: &'static [&'static str],
        /// The code and the text of the warning about such responses; their counts precede the text.
        warning: (&'static str, &'static str),
    },
}

/// A row of a table of three measures: `None` matches any value.
pub(in crate::questionnaires) type TableRow = ([Option<f64>; 3], f64);

impl Formula {
    /// The value, given the score of the measure's own question, that of a question for the real stimulus of the item, and the
    /// values so far; `None` without a value.
    ///
    /// # Errors
    /// The error of `answer` or `of_real` if the log is incomplete.
    pub(super) fn value(
        self,
        answer: impl FnOnce() -> Result<f64, String>,
        of_real: impl FnOnce(&str) -> Result<Option<f64>, String>,
        value_of: impl Fn(&str) -> Option<f64>,
    ) -> Result<Option<f64>, String> {
        Ok(match self {
            Self::Answer => Some(answer()?),
            Self::FromReal { question, plus } => {
                value_of(question).zip(of_real(question)?).map(|(score, real)| score - real + plus)
            }
            Self::Least(measures) => measures.iter().filter_map(|one| value_of(one)).reduce(f64::min),
            Self::Table { of, rows } => {
                let values = of.map(value_of);
                let fits = |row: &&TableRow| {
                    row.0.iter().zip(values).all(|(wanted, value)| match (wanted, value) {
                        (None, _) => true,
                        (Some(wanted), Some(value)) => (wanted - value).abs() < SAME,
                        (Some(_), None) => false,
                    })
                };
                rows.iter().find(fits).map(|row| row.1)
            }
            Self::RootOfProduct(of) => {
                let [first, second] = of.map(value_of);
                first.zip(second).map(|(first, second)| (first * second).sqrt())
            }
            Self::Lacks { measure, .. } => Some(f64::from(u8::from(value_of(measure).is_none()))),
        })
    }

    /// The warning about responses that lack a value.
    pub(super) fn warning(self, found: &[MeasureFindings]) -> Option<Note> {
        let Self::Lacks { measure, beside, along, warning: (code, text) } = self else { return None };
        let responses = |name: &str| {
            let of = found.iter().find(|one| &*one.measure.name == name);
            of.map(|one| one.responses)
        };
        let all = responses(beside)?;
        let with = responses(measure).or_else(|| along.iter().find_map(|name| responses(name))).unwrap_or(0);
        let without = all.saturating_sub(with);
        (without > 0).then(|| Note::meaning(code, format!("{without} of {all} {text}")).about(measure))
    }
}
