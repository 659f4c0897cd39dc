//! Listings are HITs.

use std::sync::Arc;

use aws_sdk_mturk::primitives::DateTime;
use aws_sdk_mturk::types::{Hit, HitStatus};
use hype_backends::crowd::platform::{ListingAdmission, ListingRequest, ListingState};

use crate::failure::{Call, Failure};
use crate::question::external_question;
use crate::requirements::{self, REQUIREMENTS_AT_MOST};
use crate::{ASSIGNMENTS_AT_MOST, CURRENCY, MechanicalTurk, PAGE, money, request_token, turn_page};

const CREATE: Call = Call::once("create a HIT");
const CREATE_TYPE: Call = Call::read("create a HIT type");
const EXTEND: Call = Call::once("add places to a HIT");
const EXPIRE: Call = Call::change("change when a HIT expires");
const DELETE: Call = Call::change("delete a HIT");
const READ: Call = Call::read("read a HIT");
const LIST: Call = Call::read("list HITs");

/// The longest texts that the service's documentation allows, in characters. Its model has no such limits.
const TEXTS: [(&str, usize); 3] = [("title", 128), ("description", 2_000), ("list of keywords", 1_000)];

/// The shortest lifetime and assignment of a HIT, in seconds.
const SECONDS_AT_LEAST: i64 = 30;

/// The longest ones: a year.
const SECONDS_AT_MOST: i64 = 365 * 86_400;

/// How many times are tried where the service considers one a repetition.
const EXPIRATIONS_AT_MOST: u64 = 10;

/// A HIT as far as recruiters know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownHit {
    id: Arc<str>,
    places: u32,
    /// The places that are not taken.
    free: u32,
    /// Those of people who look at the HIT or are at work.
    pending: u32,
    /// The time after which no one else can enter, in milliseconds since the Unix epoch.
    expires: u64,
    /// When that was going to be when it was created.
    expires_at_first: Option<u64>,
    is_deleted: bool,
}

impl KnownHit {
    fn of(hit: Hit, call: Call) -> Result<Self, Failure> {
        let number = |count: Option<i32>| count.and_then(|count| u32::try_from(count).ok());
        let (_, expires_at_first) = marked(&hit);
        let (Some(id), Some(places), Some(expires)) =
            (hit.hit_id, number(hit.max_assignments), hit.expiration.as_ref().and_then(unix_ms))
        else {
            return Err(
                call.not_understood("the service described a HIT without id, assignments or expiration")
            );
        };
        Ok(Self {
            id: id.into(),
            places,
            free: number(hit.number_of_assignments_available).unwrap_or(0),
            pending: number(hit.number_of_assignments_pending).unwrap_or(places),
            expires,
            expires_at_first: expires_at_first.map(|seconds| seconds.saturating_mul(1_000)),
            is_deleted: hit.hit_status == Some(HitStatus::Disposed),
        })
    }

    /// The number of people who look at it or are at work.
    pub(crate) const fn pending(&self) -> u32 {
        self.pending
    }

    /// Its state at a time. The service does not distinguish HITs that expired from those that were made to.
    pub(crate) fn state(&self, unix_ms: u64) -> ListingState {
        let is_over = self.expires_at_first.is_some_and(|until| until <= unix_ms);
        let admission = if self.is_deleted || is_over {
            ListingAdmission::Closed
        } else if self.expires > unix_ms {
            ListingAdmission::Open
        } else {
            ListingAdmission::Paused
        };
        ListingState { id: Arc::clone(&self.id), admission, places: self.places }
    }
}

/// A point in time in milliseconds since the Unix epoch.
pub(crate) fn unix_ms(time: &DateTime) -> Option<u64> {
    time.to_millis().ok().and_then(|ms| u64::try_from(ms).ok())
}

/// Returns the annotation of a HIT that only the requester reads: the mark, and the time after which no one else can enter, in
/// seconds since the Unix epoch. A paused HIT can be continued until then.
fn annotation(listing: &ListingRequest) -> String {
    format!("{} {}", listing.mark, listing.expires_unix_ms / 1_000)
}

