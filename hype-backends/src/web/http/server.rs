//! The routes of a study's page.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, OriginalUri, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri};
use axum::middleware::{self, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use hype_core::MediaKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::web::http::assets::{FILES, RaterPages};
use crate::web::http::body::read;
use crate::web::http::policy::RaterPage;
use crate::web::http::streamed::body_of;
use crate::web::http::{operator, origin, policy, source};
use crate::web::service::context::Context;
use crate::web::service::entry::Opened;
use crate::web::service::fault::Fault;
use crate::web::service::image_source::StimulusFile;
use crate::web::service::services::Services;
use crate::web::wire::refusal::RefusalBody;
use crate::web::wire::request::{
    AnswerReport, BackRequest, BeginRequest, ConsentRequest, DisturbedReport, LeaveRequest, NextRequest,
    OpenRequest, WaitRequest,
};

/// The largest request body, in bytes. The display report of a long trial takes a few thousand, and the texts of a page up to 40,000.
const BODY: usize = 64 * 1024;

/// Browsers use HTTPS for this host, and for none of its subdomains, during the next thirty days.
const HTTPS_ONLY: &str = "max-age=2592000";

/// All routes of a study, relative to where the router is mounted.
pub(crate) fn router(services: Services) -> Router {
    let pages = Arc::new(RaterPages::new(&services.context.page));
    Router::new()
        .route("/", get(move |headers: HeaderMap| async move { index(&pages, &headers).await }))
        .route("/assets/{*name}", get(asset))
        .route("/api/open", post(open))
        .route("/api/consent", post(consent))
        .route("/api/begin", post(begin))
        .route("/api/wait", post(wait))
        .route("/api/answer", post(answer))
        .route("/api/back", post(back))
        .route("/api/disturbed", post(disturbed))
        .route("/api/leave", post(leave))
        .route("/api/next", post(next))
        .route("/api/panel", post(panel))
        .route("/image/{name}", get(image))
        .route("/health", get(health))
        .merge(operator::routes())
        .fallback(nothing)
        .method_not_allowed_fallback(nothing)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(services.clone(), guard))
        .with_state(services)
}

/// Gives every response the same headers in the same order, and every refusal the same form.
async fn guard(
    State(Services { context, .. }): State<Services>,
    request: Request<Body>,
    next: middleware::Next,
) -> Response {
    let mut response = match origin::is_own(&request, context.page.public_url.as_deref()) {
        true => next.run(request).await,
        false => Fault::OtherOrigin.into_response(),
    };
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        // Refusals by axum itself, such as of a body that is too large, are plain text.
        if response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
            let reason = status.canonical_reason().unwrap_or("the request was refused").to_lowercase();
            response = refusal(status, &Fault::BadRequest(reason));
        }
        let code = response.extensions().get().map_or("failed", |RefusalCode(code)| code);
        context.traffic.refused(status.as_u16(), code, context.now());
    }
    let is_rater_page = response.extensions().get::<RaterPage>().is_some();
    let headers = response.headers_mut();
    // Only the page's own modules say otherwise.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let fixed = [
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let plays_clips = is_rater_page && context.study.stimuli().kind() == MediaKind::Video;
    policy::set(headers, context.panel.as_ref().filter(|_| is_rater_page), plays_clips);
    // A proxy in front of the page decides for itself.
    if context.page.tls.is_some() {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_ONLY));
    }
    response
}

async fn index(pages: &RaterPages, headers: &HeaderMap) -> Response {
    match pages.page(headers) {
        Some(page) => (Extension(RaterPage), page).into_response(),
        None => nothing().await,
    }
}

async fn asset(headers: HeaderMap, Path(name): Path<String>) -> Response {
    match FILES.find(&name, &headers) {
        Some(file) => file,
        None => nothing().await,
    }
}

async fn nothing() -> Response {
    Fault::NothingThere.into_response()
}

