//! The human questions of HEIM: alignment, photorealism, subject clarity, aesthetics, originality.
//!
//! Lee et al. 2023, "Holistic Evaluation of Text-to-Image Models", NeurIPS, appendix C. The score of an answer is its
//! position among the options as shown, from 1. At least five raters rate each image, and at least 100 images each
//! aspect.

use std::borrow::Cow;

use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::{ConditionKind, Description, Diagnostics, Recommended};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::questionnaire::{Questionnaire, questionnaire_rubric};
use super::{NoSettings, graded};

mod aspect;

pub use self::aspect::Aspect;

const PROMPTED: &str = "You will see images that a computer made from a description, or photographs. Read the \
                        description, look at the image, and answer the questions about the two.";
const UNPROMPTED: &str = "Look at each image and answer the questions about it.";
const REAL_OR_GENERATED: &str = "Determine if the following image is AI-generated or real.";

/// The questionnaire of several aspects on one page.
fn page(aspects: &[Aspect]) -> Questionnaire {
    let prompted = aspects.iter().any(|aspect| aspect.needs_prompt());
    let guidance = match aspects {
        [Aspect::Photorealism] => REAL_OR_GENERATED,
        _ if prompted => PROMPTED,
        _ => UNPROMPTED,
    };
    let judges_realism = aspects.contains(&Aspect::Photorealism);
    Questionnaire {
        questions: aspects.iter().map(|aspect| aspect.question()).collect(),
        needs: Cow::Borrowed(if prompted { &[ConditionKind::Prompt] } else { &[] }),
        guidance: Some(guidance.into()),
        measures: aspects.iter().map(|aspect| aspect.measure()).collect(),
        scores: aspects.iter().map(|aspect| aspect.score()).collect(),
        aggregators: graded_and_pooled,
        recommended: Some(Recommended { source: "HEIM", raters: 5, stimuli: 100 }),
        remark: None,
        remark_without_reals: judges_realism.then_some((
            "no-real-images",
            "photorealism was rated without real images among the others; HEIM reports the mean of real images next to \
             that of generated ones",
        )),
    }
}

/// The aggregators of graded answers, and HEIM's own table.
fn graded_and_pooled(questionnaire: &Questionnaire) -> Vec<AggregatorByKind> {
    let mut all = graded(questionnaire);
    all.push("pooled".into());
    all
}

/// Registers the rubric of one aspect.
macro_rules! heim_aspect {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $aspect:ident, summary = $summary:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $type(NoSettings);

        impl $type {
            fn questionnaire(&self) -> Questionnaire {
                page(&[Aspect::$aspect])
            }

            fn check_settings(&self, task: &Description, at: &mut Diagnostics) {
                check_reals(Aspect::$aspect, task, at);
            }
        }

        questionnaire_rubric!(
            $type,
            $kind,
            summary = $summary,
            citation = "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS, appendix C",
            example = concat!("{ kind: ", $kind, " }")
        );
    };
}

heim_aspect!(
    /// HEIM's alignment: how well an image matches its description, 1 to 5.
    HeimAlignment,
    "heim.alignment",
    Alignment,
    summary = "How well the image matches its description, 1 to 5"
);

heim_aspect!(
    /// HEIM's photorealism: whether an image looks AI-generated or real, 1 to 5; real images and generated ones separately.
    ///
    /// HEIM's text names HYPE-infinity, which is the task `hype_infinity`, but its data are means of this scale.
    HeimPhotorealism,
    "heim.photorealism",
    Photorealism,
    summary = "Whether the image looks AI-generated or real, 1 to 5, real images rated separately"
);

heim_aspect!(
    /// HEIM's subject clarity: whether it is clear who or what an image shows, 1 to 3.
    HeimSubjectClarity,
    "heim.subject_clarity",
    SubjectClarity,
    summary = "Whether it is clear who or what the image shows, 1 to 3"
);

heim_aspect!(
    /// HEIM's aesthetics: how aesthetically pleasing an image is, 1 to 5.
    HeimAesthetics,
    "heim.aesthetics",
    Aesthetics,
    summary = "How aesthetically pleasing the image is, 1 to 5"
);

heim_aspect!(
    /// HEIM's originality: how original an image is, given its description, 1 to 5.
    HeimOriginality,
    "heim.originality",
    Originality,
    summary = "How original the image is, given its description, 1 to 5"
);

/// Several aspects of HEIM on one page.
///
/// The default is all except photorealism, which HEIM asks on a separate page, without the description: the rubric
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

impl HeimImage {
    fn questionnaire(&self) -> Questionnaire {
        page(&self.aspects)
    }

    fn check_settings(&self, _: &Description, at: &mut Diagnostics) {
        at.within("aspects", |at| {
            if self.aspects.is_empty() {
                at.error("empty", "there are no aspects")
                    .help("omit `aspects` to ask all except photorealism");
            }
            let prompted = self.aspects.iter().any(|aspect| aspect.needs_prompt());
            let photorealism = self.aspects.iter().position(|aspect| *aspect == Aspect::Photorealism);
            if let Some(index) = photorealism.filter(|_| prompted) {
                at.item(index)
                    .warning(
                        "photorealism-with-prompt",
                        "photorealism is asked on a page that shows the description, which HEIM does not do",
                    )
                    .help("ask it in a separate study with `rubric: { kind: heim.photorealism }`");
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
}

questionnaire_rubric!(
    HeimImage,
    "heim.image",
    summary = "Several of HEIM's questions on one page",
    citation = "Lee et al. 2023, Holistic Evaluation of Text-to-Image Models, NeurIPS, appendix C",
    example = "{ kind: heim.image, aspects: [alignment, subject_clarity, aesthetics, originality] }"
);

/// Warns if photorealism is judged only for generated images.
fn check_reals(aspect: Aspect, task: &Description, at: &mut Diagnostics) {
    if aspect == Aspect::Photorealism && super::shown(task).is_some_and(|shown| !shown.reals) {
        at.warning("no-real-images", "HEIM rates real images together with the generated ones")
            .help("write `real: true` in the task, and name a set with `role: real`");
    }
}
