//! The rubrics of ImagenHub: semantic consistency, perceptual quality and the overall score, for seven tasks.
//!
//! Ku et al. 2023, "ImagenHub: Standardizing the evaluation of conditional image generation models", section 4, and
//! the project's guideline for raters. Raters answer one question for each condition that a task has, and three about
//! how the image looks; the scores follow from the answers by the paper's tables:
//!
//! - semantic consistency SC is the minimum over the conditions: 0, 0.5 or 1;
//! - perceptual quality PQ is 0 if objects are unrecognizable or artifacts serious, 0.5 if there are some artifacts or
//!   some sense of something unusual, else 1;
//! - the overall score O of a rating is the square root of SC × PQ.

use std::borrow::Cow;

use hype_core::model::score::Direction;
use hype_core::plugin::aggregator::AggregatorByKind;
use hype_core::{ConditionKind, Description, Diagnostics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::questionnaire::{
    Category, Formula, MeasureTemplate, QuestionTemplate, Questionnaire, ResponseScale, ScoreRule, TableRow,
    Wording, questionnaire_rubric,
};

/// The text that raters read before they begin.
const GUIDANCE: &str = "Each image was made from what is shown before it: a text, an image to edit, a subject, a guidance image. First \
     answer how far it follows each of these; judge each by itself, and never mind how the image looks. Then answer \
     how it looks, whatever it was made from. Artifacts are faults of the picture: distortions, watermarks, scratches, \
     blurred faces, odd body parts, subjects that do not go together. An unusual sense is something that could not be \
     so in the world: things too large or too small for their distance, wrong shadows, wrong lighting.";

/// How the three questions about perceptual quality are combined into one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PqTable {
    /// Table 1 of the paper, read from the top.
    #[default]
    Paper,
    /// The literal table of the project's guideline for raters, which has no row for 5 of the 12 combinations.
    Guideline,
}

/// The settings that all of ImagenHub's rubrics have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct ImagenHubSettings {
    /// How the questions about perceptual quality are combined into a score.
    pub table: PqTable,
}

/// A condition by which images are judged: its letter in the paper, its question, and what it requires.
struct Condition {
    question: QuestionTemplate,
    label: &'static str,
    needs: ConditionKind,
}

static FOLLOWS: [Category; 3] = [
    Category::new("none", "Not at all", 0.0),
    Category::new("some", "In some part", 0.5),
    Category::new("most", "For the most part", 1.0),
];

static EDITS: [Category; 3] = [
    Category::new("none", "Background completely changed", 0.0),
    Category::new("some", "A few overedits", 0.5),
    Category::new("most", "Mostly minimal", 1.0),
];

static RECOGNIZABLE: [Category; 2] = [
    Category::new("unrecognizable", "Unrecognizable", 0.0),
    Category::new("recognizable", "Recognizable", 1.0),
];

static ARTIFACTS: [Category; 3] = [
    Category::new("serious", "Serious ones", 1.0),
    Category::new("some", "Some", 0.5),
    Category::new("none", "None or little", 0.0),
];

static UNUSUAL: [Category; 2] =
    [Category::new("some", "Some", 1.0), Category::new("none", "Little or none", 0.0)];

const fn scale(categories: &'static [Category]) -> ResponseScale {
    ResponseScale::Categories(Cow::Borrowed(categories))
}

const PROMPT: Condition = Condition {
    question: QuestionTemplate::new("A", "Does the image follow the description?", scale(&FOLLOWS)),
    label: "follows the prompt (A)",
    needs: ConditionKind::Prompt,
};

const INSTRUCTION: Condition = Condition {
    question: QuestionTemplate::new("B", "Does the edit follow the instruction?", scale(&FOLLOWS)),
    label: "follows the instruction (B)",
    needs: ConditionKind::Instruction,
};

const MINIMAL: Condition = Condition {
    question: QuestionTemplate::new(
        "C",
        "Is the edit minimal, with the background left as it was?",
        scale(&EDITS),
    ),
    label: "minimal edit (C)",
    needs: ConditionKind::Source,
};

