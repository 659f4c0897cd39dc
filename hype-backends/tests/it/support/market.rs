//! A platform in memory with faults on a schedule: requests that are refused, lost before or after they took effect, or carried out
//! long after their sender has given up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hype_backends::crowd::access::PlatformAccess;
use hype_backends::crowd::platform::*;
use hype_backends::web::PanelRules;
use hype_core::protocol::fees::{Fees, Share};
use hype_core::study::backend::BackendError;
use hype_core::{Amount, Stream};

#[path = "market/bonuses.rs"]
mod bonuses;

pub(crate) use self::bonuses::Double;
use self::bonuses::{Bonus, Watched};

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// The fate of a request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is carried out and confirmed.
    Nothing,
    /// It is refused before anything happens.
    Refused,
    /// The platform cannot be reached.
    Unavailable,
    /// The sender gives up, and nothing happens.
    LostBefore,
    /// It is carried out, and the confirmation is lost.
    LostAfter,
    /// The sender gives up, and the request is carried out some requests later.
    Late,
}

/// How a platform handles bonuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Repeating a token within a day pays once, and all payments are listed at once.
    Tokens,
    /// Repeating a request pays again.
    Blind,
}

#[derive(Debug)]
struct Venue {
    kind: Kind,
    now: u64,
    submissions: BTreeMap<Arc<str>, Submission>,
    /// Listings by mark.
    listings: Vec<(Arc<str>, ListingState)>,
    tokens: BTreeMap<Arc<str>, u64>,
    rewards: BTreeMap<Arc<str>, u32>,
    bonuses: Vec<Bonus>,
    watched: Watched,
    /// The people of each pool.
    pools: BTreeMap<String, BTreeSet<String>>,
    /// The reasons that people were given for their latest bonus, by submission.
    reasons: BTreeMap<Arc<str>, Arc<str>>,
    late: Vec<(u32, Late)>,
    faults: Stream,
    /// The share of faulty requests, of 100.
    faulty: u32,
    /// Faults end after this many requests.
    faulty_requests: u32,
    reward: Amount,
    /// The fault of the next request of a kind, by its action.
    next: BTreeMap<&'static str, Fault>,
    requests: u32,
}

#[derive(Debug, Clone)]
enum Late {
    Approve(Arc<str>),
    Reject(Arc<str>),
    /// With the number of the request by which the client has asked for bonuses before.
    Pay(Vec<PaymentOrder>, u32),
}

/// The platform, as one client sees it. Clones are the same client.
#[derive(Debug, Clone)]
pub(crate) struct TestMarket {
    venue: Arc<Mutex<Venue>>,
    client: u32,
}

impl TestMarket {
    pub(crate) fn new(kind: Kind, reward: Amount, faults: Stream, faulty: u32) -> Self {
        let venue = Venue {
            kind,
            now: 0,
            submissions: BTreeMap::new(),
            listings: Vec::new(),
            tokens: BTreeMap::new(),
            rewards: BTreeMap::new(),
            bonuses: Vec::new(),
            watched: Watched::default(),
            pools: BTreeMap::new(),
            reasons: BTreeMap::new(),
            late: Vec::new(),
            faults,
            faulty,
            faulty_requests: 0,
            reward,
            next: BTreeMap::new(),
            requests: 0,
        };
        Self { venue: Arc::new(Mutex::new(venue)), client: 0 }
    }

    /// Lets something happen to the next request that does something, such as `pay a bonus`, or `read`.
    pub(crate) fn fail_next(&self, action: &'static str, fault: Fault) {
        self.venue().next.insert(action, fault);
    }

    /// How many requests there were.
    pub(crate) fn requests(&self) -> u32 {
        self.venue().requests
    }

