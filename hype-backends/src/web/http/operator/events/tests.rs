use std::collections::BTreeMap;

use hype_core::Micros;
use hype_core::protocol::control::Admission;

use super::*;
use crate::web::wire::status::{
    Alert, CompletionPace, ControlState, ItemCoverage, RaterGroups, ServerProblem,
};

fn overview() -> Overview {
    Overview {
        name: "study".into(),
        task: "rating".into(),
        opened_unix_ms: 0,
        unix_ms: 1,
        places: 4,
        done: 1,
        held: 1,
        raters: RaterGroups { active: 1, ..RaterGroups::default() },
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
        pace: CompletionPace { ten_minutes: 1, hour: 4, bins: vec![3, 1] },
        estimates_age_us: Some(Micros(5)),
        estimates: Vec::new(),
        measures_left_out: 0,
        figures: Vec::new(),
        stopping: None,
        timing: None,
        checks: Vec::new(),
        models: Vec::new(),
        items: ItemCoverage { items: 0, median: 0, bins: Vec::new(), few: None, least: Vec::new() },
        alerts: vec![Alert::Problem {
            problem: ServerProblem::DiskFull,
            reason: "no space".into(),
            since_unix_ms: 5,
        }],
        alerts_left_out: 0,
        alerts_resolved: 0,
        refused: BTreeMap::new(),
        crowd: None,
    }
}

#[test]
fn passing_time_sends_no_event() {
    let before = overview();
    let mut later = overview();
    (later.unix_ms, later.estimates_age_us) = (1_001, Some(Micros(1_000_005)));
    assert!(is_same(&before, &later));
    for change in [
        |overview: &mut Overview| overview.done += 1,
        |overview: &mut Overview| overview.alerts.clear(),
        |overview: &mut Overview| overview.pace.ten_minutes -= 1,
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
