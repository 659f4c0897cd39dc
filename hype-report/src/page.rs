//! The page of a report: one file without scripts, which asks no server for anything.

use std::fmt::Write as _;

use hype_core::model::findings::{Note, NoteClass};

use crate::draw::{Setting, Sheet, style, svg};
use crate::figure::{Figure, Tone};
use crate::figures::{MORE, noted, stimuli_of};
use crate::media;
use crate::methods::{BLANK, checklist, paragraphs};
use crate::numbers::count;
use crate::prose::{self, Speech};
use crate::remarks;
use crate::source::{ReportSource, mark};
use crate::tables::PaperTable;
use crate::text::{listed, markup};
use crate::wording::Wording;
use crate::{FigureFormats, ReportFile};

/// The style of the page: light and dark, wide and narrow, and on paper. At 1280 pixels there are a rail of 176, a column of 736 and
/// notes of 248.
const PAGE_STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b2330;--faint:#556070;--line:#d9dee6;--paper:#ffffff;--soft:#f5f7fa;--link:#00558a;\
--alert:#a33417}\
@media screen and (prefers-color-scheme:dark){:root{--ink:#e6eaf2;--faint:#9aa5b5;--line:#313a48;--paper:#14171c;\
--soft:#1b212b;--link:#7cb8ee;--alert:#ff8f80}}\
*{box-sizing:border-box}\
body{margin:0 auto;padding:20px 28px 48px;max-width:1280px;background:var(--paper);color:var(--ink);\
overflow-wrap:anywhere;font:15px/1.5 Inter,Helvetica,Arial,sans-serif;display:grid;grid-template-columns:176px minmax(0,1fr);column-gap:32px}\
nav{font-size:14px;position:sticky;top:20px;align-self:start}nav strong{display:block;margin:0 0 12px;overflow-wrap:anywhere}\
nav ul{list-style:none;margin:0;padding:0;border-inline-start:2px solid var(--line)}\
nav li{padding:2px 0 2px 12px}nav a{color:var(--faint);text-decoration:none}nav a:hover,nav a:focus{color:var(--link)}\
section,header{display:grid;grid-template-columns:minmax(0,736px) minmax(0,248px);column-gap:32px;align-items:start}\
section{margin-top:36px}section.first{margin-top:6px}section>*,header>*{grid-column:1}section>aside{grid-column:2;grid-row:1/span 9}\
.facts{margin:0;color:var(--faint)}.chip{border:1px solid var(--alert);border-radius:3px;color:var(--alert);font-weight:600;\
font-size:12.5px;padding:1px 6px;margin-inline-end:8px;white-space:nowrap}\
h1{font-size:25px;line-height:1.22;margin:8px 0 6px;overflow-wrap:anywhere}.lead{font-size:16.5px;line-height:1.45;margin:0 0 10px}\
h2{font-size:19px;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}h3{font-size:16px;margin:16px 0 4px}\
p,ul,dl{margin:6px 0}p,li,dt,dd{overflow-wrap:anywhere}a{color:var(--link)}\
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}\
figure{margin:8px 0}figure svg{display:block;max-width:100%;height:auto}.phone{display:none}\
figcaption{font-size:13.5px;color:var(--faint);margin-top:10px}figcaption b{color:var(--ink)}\
.files{font-size:13.5px}.files a{margin-inline-end:14px}\
aside{font-size:13.5px;line-height:1.45}aside .note,aside details{border-top:1px solid var(--line);padding:8px 0}\
aside .meaning{border-top:2px solid var(--alert)}aside .meaning b:first-child{color:var(--alert)}aside p{margin:0 0 4px}\
summary{cursor:pointer;font-weight:600;padding:4px 0}.scroll{overflow-x:auto}\
dl.reading dt{font-weight:600}dl.reading dd{margin:0 0 8px}\
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;width:100%}\
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}\
th{border-bottom:1px solid var(--ink);font-weight:400;color:var(--faint)}td.n,th.n{text-align:end;white-space:nowrap}\
.blank{color:var(--alert)}footer{grid-column:2;color:var(--faint);font-size:13px;margin-top:36px}\
.glyph{font-size:.72em;vertical-align:.12em}\
@media (max-width:1100px){section,header{grid-template-columns:minmax(0,736px)}section>aside{grid-column:1;grid-row:auto}}\
@media (max-width:700px){body{display:block;padding:14px 20px 40px}nav{position:static;margin-bottom:12px}nav strong{display:none}\
nav ul{display:flex;overflow-x:auto;border:0;border-bottom:1px solid var(--line)}nav li{padding:0 14px 8px 0;white-space:nowrap}\
.phone{display:block}.wide{display:none}h1{font-size:22px}.lead{font-size:16px}table{font-size:13px}th,td{padding:4px 5px}\
td.n,th.n{white-space:normal}}\
@media screen and (max-width:700px){.scroll{overflow-wrap:break-word}}\
@media print{body{display:block;font-size:10pt;padding:0}nav,.files,.phone{display:none}.wide{display:block}\
section,header{display:block}figure,tr,.note{break-inside:avoid}h2,h3{break-after:avoid}a{color:inherit;text-decoration:none}}";