    fn venue(&self) -> std::sync::MutexGuard<'_, Venue> {
        self.venue.lock().unwrap()
    }

    pub(crate) fn submit(&self, id: &str, participant: &str) {
        let submission = Submission {
            id: id.into(),
            participant: participant.into(),
            state: SubmissionState::ToReview,
            code: None,
            began_unix_ms: None,
            ended_unix_ms: None,
        };
        self.venue().submissions.insert(id.into(), submission);
    }

    pub(crate) fn set(&self, id: &str, state: SubmissionState) {
        if let Some(submission) = self.venue().submissions.get_mut(id) {
            submission.state = state;
        }
    }

    /// The time for a decision is over: the platform approves the work if it is undecided.
    pub(crate) fn approve_by_itself(&self, id: &str) -> bool {
        self.venue().carry_out(&Late::Approve(id.into()))
    }

    /// A person returns work if it is undecided.
    pub(crate) fn give_back(&self, id: &str) {
        self.venue().decide(id, SubmissionState::Returned);
    }

    /// Returns the state of a submission.
    pub(crate) fn state(&self, id: &str) -> SubmissionState {
        self.venue().submissions[id].state
    }

    /// Lets time pass. No request is under way for longer than an hour.
    pub(crate) fn forward(&self, ms: u64) {
        let mut platform = self.venue();
        if ms >= HOUR_MS {
            platform.arrive();
        }
        platform.now += ms;
    }

    pub(crate) fn now(&self) -> u64 {
        self.venue().now
    }

    /// Requests fail from now on, as the schedule says.
    pub(crate) fn storm(&self) {
        self.venue().faulty_requests = 60;
    }

    /// No request fails from now on, and everything that is under way arrives.
    pub(crate) fn calm(&self) {
        let mut platform = self.venue();
        platform.faulty_requests = 0;
        platform.watched.script.clear();
        platform.arrive();
    }

    /// Returns the payments for a submission: the number of rewards, and the sum of bonuses.
    pub(crate) fn paid(&self, id: &str) -> (u32, Amount) {
        let platform = self.venue();
        let bonuses = platform.bonuses.iter().filter(|bonus| *bonus.submission == *id);
        let sum = bonuses.fold(Amount(0), |sum, bonus| sum.plus(bonus.amount));
        (platform.rewards.get(id).copied().unwrap_or_default(), sum)
    }

    /// Returns the reason given for the latest bonus of a submission.
    pub(crate) fn reason(&self, id: &str) -> Option<Arc<str>> {
        self.venue().reasons.get(id).cloned()
    }

    /// Everything that was paid, with fees.
    pub(crate) fn cost(&self) -> Amount {
        let fees = fees();
        let platform = self.venue();
        let rewards = platform.rewards.values().flat_map(|count| vec![platform.reward; *count as usize]);
        let all = rewards.chain(platform.bonuses.iter().map(|bonus| bonus.amount));
        all.fold(Amount(0), |sum, amount| sum.plus(amount).plus(fees.on(amount)))
    }

    /// The time of all listings is over.
    pub(crate) fn end_listings(&self) {
        for (_, listing) in &mut self.venue().listings {
            listing.admission = ListingAdmission::Closed;
        }
    }

    /// The people of each pool.
    pub(crate) fn pools(&self) -> BTreeMap<String, BTreeSet<String>> {
        self.venue().pools.clone()
    }

    pub(crate) fn listings(&self) -> usize {
        self.venue().listings.len()
    }

    fn changed(&self, action: &'static str, late: Late) -> Result<(), PlatformError> {
        let mut platform = self.venue();
        let reason = || "a fault of the test".to_owned();
        match platform.draw(action) {
            Fault::Nothing if platform.carry_out(&late) => Ok(()),
            Fault::Nothing => {
                let reason = "the work was decided on, or returned".to_owned();
                Err(PlatformError::Refused { platform: "Test", action, reason })
            }
            Fault::Refused => Err(PlatformError::Refused { platform: "Test", action, reason: reason() }),
            Fault::Unavailable => {
                Err(PlatformError::Unavailable { platform: "Test", action, reason: reason() })
            }
            Fault::LostBefore => Err(PlatformError::Unclear { platform: "Test", action, reason: reason() }),
            Fault::LostAfter => {
                platform.carry_out(&late);
                Err(PlatformError::Unclear { platform: "Test", action, reason: reason() })
            }
            Fault::Late => {
                let after = 1 + platform.faults.below(5);
                platform.late.push((after, late));
                Err(PlatformError::Unclear { platform: "Test", action, reason: reason() })
            }
        }
    }

    async fn read<T>(&self, read: impl FnOnce(&Venue) -> T) -> Result<T, PlatformError> {
        self.arrive().await;
        let mut platform = self.venue();
        if platform.draw("read") == Fault::Unavailable {
            let reason = "a fault of the test".to_owned();
            return Err(PlatformError::Unavailable { platform: "Test", action: "read", reason });
        }
        Ok(read(&platform))
    }
}

