//! The page of a report: one file without scripts, which asks no server for anything.

use std::fmt::Write as _;

use hype_core::model::findings::Weight;

use crate::draw::{STYLE, Setting, svg};
use crate::figure::Figure;
use crate::methods::{BLANK, checklist, paragraphs};
use crate::prose;
use crate::source::ReportSource;
use crate::tables::PaperTable;
use crate::text::markup;
use crate::wording::Wording;
use crate::{FigureFormats, ReportFile};

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
.alert{border-inline-start:4px solid var(--alert);background:var(--alert-soft);padding:.5rem .9rem;margin:.75rem 0;overflow-wrap:anywhere}\
figure{margin:1rem 0}.scroll{overflow-x:auto}figure svg{display:block;max-width:100%;height:auto;min-width:34rem}\
dl.reading{margin:.75rem 0}dl.reading dt{font-weight:600}dl.reading dd{margin:0 0 .5rem;overflow-wrap:anywhere}\
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}\
th{border-bottom:2px solid var(--line);font-weight:600}td.n,th.n{text-align:end;white-space:nowrap}\
td{max-width:22rem;overflow-wrap:anywhere}\
.blank{color:var(--alert)}nav ul{padding-inline-start:1.1rem}footer{color:var(--faint);padding-bottom:3rem;font-size:.9rem}\
@media print{body{font-size:10.5pt}figure,tr,.alert{break-inside:avoid}h2,h3{break-after:avoid}nav,.files{display:none}\
figure svg{min-width:0}.scroll{overflow:visible}a{color:inherit;text-decoration:none}}";

/// The page.
pub(crate) fn page(
    source: &ReportSource<'_>,
    figures: &[Figure],
    tables: &[PaperTable],
    formats: FigureFormats,
    wording: &Wording,
) -> String {
    let mut out = begin(source.name(), &wording.plain(&format!("{}: report", source.name())), wording);
    if let Some(caution) = source.caution() {
        let _ = writeln!(
            out,
            "<p class=\"alert\"><strong>{}:</strong> {}.</p>",
            wording.markup("Simulated"),
            wording.markup(caution)
        );
    }
    if let Some(score) = source.score() {
        let _ = writeln!(out, "<p class=\"answer\">{}</p>", wording.markup(&prose::answer(score)));
    }
    let _ = writeln!(out, "<p class=\"facts\">{}</p>\n</header>\n<main>", facts(source, wording));
    warnings(&mut out, source, wording);
    contents(&mut out, figures, tables, wording);
    for figure in figures {
        section(&mut out, figure, source.caution(), formats, wording);
    }
    for table in tables {
        paper_table(&mut out, table, wording);
    }
    methods(&mut out, source, wording);
    notes(&mut out, source, wording);
    end(&mut out, &source.findings.software, wording);
    out
}

/// The beginning of a page, up to its first heading.
fn begin(name: &str, title: &str, wording: &Wording) -> String {
    format!(
        "<!DOCTYPE html>\n<html {language}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1 dir=\"auto\">{name}</h1>\n",
        language = wording.attributes(),
        title = markup(title),
        name = markup(name),
    )
}

/// The end of a page.
fn end(out: &mut String, software: &str, wording: &Wording) {
    let made = wording.markup(&format!("Made by {software}."));
    let _ = write!(out, "</main>\n<footer>\n<p>{made}</p>\n</footer>\n</body>\n</html>\n");
}

/// A page of figures about something other than findings, such as a plan, in English.
#[derive(Debug, Clone, PartialEq)]
pub struct FigurePage {
    /// The heading.
    pub name: String,
    /// What stands first: the main result in a sentence.
    pub answer: String,
    /// What the page rests on.
    pub facts: Vec<String>,
    /// What readers are warned of.
    pub warnings: Vec<String>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The headings of a table.
    pub headings: Vec<String>,
    /// Its rows, with a cell for each heading.
    pub rows: Vec<Vec<String>>,
    /// The program that made it.
    pub software: String,
}

impl FigurePage {
    /// Its files: `index.html` and `figures/`.
    #[must_use]
    pub fn files(&self) -> Vec<ReportFile> {
        let mut files = vec![ReportFile { path: "index.html".to_owned(), text: self.html() }];
        self.figures.iter().for_each(|figure| files.extend(figure_files(figure, None)));
        files
    }

