//! Plans as text for the terminal.

use hype::plan::{AssumedModel, Chance, Curve, Outlook, PlanRow, StudyPlan};
use hype_core::Measure;
use hype_core::words::counted;
use hype_report::words;

use crate::grid::{Grid, NO_BREAK};
use crate::output::Page;
use crate::tables::{number, percent, wrapped_after};

/// A column of the outlooks: its title, and the text of its cells.
type Column<'a> = (String, Box<dyn Fn(&PlanRow) -> String + 'a>);

/// The columns that make room on one screen after that of stimuli, the first of them first.
const LESS: [&str; 8] = [
    "tells, alone",
    "all pairs",
    "equivalent within",
    "detects, limit",
    "best first",
    "width, limit",
    "hours",
    "sessions",
];

/// The page of a plan: on one screen, or in full.
pub(super) fn plan(plan: &StudyPlan, full: bool) -> Page {
    let mut page = Page::default();
    let wrapped = |page: &mut Page, beginning: &str, text: &str| {
        wrapped_after(beginning, text, page.width()).iter().for_each(|line| page.line(line));
    };
    page.line(format_args!("{} · {}", plan.study, named(&plan.measure)));
    page.line("");
    wrapped(&mut page, "", &plan.advice);
    page.line("");
    let (headings, rows) = table(plan);
    let shown =
        if full { (0..headings.len()).collect() } else { shown(plan, &headings, &rows, page.width()) };
    page.table(&grid(&headings, &rows, &shown));
    let is_shown = |title: &str| {
        shown.iter().any(|&at| headings[at] == title) || !headings.iter().any(|heading| heading == title)
    };
    let legend: Vec<String> = legend(plan)
        .into_iter()
        .filter(|line| is_shown(line.split(':').next().unwrap_or_default()))
        .collect();
    if full {
        legend.iter().for_each(|line| wrapped(&mut page, "", line));
    } else {
        wrapped(&mut page, "", &legend.join("; "));
    }
    plan.warnings.iter().for_each(|warning| wrapped(&mut page, "warning: ", warning));
    wrapped(&mut page, "", &session(plan));
    wrapped(&mut page, "assumed: ", &plan.assumptions.text);
    if full {
        if !plan.assumptions.models.is_empty() {
            page.table(&models(plan));
        }
    } else if shown.len() < headings.len() || !plan.assumptions.models.is_empty() {
        let hidden = (0..headings.len()).filter(|at| !shown.contains(at)).map(|at| headings[at].clone());
        let models =
            (!plan.assumptions.models.is_empty()).then(|| "what is assumed of each model".to_owned());
        let rest: Vec<String> = hidden.chain(models).collect();
        wrapped(&mut page, "", &format!("{}: --full", rest.join(", ")));
    }
    page
}

/// The columns that fit side by side.
fn shown(plan: &StudyPlan, headings: &[String], rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..headings.len()).collect();
    // Of several fees the first is enough.
    let fees =
        (0..headings.len()).rev().filter(|&at| headings[at].starts_with("with ")).map(|at| &*headings[at]);
    for title in fees.chain([plan.media.plural()]).chain(LESS) {
        if grid(headings, rows, &shown).fits(width) {
            break;
        }
        shown.retain(|&at| headings[at] != title);
    }
    shown
}

/// Some columns of the outlooks.
fn grid(headings: &[String], rows: &[Vec<String>], shown: &[usize]) -> Grid {
    let pick = |cells: &[String]| shown.iter().map(|&at| cells[at].clone()).collect::<Vec<_>>();
    let mut grid = Grid::new(pick(headings)).right_from(0);
    rows.iter().for_each(|row| grid.row(pick(row)));
    grid
}

/// A measure with its unit, and its criterion if it has one.
pub(super) fn named(measure: &Measure) -> String {
    match words::criterion(measure) {
        Some(criterion) => format!("{}, {}", words::labelled(measure), criterion.replace('_', " ")),
        None => words::labelled(measure),
    }
}

