//! The sections of new specs that depend on the task.

use hype_core::MediaKind;

use super::Protocol;
use crate::args::NewTask;

/// The sections of a spec on its task, its raters and its analysis. Each ends in a line break.
pub(super) struct Sections {
    pub(super) items: String,
    task: String,
    raters: String,
    /// The languages in the backend's settings.
    language: &'static str,
    /// The width and height within which images are shown; their own, if there are none.
    pub(super) resize: Option<[u32; 2]>,
    pub(super) simulate: String,
    aggregate: &'static str,
}

impl Sections {
    /// The same for another kind of media, in whose words the texts then are.
    pub(super) fn of(self, kind: MediaKind) -> Self {
        if kind.is_image() {
            return self;
        }
        let (one, several) = (kind.to_string(), kind.plural());
        let capital = if kind == MediaKind::Video { "Clip" } else { "Text" };
        let worded = |text: String| {
            let text = text.replace(" images", &format!(" {several}")).replace(" image", &format!(" {one}"));
            text.replace("Image", capital)
        };
        let playback = match kind {
            MediaKind::Video => {
                "
# Raters see each clip to its end before they answer. A trial in which clips stand still for longer than this is void.
playback: { stalls_at_most_ms: 500 }
"
            }
            _ => "",
        };
        Self {
            items: worded(self.items),
            task: worded(self.task) + playback,
            raters: worded(self.raters),
            ..self
        }
    }

