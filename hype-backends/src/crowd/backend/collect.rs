//! Collects from a panel: serves the page while the recruiter does what is due.

use std::sync::Arc;
use std::time::Duration;

use hype_core::study::backend::{BackendError, Collected, Watch};
use hype_core::study::related::RelatedStudy;
use hype_core::{Store, Study};

use super::{Crowd, Visitors};
use crate::crowd::platform::{Codes, Platform};
use crate::crowd::recruiter::{Recruiter, Recruiting, pools};
use crate::crowd::shared_recruiter::SharedRecruiter;
use crate::crowd::transport::is_on_this_machine;
use crate::web::{
    Accompanied, Companion, Fault, PanelRules, Participants, StudyPeople, Visiting, collect_accompanied,
};

/// How long the recruiter waits before it asks the platform again, unless the platform reports something.
const PAUSE: Duration = Duration::from_secs(15);

/// The same for a platform on this machine.
const SHORT_PAUSE: Duration = Duration::from_millis(300);

/// The same without a platform that could be asked: what is due is read from the study's store.
const PAUSE_BY_HAND: Duration = Duration::from_secs(2);

impl<P: Platform> Crowd<P> {
    /// Connects with the platform for a study whose store is bound to it. `writer` is a name that no other process has.
    ///
    /// # Errors
    /// If a secret is missing, the settings allow no connection, the settings name a service where money is paid and no real money
    /// is to be spent, or the store fails.
    pub async fn recruiter(
        &self,
        study: &Study,
        store: Arc<dyn Store>,
        writer: &str,
    ) -> Result<Recruiter, BackendError> {
        P::check_money(&self.platform, &self.access)?;
        let platform = Arc::new(P::connect(&self.platform, &self.access)?);
        let recruiter = Recruiter::new(study.clone(), store, platform, self.recruiting(study)?, writer).await;
        recruiter.map_err(|fault| of_fault(&fault))
    }

    /// Returns the panel's rules for the page, for servers that leave the platform to another process.
    ///
    /// # Errors
    /// As [`recruiter`](Self::recruiter).
    pub async fn rules(&self, study: &Study, store: Arc<dyn Store>) -> Result<PanelRules, BackendError> {
        let related = study.related();
        let people = Participants::of(store).await.map_err(|fault| of_fault(&fault))?;
        let code = |way: &str| people.keys().completion_code(way).into();
        let codes = Codes { completed: code("completed"), disqualified: code("disqualified") };
        let mut rules = P::connect(&self.platform, &self.access)?.rules(&codes);
        rules.participant = P::facts(&self.platform).participant;
        for other in &related.excluded {
            rules.excluded.push(people_of(other).await?);
        }
        if let Some(other) = related.qualified_by.as_ref().filter(|_| self.has_earlier_people()) {
            rules.qualified = Some(people_of(other).await?);
        }
        Ok(rules)
    }

    /// Whether people of earlier studies can come. Synthetic people cannot have qualified, and show what the qualification is like.
    const fn has_earlier_people(&self) -> bool {
        self.visitors.is_none()
    }

    fn recruiting(&self, study: &Study) -> Result<Recruiting, BackendError> {
        let address = self.page.public_url.clone().or_else(|| {
            // A fake platform on this machine finds the page where it listens.
            (!self.access.is_configured()).then(|| format!("http://{}/", self.page.listen).into())
        });
        let address = address.ok_or_else(|| {
            BackendError::Settings("the platform needs the address of the page: set `public_url`".into())
        })?;
        let related = study.related();
        let facts = P::facts(&self.platform);
        // One listing knows its own people by itself.
        let own =
            facts.limits.is_some_and(|limits| limits.places_per_listing < u32::MAX).then(|| study.digest());
        let digests = own.into_iter().chain(related.excluded.iter().map(|other| other.digest));
        Ok(Recruiting {
            facts,
            listing: self.listing.clone(),
            review: self.review.clone(),
            address,
            limit: study.spec().collection.limit,
            pool: related
                .qualified_by
                .as_ref()
                .filter(|_| self.has_earlier_people())
                .map(|other| pools::qualified(other.digest)),
            excluded_pools: digests.map(pools::took_part).collect(),
        })
    }
}

/// Serves the page, and recruits until every place is settled and all raters are paid.
pub(super) async fn collect<P: Platform>(
    backend: &Crowd<P>,
    study: &Study,
    store: Arc<dyn Store>,
    watch: &dyn Watch,
) -> Result<Collected, BackendError> {
    store.bind(study.digest()).await?;
    let rules = backend.rules(study, Arc::clone(&store)).await?;
    let recruiter = backend.recruiter(study, Arc::clone(&store), &writer()?).await?;
    let pause = pause(backend);
    let currency = study.spec().protocol.payment.clone().unwrap_or_default().currency;
    let hourly = P::facts(&backend.platform).terms(&currency).hourly;
    // Reports of the platform wake the recruiter.
    let wake = rules.webhook.as_ref().map(|webhook| Arc::clone(webhook.notified())).unwrap_or_default();
    let recruiter = SharedRecruiter::new(recruiter, hourly, pause, Arc::clone(&wake));
    let recruiter = Arc::new(if backend.visitors.is_some() { recruiter.calling() } else { recruiter });
    let visitors = backend.visitors.clone().map(|Visitors { cohort, source, after }| Visiting {
        cohort,
        source: Some(source),
        after,
    });
    let companion: Option<Arc<dyn Companion>> = Some(recruiter.clone());
    let accompanied = Accompanied { rules, companion, control: Some(recruiter), wake, visitors };
    collect_accompanied(&backend.page, study, store, watch, accompanied).await
}

/// How long the recruiter waits between two steps.
fn pause<P: Platform>(backend: &Crowd<P>) -> Duration {
    let facts = P::facts(&backend.platform);
    let is_near = !backend.access.is_configured() || facts.address.is_some_and(|at| is_on_this_machine(&at));
    match facts.limits {
        _ if is_near => SHORT_PAUSE,
        None => PAUSE_BY_HAND,
        Some(_) => PAUSE,
    }
}

/// A name for this process in the ledger.
fn writer() -> Result<String, BackendError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| BackendError::Settings(format!("the system provides no random bytes: {error}")))?;
    Ok(hype_core::model::hex::to_hex(&bytes))
}

async fn people_of(other: &RelatedStudy) -> Result<StudyPeople, BackendError> {
    let people = StudyPeople::of(other.digest, Arc::clone(&other.store)).await;
    people.map_err(|fault| of_fault(&fault))
}

fn of_fault(fault: &Fault) -> BackendError {
    BackendError::Settings(fault.to_string())
}
