//! The rater page: a study served to people's browsers.
//!
//! The page shows each step of a session and reports what happened (`docs/reference/protocol.md`). The session machine is the one
//! that the simulator drives. A server process holds no state that is not in the store: any number of processes can serve one
//! study, and any of them can be killed.
//!
//! The backend is [`Web`](crate::Web). A program with its own server mounts [`router`] in its axum application.

use axum::Router;
use hype_core::plugin::surroundings::Surroundings;
use hype_core::{Diagnostics, Study};

mod arrival_source;
mod fitted;
mod http;
mod layout;
mod service;
pub mod settings;
mod texts;
mod transfer;
pub mod wire;

pub use self::arrival_source::ArrivalSource;
pub use self::fitted::fitting_size;
#[cfg(feature = "crowd")]
pub(crate) use self::http::companion::Companion;
pub(crate) use self::http::serve::collect;
#[cfg(feature = "crowd")]
pub(crate) use self::http::serve::{Accompanied, collect_accompanied};
pub use self::http::serve::{PREPARED_FOLDER, ServeError, Serving, host, host_panel, serve};
pub use self::http::tls::TlsError;
#[cfg(feature = "crowd")]
pub(crate) use self::http::visitor::Visiting;
pub use self::layout::preview::seen_sizes;
pub use self::layout::{Area, Asking, Buttons, LAYOUT, PageDimensions, Shape};
pub use self::service::entry::{EntryService, Opened};
pub use self::service::fault::Fault;
pub use self::service::image_source::{ImageSource, StimulusFile};
pub use self::service::images::ImageService;
pub use self::service::operator::OperatorService;
#[cfg(feature = "crowd")]
pub(crate) use self::service::panel_ids::folded;
pub use self::service::panel_ids::{PANEL_PARAMETERS, PanelIds};
pub use self::service::panel_rules::{
    ArrivalProof, PanelRules, PreviewMark, Received, ReturnSignature, StudyPeople, SubmitForm, Webhook,
};
pub use self::service::participants::{Participants, panel_ids};
#[cfg(feature = "media")]
pub use self::service::prepared::media::PreparedMedia;
pub use self::service::prepared::{PreparationStep, PreparedImages};
pub use self::service::recruiting_control::{CrowdReceipt, RecruitingControl};
pub use self::service::roster::Roster;
pub use self::service::services::Services;
pub use self::service::trial::TrialService;
pub use self::settings::Page;
pub use self::transfer::Transfer;
pub use self::wire::status::{Cost, OpenProblem, OperatorRole, Overview, ServerProblem, Status};
pub use crate::clock::{Clock, SystemClock};

/// The routes of a study's page, to be nested in an axum application at any path that ends with a slash. The same path without
/// the slash is not among them: the application redirects it, as `examples/nested.rs` does.
///
/// # Examples
/// ```no_run
/// use axum::Router;
/// use hype_backends::web::{Services, router};
///
/// fn application(services: Services) -> Router {
///     Router::new().nest("/study/", router(services))
/// }
/// ```
pub fn router(services: Services) -> Router {
    http::server::router(services)
}

/// Warns of images that common screens cannot show whole, and of texts that some raters cannot read.
pub(crate) fn review(page: &Page, study: &Study, at: &mut Diagnostics) {
    layout::preview::review(study, page, at);
    layout::closely::review(study, page, at);
    texts::review(study, page, at);
}

/// Checks what a spec says of a page and, if the study is about to be run, the files that it names.
pub(crate) fn check(page: &Page, around: &Surroundings<'_>, at: &mut Diagnostics) {
    page.check(at);
    if let Some(outside) = around.outside {
        at.within("instructions", |at| texts::check_examples(page, outside.folder, at));
    }
    if let (Some(tls), Some(outside)) = (&page.tls, around.outside) {
        at.within("tls", |at| http::tls::check(tls, outside.folder, at));
    }
}
