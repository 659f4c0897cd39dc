//! Other studies whose participants matter to a study.

use std::fmt;
use std::sync::Arc;

use crate::model::digest::Digest;
use crate::plugin::store::Store;

/// Another study with its store.
#[derive(Clone)]
#[expect(clippy::exhaustive_structs, reason = "code that opens studies makes it")]
pub struct RelatedStudy {
    /// Its digest.
    pub digest: Digest,
    /// Its store, which is only read.
    pub store: Arc<dyn Store>,
}

impl fmt::Debug for RelatedStudy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RelatedStudy").field(&self.digest).finish()
    }
}

/// Other studies whose participants matter to a study that recruits.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "code that opens studies makes it")]
pub struct RelatedStudies {
    /// The study in which raters have qualified.
    pub qualified_by: Option<RelatedStudy>,
    /// The studies whose participants cannot take part.
    pub excluded: Vec<RelatedStudy>,
}
