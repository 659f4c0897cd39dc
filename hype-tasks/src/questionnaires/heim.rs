//! The human questions of HEIM: alignment, photorealism, subject clarity, aesthetics, originality.
//!
//! Lee et al. 2023, "Holistic Evaluation of Text-to-Image Models", NeurIPS, appendix C. An answer scores its place
//! among the options as shown, from 1. Five raters at least rate each image, 100 images at least each aspect.

use std::sync::Arc;

use hype_core::model::score::Measure;
use hype_core::{
    Asked, ConditionKind, Diagnostics, ErasedAggregator, ErasedTask, MeasureFindings, Note, Question, Rubric,
    ScoreError, ScoreTable, Scoring, SessionRecord, register_rubric,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine;
use crate::aggregators::pooled::Pooled;
use crate::tasks::rating::Rating;

mod aspect;

pub use self::aspect::{Aspect, answer_score, option_of};

const PROMPTED: &str = "You will see images that a computer made from a description, or photographs. Read the \
                        description, look at the image, and answer the questions about the two.";
const UNPROMPTED: &str = "Look at each image and answer the questions about it.";
const REAL_OR_GENERATED: &str = "Determine if the following image is AI-generated or real.";

/// What several aspects ask about an item; nothing if one of them needs a description that is not there.
fn questions(aspects: &[Aspect], asked: &Asked<'_>) -> Arc<[Question]> {
    let has_prompt = || asked.item.is_some_and(|item| item.of_kind(ConditionKind::Prompt).next().is_some());
    if aspects.iter().any(|aspect| aspect.needs_prompt()) && !has_prompt() {
        return Arc::new([]);
    }
    aspects.iter().map(|aspect| aspect.asked()).collect()
}

fn guidance(aspects: &[Aspect]) -> Arc<str> {
    match aspects {
        [Aspect::Photorealism] => REAL_OR_GENERATED.into(),
        _ if aspects.iter().any(|aspect| aspect.needs_prompt()) => PROMPTED.into(),
        _ => UNPROMPTED.into(),
    }
}

/// Those of graded answers, with what HEIM itself reports beside them.
fn aggregators() -> Vec<Box<dyn ErasedAggregator>> {
    let mut all = engine::graded();
    all.push(Box::new(Pooled::default()));
    all
}

fn measures(aspects: &[Aspect]) -> Vec<Measure> {
    aspects.iter().map(|aspect| aspect.measure()).chain(engine::measures_of_raters()).collect()
}

fn score(
    aspects: &[Aspect],
    session: &SessionRecord,
    context: &Scoring<'_>,
    into: &mut ScoreTable,
) -> Result<(), ScoreError> {
    engine::score(session, context, into, |showing| {
        let one = |aspect: &Aspect| {
            let given = showing.answered.choice(aspect.id());
            let score = given
                .and_then(|value| aspect.score_of_value(value))
                .ok_or_else(|| format!("the log has no answer to `{}` that the rubric knows", aspect.id()))?;
            Ok((aspect.id().to_owned(), f64::from(score)))
        };
        aspects.iter().map(one).collect()
    })
}

/// Tells of real images in the findings, or that photorealism was judged without any.
fn remarks(aspects: &[Aspect], found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
    let real = engine::real_rows(found, context);
    let without = (real.is_none() && aspects.contains(&Aspect::Photorealism)).then(|| {
        Note::remark(
            "no-real-images",
            "photorealism was rated without real images among the others; HEIM reports the mean of real images beside \
             that of generated ones",
        )
    });
    real.into_iter().chain(without).collect()
}

fn check_reals(task: &dyn ErasedTask, at: &mut Diagnostics) {
    if task.downcast_ref::<Rating>().is_some_and(|rating| !rating.real) {
        at.warning("no-real-images", "HEIM rates real images beside the generated ones")
            .help("write `real: true` in the task, and name a set with `role: real`");
    }
}

/// Writes the rubric of one aspect.
macro_rules! heim_aspect {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $aspect:expr, summary = $summary:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $type {}

        impl Rubric for $type {
            fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics) {
                engine::check_task($kind, task, at);
                if $aspect == Aspect::Photorealism {
                    check_reals(task, at);
                }
            }

            fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
                questions(&[$aspect], asked)
            }

            fn guidance(&self) -> Option<Arc<str>> {
                Some(guidance(&[$aspect]))
            }

            fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>> {
                aggregators()
            }

            fn measures(&self) -> Vec<Measure> {
                measures(&[$aspect])
            }

            fn score(
                &self,
                session: &SessionRecord,
                context: &Scoring<'_>,
                into: &mut ScoreTable,
            ) -> Result<(), ScoreError> {
                score(&[$aspect], session, context, into)
            }

            fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
                remarks(&[$aspect], found, context)
            }
        }

        register_rubric!(
            $type,
            $kind,
            summary = $summary,
            citation = "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS, appendix C",
            example = concat!("{ kind: ", $kind, " }"),
        );
    };
}

