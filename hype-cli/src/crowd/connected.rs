//! A study whose panel can be asked.

use std::path::Path;
use std::sync::Arc;

use hype::backends::crowd::recruiter::Recruiter;
use hype::backends::crowd::{RecruitingBackend, recruiting};
use hype::{FolderError, Opening, StudyFolder};
use hype_core::plugin::surroundings::Purpose;
use hype_core::{BackendSpec, Store, Study};

use crate::args::CrowdStudyArguments;
use crate::failure::Failure;
use crate::opening::open;
use crate::operator::request_name;
use crate::study_folder::study_folder;

/// The treatment of a study that has no folder yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhereNew {
    /// It gets one.
    Create,
    /// The command fails.
    Refuse,
}

/// A study in its folder, with the recruiter that decides about it.
pub(super) struct Connected {
    pub(super) study: Study,
    pub(super) recruiter: Recruiter,
    pub(super) backend: Arc<dyn RecruitingBackend>,
    folder: StudyFolder,
}

impl Connected {
    /// Opens the study of the arguments and connects with its platform. Nothing is sent.
    pub(super) fn open(arguments: &CrowdStudyArguments, new: WhereNew) -> Result<Self, Failure> {
        let path = study_folder(&arguments.spec, arguments.study.as_deref(), false);
        let opening = Opening::of(&arguments.spec).to(Purpose::Collect);
        let study = open(opening, arguments.json, |_| {})?.study;
        let spec = own_backend(&study)?;
        // First, as the message names the backend.
        recruits(spec)?;
        let in_effect = super::in_effect(&study, spec, arguments.production)?;
        let folder = folder(&path, &study, new)?;
        super::spend(&folder, &*in_effect, arguments.production)?;
        let backend = recruiting(&*in_effect).ok_or_else(|| recruits_nobody(spec))?;
        let runtime = hype::runtime()?;
        let recruiter = runtime.block_on(async {
            folder.store().bind(study.digest()).await?;
            backend.connect(&study, folder.shared_store(), &request_name()).await
        })?;
        Ok(Self { study, recruiter, backend, folder })
    }

    /// Waits for the platform.
    pub(super) fn wait<T, E>(&self, asked: impl Future<Output = Result<T, E>>) -> Result<T, Failure>
    where
        Failure: From<E>,
    {
        Ok(hype::runtime()?.block_on(asked)?)
    }

    /// The study's store.
    pub(super) fn store(&self) -> &dyn Store {
        self.folder.store()
    }

    /// Returns the panel's rules for the page.
    pub(super) fn rules(&self) -> Result<hype::backends::web::PanelRules, Failure> {
        Ok(hype::runtime()?.block_on(self.backend.panel_rules(&self.study, self.folder.shared_store()))?)
    }
}

/// The backend that a study's spec names.
pub(super) fn own_backend(study: &Study) -> Result<&dyn BackendSpec, Failure> {
    let backend = study.spec().collection.backend.as_deref();
    backend.ok_or_else(|| Failure::Message("the spec has no backend".into()))
}

/// The backend as one that recruits.
pub(super) fn recruits(backend: &dyn BackendSpec) -> Result<Arc<dyn RecruitingBackend>, Failure> {
    recruiting(backend).ok_or_else(|| recruits_nobody(backend))
}

fn recruits_nobody(backend: &dyn BackendSpec) -> Failure {
    Failure::Message(format!(
        "the backend {} does not recruit: `hype crowd` is for backends such as `prolific`",
        backend.typetag_name()
    ))
}

/// The folder of a study, whether or not a server is running.
fn folder(path: &Path, study: &Study, new: WhereNew) -> Result<StudyFolder, Failure> {
    let folder = match StudyFolder::read(path) {
        Err(FolderError::NotAStudy { .. }) if new == WhereNew::Create => {
            StudyFolder::collect_into(path, study, false)?
        }
        Err(FolderError::NotAStudy { .. }) => {
            return Err(Failure::Message(format!(
                "nothing was published for this study: there is no study in {}",
                path.display()
            )));
        }
        read => read?,
    };
    if folder.is_simulated() {
        return Err(Failure::Message(format!("the raters of {} are synthetic", path.display())));
    }
    if folder.study().digest() != study.digest() {
        return Err(Failure::Message(format!(
            "{} contains a different study from the spec's",
            path.display()
        )));
    }
    Ok(folder)
}