/// Drawings of more bytes have no second layout for phones.
const MOST_BYTES: usize = 50_000;

/// The page.
pub(crate) fn page(
    source: &ReportSource<'_>,
    figures: &[Figure],
    tables: &[PaperTable],
    formats: FigureFormats,
    wording: &Wording,
) -> String {
    let title = wording.plain(&format!("{}: report", source.name()));
    let mut out = begin(&title, media::style(source), wording);
    contents(&mut out, source, figures, tables, wording);
    out.push_str("<main>\n");
    head(&mut out, source, wording);
    let mut shown = Shown::default();
    let more_of = |figure: &Figure| {
        let id = format!("{}{MORE}", figure.id);
        figures.iter().find(move |other| other.id == id)
    };
    for (place, figure) in figures.iter().filter(|figure| !figure.id.ends_with(MORE)).enumerate() {
        shown.section(&mut out, source, figure, formats, wording);
        stimuli_of(&mut out, source, figure, wording);
        if let Some(more) = more_of(figure) {
            folded(&mut out, source, more, formats, wording);
        }
        out.push_str("</section>\n");
        if place == 0 {
            remarks::hypotheses(&mut out, source, wording);
        }
    }
    remarks::in_words(&mut out, source, wording);
    if let Some((first, rest)) = tables.split_first() {
        heading(&mut out, &first.id, &wording.markup(&named(first)));
        paper_table(&mut out, first, wording);
        for table in rest {
            let _ = writeln!(
                out,
                "<details id=\"{}\"><summary>{}</summary>",
                table.id,
                wording.markup(&named(table))
            );
            paper_table(&mut out, table, wording);
            out.push_str("</details>\n");
        }
        out.push_str("</section>\n");
    }
    methods(&mut out, source, wording);
    end(&mut out, &source.findings.software, wording);
    out
}

/// Writes what was collected, the answer and how far the first model leads.
fn head(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    out.push_str("<header>\n<p class=\"facts\">");
    if source.simulated {
        let _ = write!(out, "<span class=\"chip\">{}</span>", wording.markup("SIMULATED: no people"));
    }
    let facts: Vec<String> = facts(source).iter().map(|fact| wording.markup(fact)).collect();
    let _ = writeln!(out, "{}</p>", facts.join(" · "));
    if let Some(score) = source.score() {
        let name = |model: &str| format!("{}{}", source.tone(model).marker(), source.label_of(model));
        let mark = |model: &str| source.marks(&score.measure.name, model);
        let speech = Speech { name: &name, mark: &mark };
        let headline = prose::headline(source.findings, score, speech);
        let _ = writeln!(out, "<h1>{}</h1>", with_glyphs(&wording.markup(&headline)));
        let lead = prose::lead(score, speech);
        if !lead.is_empty() {
            let _ = writeln!(out, "<p class=\"lead\">{}</p>", with_glyphs(&wording.markup(&lead)));
        }
    } else {
        let _ = writeln!(out, "<h1 dir=\"auto\">{}</h1>", markup(source.name()));
    }
    out.push_str("</header>\n");
}

