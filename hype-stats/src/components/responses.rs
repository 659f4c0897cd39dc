//! Responses of raters to items, of one model or several.

use super::{NAME, Source};
use crate::StatError;

/// One response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Name of the model whose output was judged.
    pub model: usize,
    /// Name of the rater.
    pub rater: usize,
    /// Name of the item, such as the prompt, that models may share.
    pub item: usize,
    /// The response.
    pub value: f64,
}

/// Responses of raters to items, with any number in each cell and any missing cells.
///
/// Numbers of models, raters and items are names: they need not start at 0 or be consecutive.
#[derive(Debug, Clone, PartialEq)]
pub struct Responses {
    pub(super) models: Vec<usize>,
    pub(super) raters: Vec<usize>,
    pub(super) items: Vec<usize>,
    /// With positions instead of names, by model, rater, item and value.
    pub(super) rows: Vec<Observation>,
}

impl Responses {
    /// Creates responses to one model from (rater, item, value), in any order.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn of_one_model(responses: impl IntoIterator<Item = (usize, usize, f64)>) -> Result<Self, StatError> {
        Self::new(responses.into_iter().map(|(rater, item, value)| Observation {
            model: 0,
            rater,
            item,
            value,
        }))
    }

    /// Creates responses from rows in any order.
    ///
    /// # Errors
    ///
    /// [`StatError::TooFew`] for fewer than two raters or items, and [`StatError::NotFinite`] for NaN
    /// or infinity.
    pub fn new(responses: impl IntoIterator<Item = Observation>) -> Result<Self, StatError> {
        let mut rows: Vec<Observation> = responses.into_iter().collect();
        if let Some(index) = rows.iter().position(|row| !row.value.is_finite()) {
            return Err(StatError::NotFinite { statistic: NAME, index, got: rows[index].value });
        }
        let distinct = |name: fn(&Observation) -> usize| {
            let mut names: Vec<usize> = rows.iter().map(name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let (models, raters, items) =
            (distinct(|row| row.model), distinct(|row| row.rater), distinct(|row| row.item));
        for (of, got) in [("raters", raters.len()), ("items", items.len())] {
            if got < 2 {
                return Err(StatError::TooFew { statistic: NAME, needed: 2, of, got });
            }
        }
        // Every name of a row is among those collected from the rows.
        for row in &mut rows {
            row.model = models.partition_point(|&name| name < row.model);
            row.rater = raters.partition_point(|&name| name < row.rater);
            row.item = items.partition_point(|&name| name < row.item);
        }
        let key = |row: &Observation| (row.model, row.rater, row.item);
        rows.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then(a.value.total_cmp(&b.value)));
        Ok(Self { models, raters, items, rows })
    }

    /// Number of responses.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Always false: a value of this type has responses.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Names of the models, ascending.
    #[must_use]
    pub fn models(&self) -> &[usize] {
        &self.models
    }

    /// Names of the raters, ascending.
    #[must_use]
    pub fn raters(&self) -> &[usize] {
        &self.raters
    }

    /// Names of the items, ascending.
    #[must_use]
    pub fn items(&self) -> &[usize] {
        &self.items
    }

    /// Number of responses in every cell of a balanced design; `None` if cells differ.
    #[must_use]
    pub fn replicates(&self) -> Option<usize> {
        let cells = self.models.len().checked_mul(self.raters.len())?.checked_mul(self.items.len())?;
        let count = self.rows.len() / cells;
        let key = |row: &Observation| (row.model, row.rater, row.item);
        let mut groups = self.rows.chunk_by(|a, b| key(a) == key(b));
        (count > 0 && count * cells == self.rows.len() && groups.all(|group| group.len() == count))
            .then_some(count)
    }

    /// The random terms that the design can distinguish from one another, from models and from the
    /// residual.
    ///
    /// A term is the partition of the responses that its levels make. It is useless if every response
    /// is a separate part, and it is the same term as another if a finer partition has no more parts.
    pub(super) fn terms(&self) -> Result<Vec<Source>, StatError> {
        let parts = |key: fn(&Observation) -> (usize, usize)| {
            let mut keys: Vec<(usize, usize)> = self.rows.iter().map(key).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        };
        let (models, raters, items) = (self.models.len(), self.raters.len(), self.items.len());
        let by_rater = parts(|row| (row.model, row.rater));
        let by_item = parts(|row| (row.model, row.item));
        let pairs = parts(|row| (row.rater, row.item));
        for (alone, by_model, reason) in [
            (raters, by_rater, "raters cannot be distinguished from models, items or the residual"),
            (items, by_item, "items cannot be distinguished from models, raters or the residual"),
        ] {
            if alone == self.rows.len() || by_model == models || (raters == pairs && items == pairs) {
                return Err(StatError::Degenerate { statistic: NAME, reason });
            }
        }
        let mut terms = vec![Source::Rater, Source::Item];
        for (source, parts) in [(Source::ModelByRater, by_rater), (Source::ModelByItem, by_item)] {
            let alone = if source == Source::ModelByRater { raters } else { items };
            if models > 1 && parts > alone && parts < self.rows.len() {
                terms.push(source);
            }
        }
        if pairs < self.rows.len() && pairs > raters && pairs > items {
            terms.push(Source::RaterByItem);
        }
        Ok(terms)
    }
}
