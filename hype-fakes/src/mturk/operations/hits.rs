//! HIT types and HITs.

use serde_json::{Value, json};

use super::{Input, without_nulls};
use crate::mturk::answer::Refused;
use crate::mturk::eligibility::{Requirement, SYSTEM};
use crate::mturk::state::{Hit, HitType, Progress, State, price, seconds};
use crate::mturk::text::external_question;

/// The service's own delay before it approves work, in seconds: 30 days.
const AUTO_APPROVAL_S: i64 = 2_592_000;

impl State {
    pub(super) fn create_hit_type(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let stated = input.list("QualificationRequirements");
        let requirements: Result<Vec<_>, _> = stated.iter().map(Requirement::of).collect();
        let requirements = requirements.map_err(Refused::invalid)?;
        for requirement in &requirements {
            let is_own = self.qualification_types.iter().any(|own| own.id == requirement.id);
            if !is_own && !SYSTEM.contains(&&*requirement.id) {
                let message = format!("QualificationType {} does not exist.", requirement.id);
                return Err(Refused::by_rule("AWS.MechanicalTurk.QualificationTypeDoesNotExist", message));
            }
        }
        let hit_type = HitType {
            title: input.text("Title")?.into(),
            description: input.text("Description")?.into(),
            keywords: input.optional("Keywords").map(Into::into),
            reward: input.cents("Reward")?,
            auto_approval_s: input.number("AutoApprovalDelayInSeconds").unwrap_or(AUTO_APPROVAL_S),
            duration_s: input.number("AssignmentDurationInSeconds").unwrap_or(0),
            requirements,
            stated: input.0.clone(),
        };
        // Equal values are one type.
        let known = self.hit_types.iter().find(|(_, known)| known.stated == hit_type.stated);
        let id = known.map(|(id, _)| id.clone());
        let id = id.unwrap_or_else(|| self.new_id());
        self.hit_types.insert(id.clone(), hit_type);
        Ok(json!({ "HITTypeId": id }))
    }

    pub(super) fn create_hit(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let type_id = input.text("HITTypeId")?.to_owned();
        let Some(hit_type) = self.hit_types.get(&type_id) else {
            let message = format!("HITType {type_id} does not exist.");
            return Err(Refused::by_rule("AWS.MechanicalTurk.HITTypeDoesNotExist", message));
        };
        let reward = hit_type.reward;
        let question = input.text("Question")?.to_owned();
        if external_question(&question).is_none() {
            let message = "There was an error parsing the XML question or answer data in your request.";
            return Err(Refused::by_rule("AWS.MechanicalTurk.XMLParseError", message));
        }
        let most = input.number("MaxAssignments").unwrap_or(1);
        let places = u64::try_from(most).unwrap_or(0);
        let id = self.new_id();
        let hit = Hit {
            id: id.clone(),
            type_id,
            created_ms: self.now,
            expires_ms: self.now
                + u64::try_from(input.number("LifetimeInSeconds").unwrap_or(0)).unwrap_or(0) * 1_000,
            most,
            annotation: input.optional("RequesterAnnotation").map(Into::into),
            question,
            is_deleted: false,
        };
        if let Some(token) = input.optional("UniqueRequestToken")
            && self.is_used("CreateHITWithHITType", token)
        {
            let message = format!("A HIT has already been created with the request token {token}.");
            return Err(Refused::by_rule("AWS.MechanicalTurk.HitAlreadyExists", message));
        }
        self.hits.push(hit);
        let cost = places * (reward + self.fee(&id, reward));
        if let Err(refused) = self.afford(cost) {
            self.hits.pop();
            if let Some(token) = input.optional("UniqueRequestToken") {
                self.unused("CreateHITWithHITType", token);
            }
            return Err(refused);
        }
        let described = self.hit(&id).map(|hit| self.described(hit));
        Ok(json!({ "HIT": described }))
    }