/// Turns the marks of models in a sentence into their shapes.
fn with_glyphs(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    for letter in sentence.chars() {
        match Tone::of_marker(letter) {
            Some(tone) => {
                let class = crate::draw::class_of(tone);
                let shape = crate::draw::letter_of(tone);
                let _ = write!(
                    out,
                    "<span class=\"glyph hr-t{class}\" aria-hidden=\"true\">{shape}</span>\u{a0}"
                );
            }
            None => out.push(letter),
        }
    }
    out
}

/// The beginning of a page, up to its content.
fn begin(title: &str, more: &str, wording: &Wording) -> String {
    format!(
        "<!DOCTYPE html>\n<html {language}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{PAGE_STYLE}{style}{more}</style>\n</head>\n<body>\n",
        language = wording.attributes(),
        title = markup(title),
        style = style(),
    )
}

/// The end of a page.
fn end(out: &mut String, software: &str, wording: &Wording) {
    let made = wording.markup(&format!("Made by {software}."));
    let _ = write!(out, "</main>\n<footer>\n<p>{made}</p>\n</footer>\n</body>\n</html>\n");
}

/// A page about something other than one study's findings, in English: its parts with their ids, and its content as markup. It has no
/// scripts and asks no server for anything.
#[must_use]
pub fn frame(name: &str, contents: &[(&str, &str)], main: &str, software: &str) -> String {
    let wording = Wording::english();
    let mut out = begin(name, "", &wording);
    // Writing to a string cannot fail.
    let _ =
        writeln!(out, "<nav aria-label=\"Contents\"><strong dir=\"auto\">{}</strong>\n<ul>", markup(name));
    for (id, title) in contents {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{}</a></li>", markup(title));
    }
    out.push_str("</ul>\n</nav>\n<main>\n");
    out.push_str(main);
    end(&mut out, software, &wording);
    out
}

/// A page of figures about something other than findings, such as a plan, in English.
#[derive(Debug, Clone, PartialEq)]
pub struct FigurePage {
    /// The heading.
    pub name: String,
    /// The main result in a sentence, which stands first.
    pub answer: String,
    /// The facts behind the page, the main one first.
    pub facts: Vec<String>,
    /// Warnings to readers.
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
        let mut out = begin(&self.name, "", &wording);
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<nav aria-label=\"Contents\"><strong dir=\"auto\">{}</strong>\n<ul>",
            markup(&self.name)
        );
        for figure in &self.figures {
            let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", figure.id, markup(&figure.title));
        }
        out.push_str("<li><a href=\"#table\">Table</a></li>\n</ul>\n</nav>\n<main>\n<header>\n");
        let _ = writeln!(out, "<h1>{}</h1>", markup(&self.answer));
        if let Some(first) = self.facts.first() {
            let _ = writeln!(out, "<p class=\"facts\">{}</p>", markup(first));
        }
        out.push_str("</header>\n");
        let mut shown = Shown::default();
        for (number, figure) in self.figures.iter().enumerate() {
            shown.open(&mut out, figure, FigureFormats::Drawn, &wording);
            out.push_str("<aside>\n");
            if number == 0 {
                for warning in &self.warnings {
                    let _ = writeln!(out, "<div class=\"note\"><p>{}</p></div>", markup(warning));
                }
            }
            shown.reading(&mut out, figure, &wording);
            out.push_str("</aside>\n</section>\n");
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
        out.push_str("</tbody>\n</table>\n</div>\n<details><summary>What the columns mean, and what they rest on</summary>\n");
        for fact in self.facts.iter().skip(1) {
            let _ = writeln!(out, "<p>{}</p>", markup(fact));
        }
        out.push_str("</details>\n</section>\n");
        end(&mut out, &self.software, &wording);
        out
    }
}

