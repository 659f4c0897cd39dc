//! The tables of an exported study, column by column.

use serde::Serialize;

mod media;

pub use self::media::{MARKS, MEDIA_FACTS, PLAYED};

/// The type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnType {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A text, a JSON list of several texts, or an answer as JSON.
    Json,
}

/// A column of an exported table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExportColumn {
    /// Its header.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: ColumnType,
    /// The unit of its numbers; empty for bare numbers and for texts.
    pub unit: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

/// A table of an exported study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The meaning of a row.
    pub about: &'static str,
    /// The columns, in order.
    pub columns: &'static [ExportColumn],
}

const fn column(
    name: &'static str,
    kind: ColumnType,
    unit: &'static str,
    meaning: &'static str,
) -> ExportColumn {
    ExportColumn { name, kind, unit, meaning }
}

/// Columns followed by others.
const fn with_end<const N: usize, const M: usize, const SUM: usize>(
    begin: [ExportColumn; N],
    end: [ExportColumn; M],
) -> [ExportColumn; SUM] {
    assert!(N + M == SUM, "the columns are as many as both parts have");
    let mut all = [RATER; SUM];
    let mut place = 0;
    while place < SUM {
        all[place] = if place < N { begin[place] } else { end[place - N] };
        place += 1;
    }
    all
}

const PLACE: ExportColumn = column(
    "session_place",
    ColumnType::Integer,
    "",
    "the session's place in the study's plan, from 0; attempts to fill one place share it",
);
const RATER: ExportColumn = column(
    "rater",
    ColumnType::Text,
    "",
    "the rater's key in this study; in a package, the name that replaces it",
);
const TRIAL: ExportColumn =
    column("trial", ColumnType::Integer, "", "the trial's number in the session, from 0");
const PHASE: ExportColumn = column(
    "phase",
    ColumnType::Text,
    "",
    "only main is scored; qualification, practice, catch, gold and repeat are not",
);
const BLOCK: ExportColumn = column("block", ColumnType::Integer, "", "the block within the phase, from 0");
const MODEL: ExportColumn =
    column("model", ColumnType::Text, "", "the model that was judged; empty if there is none");
const SET: ExportColumn =
    column("set", ColumnType::Json, "", "the set of each stimulus shown, in the order shown");
const STIMULUS: ExportColumn = column(
    "stimulus",
    ColumnType::Json,
    "",
    "the path of each stimulus under judgment, in the order shown; in a gallery, A is the first",
);
const ITEM: ExportColumn = column(
    "item",
    ColumnType::Json,
    "",
    "the item of each stimulus shown, in the order shown, or only once if all are the same; the path if there is no \
     item",
);

/// Scores: the tidy table that `hype aggregate` reads.
pub const SCORES: Layout = Layout {
    about: "one value of one measure by one rater",
    columns: &[
        RATER,
        column("model", ColumnType::Text, "", "the model judged; in a comparison, the one shown first"),
        column(
            "against",
            ColumnType::Text,
            "",
            "the model with which it was compared; empty if the value is not a comparison",
        ),
        column("item", ColumnType::Text, "", "the item judged; empty if the value covers several items"),
        column(
            "block",
            ColumnType::Integer,
            "",
            "the block, from 0; rows of one ranking share rater, item and block",
        ),
        column("measure", ColumnType::Text, "", "what the value measures"),
        column("value", ColumnType::Number, "the unit of the measure", "the value"),
    ],
};

/// The columns in which an imported table of scores states facts about its values, after those of [`SCORES`].
pub const FACTS: [ExportColumn; 2] = [
    column(
        "rater_kind",
        ColumnType::Text,
        "",
        "made-up if the rater is a place in a list of answers that names no raters; empty for people",
    ),
    column(
        "scale",
        ColumnType::Text,
        "",
        "nominal for codes of categories, ordinal or interval; empty if unknown",
    ),
];

/// Trials.
pub const TRIALS: Layout = Layout {
    about: "one answered trial",
    columns: &[
        PLACE,
        RATER,
        TRIAL,
        PHASE,
        BLOCK,
        MODEL,
        SET,
        STIMULUS,
        ITEM,
        column(
            "exposure_ms",
            ColumnType::Integer,
            "ms",
            "the requested exposure; empty if it was not limited",
        ),
        column(
            "answer",
            ColumnType::Json,
            "",
            "the answer if there is one question, or a JSON object of all answers",
        ),
        column("correct", ColumnType::Boolean, "", "whether it was right; empty if there is no right answer"),
        column("at_us", ColumnType::Integer, "µs", "when the answer was given, since the session was opened"),
        column("rt_us", ColumnType::Integer, "µs", "the response time, from the end of the presentation"),
        column("ending", ColumnType::Text, "", "how the session ended; empty if it has not ended"),
    ],
};

