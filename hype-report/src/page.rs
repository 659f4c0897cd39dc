//! The page of a report: one file without scripts, which asks no server for anything.

use std::fmt::Write as _;

use hype_core::model::findings::Weight;
use hype_core::words::counted;

use crate::draw::{STYLE, Setting, svg};
use crate::figure::Figure;
use crate::methods::{BLANK, checklist, paragraphs};
use crate::prose;
use crate::source::ReportSource;
use crate::tables::PaperTable;
use crate::text::markup;

/// The style of the page: light and dark, narrow and wide, and on paper.
const PAGE_STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b2330;--faint:#5f6b7c;--line:#d5dbe4;--paper:#ffffff;--soft:#f5f7fa;--link:#1f5fae;\
--alert:#b42318;--alert-soft:#fdf1ef}\
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6eaf2;--faint:#9aa5b5;--line:#313a48;--paper:#12161d;\
--soft:#1b212b;--link:#79b0f2;--alert:#ff8f80;--alert-soft:#2c1b1c}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 Inter,Helvetica,Arial,sans-serif}\
main,header,footer{max-width:52rem;margin:0 auto;padding:0 1rem}\
header{padding-top:2rem}h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;overflow-wrap:anywhere}\
h2{font-size:1.35rem;margin:2.5rem 0 .5rem;overflow-wrap:anywhere}h3{font-size:1.05rem;margin:1.25rem 0 .25rem}\
p,ul,dl{margin:.5rem 0}p,li,dt,dd{overflow-wrap:anywhere}a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid \
var(--link);outline-offset:2px}\
.answer{font-size:1.2rem;line-height:1.45;overflow-wrap:anywhere}.facts{color:var(--faint);overflow-wrap:anywhere}\
.alert{border-left:4px solid var(--alert);background:var(--alert-soft);padding:.5rem .9rem;margin:.75rem 0;overflow-wrap:anywhere}\
figure{margin:1rem 0}.scroll{overflow-x:auto}figure svg{display:block;max-width:100%;height:auto;min-width:34rem}\
dl.reading{margin:.75rem 0}dl.reading dt{font-weight:600}dl.reading dd{margin:0 0 .5rem;overflow-wrap:anywhere}\
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}\
th{border-bottom:2px solid var(--line);font-weight:600}td.n,th.n{text-align:right;white-space:nowrap}\
td{max-width:22rem;overflow-wrap:anywhere}\
.blank{color:var(--alert)}nav ul{padding-left:1.1rem}footer{color:var(--faint);padding-bottom:3rem;font-size:.9rem}\
@media print{body{font-size:10.5pt}figure,tr,.alert{break-inside:avoid}h2,h3{break-after:avoid}nav,.files{display:none}\
figure svg{min-width:0}.scroll{overflow:visible}a{color:inherit;text-decoration:none}}";

/// The page.
pub(crate) fn page(source: &ReportSource<'_>, figures: &[Figure], tables: &[PaperTable]) -> String {
    let name = markup(source.name());
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name}: report</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n"
    );
    if let Some(caution) = source.caution() {
        let _ = writeln!(out, "<p class=\"alert\"><strong>Simulated:</strong> {}.</p>", markup(caution));
    }
    if let Some(score) = source.score() {
        let _ = writeln!(out, "<p class=\"answer\">{}</p>", markup(&prose::answer(score)));
    }
    let _ = writeln!(out, "<p class=\"facts\">{}</p>\n</header>\n<main>", markup(&facts(source)));
    warnings(&mut out, source);
    contents(&mut out, figures, tables);
    for figure in figures {
        section(&mut out, source, figure);
    }
    for table in tables {
        paper_table(&mut out, table);
    }
    methods(&mut out, source);
    notes(&mut out, source);
    let software = markup(&source.findings.software);
    let _ = write!(out, "</main>\n<footer>\n<p>Made by {software}.</p>\n</footer>\n</body>\n</html>\n");
    out
}

/// What was collected, in a line.
fn facts(source: &ReportSource<'_>) -> String {
    let findings = source.findings;
    let mut all = Vec::new();
    if let Some(study) = &findings.study {
        all.push(format!("Task {}, rubric {}, study {}", study.task, study.rubric, study.study.short()));
    }
    if let Some(collected) = &findings.collected {
        let counting = collected.completed.saturating_sub(collected.excluded);
        all.push(format!(
            "{} count, with {}",
            counted(counting, "session"),
            counted(collected.responses, "answer")
        ));
    }
    if let Some(found) = source.score()
        && let Some(target) = found.generalize_to
    {
        all.push(format!("results are about {}", target.words()));
    }
    all.join("; ")
}

