//! Pools of people at the platform: those who qualified in a study, and those who took part in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use hype_core::Digest;
use tokio::sync::Mutex;

use super::work::Work;
use super::{RecruitError, Recruiter, Seen};
use crate::crowd::platform::{Platform, SubmissionState};

/// The pool of people who have passed a study's qualification.
pub(crate) fn qualified(study: Digest) -> Arc<str> {
    format!("hype-qualified-{}", study.short()).into()
}

/// The pool of people who have come to a study.
pub(crate) fn took_part(study: Digest) -> Arc<str> {
    format!("hype-took-part-{}", study.short()).into()
}

/// Who was added to which pool by this process. Adding people again changes nothing.
#[derive(Debug, Default)]
pub(super) struct Added(Mutex<BTreeSet<(Arc<str>, Arc<str>)>>);

impl Recruiter {
    /// Adds people to the pools to which they belong by now, if the platform keeps pools.
    pub(super) async fn fill_pools(
        &self,
        seen: &Seen,
        problems: &mut Vec<String>,
    ) -> Result<(), RecruitError> {
        let Some((platform, _)) = self.interface().filter(|(_, limits)| limits.keeps_pools) else {
            return Ok(());
        };
        let digest = self.study.digest();
        if self.study.raters().qualification.is_some() {
            let has_passed =
                |work: &&Work| work.session.as_ref().is_some_and(|session| session.has_qualified);
            self.fill(platform, &qualified(digest), seen.work.iter().filter(has_passed), problems).await;
        }
        // Also where the only listing of this study knows its own people by itself: other studies may exclude them.
        self.fill(platform, &took_part(digest), seen.work.iter().filter(has_taken_part), problems).await;
        Ok(())
    }

    async fn fill<'a>(
        &self,
        platform: &dyn Platform,
        pool: &Arc<str>,
        work: impl Iterator<Item = &'a Work>,
        problems: &mut Vec<String>,
    ) {
        let mut added = self.added.0.lock().await;
        let people: Vec<&Arc<str>> = work
            .filter_map(|work| Some(&work.submission.as_ref()?.participant))
            .filter(|person| !added.contains(&(Arc::clone(pool), Arc::clone(person))))
            .collect();
        if people.is_empty() {
            return;
        }
        let ids: Vec<&str> = people.iter().map(|person| &***person).collect();
        match platform.add_to_pool(pool, &ids).await {
            Ok(()) => added.extend(people.into_iter().map(|person| (Arc::clone(pool), Arc::clone(person)))),
            Err(error) => problems.push(error.to_string()),
        }
    }
}

/// Whether a person has come to the page or handed something in. Someone who only reserved a place at the platform and returned it has not.
fn has_taken_part(work: &&Work) -> bool {
    let handed_in = |state| match state {
        SubmissionState::ToReview | SubmissionState::Approved | SubmissionState::Rejected => true,
        SubmissionState::Working
        | SubmissionState::Returned
        | SubmissionState::TimedOut
        | SubmissionState::Unknown => false,
    };
    work.session.is_some() || work.submission.as_ref().is_some_and(|one| handed_in(one.state))
}
