//! The surveys of a study: how long they are, and which levels of facets their answers give.

use std::sync::Arc;

use crate::model::facet::{Facet, Levels};
use crate::model::record::SessionRecord;
use crate::model::trial::{Form, Question};
use crate::model::units::Micros;
use crate::protocol::chance::Streams;
use crate::study::Study;
use crate::study::spec::{FacetSpec, ProtocolSpec, surveyed};

/// The time that a question of a survey is assumed to take.
const QUESTION: Micros = Micros(8_000_000);

/// How long the surveys of a study are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SurveyLength {
    pub(super) pages: u32,
    questions: u32,
}

impl SurveyLength {
    pub(super) fn of(protocol: &ProtocolSpec) -> Self {
        // Neither depends on chance.
        let chance = Streams::new(0);
        let surveys = protocol.before.iter().chain(&protocol.after);
        surveys.flat_map(|survey| survey.pages(&chance)).fold(Self::default(), |sum, page| Self {
            pages: sum.pages.saturating_add(1),
            questions: sum.questions.saturating_add(page.questions.len() as u32),
        })
    }

    pub(super) fn duration(self) -> Micros {
        Micros(QUESTION.0 * u64::from(self.questions))
    }
}

impl Study {
    /// The questions of the surveys before the task, and of those after it.
    pub(super) fn survey_questions(&self) -> [Vec<Question>; 2] {
        let protocol = &self.spec().protocol;
        [&protocol.before, &protocol.after].map(|surveys| surveyed(surveys))
    }

    /// Whether any facet has the answers to a survey as its levels. They are known once the logs have been read.
    #[must_use]
    pub fn asks_levels(&self) -> bool {
        self.spec().protocol.facets.iter().any(|(_, facet)| facet.asked.is_some())
    }

    /// Puts levels that are options of a question in the order of the options, unless the facet declares one.
    pub(super) fn order_asked_levels(&self, facets: &mut [Facet]) {
        let protocol = &self.spec().protocol;
        for (facet, (_, spec)) in facets.iter_mut().zip(protocol.facets.iter()) {
            let Some(asked) = spec.asked.as_ref().filter(|_| spec.declared_levels().is_none()) else {
                continue;
            };
            let mut questions = protocol
                .before
                .iter()
                .chain(&protocol.after)
                .flat_map(|survey| surveyed(std::slice::from_ref(survey)));
            let Some(question) = questions.find(|question| question.id == *asked) else { continue };
            if let Form::Choice { options } = question.form {
                let place = |level: &Arc<str>| options.iter().position(|option| option.value == *level);
                facet.levels.sort_by_key(|level| place(level));
            }
        }
    }

    /// The levels that the rater of a session has by answers to surveys.
    #[must_use]
    pub fn asked_levels(&self, record: &SessionRecord) -> Levels {
        let facets = self.spec().protocol.facets.iter();
        let level = |(name, facet): (&str, &FacetSpec)| {
            let question = facet.asked.as_ref()?;
            let answer = record.survey_answers().find_map(|answered| answered.answer.get(question))?;
            let level = match answer.as_f64() {
                Some(number) => facet.band(number).unwrap_or_else(|| number.to_string().into()),
                None => Arc::from(answer.as_str()?),
            };
            Some((Arc::from(name), level))
        };
        facets.filter_map(level).collect()
    }
}
