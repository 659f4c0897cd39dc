//! Draws charts as SVG.
//!
//! Texts stay texts. Colours are attributes, for programs that know no style sheets, and classes, which follow dark
//! surroundings. Coordinates have two decimals at most: the same figure is the same bytes everywhere.

use std::fmt::Write as _;

use crate::figure::{Chart, Figure, Tone};
use crate::text::markup;

mod canvas;
mod colours;
mod flow;
mod gallery;
pub(crate) mod marks;
mod measure;
mod panel;
mod rows;
pub(crate) mod scale;
mod sheet;

use self::canvas::{Anchor, Canvas};
pub use self::colours::style;
pub(crate) use self::colours::{class_of, letter_of};
pub(crate) use self::measure::width as room;
pub use self::sheet::{Sheet, paper};

/// The list of fonts. The first is that of the page, the others are those of most systems.
pub(crate) const FONTS: &str = "Inter, Helvetica, Arial, sans-serif";
/// How much larger titles are than other texts.
const TITLE: f64 = 1.2;

/// The elements that are drawn in addition to the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The figure stands alone: it has its title, a background and the colours of dark surroundings.
    Alone,
    /// It stands in a page with a heading and [`style`], or on paper.
    InPage,
}

/// Draws a figure as an SVG document, laid out for a sheet. `caution` is written above a figure that stands alone, such as that
/// raters are synthetic.
#[must_use]
pub fn svg(figure: &Figure, sheet: Sheet, setting: Setting, caution: Option<&str>) -> String {
    drawn(figure, sheet, setting, caution).0
}

/// The same with the figure's height.
pub(crate) fn drawn(figure: &Figure, sheet: Sheet, setting: Setting, caution: Option<&str>) -> (String, f64) {
    let mut canvas = Canvas::on(sheet);
    let Sheet { width, text, margin, .. } = sheet;
    let mut top = 0.0;
    if setting == Setting::Alone {
        let title = text * TITLE;
        for line in measure::lines(&figure.title, title * measure::BOLD, width - 2.0 * margin) {
            top += title + 4.0;
            canvas.strong((margin, top - 4.0), &line, title, Anchor::Start);
        }
        for line in caution.iter().flat_map(|caution| measure::lines(caution, text, width - 2.0 * margin)) {
            top += text + 4.0;
            canvas.text((margin, top - 4.0), &line, text, Anchor::Start, Tone::Alert);
        }
        top += 4.0;
    }
    let height = match &figure.chart {
        Chart::Panels { panels, across } => panel::panels(&mut canvas, &figure.data, panels, *across, top),
        Chart::Rows(rows) => rows::rows(&mut canvas, &figure.data, rows, top),
        Chart::Gallery { groups, pictures } => {
            gallery::gallery(&mut canvas, &figure.data, groups, pictures, top)
        }
        Chart::Flow => flow::flow(&mut canvas, &figure.data, top),
    };
    let height = height + 2.0 * sheet.pad;
    let (mut id, mut out) = (markup(&figure.id), String::new());
    if sheet.is_phone() {
        id.push_str("-phone");
    }
    // Writing to a string cannot fail.
    let unit = if sheet.is_screen { "" } else { "pt" };
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}{unit}\" height=\"{h}{unit}\" viewBox=\"{pad} {pad} {w} {h}\" \
         role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONTS}\">\n<title id=\"{id}-title\">{title}</title>\n\
         <desc id=\"{id}-desc\">{desc}</desc>\n",
        pad = canvas::place(-sheet.pad),
        w = canvas::place(sheet.whole()),
        h = canvas::place(height),
        title = markup(&figure.title),
        desc = markup(&described(figure, caution)),
    );
    if setting == Setting::Alone && sheet.is_screen {
        let _ = write!(
            out,
            "<style>{}</style>\n<rect class=\"hr-b\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            style()
        );
    }
    out.push_str(&canvas.finish());
    out.push_str("</svg>\n");
    (out, height)
}

fn described(figure: &Figure, caution: Option<&str>) -> String {
    match caution {
        Some(caution) => format!("{} ({caution})", figure.description),
        None => figure.description.clone(),
    }
}
