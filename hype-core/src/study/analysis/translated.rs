//! Raters who read a published instrument in a translation.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::findings::Note;
use crate::model::note::SessionNote;
use crate::model::record::SessionRecord;
use crate::words::{counted, first_few};

/// The numbers of raters with answers, by instrument and language.
#[derive(Debug, Default)]
pub(super) struct TranslatedInstruments {
    raters: u64,
    translated: BTreeMap<Arc<str>, BTreeMap<Arc<str>, u64>>,
}

impl TranslatedInstruments {
    pub(super) fn add(&mut self, session: &SessionRecord) {
        if session.trials.is_empty() {
            return;
        }
        self.raters += 1;
        let consents = session.notes.iter().filter_map(|noted| match &noted.note {
            SessionNote::Consented(consented) => Some(consented),
            _ => None,
        });
        for consented in consents {
            let Some(instrument) = &consented.translated else { continue };
            let languages = self.translated.entry(Arc::clone(instrument)).or_default();
            *languages.entry(Arc::clone(&consented.language)).or_default() += 1;
        }
    }

    /// Notes on translations, which have not been validated.
    pub(super) fn notes(&self) -> impl Iterator<Item = Note> {
        self.translated.iter().map(|(instrument, languages)| {
            let translated: u64 = languages.values().sum();
            let by_language: Vec<String> =
                languages.iter().map(|(language, raters)| format!("{language} {raters}")).collect();
            let text = format!(
                "{translated} of {} read the questions of {instrument} in a translation ({}) that has not been validated: \
                 their answers may not compare with those to the published wording",
                counted(self.raters, "rater"),
                first_few(&by_language),
            );
            Note::meaning("translated-instrument", text)
        })
    }
}
