//! How exposures were kept, by the refresh rate of screens.

use hype_core::model::findings::TimingQuality;
use hype_core::model::note::{
    Display, Displayed, Disturbance, Disturbed, Environment, Noted, PartDisplayed, SessionNote,
};
use hype_core::model::record::Header;
use hype_core::protocol::chance::GENERATOR;
use hype_core::{Digest, Findings, Micros, Place, Row, SessionRecord};
use hype_report::{Records, figures};

use crate::findings::{csv, drawn_of, figure_of, findings, source};

/// A session on a screen, with so many displays that were exact, neither exact nor suspect, suspect, and disturbed.
fn session(hertz: f64, [exact, other, suspect, disturbed]: [u32; 4]) -> SessionRecord {
    let environment = Environment {
        width: 1280,
        height: 800,
        pixel_ratio: 1.0,
        touch: false,
        refresh_hz: hertz,
        frame_us: (1e6 / hertz) as u32,
        frame_spread: 0.01,
        grain_us: 100,
        reduced_motion: false,
    };
    let shown = |trial: u32, frames: u32, suspect: bool| {
        let part = PartDisplayed {
            part: 0,
            image: 0,
            requested_ms: 100,
            planned_frames: 6,
            frames,
            onset_us: 0,
            shown_us: 100_000,
        };
        let display = Display {
            frame_us: 16_667,
            grain_us: 5,
            skipped: 0,
            worst_late_us: 0,
            suspect,
            parts: vec![part],
        };
        SessionNote::Displayed(Displayed { trial, showing: 0, display })
    };
    let kinds = [(exact, 6, false), (other, 7, false), (suspect, 9, true)];
    let displays =
        kinds.into_iter().flat_map(|(count, frames, suspect)| (0..count).map(move |_| (frames, suspect)));
    let displays = (0..).zip(displays).map(|(trial, (frames, suspect))| shown(trial, frames, suspect));
    let notes = std::iter::once(SessionNote::Environment(environment)).chain(displays);
    let void =
        |trial| Disturbed { at: Micros(0), trial: 1_000 + trial, showing: 0, reason: Disturbance::Hidden };
    SessionRecord {
        header: Header {
            rater: "r".into(),
            place: Place { number: 0, models: Vec::new(), turn: 0 },
            attempt: 0,
            study: Digest::of(b""),
            task: "glimpses".into(),
            task_version: 1,
            briefing: None,
            qualified_in: None,
            generator: GENERATOR.into(),
            software: "".into(),
        },
        trials: Vec::new(),
        corrections: Vec::new(),
        disturbed: (0..disturbed).map(void).collect(),
        notes: notes.map(|note| Noted { at: Micros(0), note }).collect(),
        outcome: None,
        erased: None,
    }
}

/// Returns the findings and records of these sessions.
fn collected(sessions: &[SessionRecord]) -> (Findings, Records) {
    let mut findings = findings(&["a", "b"], 3);
    let (mut timing, mut records) = (TimingQuality::default(), Records::default());
    for session in sessions {
        timing.count(session);
        records.add(session, std::iter::empty::<Row<'_>>());
    }
    findings.timing = Some(timing);
    (findings, records)
}

/// The shares of the panel by refresh rate, as the figure's data have them: rate, kind, count, from and to.
fn shares(sessions: &[SessionRecord]) -> Vec<[String; 5]> {
    let (findings, records) = collected(sessions);
    let figures = figures(&source(&findings, &records));
    let figure = figures.iter().find(|figure| figure.id == "f16").unwrap();
    let rows = csv(&figure.data.csv());
    let of_screens = rows.iter().filter(|row| !row["share_to"].is_empty());
    of_screens
        .map(|row| ["name", "part", "count", "share_from", "share_to"].map(|name| row[name].clone()))
        .collect()
}

#[test]
fn screens_of_different_rates_are_compared() {
    let sessions =
        [session(59.94, [6, 1, 1, 2]), session(144.0, [3, 0, 1, 0]), session(60.02, [10, 0, 0, 0])];
    let want = [
        ["60 Hz", "exact", "16", "0", "0.8"],
        ["60 Hz", "neither exact nor suspect", "1", "0.8", "0.85"],
        ["60 Hz", "suspect", "1", "0.85", "0.9"],
        ["60 Hz", "disturbed", "2", "0.9", "1"],
        ["144 Hz", "exact", "3", "0", "0.75"],
        ["144 Hz", "neither exact nor suspect", "0", "0.75", "0.75"],
        ["144 Hz", "suspect", "1", "0.75", "1"],
        ["144 Hz", "disturbed", "0", "1", "1"],
    ];
    assert_eq!(shares(&sessions), want.map(|row| row.map(str::to_owned)));
    assert!(shares(&sessions[..1]).is_empty(), "one rate has nothing to be compared with");
    let how = |sessions: &[SessionRecord]| {
        let (findings, records) = collected(sessions);
        figure_of(&source(&findings, &records), "f16").reading.how
    };
    assert!(how(&sessions).contains("Shares by the refresh rate") && !how(&sessions[..1]).contains("Shares"));
}

#[test]
fn the_panel_has_a_bar_for_each_rate() {
    let sessions = [session(60.0, [6, 1, 1, 2]), session(120.0, [3, 0, 1, 0])];
    let (findings, records) = collected(&sessions);
    insta::assert_snapshot!(drawn_of(&source(&findings, &records), "f16"));
}
