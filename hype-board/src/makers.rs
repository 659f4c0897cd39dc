//! How many models makers have entered.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::submission::{Submitted, Visibility};
use crate::wave::WaveRecord;

/// How many models a maker has entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MakerCount {
    /// The maker.
    pub maker: String,
    /// Models in all.
    pub models: u64,
    /// Those of them that only the maker and the lab know.
    pub private: u64,
    /// Those of them that waves have rated.
    pub rated: u64,
}

pub(crate) fn makers(submissions: &[Submitted], waves: &[WaveRecord]) -> Vec<MakerCount> {
    let rated: BTreeSet<&String> =
        waves.iter().flat_map(|wave| wave.anchors.iter().chain(&wave.new)).collect();
    let mut all: BTreeMap<&str, MakerCount> = BTreeMap::new();
    for model in submissions {
        let count = all.entry(&model.maker).or_insert_with(|| MakerCount {
            maker: model.maker.clone(),
            models: 0,
            private: 0,
            rated: 0,
        });
        count.models += 1;
        count.private += u64::from(model.visibility == Visibility::Private);
        count.rated += u64::from(rated.contains(&model.alias));
    }
    let mut all: Vec<MakerCount> = all.into_values().collect();
    all.sort_by(|left, right| right.models.cmp(&left.models).then_with(|| left.maker.cmp(&right.maker)));
    all
}
