//! Amazon Mechanical Turk: HITs, assignments, qualifications and money, protocol 2017-01-17.
//!
//! Requests of requesters are judged before they are carried out: by their signature, by the service's
//! [official model](ServiceModel) if there is one, and by limits that only the documentation states. [`FakeTurk::objections`] has
//! what was found.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;

use self::answer::{Refused, done};
use self::operations::Input;
use self::signature::Keys;
use self::state::State;
use crate::clock::FakeClock;
use crate::desk::page;
use crate::serve::FakePlatform;

mod answer;
mod desk;
mod eligibility;
mod limits;
mod model;
mod operations;
mod signature;
mod state;
mod text;
mod workers;

pub use self::eligibility::TurkWorker;
pub use self::model::ServiceModel;
pub use self::state::{PaidBonus, TurkMoney};
pub use self::workers::{AcceptedWork, TurkRefusal};

/// The prefix of targets and the content type, for a fake without a model.
const TARGET: &str = "MTurkRequesterServiceV20170117";
const CONTENT_TYPE: &str = "application/x-amz-json-1.1";

/// Where workers hand work in.
const SUBMIT: &str = "/mturk/externalSubmit";

/// Where the sandbox has its workers hand work in.
const SANDBOX: &str = "https://workersandbox.mturk.com";

/// A fake of Mechanical Turk. Clones are the same service.
#[derive(Debug, Clone)]
pub struct FakeTurk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    clock: FakeClock,
    keys: Keys,
    model: Option<ServiceModel>,
    submit_to: Mutex<String>,
    objections: Mutex<Vec<String>>,
    operations: Mutex<BTreeSet<String>>,
}

