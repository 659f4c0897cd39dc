//! Tables of clips and texts.

use super::{ColumnType, Layout, PLACE, RATER, STIMULUS, TRIAL, column};

/// How clips were played and texts read.
pub const PLAYED: Layout = Layout {
    about: "one clip or text of a trial, as a rater played or read it",
    columns: &[
        PLACE,
        RATER,
        TRIAL,
        STIMULUS,
        column(
            "first_us",
            ColumnType::Integer,
            "µs",
            "the time of its first frame, since the trial was shown",
        ),
        column("shown_us", ColumnType::Integer, "µs", "how long it was playing, or the text visible"),
        column(
            "seen",
            ColumnType::Number,
            "",
            "the share of its time, or of the text's height, that was seen",
        ),
        column("replays", ColumnType::Integer, "", "how often it was played again"),
        column("dropped", ColumnType::Integer, "", "frames that the browser dropped"),
        column(
            "stalled_us",
            ColumnType::Integer,
            "µs",
            "how long it stood still although it should have played",
        ),
        column(
            "offset_us",
            ColumnType::Integer,
            "µs",
            "the largest difference of time between the clips of the trial",
        ),
        column("slipped_us", ColumnType::Integer, "µs", "how long the clips of the trial were out of step"),
        column("hidden_us", ColumnType::Integer, "µs", "how long the page was hidden during the trial"),
    ],
};

/// The spans of texts that raters marked.
pub const MARKS: Layout = Layout {
    about: "one span of a text that a rater marked",
    columns: &[
        PLACE,
        RATER,
        TRIAL,
        STIMULUS,
        column("question", ColumnType::Text, "", "the question's key"),
        column("start", ColumnType::Integer, "", "its first character, from 0, in Unicode scalar values"),
        column("end", ColumnType::Integer, "", "the character after its last one"),
    ],
};

/// Measures of clips and texts, as a package lists them.
pub const MEDIA_FACTS: Layout = Layout {
    about: "one measure of one clip or text",
    columns: &[
        column("stimulus", ColumnType::Text, "", "its path"),
        column("fact", ColumnType::Text, "", "duration, or characters, words, headings, list_items or bold"),
        column("value", ColumnType::Number, "", "seconds of a duration, and else a count"),
    ],
};
