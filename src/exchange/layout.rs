//! The tables that a study is exported as, column by column.

use serde::Serialize;

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
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
pub struct Column {
    /// Its header.
    pub name: &'static str,
    /// What its cells hold.
    pub kind: Kind,
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
    pub columns: &'static [Column],
}

const fn column(name: &'static str, kind: Kind, unit: &'static str, meaning: &'static str) -> Column {
    Column { name, kind, unit, meaning }
}

const PLACE: Column = column(
    "session_place",
    Kind::Integer,
    "",
    "the session's place in the study's plan, from 0; attempts to fill one place share it",
);
const RATER: Column =
    column("rater", Kind::Text, "", "the rater's key in this study, or in a package the name in its place");
const TRIAL: Column = column("trial", Kind::Integer, "", "the trial's number in the session, from 0");
const PHASE: Column =
    column("phase", Kind::Text, "", "qualification, practice and catch are never scored; main is");
const BLOCK: Column = column("block", Kind::Integer, "", "the block within the phase, from 0");
const MODEL: Column = column("model", Kind::Text, "", "the model that was judged; empty if there is none");
const SET: Column =
    column("set", Kind::Json, "", "the set that each image shown belongs to, in the order shown");
const STIMULUS: Column = column(
    "stimulus",
    Kind::Json,
    "",
    "the path of each image under judgment, in the order shown: of a gallery A is the first",
);
const ITEM: Column = column(
    "item",
    Kind::Json,
    "",
    "the item of each image shown, in the order shown, once where it is the same; the path where it has no item",
);

/// Scores: the tidy table that `hype aggregate` reads.
pub const SCORES: Layout = Layout {
    about: "one value of one measure by one rater",
    columns: &[
        RATER,
        column("model", Kind::Text, "", "the model judged; of a comparison the one shown first"),
        column(
            "against",
            Kind::Text,
            "",
            "the model that it was compared with; empty if the value is not a comparison",
        ),
        column("item", Kind::Text, "", "the item judged; empty where the value is over several"),
        column(
            "block",
            Kind::Integer,
            "",
            "the block, from 0; rows of one ranking share rater, item and block",
        ),
        column("measure", Kind::Text, "", "what the value measures"),
        column("value", Kind::Number, "that of the measure", "the value"),
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
        column("exposure_ms", Kind::Integer, "ms", "the exposure asked for; empty where it was not limited"),
        column(
            "answer",
            Kind::Json,
            "",
            "the answer to a single question by itself, several as a JSON object",
        ),
        column("correct", Kind::Boolean, "", "whether it was right; empty if there is no right answer"),
        column("at_us", Kind::Integer, "µs", "when it was given, since the session was opened"),
        column("rt_us", Kind::Integer, "µs", "the response time, from the end of the presentation"),
        column("ending", Kind::Text, "", "how the session ended; empty where it has not"),
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
        column("question", Kind::Text, "", "the question's key"),
        column("candidate", Kind::Text, "", "the ranked candidate; empty if the question is not a ranking"),
        column("answer", Kind::Text, "", "the answer: the value of an option, a number, a rank"),
        column("number", Kind::Number, "", "the answer again where it is a number"),
    ],
};

/// Earnings.
pub const EARNINGS: Layout = Layout {
    about: "what one rater has earned",
    columns: &[
        RATER,
        column("currency", Kind::Text, "", "the currency, by its ISO 4217 code"),
        column("base", Kind::Number, "that of the currency", "for the qualification or for taking part"),
        column("bonus", Kind::Number, "that of the currency", "for right answers"),
    ],
};

/// Participants, by the ids of their panel.
pub const PARTICIPANTS: Layout = Layout {
    about: "one rater whom a panel has named, and who was not forgotten",
    columns: &[
        RATER,
        column("session", Kind::Text, "", "the session's name in the log"),
        column("participant", Kind::Text, "", "the id that the panel gave"),
    ],
};

/// Sessions, as a package lists them.
pub const SESSIONS: Layout = Layout {
    about: "one session",
    columns: &[
        RATER,
        column("ending", Kind::Text, "", "how it ended; empty where it has not"),
        column("answered", Kind::Integer, "", "answers in all phases"),
        column("counts", Kind::Boolean, "", "whether its scores count in the findings"),
        column("rule", Kind::Text, "", "the rule by which it was left out; empty where it counts"),
        column("reason", Kind::Text, "", "why the rule holds"),
    ],
};

/// Stimuli, as a package lists them.
pub const STIMULI: Layout = Layout {
    about: "one image",
    columns: &[
        column("stimulus", Kind::Text, "", "its path"),
        column("set", Kind::Text, "", "the set that it belongs to; a generated set is named after its model"),
        column("role", Kind::Text, "", "whether it is real or generated"),
        column("use", Kind::Text, "", "the phase that it serves, or gold, or condition of an item"),
        column("item", Kind::Text, "", "the item that it was made for; empty if there is none"),
        column("width", Kind::Integer, "px", "its width"),
        column("height", Kind::Integer, "px", "its height"),
        column("sha256", Kind::Text, "", "the digest of its bytes, which identifies the image"),
    ],
};

impl Layout {
    /// The headers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }
}
