//! Raters answer surveys before the instructions, return to the trial before and correct it, whichever process serves them.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::web::wire::screen::{Screen, ScreenKind, TrialScreen};
use hype_backends::web::{Fault, OperatorRole, Page, Services};
use hype_core::model::record::Ending;
use hype_core::{
    Digest, Event, Media, Phase, Role, Session, SessionRecord, SetId, Spec, Stimuli, Stimulus, StimulusSet,
    Store as _, StoreExt as _, Study, Use,
};
use serde_json::json;

use hype_tasks as _;

use crate::fixture::{Browser, Fixture, kind};

const STUDY: &str = "
task: { kind: contrast, per_session: 3 }
stimuli: { a: { role: generated, images: a/* }, b: { role: generated, images: b/* } }
before: [{ kind: expertise, of: art, screen_out: [none] }]
after: [comments]
corrections: true
";

fn fixture() -> Fixture {
    let spec = Spec::read(STUDY.as_bytes()).unwrap().spec;
    let set = |name: &str| StimulusSet::new(name, Role::Generated, Use::Main);
    let image = |number: u16| {
        Stimulus::new(
            SetId(number / 8),
            Digest::of(&number.to_le_bytes()),
            format!("{number}.png"),
            Media::Image { width: 8, height: 8 },
        )
    };
    let stimuli = Stimuli::new(vec![set("a"), set("b")], (0..16).map(image).collect()).unwrap();
    Fixture::new(Study::new(spec, stimuli).unwrap(), Page::default())
}

fn trial(screen: Screen) -> TrialScreen {
    match screen.shown {
        ScreenKind::Trial(trial) => *trial,
        other => panic!("no trial but {other:?}"),
    }
}

/// A rater at the first trial, which is the second one of the session.
async fn at_first(service: &Services) -> (Browser, TrialScreen) {
    let mut browser = Browser::new(service);
    let survey = trial(browser.agree().await.unwrap());
    assert_eq!((survey.trial.number, survey.trial.phase), (0, Phase::Before));
    assert!(survey.following.is_none() && !survey.back);
    // The instructions come after it, and no one begins before.
    assert_eq!(trial(browser.begin().await.unwrap()).trial.number, 0);
    let answered = browser.answer_with(0, 0, json!({ "expertise_art": "hobby" })).await.unwrap();
    assert_eq!(kind(&answered.next), "instructions");
    let first = trial(browser.begin().await.unwrap());
    assert_eq!((first.trial.number, first.trial.phase, first.back), (1, Phase::Main, false));
    (browser, first)
}

async fn log(fixture: &Fixture) -> Vec<Event> {
    let names = fixture.store.sessions(None, 9).await.unwrap();
    fixture.store.load(&names[0]).await.unwrap()
}

#[tokio::test]
async fn a_corrected_answer_replaces_the_first_one_and_both_are_logged() {
    let fixture = fixture();
    let service = fixture.service().await;
    let (browser, first) = at_first(&service).await;
    assert!(first.following.as_ref().is_some_and(|following| following.back));
    assert!(matches!(browser.back(0).await, Err(Fault::NotThisTrial)), "surveys are not corrected");
    let second = trial(browser.answer_with(1, 0, json!({ "preference": "A" })).await.unwrap().next);
    assert_eq!((second.trial.number, second.back), (2, true));

    let before = log(&fixture).await;
    let again = trial(browser.back(1).await.unwrap());
    let given = again.given.clone().unwrap();
    assert_eq!((given.answer, given.revision), (json!({ "preference": "A" }), 1));
    assert_eq!(again.trial, first.trial, "the images have the names that they had");
    for name in again.block.iter() {
        service.images.image(browser.cookie.as_deref(), name).await.unwrap();
    }
    assert_eq!(log(&fixture).await, before, "looking changes nothing");
    assert!(matches!(browser.back(2).await, Err(Fault::NotThisTrial)));

    let receipt = browser.correct(1, 1, json!({ "preference": "B" })).await.unwrap();
    assert_eq!(trial(receipt.next).trial, second.trial);
    let events = log(&fixture).await.len();
    // Reports that are sent again, in any order, by any process.
    let other = fixture.service().await;
    for service in [&service, &other] {
        let browser = Browser { service: service.clone(), ..browser.clone() };
        browser.correct(1, 1, json!({ "preference": "B" })).await.unwrap();
        browser.answer_with(1, 0, json!({ "preference": "A" })).await.unwrap();
        assert!(browser.correct(1, 1, json!({ "preference": "A" })).await.is_err());
        assert!(browser.correct(1, 7, json!({ "preference": "A" })).await.is_err());
    }
    assert_eq!(log(&fixture).await.len(), events);

    // The other process corrects it once more, and the first one follows.
    let elsewhere = Browser { service: other, ..browser.clone() };
    assert_eq!(trial(elsewhere.back(1).await.unwrap()).given.unwrap().revision, 2);
    elsewhere.correct(1, 2, json!({ "preference": "A" })).await.unwrap();
    browser.correct(1, 3, json!({ "preference": "B" })).await.unwrap();
    for number in 2..4 {
        browser.answer_with(number, 0, json!({ "preference": "B" })).await.unwrap();
    }
    let end = browser.answer_with(4, 0, json!({ "comments": "<b>fine</b>" })).await.unwrap().next;
    let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
    assert_eq!(end.ending, Ending::Completed);

    let log = log(&fixture).await;
    let record = SessionRecord::from_events(log.clone()).unwrap();
    let last: Vec<&str> =
        record.main_trials().map(|trial| trial.answer.text("preference").unwrap()).collect();
    assert_eq!(last, ["B", "B", "B"]);
    let versions: Vec<&str> =
        record.corrections.iter().map(|one| one.answered.answer.text("preference").unwrap()).collect();
    assert_eq!(versions, ["A", "B", "A", "B"]);
    for cut in 1..=log.len() {
        Session::replay(&fixture.study, log[..cut].to_vec()).unwrap();
    }
}

#[tokio::test]
async fn screened_out_raters_leave_their_place_to_others() {
    let fixture = fixture();
    let service = fixture.service().await;
    let places = async || {
        let status = service.operator.status(OperatorRole::Operator).await.unwrap();
        (status.overview.free, status.overview.held, status.overview.given_up)
    };
    let before = places().await;
    for _ in 0..30 {
        let mut browser = Browser::new(&service);
        browser.agree().await.unwrap();
        let end = browser.answer_with(0, 0, json!({ "expertise_art": "none" })).await.unwrap().next;
        let ScreenKind::End(end) = end.shown else { panic!("{end:?}") };
        assert_eq!(end.ending, Ending::ScreenedOut);
    }
    fixture.clock.forward(2_000_000);
    assert_eq!(places().await, before);
    let counted = service.operator.status(OperatorRole::Operator).await.unwrap().overview.counted;
    assert_eq!(counted.unwrap().screened_out, 30);
    let (_, first) = at_first(&service).await;
    assert_eq!(first.trial.number, 1);
}
