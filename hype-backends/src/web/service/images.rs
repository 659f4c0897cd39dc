//! The images of a session, by the names that they have in it.

use std::sync::Arc;

use hype_core::StimulusId;

use crate::web::service::cached_session::CachedSession;
use crate::web::service::context::Context;
use crate::web::service::fault::Fault;
use crate::web::service::health::{Area, Health};
use crate::web::service::image_source::StimulusFile;
use crate::web::service::keys::{Credential, ImageId};
use crate::web::service::sessions::Sessions;
use crate::web::wire::status::ServerProblem;

/// Reads images for raters who are in a session.
#[derive(Debug)]
pub struct ImageService {
    context: Arc<Context>,
    sessions: Arc<Sessions>,
    health: Arc<Health>,
}

impl ImageService {
    pub(crate) fn new(context: &Arc<Context>, sessions: &Arc<Sessions>, health: &Arc<Health>) -> Self {
        Self { context: Arc::clone(context), sessions: Arc::clone(sessions), health: Arc::clone(health) }
    }

    /// The media type and the file of an image, clip or text, by its name in the rater's current block.
    ///
    /// # Errors
    /// If the cookie belongs to no session, the block has no image of this name, or the image cannot be read.
    pub async fn image(
        &self,
        cookie: Option<&str>,
        name: &str,
    ) -> Result<(&'static str, StimulusFile), Fault> {
        let credential = self.context.credential(cookie).ok_or(Fault::NoSession)?;
        let shown = match self.find(&credential, name, |_| true).await {
            // The copy may be older than the block: another process may have begun it.
            Err(Fault::NoSuchImage) => {
                self.context.traffic.admit(&credential.session, self.context.now())?;
                self.find(&credential, name, |_| false).await?
            }
            shown => shown?,
        };
        let images = Arc::clone(&self.context.presenter.images);
        let media_type = match shown {
            ImageId::Stimulus(id) => images.media_type_of(StimulusId(id)),
            ImageId::Mask(_) => images.media_type_of_masks(),
            ImageId::Example(_) => images.media_type(),
        };
        let read = move || match shown {
            ImageId::Stimulus(id) => match images.path(StimulusId(id)) {
                Some(path) => StimulusFile::open(path),
                None => images.stimulus(StimulusId(id)).map(StimulusFile::Memory),
            },
            ImageId::Mask(number) => images.mask(number).map(StimulusFile::Memory),
            ImageId::Example(position) => images.example(position as usize).map(StimulusFile::Memory),
        };
        let read = tokio::task::spawn_blocking(read).await;
        let reason = match read {
            Ok(Ok(file)) => return Ok((media_type, file)),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        self.health.failed(Area::Images, ServerProblem::ImageUnreadable, &reason, self.context.now());
        Err(Fault::Unavailable)
    }

    /// The image that a name in the current block of a session refers to.
    async fn find(
        &self,
        credential: &Credential,
        name: &str,
        is_current: impl Fn(&CachedSession) -> bool,
    ) -> Result<ImageId, Fault> {
        let mut held = self.sessions.load(credential, is_current).await?.ok_or(Fault::NoSession)?;
        self.context.presenter.image_named(held.session()?, name).ok_or(Fault::NoSuchImage)
    }
}