    fn html(&self) -> String {
        let wording = Wording::english();
        let mut out = begin(&self.name, &self.name, &wording);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<p class=\"answer\">{}</p>", markup(&self.answer));
        for fact in &self.facts {
            let _ = writeln!(out, "<p class=\"facts\">{}</p>", markup(fact));
        }
        out.push_str("</header>\n<main>\n");
        for warning in &self.warnings {
            let _ = writeln!(out, "<p class=\"alert\">{}</p>", markup(warning));
        }
        heading(&mut out, "table", "Table");
        out.push_str(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">\n<table>\n<thead><tr>",
        );
        for text in &self.headings {
            let _ = write!(out, "<th scope=\"col\" class=\"n\">{}</th>", markup(text));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for cell in row {
                let _ = write!(out, "<td class=\"n\">{}</td>", markup(cell));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
        for figure in &self.figures {
            section(&mut out, figure, None, FigureFormats::Drawn, &wording);
        }
        end(&mut out, &self.software, &wording);
        out
    }
}

/// The files of a figure: the drawing, and the table that it draws.
pub(crate) fn figure_files(figure: &Figure, caution: Option<&str>) -> [ReportFile; 2] {
    let path = |ending: &str| format!("figures/{}.{ending}", figure.id);
    [
        ReportFile { path: path("svg"), text: svg(figure, Setting::Alone, caution) },
        ReportFile { path: path("csv"), text: figure.data.csv() },
    ]
}

/// What was collected, in a line.
fn facts(source: &ReportSource<'_>, wording: &Wording) -> String {
    let findings = source.findings;
    let mut all = Vec::new();
    if let Some(study) = &findings.study {
        all.push(format!("Task {}, rubric {}, study {}", study.task, study.rubric, study.study.short()));
    }
    if let Some(collected) = &findings.collected {
        all.push(format!("sessions that count: {}", collected.completed.saturating_sub(collected.excluded)));
        all.push(format!("answers: {}", collected.responses));
    }
    if let Some(found) = source.score()
        && let Some(target) = found.generalize_to
    {
        all.push(format!("results are about {}", target.words()));
    }
    all.iter().map(|fact| wording.markup(fact)).collect::<Vec<_>>().join("; ")
}

fn warnings(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
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
    heading(out, "warnings", &wording.markup("Warnings"));
    for note in all {
        let _ = writeln!(out, "<p class=\"alert\">{}</p>", wording.markup(&note.text));
    }
    out.push_str("</section>\n");
}

/// The beginning of a section with a heading, which is markup.
fn heading(out: &mut String, id: &str, text: &str) {
    let _ = writeln!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{text}</h2>");
}

fn contents(out: &mut String, figures: &[Figure], tables: &[PaperTable], wording: &Wording) {
    let label = markup(&wording.plain("Contents"));
    let _ = writeln!(out, "<nav aria-label=\"{label}\">\n<ul>");
    for figure in figures {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", figure.id, wording.markup(&figure.title));
    }
    for table in tables {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", table.id, wording.markup(&named(table)));
    }
    for (id, text) in [("methods", "Methods"), ("checklist", "Checklist")] {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{}</a></li>", wording.markup(text));
    }
    out.push_str("</ul>\n</nav>\n");
}

/// The name of a table.
fn named(table: &PaperTable) -> String {
    format!("Table {}", table.number())
}

fn section(
    out: &mut String,
    figure: &Figure,
    caution: Option<&str>,
    formats: FigureFormats,
    wording: &Wording,
) {
    let id = &figure.id;
    heading(out, id, &wording.markup(&figure.title));
    let _ = write!(
        out,
        "<p>{}</p>\n<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"{}>\n{}</div>\n</figure>\n",
        wording.markup(&figure.description),
        markup(&wording.plain(&format!("Figure: {}", figure.title))),
        wording.of_english(),
        svg(figure, Setting::InPage, caution)
    );
    let reading = &figure.reading;
    out.push_str("<dl class=\"reading\">\n");
    for (term, text) in [
        ("Question", &reading.question),
        ("How to read it", &reading.how),
        ("What it does not say", &reading.not),
    ] {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", wording.markup(term), wording.markup(text));
    }
    let _ = write!(
        out,
        "</dl>\n<p class=\"files\">{}: {}<a href=\"figures/{id}.csv\">{}</a></p>\n</section>\n",
        wording.markup("Download"),
        formats
            .endings()
            .iter()
            .map(|ending| format!("<a href=\"figures/{id}.{ending}\">{}</a>, ", ending.to_uppercase()))
            .collect::<String>(),
        wording.markup("data as CSV")
    );
}

fn paper_table(out: &mut String, table: &PaperTable, wording: &Wording) {
    let id = &table.id;
    let (headings, rows) = table.shown();
    heading(out, id, &wording.markup(&named(table)));
    let _ = write!(
        out,
        "<p>{caption}</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"{english}>\n<table>\n<thead><tr>",
        label = markup(&wording.plain(&named(table))),
        caption = wording.markup(&table.caption),
        english = wording.of_english(),
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
        "</tbody>\n</table>\n</div>\n<p class=\"files\">{}: <a href=\"tables/{id}.tex\">LaTeX</a>, \
         <a href=\"tables/{id}.md\">Markdown</a>, <a href=\"tables/{id}.csv\">CSV</a></p>\n</section>\n",
        wording.markup("Download")
    );
}

fn methods(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    heading(out, "methods", &wording.markup("Methods"));
    for paragraph in paragraphs(source) {
        let _ = writeln!(out, "<p{}>{}</p>", wording.of_english(), markup(&paragraph));
    }
    let _ = writeln!(
        out,
        "<p class=\"files\">{}: <a href=\"methods.md\">Markdown</a>, <a href=\"references.bib\">BibTeX</a></p>\n</section>",
        wording.markup("Download")
    );
    heading(out, "checklist", &wording.markup("Checklist"));
    let about =
        "Questions that readers of a human evaluation have. Answers that only its authors know are blank.";
    let _ = writeln!(out, "<p>{}</p>", wording.markup(about));
    let mut section = "";
    for item in checklist(source) {
        if item.section != section {
            if !section.is_empty() {
                out.push_str("</dl>\n");
            }
            section = item.section;
            let _ = writeln!(out, "<h3>{}</h3>\n<dl class=\"reading\">", wording.markup(section));
        }
        let answer = match &item.answer {
            Some(answer) => wording.markup(answer),
            None => format!("<span class=\"blank\">{}</span>", wording.markup(BLANK)),
        };
        let _ = writeln!(out, "<dt>{}</dt><dd>{answer}</dd>", wording.markup(item.question));
    }
    out.push_str("</dl>\n</section>\n");
}

fn notes(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    let all: Vec<_> = source.findings.notes.iter().filter(|note| note.weight == Weight::Note).collect();
    if all.is_empty() {
        return;
    }
    heading(out, "notes", &wording.markup("Notes"));
    out.push_str("<ul>\n");
    for note in all {
        let _ = writeln!(out, "<li>{}</li>", wording.markup(&note.text));
    }
    out.push_str("</ul>\n</section>\n");
}
