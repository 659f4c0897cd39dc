//! Shapes and texts of SVG.

use std::fmt::Write as _;

use super::colours::{MODELS, class_of, colour};
use super::sheet::Sheet;
use crate::figure::Tone;
use crate::text::markup;

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The shapes drawn so far. Dots and lines of one look are gathered in a group.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) sheet: Sheet,
    body: String,
    group: String,
}

/// A coordinate with two decimals at most.
pub(super) fn place(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

impl Canvas {
    /// Nothing, on a sheet.
    pub(super) const fn on(sheet: Sheet) -> Self {
        Self { sheet, body: String::new(), group: String::new() }
    }

    /// The attributes of a colour that fills or strokes.
    fn paint(&self, kind: char, tone: Tone) -> String {
        let colour = colour(tone, self.sheet.grey);
        let name = if kind == 'f' { "fill" } else { "stroke" };
        if self.sheet.is_screen && !matches!(tone, Tone::Own(..)) {
            format!("class=\"hr-{kind}{}\" {name}=\"{colour}\"", class_of(tone))
        } else {
            format!("{name}=\"{colour}\"")
        }
    }

    /// All shapes.
    pub(super) fn finish(mut self) -> String {
        self.group("");
        self.body
    }

    /// Continues or opens a group with these attributes; none closes it.
    fn group(&mut self, attributes: &str) {
        if self.group == attributes {
            return;
        }
        if !self.group.is_empty() {
            self.body.push_str("</g>\n");
        }
        if !attributes.is_empty() {
            let _ = writeln!(self.body, "<g {attributes}>");
        }
        attributes.clone_into(&mut self.group);
    }

    /// A text on one line, at its baseline.
    pub(super) fn text(&mut self, at: (f64, f64), text: &str, size: f64, anchor: Anchor, tone: Tone) {
        self.turned(at, text, size, anchor, tone, None);
    }

    /// A text turned by so many degrees about its place.
    pub(super) fn turned(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: f64,
        anchor: Anchor,
        tone: Tone,
        turn: Option<f64>,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.group(&format!(
            "{} font-size=\"{}\" text-anchor=\"{anchor}\"",
            self.paint('f', tone),
            place(size)
        ));
        let (x, y) = (place(x), place(y));
        let turn =
            turn.map(|turn| format!(" transform=\"rotate({} {x} {y})\"", place(turn))).unwrap_or_default();
        let _ = writeln!(self.body, "<text x=\"{x}\" y=\"{y}\"{turn}>{}</text>", markup(text));
    }

    /// A text cut to the room it has, with the whole text as its title.
    pub(super) fn named(
        &mut self,
        at: (f64, f64),
        text: &str,
        size: f64,
        anchor: Anchor,
        room: f64,
        turn: Option<f64>,
    ) {
        let cut = super::measure::fitted(text, size, room);
        self.turned(at, &cut, size, anchor, Tone::Ink, turn);
        if cut != text {
            let whole = format!("<title>{}</title></text>\n", markup(text));
            self.body.truncate(self.body.len() - "</text>\n".len());
            self.body.push_str(&whole);
        }
    }

    /// A bold text.
    pub(super) fn strong(&mut self, (x, y): (f64, f64), text: &str, size: f64, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.group(&format!(
            "{} font-size=\"{}\" font-weight=\"600\" text-anchor=\"{anchor}\"",
            self.paint('f', Tone::Ink),
            place(size)
        ));
        let _ = writeln!(self.body, "<text x=\"{}\" y=\"{}\">{}</text>", place(x), place(y), markup(text));
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, tone: Tone, dashed: bool) {
        self.path(&[from, to], width, tone, dashed);
    }

    /// A line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], width: f64, tone: Tone, dashed: bool) {
        self.stroke(tone, width, dashed);
        let _ = writeln!(self.body, "<path d=\"{}\"/>", path(points));
    }

    fn stroke(&mut self, tone: Tone, width: f64, dashed: bool) {
        let dashes = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        self.group(&format!(
            "fill=\"none\" {} stroke-width=\"{}\"{dashes}",
            self.paint('s', tone),
            place(width)
        ));
    }

    /// A line of the grid.
    pub(super) fn grid(&mut self, from: (f64, f64), to: (f64, f64)) {
        if !self.sheet.grid {
            return;
        }
        let class = if self.sheet.is_screen { "class=\"hr-sg\" " } else { "" };
        let width = place(self.sheet.lines.0);
        self.group(&format!("{class}fill=\"none\" stroke=\"#e1e6ed\" stroke-width=\"{width}\""));
        let _ = writeln!(self.body, "<path d=\"{}\"/>", path(&[from, to]));
    }

    /// A filled area.
    pub(super) fn area(&mut self, points: &[(f64, f64)], tone: Tone, opacity: f64) {
        self.fill(tone, opacity);
        let _ = writeln!(self.body, "<path d=\"{}Z\"/>", path(points));
    }

    /// A filled rectangle.
    pub(super) fn bar(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), tone: Tone, opacity: f64) {
        self.fill(tone, opacity);
        let _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            place(x),
            place(y),
            place(width.max(0.0)),
            place(height.max(0.0))
        );
    }

    /// Filled rectangles of one size, by their upper left corners, as one shape.
    pub(super) fn bars(
        &mut self,
        corners: &[(f64, f64)],
        (width, height): (f64, f64),
        tone: Tone,
        opacity: f64,
    ) {
        self.fill(tone, opacity);
        let (width, height) = (place(width.max(0.0)), place(height.max(0.0)));
        self.body.push_str("<path d=\"");
        for (x, y) in corners {
            let _ = write!(self.body, "M{} {}h{width}v{height}h-{width}z", place(*x), place(*y));
        }
        self.body.push_str("\"/>\n");
    }

    /// A box with a frame.
    pub(super) fn frame(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let class = if self.sheet.is_screen { "class=\"hr-fg hr-sf\" " } else { "" };
        self.group(&format!("{class}fill=\"#f5f7fa\" stroke=\"#5f6b7c\""));
        let _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
            place(x),
            place(y),
            place(width),
            place(height)
        );
    }

    /// A picture within a square, with its name as its title.
    pub(super) fn picture(&mut self, (x, y): (f64, f64), side: f64, address: &str, name: &str) {
        self.group("");
        let (x, y, side) = (place(x), place(y), place(side));
        let _ = writeln!(
            self.body,
            "<image x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" href=\"{}\"><title>{}</title></image>",
            markup(address),
            markup(name)
        );
    }

    /// A dot.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, tone: Tone, opacity: f64) {
        self.fill(tone, opacity);
        let _ =
            writeln!(self.body, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", place(x), place(y), place(radius));
    }

    /// A circle that is not filled.
    pub(super) fn ring(&mut self, (x, y): (f64, f64), radius: f64, tone: Tone) {
        self.stroke(tone, self.sheet.lines.0, false);
        let _ =
            writeln!(self.body, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", place(x), place(y), place(radius));
    }

    /// The shape of a model: a circle, a square, a triangle or a diamond, in its colour.
    pub(super) fn glyph(&mut self, (x, y): (f64, f64), radius: f64, tone: Tone) {
        let corners: &[(f64, f64)] = match tone {
            Tone::Series(number) | Tone::Own(_, number) if number < MODELS => match number % 4 {
                1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
                2 => &[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
                3 => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
                _ => &[],
            },
            _ => &[],
        };
        if corners.is_empty() {
            self.dot((x, y), radius, tone, 1.0);
            return;
        }
        let points: Vec<(f64, f64)> =
            corners.iter().map(|(across, down)| (x + across * radius, y + down * radius)).collect();
        self.area(&points, tone, 1.0);
    }

    /// A cross.
    pub(super) fn cross(&mut self, (x, y): (f64, f64), tone: Tone) {
        self.stroke(tone, 1.5, false);
        let _ = writeln!(self.body, "<path d=\"M{} {}l6 6m-6 0l6-6\"/>", place(x - 3.0), place(y - 3.0));
    }

    fn fill(&mut self, tone: Tone, opacity: f64) {
        let opacity =
            if opacity < 1.0 { format!(" fill-opacity=\"{}\"", place(opacity)) } else { String::new() };
        self.group(&format!("{}{opacity}", self.paint('f', tone)));
    }
}

/// A path through points. Each step is from the rounded point before, which keeps rounding from adding up.
fn path(points: &[(f64, f64)]) -> String {
    let rounded = |(x, y): &(f64, f64)| ((x * 100.0).round(), (y * 100.0).round());
    let mut points = points.iter().map(rounded);
    let Some(mut last) = points.next() else { return String::new() };
    let mut text = format!("M{} {}", place(last.0 / 100.0), place(last.1 / 100.0));
    let mut letter = 'M';
    for (x, y) in points {
        let step = (x - last.0, y - last.1);
        let (own, numbers) = match step {
            (across, 0.0) => ('h', vec![across]),
            (0.0, down) => ('v', vec![down]),
            (across, down) => ('l', vec![across, down]),
        };
        if own != letter {
            text.push(own);
        }
        for (number, step) in numbers.into_iter().enumerate() {
            let step = place(step / 100.0).replacen("0.", ".", usize::from(step.abs() < 100.0));
            if !step.starts_with('-') && (number > 0 || own == letter) {
                text.push(' ');
            }
            text.push_str(&step);
        }
        (last, letter) = ((x, y), own);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn paths_step_from_rounded_points() {
        assert_eq!(path(&[]), "");
        assert_eq!(path(&[(1.0, 2.5), (11.0, 2.5), (11.0, 0.0)]), "M1 2.5h10v-2.5");
        assert_eq!(path(&[(0.0, 0.0), (0.5, -0.25), (1.5, 10.0), (0.0, 10.0)]), "M0 0l.5-.25 1 10.25h-1.5");
        // Thirds add up to the end that they have.
        let thirds: Vec<(f64, f64)> = (0..=9).map(|at| (f64::from(at) / 3.0, 0.0)).collect();
        let drawn = path(&thirds);
        let (_, steps) = drawn.split_once('h').unwrap();
        let sum: f64 = steps.split(' ').map(|step| step.parse::<f64>().unwrap()).sum();
        assert!((sum - 3.0).abs() < 1e-9);
    }
}
