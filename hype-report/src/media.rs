//! The clips and texts of a figure about single stimuli, beneath its drawing. Drawings have images themselves; a clip needs an
//! element of the page, and on paper leaves its name and its duration.

use std::fmt::Write as _;

use hype_core::Media;

use crate::data::DataRow;
use crate::figure::Figure;
use crate::numbers::fixed;
use crate::source::ReportSource;
use crate::text::markup;
use crate::wording::Wording;

/// The style of a page with clips or texts.
const STYLE: &str = "\
.media{display:flex;flex-wrap:wrap;gap:10px 14px}.media figure{width:224px;margin:0}.media figcaption{margin-top:2px}\
.media video{display:block;width:100%;background:#000}\
.media blockquote{margin:0;border-inline-start:2px solid var(--line);padding-inline-start:8px;font-size:13.5px}\
@media print{.media video{display:none}}";

/// The style that a report's page has in addition; none in a study of images.
pub(crate) fn style(source: &ReportSource<'_>) -> &'static str {
    if source.findings.media().is_image() { "" } else { STYLE }
}

/// Writes the clips or texts of a figure whose rows name some in two halves with these titles; nothing if none is among the
/// [`Pictures`](crate::Pictures) of the report.
pub(crate) fn gallery(
    out: &mut String,
    source: &ReportSource<'_>,
    figure: &Figure,
    part: &str,
    titles: [&str; 2],
    wording: &Wording,
) {
    let rows: Vec<DataRow<'_>> = figure.data.part(part).collect();
    let is_given = |row: &DataRow<'_>| source.pictures.is_some_and(|given| given.has_media(row.text("path")));
    if !rows.iter().any(is_given) {
        return;
    }
    for (title, rows) in titles.into_iter().zip(rows.chunks(rows.len().div_ceil(2))) {
        let _ = writeln!(out, "<h3>{}</h3>\n<div class=\"media\">", wording.markup(title));
        for row in rows {
            one(out, source, row);
        }
        out.push_str("</div>\n");
    }
}

/// Writes a clip as a player where its file is next to the report, and a text by its first lines.
fn one(out: &mut String, source: &ReportSource<'_>, row: &DataRow<'_>) {
    let (path, name) = (row.text("path"), markup(row.text("image")));
    let stimuli = source.study.map(|study| study.stimuli().all()).unwrap_or_default();
    let media = stimuli.iter().find(|one| *one.path == *path).map(|one| one.media);
    let shown = source.pictures.filter(|given| given.has_media(path));
    out.push_str("<figure>");
    if let Some(excerpt) = shown.and_then(|given| given.excerpt(path)) {
        let lines: Vec<String> = excerpt.lines().map(markup).collect();
        let _ = write!(out, "<blockquote dir=\"auto\">{}</blockquote>", lines.join("<br>"));
    } else if let Some(folder) = shown.and_then(|given| given.folder()) {
        let address = path.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        let _ = write!(
            out,
            "<video controls muted preload=\"metadata\" aria-label=\"{name}\" src=\"{}\"></video>",
            markup(&format!("{folder}{address}"))
        );
    }
    let duration = match media {
        Some(Media::Video { duration_us, .. }) => format!(", {} s", fixed(duration_us as f64 / 1e6, 1)),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "<figcaption><bdi>{name}</bdi>{duration}: {}</figcaption></figure>",
        markup(row.text("text"))
    );
}