/// Returns the mark of a HIT, and the time, set at its creation, after which no one else could enter.
fn marked(hit: &Hit) -> (&str, Option<u64>) {
    let annotation = hit.requester_annotation.as_deref().unwrap_or_default();
    match annotation.rsplit_once(' ') {
        Some((mark, seconds)) => (mark, seconds.parse().ok()),
        None => (annotation, None),
    }
}

impl MechanicalTurk {
    /// Creates a HIT. Everything before the last request has no effect by itself.
    pub(crate) async fn create_hit(&self, listing: &ListingRequest) -> Result<ListingState, Failure> {
        let reward = money::price(listing.reward);
        let reward = reward.ok_or_else(|| CREATE.refused("the reward is not a number of whole cents"))?;
        let keywords = listing.keywords.join(",");
        let texts = [listing.title.as_ref(), listing.description.as_ref(), &*keywords];
        for ((name, most), text) in TEXTS.into_iter().zip(texts) {
            if text.chars().count() > most {
                return Err(CREATE.refused(format!("the {name} is longer than {most} characters")));
            }
        }
        if &*listing.currency != CURRENCY {
            return Err(
                CREATE.refused(format!("the service pays in {CURRENCY}, not in {}", listing.currency))
            );
        }
        let lifetime = listing.expires_unix_ms.saturating_sub(self.unix_ms()) / 1_000;
        let lifetime = i64::try_from(lifetime).unwrap_or(i64::MAX);
        if lifetime < SECONDS_AT_LEAST {
            return Err(CREATE.refused("it would expire at once"));
        }
        let places = assignments(listing.places, CREATE)?;
        let (pool, excluded) = self.pools_of(listing).await?;
        let requirements =
            requirements::of(&self.settings.requirements, self.money, pool.as_deref(), &excluded);
        if requirements.len() > REQUIREMENTS_AT_MOST {
            return Err(CREATE.refused(format!(
                "it has {} requirements, and the service accepts {REQUIREMENTS_AT_MOST} at most",
                requirements.len()
            )));
        }
        let duration = i64::from(listing.minutes_at_most) * 60;
        let hit_type = self
            .client
            .create_hit_type()
            .title(&*listing.title)
            .description(&*listing.description)
            .set_keywords((!keywords.is_empty()).then_some(keywords))
            .reward(reward)
            .assignment_duration_in_seconds(duration.clamp(SECONDS_AT_LEAST, SECONDS_AT_MOST))
            .auto_approval_delay_in_seconds(i64::from(self.settings.auto_approval_hours) * 3_600)
            .set_qualification_requirements((!requirements.is_empty()).then_some(requirements));
        let hit_type = self.send(CREATE_TYPE, || hit_type.clone().send()).await?;
        let request = self
            .client
            .create_hit_with_hit_type()
            .set_hit_type_id(hit_type.hit_type_id)
            .max_assignments(places)
            .lifetime_in_seconds(lifetime.min(SECONDS_AT_MOST))
            .question(external_question(&listing.address))
            .requester_annotation(annotation(listing))
            .unique_request_token(request_token(&listing.mark));
        match self.send(CREATE, || request.clone().send()).await {
            Ok(created) => {
                let hit = created
                    .hit
                    .ok_or_else(|| CREATE.not_understood("the service did not describe the HIT"))?;
                Ok(KnownHit::of(hit, CREATE)?.state(self.unix_ms()))
            }
            Err(failure) if failure.is_repetition() => {
                let found = self.hit_of(&listing.mark).await;
                found.ok().flatten().ok_or_else(|| {
                    CREATE.unanswered("the service has created it earlier and does not list it yet")
                })
            }
            Err(failure) => Err(failure),
        }
    }

    /// The HIT with a mark.
    pub(crate) async fn hit_of(&self, mark: &str) -> Result<Option<ListingState>, Failure> {
        let mut token = None;
        loop {
            let request = self.client.list_hits().max_results(PAGE).set_next_token(token.clone());
            let page = self.send(LIST, || request.clone().send()).await?;
            for hit in page.hits.unwrap_or_default() {
                if marked(&hit).0 == mark {
                    return Ok(Some(KnownHit::of(hit, LIST)?.state(self.unix_ms())));
                }
            }
            if !turn_page(&mut token, page.next_token) {
                return Ok(None);
            }
        }
    }