    pub(super) fn add_assignments(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let hit = self.known_hit(input)?;
        let (id, most) = (hit.id.clone(), hit.most);
        let more = input.number("NumberOfAdditionalAssignments").unwrap_or(0);
        if hit.is_deleted {
            return Err(invalid_state(hit));
        }
        if most < 10 && most + more >= 10 {
            let message =
                "HITs created with fewer than 10 assignments cannot be extended to have 10 or more.";
            return Err(Refused::by_rule("AWS.MechanicalTurk.InvalidMaximumAssignmentsIncrease", message));
        }
        if let Some(token) = input.optional("UniqueRequestToken")
            && self.is_used("CreateAdditionalAssignmentsForHIT", token)
        {
            return Err(Refused::used_token(token));
        }
        if let Some(hit) = self.hit_mut(&id) {
            hit.most += more;
        }
        Ok(json!({}))
    }

    pub(super) fn update_expiration(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let hit = self.known_hit(input)?;
        if hit.is_deleted {
            return Err(invalid_state(hit));
        }
        let id = hit.id.clone();
        let at = input.0.get("ExpireAt").and_then(Value::as_f64).unwrap_or(0.0).max(0.0);
        // The service makes a token of its own of the HIT and the time, and refuses to set a time again, even if another one was set
        // in between.
        let token = format!("{id}{at}");
        if self.is_used("UpdateExpirationForHIT", &token) {
            return Err(Refused::used_token(&token));
        }
        let now = self.now;
        if let Some(hit) = self.hit_mut(&id) {
            // A time in the past is now.
            hit.expires_ms = ((at * 1_000.0) as u64).max(now.min(hit.expires_ms));
        }
        Ok(json!({}))
    }

    pub(super) fn delete_hit(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let hit = self.known_hit(input)?;
        if self.status(hit) != "Reviewable" || self.count(&hit.id, &[Progress::Submitted]) > 0 {
            return Err(invalid_state(hit));
        }
        let id = hit.id.clone();
        if let Some(hit) = self.hit_mut(&id) {
            hit.is_deleted = true;
        }
        Ok(json!({}))
    }

    pub(super) fn get_hit(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let hit = self.known_hit(input)?;
        Ok(json!({ "HIT": self.described(hit) }))
    }

    pub(super) fn list_hits(&mut self, input: &Input<'_>) -> Result<Value, Refused> {
        let listed = self.hits.iter().rev().filter(|hit| !hit.is_deleted);
        let listed = listed.map(|hit| self.described(hit)).collect();
        self.page(input, "HITs", listed)
    }

    /// A HIT as the protocol describes it.
    pub(super) fn described(&self, hit: &Hit) -> Value {
        use Progress::{Accepted, Approved, Rejected};
        let hit_type = self.hit_types.get(&hit.type_id);
        without_nulls(json!({
            "HITId": hit.id,
            "HITTypeId": hit.type_id,
            "HITGroupId": hit.type_id,
            "CreationTime": seconds(hit.created_ms),
            "Title": hit_type.map(|one| &one.title),
            "Description": hit_type.map(|one| &one.description),
            "Keywords": hit_type.and_then(|one| one.keywords.as_ref()),
            "Question": hit.question,
            "HITStatus": self.status(hit),
            "MaxAssignments": hit.most,
            "Reward": hit_type.map(|one| price(one.reward)),
            "AutoApprovalDelayInSeconds": hit_type.map(|one| one.auto_approval_s),
            "AssignmentDurationInSeconds": hit_type.map(|one| one.duration_s),
            "Expiration": seconds(hit.expires_ms),
            "RequesterAnnotation": hit.annotation,
            "QualificationRequirements": hit_type.and_then(|one| one.stated.get("QualificationRequirements")),
            "HITReviewStatus": "NotReviewed",
            "NumberOfAssignmentsPending": self.count(&hit.id, &[Accepted]),
            "NumberOfAssignmentsAvailable": self.available(hit),
            "NumberOfAssignmentsCompleted": self.count(&hit.id, &[Approved, Rejected]),
        }))
    }
}

fn invalid_state(hit: &Hit) -> Refused {
    let message = format!("This HIT {} is in an invalid state for this operation.", hit.id);
    Refused::by_rule("AWS.MechanicalTurk.InvalidHITState", message)
}