/// A value in the unit in which plans show it.
fn value(measure: &Measure, value: f64) -> String {
    if &*measure.unit == "proportion" { format!("{:.1}", 100.0 * value) } else { number(value) }
}

fn models(plan: &StudyPlan) -> Grid {
    let models = &plan.assumptions.models;
    let limited = models.iter().any(|model| model.sd_limit.is_some());
    let counted = models.iter().any(|model| model.raters.is_some());
    let mut header = vec!["model", "mean", "sd"];
    header.extend(limited.then_some("sd, 80 % limit"));
    header.extend(counted.then_some("raters"));
    let mut grid = Grid::new(header).right_from(1);
    for model in models {
        let shown = |number: Option<f64>| number.map_or("-".into(), |number| value(&plan.measure, number));
        let mut row = vec![model.model.to_string(), shown(model.mean), shown(Some(model.sd))];
        row.extend(limited.then(|| shown(model.sd_limit)));
        row.extend(counted.then(|| model.raters.map_or("-".into(), |raters| raters.to_string())));
        grid.row(row);
    }
    grid
}

/// Writes the assumptions about one model in a line.
pub(super) fn assumed(plan: &StudyPlan, model: &AssumedModel) -> String {
    let shown = |number: f64| value(&plan.measure, number);
    let mut parts = Vec::new();
    parts.extend(model.mean.map(|mean| format!("mean {}", shown(mean))));
    parts.push(format!("standard deviation {}", shown(model.sd)));
    parts.extend(model.sd_limit.map(|limit| format!("80 % limit {}", shown(limit))));
    parts.extend(model.raters.map(|raters| counted(raters, "rater")));
    format!("{}: {}", model.model, parts.join(", "))
}

/// Writes the duration of a session.
fn session(plan: &StudyPlan) -> String {
    let session = &plan.session;
    let mut parts = Vec::new();
    let whose = match session.minutes_of {
        "plan" => " as `plan` says",
        "task" => " expected of people (a pilot or `plan: { minutes: … }` knows better)",
        "synthetic" => " of synthetic raters",
        _ => "",
    };
    parts.extend(session.minutes.map(|minutes| format!("{minutes:.1} min{whose}")));
    parts.extend(session.images.map(|images| format!("{images:.0} {}", plan.media.plural())));
    // Tasks without right answers count none.
    let correct = session.correct.filter(|&correct| correct > 0.0);
    parts.extend(correct.map(|correct| format!("{correct:.0} right answers")));
    if session.passing < 1.0 {
        parts.push(format!("{:.0} % of raters pass the qualification", 100.0 * session.passing));
    }
    let found = if parts.is_empty() { "not known".to_owned() } else { parts.join(", ") };
    format!("a session ({}): {found}", session.from)
}

/// The headings and the rows of the outlooks.
pub(super) fn table(plan: &StudyPlan) -> (Vec<String>, Vec<Vec<String>>) {
    let columns = columns(plan);
    let rows = plan.rows.iter().map(|row| columns.iter().map(|(_, cell)| cell(row)).collect());
    (columns.iter().map(|(title, _)| title.clone()).collect(), rows.collect())
}