    /// A HIT by its id.
    pub(crate) async fn hit(&self, id: &str) -> Result<KnownHit, Failure> {
        let read = self.send(READ, || self.client.get_hit().hit_id(id).send()).await?;
        let hit = read.hit.ok_or_else(|| READ.not_understood("the service did not describe the HIT"))?;
        KnownHit::of(hit, READ)
    }

    /// Gives a HIT a number of places. The service cannot take places back.
    pub(crate) async fn extend_hit(&self, id: &str, places: u32) -> Result<(), Failure> {
        assignments(places, EXTEND)?;
        let hit = self.hit(id).await?;
        if places == hit.places {
            return Ok(());
        }
        let Some(more) = places.checked_sub(hit.places) else {
            return Err(EXTEND.refused("the service cannot take places back"));
        };
        let request = self
            .client
            .create_additional_assignments_for_hit()
            .hit_id(id)
            .number_of_additional_assignments(i32::try_from(more).unwrap_or(i32::MAX))
            .unique_request_token(request_token(&format!("{id}-{places}")));
        match self.send(EXTEND, || request.clone().send()).await {
            // A request that arrived twice is refused the second time: by its token, or since there would be too many.
            Err(failure) if failure.is_refused() && self.hit(id).await?.places == places => Ok(()),
            sent => sent.map(drop),
        }
    }

    /// Lets workers enter, or not. A HIT that is closed for good before anybody took part is deleted; others stay readable until the
    /// service deletes them, which it does after 120 days.
    pub(crate) async fn set_admission(&self, id: &str, admission: ListingAdmission) -> Result<(), Failure> {
        let hit = self.hit(id).await?;
        let now = self.unix_ms();
        match admission {
            ListingAdmission::Open => {
                if hit.state(now).admission == ListingAdmission::Open {
                    return Ok(());
                }
                let until = hit.expires_at_first.filter(|until| *until > now && !hit.is_deleted);
                let until = until.ok_or_else(|| EXPIRE.refused("the time of the listing is over"))?;
                self.expire_hit(id, until).await
            }
            ListingAdmission::Paused | ListingAdmission::Closed => {
                if hit.state(now).admission == ListingAdmission::Open {
                    self.expire_hit(id, now).await?;
                }
                if admission == ListingAdmission::Closed && !hit.is_deleted && hit.free == hit.places {
                    self.delete_hit(id).await?;
                }
                Ok(())
            }
            ListingAdmission::Unknown => Ok(()),
        }
    }

    /// Sets the time after which no one else can enter. The service refuses a time that was set for the HIT before, even if
    /// another one was set in between, so slightly earlier ones are tried.
    async fn expire_hit(&self, id: &str, unix_ms: u64) -> Result<(), Failure> {
        let is_open = |hit: &KnownHit, now| hit.state(now).admission == ListingAdmission::Open;
        let opens = unix_ms > self.unix_ms();
        for earlier in 0..EXPIRATIONS_AT_MOST {
            let seconds = (unix_ms / 1_000).saturating_sub(earlier);
            let at = DateTime::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
            let request = self.client.update_expiration_for_hit().hit_id(id).expire_at(at);
            match self.send(EXPIRE, || request.clone().send()).await {
                Err(failure) if failure.is_repetition() => {
                    if is_open(&self.hit(id).await?, self.unix_ms()) == opens {
                        return Ok(());
                    }
                }
                sent => return sent.map(drop),
            }
        }
        Err(EXPIRE.unavailable("the service takes every time for one that was set before"))
    }

    /// Deletes a HIT unless a worker is at work on it after all.
    async fn delete_hit(&self, id: &str) -> Result<(), Failure> {
        match self.send(DELETE, || self.client.delete_hit().hit_id(id).send()).await {
            Err(failure) if !failure.is_refused() => Err(failure),
            _ => Ok(()),
        }
    }
}

/// A number of assignments for which the service takes the lower fee.
fn assignments(places: u32, call: Call) -> Result<i32, Failure> {
    let number = i32::try_from(places).ok().filter(|_| (1..=ASSIGNMENTS_AT_MOST).contains(&places));
    number.ok_or_else(|| {
        call.refused(format!(
            "a HIT has 1 to {ASSIGNMENTS_AT_MOST} assignments, since more cost twice the fee"
        ))
    })
}