/// Answers.
pub const ANSWERS: Layout = Layout {
    about: "one answer to one question; in a ranking, the rank of one candidate",
    columns: &[
        PLACE,
        RATER,
        TRIAL,
        PHASE,
        BLOCK,
        MODEL,
        STIMULUS,
        ITEM,
        column("question", ColumnType::Text, "", "the question's key"),
        column(
            "candidate",
            ColumnType::Text,
            "",
            "the ranked candidate; empty if the question is not a ranking",
        ),
        column("answer", ColumnType::Text, "", "the answer: the value of an option, a number, a rank"),
        column("number", ColumnType::Number, "", "the answer, if it is a number"),
    ],
};

/// All answers to the trials that raters corrected.
pub const CORRECTIONS: Layout = Layout {
    about: "one answer to one question of a trial that the rater answered more than once; the last one counts",
    columns: &[
        PLACE,
        RATER,
        TRIAL,
        column("revision", ColumnType::Integer, "", "how many answers to the trial came before it"),
        PHASE,
        BLOCK,
        MODEL,
        STIMULUS,
        ITEM,
        ANSWERS.columns[8],
        ANSWERS.columns[9],
        ANSWERS.columns[10],
        ANSWERS.columns[11],
        column("at_us", ColumnType::Integer, "µs", "when it was given, since the session was opened"),
        column("rt_us", ColumnType::Integer, "µs", "the time since the trial was shown for this answer"),
    ],
};

const CHOSEN: [ExportColumn; 11] = [
    column(
        "prompt",
        ColumnType::Text,
        "",
        "the text from which the images were made: the item's prompt, or else its instruction; empty if it has neither",
    ),
    column("chosen", ColumnType::Text, "", "the path of the preferred image, relative to the spec's folder"),
    column("rejected", ColumnType::Text, "", "the path of the other image"),
    column(
        "images",
        ColumnType::Json,
        "",
        "a JSON list of the paths of the images that the models were given, such as the one to edit; empty if there are none",
    ),
    column("chosen_model", ColumnType::Text, "", "the model that made the preferred image"),
    column("rejected_model", ColumnType::Text, "", "the model that made the other image"),
    column("chosen_sha256", ColumnType::Text, "", "the digest of the preferred image's bytes"),
    column("rejected_sha256", ColumnType::Text, "", "the digest of the other image's bytes"),
    column("images_sha256", ColumnType::Json, "", "a JSON list of the digests of `images`"),
    column("item", ColumnType::Text, "", "the item; empty if there is none"),
    column("measure", ColumnType::Text, "", "the measure that compares the models"),
];

const CHOSEN_BY_RATER: [ExportColumn; 12] = with_end(CHOSEN, [RATER]);

const CHOSEN_BY_MOST: [ExportColumn; 14] = with_end(
    CHOSEN,
    [
        column("votes_chosen", ColumnType::Integer, "", "votes for the preferred image"),
        column("votes_rejected", ColumnType::Integer, "", "votes for the other image"),
        column("ties", ColumnType::Integer, "", "votes for neither"),
    ],
);

/// Preferences, one by one.
pub const PREFERENCES: Layout =
    Layout { about: "one rater's preference for one image over another", columns: &CHOSEN_BY_RATER };

/// Preferences, by pairs of images.
pub const MAJORITIES: Layout =
    Layout { about: "one pair of images, with the one preferred more often", columns: &CHOSEN_BY_MOST };

/// How raters answered.
pub const RATERS: Layout = Layout {
    about: "how one rater answered the scored trials",
    columns: &[
        RATER,
        column("counts", ColumnType::Boolean, "", "whether the rater's scores are part of the findings"),
        column("trials", ColumnType::Integer, "", "the answered trials"),
        column(
            "commonest",
            ColumnType::Number,
            "proportion",
            "the share of answers that are the rater's commonest one to their question",
        ),
        column(
            "agreement",
            ColumnType::Number,
            "",
            "the correlation of the rater's scores with the mean of those of the others who count, about the same models and items",
        ),
        column(
            "drift",
            ColumnType::Number,
            "",
            "the share of right answers in the second half of the trials less that in the first; without right answers, the same of \
             answers that are numbers",
        ),
        column("median_rt_us", ColumnType::Integer, "µs", "the median response time"),
    ],
};