/// The files of a figure: the drawing, and the table that it draws.
pub(crate) fn figure_files(figure: &Figure, caution: Option<&str>) -> [ReportFile; 2] {
    let path = |ending: &str| format!("figures/{}.{ending}", figure.id);
    [
        ReportFile { path: path("svg"), text: svg(figure, Sheet::PAGE, Setting::Alone, caution) },
        ReportFile { path: path("csv"), text: figure.data.csv() },
    ]
}

/// Describes the collected data in a line.
fn facts(source: &ReportSource<'_>) -> Vec<String> {
    let findings = source.findings;
    let mut all = Vec::new();
    if let Some(study) = &findings.study {
        all.push(crate::words::task(&study.task));
    }
    if let Some(collected) = &findings.collected {
        let raters = collected.completed.saturating_sub(collected.excluded);
        let per_model: Vec<u64> = source
            .score()
            .map(|score| score.estimates.iter().map(|one| one.raters).collect())
            .unwrap_or_default();
        let each =
            per_model.first().filter(|first| **first < raters && per_model.iter().all(|one| one == *first));
        let each = each.map(|each| format!(", {} per model", count(*each))).unwrap_or_default();
        all.push(format!("{} raters{each}", count(raters)));
        all.push(format!("{} answers", count(collected.responses)));
    } else if let Some(score) = source.score() {
        all.push(format!("{} raters", count(score.raters)));
        all.push(format!("{} answers", count(score.responses)));
    }
    all
}

/// The beginning of a section with a heading, which is markup.
fn heading(out: &mut String, id: &str, text: &str) {
    let _ = writeln!(out, "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{text}</h2>");
}

fn contents(
    out: &mut String,
    source: &ReportSource<'_>,
    figures: &[Figure],
    tables: &[PaperTable],
    wording: &Wording,
) {
    let label = markup(&wording.plain("Contents"));
    let _ = writeln!(
        out,
        "<nav aria-label=\"{label}\">\n<strong dir=\"auto\">{}</strong>\n<ul>",
        markup(source.name())
    );
    for (number, figure) in figures.iter().filter(|figure| !figure.id.ends_with(MORE)).enumerate() {
        let title = if number == 0 { "Result" } else { &figure.title };
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", figure.id, wording.markup(title));
    }
    for table in tables.iter().take(1) {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", table.id, wording.markup("Tables"));
    }
    let blank = checklist(source).iter().filter(|item| item.answer.is_none()).count();
    let _ = writeln!(out, "<li><a href=\"#methods\">{}</a></li>", wording.markup("Methods"));
    let _ = writeln!(out, "<li><a href=\"#checklist\">{} ({blank})</a></li>", wording.markup("Checklist"));
    out.push_str("</ul>\n</nav>\n");
}

/// The name of a table.
fn named(table: &PaperTable) -> String {
    match table.number() {
        Some(number) => format!("Table {number}"),
        None => format!("Supplementary table: {}", table.about()),
    }
}

/// The figures that have been shown: their number and their kinds.
#[derive(Debug, Default)]
struct Shown {
    figures: usize,
    kinds: Vec<String>,
    questions: Vec<String>,
}

impl Shown {
    /// A figure of a report, with the notes about it.
    fn section(
        &mut self,
        out: &mut String,
        source: &ReportSource<'_>,
        figure: &Figure,
        formats: FigureFormats,
        wording: &Wording,
    ) {
        let is_first = self.figures == 0;
        self.open(out, figure, formats, wording);
        out.push_str("<aside>\n");
        notes(out, source, figure, is_first, wording);
        self.reading(out, figure, wording);
        out.push_str("</aside>\n");
    }

