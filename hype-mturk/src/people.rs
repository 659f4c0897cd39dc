//! Pools are qualification types of the account.

use aws_sdk_mturk::types::QualificationTypeStatus;
use hype_backends::crowd::platform::ListingRequest;

use crate::failure::{Call, Failure};
use crate::{MechanicalTurk, PAGE, turn_page};

const FIND: Call = Call::read("find a qualification type");
const CREATE: Call = Call::read("create a qualification type");
const QUALIFY: Call = Call::change("give a worker a qualification");

/// The description of a qualification that workers read.
const DESCRIPTION: &str = "Given to people who have taken part in a study of this requester.";

/// The longest name of a qualification type, in characters.
const LONGEST_NAME: usize = 200;

impl MechanicalTurk {
    /// The qualification types of a listing's pools: the one that workers must have, and those that they must not have. The
    /// latter are created if there are none: workers who are added to them later are kept out.
    pub(crate) async fn pools_of(
        &self,
        listing: &ListingRequest,
    ) -> Result<(Option<String>, Vec<String>), Failure> {
        let pool = match &listing.pool {
            Some(name) => {
                let found = self.find_pool(name).await?;
                Some(found.ok_or_else(|| {
                    FIND.refused(format!("the account has none named `{name}`, and no one could take part"))
                })?)
            }
            None => None,
        };
        let mut excluded = Vec::new();
        for name in &listing.excluded_pools {
            excluded.push(self.pool(name).await?);
        }
        Ok((pool, excluded))
    }

    /// Gives workers the qualification of a pool.
    pub(crate) async fn qualify(&self, pool: &str, participants: &[&str]) -> Result<(), Failure> {
        if participants.is_empty() {
            return Ok(());
        }
        let id = self.pool(pool).await?;
        for participant in participants {
            let request = self
                .client
                .associate_qualification_with_worker()
                .qualification_type_id(&id)
                .worker_id(*participant)
                .integer_value(1)
                .send_notification(false);
            match self.send(QUALIFY, || request.clone().send()).await {
                Err(failure) if !failure.is_repetition() => return Err(failure),
                _ => {}
            }
        }
        Ok(())
    }

    /// The qualification type of a pool, which is created if there is none.
    async fn pool(&self, name: &str) -> Result<String, Failure> {
        if let Some(id) = self.find_pool(name).await? {
            return Ok(id);
        }
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(CREATE.refused(format!("its name has 1 to {LONGEST_NAME} characters")));
        }
        let request = self
            .client
            .create_qualification_type()
            .name(name)
            .description(DESCRIPTION)
            .qualification_type_status(QualificationTypeStatus::Active);
        match self.send(CREATE, || request.clone().send()).await {
            Ok(created) => created
                .qualification_type
                .and_then(|created| created.qualification_type_id)
                .ok_or_else(|| CREATE.not_understood("the service did not describe it")),
            // Another program created it in the meantime, or the list is behind.
            Err(failure) if failure.is_repetition() => self
                .find_pool(name)
                .await?
                .ok_or_else(|| CREATE.unavailable("it exists, and the service does not list it yet")),
            Err(failure) => Err(failure),
        }
    }

    async fn find_pool(&self, name: &str) -> Result<Option<String>, Failure> {
        let mut token = None;
        loop {
            let request = self
                .client
                .list_qualification_types()
                .query(name)
                .must_be_requestable(false)
                .must_be_owned_by_caller(true)
                .max_results(PAGE)
                .set_next_token(token.clone());
            let page = self.send(FIND, || request.clone().send()).await?;
            // The query finds words anywhere in a type.
            let mut found = page.qualification_types.unwrap_or_default().into_iter();
            if let Some(found) = found.find(|one| one.name.as_deref() == Some(name)) {
                return Ok(found.qualification_type_id);
            }
            if !turn_page(&mut token, page.next_token) {
                return Ok(None);
            }
        }
    }
}