    /// The spec with a name and a seed, and its section of stimuli.
    pub(super) fn spec(&self, name: &str, seed: u64, stimuli: &str) -> String {
        let Self { items, task, raters, language, resize, simulate, aggregate } = self;
        let resize = resize.map_or_else(String::new, |[width, height]| {
            format!(", resize: {{ fit: within, width: {width}, height: {height} }}")
        });
        let name = serde_json::Value::from(name);
        format!(
            "\
# yaml-language-server: $schema=evaluation.schema.json
# A study of hype. Write the schema for your editor with: hype schema > evaluation.schema.json
name: {name}
seed: {seed}                   # of all chance: draws, orders, simulation, bootstrap

{stimuli}{items}
{task}
{raters}
# People, by a page in their browsers at this address.
backend: {{ kind: web, listen: \"127.0.0.1:7850\"{language}{resize} }}

# Synthetic raters, for `hype simulate` and `hype run --simulate`.
simulate:
  kind: synthetic
{simulate}
{aggregate}"
        )
    }
}

pub(super) const ITEMS: &str = "
# Files of one name are outputs for one item. `items: { table: items.csv }` shows prompts or sources next to them.
items: { match: name }
";

/// The author's own words have to be translated before other languages are offered.
const ENGLISH: &str = ", language: en";

const THRESHOLDS: &str = "  observers:
    good:     { threshold_ms: 363 }
    middling: { threshold_ms: 241 }
    weak:     { threshold_ms: 180 }
  rater_sd: 0.4                   # of ln threshold, over raters
";

const QUALITIES: &str = "  observers:                      # what each model is worth, from 0 to 1
    good:     { quality: 0.75 }
    middling: { quality: 0.55 }
    weak:     { quality: 0.3 }
";

const BY_MODEL: &str = "\
# Scores and tests by model. `preset: hype-2019` gives the analysis of the HYPE paper.
aggregate: { kind: by_model }
";

/// Images between an image and its repeat.
const APART: u32 = 5;

/// The trials of a block from which on the published steps come from 500 ms to either end of the range.
const TRIALS_FOR_PUBLISHED_STEPS: u32 = 40;

/// The staircase of blocks with so many trials: the published one, or longer steps with the same target, which come to either end
/// in half a block. Texts have ten times the steps.
fn staircase(trials: u32, kind: MediaKind) -> String {
    let published = if kind == MediaKind::Text { 100 } else { 10 };
    let many = trials >= TRIALS_FOR_PUBLISHED_STEPS;
    if many && kind != MediaKind::Text {
        return "{ preset: weighted } # each right answer 10 ms harder, each wrong one 30 ms easier".into();
    }
    let (factor, why) = match many {
        true => (1, "of texts".to_owned()),
        false => (
            (2 * TRIALS_FOR_PUBLISHED_STEPS).div_ceil(trials.max(1)),
            format!("for so few trials; {published} and {} from 40 on", 3 * published),
        ),
    };
    let harder = published * factor;
    format!("{{ step_harder_ms: {harder}, step_easier_ms: {} }} # {why}", 3 * harder)
}

impl Protocol {
    pub(super) fn sections(&self, task: NewTask) -> Sections {
        match task {
            NewTask::HypeTime | NewTask::HypeInfinity => self.by_model(task),
            _ => self.by_item(task),
        }
    }

    /// Tasks that count raters by model.
    fn by_model(&self, task: NewTask) -> Sections {
        let Self { qualification, blocks, size, .. } = self;
        let task = if task == NewTask::HypeTime {
            let staircase = staircase(*size, self.kind);
            let exposure = match self.kind {
                MediaKind::Text => "{ floor_ms: 1000, ceiling_ms: 10000, start_ms: 5000 }",
                _ => "{ floor_ms: 100, ceiling_ms: 1000, start_ms: 500 }",
            };
            format!(
                "\
# HYPE-time: an adaptive staircase finds the exposure at which raters tell real from fake.
task:
  kind: hype_time
  blocks: {blocks}                       # a staircase each, on different images
  trials_per_block: {size}
  exposure: {exposure}
  staircase: {staircase}
  # catch: {{ trials: 12 }}         # trials of 16 ms, which only a machine gets right; they need images of their own
"
            )
        } else {
            format!(
                "\
# HYPE-infinity: the share of images judged wrong, with all the time in the world.
task: {{ kind: hype_infinity, generated: {size}, real: {size} }}
"
            )
        };
        let qualification = match qualification {
            0 => "null             # too few images for one".to_owned(),
            trials => format!("{{ trials: {trials}, pass: {{ rule: both-classes, at_least: 0.65 }} }}"),
        };
        let raters = format!(
            "\
raters:
  per_model: 30                   # who complete the study
  design: between                 # each rater judges one model; `within`: every rater judges all
  qualification: {qualification}
  payment: {{ currency: USD, base: 1.00, per_correct: 0.02 }}
"
        );
        Sections {
            items: String::new(),
            task,
            raters,
            language: "",
            resize: None,
            simulate: THRESHOLDS.to_owned(),
            aggregate: BY_MODEL,
        }
    }

    /// Whether texts are judged as a whole, as there are no real ones to tell what is realistic.
    fn is_overall(&self) -> bool {
        self.kind == MediaKind::Text && !self.has_reals
    }

    /// The task that rates images one by one, the raters of an item, and the aggregators.
    fn one_by_one(&self) -> (String, &'static str, &'static str) {
        let size = self.size;
        let fit = match self.has_prompts {
            true => {
                "    - id: alignment
      text: How well does the image fit the prompt?
      options: [Not at all, Slightly, Moderately, Very well, Completely]
"
            }
            false => "",
        };
        let (id, question, options) = match self.is_overall() {
            true => ("quality", "good is the image overall", "Very poor, Poor, Fair, Good, Very good"),
            false => {
                ("realism", "realistic is the image", "Not at all, Slightly, Moderately, Very, Completely")
            }
        };
        let repeats = match size.saturating_sub(APART).min(4) {
            0 => format!("  # repeats: images shown again need at least {} images\n", APART + 1),
            count => format!(
                "  repeats: {{ per_session: {count}, apart: {APART} }} # images shown again, to see whether raters agree with themselves\n"
            ),
        };
        (
            format!(
                "\
# Images one by one, with the questions of the rubric.
task:
  kind: rating
  # real: true                    # rates the real images too
  per_session: {size}
{repeats}rubric:                           # or `heim.image`, `imagenhub.text_guided_generation`, `opinion`
  kind: likert
  questions:
{fit}    - id: {id}
      text: How {question}?
      options: [{options}]
"
            ),
            "5                     # who rate each image",
            "\
# Means by model, and the agreement of raters.
aggregate:
  - { kind: by_model }
  - { kind: agreement, coefficients: [percent, krippendorff-ordinal] }
",
        )
    }

    /// Absolute category rating, the raters of a clip, and the aggregator.
    fn acr(&self) -> (String, &'static str, &'static str) {
        let size = self.size;
        (
            format!(
                "\
# Images one by one and once each, from Bad to Excellent (ITU-T P.910).
task: {{ kind: rating, per_session: {size} }}
rubric: {{ kind: opinion, method: acr }}
"
            ),
            "12                    # who rate each image",
            "\
# Mean opinion scores, and each rater's bias and inconsistency.
aggregate: { kind: opinion }
",
        )
    }

    /// The task that compares pairs of images, the raters of an item, and the aggregators.
    fn pairs(&self) -> (String, &'static str, &'static str) {
        let size = self.size;
        let fit = match self.has_prompts {
            true => "    - { name: alignment, question: Which image fits the prompt better?, tie: true }\n",
            false => "",
        };
        let (only, first, noted) = match self.is_overall() {
            true => ("quality", "overall, question: Which image is better overall?", "raters"),
            false => ("realism", "realism", "\"Which image is better? Judge by realism.\"; raters"),
        };
        (
                format!(
                    "\
# Two images side by side, judged by these criteria on one screen. `criterion: {only}` in place of `criteria` asks one.
task:
  kind: contrast
  criteria:
{fit}    - {{ name: {first}, tie: true }} # {noted} may call them equal
    - {{ name: quality, grades: ccr }} # how good B is compared with A: -3 Much worse to 3 Much better
  # real: true                    # compares the real images as if they were a model's
  # pairs: active                 # asks the pairs that tell most; by default all equally often
  # pairs: {{ against: MODEL }}     # compares MODEL with each of the others, and these never
  per_session: {size}
"
                ),
                "5                     # who judge each pair of models on each item",
                "\
# Strengths of models by each criterion: of the votes, and of the grades.
aggregate:
  - { kind: contrast }
  - { kind: grades }
",
            )
    }

    /// Tasks that count raters by item.
    fn by_item(&self, task: NewTask) -> Sections {
        let size = self.size;
        let (only, other) = match self.is_overall() {
            true => ("quality", "clarity, question: Which image is clearest?"),
            false => ("realism", "colour, question: Which image has the most natural colours?"),
        };
        let (task, per_item, aggregate) = match task {
            NewTask::Contrast | NewTask::VideoPair | NewTask::TextPair => self.pairs(),
            NewTask::VideoAcr => self.acr(),
            NewTask::Ranking => (
                format!(
                    "\
# The outputs of all models for one item, from the best to the worst.
task:
  kind: ranking
  criterion: {only}
  ties: true                      # images may share a rank
  # models_per_trial: 4           # of many models, as many at a time
  per_session: {size}
"
                ),
                "5                     # who rank each item",
                "\
# Mean ranks, and strengths by Plackett and Luce's model.
aggregate: { kind: ranking }
",
            ),
            NewTask::BestOf => (
                format!(
                    "\
# Which of all models' outputs for one item is best, by each criterion on one page.
task:
  kind: best_of
  criteria:
    - {only}                     # \"Which image is best? Judge by {only}.\"
    - {{ name: {other} }}
  per_session: {size}
"
                ),
                "5                     # who choose for each item",
                "\
# Each model's share of the votes.
aggregate: { kind: by_model }
",
            ),
            _ => self.one_by_one(),
        };
        let raters = format!(
            "\
raters:
  per_item: {per_item}
  speed: {{}}                       # flags raters whose answers come too fast to look
  payment: {{ currency: USD, base: 1.00 }}
"
        );
        Sections {
            items: ITEMS.to_owned(),
            task,
            raters,
            language: ENGLISH,
            resize: None,
            simulate: QUALITIES.to_owned(),
            aggregate,
        }
    }
}
