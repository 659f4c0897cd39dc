//! Figures as text, for terminals.

use unicode_width::UnicodeWidthChar as _;

use crate::data::{Data, DataRow};
use crate::draw::marks;
use crate::draw::scale::Scale;
use crate::figure::{Beside, Chart, Dot, Figure, FigurePanel, Mark, PanelAxis, Width};

/// The rows of a panel between axes of numbers.
const ROWS: usize = 16;
/// The narrowest area that is drawn.
const NARROWEST: usize = 16;
/// The most panels that are drawn.
const MOST_PANELS: usize = 12;

/// Draws a figure as text of at most so many columns, where names leave room for that: `●` is an estimate, `━` its interval, `·`
/// and `∶` are single values, `┊` is a reference.
#[must_use]
pub fn terminal(figure: &Figure, columns: usize, caution: Option<&str>) -> String {
    let mut lines = vec![figure.title.clone()];
    lines.extend(caution.map(|caution| format!("({caution})")));
    match &figure.chart {
        Chart::Panels { panels, .. } => {
            for panel in panels.iter().take(MOST_PANELS) {
                lines.push(String::new());
                if !panel.title.is_empty() {
                    lines.push(panel.title.clone());
                }
                match (&panel.x, &panel.y) {
                    (PanelAxis::Numbers { .. }, PanelAxis::Categories { .. }) => {
                        rows(&mut lines, &figure.data, panel, columns)
                    }
                    (PanelAxis::Numbers { .. }, PanelAxis::Numbers { .. }) => {
                        plane(&mut lines, &figure.data, panel, columns)
                    }
                    _ => lines.push("(drawn on the page only)".to_owned()),
                }
            }
            if panels.len() > MOST_PANELS {
                lines.push(format!("… {} further panels", panels.len() - MOST_PANELS));
            }
        }
        Chart::Rows(chart) => {
            for lane in &chart.lanes {
                lines.extend([String::new(), lane.title.clone()]);
                let own = figure.data.only("panel", &lane.key);
                rows(&mut lines, &own, &chart.panel_of(lane), columns);
            }
        }
        Chart::Gallery { groups, .. } => {
            for group in groups {
                lines.extend([String::new(), group.title.clone()]);
                let row =
                    |row: DataRow<'_>| format!("  {}  {}", row.text(group.picture), row.text(group.text));
                lines.extend(figure.data.part(group.part).map(row));
            }
        }
        Chart::Flow => flow(&mut lines, &figure.data),
    }
    lines.push(String::new());
    lines.push(figure.description.clone());
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn width(text: &str) -> usize {
    text.chars().map(|one| one.width().unwrap_or(0)).sum()
}

/// A text of exactly so many columns.
fn column(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let fits = width(text) <= columns;
    for one in text.chars() {
        let wide = one.width().unwrap_or(0);
        if used + wide > columns.saturating_sub(usize::from(!fits)) {
            break;
        }
        out.push(one);
        used += wide;
    }
    if !fits && columns > 0 {
        out.push('…');
        used += 1;
    }
    out + &" ".repeat(columns.saturating_sub(used))
}

/// A column of texts next to categories.
struct Texts {
    heading: String,
    /// Categories with their texts.
    rows: Vec<(String, String)>,
    width: usize,
}

impl Texts {
    fn of(data: &Data, panel: &FigurePanel, beside: &Beside, most: usize) -> Self {
        let rows: Vec<(String, String)> = data
            .part(beside.part)
            .filter(|row| panel.draws(row))
            .map(|row| (row.text(beside.at).to_owned(), beside.text.of(&row)))
            .collect();
        let widest = rows.iter().map(|(_, text)| width(text)).max().unwrap_or(0).max(width(&beside.heading));
        Self { heading: beside.heading.clone(), rows, width: widest.min(most) }
    }
}

/// Categories below one another, with texts next to them.
fn rows(lines: &mut Vec<String>, data: &Data, panel: &FigurePanel, columns: usize) {
    let PanelAxis::Categories { names, gap } = &panel.y else { return };
    let left = names.iter().map(|name| width(name)).max().unwrap_or(0).min(columns / 4);
    let beside: Vec<Texts> =
        panel.beside.iter().map(|one| Texts::of(data, panel, one, columns / 3)).collect();
    let right: usize = beside.iter().map(|texts| texts.width + 2).sum();
    let area = columns.saturating_sub(left + 1 + right).max(NARROWEST);
    let x = Scale::new(&panel.x, marks::numbers(data, panel, true), 0.0, (area - 1) as f64);
    let headings: String =
        beside.iter().map(|texts| format!("  {}", column(&texts.heading, texts.width))).collect();
    if !headings.trim().is_empty() {
        lines.push(format!("{} {}{headings}", " ".repeat(left), " ".repeat(area)));
    }
    for (place, name) in names.iter().enumerate() {
        if let Some((before, missing)) = gap
            && *before == place
        {
            lines.push(format!("{} … {missing} others", " ".repeat(left)));
        }
        let mut cells = vec![' '; area];
        for mark in &panel.marks {
            along(&mut cells, data, panel, mark, name, &x);
        }
        let texts: String = beside
            .iter()
            .map(|texts| {
                let text = texts.rows.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
                format!("  {}", column(text, texts.width))
            })
            .collect();
        lines.push(format!("{} {}{texts}", column(name, left), String::from_iter(cells)));
    }
    beneath(lines, panel, &x, area, left + 1);
}

/// Draws what a mark has in one category.
fn along(cells: &mut [char], data: &Data, panel: &FigurePanel, mark: &Mark, name: &str, x: &Scale) {
    let place = |number: Option<f64>| {
        let at = x.of(number?)?.round();
        (at >= 0.0).then_some(at as usize)
    };
    let in_category = |row: &DataRow<'_>, at: &str| panel.draws(row) && row.text(at) == name;
    match mark {
        Mark::Dots { part, x, y, look, .. } => {
            for at in data.part(part).filter(|row| in_category(row, y)).filter_map(|row| place(row.number(x)))
            {
                let Some(cell) = cells.get_mut(at) else { continue };
                *cell = match (look, *cell) {
                    (Dot::Large, _) => '●',
                    (Dot::Cross, _) => '×',
                    (_, '·') => '∶',
                    (_, '∶') => '⁝',
                    (_, '⁝') => '⁝',
                    _ => '·',
                };
            }
        }
        Mark::Interval { part, at, low, high, width, .. } => {
            for row in data.part(part).filter(|row| in_category(row, at)) {
                let Some((from, to)) = place(row.number(low)).zip(place(row.number(high))) else { continue };
                let letter = match width {
                    Width::Thin => '─',
                    Width::Bold => '━',
                    Width::Bar if part.bytes().last().is_some_and(|last| last % 2 == 0) => '▒',
                    Width::Bar => '█',
                };
                let to = to.min(cells.len().saturating_sub(1));
                if from <= to {
                    cells[from..=to].fill(letter);
                }
            }
        }
        Mark::Line { part, x: Some(x), y: None, .. } => {
            for at in data.part(part).filter_map(|row| place(row.number(x))) {
                if let Some(cell) = cells.get_mut(at) {
                    *cell = '┊';
                }
            }
        }
        _ => {}
    }
}

/// Writes the horizontal scales of a panel beneath an area that begins after so many columns.
fn beneath(lines: &mut Vec<String>, panel: &FigurePanel, x: &Scale, area: usize, left: usize) {
    let PanelAxis::Numbers { label, factor, .. } = &panel.x else { return };
    let left = " ".repeat(left);
    lines.push(format!("{left}{}", ticks(*factor, x, area)));
    lines.push(format!("{left}{label}"));
    if let Some((second, scale)) = panel.second.as_ref().and_then(|one| Some((one, x.second(one)?))) {
        lines.push(format!("{left}{}", ticks(*factor, &scale, area)));
        lines.push(format!("{left}{}", second.label));
    }
}

/// The numbers of a scale beneath an area of so many columns.
fn ticks(factor: f64, x: &Scale, area: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for tick in x.ticks(factor, (area / 10).clamp(2, 8)) {
        let wide = width(&tick.text);
        let start = (tick.at.round() as usize).saturating_sub(wide / 2);
        if (used == 0 || start > used) && start + wide <= area + 2 {
            text.push_str(&" ".repeat(start.saturating_sub(used)));
            text.push_str(&tick.text);
            used = start + wide;
        }
    }
    text
}

/// Points and lines between axes of numbers.
fn plane(lines: &mut Vec<String>, data: &Data, panel: &FigurePanel, columns: usize) {
    let PanelAxis::Numbers { factor, label, .. } = &panel.y else { return };
    let y = Scale::new(&panel.y, marks::numbers(data, panel, false), (ROWS - 1) as f64, 0.0);
    let mut named = vec![String::new(); ROWS];
    for tick in y.ticks(*factor, 4) {
        if let Some(name) = named.get_mut(tick.at.round().max(0.0) as usize) {
            *name = tick.text;
        }
    }
    let left = named.iter().map(|name| width(name)).max().unwrap_or(0);
    let area = columns.saturating_sub(left + 2).max(NARROWEST);
    let x = Scale::new(&panel.x, marks::numbers(data, panel, true), 0.0, (area - 1) as f64);
    let mut cells = vec![vec![' '; area]; ROWS];
    let mut set = |across: f64, down: f64, letter: char| {
        let (across, down) = (across.round(), down.round());
        if across >= 0.0
            && down >= 0.0
            && let Some(cell) = cells.get_mut(down as usize).and_then(|row| row.get_mut(across as usize))
        {
            *cell = letter;
        }
    };
    for mark in &panel.marks {
        let rows = |part| data.part(part).filter(|row| panel.draws(row));
        match mark {
            Mark::Dots { part, x: from, y: to, look, .. } => {
                let letter = match look {
                    Dot::Large | Dot::Sized(..) => '●',
                    Dot::Cross => '×',
                    Dot::Small | Dot::Swarm => '·',
                };
                for row in rows(part) {
                    if let Some((across, down)) = x.at(row.cell(from)).zip(y.at(row.cell(to))) {
                        set(across, down, letter);
                    }
                }
            }
            Mark::Line { part, x: Some(from), y: Some(to), by, .. } => {
                let mut last: Option<(&str, f64, f64)> = None;
                for row in rows(part) {
                    let Some((across, down)) = x.at(row.cell(from)).zip(y.at(row.cell(to))) else { continue };
                    let name = row.text(by);
                    if let Some((known, start, height)) = last
                        && known == name
                    {
                        let steps = (across - start).abs().max((down - height).abs()).ceil().max(1.0);
                        for step in 0..=steps as u32 {
                            let part = f64::from(step) / steps;
                            set(start + (across - start) * part, height + (down - height) * part, '∙');
                        }
                    } else {
                        set(across, down, '∙');
                    }
                    last = Some((name, across, down));
                }
            }
            Mark::Line { part, x: None, y: Some(to), .. } => {
                for down in rows(part).filter_map(|row| y.at(row.cell(to))) {
                    (0..area).for_each(|across| set(across as f64, down, '┈'));
                }
            }
            _ => {}
        }
    }
    lines.push(label.clone());
    for (name, row) in named.iter().zip(cells) {
        let name = format!("{}{name}", " ".repeat(left - width(name)));
        lines.push(format!("{name} │{}", String::from_iter(row)));
    }
    beneath(lines, panel, &x, area, left + 2);
}

fn flow(lines: &mut Vec<String>, data: &Data) {
    lines.push(String::new());
    for step in data.part("step") {
        lines.push(format!("{:>7}  {}", step.cell("count").exact(), step.text("text")));
        for branch in data.part("branch").filter(|branch| branch.text("of") == step.text("step")) {
            lines.push(format!("{:>7}    └ {}", branch.cell("count").exact(), branch.text("text")));
        }
    }
}