/// The columns that have a value in some row.
fn columns(plan: &StudyPlan) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> = vec![
        (format!("raters {}", plan.each()), Box::new(|row| row.raters.to_string())),
        ("sessions".into(), Box::new(|row| row.sessions.to_string())),
    ];
    if plan.rows.iter().any(|row| row.images.is_some()) {
        let images = |row: &PlanRow| row.images.map_or("-".into(), |images| images.to_string());
        columns.push((plan.media.plural().into(), Box::new(images)));
    }
    if let Some(minutes) = plan.session.minutes {
        columns.push((
            "hours".into(),
            Box::new(move |row| format!("{:.1}", minutes * f64::from(row.sessions) / 60.0)),
        ));
    }
    let costs = plan.rows.first().map(|row| &*row.costs).unwrap_or_default();
    for (place, cost) in costs.iter().enumerate() {
        let title = match cost.fee {
            fee if fee > 0.0 => format!("with {}{NO_BREAK}%", percent(fee)),
            _ => format!("{}{NO_BREAK}paid", cost.currency),
        };
        let total = move |row: &PlanRow| {
            row.costs.get(place).map_or("-".into(), |cost| format!("{:.2}", cost.total.as_units()))
        };
        columns.push((title, Box::new(total)));
    }
    let measure = &plan.measure;
    let amount = |of: fn(&Outlook) -> Option<f64>| {
        move |outlook: &Outlook| of(outlook).map(|found| value(measure, found))
    };
    let chance = |of: fn(&Outlook) -> Option<Chance>| move |outlook: &Outlook| of(outlook).map(probability);
    let width = |outlook: &Outlook| {
        let width = value(measure, outlook.width?);
        // That of one simulated study is not known.
        let error = outlook.width_error.filter(|&error| error > 0.0);
        let shown = |error: f64| match &*measure.unit {
            "proportion" => format!("{:.2}", 100.0 * error),
            _ => number(error),
        };
        let error = error.map_or_else(String::new, |error| format!("{NO_BREAK}±{NO_BREAK}{}", shown(error)));
        Some(width + &error)
    };
    outlook_column(plan, &mut columns, "width", true, width);
    outlook_column(plan, &mut columns, "detects", false, amount(|outlook| outlook.detectable));
    outlook_column(plan, &mut columns, "tells, alone", false, chance(|outlook| outlook.power_alone));
    outlook_column(plan, &mut columns, "tells", true, chance(|outlook| outlook.power));
    outlook_column(plan, &mut columns, "all pairs", false, chance(|outlook| outlook.all_pairs));
    outlook_column(plan, &mut columns, "best first", false, chance(|outlook| outlook.best));
    outlook_column(plan, &mut columns, "order", false, chance(|outlook| outlook.order));
    outlook_column(plan, &mut columns, "equivalent within", false, amount(|outlook| outlook.equivalence));
    outlook_column(plan, &mut columns, "equivalent", false, chance(|outlook| outlook.within_margin));
    columns
}

/// Adds a column of the expected outlooks and, if asked, one of the cautious ones, where they have values.
fn outlook_column<'a>(
    plan: &StudyPlan,
    columns: &mut Vec<Column<'a>>,
    title: &str,
    cautious: bool,
    of: impl Fn(&Outlook) -> Option<String> + Copy + 'a,
) {
    if plan.rows.iter().any(|row| of(&row.expected).is_some()) {
        columns.push((title.into(), Box::new(move |row| of(&row.expected).unwrap_or("-".into()))));
    }
    let limited = |row: &PlanRow| of(row.cautious.as_ref()?);
    if cautious && plan.rows.iter().any(|row| limited(row).is_some()) {
        let cell = move |row: &PlanRow| row.cautious.as_ref().and_then(of).unwrap_or("-".into());
        columns.push((format!("{title}, limit"), Box::new(cell)));
    }
}

/// A probability in percent, with its Monte-Carlo error if it has one.
fn probability(chance: Chance) -> String {
    let share = format!("{:.1}", 100.0 * chance.probability);
    if chance.standard_error > 0.0 {
        format!("{share}{NO_BREAK}±{NO_BREAK}{:.1}", 100.0 * chance.standard_error)
    } else {
        share
    }
}

/// The meaning of limits.
pub(super) const LIMIT: &str =
    "if raters differ as much as the 80 % upper limit of the pilot's standard deviations";

