//! The rubric of contrasts: which model was preferred.

use hype_core::model::score::{Direction, GRADE, Measure, PREFERENCE, Row};
use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::plugin::rubric::Scoring;
use hype_core::{
    Answered, Description, Diagnostics, Reads, Rubric, ScoreError, ScoreTable, SessionRecord, SetId,
    register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::criteria::Compared;
use super::votes::{Vote, grade_of};
use crate::shared::named::{NameOr, NamedSettings};
use crate::shared::side_by_side::{item_name, score_error};

/// The name of the measure of calling both bad.
const BOTH_BAD_MEASURE: &str = "both_bad";

/// The rubric of contrasts.
///
/// A comparison is one row of `preference`: the model on the left against the one on the right, with 1 if the left one
/// was preferred, 0 if the right one was, and 0.5 for a tie. `both_bad` has a row for each of the two models, 1 if
/// both were called bad and 0 if not, if that answer was offered.
///
/// With criteria the names of measures end in the criterion, such as `preference.realism`. A graded answer has the row of
/// `preference` that its sign says, and a row of `grade`: by how many grades the model on the left was better.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContrastRubric {
    /// How `both bad` counts for the two models.
    pub both_bad: BothBad,
    /// The task's criteria.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<NameOr<ScoredCriterion>>,
}

/// A criterion of a contrast, as the rubric reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoredCriterion {
    /// The task's name for it.
    pub name: String,
    /// Whether answers are grades.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub graded: bool,
}

impl NamedSettings for ScoredCriterion {
    const EXPECTED: &'static str = "a criterion: its name, or an object with `name` and `graded`";

    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), graded: false }
    }

    fn name_alone(&self) -> Option<&str> {
        (!self.graded).then_some(&self.name)
    }
}

impl ContrastRubric {
    fn compared(&self) -> Vec<Compared> {
        Compared::all(self.criteria.iter().map(|criterion| (&*criterion.name, criterion.graded)))
    }
}

/// A detail of tasks in which raters may call both stimuli bad.
#[derive(Debug, Clone, Copy)]
pub struct BothBadOffered;

/// A detail of tasks with criteria: the keys of their answers, and whether these are grades.
#[derive(Debug, Clone)]
pub(super) struct CriteriaAsked(pub(super) Vec<(String, bool)>);

/// How `both bad` counts for the two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BothBad {
    /// As a tie.
    #[default]
    Tie,
    /// Not at all: the comparison is omitted from the preferences.
    Drop,
}

impl Rubric for ContrastRubric {
    fn reads(&self) -> Reads {
        Reads::answers(self.compared().into_iter().map(|one| one.key))
    }

    fn check(&self, task: &Description, at: &mut Diagnostics) {
        let Some(CriteriaAsked(asked)) = task.get() else { return };
        let own: Vec<(String, bool)> = self.compared().into_iter().map(|one| (one.key, one.graded)).collect();
        if *asked != own {
            let named = |(key, graded): &(String, bool)| {
                if *graded { format!("{{ name: {key}, graded: true }}") } else { key.clone() }
            };
            let wanted: Vec<String> = asked.iter().map(named).collect();
            at.field("criteria")
                .error("other-criteria", "the criteria are not those that the task asks about")
                .help(format!(
                    "omit `criteria` with the rest of `rubric`, or write `criteria: [{}]`",
                    wanted.join(", ")
                ));
        }
    }

    fn measures(&self) -> Vec<Measure> {
        let compared = self.compared();
        let measure = |one: &Compared, name: &str, label: &str, unit: &str, direction| {
            let label = if one.name.is_empty() { label.to_owned() } else { format!("{label}: {}", one.name) };
            Measure::new(&format!("{name}{}", one.suffix), &label, unit, direction)
        };
        let votes =
            compared.iter().map(|one| measure(one, PREFERENCE, "preferred", "proportion", Direction::Higher));
        let grades = compared
            .iter()
            .filter(|one| one.graded)
            .map(|one| measure(one, GRADE, "preferred by", "grades", Direction::Higher));
        let bad = compared
            .iter()
            .filter(|one| !one.graded)
            .map(|one| measure(one, BOTH_BAD_MEASURE, "both called bad", "proportion", Direction::Lower));
        votes.chain(grades).chain(bad).collect()
    }

    fn aggregators(&self) -> Vec<AggregatorByKind> {
        let graded = self.criteria.iter().any(|criterion| criterion.graded);
        if !graded {
            return Vec::new();
        }
        vec!["contrast".into(), "grades".into()]
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let offered = context.task.get::<BothBadOffered>().is_some();
        let compared: Vec<Scored> =
            self.compared().into_iter().map(|one| Scored::new(one, offered)).collect();
        for answered in session.main_trials() {
            for scored in &compared {
                self.score_one(scored, session, answered, context, into)?;
            }
        }
        Ok(())
    }
}

/// A question with the names of its measures.
struct Scored {
    key: String,
    preference: String,
    grade: Option<String>,
    /// If the answer was offered.
    both_bad: Option<String>,
}

impl Scored {
    fn new(Compared { key, suffix, graded, .. }: Compared, offered: bool) -> Self {
        Self {
            key,
            preference: format!("{PREFERENCE}{suffix}"),
            grade: graded.then(|| format!("{GRADE}{suffix}")),
            both_bad: (offered && !graded).then(|| format!("{BOTH_BAD_MEASURE}{suffix}")),
        }
    }
}

impl ContrastRubric {
    /// Adds the rows of the answer to one question.
    fn score_one(
        &self,
        scored: &Scored,
        session: &SessionRecord,
        answered: &Answered,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        let fault = || score_error(session, answered, &scored.key);
        let name = |set: SetId| context.stimuli.set(set).map_or("", |set| &*set.name);
        let vote = Vote::of(answered, &scored.key).ok_or_else(fault)?;
        let &[left, right] = answered.shown.stimuli.as_slice() else { return Err(fault()) };
        let (Some(a), Some(b)) = (context.stimuli.get(left), context.stimuli.get(right)) else {
            return Err(fault());
        };
        let item = item_name(context.stimuli, &answered.shown.stimuli);
        let row = Row {
            rater: &session.header.rater,
            model: name(a.set),
            against: name(b.set),
            item: &item,
            block: answered.shown.block,
            measure: &scored.preference,
            value: 0.5,
        };
        let value = match vote {
            Vote::Left => Some(1.0),
            Vote::Right => Some(0.0),
            Vote::Tie => Some(0.5),
            Vote::BothBad => (self.both_bad == BothBad::Tie).then_some(0.5),
        };
        if let Some(value) = value {
            into.push(&Row { value, ..row });
        }
        if let Some(measure) = &scored.grade {
            let of_right = answered.choice(&scored.key).and_then(grade_of).ok_or_else(fault)?;
            into.push(&Row { measure, value: f64::from(0 - of_right), ..row });
        }
        if let Some(measure) = &scored.both_bad {
            let value = f64::from(u8::from(vote == Vote::BothBad));
            for model in [row.model, row.against] {
                into.push(&Row { model, against: "", measure, value, ..row });
            }
        }
        Ok(())
    }
}

register_rubric!(
    ContrastRubric,
    "contrast",
    summary = "Preferences between models, with ties as half, and how often both were called bad",
    citation = "Bradley & Terry 1952, Rank analysis of incomplete block designs, Biometrika",
    example = "{ kind: contrast, both_bad: tie }",
);
