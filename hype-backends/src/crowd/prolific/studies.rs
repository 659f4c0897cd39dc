//! Studies: created as drafts, published, paused and stopped.

use std::sync::Arc;

use hyper::http::Method;
use serde_json::json;

use super::Prolific;
use super::api::{Effect, not_understood, part, refused};
use super::pages::Paging;
use super::status::StudyStatus;
use super::wire::{Account, CodeAction, CompletionCode, Study, StudyDraft, TestStudy, cents};
use crate::crowd::access::Money;
use crate::crowd::platform::{ListingAdmission, ListingRequest, ListingState, PlatformError};

/// The parameters by which a participant arrives. Prolific puts in the ids.
const PARAMETERS: &str =
    "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}";

impl Prolific {
    /// The study with a mark: a published one if there is one, or else the oldest draft, so that every process continues with
    /// the same one.
    async fn marked(&self, mark: &str) -> Result<Option<Study>, PlatformError> {
        let studies = self.api.list::<Study>("list studies", "studies/", Paging::Number).await?;
        let marked = studies.into_iter().filter(|study| study.internal_name.as_deref() == Some(mark));
        Ok(marked.min_by_key(|study| (is_draft(study), Arc::clone(&study.id))))
    }

    pub(super) async fn find_study(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        match self.marked(mark).await? {
            // A study for tests is another one than its draft, so that creating has to go on.
            Some(study) if self.money == Money::Test && is_draft(&study) => Ok(None),
            // Lists may say less of each study.
            Some(study) => self.study_state(&study.id).await.map(Some),
            None => Ok(None),
        }
    }

    async fn study(&self, id: &str) -> Result<(Study, StudyStatus), PlatformError> {
        const ACTION: &str = "read a study";
        let study: Study = self.api.read(ACTION, &format!("studies/{}/", part(ACTION, id)?)).await?;
        let status = StudyStatus::of(&study);
        Ok((study, status))
    }

    pub(super) async fn study_state(&self, id: &str) -> Result<ListingState, PlatformError> {
        let (study, status) = self.study(id).await?;
        Ok(ListingState { id: study.id, admission: status.admission(), places: study.total_available_places })
    }

    /// Creates a draft and publishes it. A draft with the listing's mark is published in place of another one.
    pub(super) async fn create_study(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        const ACTION: &str = "create a study";
        if let Some(study) = self.marked(&listing.mark).await? {
            let id = self.open(&study.id).await?;
            return self.study_state(&id).await;
        }
        self.check_currency(ACTION, listing).await?;
        let draft = self.draft(ACTION, listing).await?;
        let study: Study = self.api.write(ACTION, Effect::Change, (Method::POST, "studies/"), &draft).await?;
        let id = self.publish(&study.id).await?;
        // Publishing may take the platform a moment, so that its state is not asked for.
        Ok(ListingState { id, admission: ListingAdmission::Open, places: listing.places })
    }

    /// An account has one currency, and Prolific would take the numbers of another one for its own.
    async fn check_currency(
        &self,
        action: &'static str,
        listing: &ListingRequest,
    ) -> Result<(), PlatformError> {
        let account: Account = self.api.read(action, "users/me/").await?;
        match account.currency_code {
            Some(currency) if currency != *listing.currency => Err(refused(
                action,
                format!("the account pays in {currency}, and the study in {}", listing.currency),
            )),
            _ => Ok(()),
        }
    }

    async fn draft<'a>(
        &'a self,
        action: &'static str,
        listing: &'a ListingRequest,
    ) -> Result<StudyDraft<'a>, PlatformError> {
        let reward = cents(listing.reward)
            .ok_or_else(|| refused(action, format!("{} has fractions of a cent", listing.reward)))?;
        let mut filters = self.settings.filters.clone();
        filters.extend(self.pool_filters(listing).await?);
        let review = |code, code_type| CompletionCode {
            code,
            code_type,
            actions: [CodeAction { action: "MANUALLY_REVIEW" }],
        };
        let joined = if listing.address.contains('?') { '&' } else { '?' };
        Ok(StudyDraft {
            name: &listing.title,
            internal_name: &listing.mark,
            description: &listing.description,
            external_study_url: format!("{}{joined}{PARAMETERS}", listing.address),
            prolific_id_option: "url_parameters",
            completion_codes: vec![
                review(&listing.completed_code, "COMPLETED"),
                review(&listing.disqualified_code, "OTHER"),
            ],
            total_available_places: listing.places,
            estimated_completion_time: listing.minutes,
            maximum_allowed_time: listing.minutes_at_most,
            reward,
            device_compatibility: &self.settings.devices,
            peripheral_requirements: [],
            filters,
            project: self.settings.project.as_deref(),
        })
    }

    pub(super) async fn set_places(&self, id: &str, places: u32) -> Result<(), PlatformError> {
        const ACTION: &str = "change the number of places";
        let path = format!("studies/{}/", part(ACTION, id)?);
        let places = json!({ "total_available_places": places });
        self.api.change(ACTION, (Method::PATCH, &path), &places).await
    }

    pub(super) async fn set_admission(
        &self,
        id: &str,
        admission: ListingAdmission,
    ) -> Result<(), PlatformError> {
        if admission == ListingAdmission::Open {
            return self.open(id).await.map(drop);
        }
        let (study, status) = self.study(id).await?;
        match (admission, status) {
            (ListingAdmission::Paused, StudyStatus::Published) => {
                self.transition("pause a study", id, "PAUSE").await
            }
            (ListingAdmission::Closed, StudyStatus::Published | StudyStatus::Paused) => {
                self.transition("stop a study", id, "STOP").await
            }
            (_, StudyStatus::Unknown) => Err(unknown_status("change a study", &study)),
            // Nobody can enter.
            _ => Ok(()),
        }
    }

    /// Lets people in. Returns the id of the study that they enter.
    async fn open(&self, id: &str) -> Result<Arc<str>, PlatformError> {
        let (study, status) = self.study(id).await?;
        match status {
            StudyStatus::Draft => return self.publish(&study.id).await,
            StudyStatus::Paused => self.transition("resume a study", id, "START").await?,
            StudyStatus::Published | StudyStatus::Full => {}
            StudyStatus::Stopped => {
                return Err(refused("resume a study", "it was stopped, and only more places open it again"));
            }
            StudyStatus::Unknown => return Err(unknown_status("resume a study", &study)),
        }
        Ok(study.id)
    }

    /// Publishes a draft. Returns the id of what is published: tests have a study of their own.
    async fn publish(&self, id: &Arc<str>) -> Result<Arc<str>, PlatformError> {
        const ACTION: &str = "publish a study";
        if self.money == Money::Real {
            self.transition(ACTION, id, "PUBLISH").await?;
            return Ok(Arc::clone(id));
        }
        let path = format!("studies/{}/test-study", part(ACTION, id)?);
        let test: TestStudy =
            self.api.write(ACTION, Effect::Change, (Method::POST, &path), &json!({})).await?;
        Ok(test.study_id)
    }

    async fn transition(
        &self,
        action: &'static str,
        id: &str,
        transition: &'static str,
    ) -> Result<(), PlatformError> {
        let path = format!("studies/{}/transition/", part(action, id)?);
        self.api.change(action, (Method::POST, &path), &json!({ "action": transition })).await
    }
}

fn is_draft(study: &Study) -> bool {
    StudyStatus::of(study) == StudyStatus::Draft
}

/// It would be a guess what a change of such a study does.
fn unknown_status(action: &'static str, study: &Study) -> PlatformError {
    not_understood(action, format!("its status is `{}`", study.status))
}
