//! The place of a study's logs: its folder, or a database that any number of programs can share.

use std::path::Path;
use std::sync::Arc;

use hype_core::Store;
use hype_core::study::spec::{Spec, StoreSpec};
use hype_store::SqliteStore;

use crate::folder::FolderError;

/// The file with the logs in a study's folder.
pub(super) const FILE: &str = "study.db";

/// The place of a study's logs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Logs {
    /// A file in the study's folder, to which one program at a time writes.
    Folder,
    /// The database at an address, which may contain a password.
    Shared(String),
}

/// Why a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// To collect. The store is created if it does not exist.
    ToCollect,
    /// To read. The store has to exist, possibly on a read-only medium.
    ToRead,
}

impl Logs {
    /// The place that a spec names. Logs of simulated studies are always in their folders: no database mixes
    /// synthetic raters and people.
    ///
    /// # Errors
    /// If the environment variable with the address cannot be read.
    pub(crate) fn of(spec: &Spec, simulated: bool) -> Result<Self, FolderError> {
        Ok(match &spec.collection.store {
            None => Self::Folder,
            Some(_) if simulated => Self::Folder,
            Some(StoreSpec::Address(address)) => Self::Shared(address.clone()),
            Some(StoreSpec::Named(secret)) => Self::Shared(crate::secret(secret)?),
        })
    }

    pub(crate) fn are_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }

    /// Opens the store of a study's folder.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub(crate) fn open(&self, folder: &Path, opening: Opening) -> Result<Arc<dyn Store>, FolderError> {
        match self {
            Self::Folder if opening == Opening::ToCollect => {
                Ok(Arc::new(SqliteStore::open(folder.join(FILE))?))
            }
            Self::Folder => Ok(Arc::new(SqliteStore::open_to_read(folder.join(FILE))?)),
            Self::Shared(address) => shared(address),
        }
    }
}

/// Connects on the program's runtime, which the store then uses for all calls.
#[cfg(feature = "postgres")]
fn shared(address: &str) -> Result<Arc<dyn Store>, FolderError> {
    use hype_core::StoreError;
    use hype_store::PostgresStore;

    let failed = |error: &dyn std::fmt::Display| StoreError::failed(error.to_string());
    let runtime = crate::runtime().map_err(|error| failed(&error))?;
    let address = address.to_owned();
    let connecting = runtime.spawn(async move { PostgresStore::connect(&address).await });
    let store = hype_store::block_on(connecting).map_err(|error| failed(&error))??;
    Ok(Arc::new(store))
}

#[cfg(not(feature = "postgres"))]
fn shared(_: &str) -> Result<Arc<dyn Store>, FolderError> {
    Err(without_postgres().into())
}

#[cfg(not(feature = "postgres"))]
pub(super) fn without_postgres() -> hype_core::StoreError {
    let reason = "this program was built without the feature `postgres`, which the spec's `store` needs";
    hype_core::StoreError::failed(reason.into())
}
