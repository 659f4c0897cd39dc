//! Studies: created as drafts, published, paused and stopped.

use std::sync::Arc;

use hyper::http::Method;
use serde_json::json;

use super::Prolific;
use super::api::{Effect, not_understood, part, refused};
use super::pages::Paging;
use super::platform::REHEARSAL;
use super::status::StudyStatus;
use super::wire::{Balance, CodeAction, CompletionCode, Study, StudyCost, StudyDraft, TestStudy, cents};
use crate::crowd::access::Money;
use crate::crowd::platform::{ListingAdmission, ListingRequest, ListingState, PlatformError};

/// The parameters by which a participant arrives. Prolific puts in the ids.
const PARAMETERS: &str =
    "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}";

impl Prolific {
    /// The study with a mark: a published one if there is one, or else the oldest draft: every process continues with
    /// the same one.
    async fn marked(&self, mark: &str) -> Result<Option<Study>, PlatformError> {
        let studies = self.api.list::<Study>("list studies", "studies/", Paging::Number).await?;
        let marked = studies.into_iter().filter(|study| study.internal_name.as_deref() == Some(mark));
        Ok(marked.min_by_key(|study| (is_draft(study), Arc::clone(&study.id))))
    }

    /// The published study with a mark. A draft is none yet: creating has to go on, which looks at it again.
    pub(super) async fn find_study(&self, mark: &str) -> Result<Option<ListingState>, PlatformError> {
        match self.marked(mark).await? {
            // Lists may say less of each study.
            Some(study) if !is_draft(&study) => self.study_state(&study.id).await.map(Some),
            _ => Ok(None),
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

    /// Creates a draft and publishes it. A draft with the listing's mark, which was not published, becomes what the listing asks for
    /// now.
    pub(super) async fn create_study(&self, listing: &ListingRequest) -> Result<ListingState, PlatformError> {
        const ACTION: &str = "create a study";
        let marked = self.marked(&listing.mark).await?;
        if let Some(study) = marked.as_ref().filter(|study| !is_draft(study)) {
            self.open(&study.id).await?;
            return self.study_state(&study.id).await;
        }
        if self.settings.workspace.is_some() {
            let currency = self.currency_of_workspace(ACTION).await?;
            check_currency(ACTION, currency.as_deref(), &listing.currency)?;
        }
        let draft = self.draft(ACTION, listing).await?;
        let study: Study = match marked {
            Some(study) => {
                let path = format!("studies/{}/", part(ACTION, &study.id)?);
                self.api.write(ACTION, Effect::Change, (Method::PATCH, &path), &draft).await?
            }
            None => self.api.write(ACTION, Effect::Change, (Method::POST, "studies/"), &draft).await?,
        };
        // A study outside of the workspace's projects is paid by the account itself.
        let currency = self.currency_of_draft(ACTION, &study.id).await?;
        if currency.is_some() || self.settings.workspace.is_none() {
            check_currency(ACTION, currency.as_deref(), &listing.currency)?;
        }
        let id = self.publish(&study.id).await?;
        // Publishing may take the platform a moment, so its state is not requested.
        Ok(ListingState { id, admission: ListingAdmission::Open, places: listing.places })
    }

    async fn currency_of_workspace(&self, action: &'static str) -> Result<Option<String>, PlatformError> {
        let path = format!("workspaces/{}/balance/", self.workspace(action)?);
        let balance: Balance = self.api.read(action, &path).await?;
        Ok(balance.currency_code)
    }

    /// The currency in which a draft would be paid, by what it would cost.
    async fn currency_of_draft(
        &self,
        action: &'static str,
        id: &str,
    ) -> Result<Option<String>, PlatformError> {
        let path = format!("studies/{}/cost/?is_projected=true", part(action, id)?);
        let cost: StudyCost = self.api.read(action, &path).await?;
        Ok(cost.rewards.and_then(|rewards| rewards.rewards?.currency))
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
            actor: None,
            actions: [CodeAction { action: "MANUALLY_REVIEW" }],
        };
        let own =
            CompletionCode { actor: Some("researcher"), ..review(&listing.handed_in_code, "COMPLETED") };
        let joined = if listing.address.contains('?') { '&' } else { '?' };
        Ok(StudyDraft {
            name: &listing.title,
            internal_name: &listing.mark,
            description: &listing.description,
            external_study_url: format!("{}{joined}{PARAMETERS}", listing.address),
            prolific_id_option: "url_parameters",
            is_external_study_url_secure: self.settings.signed_addresses,
            completion_codes: vec![
                review(&listing.completed_code, "COMPLETED"),
                review(&listing.disqualified_code, "OTHER"),
                own,
            ],
            total_available_places: listing.places,
            estimated_completion_time: listing.minutes,
            maximum_allowed_time: listing.minutes_at_most,
            reward,
            device_compatibility: &self.settings.devices,
            peripheral_requirements: [],
            filters,
            content_warnings: &self.settings.content_warnings,
            study_labels: &self.settings.study_labels,
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
            return self.open(id).await;
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
            // No one can enter.
            _ => Ok(()),
        }
    }

    /// Lets people in.
    async fn open(&self, id: &str) -> Result<(), PlatformError> {
        const ACTION: &str = "resume a study";
        let (study, status) = self.study(id).await?;
        match status {
            StudyStatus::Draft => Err(refused(ACTION, "it was never published")),
            StudyStatus::Paused => self.transition(ACTION, id, "START").await,
            StudyStatus::Published | StudyStatus::Full => Ok(()),
            StudyStatus::Stopped => {
                Err(refused(ACTION, "it was stopped, and only more places open it again"))
            }
            StudyStatus::Unknown => Err(unknown_status(ACTION, &study)),
        }
    }

    /// Publishes a draft. Returns the id of what is published: tests have a separate study.
    async fn publish(&self, id: &Arc<str>) -> Result<Arc<str>, PlatformError> {
        const ACTION: &str = "publish a study";
        const REHEARSE: &str = "publish a test study";
        if self.money == Money::Real {
            return match self.transition(ACTION, id, "PUBLISH").await {
                // A request that arrived twice is refused the second time.
                Err(PlatformError::Refused { .. }) if self.is_published(id).await => Ok(Arc::clone(id)),
                published => published.map(|()| Arc::clone(id)),
            };
        }
        let path = format!("studies/{}/test-study", part(REHEARSE, id)?);
        let test = self.api.write(REHEARSE, Effect::Change, (Method::POST, &path), &json!({})).await;
        test.map(|test: TestStudy| test.study_id).map_err(|error| match error {
            PlatformError::Refused { platform, action, reason } => {
                PlatformError::Refused { platform, action, reason: format!("{reason}; {REHEARSAL}") }
            }
            error => error,
        })
    }

    async fn is_published(&self, id: &str) -> bool {
        let published = [StudyStatus::Published, StudyStatus::Full];
        self.study(id).await.is_ok_and(|(_, status)| published.contains(&status))
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

/// Prolific would take the numbers of another currency for its own.
fn check_currency(action: &'static str, known: Option<&str>, wanted: &str) -> Result<(), PlatformError> {
    match known {
        Some(known) if known == wanted => Ok(()),
        Some(known) => {
            Err(refused(action, format!("the account pays in {known}, and the study in {wanted}")))
        }
        None => Err(refused(
            action,
            format!("it does not say in which currency the account pays, and the study pays in {wanted}"),
        )),
    }
}

fn is_draft(study: &Study) -> bool {
    StudyStatus::of(study) == StudyStatus::Draft
}

/// It would be a guess what a change of such a study does.
fn unknown_status(action: &'static str, study: &Study) -> PlatformError {
    not_understood(action, format!("its status is `{}`", study.status))
}
