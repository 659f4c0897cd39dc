//! Names of models for readers.

use crate::submission::Submitted;

/// The name of all private models.
pub(crate) const PRIVATE: &str = "a private model";

/// The names that readers see.
pub(crate) struct ShownNames<'a> {
    pub(crate) submissions: &'a [Submitted],
    /// The last closed wave.
    pub(crate) closed: u32,
}

impl ShownNames<'_> {
    /// A set's name and maker for readers; `None` if it is private.
    pub(crate) fn of(&self, alias: &str) -> Option<(String, Option<String>)> {
        let Some(model) = self.submissions.iter().find(|model| model.alias == alias) else {
            // Real images.
            return Some((alias.to_owned(), None));
        };
        let shown = model.shown(self.closed)?;
        Some((shown.to_owned(), (shown == model.name).then(|| model.maker.clone())))
    }

    /// The name of a set's model for readers, even if it is private.
    pub(crate) fn shown(&self, alias: &str) -> String {
        self.of(alias).map_or(PRIVATE.to_owned(), |(name, _)| name)
    }

    /// The maker of the model of a set; `None` for real images.
    pub(crate) fn maker(&self, alias: &str) -> Option<&str> {
        self.submissions.iter().find(|model| model.alias == alias).map(|model| &*model.maker)
    }
}