/// Earnings.
pub const EARNINGS: Layout = Layout {
    about: "the earnings of one rater",
    columns: &[
        RATER,
        column("currency", ColumnType::Text, "", "the currency, by its ISO 4217 code"),
        column(
            "base",
            ColumnType::Number,
            "the unit of the currency",
            "for the qualification or for taking part",
        ),
        column("bonus", ColumnType::Number, "the unit of the currency", "for right answers"),
    ],
};

/// Earnings, as [`EARNINGS`], of a study whose raters waited.
pub const WAITED_EARNINGS: Layout = Layout {
    about: EARNINGS.about,
    columns: &[
        RATER,
        EARNINGS.columns[1],
        EARNINGS.columns[2],
        EARNINGS.columns[3],
        column(
            "waiting",
            ColumnType::Number,
            "the unit of the currency",
            "for waiting until the study needed the rater, paid together with the bonus",
        ),
    ],
};

/// The ledger of a study that recruits.
pub const LEDGER: Layout = Layout {
    about: "one payment that was promised, made or cancelled, or one reward that was not paid because the work was rejected",
    columns: &[
        column(
            "session",
            ColumnType::Text,
            "",
            "the session's name in the log, or that of work without a session",
        ),
        column("rater", ColumnType::Text, "", "the rater's key in this study"),
        column(
            "purpose",
            ColumnType::Text,
            "",
            "reward for taking part, or bonus for right answers and for waiting until the study needed the rater",
        ),
        column("amount", ColumnType::Number, "the unit of the currency", "what the rater gets"),
        column("fee", ColumnType::Number, "the unit of the currency", "what the panel takes in addition"),
        column("currency", ColumnType::Text, "", "the currency, by its ISO 4217 code"),
        column(
            "state",
            ColumnType::Text,
            "",
            "planned, sent, unclear, confirmed, failed, cancelled, or rejected for rejected work",
        ),
        column(
            "changed",
            ColumnType::Text,
            "",
            "when the state changed last, in UTC; empty for rejected work",
        ),
        column("sendings", ColumnType::Integer, "", "how many times the payment was sent"),
        column("reason", ColumnType::Text, "", "why it is unclear, failed, cancelled or rejected"),
    ],
};

/// Findings.
pub const FINDINGS: Layout = Layout {
    about: "one estimate, test, effect size, comparison, range of ranks, or coefficient; columns that do not apply are empty",
    columns: &[
        column("measure", ColumnType::Text, "", "the measure"),
        column("label", ColumnType::Text, "", "its name for people"),
        column("unit", ColumnType::Text, "", "the unit of its values; empty for bare numbers"),
        column("better", ColumnType::Text, "", "whether higher or lower values are better, or neither"),
        column(
            "kind",
            ColumnType::Text,
            "",
            "what the row states; a coefficient of agreement or a correlation has its own scale, and ranks count from 1",
        ),
        column(
            "method",
            ColumnType::Text,
            "",
            "the test, the method of a comparison or of ranks, the coefficient, what was resampled, or the scale of a trend",
        ),
        column("model", ColumnType::Text, "", "the model; empty for what concerns all models"),
        column(
            "against",
            ColumnType::Text,
            "",
            "what the model is compared with: a model, what has the reference value, a set of real stimuli, or a metric",
        ),
        column(
            "value",
            ColumnType::Number,
            "the unit of the measure",
            "the estimate, the difference (`model` minus `against`), the effect size, the share, the coefficient, or the slope",
        ),
        column(
            "low",
            ColumnType::Number,
            "the unit of the measure",
            "the lower end of the interval, or the best rank",
        ),
        column("high", ColumnType::Number, "the unit of the measure", "the upper end, or the worst rank"),
        column("level", ColumnType::Number, "", "the confidence level"),
        column("interval_method", ColumnType::Text, "", "how the interval was computed"),
        column(
            "interval_df1",
            ColumnType::Number,
            "",
            "degrees of freedom of the interval: of raters, or of items if only items vary",
        ),
        column("interval_df2", ColumnType::Number, "", "of items, where raters and items vary"),
        column(
            "bound",
            ColumnType::Number,
            "the unit of the measure",
            "the one-sided bound of the difference on the side where the model is worse than the real stimuli",
        ),
        column("se", ColumnType::Number, "the unit of the measure", "the standard error that the row uses"),
        column(
            "sd",
            ColumnType::Number,
            "the unit of the measure",
            "the standard deviation over raters (n - 1)",
        ),
        column(
            "sem",
            ColumnType::Number,
            "the unit of the measure",
            "the standard error of the mean over raters",
        ),
        column(
            "bootstrap_sd",
            ColumnType::Number,
            "the unit of the measure",
            "the standard deviation of the bootstrap distribution",
        ),
        column(
            "statistic_name",
            ColumnType::Text,
            "",
            "the statistic of a test, or the name of an effect size",
        ),
        column("statistic", ColumnType::Number, "", "its value"),
        column("df1", ColumnType::Number, "", "degrees of freedom; of the numerator, if there are two"),
        column("df2", ColumnType::Number, "", "of the denominator, or of items where raters and items vary"),
        column("p", ColumnType::Number, "", "the p value; of a comparison, adjusted as its method says"),
        column("p_adjusted", ColumnType::Number, "", "the p value of a correlation, adjusted for its family"),
        column("margin", ColumnType::Number, "the unit of the measure", "the margin that was declared"),
        column(
            "margin_p",
            ColumnType::Number,
            "",
            "the p value of the hypothesis that the value is beyond the margin",
        ),
        column(
            "within_margin",
            ColumnType::Boolean,
            "",
            "whether the value is shown to lie within the margin",
        ),
        column(
            "smallest_margin",
            ColumnType::Number,
            "the unit of the measure",
            "the margin above which that would be shown",
        ),
        column("family", ColumnType::Text, "", "the comparisons among which p values are adjusted"),
        column(
            "generalize_to",
            ColumnType::Text,
            "",
            "what the row is about: other raters, other items, or both",
        ),
        column("models", ColumnType::Integer, "", "models behind a correlation"),
        column("raters", ColumnType::Integer, "", "raters behind the value"),
        column("items", ColumnType::Integer, "", "items behind a coefficient of agreement"),
        column("responses", ColumnType::Integer, "", "values behind the value"),
        column(
            "value_with_excluded",
            ColumnType::Number,
            "the unit of the measure",
            "the estimate if excluded raters counted",
        ),
        column("raters_with_excluded", ColumnType::Integer, "", "raters behind it"),
        column("undefined", ColumnType::Text, "", "why there is no result"),
        column("facet", ColumnType::Text, "", "the facet, for what concerns its levels"),
        column("facet_level", ColumnType::Text, "", "the level; empty for what concerns several"),
    ],
};