impl Venue {
    /// Everything that is under way arrives.
    fn arrive(&mut self) {
        let late: Vec<Late> = self.late.drain(..).map(|(_, late)| late).collect();
        for late in &late {
            self.carry_out(late);
        }
    }

    /// The fault of the next request. Late requests come closer.
    fn draw(&mut self, action: &str) -> Fault {
        self.requests += 1;
        if let Some(fault) = self.next.remove(action) {
            return fault;
        }
        if action != "read"
            && let Some(fault) = self.watched.script.pop_front()
        {
            return fault;
        }
        let mut due = Vec::new();
        self.late.retain_mut(|(after, late)| {
            *after -= 1;
            if *after == 0 {
                due.push(late.clone());
            }
            *after > 0
        });
        for late in &due {
            self.carry_out(late);
        }
        if self.faulty_requests == 0 || self.faults.below(100) >= self.faulty {
            return Fault::Nothing;
        }
        self.faulty_requests -= 1;
        [Fault::Refused, Fault::Unavailable, Fault::LostBefore, Fault::LostAfter, Fault::Late]
            [self.faults.below(5) as usize]
    }

    /// Whether this is the first decision about a submission.
    fn decide(&mut self, id: &str, state: SubmissionState) -> bool {
        let submission = self.submissions.get_mut(id);
        let Some(open) = submission.filter(|one| one.state == SubmissionState::ToReview) else {
            return false;
        };
        open.state = state;
        true
    }

    /// Carries out a request. Returns whether the platform does that.
    fn carry_out(&mut self, late: &Late) -> bool {
        match late {
            Late::Approve(id) => {
                let is_decided = self.decide(id, SubmissionState::Approved);
                if is_decided {
                    *self.rewards.entry(Arc::clone(id)).or_default() += 1;
                }
                is_decided
            }
            Late::Reject(id) => self.decide(id, SubmissionState::Rejected),
            Late::Pay(orders, asked) => {
                for order in orders {
                    self.pay(order, *asked);
                }
                true
            }
        }
    }
}

/// A fifth of each payment, at least a cent.
pub(crate) fn fees() -> Fees {
    Fees::new("Test", Share::of(0.2).unwrap()).at_least(Amount(10_000)).in_cents()
}

impl TestMarket {
    pub(crate) fn facts(&self) -> PlatformFacts {
        let (kind, pays_singly) = {
            let platform = self.venue();
            (platform.kind, platform.watched.pays_singly)
        };
        let limits = PlatformLimits {
            places_per_listing: if kind == Kind::Tokens { 9 } else { u32::MAX },
            knows_tokens: kind == Kind::Tokens,
            payments_at_once: if kind == Kind::Tokens || pays_singly { 1 } else { 3 },
            has_return_requests: kind == Kind::Blind,
            reopens_rejected: false,
            shortest_reason: 1,
            listings_end: true,
            keeps_pools: true,
        };
        let hands_in = kind == Kind::Blind;
        PlatformFacts { limits: Some(limits), hands_in, ..PlatformFacts::new("Test", fees()) }
    }
}

#[async_trait]
impl Platform for TestMarket {
    type Settings = ();

    fn facts((): &()) -> PlatformFacts {
        PlatformFacts::new("Test", fees())
    }

    fn connect((): &(), _: &PlatformAccess) -> Result<Self, BackendError> {
        Err(BackendError::Settings("tests make it".into()))
    }

    fn rules(&self, _: &Codes) -> PanelRules {
        PanelRules::default()
    }

    async fn find(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        self.read(|platform| {
            platform.listings.iter().find(|(known, _)| **known == *mark).map(|(_, state)| state.clone())
        })
        .await
    }