/// Explains the columns and figures, a line each.
pub(super) fn legend(plan: &StudyPlan) -> Vec<String> {
    let mut lines = Vec::new();
    let any = |of: fn(&Outlook) -> bool| plan.rows.iter().any(|row| of(&row.expected));
    let level = percent(plan.level);
    lines.push(format!("width: of the widest {level} % interval, from end to end; probabilities in %"));
    if any(|outlook| outlook.detectable.is_some()) {
        let found = if plan.simulated_studies.is_some() { "the study" } else { "a t test" };
        lines.push(format!(
            "detects: the smallest difference of two models that {found} finds with probability 80 %"
        ));
    }
    if let Some([a, b]) = &plan.closest
        && any(|outlook| outlook.power.or(outlook.power_alone).is_some())
    {
        let alone = if any(|outlook| outlook.power_alone.is_some()) {
            "; alone: by a t test of this pair only"
        } else {
            ""
        };
        lines.push(format!("tells: {a} from {b}, the closest pair, as the study compares pairs{alone}"));
    }
    if let Some(reference) = &plan.measure.reference
        && any(|outlook| outlook.equivalence.is_some())
    {
        lines.push(format!(
            "equivalent within: the smallest margin around {} ({}) within which a model at it is shown to be with probability 80 %",
            value(&plan.measure, reference.value),
            reference.label
        ));
    }
    if let (Some(goal), Some(reference)) = (&plan.equivalence, &plan.measure.reference) {
        lines.push(format!(
            "equivalent: {} is shown to be within {} of {} ({}), as the study declares",
            goal.model,
            value(&plan.measure, goal.margin),
            value(&plan.measure, reference.value),
            reference.label
        ));
    }
    if plan.rows.iter().any(|row| row.cautious.is_some()) {
        lines.push(format!("limit: {LIMIT}"));
    }
    let fees = plan.rows.first().map(|row| &*row.costs).unwrap_or_default();
    for cost in fees.iter().filter(|cost| cost.fee > 0.0) {
        lines.push(format!("with {}{NO_BREAK}%: {}", percent(cost.fee), cost.label));
    }
    match plan.simulated_studies {
        Some(studies) => {
            let most = plan.rows.iter().map(|row| row.sessions).max().unwrap_or(0);
            lines.push(format!(
                "{studies} simulated studies of {}, which take the time; ±: Monte-Carlo standard error",
                counted(most, "session")
            ));
        }
        None if any(|outlook| {
            [outlook.power, outlook.within_margin].iter().flatten().any(|chance| chance.standard_error > 0.0)
        }) =>
        {
            lines.push("±: Monte-Carlo standard error".to_owned());
        }
        None => {}
    }
    lines
}

/// The page of a curve.
pub(super) fn curve(curve: &Curve) -> Page {
    let mut page = Page::default();
    page.line(about(curve));
    let (headings, rows) = curve_table(curve);
    let mut grid = Grid::new(headings).right_from(0);
    rows.into_iter().for_each(|row| grid.row(row));
    page.table(&grid);
    FLATTENS.iter().for_each(|sentence| page.line(sentence));
    page
}

/// Sentences on a curve by numbers of raters.
pub(super) const FLATTENS: [&str; 2] = [
    "The width falls as 1/√n: four times as many raters halve it.",
    "The curve never levels off; at the 30 raters of the HYPE paper it only looks flat, as each further rater narrows the interval by less.",
];

/// Describes the widths of a curve.
pub(super) fn about(curve: &Curve) -> String {
    format!(
        "widths of {} % bootstrap intervals, from end to end: {}",
        percent(curve.level),
        named(&curve.measure)
    )
}

/// The headings and the rows of a curve.
pub(super) fn curve_table(curve: &Curve) -> (Vec<String>, Vec<Vec<String>>) {
    let title = |model: &hype::plan::CurveModel| format!("{} ({} collected)", model.model, model.raters);
    let headings = std::iter::once("raters".to_owned()).chain(curve.models.iter().map(title));
    let rows = curve.rows.iter().map(|row| {
        let widths = row.widths.iter().map(|&width| value(&curve.measure, width));
        std::iter::once(row.raters.to_string()).chain(widths).collect()
    });
    (headings.collect(), rows.collect())
}
