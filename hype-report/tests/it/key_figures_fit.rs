//! Key figures on a page, a phone and paper: texts neither cover each other nor leave the drawing, models keep their colours, and
//! numbers and marks of notes are those of the findings.

use std::collections::BTreeMap;

use hype_core::model::findings::{Comparison, MeasureFindings, Note};
use hype_core::{Direction, Estimate, Findings, Interval, Measure, Row, ScoreTable};
use hype_report::figure::{Chart, Tone};
use hype_report::{Figure, Records, ReportSource, Setting, Sheet, figures, paper, report, svg, tables};

use crate::findings::{MEASURE, card, csv, figure_of, findings, headline, names, of_errors, records, source};
use crate::measure::{BOLD, width};
use crate::tasks_have_figures::of_staircases;
use crate::{latex, typeset};

/// A text of a drawing with the room that it takes.
#[derive(Debug, Clone, PartialEq)]
struct Written {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Written {
    fn covers(&self, other: &Self) -> bool {
        // Places are rounded to two decimals.
        const ROUNDED: f64 = 0.05;
        let apart = |a: f64, b: f64| a <= b + ROUNDED;
        !(apart(self.right, other.left)
            || apart(other.right, self.left)
            || apart(self.bottom, other.top)
            || apart(other.bottom, self.top))
    }
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn number(text: &str) -> f64 {
    text.trim_end_matches("pt").parse().unwrap()
}

/// The texts of a drawing. Those that are turned are not among them.
fn texts(drawn: &str) -> Vec<Written> {
    let mut all = Vec::new();
    let mut group = "";
    for line in drawn.lines() {
        if line.starts_with("<g ") {
            group = line;
        }
        let Some((tag, rest)) = line.strip_prefix("<text").and_then(|rest| rest.split_once('>')) else {
            continue;
        };
        if tag.contains("transform") {
            continue;
        }
        let text = rest.split('<').next().unwrap();
        let text = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .into_iter()
            .fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter));
        let [x, y] = ["x", "y"].map(|name| number(attribute(tag, name).unwrap()));
        let size = number(attribute(group, "font-size").unwrap());
        let bold = if group.contains("font-weight") { BOLD } else { 1.0 };
        let wide = width(&text, size) * bold;
        let left = match attribute(group, "text-anchor").unwrap() {
            "start" => x,
            "middle" => x - wide / 2.0,
            _ => x - wide,
        };
        all.push(Written { left, right: left + wide, top: y - 0.74 * size, bottom: y + 0.2 * size, text });
    }
    all
}

/// The points of a path of steps.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    let (mut x, mut y) = (0.0, 0.0);
    let begins: Vec<usize> = path.match_indices(char::is_alphabetic).map(|(at, _)| at).collect();
    for (number_of, &begin) in begins.iter().enumerate() {
        let end = begins.get(number_of + 1).copied().unwrap_or(path.len());
        let steps = path[begin + 1..end].replace('-', " -");
        let steps: Vec<f64> = steps.split_whitespace().map(number).collect();
        let of_step = if matches!(&path[begin..=begin], "h" | "v") { 1 } else { 2 };
        for step in steps.chunks(of_step) {
            (x, y) = match (&path[begin..=begin], step) {
                ("M", &[to_x, to_y]) => (to_x, to_y),
                ("h", &[across]) => (x + across, y),
                ("v", &[down]) => (x, y + down),
                (_, &[across, down]) => (x + across, y + down),
                _ => panic!("{path}"),
            };
            all.push((x, y));
        }
    }
    all
}

/// The upright lines of a drawing other than the grid: the place, and the ends.
fn references(drawn: &str) -> Vec<(f64, f64, f64)> {
    let mut all = Vec::new();
    let mut group = "";
    for line in drawn.lines() {
        if line.starts_with("<g ") {
            group = line;
        }
        let Some(path) = attribute(line, "d").filter(|_| group.contains("stroke=\"#5f6b7c\"")) else {
            continue;
        };
        if let [(x, top), (other, bottom)] = points(path)[..]
            && x == other
        {
            all.push((x, top, bottom));
        }
    }
    all
}