    /// The beginning of a figure's section: its answer, the figure, its caption and its files.
    fn open(&mut self, out: &mut String, figure: &Figure, formats: FigureFormats, wording: &Wording) {
        let id = &figure.id;
        self.figures += 1;
        if self.figures == 1 {
            let label = markup(&wording.plain(&figure.title));
            let _ = writeln!(out, "<section id=\"{id}\" aria-label=\"{label}\" class=\"first\">");
        } else {
            // Headings differ: a question that was asked already gives way to what the figure is about.
            let asked = &figure.reading.question;
            let is_new = !asked.is_empty() && !self.questions.contains(asked);
            let question = if is_new { asked } else { &figure.title };
            self.questions.push(asked.clone());
            heading(out, id, &wording.markup(question));
            let _ = writeln!(out, "<p>{}</p>", wording.markup(&figure.description));
        }
        layouts(out, figure, wording);
        let number = self.figures;
        let _ = writeln!(
            out,
            "<figcaption><b>{}</b> {}. {}</figcaption>\n</figure>",
            wording.markup(&format!("Figure {number}.")),
            wording.markup(&figure.title),
            wording.markup(&figure.reading.how),
        );
        files_of(out, figure, formats);
    }

    /// Writes the limits of a kind of figure next to the first of its kind.
    fn reading(&mut self, out: &mut String, figure: &Figure, wording: &Wording) {
        let not = &figure.reading.not;
        if not.is_empty() || self.kinds.contains(not) {
            return;
        }
        self.kinds.push(not.clone());
        let open = if self.figures == 1 { " open" } else { "" };
        let _ = writeln!(
            out,
            "<details{open}><summary>{}</summary><p>{}</p></details>",
            wording.markup("What it does not say"),
            wording.markup(not)
        );
    }
}

/// More of the figure before it, folded.
fn folded(
    out: &mut String,
    source: &ReportSource<'_>,
    figure: &Figure,
    formats: FigureFormats,
    wording: &Wording,
) {
    let _ = writeln!(
        out,
        "<details class=\"more\"><summary>{}</summary>\n<p>{}</p>",
        wording.markup("Show more"),
        wording.markup(&figure.reading.how)
    );
    layouts(out, figure, wording);
    out.push_str("</figure>\n");
    files_of(out, figure, formats);
    stimuli_of(out, source, figure, wording);
    out.push_str("</details>\n");
}

/// The drawing of a figure for wide screens and for phones, in an element `figure` that is left open.
fn layouts(out: &mut String, figure: &Figure, wording: &Wording) {
    let drawn = svg(figure, Sheet::PAGE, Setting::InPage, None);
    let phone = (drawn.len() <= MOST_BYTES).then(|| svg(figure, Sheet::PHONE, Setting::InPage, None));
    let english = wording.of_english();
    let _ = match phone {
        Some(phone) => write!(
            out,
            "<figure>\n<div class=\"wide\"{english}>\n{drawn}</div>\n<div class=\"phone\"{english}>\n{phone}</div>\n"
        ),
        None => write!(out, "<figure>\n<div{english}>\n{drawn}</div>\n"),
    };
}

/// Links to the files of a figure.
fn files_of(out: &mut String, figure: &Figure, formats: FigureFormats) {
    let id = &figure.id;
    out.push_str("<p class=\"files\">");
    for (text, ending) in formats.endings() {
        let _ = write!(out, "<a href=\"figures/{id}{ending}\">{text}</a>");
    }
    let _ = writeln!(out, "<a href=\"figures/{id}.csv\">CSV</a></p>");
}

