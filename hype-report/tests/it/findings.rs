//! Findings and records made by hand.

use hype_core::model::findings::{
    Agreement, Collection, Column, Comparison, Estimate, Exclusion, FORMAT, FacetInteraction,
    FacetLevelFindings, FacetTrend, Findings, GeneralizeTo, Interval, MeasureFindings, ModelRanks, Note,
    RankFindings, RankRange, StudyCard, Table, Test,
};
use hype_core::{Digest, Direction, FacetCell, FacetScale, Measure, MediaKind, Row, ScoreTable};
use hype_report::{Figure, Records, ReportSource, Setting, Sheet, figures, svg};
use serde_json::Value;

pub(crate) const MEASURE: &str = "error";

/// A measure of models with values one apart, each with so many raters; the models that are two or more apart differ.
pub(crate) fn findings(models: &[&str], raters: u64) -> Findings {
    let measure = Measure::new(MEASURE, "judged wrong", "proportion", Direction::Higher)
        .with_reference(0.5, "guessing");
    let mut found = MeasureFindings::new(measure);
    found.generalize_to = Some(GeneralizeTo::Raters);
    found.family =
        Some(format!("{} pairs of models", models.len() * models.len().saturating_sub(1) / 2).into());
    let value = |place: usize| 0.9 - 0.8 * place as f64 / models.len() as f64;
    for (place, model) in models.iter().enumerate() {
        let value = value(place);
        let mut one = Estimate::new(model, value, raters, raters * 10);
        if raters > 2 {
            one = one.interval(value - 0.0417, value + 0.0433, 0.95, "Student's t over raters");
            one.se = Some(0.0211);
            one.sd = Some(0.1);
        }
        found.add(one.with_excluded(value - 0.01, raters + 1));
    }
    for (first, a) in models.iter().enumerate() {
        for (second, b) in models.iter().enumerate().skip(first + 1) {
            let difference = value(first) - value(second);
            found.comparisons.push(Comparison {
                method: "Tukey-Kramer".into(),
                a: (*a).into(),
                b: (*b).into(),
                difference,
                interval: Some(Interval::new(difference - 0.07, difference + 0.07, 0.95, "Tukey-Kramer")),
                statistic_name: "q".into(),
                statistic: Some(3.1),
                se: Some(0.03),
                df: Some(30.0),
                p: Some(if second - first > 1 { 0.0123 } else { 0.2345 }),
                undefined: None,
            });
        }
    }
    found.ranks = Some(RankFindings {
        level: 0.95,
        method: "Welch's t, Holm".into(),
        models: (1..)
            .zip(models)
            .map(|(rank, model)| {
                let range = RankRange { best: rank, worst: (rank + 1).min(models.len() as u64) };
                ModelRanks { model: (*model).into(), simultaneous: range, marginal: range }
            })
            .collect(),
    });
    found.agreement.push(Agreement {
        coefficient: "Krippendorff's alpha (ordinal)".into(),
        model: None,
        value: Some(0.4321),
        interval: Some(Interval::new(0.3, 0.5, 0.95, "bootstrap over items")),
        raters,
        items: 20,
        ratings: 200,
        items_left_out: 0,
        undefined: None,
    });
    Findings {
        format: FORMAT,
        software: "hype 0.0.0".into(),
        study: None,
        collected: Some(Collection {
            places: 60,
            sessions: 71,
            completed: 62,
            excluded: 2,
            disqualified: 5,
            left: 4,
            responses: 5_400,
            ..Collection::default()
        }),
        measures: vec![found],
        stopping: None,
        metrics: Vec::new(),
        correlations: Vec::new(),
        exclusions: (0..2)
            .map(|number| Exclusion {
                rater: format!("secret-rater-{number}").into(),
                rule: "gold".into(),
                reason: "2 of 4 gold images".into(),
            })
            .collect(),
        checks: Vec::new(),
        surveys: Vec::new(),
        earnings: None,
        timing: None,
        models: std::collections::BTreeMap::new(),
        notes: vec![Note::precision("few", "few <raters> & models"), Note::setting("said", "a note")],
    }
}

/// A study of two models with both errors of each rater, and answers of all raters about each of thirty images of a model.
pub(crate) fn of_errors(raters: u64) -> (Findings, Records) {
    let mut findings = findings(&["good", "weak"], raters);
    let mut errors = |name: &str, label: &str, values: [f64; 2]| {
        let mut found = MeasureFindings::new(Measure::new(name, label, "proportion", Direction::Higher));
        for (model, value) in ["good", "weak"].into_iter().zip(values) {
            found.add(Estimate::new(model, value, raters, raters * 10));
        }
        findings.measures.push(found);
    };
    errors("fakes_error", "fakes judged real", [0.6, 0.3]);
    errors("reals_error", "reals judged fake", [0.4, 0.2]);
    findings.study = Some(card("hype_infinity"));
    let mut records = records(&findings);
    for rater in 0..raters {
        let mut table = ScoreTable::default();
        let name = format!("secret-rater-{rater}");
        for (model, add) in [("good", 2), ("weak", 0)] {
            for image in 0..30 {
                let item = format!("images/{model}/{image:02}.png");
                // Later images convince more often, and some raters are fooled more easily than others.
                let fooled = (rater * 7 + image * 11) % 10 < image / 3 + add + rater % 3;
                let value = f64::from(u8::from(fooled));
                table.push(&Row { item: &item, ..Row::new(&name, model, "fakes_error", value) });
            }
            let value = 0.1 + 0.05 * ((rater * 3) % 10) as f64;
            table.push(&Row::new(&name, model, "reals_error", value));
        }
        records.add_scores(table.rows());
    }
    (findings, records)
}

