//! The engine of all questionnaires: questions about a stimulus, and the computation of scores from answers.
//!
//! A [`Questionnaire`] is data. The rubrics of this folder are presets: constants, or values made from a rubric's
//! settings. Everything that they share is defined here.

use std::borrow::Cow;
use std::sync::Arc;

use hype_core::model::findings::Estimate;
use hype_core::model::guidance::Guidance;
use hype_core::model::score::{Direction, Measure, MeasureScale};
use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::words::first_few;
use hype_core::{
    Asked, ConditionKind, Item, MeasureFindings, Note, Question, Recommended, Role, ScoreError, ScoreTable,
    Scoring, SessionRecord,
};

mod formula;
mod question;
mod scoring;

pub(super) use self::formula::{Formula, ScoreRule, TableRow};
pub(super) use self::question::{Category, QuestionTemplate, ResponseScale, Wording};

/// The measure of gold stimuli: whether they were answered correctly.
pub(super) const GOLD_CORRECT: &str = "gold_correct";
/// The measure of repeated stimuli: the share of answers that agree with the first ones.
pub(super) const CONSISTENCY: &str = "consistency";

/// Questions about one stimulus, their scales, and the computation of scores from answers.
#[derive(Debug, Clone)]
pub(super) struct Questionnaire {
    /// The questions, in the order asked.
    pub(super) questions: Cow<'static, [QuestionTemplate]>,
    /// The conditions that an item has to have. Nothing is asked about an item that lacks one.
    pub(super) needs: Cow<'static, [ConditionKind]>,
    /// The text that raters read before they begin.
    pub(super) guidance: Option<Guidance>,
    /// The measures, the study's score first.
    pub(super) measures: Cow<'static, [MeasureTemplate]>,
    /// The rules that compute scores from answers; a rule may use the measures of earlier rules.
    pub(super) scores: Cow<'static, [ScoreRule]>,
    /// The aggregators used if the spec names none.
    pub(super) aggregators: fn(&Self) -> Vec<AggregatorByKind>,
    /// The size of study that the published protocol requires.
    pub(super) recommended: Option<Recommended>,
    /// A remark for all findings: a code and a text.
    pub(super) remark: Option<(&'static str, &'static str)>,
    /// A remark for findings without judged real stimuli: a code and a text.
    pub(super) remark_without_reals: Option<(&'static str, &'static str)>,
}

/// A measure as data.
#[derive(Debug, Clone)]
pub(super) struct MeasureTemplate {
    pub(super) name: Cow<'static, str>,
    pub(super) label: Cow<'static, str>,
    pub(super) unit: &'static str,
    pub(super) direction: Direction,
    /// The meaning of differences between scores; `None` for ordered categories.
    pub(super) scale: Option<MeasureScale>,
}

impl MeasureTemplate {
    pub(super) const fn new(
        name: &'static str,
        label: &'static str,
        unit: &'static str,
        direction: Direction,
    ) -> Self {
        Self { name: Cow::Borrowed(name), label: Cow::Borrowed(label), unit, direction, scale: None }
    }

    fn measure(&self) -> Measure {
        Measure { scale: self.scale, ..Measure::new(&self.name, &self.label, self.unit, self.direction) }
    }
}