const SUBJECT: Condition = Condition {
    question: QuestionTemplate::new(
        "D",
        "Does the object in the image look like the subject?",
        scale(&FOLLOWS),
    ),
    label: "object follows the subject (D)",
    needs: ConditionKind::Subject,
};

const SUBJECTS: Condition = Condition {
    question: QuestionTemplate {
        id: Cow::Borrowed("D"),
        wording: Wording::ForEach {
            kind: ConditionKind::Subject,
            named: "Does the object for subject {number}, {name}, look like it?",
            unnamed: "Does the object for subject {number} look like it?",
        },
        help: None,
        scale: scale(&FOLLOWS),
        of_difference: false,
    },
    label: "objects follow their subjects, the least of them (D)",
    needs: ConditionKind::Subject,
};

const CONTROL: Condition = Condition {
    question: QuestionTemplate::new("E", "Does the image follow the guidance image?", scale(&FOLLOWS)),
    label: "follows the guidance image (E)",
    needs: ConditionKind::Control,
};

/// The three questions about how an image looks, independent of its conditions.
const LOOKS: [QuestionTemplate; 3] = [
    QuestionTemplate::new("objects", "Can the objects in the image be recognized?", scale(&RECOGNIZABLE)),
    QuestionTemplate::new("artifacts", "Are there artifacts in the image?", scale(&ARTIFACTS)),
    QuestionTemplate::new("unusual", "Does anything in the image give an unusual sense?", scale(&UNUSUAL)),
];

/// The paper's table 1: objects, artifacts and unusual sense, by their scores.
const PAPER: &[TableRow] = &[
    ([Some(0.0), None, None], 0.0),
    ([None, Some(1.0), None], 0.0),
    ([None, Some(0.5), None], 0.5),
    ([None, None, Some(1.0)], 0.5),
    ([Some(1.0), Some(0.0), Some(0.0)], 1.0),
];

/// The guideline's table: objects, artifacts and unusual sense, by their scores.
const GUIDELINE: &[TableRow] = &[
    ([Some(0.0), Some(1.0), None], 0.0),
    ([Some(1.0), Some(0.5), None], 0.5),
    ([Some(1.0), None, Some(1.0)], 0.5),
    ([Some(1.0), Some(0.0), Some(0.0)], 1.0),
];

const NOT_IN_TABLE: Formula = Formula::Lacks {
    measure: "PQ",
    beside: "SC",
    along: &["O"],
    warning: (
        "not-in-table",
        "ratings have answers that the guideline's table has no row for: they have neither PQ nor O",
    ),
};

/// The questionnaire for images that are judged by these conditions and whose items also have the conditions `given`.
fn page(conditions: &[&Condition], given: &[ConditionKind], table: PqTable) -> Questionnaire {
    let (rows, name) = match table {
        PqTable::Paper => {
            (PAPER, "perceptual quality follows table 1 of the ImagenHub paper, read from the top")
        }
        PqTable::Guideline => (
            GUIDELINE,
            "perceptual quality follows the table of ImagenHub's guideline for raters, taken literally",
        ),
    };
    let higher = |name, label| MeasureTemplate::new(name, label, "", Direction::Higher);
    let mut measures = vec![
        higher("O", "overall: sqrt(SC x PQ)"),
        higher("SC", "semantic consistency"),
        higher("PQ", "perceptual quality"),
    ];
    measures.extend(conditions.iter().map(|condition| MeasureTemplate {
        name: condition.question.id.clone(),
        ..higher("", condition.label)
    }));
    measures.extend([
        MeasureTemplate::new("objects", "objects recognizable", "proportion", Direction::Higher),
        MeasureTemplate::new("artifacts", "artifacts (0 none, 1 serious)", "", Direction::Lower),
        MeasureTemplate::new("unusual", "unusual sense", "proportion", Direction::Lower),
    ]);
    let questions: Vec<QuestionTemplate> =
        conditions.iter().map(|condition| condition.question.clone()).chain(LOOKS).collect();
    let answered =
        questions.iter().map(|question| ScoreRule { measure: question.id.clone(), formula: Formula::Answer });
    let mut scores: Vec<ScoreRule> = answered.collect();
    scores.extend([
        ScoreRule::new("SC", Formula::Least(&["A", "B", "C", "D", "E"])),
        ScoreRule::new("PQ", Formula::Table { of: ["objects", "artifacts", "unusual"], rows }),
        ScoreRule::new("O", Formula::RootOfProduct(["SC", "PQ"])),
    ]);
    if table == PqTable::Guideline {
        let label = "answers that the guideline's table has no row for";
        measures.push(MeasureTemplate::new("not_in_table", label, "proportion", Direction::Neither));
        scores.push(ScoreRule::new("not_in_table", NOT_IN_TABLE));
    }
    Questionnaire {
        questions: questions.into(),
        needs: conditions.iter().map(|condition| condition.needs).chain(given.iter().copied()).collect(),
        guidance: Some(GUIDANCE.into()),
        measures: measures.into(),
        scores: scores.into(),
        aggregators,
        recommended: None,
        remark: Some(("pq-table", name)),
        remark_without_reals: None,
    }
}