/// Votes of two raters about three models: one votes in a circle, the other by an order.
pub(crate) fn of_votes() -> (Findings, Records) {
    let mut findings = findings(&["a", "b", "c"], 2);
    findings.study = Some(card("contrast"));
    let column = |name: &str| Column::new(name, name, "");
    let row = |a: &str, b: &str, wins: u64, losses: u64| {
        vec![Value::from(a), b.into(), wins.into(), 0_u64.into(), losses.into()]
    };
    findings.measures[0].tables.push(Table {
        name: "votes".into(),
        label: "votes of each pair".into(),
        columns: ["a", "b", "wins", "ties", "losses"].map(column).to_vec(),
        rows: vec![row("a", "b", 2, 0), row("b", "c", 2, 0), row("a", "c", 1, 1)],
    });
    let mut table = ScoreTable::default();
    for (rater, last) in [("secret-circle", 0.0), ("secret-order", 1.0)] {
        for (model, against, value) in [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", last)] {
            table.push(&Row { against, ..Row::new(rater, model, "vote", value) });
        }
    }
    let mut records = Records::default();
    records.add_scores(table.rows());
    (findings, records)
}

/// Ratings of two models on scales, whose reliability is known.
pub(crate) fn of_ratings() -> (Findings, Records) {
    let mut findings = findings(&["a", "b"], 3);
    findings.study = Some(card("rating"));
    let measure = |name: &str| Measure::new(name, name, "", Direction::Higher);
    let found = &mut findings.measures[0];
    found.measure = measure("SC");
    found.items = 4;
    let columns =
        ["model", "object", "raters", "object_variance", "absolute_error_variance", "dependability"];
    // Of one rater, the variance of the error is 2.
    let row =
        |model: Value| vec![model, "items".into(), 4.into(), 1.0.into(), 0.5.into(), (2.0 / 3.0).into()];
    found.tables.push(Table {
        name: "generalizability".into(),
        label: "Reliability".into(),
        columns: columns.map(|name| Column::new(name, name, "")).to_vec(),
        rows: vec![row("a".into()), row(Value::Null)],
    });
    let mut table = ScoreTable::default();
    for (item, sc, pq) in [("w", 0.0, 0.5), ("x", 0.5, 0.5), ("y", 1.0, 1.0), ("z", 1.0, 1.0)] {
        for (measure, value) in [("PQ", pq), ("SC", sc)] {
            table.push(&Row { item, ..Row::new("secret", "a", measure, value) });
        }
    }
    table.push(&Row { item: "w", ..Row::new("secret", "b", "SC", 0.5) });
    let mut records = Records::default();
    records.add_scores(table.rows());
    (findings, records)
}

/// Returns the identity of a study of a task.
pub(crate) fn card(task: &str) -> StudyCard {
    let digest = Digest::of(b"a study");
    StudyCard {
        name: "made by hand".into(),
        seed: 1,
        study: digest,
        spec: digest,
        stimuli: digest,
        media: MediaKind::Image,
        task: task.into(),
        task_version: 1,
        rubric: "by hand".into(),
        aggregator: "by_model".into(),
        generator: "none".into(),
        protocol: Vec::new(),
        cells: Vec::new(),
    }
}

