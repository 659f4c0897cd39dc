//! The table of who the raters were, by their answers to the study's surveys.

use hype_core::model::findings::{NumberSummary, SurveyCounts, SurveyFindings};

use super::{Entry, PaperTable, caution_first};
use crate::data::Cell;
use crate::numbers::fixed;
use crate::source::ReportSource;

/// One line: a question, an answer or a statistic of its numbers, and the value.
struct Line<'a> {
    question: &'a str,
    answer: String,
    value: Entry,
}

/// How many of the raters who count gave which answer. Words of raters' own are counted and not printed.
pub(super) fn raters(source: &ReportSource<'_>) -> Option<PaperTable> {
    let lines: Vec<Line<'_>> = source.findings.surveys.iter().flat_map(lines_of).collect();
    if lines.is_empty() {
        return None;
    }
    let mut caption = format!("{}: the raters who count, by their own answers.", source.name());
    if let Some(caution) = source.caution() {
        caution_first(&mut caption, caution);
    }
    let mut table = PaperTable::new("s4-raters", caption);
    table.column("question", "Question", lines.iter().map(|line| Entry::new(line.question, line.question)));
    table.column("answer", "Answer", lines.iter().map(|line| Entry::new(&*line.answer, &*line.answer)));
    table.column("value", "Raters or value", lines.into_iter().map(|line| line.value));
    Some(table)
}

fn lines_of(survey: &SurveyFindings) -> Vec<Line<'_>> {
    let question = &*survey.text;
    let count = |answer: &str, raters: u64| Line {
        question,
        answer: answer.to_owned(),
        value: Entry::new(raters, raters.to_string()),
    };
    let mut lines = match &survey.answers {
        SurveyCounts::Options(options) => {
            options.iter().map(|option| count(&option.label, option.raters)).collect()
        }
        SurveyCounts::Numbers(NumberSummary { mean, sd, least, greatest }) => {
            let statistic = |(name, value): (&str, &Option<f64>)| Line {
                question,
                answer: name.to_owned(),
                value: match value {
                    Some(value) => Entry::new(*value, fixed(*value, 1)),
                    None => Entry::new(Cell::Empty, "–"),
                },
            };
            let found =
                [("mean", mean), ("standard deviation", sd), ("least", least), ("greatest", greatest)];
            found.into_iter().map(statistic).collect()
        }
        _ => vec![count("in words", survey.answered)],
    };
    if survey.unanswered > 0 {
        lines.push(count("no answer", survey.unanswered));
    }
    lines
}