/// The dots and marks of a drawing: left, right, top and bottom.
fn marks(drawn: &str) -> Vec<[f64; 4]> {
    let mut all = Vec::new();
    for line in drawn.lines() {
        let of = |name: &str| attribute(line, name).map(number);
        if let (Some(x), Some(y), Some(r)) = (of("cx"), of("cy"), of("r")) {
            all.push([x - r, x + r, y - r, y + r]);
        } else if let Some(path) = attribute(line, "d").and_then(|path| path.strip_suffix('Z')) {
            let points = points(path);
            let ends = |of: fn(&(f64, f64)) -> f64| {
                let all = || points.iter().map(of);
                (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
            };
            let ((left, right), (top, bottom)) = (ends(|at| at.0), ends(|at| at.1));
            all.push([left, right, top, bottom]);
        }
    }
    all
}

/// Draws a figure, and checks that its texts lie within it, apart from each other, from marks and from lines of reference. Returns
/// its height.
fn assert_texts_fit(figure: &Figure, sheet: Sheet, what: &str) -> f64 {
    let drawn = svg(figure, sheet, Setting::InPage, None);
    let head = drawn.lines().next().unwrap();
    let [wide, height] = ["width", "height"].map(|name| number(attribute(head, name).unwrap()));
    let ends = attribute(head, "viewBox").unwrap();
    let pad = number(ends.split(' ').next().unwrap());
    let all = texts(&drawn);
    assert!(all.len() > 2, "{what}: {drawn}");
    for (place, one) in all.iter().enumerate() {
        let is_inside = one.left >= pad - 0.05
            && one.right <= pad + wide + 0.05
            && one.top >= pad - 0.05
            && one.bottom <= pad + height + 0.05;
        assert!(is_inside, "{what}: {} is outside of {wide} by {height}: {one:?}", one.text);
        for other in &all[place + 1..] {
            assert!(!one.covers(other), "{what}: {one:?} and {other:?}");
        }
    }
    for (x, top, bottom) in references(&drawn) {
        let is_crossed =
            |one: &&Written| one.left < x && x < one.right && one.top < bottom && top < one.bottom;
        let crossed = all.iter().find(is_crossed);
        assert!(crossed.is_none(), "{what}: a line at {x} crosses {crossed:?}");
    }
    for [left, right, top, bottom] in marks(&drawn) {
        // Glyphs touch the lines of their names.
        let mark = Written { text: String::new(), left, right, top: top + 0.5, bottom: bottom - 0.5 };
        let covered = all.iter().find(|one| one.covers(&mark));
        assert!(covered.is_none(), "{what}: {mark:?} is on {covered:?}");
    }
    height
}

fn sheets() -> [(&'static str, Sheet); 4] {
    [
        ("page", Sheet::PAGE),
        ("phone", Sheet::PHONE),
        ("cvpr", paper("cvpr").unwrap()),
        ("cvpr:full", paper("cvpr:full").unwrap()),
    ]
}

/// Names as short and as long as labels are.
fn named(count: u32, is_long: bool) -> Vec<String> {
    if is_long {
        (0..count).map(|number| format!("latent-diffusion-xl-{number:04}")).collect()
    } else {
        names(count)
    }
}

/// These models by strengths for three criteria, with values of raters.
pub(crate) fn of_criteria(models: &[&str], raters: u64) -> (Findings, Records) {
    let mut all = findings(models, raters);
    all.study = Some(card("contrast"));
    let found = all.measures.remove(0);
    for (place, criterion) in ["realism", "text_fit", "aesthetics"].into_iter().enumerate() {
        let name = format!("strength.{criterion}");
        let measure = Measure::new(&name, "strength", "", Direction::Higher);
        let mut own = MeasureFindings { measure, ..found.clone() };
        for one in &mut own.estimates {
            let moved = |value: f64| 3.0 * value - 1.5 + 0.1 * place as f64;
            one.value = moved(one.value);
            one.with_excluded = None;
            one.interval = one
                .interval
                .take()
                .map(|ends| Interval::new(moved(ends.low), moved(ends.high), 0.95, "Wald"));
        }
        all.measures.push(own);
    }
    let mut records = Records::default();
    for rater in 0..raters {
        let mut table = ScoreTable::default();
        let name = format!("secret-rater-{rater}");
        for found in &all.measures {
            for one in &found.estimates {
                let spread = (rater as f64 + 0.5) / raters as f64 - 0.5;
                table.push(&Row::new(&name, &one.model, &found.measure.name, one.value + spread));
            }
        }
        records.add_scores(table.rows());
    }
    (all, records)
}

#[test]
fn texts_of_the_key_figure_fit_whatever_the_number_of_models() {
    for is_long in [false, true] {
        for count in [1, 2, 3, 12, 40] {
            let names = named(count, is_long);
            let models: Vec<&str> = names.iter().map(String::as_str).collect();
            let raters = if is_long { &[24][..] } else { &[2, 24, 90, 400] };
            for &raters in raters {
                let all = findings(&models, raters);
                let records = records(&all);
                let figure = figure_of(&source(&all, &records), "f1");
                for (on, sheet) in sheets() {
                    let what = format!("{count} models, {raters} raters, on {on}");
                    let height = assert_texts_fit(&figure, sheet, &what);
                    assert!(on != "page" || height <= 340.0, "{what}: {height} high");
                    assert!(on != "cvpr" || height <= 0.75 * 234.0 || count > 3, "{what}: {height} high");
                }
            }
        }
    }
}

#[test]
fn texts_of_lanes_fit_whatever_the_number_of_models() {
    for is_long in [false, true] {
        for count in [1, 2, 3, 12, 40] {
            let names = named(count, is_long);
            let models: Vec<&str> = names.iter().map(String::as_str).collect();
            let (all, records) = of_criteria(&models, 12);
            let figure = figure_of(&source(&all, &records), "f1");
            for (on, sheet) in sheets() {
                let height = assert_texts_fit(&figure, sheet, &format!("{count} models by criteria on {on}"));
                assert!(on != "page" || height <= 340.0, "{count} models by criteria: {height} high");
            }
        }
    }
    let (all, records) = of_errors(9);
    let figure = figure_of(&source(&all, &records), "f1-also");
    for (on, sheet) in sheets() {
        assert_texts_fit(&figure, sheet, &format!("other measures on {on}"));
    }
}

/// The numbers of a text such as `39.4% [36.4, 42.5]`, and how many decimals they have.
fn printed(text: &str) -> (Vec<f64>, usize) {
    let parts: Vec<String> = text
        .replace('\u{2212}', "-")
        .split(|letter: char| !(letter.is_ascii_digit() || ".-".contains(letter)))
        .filter(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    let decimals = parts[0].split_once('.').map_or(0, |(_, rest)| rest.len());
    (parts.iter().map(|part| part.parse().unwrap()).collect(), decimals)
}

/// Checks that a text has an estimate and the ends of its interval, rounded.
fn assert_rounded(text: &str, value: f64, interval: Option<&Interval>, factor: f64) {
    let (found, decimals) = printed(text);
    let ends = interval.into_iter().flat_map(|interval| [interval.low, interval.high]);
    let exact: Vec<f64> = std::iter::once(value).chain(ends).collect();
    assert_eq!(found.len(), exact.len(), "{text}");
    for (printed, exact) in found.into_iter().zip(exact) {
        let off = (printed - exact * factor).abs();
        assert!(off <= 0.5 * 10_f64.powi(-(decimals as i32)) + 1e-9, "{printed} of {text} is not {exact}");
    }
}

/// The cells of a table's rows as LaTeX prints them.
fn latex_rows(latex: &str) -> Vec<Vec<String>> {
    let rows = latex.lines().skip_while(|line| *line != "\\midrule").skip(1);
    rows.take_while(|line| *line != "\\bottomrule")
        .map(|line| {
            let line = line.trim_end_matches(" \\\\").replace("{[}", "[").replace("{]}", "]");
            line.replace("$-$", "\u{2212}").replace("\\%", "%").split(" & ").map(str::to_owned).collect()
        })
        .collect()
}

#[test]
fn numbers_of_the_key_figure_and_of_table_1_are_rounded_findings() {
    let all = findings(&["stylegan", "biggan", "dcgan", "vae"], 24);
    let records = records(&all);
    let source = source(&all, &records);
    let (figure, table) = (figure_of(&source, "f1"), latex_rows(&tables(&source)[0].latex()));
    let drawn = svg(&figure, Sheet::PAGE, Setting::InPage, None);
    let found = &all.measures[0];
    let best = &found.estimates[0].model;
    assert_eq!(table.len(), found.estimates.len());
    for (one, cells) in found.estimates.iter().zip(&table) {
        let of_lane = |is_difference: bool| {
            let is_ours = move |row: &hype_report::data::DataRow<'_>| {
                (row.text("panel") == "difference") == is_difference
            };
            figure.data.part("estimate").filter(is_ours).find(|row| row.text("row") == &*one.model)
        };
        let own = of_lane(false).unwrap();
        assert_rounded(own.text("text"), one.value, one.interval.as_ref(), 100.0);
        assert!(drawn.contains(own.text("text")), "{} is drawn", own.text("text"));
        assert_eq!((&*cells[0], &*cells[1], &*cells[3]), (&*one.model, own.text("text"), "24"));
        assert_eq!(cells[4], own.text("letters"));
        let Some(difference) = of_lane(true) else {
            assert_eq!((&one.model, &*cells[2]), (best, "–"), "all others have a difference");
            continue;
        };
        let pair = found.comparisons.iter().find(|pair| pair.a == *best && pair.b == one.model).unwrap();
        // Worse models are below zero, at which the best one is.
        let ends = pair.interval.as_ref().map(|ends| Interval::new(-ends.high, -ends.low, 0.95, ""));
        assert_rounded(difference.text("text"), -pair.difference, ends.as_ref(), 100.0);
        assert_eq!(difference.number("x"), Some(-pair.difference));
        assert!(drawn.contains(difference.text("text")));
        assert_eq!(cells[2], difference.text("text"));
    }
}

#[test]
fn numbers_of_lanes_and_of_their_table_are_rounded_findings() {
    let (all, records) = of_criteria(&["stylegan", "biggan", "dcgan", "vae"], 12);
    let source = source(&all, &records);
    let (figure, table) = (figure_of(&source, "f1"), latex_rows(&tables(&source)[0].latex()));
    let drawn = svg(&figure, Sheet::PAGE, Setting::InPage, None);
    for (column, (found, lane)) in all.measures.iter().zip(["realism", "text fit", "aesthetics"]).enumerate()
    {
        for (one, cells) in found.estimates.iter().zip(&table) {
            let is_ours = |row: &hype_report::data::DataRow<'_>| {
                row.text("panel") == lane && row.text("row") == &*one.model
            };
            let row = figure.data.part("estimate").find(is_ours).unwrap();
            let text = row.text("text");
            assert_rounded(text, one.value, one.interval.as_ref(), 1.0);
            assert_eq!(text.starts_with('+'), one.value > 0.0, "{text}");
            assert!(text.ends_with(row.text("letters")) && !row.text("letters").is_empty(), "{text}");
            assert!(drawn.contains(text), "{text} is drawn");
            assert_eq!((&*cells[0], &*cells[column + 1]), (&*one.model, text));
        }
    }
}

#[test]
fn every_print_of_a_number_is_marked_with_its_notes() {
    let mut all = findings(&["stylegan", "biggan", "dcgan"], 24);
    for pair in &mut all.measures[0].comparisons {
        pair.p = Some(0.001);
    }
    let mut note = Note::meaning("censored", "Most thresholds of stylegan are at the floor.")
        .about(MEASURE)
        .on_models(["stylegan"]);
    note.number = Some(1);
    all.notes.push(note);
    let records = records(&all);
    let source = source(&all, &records);
    let marked = "90.0% [85.8, 94.3] ①";
    let figure = figure_of(&source, "f1");
    for (on, sheet) in sheets() {
        let drawn = svg(&figure, sheet, Setting::InPage, None);
        assert!(drawn.contains(&format!(">{marked}<")), "{on}: {drawn}");
        assert_eq!(drawn.matches('①').count(), 1, "{on}: other models are not marked");
    }
    let table = &tables(&source)[0];
    assert!(table.markdown().contains("90.0% \\[85.8, 94.3\\] ①"), "{}", table.markdown());
    // A program with Latin letters alone sets the marks.
    let text = table.latex();
    assert!(text.contains("90.0\\% {[}85.8, 94.3{]} $^{1}$ & "), "{text}");
    assert!(text.starts_with("% \\usepackage{booktabs}"), "{text}");
    assert_eq!(latex::rows(&text), 3);
    typeset::compile_always(&[text]);
    let page = &report(&source)[0].text;
    assert!(headline(page).contains(" judge 90% ① of its "), "{}", headline(page));
    assert!(page.contains("<b>①</b> Most thresholds of stylegan are at the floor."));
}

/// The colours and shapes of models in a figure.
fn tones(figure: &Figure) -> Vec<(String, Tone)> {
    match &figure.chart {
        Chart::Rows(rows) => rows.rows.iter().map(|row| (row.name.clone(), row.tone)).collect(),
        Chart::Panels { panels, .. } => panels.iter().flat_map(|panel| panel.tones.clone()).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_model_has_one_colour_and_shape_in_all_figures() {
    // The best model is neither the first by name nor in the spec.
    let (mut all, records) = of_errors(9);
    let study = crate::studies::study(&["weak", "good"]);
    let value = |(model, value): (&str, f64)| hype_core::model::findings::ModelMetric {
        model: model.into(),
        value: Some(value),
        ..Default::default()
    };
    all.metrics.push(hype_core::model::findings::MetricFindings {
        measure: Measure::new("FID", "FID", "", Direction::Lower),
        pipeline: Vec::new(),
        values: [("good", 4.5), ("weak", 9.25)].into_iter().map(value).collect(),
    });
    let (times_study, times, of_times) = of_staircases();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (source, models) in [
        (ReportSource { study: Some(&study), ..source(&all, &records) }, ["weak", "good"]),
        (ReportSource { study: Some(&times_study), ..source(&times, &of_times) }, ["good", "weak"]),
    ] {
        for figure in figures(&source) {
            let drawn = svg(&figure, Sheet::PAGE, Setting::InPage, None);
            for (model, tone) in tones(&figure) {
                let place = models.iter().position(|name| *name == model).unwrap();
                assert_eq!(tone, Tone::Series(place), "{model} in {}", figure.id);
                let colour = ["#0069A8", "#D45500"][place];
                assert!(drawn.contains(colour), "{model} is drawn in {colour} in {}", figure.id);
                *seen.entry(model).or_default() += 1;
            }
        }
    }
    assert!(seen.len() == 2 && seen.values().all(|figures| *figures >= 9), "{seen:?}");
}

#[test]
fn lines_have_the_colours_of_their_models() {
    // The first line is that of the second model of the spec.
    let (all, records) = of_errors(9);
    let study = crate::studies::study(&["weak", "good"]);
    let source = ReportSource { study: Some(&study), ..source(&all, &records) };
    let drawn = svg(&figure_of(&source, "f4"), Sheet::PAGE, Setting::InPage, None);
    let lines: Vec<&str> = drawn
        .lines()
        .filter(|line| line.starts_with("<g ") && line.contains("fill=\"none\"") && line.contains("hr-s"))
        .filter_map(|line| attribute(line, "stroke"))
        .filter(|colour| *colour != "#e1e6ed")
        .collect();
    assert_eq!(lines, ["#D45500", "#0069A8"]);
}

#[test]
fn pairs_of_many_models_match_the_comparisons() {
    let names = names(13);
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = findings(&models, 9);
    let records = records(&all);
    let rows = csv(&figure_of(&source(&all, &records), "f2").data.csv());
    let comparisons: &[Comparison] = &all.measures[0].comparisons;
    let pairs: Vec<_> = rows.iter().filter(|row| row["part"] == "pair").collect();
    assert_eq!(pairs.len(), comparisons.len());
    for row in pairs {
        let known = comparisons.iter().find(|one| *one.a == row["first"] && *one.b == row["second"]).unwrap();
        assert_eq!(number(&row["difference"]), known.difference);
        assert_eq!(number(&row["low"]), known.interval.as_ref().unwrap().low);
        assert_eq!(number(&row["p"]), known.p.unwrap());
        assert_eq!(row["separable"] == "yes", known.p.unwrap() < 0.05);
    }
}

#[test]
fn models_without_estimates_are_drawn_as_no_data() {
    let study = crate::studies::study(&["good", "weak", "silent"]);
    let (mut all, records) = of_errors(9);
    all.measures[0].estimates.push(Estimate::new("bare", 0.2, 1, 10));
    let source = ReportSource { study: Some(&study), ..source(&all, &records) };
    let figure = figure_of(&source, "f1");
    for (on, sheet) in sheets() {
        assert_texts_fit(&figure, sheet, on);
        assert!(svg(&figure, sheet, Setting::InPage, None).contains("no data"), "{on}");
    }
    assert!(figure.reading.not.ends_with("Models with \"no data\" have no counted answers."));
}