/// The same models at two classes, with the mean over these, and the first model along three epochs.
pub(crate) fn over_facets() -> Findings {
    let mut all = findings(&["stylegan", "biggan"], 8);
    let found = &mut all.measures[0];
    let test = |name: &str, f: f64, p: f64, adjusted: Option<f64>| Test {
        name: name.into(),
        statistic_name: "F".into(),
        statistic: Some(f),
        df: vec![1.0, 14.0],
        p: Some(p),
        p_adjusted: adjusted,
        effects: Vec::new(),
        undefined: None,
    };
    let estimate = |model: &str, value: f64| {
        Estimate::new(model, value, 8, 80).interval(
            value - 0.05,
            value + 0.06,
            0.95,
            "Student's t over raters",
        )
    };
    for (level, values, p) in [("lemon", [0.4, 0.2], 0.01), ("horn", [0.3, 0.31], 0.8)] {
        found.facets.push(FacetLevelFindings {
            facet: "class".into(),
            level: level.into(),
            raters: 16,
            estimates: ["stylegan", "biggan"]
                .iter()
                .zip(values)
                .map(|(model, value)| estimate(model, value))
                .collect(),
            tests: vec![test("Welch's ANOVA", 4.5, p, Some((2.0 * p).min(1.0)))],
            comparisons: Vec::new(),
            family: None,
        });
    }
    found.interactions.push(FacetInteraction {
        weighted: None,
        family: None,
        facet: "class".into(),
        levels: vec!["lemon".into(), "horn".into()],
        test: Some(test("interaction of class and model", 6.075, 0.0271, None)),
        macro_means: vec![estimate("stylegan", 0.35), estimate("biggan", 0.255)],
    });
    found.estimates.clear();
    let mut cells = Vec::new();
    for (epoch, value) in [("1000", 0.1), ("2000", 0.25), ("8000", 0.32)] {
        let name = format!("stylegan/{epoch}");
        found.estimates.push(estimate(&name, value));
        cells.push(FacetCell {
            name: name.into(),
            model: "stylegan".into(),
            levels: [("epoch".into(), epoch.into())].into(),
        });
    }
    found.trends.push(FacetTrend {
        model: "stylegan".into(),
        facet: "epoch".into(),
        scale: FacetScale::Log,
        slope: Some(0.1),
        se: Some(0.02),
        interval: Some(Interval::new(0.06, 0.14, 0.95, "Student's t")),
        t: Some(5.0),
        df: Some(21.0),
        p: Some(0.0001),
        p_adjusted: None,
        departure: Some(test("departure from a line", 2.0, 0.17, None)),
        undefined: None,
    });
    found.comparisons.clear();
    let digest = Digest::of(b"study");
    all.study = Some(StudyCard {
        name: "classes".into(),
        seed: 1,
        study: digest,
        spec: digest,
        stimuli: digest,
        media: MediaKind::Image,
        task: "hype_infinity".into(),
        task_version: 1,
        rubric: "hype_infinity".into(),
        aggregator: "by_facet + trend".into(),
        generator: "ChaCha8".into(),
        protocol: Vec::new(),
        cells,
    });
    all
}

/// Records in which the means of raters are spread evenly about the estimates.
pub(crate) fn records(findings: &Findings) -> Records {
    let mut records = Records::default();
    let found = &findings.measures[0];
    let most = found.estimates.iter().map(|one| one.raters).max().unwrap_or(0);
    for rater in 0..most {
        let mut table = ScoreTable::default();
        let name = format!("secret-rater-{rater}");
        for one in found.estimates.iter().filter(|one| rater < one.raters) {
            let spread = (rater as f64 + 0.5) / one.raters as f64 - 0.5;
            table.push(&Row::new(&name, &one.model, MEASURE, one.value + 0.3 * spread));
        }
        records.add_scores(table.rows());
    }
    records
}

pub(crate) fn source<'a>(findings: &'a Findings, records: &'a Records) -> ReportSource<'a> {
    ReportSource { findings, records, study: None, simulated: true, pictures: None }
}

/// The cells of a CSV file, by its header.
pub(crate) fn csv(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut rows: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            letter => row.last_mut().unwrap().push(letter),
        }
    }
    rows.pop();
    let head = rows.remove(0);
    for row in &rows {
        assert_eq!(row.len(), head.len(), "{row:?}");
    }
    rows.into_iter().map(|row| head.iter().cloned().zip(row).collect()).collect()
}

/// The figure with this id.
pub(crate) fn figure_of(source: &ReportSource<'_>, id: &str) -> Figure {
    let figures = figures(source);
    let known: Vec<String> = figures.iter().map(|figure| figure.id.clone()).collect();
    figures.into_iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("{id} is not in {known:?}"))
}

/// The SVG of the figure with this id.
pub(crate) fn drawn_of(source: &ReportSource<'_>, id: &str) -> String {
    svg(&figure_of(source, id), Sheet::PAGE, Setting::Alone, source.caution())
}

/// Names of so many models.
pub(crate) fn names(count: u32) -> Vec<String> {
    (0..count).map(|number| format!("m{number}")).collect()
}

/// The first sentence of a page.
pub(crate) fn headline(page: &str) -> String {
    without_glyphs(page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap())
}

/// The sentences beneath it.
pub(crate) fn lead(page: &str) -> String {
    without_glyphs(page.split("<p class=\"lead\">").nth(1).unwrap().split("</p>").next().unwrap())
}

/// The text without the shapes before names.
fn without_glyphs(text: &str) -> String {
    let rest = |part| str::split_once(part, "</span>\u{a0}").map_or(part, |(_, rest)| rest);
    text.split("<span class=\"glyph")
        .enumerate()
        .map(|(place, part)| if place == 0 { part } else { rest(part) })
        .collect()
}
