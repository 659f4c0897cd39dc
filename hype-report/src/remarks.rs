//! The remarks of a report without a figure: hypotheses with their verdicts, and results that a sentence tells.

use std::fmt::Write as _;

use crate::source::ReportSource;
use crate::wording::Wording;

/// The section of hypotheses with their tests and verdicts, if there are any, as markup.
pub(crate) fn hypotheses(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    let stated = crate::hypotheses::hypotheses(source);
    if stated.is_empty() {
        return;
    }
    begin(out, "hypotheses", "Hypotheses", wording);
    out.push_str("<ol>\n");
    for one in &stated {
        let test = one.test.as_ref().map(|test| format!(" ({})", wording.markup(test)));
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<li dir=\"auto\"><strong>{}</strong> {}{}</li>",
            wording.markup(&one.hypothesis),
            wording.markup(&one.verdict),
            test.unwrap_or_default()
        );
    }
    out.push_str("</ol>\n</section>\n");
}

/// The section of results that a sentence tells, and the link to single answers, as markup.
pub(crate) fn in_words(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    let said = crate::figures::in_words(source);
    let has_answers = source.study.is_some() && !source.records.answers().0.is_empty();
    if said.is_empty() && !has_answers {
        return;
    }
    begin(out, "remarks", "Results without a figure", wording);
    for sentence in said {
        let _ = writeln!(out, "<p>{}</p>", wording.markup(&sentence));
    }
    if has_answers {
        let text = wording.markup("Single answers next to their stimuli");
        let _ = writeln!(out, "<p class=\"files\"><a href=\"answers.html\">{text}</a></p>");
    }
    out.push_str("</section>\n");
}

fn begin(out: &mut String, id: &str, heading: &str, wording: &Wording) {
    let heading = wording.markup(heading);
    let _ = writeln!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>");
}
