//! Raters read the instructions in their language, with the entry test, examples, and the question on whether they were
//! understood.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use hype_backends::web::settings::{ComprehensionSettings, ExampleSettings};
use hype_backends::web::wire::screen::{EntryTest, InstructionsScreen, Screen, ScreenKind};
use hype_backends::web::{Fault, Page, StimulusFile};
use hype_core::model::note::{Comprehension, Noted, SessionNote};
use hype_core::protocol::comprehension::COMPREHENSION;
use hype_core::{
    Amount, CheckState, Event, PassMark, PassRule, Payment, Qualification, SessionRecord, StoreExt as _,
};

use crate::fixture::{Browser, Fixture};
use crate::small_task::{SmallTask, study};

fn instructions(screen: Screen) -> InstructionsScreen {
    let ScreenKind::Instructions(instructions) = screen.shown else { panic!("{screen:?}") };
    *instructions
}

fn fixture(page: Page) -> Fixture {
    let task = SmallTask { trials: 3, qualifying: 0, needed: 0 };
    Fixture::new(study(task, |spec| spec.collection.raters.per_model = 2), page)
}

fn asking() -> Page {
    let mut page = Page::default();
    page.instructions.comprehension = Some(ComprehensionSettings {
        question: "What do you judge?".into(),
        options: vec!["The text".into(), "The image".into(), "Both".into()],
        answer: "The image".into(),
    });
    page
}

#[tokio::test]
async fn the_entry_test_is_explained() {
    let payment = Payment { base: Amount(1_500_000), ..Payment::default() };
    let explained = |rule, at_least| {
        let task = SmallTask { trials: 3, qualifying: 10, needed: 0 };
        let study = study(task, |spec| {
            spec.collection.raters.per_model = 1;
            spec.protocol.payment = Some(payment.clone());
            spec.protocol.qualification =
                Some(Qualification { trials: 10, pass: PassMark { rule, at_least } });
        });
        async {
            let service = Fixture::new(study, Page::default()).service().await;
            instructions(Browser::new(&service).agree().await.unwrap())
        }
    };
    let both = explained(PassRule::BothClasses, 0.65).await;
    assert_eq!(both.test, Some(EntryTest { trials: 10, needed: 4, each_class: true }));
    assert_eq!(both.pay.unwrap().base, "1.50");
    let overall = explained(PassRule::Overall, 0.65).await;
    assert_eq!(overall.test, Some(EntryTest { trials: 10, needed: 7, each_class: false }));
    assert_eq!(both.questions.len(), 1);
}

#[tokio::test]
async fn raters_who_misunderstand_read_the_instructions_again() {
    let fixture = fixture(asking());
    let mut browser = Browser::new(&fixture.service().await);
    browser.agree().await.unwrap();
    assert!(matches!(browser.begin().await, Err(Fault::Refused(_))), "no answer");
    for (wrong, option) in [(1, 0), (2, 7)] {
        browser.comprehension = Some(option);
        // Another process counts on from the log.
        browser.service = fixture.service().await;
        let again = instructions(browser.begin().await.unwrap());
        assert_eq!(again.comprehension.unwrap().wrong, wrong);
        assert!(matches!(browser.answer(0).await, Err(Fault::NotThisTrial)));
    }
    browser.comprehension = Some(1);
    assert!(matches!(browser.begin().await.unwrap().shown, ScreenKind::Trial(_)));
    for trial in 0..3 {
        browser.answer(trial).await.unwrap();
    }
    let log = fixture.store.load("p000000-000").await.unwrap();
    let tries: Vec<Comprehension> = log
        .iter()
        .filter_map(|event| match event {
            Event::Noted(Noted { note: SessionNote::Comprehension(tried), .. }) => Some(*tried),
            _ => None,
        })
        .collect();
    let tried = |option, right| Comprehension { option, right };
    assert_eq!(tries, [tried(0, false), tried(7, false), tried(1, true)]);
    let record = SessionRecord::from_events(log).unwrap();
    let checks = fixture.study.checks(&record);
    let check = checks.iter().find(|check| &*check.name == COMPREHENSION).unwrap();
    assert_eq!(check.state, CheckState::Fail);
    assert!(fixture.study.fills_place(&record), "the check flags and does not exclude");
}

#[tokio::test]
async fn examples_have_names_of_their_own() {
    let mut page = Page::default();
    let example = |answer: &str| ExampleSettings {
        image: "example.png".into(),
        answer: answer.into(),
        note: Some("Look at the hands.".into()),
    };
    page.instructions.examples = vec![example("real"), example("fake")];
    let fixture = fixture(page);
    let service = fixture.service().await;
    let (mut one, mut two) = (Browser::new(&service), Browser::new(&service));
    let ours = instructions(one.agree().await.unwrap()).examples;
    let theirs = instructions(two.agree().await.unwrap()).examples;
    assert_eq!(ours.len(), 2);
    for (number, example) in ours.iter().enumerate() {
        let image = service.images.image(one.cookie.as_deref(), &example.image).await.unwrap();
        assert!(matches!(image, ("image/png", StimulusFile::Memory(bytes)) if bytes == [200 + number as u8]));
        assert_eq!(
            service.images.image(two.cookie.as_deref(), &example.image).await.map(drop),
            Err(Fault::NoSuchImage)
        );
        assert!(theirs.iter().all(|other| other.image != example.image));
        assert_eq!(example.note.as_ref().map(|note| &*note.text), Some("Look at the hands."));
    }
}

#[tokio::test]
async fn the_specs_own_texts_are_shown_in_the_raters_language() {
    let mut page = asking();
    page.title = Some("Which is calmer?".into());
    let german = page.translations.entry("de".into()).or_default();
    for (text, translation) in [
        ("Which is calmer?", "Was ist ruhiger?"),
        ("What do you judge?", "Was beurteilen Sie?"),
        ("The text", "Den Text"),
    ] {
        german.insert(text.into(), translation.into());
    }
    let fixture = fixture(page);
    let service = fixture.service().await;
    let mut browser = Browser::new(&service);
    browser.language = "de-AT";
    let screen = browser.agree().await.unwrap();
    assert_eq!((&*screen.language, screen.study.title.as_deref()), ("de", Some("Was ist ruhiger?")));
    let asked = instructions(screen).comprehension.unwrap();
    assert_eq!((&*asked.question.text, asked.question.language), ("Was beurteilen Sie?", None));
    let options: Vec<_> =
        asked.options.iter().map(|option| (&*option.text, option.language.as_deref())).collect();
    assert_eq!(options, [("Den Text", None), ("The image", Some("en")), ("Both", Some("en"))]);
    let mut english = Browser::new(&service);
    let screen = english.agree().await.unwrap();
    assert_eq!(screen.study.title.as_deref(), Some("Which is calmer?"));
}

#[tokio::test]
async fn the_title_never_is_the_name_of_the_study() {
    let fixture = fixture(Page::default());
    let mut browser = Browser::new(&fixture.service().await);
    let screen = browser.open().await.unwrap();
    assert_eq!(screen.study.title, None);
    assert!(!serde_json::to_string(&screen).unwrap().contains(&*fixture.study.spec().name));
}