/// Participants, by the ids of their panel.
pub const PARTICIPANTS: Layout = Layout {
    about: "one rater who came from a panel and was not forgotten",
    columns: &[
        RATER,
        column("session", ColumnType::Text, "", "the session's name in the log"),
        column("participant", ColumnType::Text, "", "the id that the panel gave"),
    ],
};

/// Participants, as [`PARTICIPANTS`], where the panel has said more of them.
pub const PANEL_PARTICIPANTS: Layout = Layout {
    about: PARTICIPANTS.about,
    columns: &[
        RATER,
        PARTICIPANTS.columns[1],
        PARTICIPANTS.columns[2],
        column("panel_study", ColumnType::Text, "", "the panel's study (`STUDY_ID`)"),
        column("panel_session", ColumnType::Text, "", "the panel's submission (`SESSION_ID`)"),
        column("assignment", ColumnType::Text, "", "the assignment (`assignmentId`)"),
        column("hit", ColumnType::Text, "", "the HIT (`hitId`)"),
    ],
};

/// Sessions, as a package lists them.
pub const SESSIONS: Layout = Layout {
    about: "one session",
    columns: &[
        RATER,
        column("ending", ColumnType::Text, "", "how the session ended; empty if it has not ended"),
        column("answered", ColumnType::Integer, "", "the number of answers in all phases"),
        column("counts", ColumnType::Boolean, "", "whether its scores count in the findings"),
        column("rule", ColumnType::Text, "", "the rule that excluded the session; empty if it counts"),
        column("reason", ColumnType::Text, "", "why the rule applies"),
    ],
};

/// Stimuli, as a package lists them.
pub const STIMULI: Layout = Layout {
    about: "one stimulus",
    columns: &[
        column("stimulus", ColumnType::Text, "", "its path"),
        column("set", ColumnType::Text, "", "its set; a generated set is named after its model"),
        column("role", ColumnType::Text, "", "whether it is real or generated"),
        column(
            "use",
            ColumnType::Text,
            "",
            "the phase in which it is used, or gold, or condition for a condition of an item",
        ),
        column("item", ColumnType::Text, "", "its item; empty if there is none"),
        column("width", ColumnType::Integer, "px", "its width"),
        column("height", ColumnType::Integer, "px", "its height"),
        column("sha256", ColumnType::Text, "", "the digest of its bytes, which identifies its content"),
    ],
};

impl Layout {
    /// The headers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }
}