/// The code of a refused request, for those who count them.
#[derive(Debug, Clone, Copy)]
struct RefusalCode(&'static str);

async fn health(State(Services { operator, .. }): State<Services>) -> Response {
    let (reached, problems) = operator.health().await;
    if reached.is_ok() && problems.is_empty() {
        return axum::Json(json!({ "status": "ok" })).into_response();
    }
    let code = reached.err().map_or("failed", |fault| fault.code());
    // The reasons in full, which may contain paths and addresses, are for the operator only.
    let problems: Vec<Value> = problems
        .iter()
        .map(|open| {
            let (problem, meaning) = (open.problem.code(), open.problem.meaning());
            json!({ "problem": problem, "meaning": meaning, "seconds": open.lasts_us.0 / 1_000_000 })
        })
        .collect();
    let body = json!({ "status": "failing", "problems": problems });
    (StatusCode::SERVICE_UNAVAILABLE, Extension(RefusalCode(code)), axum::Json(body)).into_response()
}

async fn open(
    State(Services { entry, context, .. }): State<Services>,
    OriginalUri(address): OriginalUri,
    Report { cookie, body, from }: Report<OpenRequest>,
) -> Result<Response, Fault> {
    let opened = entry.open(cookie.as_deref(), &body, from).await?;
    Ok(with_cookie(&context, &address, opened))
}

async fn consent(
    State(Services { entry, context, .. }): State<Services>,
    OriginalUri(address): OriginalUri,
    Report { cookie, body, from }: Report<ConsentRequest>,
) -> Result<Response, Fault> {
    let opened = entry.consent(cookie.as_deref(), &body, from).await?;
    Ok(with_cookie(&context, &address, opened))
}

async fn begin(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<BeginRequest>,
) -> Result<Response, Fault> {
    Ok(json(&trial.begin(cookie.as_deref(), body).await?))
}

async fn wait(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<WaitRequest>,
) -> Result<Response, Fault> {
    Ok(json(&trial.wait(cookie.as_deref(), &body).await?))
}

async fn answer(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<AnswerReport>,
) -> Result<Response, Fault> {
    Ok(json(&trial.answer(cookie.as_deref(), body).await?))
}

async fn back(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<BackRequest>,
) -> Result<Response, Fault> {
    Ok(json(&trial.back(cookie.as_deref(), &body).await?))
}

async fn disturbed(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<DisturbedReport>,
) -> Result<Response, Fault> {
    Ok(json(&trial.disturbed(cookie.as_deref(), body).await?))
}

async fn leave(
    State(Services { trial, .. }): State<Services>,
    Report { cookie, body, .. }: Report<LeaveRequest>,
) -> Result<Response, Fault> {
    Ok(json(&trial.leave(cookie.as_deref(), &body).await?))
}

async fn next(
    State(Services { entry, context, .. }): State<Services>,
    OriginalUri(address): OriginalUri,
    Report { cookie, .. }: Report<NextRequest>,
) -> Result<Response, Fault> {
    entry.next(cookie.as_deref()).await?;
    let mut response = json(&json!({}));
    set_cookie(&context, &address, &mut response, "", 0);
    Ok(response)
}

async fn panel(
    State(Services { panel, .. }): State<Services>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Fault> {
    panel.receive(&headers, &body)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn image(
    State(Services { images, context, .. }): State<Services>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, Fault> {
    let (media_type, file) = images.image(cookie(&context, &headers), &name).await?;
    let media_type = [(CONTENT_TYPE, HeaderValue::from_static(media_type))];
    Ok(match file {
        StimulusFile::Memory(bytes) => (media_type, bytes).into_response(),
        StimulusFile::Disk(file, length) => {
            (media_type, [(CONTENT_LENGTH, HeaderValue::from(length))], body_of(file)).into_response()
        }
    })
}

/// A request body, read once its session's budget allows.
struct Report<T> {
    /// The session's cookie, if the request has one.
    cookie: Option<String>,
    body: T,
    /// The address that it comes from, if it is known.
    from: Option<IpAddr>,
}

impl<T: DeserializeOwned> FromRequest<Services> for Report<T> {
    type Rejection = Response;

    async fn from_request(request: Request<Body>, services: &Services) -> Result<Self, Response> {
        let context = &services.context;
        let headers = request.headers().clone();
        let from = source::source(request.extensions(), &headers, &context.page);
        let body = Bytes::from_request(request, services).await.map_err(IntoResponse::into_response)?;
        let cookie = cookie(context, &headers);
        context.admit(cookie).map_err(IntoResponse::into_response)?;
        let body = read(&headers, &body).map_err(IntoResponse::into_response)?;
        Ok(Self { cookie: cookie.map(str::to_owned), body, from })
    }
}

/// The session's cookie, if the request has one.
fn cookie<'a>(context: &Context, headers: &'a HeaderMap) -> Option<&'a str> {
    let ours = &*context.cookie_name;
    let all = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(name, value)| (name == ours).then_some(value))
}

/// The screen, with the cookie of a new session.
fn with_cookie(context: &Context, address: &Uri, opened: Opened) -> Response {
    let mut response = json(&opened.screen);
    if let Some(cookie) = opened.cookie {
        let seconds = u64::from(context.page.session_hours) * 3_600;
        set_cookie(context, address, &mut response, &cookie, seconds);
    }
    response
}

/// Sets the session's cookie for the folder that the page is served from, with a lifetime in seconds, and over HTTPS only
/// if the page is served by it. In a panel's frame it is sent to the page in that panel's frames only.
fn set_cookie(context: &Context, address: &Uri, response: &mut Response, cookie: &str, seconds: u64) {
    let folder = address.path().rfind("/api/").map_or("", |end| &address.path()[..end]);
    let is_framed = context.panel.as_ref().is_some_and(|rules| !rules.framed_by.is_empty());
    let sites = match (context.page.is_secure(), is_framed) {
        (true, true) => "SameSite=None; Secure; Partitioned",
        (true, false) => "SameSite=Strict; Secure",
        (false, _) => "SameSite=Strict",
    };
    let name = &context.cookie_name;
    let cookie = format!("{name}={cookie}; Path={folder}/; Max-Age={seconds}; HttpOnly; {sites}");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(SET_COOKIE, value);
    }
}

fn json<T: Serialize>(body: &T) -> Response {
    axum::Json(body).into_response()
}

fn refusal(status: StatusCode, fault: &Fault) -> Response {
    let body = RefusalBody::new(fault.code(), fault.to_string());
    (status, Extension(RefusalCode(fault.code())), axum::Json(body)).into_response()
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let mut response = refusal(status, &self);
        if let Self::TooMany { seconds } | Self::Crowded { seconds } = self {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
