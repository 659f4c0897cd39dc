//! Differences of compared outputs in covariates, such as their length.

use std::collections::HashMap;
use std::sync::Arc;

use hype_core::model::output_facts::OutputFacts;
use hype_core::plugin::aggregator::Aggregation;
use hype_stats::preference::relative_difference;

use crate::names::KnownNames;

/// The numbered differences of the outputs that were compared so far.
#[derive(Debug, Clone, Default)]
pub(super) struct OutputDifferences {
    covariates: Vec<Arc<str>>,
    facts: Arc<OutputFacts>,
    /// By the numbers of both models and the item.
    of_pairs: HashMap<[u32; 3], u32>,
    /// By the bits of the values.
    numbers: HashMap<Vec<u64>, u32>,
    /// The relative difference in each covariate, by number.
    values: Vec<Vec<f64>>,
}

impl OutputDifferences {
    pub(super) fn new(covariates: &[String], context: &Aggregation) -> Self {
        Self {
            covariates: covariates.iter().map(|name| name.as_str().into()).collect(),
            facts: Arc::clone(&context.facts),
            ..Self::default()
        }
    }

    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.covariates
    }

    /// The number of the difference of two models' outputs for an item; 0 without covariates.
    ///
    /// # Errors
    /// The reason, if a covariate of an output is not known.
    pub(super) fn number(&mut self, models: [u32; 2], item: u32, names: &KnownNames) -> Result<u32, String> {
        if self.covariates.is_empty() {
            return Ok(0);
        }
        let key = [models[0], models[1], item];
        if let Some(&known) = self.of_pairs.get(&key) {
            return Ok(known);
        }
        let item = names.items.name(item).map_or("", |item| &**item);
        let fact = |model: u32, covariate: &str| {
            let model = names.models.name(model).map_or("", |model| &**model);
            self.facts.get(model, item, covariate).ok_or_else(|| {
                let table = "covariates need a study of clips or texts, or a table of outputs";
                let unknown = format!("the `{covariate}` of the output of {model} is not known");
                if self.facts.is_empty() { table.to_owned() } else { unknown }
            })
        };
        let mut values = Vec::with_capacity(self.covariates.len());
        for covariate in &self.covariates {
            values.push(relative_difference(fact(models[0], covariate)?, fact(models[1], covariate)?));
        }
        let next = self.values.len() as u32;
        let bits = values.iter().map(|value| value.to_bits()).collect();
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.values.push(values);
        }
        self.of_pairs.insert(key, number);
        Ok(number)
    }

    /// All differences in ascending order, and the place of each number among them, so that nothing depends on which came first.
    pub(super) fn in_order(&self) -> (Vec<Vec<f64>>, Vec<u32>) {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&one, &other| {
            let pairs = self.values[one].iter().zip(&self.values[other]);
            pairs
                .map(|(one, other)| one.total_cmp(other))
                .find(|order| order.is_ne())
                .unwrap_or(one.cmp(&other))
        });
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &number)| places[number] = place as u32);
        (order.into_iter().map(|number| self.values[number].clone()).collect(), places)
    }
}