impl Questionnaire {
    /// The questions about an item; empty if it lacks a condition that they need.
    pub(super) fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
        let has = |item: &Item, kind| item.of_kind(kind).next().is_some();
        let complete = self.needs.iter().all(|&kind| asked.item.is_some_and(|item| has(item, kind)));
        if !complete {
            return Arc::new([]);
        }
        self.questions.iter().flat_map(|question| question.about(asked.item)).collect()
    }

    pub(super) fn guidance(&self) -> Option<Guidance> {
        self.guidance.clone()
    }

    pub(super) fn aggregators(&self) -> Vec<AggregatorByKind> {
        (self.aggregators)(self)
    }

    /// The questionnaire's own measures, then the measures of raters that every questionnaire has.
    pub(super) fn measures(&self) -> Vec<Measure> {
        let of_raters = [
            Measure::new(GOLD_CORRECT, "gold images answered rightly", "proportion", Direction::Neither),
            Measure::new(
                CONSISTENCY,
                "answers to repeated images that are the same",
                "proportion",
                Direction::Neither,
            ),
        ];
        self.measures.iter().map(MeasureTemplate::measure).chain(of_raters).collect()
    }

    /// Adds the scores of a session.
    ///
    /// # Errors
    /// If the log lacks a stimulus under judgment or an answer.
    pub(super) fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        scoring::score(self, session, context, into)
    }

    /// Remarks on the findings.
    pub(super) fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
        let remark = |&(code, text): &(&'static str, &'static str)| Note::setting(code, text);
        let real = real_models(found, context);
        let without_reals = self.remark_without_reals.filter(|_| real.is_empty());
        let mut notes: Vec<Note> = self.remark.iter().map(remark).collect();
        notes.extend(self.scores.iter().filter_map(|rule| rule.formula.warning(found)));
        notes.extend(self.without_real(found, context));
        if !real.is_empty() {
            let text = format!("real images, rated among the generated ones: {}", first_few(&real));
            notes.push(Note::setting("real-images", text).on_models(real));
        }
        notes.extend(without_reals.iter().map(remark));
        notes
    }

    /// The warning about scores of outputs whose rater did not judge the real stimulus that they are compared with.
    fn without_real(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Option<Note> {
        let compared = self.scores.iter().find_map(|rule| match rule.formula {
            Formula::FromReal { question, .. } => Some((&*rule.measure, question)),
            _ => None,
        });
        let (measure, question) = compared?;
        let of = |name: &str| found.iter().find(|one| &*one.measure.name == name);
        let outputs = of(question)?.estimates.iter().filter(|estimate| !is_real(estimate, context));
        let all: u64 = outputs.map(|estimate| estimate.responses).sum();
        let without = all.saturating_sub(of(measure).map_or(0, |one| one.responses));
        let text = format!("{without} of {all} scores do not count: their raters did not judge the source");
        (without > 0).then(|| Note::meaning("no-source", text).about(measure))
    }

    /// The lowest and the highest score that an answer to the first question has.
    pub(super) fn range(&self) -> Option<[f64; 2]> {
        self.questions.first()?.scale.range()
    }
}

/// The real sets among the estimates of the study's score.
fn real_models<'a>(found: &'a [MeasureFindings], context: &Scoring<'_>) -> Vec<&'a str> {
    let estimates = found.first().map_or(&[][..], |score| score.estimates.as_slice());
    estimates.iter().filter(|estimate| is_real(estimate, context)).map(|estimate| &*estimate.model).collect()
}

fn is_real(estimate: &Estimate, context: &Scoring<'_>) -> bool {
    context.stimuli.sets().iter().any(|set| set.name == estimate.model && set.role == Role::Real)
}

/// Implements the rubric of a type that has a method `questionnaire` and a method `check_settings`.
macro_rules! questionnaire_rubric {
    ($type:ty, $kind:literal, summary = $summary:literal, citation = $citation:literal, example = $example:expr) => {
        impl hype_core::Rubric for $type {
            fn check(&self, task: &hype_core::Description, at: &mut hype_core::Diagnostics) {
                self.check_settings(task, at);
            }

            fn reads(&self) -> hype_core::Reads {
                hype_core::Reads::OwnQuestions
            }

            fn recommended(&self) -> Option<hype_core::Recommended> {
                self.questionnaire().recommended
            }

            fn questions(&self, asked: &hype_core::Asked<'_>) -> std::sync::Arc<[hype_core::Question]> {
                self.questionnaire().questions(asked)
            }

            fn guidance(&self) -> Option<hype_core::model::guidance::Guidance> {
                self.questionnaire().guidance()
            }

            fn aggregators(&self) -> Vec<hype_core::plugin::aggregator::AggregatorByKind> {
                self.questionnaire().aggregators()
            }

            fn measures(&self) -> Vec<hype_core::Measure> {
                self.questionnaire().measures()
            }

            fn score(
                &self,
                session: &hype_core::SessionRecord,
                context: &hype_core::Scoring<'_>,
                into: &mut hype_core::ScoreTable,
            ) -> Result<(), hype_core::ScoreError> {
                self.questionnaire().score(session, context, into)
            }

            fn remarks(
                &self,
                found: &[hype_core::MeasureFindings],
                context: &hype_core::Scoring<'_>,
            ) -> Vec<hype_core::Note> {
                self.questionnaire().remarks(found, context)
            }
        }

        hype_core::register_rubric!(
            $type,
            $kind,
            summary = $summary,
            citation = $citation,
            example = $example,
        );
    };
}

pub(super) use questionnaire_rubric;
