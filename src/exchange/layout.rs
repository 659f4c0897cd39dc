//! The tables that a study is exported as, column by column.

use serde::Serialize;

/// What the cells of a column hold.
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
    /// A text, or several as a JSON list; or an answer as JSON.
    Json,
}

/// A column of an exported table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExportColumn {
    /// Its header.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: ColumnType,
    /// The unit of its numbers; empty for bare numbers and for texts.
    pub unit: &'static str,
    /// What it says.
    pub meaning: &'static str,
}

/// A table that a study is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What one row is.
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
    "the rater's key in this study, or in a package the name in its place",
);
const TRIAL: ExportColumn =
    column("trial", ColumnType::Integer, "", "the trial's number in the session, from 0");
const PHASE: ExportColumn =
    column("phase", ColumnType::Text, "", "qualification, practice and catch are never scored; main is");
const BLOCK: ExportColumn = column("block", ColumnType::Integer, "", "the block within the phase, from 0");
const MODEL: ExportColumn =
    column("model", ColumnType::Text, "", "the model that was judged; empty if there is none");
const SET: ExportColumn =
    column("set", ColumnType::Json, "", "the set that each image shown belongs to, in the order shown");
const STIMULUS: ExportColumn = column(
    "stimulus",
    ColumnType::Json,
    "",
    "the path of each image under judgment, in the order shown: of a gallery A is the first",
);
const ITEM: ExportColumn = column(
    "item",
    ColumnType::Json,
    "",
    "the item of each image shown, in the order shown, once where it is the same; the path where it has no item",
);

/// Scores: the tidy table that `hype aggregate` reads.
pub const SCORES: Layout = Layout {
    about: "one value of one measure by one rater",
    columns: &[
        RATER,
        column("model", ColumnType::Text, "", "the model judged; of a comparison the one shown first"),
        column(
            "against",
            ColumnType::Text,
            "",
            "the model that it was compared with; empty if the value is not a comparison",
        ),
        column("item", ColumnType::Text, "", "the item judged; empty where the value is over several"),
        column(
            "block",
            ColumnType::Integer,
            "",
            "the block, from 0; rows of one ranking share rater, item and block",
        ),
        column("measure", ColumnType::Text, "", "what the value measures"),
        column("value", ColumnType::Number, "that of the measure", "the value"),
    ],
};

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
            "the exposure asked for; empty where it was not limited",
        ),
        column(
            "answer",
            ColumnType::Json,
            "",
            "the answer to a single question by itself, several as a JSON object",
        ),
        column("correct", ColumnType::Boolean, "", "whether it was right; empty if there is no right answer"),
        column("at_us", ColumnType::Integer, "µs", "when it was given, since the session was opened"),
        column("rt_us", ColumnType::Integer, "µs", "the response time, from the end of the presentation"),
        column("ending", ColumnType::Text, "", "how the session ended; empty where it has not"),
    ],
};

/// Answers.
pub const ANSWERS: Layout = Layout {
    about: "one answer to one question; of a ranking the rank of one candidate",
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
        column("number", ColumnType::Number, "", "the answer again where it is a number"),
    ],
};

/// Earnings.
pub const EARNINGS: Layout = Layout {
    about: "what one rater has earned",
    columns: &[
        RATER,
        column("currency", ColumnType::Text, "", "the currency, by its ISO 4217 code"),
        column(
            "base",
            ColumnType::Number,
            "that of the currency",
            "for the qualification or for taking part",
        ),
        column("bonus", ColumnType::Number, "that of the currency", "for right answers"),
    ],
};

/// Participants, by the ids of their panel.
pub const PARTICIPANTS: Layout = Layout {
    about: "one rater whom a panel has named, and who was not forgotten",
    columns: &[
        RATER,
        column("session", ColumnType::Text, "", "the session's name in the log"),
        column("participant", ColumnType::Text, "", "the id that the panel gave"),
    ],
};

/// Sessions, as a package lists them.
pub const SESSIONS: Layout = Layout {
    about: "one session",
    columns: &[
        RATER,
        column("ending", ColumnType::Text, "", "how it ended; empty where it has not"),
        column("answered", ColumnType::Integer, "", "answers in all phases"),
        column("counts", ColumnType::Boolean, "", "whether its scores count in the findings"),
        column("rule", ColumnType::Text, "", "the rule by which it was left out; empty where it counts"),
        column("reason", ColumnType::Text, "", "why the rule holds"),
    ],
};

/// Stimuli, as a package lists them.
pub const STIMULI: Layout = Layout {
    about: "one image",
    columns: &[
        column("stimulus", ColumnType::Text, "", "its path"),
        column(
            "set",
            ColumnType::Text,
            "",
            "the set that it belongs to; a generated set is named after its model",
        ),
        column("role", ColumnType::Text, "", "whether it is real or generated"),
        column("use", ColumnType::Text, "", "the phase that it serves, or gold, or condition of an item"),
        column("item", ColumnType::Text, "", "the item that it was made for; empty if there is none"),
        column("width", ColumnType::Integer, "px", "its width"),
        column("height", ColumnType::Integer, "px", "its height"),
        column("sha256", ColumnType::Text, "", "the digest of its bytes, which identifies the image"),
    ],
};

impl Layout {
    /// The headers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }
}