heim_aspect!(
    /// HEIM's alignment: how well an image matches its description, 1 to 5.
    HeimAlignment,
    "heim.alignment",
    Aspect::Alignment,
    summary = "How well the image matches its description, 1 to 5"
);

heim_aspect!(
    /// HEIM's photorealism: whether an image looks AI-generated or real, 1 to 5; real images and generated ones apart.
    ///
    /// HEIM says that it uses HYPE-infinity, which is the task `hype_infinity`, yet its data are means of this scale.
    HeimPhotorealism,
    "heim.photorealism",
    Aspect::Photorealism,
    summary = "Whether the image looks AI-generated or real, 1 to 5, real images rated apart"
);

heim_aspect!(
    /// HEIM's subject clarity: whether it is clear who or what an image shows, 1 to 3.
    HeimSubjectClarity,
    "heim.subject_clarity",
    Aspect::SubjectClarity,
    summary = "Whether it is clear who or what the image shows, 1 to 3"
);

heim_aspect!(
    /// HEIM's aesthetics: how aesthetically pleasing an image is, 1 to 5.
    HeimAesthetics,
    "heim.aesthetics",
    Aspect::Aesthetics,
    summary = "How aesthetically pleasing the image is, 1 to 5"
);

heim_aspect!(
    /// HEIM's originality: how original an image is, given its description, 1 to 5.
    HeimOriginality,
    "heim.originality",
    Aspect::Originality,
    summary = "How original the image is, given its description, 1 to 5"
);

/// Several aspects of HEIM on one page.
///
/// The default is all but photorealism, which HEIM asks on a page of its own, without the description: the rubric
/// `heim.photorealism`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeimImage {
    /// The aspects, in the order asked; the first is the study's score.
    #[schemars(length(min = 1))]
    pub aspects: Vec<Aspect>,
}

impl Default for HeimImage {
    fn default() -> Self {
        let with_prompt = |aspect: &Aspect| *aspect != Aspect::Photorealism;
        Self { aspects: Aspect::ALL.into_iter().filter(with_prompt).collect() }
    }
}

impl Rubric for HeimImage {
    fn check(&self, task: &dyn ErasedTask, at: &mut Diagnostics) {
        engine::check_task("heim.image", task, at);
        at.within("aspects", |at| {
            if self.aspects.is_empty() {
                at.error("empty", "there are no aspects")
                    .help("leave `aspects` out to ask all but photorealism");
            }
            let prompted = self.aspects.iter().any(|aspect| aspect.needs_prompt());
            let photorealism = self.aspects.iter().position(|aspect| *aspect == Aspect::Photorealism);
            if let Some(index) = photorealism.filter(|_| prompted) {
                at.item(index)
                    .warning(
                        "photorealism-with-prompt",
                        "photorealism is asked on a page that shows the description, which HEIM does not do",
                    )
                    .help("ask it in a study of its own with `rubric: { kind: heim.photorealism }`");
            }
            for (index, aspect) in self.aspects.iter().enumerate() {
                if self.aspects[..index].contains(aspect) {
                    at.item(index)
                        .error("duplicate", format!("`{}` is listed twice", aspect.id()))
                        .help("remove one");
                }
            }
        });
    }

    fn questions(&self, asked: &Asked<'_>) -> Arc<[Question]> {
        questions(&self.aspects, asked)
    }

    fn guidance(&self) -> Option<Arc<str>> {
        Some(guidance(&self.aspects))
    }

    fn aggregators(&self) -> Vec<Box<dyn ErasedAggregator>> {
        aggregators()
    }

    fn measures(&self) -> Vec<Measure> {
        measures(&self.aspects)
    }

    fn score(
        &self,
        session: &SessionRecord,
        context: &Scoring<'_>,
        into: &mut ScoreTable,
    ) -> Result<(), ScoreError> {
        score(&self.aspects, session, context, into)
    }

    fn remarks(&self, found: &[MeasureFindings], context: &Scoring<'_>) -> Vec<Note> {
        remarks(&self.aspects, found, context)
    }
}

register_rubric!(
    HeimImage,
    "heim.image",
    summary = "Several of HEIM's questions on one page",
    citation = "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS, appendix C",
    example = "{ kind: heim.image, aspects: [alignment, subject_clarity, aesthetics, originality] }",
);