fn aggregators(_: &Questionnaire) -> Vec<AggregatorByKind> {
    vec!["imagenhub".into(), "by_model".into()]
}

/// Registers the rubric of one task.
macro_rules! imagenhub_task {
    ($(#[$doc:meta])* $type:ident, $kind:literal, [$($condition:ident),+] $(, given = $given:ident)?,
     summary = $summary:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $type(pub ImagenHubSettings);

        impl $type {
            fn questionnaire(&self) -> Questionnaire {
                page(&[$(&$condition),+], &[$(ConditionKind::$given)?], self.0.table)
            }

            fn check_settings(&self, _: &Description, _: &mut Diagnostics) {}
        }

        questionnaire_rubric!(
            $type,
            $kind,
            summary = $summary,
            citation = "Ku et al. 2023, ImagenHub: Standardizing the evaluation of conditional image generation models",
            example = concat!("{ kind: ", $kind, ", table: paper }")
        );
    };
}

imagenhub_task!(
    /// Text-guided image generation: does the image follow the prompt?
    TextGuidedGeneration,
    "imagenhub.text_guided_generation",
    [PROMPT],
    summary = "SC, PQ and O of images made from a text"
);

imagenhub_task!(
    /// Mask-guided image editing: does the edit follow the instruction, and is it minimal?
    MaskGuidedEditing,
    "imagenhub.mask_guided_editing",
    [INSTRUCTION, MINIMAL],
    given = Mask,
    summary = "SC, PQ and O of images edited within a mask"
);

imagenhub_task!(
    /// Text-guided image editing: does the edit follow the instruction, and is it minimal?
    TextGuidedEditing,
    "imagenhub.text_guided_editing",
    [INSTRUCTION, MINIMAL],
    summary = "SC, PQ and O of images edited by a text"
);

imagenhub_task!(
    /// Subject-driven image generation: does the image follow the prompt, and its object the subject?
    SubjectDrivenGeneration,
    "imagenhub.subject_driven_generation",
    [PROMPT, SUBJECT],
    summary = "SC, PQ and O of images made of a given subject"
);

imagenhub_task!(
    /// Subject-driven image editing: is the edit minimal, and does the object follow the subject?
    SubjectDrivenEditing,
    "imagenhub.subject_driven_editing",
    [MINIMAL, SUBJECT],
    summary = "SC, PQ and O of images edited to show a given subject"
);

imagenhub_task!(
    /// Multi-concept image composition: does the image follow the prompt, and each object its subject?
    MultiConceptComposition,
    "imagenhub.multi_concept_composition",
    [PROMPT, SUBJECTS],
    summary = "SC, PQ and O of images composed of several given subjects"
);

imagenhub_task!(
    /// Control-guided image generation: does the image follow the prompt and the guidance image?
    ControlGuidedGeneration,
    "imagenhub.control_guided_generation",
    [PROMPT, CONTROL],
    summary = "SC, PQ and O of images guided by edges, depth or a pose"
);
