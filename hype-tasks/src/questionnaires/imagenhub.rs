//! The rubrics of ImagenHub: semantic consistency, perceptual quality and the overall score, for seven tasks.
//!
//! Ku et al. 2023, "ImagenHub: Standardizing the evaluation of conditional image generation models", section 4, and
//! the project's guideline for raters. Raters answer one question for each condition that a task has, and three about
//! how the image looks; the scores follow from the answers by the paper's tables:
//!
//! - semantic consistency SC is the least that the conditions reach: 0, 0.5 or 1;
//! - perceptual quality PQ is 0 if objects are unrecognizable or artifacts serious, 0.5 if there are some artifacts or
//!   some sense of something unusual, else 1;
//! - the overall score O of a rating is the square root of SC × PQ.

use std::sync::Arc;

use hype_core::model::score::Measure;
use hype_core::{
    Asked, ConditionKind, Diagnostics, ErasedAggregator, ErasedTask, MeasureFindings, Note, Question, Rubric,
    ScoreError, ScoreTable, Scoring, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine;
use crate::aggregators::by_model::ByModel;
use crate::aggregators::imagenhub::ImagenHub;

mod cells;
mod page;

pub use self::cells::{
    Artifacts, Follows, Objects, PqTable, Unusual, perceptual_quality, semantic_consistency,
};

use self::page::{Condition, Page};

/// Writes the rubric of one task.
macro_rules! imagenhub_task {
    ($(#[$doc:meta])* $type:ident, $kind:literal, [$($condition:ident),+] $(, given = $given:ident)?,
     summary = $summary:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $type {
            /// How the questions about perceptual quality become a score.
            pub table: PqTable,
        }

        impl $type {
            const fn page(&self) -> Page {
                Page {
                    conditions: &[$(Condition::$condition),+],
                    given: &[$(ConditionKind::$given)?],
                    table: self.table,
                }
            }
        }

        impl Rubric for $type {
            fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics) {
                engine::check_task($kind, task, at);
            }

            fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
                self.page().questions(asked)
            }

            fn guidance(&self) -> Option<Arc<str>> {
                Some(page::GUIDANCE.into())
            }

            fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>> {
                vec![Box::new(ImagenHub::default()), Box::new(ByModel::default())]
            }

            fn measures(&self) -> Vec<Measure> {
                self.page().measures()
            }

            fn score(
                &self,
                session: &SessionRecord,
                context: &Scoring<'_>,
                into: &mut ScoreTable,
            ) -> Result<(), ScoreError> {
                engine::score(session, context, into, |showing| self.page().cell(showing, context.stimuli))
            }

            fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
                self.page().remarks(found).into_iter().chain(engine::real_rows(found, context)).collect()
            }
        }

        register_rubric!(
            $type,
            $kind,
            summary = $summary,
            citation = "Ku et al. 2023, ImagenHub: Standardizing the evaluation of conditional image generation models",
            example = concat!("{ kind: ", $kind, ", table: paper }"),
        );
    };
}

imagenhub_task!(
    /// Text-guided image generation: does the image follow the prompt?
    TextGuidedGeneration,
    "imagenhub.text_guided_generation",
    [Prompt],
    summary = "SC, PQ and O of images made from a text"
);

imagenhub_task!(
    /// Mask-guided image editing: does the edit follow the instruction, and is it minimal?
    MaskGuidedEditing,
    "imagenhub.mask_guided_editing",
    [Instruction, Minimal],
    given = Mask,
    summary = "SC, PQ and O of images edited within a mask"
);

imagenhub_task!(
    /// Text-guided image editing: does the edit follow the instruction, and is it minimal?
    TextGuidedEditing,
    "imagenhub.text_guided_editing",
    [Instruction, Minimal],
    summary = "SC, PQ and O of images edited by a text"
);

imagenhub_task!(
    /// Subject-driven image generation: does the image follow the prompt, and its object the subject?
    SubjectDrivenGeneration,
    "imagenhub.subject_driven_generation",
    [Prompt, Subject],
    summary = "SC, PQ and O of images made of a given subject"
);

imagenhub_task!(
    /// Subject-driven image editing: is the edit minimal, and does the object follow the subject?
    SubjectDrivenEditing,
    "imagenhub.subject_driven_editing",
    [Minimal, Subject],
    summary = "SC, PQ and O of images edited to show a given subject"
);

imagenhub_task!(
    /// Multi-concept image composition: does the image follow the prompt, and each object its subject?
    MultiConceptComposition,
    "imagenhub.multi_concept_composition",
    [Prompt, Subjects],
    summary = "SC, PQ and O of images composed of several given subjects"
);

imagenhub_task!(
    /// Control-guided image generation: does the image follow the prompt and the guidance image?
    ControlGuidedGeneration,
    "imagenhub.control_guided_generation",
    [Prompt, Control],
    summary = "SC, PQ and O of images guided by edges, depth or a pose"
);
