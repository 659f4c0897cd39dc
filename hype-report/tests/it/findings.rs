//! Findings and records made by hand.

use hype_core::model::findings::{
    Agreement, Collection, Comparison, Estimate, Exclusion, FORMAT, Findings, GeneralizeTo, Interval,
    MeasureFindings, ModelRanks, Note, RankFindings, RankRange,
};
use hype_core::{Direction, Measure, Row, ScoreTable};
use hype_report::{Records, ReportSource};

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
        correlations: Vec::new(),
        exclusions: (0..2)
            .map(|number| Exclusion {
                rater: format!("secret-rater-{number}").into(),
                rule: "gold".into(),
                reason: "2 of 4 gold images".into(),
            })
            .collect(),
        checks: Vec::new(),
        earnings: None,
        timing: None,
        notes: vec![Note::warning("few", "few <raters> & models"), Note::remark("said", "a note")],
    }
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
        records.add_scores(&table);
    }
    records
}

pub(crate) fn source<'a>(findings: &'a Findings, records: &'a Records) -> ReportSource<'a> {
    ReportSource { findings, records, study: None, simulated: true, metrics: &[] }
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