    async fn create(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        let mut platform = self.venue();
        let fault = platform.draw("create a listing");
        let error = |reason: &str| PlatformError::Unclear {
            platform: "Test",
            action: "create a listing",
            reason: reason.to_owned(),
        };
        if fault == Fault::Refused {
            let reason = "a fault of the test".to_owned();
            return Err(PlatformError::Refused { platform: "Test", action: "create a listing", reason });
        }
        if matches!(fault, Fault::Unavailable | Fault::LostBefore) {
            return Err(error("lost"));
        }
        let id: Arc<str> = format!("listing {}", platform.listings.len()).into();
        let state = ListingState { id, admission: ListingAdmission::Open, places: listing.places };
        platform.listings.push((Arc::clone(&listing.mark), state.clone()));
        if fault == Fault::Nothing { Ok(state) } else { Err(error("the answer was lost")) }
    }

    async fn listing(&self, id: &str) -> Result<ListingState, PlatformError> {
        let found = self.read(|platform| {
            platform.listings.iter().find(|(_, state)| *state.id == *id).map(|(_, state)| state.clone())
        });
        Ok(found.await?.unwrap())
    }

    async fn resize(&self, id: &str, places: u32) -> Result<(), PlatformError> {
        let mut platform = self.venue();
        platform.requests += 1;
        let listing = platform.listings.iter_mut().find(|(_, state)| *state.id == *id);
        listing.unwrap().1.places = places;
        Ok(())
    }

    async fn admit(&self, id: &str, admission: ListingAdmission) -> Result<(), PlatformError> {
        let mut platform = self.venue();
        platform.requests += 1;
        let listing = platform.listings.iter_mut().find(|(_, state)| *state.id == *id);
        listing.unwrap().1.admission = admission;
        Ok(())
    }

    async fn submissions(&self, id: &str) -> Result<Vec<Submission>, PlatformError> {
        // All of them came through the first listing.
        self.read(|platform| match platform.listings.first() {
            Some((_, first)) if *first.id == *id => platform.submissions.values().cloned().collect(),
            _ => Vec::new(),
        })
        .await
    }

    async fn hand_in(&self, submission: &Submission, _: &str) -> Result<(), PlatformError> {
        let mut platform = self.venue();
        platform.requests += 1;
        let one =
            platform.submissions.get_mut(&submission.id).filter(|one| one.state == SubmissionState::Working);
        if let Some(one) = one {
            one.state = SubmissionState::ToReview;
        }
        Ok(())
    }

    async fn approve(&self, submission: &Submission) -> Result<(), PlatformError> {
        self.arrive().await;
        self.changed("approve a submission", Late::Approve(Arc::clone(&submission.id)))
    }

    async fn reject(&self, submission: &Submission, _: &str) -> Result<(), PlatformError> {
        self.arrive().await;
        self.changed("reject a submission", Late::Reject(Arc::clone(&submission.id)))
    }

    async fn request_return(&self, _: &Submission, _: &str) -> Result<(), PlatformError> {
        Ok(())
    }

    async fn pay(&self, _: &str, orders: &[PaymentOrder]) -> Result<(), PlatformError> {
        self.pay_bonuses(orders).await
    }

    async fn settle(&self, _: &str, orders: &[PaymentOrder]) -> Result<Vec<Settlement>, PlatformError> {
        self.ask(|platform| orders.iter().map(|order| platform.settlement(order)).collect()).await
    }

    async fn payments(&self, _: &str) -> Result<Vec<MadePayment>, PlatformError> {
        self.ask(|platform| {
            let made = platform.listed();
            made.map(|bonus| MadePayment { submission: Arc::clone(&bonus.submission), amount: bonus.amount })
                .collect()
        })
        .await
    }

    async fn add_to_pool(&self, pool: &str, participants: &[&str]) -> Result<(), PlatformError> {
        let mut platform = self.venue();
        let people = platform.pools.entry(pool.to_owned()).or_default();
        people.extend(participants.iter().map(|one| (*one).to_owned()));
        Ok(())
    }
}
