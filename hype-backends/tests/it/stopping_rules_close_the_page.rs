//! A stopping rule ends a collection on every server in the same way; those in a session may finish, and no one else enters.

use hype_backends::web::wire::operator::{Act, ActRequest};
use hype_backends::web::wire::screen::{ClosedReason, Screen, ScreenKind};
use hype_backends::web::{OperatorRole, Page, Services};
use hype_core::StoreExt as _;
use hype_core::model::findings::StoppingLook;
use hype_core::*;
use hype_tasks::HypeInfinity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fixture::{Browser, Fixture, kind};
use crate::small_task::study;

/// Ends the collection when the first places are settled.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Enough {
    raters: u32,
}

impl StoppingRule for Enough {
    fn measure(&self) -> Option<&str> {
        None
    }

    fn check(&self, _: &StoppingPlan, _: &mut Diagnostics) {}

    fn method(&self, _: &StoppingPlan) -> String {
        "enough raters".into()
    }

    fn statistic(&self) -> &'static str {
        "raters"
    }

    fn looks(&self, _: &StoppingPlan) -> Vec<u32> {
        vec![self.raters]
    }

    fn decide(&self, _: &StoppingPlan, _: &[Vec<(u32, f64)>], reached: u32) -> Vec<StoppingLook> {
        let look = StoppingLook::ahead(self.raters, Some(f64::from(self.raters)), None);
        vec![if reached < self.raters { look } else { look.found(Vec::new(), true) }]
    }
}

register_stopping_rule!(
    Enough,
    "enough",
    summary = "Enough",
    citation = "",
    example = "{ kind: enough, raters: 2 }"
);

fn fixture() -> Fixture {
    let study = study(HypeInfinity { generated: 2.into(), real: 2.into() }, |spec| {
        spec.protocol.qualification = None;
        (spec.collection.raters.per_model, spec.collection.raters.replacements) = (8, 2);
        spec.collection.stopping = Some(Box::new(Enough { raters: 2 }));
    });
    Fixture::new(study, Page::default())
}

fn closed(screen: &Screen) -> Option<ClosedReason> {
    match screen.shown {
        ScreenKind::Closed { reason } => Some(reason),
        _ => None,
    }
}

/// Begins, and answers every trial.
async fn finish(rater: &mut Browser) -> Screen {
    let mut screen = rater.begin().await.unwrap();
    while let ScreenKind::Trial(shown) = &screen.shown {
        let answer = json!({ "judgment": "generated" });
        screen = rater.answer_with(shown.trial.number, 0, answer).await.unwrap().next;
    }
    screen
}

async fn refused(service: &Services) -> Option<ClosedReason> {
    closed(&Browser::new(service).open().await.unwrap())
}

#[tokio::test]
async fn a_deciding_look_closes_entry() {
    let fixture = fixture();
    let [first, second] = [fixture.service().await, fixture.service().await];
    let mut raters: Vec<Browser> = Vec::new();
    for number in 0..4 {
        let mut rater = Browser::new(if number % 2 == 0 { &first } else { &second });
        rater.agree().await.unwrap();
        raters.push(rater);
    }
    // The third and the first place are filled; the second one is not, and the look is at the first two.
    assert_eq!(kind(&finish(&mut raters[2]).await), "end");
    assert_eq!(kind(&finish(&mut raters[0]).await), "end");
    assert_eq!(refused(&first).await, None);
    assert_eq!(refused(&second).await, None);
    assert_eq!(kind(&finish(&mut raters[1]).await), "end");
    for service in [&first, &second, &fixture.service().await] {
        assert_eq!(refused(service).await, Some(ClosedReason::Over));
    }
    // Who is in a session may finish.
    assert_eq!(kind(&finish(&mut raters[3]).await), "end");
    fixture.clock.forward(60_000_000);
    let status = second.operator.status(OperatorRole::Reader).await.unwrap();
    let stopping = status.overview.stopping.clone().unwrap();
    assert_eq!((stopping.stopped_at, stopping.beyond, stopping.planned), (Some(2), 2, 8));
    assert_eq!((&*stopping.statistic, stopping.rule["kind"].as_str()), ("raters", Some("enough")));

    // A look without one of its raters was not taken.
    let sessions = fixture.store.sessions(None, 10).await.unwrap();
    let log = fixture.store.load(&sessions[1]).await.unwrap();
    let Some(Event::Opened(header)) = log.first() else { panic!("no opening") };
    let act = Act::Exclude { rater: header.rater.to_string(), reason: "asked someone else".into() };
    first.operator.act("operator", &ActRequest { id: format!("{:032x}", 1), act }).await.unwrap();
    assert_eq!(refused(&first).await, None);
    assert_eq!(refused(&second).await, None);
    let mut replacement = Browser::new(&second);
    replacement.agree().await.unwrap();
    assert_eq!(kind(&finish(&mut replacement).await), "end");
    assert_eq!(refused(&first).await, Some(ClosedReason::Over));
}
