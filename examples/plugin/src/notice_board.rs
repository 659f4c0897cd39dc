//! The platform `notice_board`: people read notices and are paid, all in the memory of this program.

use std::sync::{Arc, Mutex, PoisonError};

use hype::backends::crowd::Crowd;
use hype::backends::crowd::access::PlatformAccess;
use hype::backends::crowd::platform::{
    Codes, ListingAdmission, ListingRequest, ListingState, MadePayment, PaymentOrder, Platform,
    PlatformError, PlatformFacts, PlatformLimits, Settlement, Submission, SubmissionState,
};
use hype::backends::web::PanelRules;
use hype::core::protocol::fees::{Fees, Share};
use hype::prelude::*;

/// The settings of the platform.
#[settings]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeBoardSettings {
    /// Where the board hangs, such as `library`.
    pub place: String,
}

/// The notice board.
#[derive(Debug)]
pub struct NoticeBoard {
    place: String,
}

/// A notice, and what people have handed in because of it.
#[derive(Debug)]
struct Notice {
    mark: Arc<str>,
    state: ListingState,
    work: Vec<Submission>,
    paid: Vec<PaymentOrder>,
}

/// The notices on all boards.
static NOTICES: Mutex<Vec<Notice>> = Mutex::new(Vec::new());

/// Looks at a notice, or changes it.
fn at<T>(
    action: &'static str,
    is_it: impl Fn(&Notice) -> bool,
    look: impl FnOnce(&mut Notice) -> T,
) -> Result<T, PlatformError> {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    let reason = || "there is no such notice".to_owned();
    let refused = || PlatformError::Refused { platform: "the notice board", action, reason: reason() };
    notices.iter_mut().find(|notice| is_it(notice)).map(look).ok_or_else(refused)
}

impl NoticeBoard {
    /// A person hands in work because of a notice.
    ///
    /// # Errors
    /// If there is no such notice.
    pub fn hand_in(notice: &str, person: &str) -> Result<(), PlatformError> {
        at(
            "hand in work",
            |known| *known.state.id == *notice,
            |known| {
                known.work.push(Submission {
                    id: format!("{notice} {person}").into(),
                    participant: person.into(),
                    state: SubmissionState::ToReview,
                    code: None,
                    began_unix_ms: None,
                    ended_unix_ms: None,
                });
            },
        )
    }

    fn decide(submission: &Submission, state: SubmissionState) -> Result<(), PlatformError> {
        let has_it = |notice: &Notice| notice.work.iter().any(|one| one.id == submission.id);
        at("decide about work", has_it, |notice| {
            notice.work.iter_mut().filter(|one| one.id == submission.id).for_each(|one| one.state = state);
        })
    }
}

#[async_trait]
impl Platform for NoticeBoard {
    type Settings = NoticeBoardSettings;

    // What holds at the platform is data, by which the program limits what is spent.
    fn facts(settings: &NoticeBoardSettings) -> PlatformFacts {
        let tenth = Fees::new("the notice board", Share::of(0.1).unwrap_or_default()).in_cents();
        PlatformFacts {
            participant: Some("reader".into()),
            needs_reward: true,
            audience: vec![format!("people who come by: {}", settings.place)],
            limits: Some(PlatformLimits {
                places_per_listing: 20,
                payments_at_once: 1,
                knows_tokens: false,
                has_return_requests: false,
                reopens_rejected: false,
                shortest_reason: 1,
                listings_end: false,
                keeps_pools: false,
            }),
            ..PlatformFacts::new("the notice board", tenth)
        }
    }

    fn check(settings: &NoticeBoardSettings, at: &mut Diagnostics) {
        if settings.place.is_empty() {
            at.field("place").error("empty", "the board hangs nowhere").help("write `place: library`");
        }
    }

    fn connect(settings: &NoticeBoardSettings, _: &PlatformAccess) -> Result<Self, BackendError> {
        Ok(Self { place: settings.place.clone() })
    }

    fn rules(&self, _: &Codes) -> PanelRules {
        PanelRules::default()
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        Ok(at("find a notice", |notice| *notice.mark == *mark, |notice| notice.state.clone()).ok())
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
        let id = format!("{} {}", self.place, notices.len()).into();
        let state = ListingState { id, admission: ListingAdmission::Open, places: listing.places };
        let mark = Arc::clone(&listing.mark);
        notices.push(Notice { mark, state: state.clone(), work: Vec::new(), paid: Vec::new() });
        Ok(state)
    }

    async fn listing(&self, id: &str) -> Result<ListingState, PlatformError> {
        at("read a notice", |notice| *notice.state.id == *id, |notice| notice.state.clone())
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), PlatformError> {
        at("change a notice", |notice| *notice.state.id == *id, |notice| notice.state.places = places)
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), PlatformError> {
        at("change a notice", |notice| *notice.state.id == *id, |notice| notice.state.admission = admission)
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, PlatformError> {
        at("read work", |notice| *notice.state.id == *id, |notice| notice.work.clone())
    }

    async fn approve(&self, submission: &Submission) -> Result<(), PlatformError> {
        Self::decide(submission, SubmissionState::Approved)
    }

    async fn reject(&self, submission: &Submission, _: &str) -> Result<(), PlatformError> {
        Self::decide(submission, SubmissionState::Rejected)
    }

    async fn pay(&self, id: &str, orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        at("pay", |notice| *notice.state.id == *id, |notice| notice.paid.extend_from_slice(orders))
    }

    async fn settle(&self, id: &str, orders: &[PaymentOrder]) -> Result<Vec<Settlement>, PlatformError> {
        at(
            "find payments",
            |notice| *notice.state.id == *id,
            |notice| {
                let is_paid = |order: &PaymentOrder| notice.paid.iter().any(|paid| paid.token == order.token);
                let settled = |order| if is_paid(order) { Settlement::Made } else { Settlement::NotMade };
                orders.iter().map(settled).collect()
            },
        )
    }

    async fn payments(&self, id: &str) -> Result<Vec<MadePayment>, PlatformError> {
        let made = |paid: &PaymentOrder| MadePayment {
            submission: Arc::clone(&paid.submission),
            amount: paid.amount,
        };
        at("read payments", |notice| *notice.state.id == *id, |notice| notice.paid.iter().map(made).collect())
    }
}

/// The backend `notice_board`: the rater page with the platform.
#[schema]
#[derive(Debug, Clone, Default)]
#[serde(transparent)]
pub struct NoticeBoardBackend(Crowd<NoticeBoard>);

impl Wraps for NoticeBoardBackend {
    fn inner(&self) -> &dyn Backend {
        &self.0
    }
}

register_backend!(
    NoticeBoardBackend,
    "notice_board",
    summary = "People who read a notice board",
    citation = "",
    example = "{ kind: notice_board, platform: { place: library } }",
);
