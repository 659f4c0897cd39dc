use std::collections::BTreeMap;

use hype_core::Micros;
use hype_core::protocol::control::Admission;

use super::*;
use crate::web::wire::status::{CompletionPace, ControlState, ItemCoverage, OpenProblem, ServerProblem};

fn overview() -> Overview {
    Overview {
        name: "study".into(),
        unix_ms: 1,
        places: 4,
        done: 1,
        held: 1,
        active: 1,
        given_up: 0,
        free: 2,
        waiting: None,
        counted: None,
        sessions_read: 0,
        sessions_unreadable: 0,
        cost: None,
        control: ControlState {
            admission: Admission::Open,
            extra_places: 0,
            excluded: 0,
            takes_links: false,
            downloads: Vec::new(),
            actions: 0,
            recent: Vec::new(),
        },
        pace: CompletionPace { per_hour: Some(4.0), ends_unix_ms: Some(9) },
        estimates_age_us: Some(Micros(5)),
        estimates: Vec::new(),
        measures_left_out: 0,
        figures: Vec::new(),
        stopping: None,
        timing: None,
        checks: Vec::new(),
        models: Vec::new(),
        items: ItemCoverage { items: 0, fewest: 0, median: 0, most: 0, least: Vec::new() },
        problems: vec![OpenProblem {
            problem: ServerProblem::DiskFull,
            reason: "no space".into(),
            lasts_us: Micros(5),
        }],
        refused: BTreeMap::new(),
        crowd: None,
    }
}

#[test]
fn the_time_that_passes_is_no_news() {
    let before = overview();
    let mut later = overview();
    (later.unix_ms, later.estimates_age_us) = (1_001, Some(Micros(1_000_005)));
    later.pace.ends_unix_ms = Some(10);
    later.problems[0].lasts_us = Micros(1_000_005);
    assert!(is_same(&before, &later));
    for change in [
        |overview: &mut Overview| overview.done += 1,
        |overview: &mut Overview| overview.problems.clear(),
        |overview: &mut Overview| overview.estimates_age_us = Some(Micros(0)),
        |overview: &mut Overview| overview.control.admission = Admission::Paused,
    ] {
        let mut changed = later.clone();
        change(&mut changed);
        assert!(!is_same(&before, &changed), "{changed:?}");
    }
}

#[test]
fn an_event_is_one_line_of_json() {
    let status =
        Status { role: crate::web::wire::status::OperatorRole::Reader, overview: Arc::new(overview()) };
    let text = event(&status);
    let data = text.strip_prefix("event: status\ndata: ").and_then(|text| text.strip_suffix("\n\n")).unwrap();
    assert!(!data.contains('\n'), "{data}");
    let read: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!((&read["role"], &read["places"]), (&"reader".into(), &4.into()));
}