fn warnings(out: &mut String, source: &ReportSource<'_>) {
    let of_simulation = |code: &str| source.simulated && code == "simulated";
    let all: Vec<_> = source
        .findings
        .notes
        .iter()
        .filter(|note| note.weight == Weight::Warning && !of_simulation(&note.code))
        .collect();
    if all.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"warnings\">\n<h2 id=\"warnings\">Warnings</h2>\n");
    for note in all {
        let _ = writeln!(out, "<p class=\"alert\">{}</p>", markup(&note.text));
    }
    out.push_str("</section>\n");
}

fn contents(out: &mut String, figures: &[Figure], tables: &[PaperTable]) {
    out.push_str("<nav aria-label=\"Contents\">\n<ul>\n");
    for figure in figures {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", figure.id, markup(&figure.title));
    }
    for table in tables {
        let _ = writeln!(out, "<li><a href=\"#{}\">Table {}</a></li>", table.id, table.number());
    }
    out.push_str("<li><a href=\"#methods\">Methods</a></li>\n<li><a href=\"#checklist\">Checklist</a></li>\n</ul>\n</nav>\n");
}

fn section(out: &mut String, source: &ReportSource<'_>, figure: &Figure) {
    let id = &figure.id;
    let _ = write!(
        out,
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n<p>{}</p>\n<figure>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{}</div>\n</figure>\n",
        markup(&figure.title),
        markup(&figure.description),
        markup(&format!("Figure: {}", figure.title)),
        svg(figure, Setting::InPage, source.caution())
    );
    let reading = &figure.reading;
    out.push_str("<dl class=\"reading\">\n");
    for (term, text) in [
        ("Question", &reading.question),
        ("How to read it", &reading.how),
        ("What it does not say", &reading.not),
    ] {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{}</dd>", markup(text));
    }
    let _ = write!(
        out,
        "</dl>\n<p class=\"files\">Download: <a href=\"figures/{id}.svg\">SVG</a>, <a href=\"figures/{id}.csv\">data as \
         CSV</a></p>\n</section>\n"
    );
}

fn paper_table(out: &mut String, table: &PaperTable) {
    let id = &table.id;
    let (headings, rows) = table.shown();
    let _ = write!(
        out,
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">Table {number}</h2>\n<p>{caption}</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table {number}\">\n<table>\n<thead><tr>",
        number = table.number(),
        caption = markup(&table.caption)
    );
    let class = |column: usize| if table.is_number(column) { " class=\"n\"" } else { "" };
    for (column, heading) in headings.iter().enumerate() {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", class(column), markup(heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(out, "<td{} dir=\"auto\">{}</td>", class(column), markup(cell));
        }
        out.push_str("</tr>\n");
    }
    let _ = write!(
        out,
        "</tbody>\n</table>\n</div>\n<p class=\"files\">Download: <a href=\"tables/{id}.tex\">LaTeX</a>, \
         <a href=\"tables/{id}.md\">Markdown</a>, <a href=\"tables/{id}.csv\">CSV</a></p>\n</section>\n"
    );
}

fn methods(out: &mut String, source: &ReportSource<'_>) {
    out.push_str("<section aria-labelledby=\"methods\">\n<h2 id=\"methods\">Methods</h2>\n");
    for paragraph in paragraphs(source) {
        let _ = writeln!(out, "<p>{}</p>", markup(&paragraph));
    }
    out.push_str(
        "<p class=\"files\">Download: <a href=\"methods.md\">Markdown</a>, <a href=\"references.bib\">BibTeX</a></p>\n\
         </section>\n<section aria-labelledby=\"checklist\">\n<h2 id=\"checklist\">Checklist</h2>\n\
         <p>Questions that readers of a human evaluation have. Answers that only its authors know are blank.</p>\n",
    );
    let mut section = "";
    for item in checklist(source) {
        if item.section != section {
            if !section.is_empty() {
                out.push_str("</dl>\n");
            }
            section = item.section;
            let _ = writeln!(out, "<h3>{section}</h3>\n<dl class=\"reading\">");
        }
        let answer = match &item.answer {
            Some(answer) => markup(answer),
            None => format!("<span class=\"blank\">{BLANK}</span>"),
        };
        let _ = writeln!(out, "<dt>{}</dt><dd>{answer}</dd>", item.question);
    }
    out.push_str("</dl>\n</section>\n");
}

fn notes(out: &mut String, source: &ReportSource<'_>) {
    let all: Vec<_> = source.findings.notes.iter().filter(|note| note.weight == Weight::Note).collect();
    if all.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"notes\">\n<h2 id=\"notes\">Notes</h2>\n<ul>\n");
    for note in all {
        let _ = writeln!(out, "<li>{}</li>", markup(&note.text));
    }
    out.push_str("</ul>\n</section>\n");
}
