//! Whether a study is full: as the store knows it, and then as the panel does, where places may have been given back.

use std::net::IpAddr;
use std::sync::Arc;

use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::operator::Offered;
use crate::web::service::panel::PanelService;
use crate::web::service::places::Places;
use crate::web::service::recruiting_control::RecruitingControl;
use crate::web::service::running::RunningStudy;
use crate::web::wire::request::Arrival;

/// Looks for a place for a person who has come.
#[derive(Debug)]
pub(crate) struct Vacancies {
    context: Arc<Context>,
    running: Arc<RunningStudy>,
    places: Arc<Places>,
    panel: Arc<PanelService>,
    recruiting: Arc<Offered<dyn RecruitingControl>>,
}

impl Vacancies {
    pub(crate) fn new(
        context: &Arc<Context>,
        running: &Arc<RunningStudy>,
        places: &Arc<Places>,
        panel: &Arc<PanelService>,
        recruiting: Arc<Offered<dyn RecruitingControl>>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            running: Arc::clone(running),
            places: Arc::clone(places),
            panel: Arc::clone(panel),
            recruiting,
        }
    }

    /// Whether every place is taken for a person who comes from an address, also by what the panel says.
    pub(crate) async fn is_full(&self, arrival: &Arrival, from: Option<IpAddr>) -> Result<bool, Fault> {
        if !self.places.is_full_for(from).await? {
            return Ok(false);
        }
        // No place of a complete study is given back.
        let is_held = self.running.counts().await?.held > 0;
        if !is_held || !self.ask(arrival).await {
            return Ok(true);
        }
        self.places.is_full_for(from).await
    }

    /// Asks the panel for places that were given back. Returns whether it was asked: it cannot be asked, or it is unknown who has
    /// come.
    pub(crate) async fn ask(&self, arrival: &Arrival) -> bool {
        let (Some(control), Some(ids)) = (self.recruiting.get(), self.panel.participant(arrival)) else {
            return false;
        };
        control.vacate(&ids, self.context.now().0 / 1_000).await;
        self.running.forget_counts().await;
        true
    }
}