/// The notes about a figure: those that change what its numbers mean, and folded those that make them less certain. What no other
/// figure has stands at the first.
fn notes(out: &mut String, source: &ReportSource<'_>, figure: &Figure, is_first: bool, wording: &Wording) {
    let elsewhere: Vec<&str> = ["f8", "f1-also"].into_iter().flat_map(|id| noted(source, id)).collect();
    let own = noted(source, &figure.id);
    let is_here = |note: &&Note| {
        let all = |names: &[&str]| note.measures.iter().all(|name| names.contains(&&**name));
        if is_first {
            note.measures.is_empty() || !all(&elsewhere)
        } else {
            !note.measures.is_empty() && !own.is_empty() && all(&own)
        }
    };
    let of = |class| source.findings.notes.iter().filter(move |note| note.class == class).filter(is_here);
    for note in of(NoteClass::Meaning) {
        let _ = writeln!(out, "<div class=\"note meaning\"><p>{}</p></div>", numbered(source, note, wording));
    }
    let smaller: Vec<&Note> = of(NoteClass::Precision).collect();
    if !smaller.is_empty() {
        let count = hype_core::words::counted(smaller.len(), "smaller note");
        let _ = writeln!(out, "<details><summary>{}</summary>", wording.markup(&count));
        for note in smaller {
            let _ = writeln!(out, "<p>{}</p>", numbered(source, note, wording));
        }
        out.push_str("</details>\n");
    }
}

/// A note with its number, and the measures that it concerns if they are not the score alone.
fn numbered(source: &ReportSource<'_>, note: &Note, wording: &Wording) -> String {
    let score = source.score().map(|score| &score.measure.name);
    let others: Vec<String> = note
        .measures
        .iter()
        .filter(|_| note.measures.iter().any(|name| Some(name) != score))
        .filter_map(|name| source.findings.measures.iter().find(|found| found.measure.name == *name))
        .map(|found| crate::words::panel(&found.measure))
        .collect();
    let about = match others.len() {
        0 => String::new(),
        1..=3 => format!("{}: ", markup(&listed(&others))),
        count => format!("{}: ", wording.markup(&hype_core::words::counted(count, "measure"))),
    };
    let number = note.number.map(mark).unwrap_or_default();
    format!("<b>{number}</b> {about}{}", wording.markup(&note.text))
}

fn paper_table(out: &mut String, table: &PaperTable, wording: &Wording) {
    let id = &table.id;
    let (headings, rows) = table.shown();
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
        "</tbody>\n</table>\n</div>\n<p class=\"files\"><a href=\"tables/{id}.tex\">LaTeX</a>\
         <a href=\"tables/{id}.md\">Markdown</a><a href=\"tables/{id}.csv\">CSV</a></p>\n"
    );
}

fn methods(out: &mut String, source: &ReportSource<'_>, wording: &Wording) {
    heading(out, "methods", &wording.markup("Methods"));
    let _ = writeln!(
        out,
        "<details{}><summary>{}</summary>",
        wording.of_english(),
        wording.markup("The methods section, and notes on settings")
    );
    for paragraph in paragraphs(source) {
        let _ = writeln!(out, "<p>{}</p>", markup(&paragraph));
    }
    let settings: Vec<_> = source
        .findings
        .notes
        .iter()
        .filter(|note| note.class == NoteClass::Setting && &*note.code != "simulated")
        .collect();
    if !settings.is_empty() {
        out.push_str("<ul>\n");
        for note in settings {
            let _ = writeln!(out, "<li>{}</li>", wording.markup(&note.text));
        }
        out.push_str("</ul>\n");
    }
    out.push_str(
        "</details>\n<p class=\"files\"><a href=\"methods.md\">Markdown</a><a href=\"references.bib\">BibTeX</a></p>\n</section>\n",
    );
    heading(out, "checklist", &wording.markup("Checklist"));
    let about =
        "Questions that readers of a human evaluation have. Answers that only its authors know are blank.";
    let _ = writeln!(out, "<details><summary>{}</summary>", wording.markup(about));
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
    out.push_str("</dl>\n</details>\n</section>\n");
}