/// No panic can leave what is behind these locks half-changed, so a poisoned lock is safe to use.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FakeTurk {
    /// A service with one account, whose balance is 10,000 USD. Without a model, only signatures and documented limits are judged.
    #[must_use]
    pub fn new(clock: FakeClock, access_key: &str, secret_key: &str, model: Option<ServiceModel>) -> Self {
        let keys = Keys { access_key: access_key.into(), secret_key: secret_key.into() };
        Self(Arc::new(Inner {
            state: Mutex::default(),
            clock,
            keys,
            model,
            submit_to: Mutex::new(SANDBOX.into()),
            objections: Mutex::default(),
            operations: Mutex::default(),
        }))
    }

    /// The state at the time that the clock shows.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = locked(&self.0.state);
        state.pass(self.0.clock.unix_ms());
        state
    }

    /// Returns the faults of the requests so far, each with its place. Answers of the fake are judged as well.
    #[must_use]
    pub fn objections(&self) -> Vec<String> {
        locked(&self.0.objections).clone()
    }

    /// The operations of the requests so far that were read.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<String> {
        locked(&self.0.operations).clone()
    }

    /// Pages of lists have at most so many entries, whatever is asked for.
    pub fn limit_pages(&self, entries: usize) {
        self.state().page = entries;
    }

    /// Sets the balance, in cents.
    pub fn set_balance(&self, cents: u64) {
        self.state().balance = cents;
    }

    /// Workers hand work in at an address, such as the one at which the fake is served; by default at that of Amazon's sandbox.
    pub fn set_submit_to(&self, address: &str) {
        address.clone_into(&mut locked(&self.0.submit_to));
    }

    fn submit_to(&self) -> String {
        locked(&self.0.submit_to).clone()
    }

    /// The money of the account and where it went.
    #[must_use]
    pub fn paid(&self) -> TurkMoney {
        let state = self.state();
        TurkMoney {
            balance: state.balance,
            rewards: state.rewards.clone(),
            bonuses: state.bonuses.iter().map(|bonus| bonus.paid.clone()).collect(),
            fees: state.fees,
        }
    }

    /// The HITs that were created, in their order, without those that were deleted.
    #[must_use]
    pub fn hits(&self) -> Vec<String> {
        self.state().hits.iter().filter(|hit| !hit.is_deleted).map(|hit| hit.id.clone()).collect()
    }

    /// The number of HIT types.
    #[must_use]
    pub fn hit_types(&self) -> usize {
        self.state().hit_types.len()
    }

    /// The workers who have the qualification with a name.
    #[must_use]
    pub fn qualified(&self, name: &str) -> BTreeSet<String> {
        let state = self.state();
        let types: Vec<_> = state.qualification_types.iter().filter(|one| one.name == name).collect();
        let holders = state.qualifications.keys().filter(|(id, _)| types.iter().any(|one| one.id == *id));
        holders.map(|(_, worker)| worker.clone()).collect()
    }

    /// A request that is signed with the keys of the account, for tests that send what the official client cannot.
    #[must_use]
    pub fn signed(&self, operation: &str, body: &str) -> Request<Bytes> {
        let now = i64::try_from(self.0.clock.unix_ms() / 1_000).unwrap_or(i64::MAX);
        let request = Request::post("/")
            .header("content-type", CONTENT_TYPE)
            .header("host", "127.0.0.1")
            .header("x-amz-date", signature::date(now))
            .header("x-amz-target", format!("{TARGET}.{operation}"))
            .body(Bytes::copy_from_slice(body.as_bytes()));
        let mut request = request.unwrap_or_default();
        let authorization = signature::authorization(&request, &self.0.keys).unwrap_or_default();
        if let Ok(authorization) = authorization.parse() {
            request.headers_mut().insert("authorization", authorization);
        }
        request
    }

    /// Carries out a request of a requester, or says why not.
    fn perform(&self, request: &Request<Bytes>) -> Result<Value, Refused> {
        let now = i64::try_from(self.0.clock.unix_ms() / 1_000).unwrap_or(i64::MAX);
        signature::check(request, &self.0.keys, now)
            .map_err(|fault| self.object(vec![format!("signature: {fault}")], Refused::unsigned))?;
        let (operation, input) =
            self.read(request).map_err(|fault| self.object(vec![fault], Refused::malformed))?;
        locked(&self.0.operations).insert(operation.clone());
        if let Some(model) = &self.0.model {
            let (method, path) = (request.method().as_str(), request.uri().path());
            let faults = model.objections(&operation, method, path, &input);
            if !faults.is_empty() {
                return Err(self.object(faults, Refused::malformed));
            }
        }
        let faults = limits::objections(&operation, &input);
        if !faults.is_empty() {
            return Err(self.object(faults, Refused::invalid));
        }
        let output = self.state().perform(&operation, &Input(&input))?;
        if let Some(model) = &self.0.model {
            let faults = model.objections_to_answer(&operation, &output);
            locked(&self.0.objections).extend(faults.into_iter().map(|fault| format!("answer: {fault}")));
        }
        Ok(output)
    }

    /// The operation that a request names, and its input.
    fn read(&self, request: &Request<Bytes>) -> Result<(String, Value), String> {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let model = self.0.model.as_ref();
        let content_type = model.map_or_else(|| CONTENT_TYPE.to_owned(), ServiceModel::content_type);
        if header("content-type") != Some(&*content_type) {
            return Err(format!("the content type is not {content_type}"));
        }
        let prefix = model.map_or(TARGET, ServiceModel::target_prefix);
        let target = header("x-amz-target").unwrap_or_default();
        let operation = target.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'));
        let operation =
            operation.ok_or_else(|| format!("the target {target:?} does not begin with {prefix}"))?;
        let input: Value = serde_json::from_slice(request.body()).map_err(|error| error.to_string())?;
        if !input.is_object() {
            return Err("the body is not an object".into());
        }
        Ok((operation.to_owned(), input))
    }

    /// Remembers objections; the refusal states the first.
    fn object(&self, faults: Vec<String>, refused: impl FnOnce(String) -> Refused) -> Refused {
        let first = faults.first().cloned().unwrap_or_default();
        locked(&self.0.objections).extend(faults);
        refused(first)
    }

    /// A worker's page hands work in.
    fn take_form(&self, request: &Request<Bytes>) -> Response<Bytes> {
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let mut fields = text::form(if *request.method() == Method::GET {
            request.uri().query().unwrap_or_default()
        } else {
            &body
        });
        let assignment = fields.remove("assignmentId").unwrap_or_default();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        // The service refuses forms without any answer.
        let taken = !fields.is_empty() && self.submit(&assignment, &fields).is_ok();
        let (status, text) = match taken {
            true => (StatusCode::OK, "<p>Thank you.</p>"),
            false => (StatusCode::BAD_REQUEST, "<p>There was a problem submitting your results.</p>"),
        };
        page(status, "Mechanical Turk", text)
    }
}

impl FakePlatform for FakeTurk {
    /// The name of the operation, or of the form of workers.
    fn label(&self, request: &Request<Bytes>) -> String {
        let target = request.headers().get("x-amz-target").and_then(|value| value.to_str().ok());
        match target.and_then(|target| target.rsplit_once('.')) {
            Some((_, operation)) => operation.to_owned(),
            None => request.uri().path().rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
        if request.uri().path() == SUBMIT {
            return self.take_form(request);
        }
        if let Some(page) = desk::answer(self, request) {
            return page;
        }
        match self.perform(request) {
            Ok(output) => done(&output),
            Err(refused) => refused.response(self.0.clock.unix_ms()),
        }
    }

    fn failure(&self) -> Response<Bytes> {
        Refused::fault().response(self.0.clock.unix_ms())
    }

    fn throttled(&self) -> Response<Bytes> {
        Refused::throttled().response(self.0.clock.unix_ms())
    }
}
