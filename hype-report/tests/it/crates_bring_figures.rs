//! Figures that a crate registers are in the report, under keys that name a file and nothing else.

use hype_core::model::findings::MetricFindings;
use hype_core::{Direction, Measure};
use hype_report::data::Data;
use hype_report::figure::{Chart, Explanation, Figure};
use hype_report::{ReportSource, figures, register_figure, report};

use crate::findings::{findings, records, source};

/// The metric whose presence asks for the figures, which other tests do not expect.
const ASKED: &str = "figures of a crate";

fn brought(source: &ReportSource<'_>) -> Vec<Figure> {
    if source.findings.metrics.iter().all(|metric| &*metric.measure.name != ASKED) {
        return Vec::new();
    }
    let figure = |id: &str| Figure {
        id: id.to_owned(),
        title: "<brought>".to_owned(),
        reading: Explanation { question: "Why?".to_owned(), how: "So.".to_owned(), not: "Not.".to_owned() },
        description: "A figure.".to_owned(),
        data: Data::new(["step", "of", "text", "count"]),
        chart: Chart::Flow,
    };
    ["../../Own Figure", "f1", "", "f1"].map(figure).to_vec()
}

register_figure!(brought);

#[test]
fn registered_figures_follow_those_of_the_task() {
    let mut found = findings(&["a", "b"], 8);
    let records = records(&found);
    found.metrics.push(MetricFindings {
        measure: Measure::new(ASKED, ASKED, "", Direction::Neither),
        pipeline: Vec::new(),
        values: Vec::new(),
    });
    let source = source(&found, &records);
    let ids: Vec<String> = figures(&source).into_iter().map(|figure| figure.id).collect();
    let place = |id: &str| ids.iter().position(|one| one == id).unwrap();
    assert!(place("f1") < place("own-figure") && place("own-figure") < place("f3"), "{ids:?}");
    assert!(place("f1-2") < place("brought") && place("brought") < place("f1-3"), "{ids:?}");
    let files = report(&source);
    assert!(files.iter().any(|file| file.path == "figures/own-figure.svg"));
    assert!(files.iter().all(|file| !file.path.contains("..")));
    assert!(files[0].text.contains("&lt;brought&gt;"));
}
