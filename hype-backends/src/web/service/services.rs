//! The services of a study's page, and what they share.

use std::sync::Arc;

use hype_core::{Store, Study};

use crate::clock::Clock;
use crate::web::service::census::Follower;
use crate::web::service::context::Context;
use crate::web::service::entry::EntryService;
use crate::web::service::fault::Fault;
use crate::web::service::health::Health;
use crate::web::service::image_source::ImageSource;
use crate::web::service::images::ImageService;
use crate::web::service::keys::{Keys, random};
use crate::web::service::observed_store::ObservedStore;
use crate::web::service::operator::OperatorService;
use crate::web::service::panel::PanelService;
use crate::web::service::panel_rules::PanelRules;
use crate::web::service::places::Places;
use crate::web::service::present::Presenter;
use crate::web::service::rests::Rests;
use crate::web::service::running::RunningStudy;
use crate::web::service::sessions::Sessions;
use crate::web::service::traffic::Traffic;
use crate::web::service::trial::TrialService;
use crate::web::service::vacancies::Vacancies;
use crate::web::settings::Page;

/// The services of one study's page. Clones are handles to the same services.
///
/// # Examples
/// ```no_run
/// use std::sync::Arc;
///
/// use hype_backends::web::{Fault, Page, PreparedImages, Services, SystemClock};
/// use hype_core::{Store, Study};
///
/// async fn services(
///     study: Study,
///     store: Arc<dyn Store>,
///     images: Arc<PreparedImages>,
/// ) -> Result<Services, Fault> {
///     Services::new(study, store, images, Page::default(), Arc::new(SystemClock)).await
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Services {
    /// How raters enter.
    pub entry: Arc<EntryService>,
    /// The course of a session.
    pub trial: Arc<TrialService>,
    /// The images of a session.
    pub images: Arc<ImageService>,
    /// The operators' view and decisions.
    pub operator: Arc<OperatorService>,
    /// Raters who come from a panel.
    pub(crate) panel: Arc<PanelService>,
    pub(crate) context: Arc<Context>,
    pub(crate) running: Arc<RunningStudy>,
}

/// Who comes to a page.
#[derive(Debug, Default)]
pub(crate) struct Visitors {
    /// The rules of the panel that they come from; `None` without one.
    pub(crate) panel: Option<PanelRules>,
    /// Whether they are synthetic: they report response times, but do not wait for them.
    pub(crate) are_synthetic: bool,
}

impl Services {
    /// Creates the services of a page. The store has to be bound to the study.
    ///
    /// # Errors
    /// If the store fails, the log of a session in it is damaged, a translation has a value that its text does not have,
    /// or the operating system provides no random bytes.
    pub async fn new(
        study: Study,
        store: Arc<dyn Store>,
        images: Arc<dyn ImageSource>,
        page: Page,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Fault> {
        Self::open((study, page), store, images, clock, Visitors::default()).await
    }

    /// Creates the services of a page whose raters come from a panel, as it asks.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub async fn for_panel(
        study: Study,
        store: Arc<dyn Store>,
        images: Arc<dyn ImageSource>,
        page: Page,
        clock: Arc<dyn Clock>,
        rules: PanelRules,
    ) -> Result<Self, Fault> {
        let visitors = Visitors { panel: Some(rules), are_synthetic: false };
        Self::open((study, page), store, images, clock, visitors).await
    }

    /// Creates the services of a page for those who come to it.
    pub(crate) async fn open(
        (study, page): (Study, Page),
        store: Arc<dyn Store>,
        images: Arc<dyn ImageSource>,
        clock: Arc<dyn Clock>,
        Visitors { panel, are_synthetic }: Visitors,
    ) -> Result<Self, Fault> {
        let health = Arc::new(Health::default());
        let census = Arc::new(Follower::new(&study));
        let store = ObservedStore::new(store, Arc::clone(&health), Arc::clone(&clock), Arc::clone(&census));
        let keys = Keys::new(store.secret(random()?).await?);
        let page = match &panel {
            Some(rules) => rules.complete(page),
            None => page,
        };
        let presenter = Presenter::new(&study, &page, &keys, images)
            .map_err(|error| Fault::Refused(error.to_string()))?;
        let context = Arc::new(Context {
            cookie_name: format!("hype_{}", study.digest().short()),
            study,
            store: Arc::new(store),
            keys,
            page,
            panel,
            is_timed: !are_synthetic,
            clock,
            presenter,
            traffic: Traffic::default(),
            rests: Rests::default(),
        });
        let running = Arc::new(RunningStudy::open(Arc::clone(&context)).await?);
        let places = Arc::new(Places::new(&context, &running, &health));
        let panel = Arc::new(PanelService::new(&context));
        let sessions = Arc::new(Sessions::new(&context, &running, &places, &panel));
        let operator = OperatorService::new(&context, &running, census, Arc::clone(&health));
        let vacancies = Vacancies::new(&context, &running, &places, &panel, operator.recruiting());
        Ok(Self {
            entry: Arc::new(EntryService::new(&context, &running, &places, &panel, &sessions, vacancies)),
            trial: Arc::new(TrialService::new(&context, &running, &places, &sessions)),
            images: Arc::new(ImageService::new(&context, &sessions, &health)),
            operator: Arc::new(operator),
            panel,
            context,
            running,
        })
    }
}
