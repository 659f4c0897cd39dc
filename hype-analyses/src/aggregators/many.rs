//! The number of models up to which every pair is compared.

use hype_core::model::findings::Note;

/// The most models whose pairs are compared: 44,850 pairs. The comparisons, letters and ranks of more models have no
/// readers, and their number grows with the square of the models.
pub(crate) const MOST_COMPARED: usize = 300;

/// Whether the pairs of so many models are compared.
pub(crate) const fn are_compared(models: usize) -> bool {
    2 <= models && models <= MOST_COMPARED
}

/// A warning that the pairs of so many models are not compared, with what to do about it.
pub(crate) fn too_many(measure: &str, models: usize) -> Option<Note> {
    (models > MOST_COMPARED).then(|| {
        let text = format!(
            "{models} models are more than the {MOST_COMPARED} whose pairs are compared: there are no comparisons, letters and \
             ranks; if these are images in folders of their models, `hype import --model-folder` names the model of each"
        );
        Note::precision("too-many-models", text).about(measure)
    })
}
