//! Findings as a part of another page, such as a cell of a notebook.

use std::fmt::Write as _;

use hype_core::model::findings::NoteClass;

use crate::draw::{Setting, Sheet, svg};
use crate::figures::figures;
use crate::source::{ReportSource, mark};
use crate::tables::{PaperTable, tables};
use crate::text::markup;

/// The first table, the first figure and the notes, as HTML to be put among other things: it has no scripts, no style that reaches
/// beyond it, no ids and no links. The figure is an image, which the page cannot mistake for its own content.
#[must_use]
pub fn fragment(source: &ReportSource<'_>) -> String {
    let mut out = String::from("<div class=\"hype-findings\" lang=\"en\">\n");
    // Writing to a string cannot fail.
    if let Some(caution) = source.caution() {
        let _ = writeln!(out, "<p><strong>{}</strong></p>", markup(caution));
    }
    if let Some(first) = tables(source).first() {
        put_table(&mut out, first);
    }
    if let Some(first) = figures(source).first() {
        let drawn = svg(first, Sheet::PAGE, Setting::Alone, None);
        let _ = writeln!(
            out,
            "<img style=\"max-width:100%\" alt=\"{}\" src=\"data:image/svg+xml,{}\">",
            markup(&format!("{}: {}", first.title, first.description)),
            percent_encoded(&drawn)
        );
    }
    let notes = source.findings.notes.iter().filter(|note| note.class != NoteClass::Setting);
    let lines: Vec<String> = notes
        .map(|note| {
            format!("<li>{} {}</li>\n", note.number.map(mark).unwrap_or_default(), markup(&note.text))
        })
        .collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "<ul style=\"list-style:none;padding:0\">\n{}</ul>", lines.concat());
    }
    out.push_str("</div>\n");
    out
}

fn put_table(out: &mut String, table: &PaperTable) {
    let (headings, rows) = table.shown();
    let align = |column: usize| if table.is_number(column) { "right" } else { "left" };
    let _ = write!(
        out,
        "<table>\n<caption style=\"text-align:left\">{}</caption>\n<thead><tr>",
        markup(&table.caption)
    );
    for (column, heading) in headings.iter().enumerate() {
        let _ =
            write!(out, "<th scope=\"col\" style=\"text-align:{}\">{}</th>", align(column), markup(heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ =
                write!(out, "<td style=\"text-align:{}\" dir=\"auto\">{}</td>", align(column), markup(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

/// A text as a part of an address: letters, digits and a few signs as they are, all other bytes by their numbers.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 3 / 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b':'
            | b'='
            | b','
            | b';'
            | b'('
            | b')' => out.push(char::from(byte)),
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_parts_of_addresses() {
        assert_eq!(
            percent_encoded("<svg a=\"1\">\u{e9}#%</svg>"),
            "%3Csvg a=%221%22%3E%C3%A9%23%25%3C/svg%3E"
        );
    }
}
