//! The `raters` section: how many raters there are, who qualifies, and what they earn.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::bounds::Bounded;
use crate::model::facet::Levels;
use crate::model::ids::SetId;
use crate::model::record::Place;
use crate::model::stimulus::Stimuli;
use crate::protocol::payment::Payment;
use crate::protocol::qualification::Qualification;
use crate::protocol::recruitment::{Recruitment, Retainer};
use crate::protocol::speed::SpeedRule;

/// The number of raters of a model or an item.
pub(crate) type RaterCount = Bounded<1, 1_000_000>;
/// The number of replacements for one place.
pub(crate) type ReplacementCount = Bounded<0, 1_000>;

/// How models, or the levels of facets, are assigned to raters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RaterDesign {
    /// Each rater judges one (HYPE).
    #[default]
    Between,
    /// Each rater judges all of them, in an order balanced by a Williams square.
    Within,
}

impl RaterDesign {
    /// Whether each rater judges one. Settings that digests leave out while they have their default ask it.
    pub(crate) fn is_between(&self) -> bool {
        *self == Self::Between
    }
}

/// How many raters there are. May change while a study runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaterCounts {
    /// The number of raters who complete the study for each model. Ignored if `per_item` is given.
    pub per_model: u32,
    /// The number of raters for each item, in tasks that divide items among raters.
    pub per_item: Option<u32>,
    /// How many raters may replace one who is disqualified, leaves, or is excluded by a rule of the task.
    pub replacements: u32,
}

impl RaterCounts {
    /// Replaces the number of raters of each item if it is given, or else of each model.
    pub fn ask_for(&mut self, raters: u32) {
        match &mut self.per_item {
            Some(per_item) => *per_item = raters,
            None => self.per_model = raters,
        }
    }
}

/// The whole `raters` section: counts, design, qualification and payment. The default is HYPE's published protocol
/// without its payment.
#[derive(Debug, Clone, PartialEq)]
pub struct Raters {
    /// The number of raters who complete the study for each model. Ignored if `per_item` is given.
    pub per_model: u32,
    /// The number of raters for each item, in tasks that divide items among raters.
    pub per_item: Option<u32>,
    /// How models are assigned to them.
    pub design: RaterDesign,
    /// How the levels of facets of sets are assigned to them.
    pub cells: RaterDesign,
    /// How many raters may replace one who is disqualified, leaves, or is excluded by a rule of the task.
    pub replacements: u32,
    /// The qualification; `None` if there is none.
    pub qualification: Option<Qualification>,
    /// The payment of raters; `None` if they are not paid.
    pub payment: Option<Payment>,
    /// The rule on response times; `None` if there is none.
    pub speed: Option<SpeedRule>,
    /// The people that the study recruits, where that depends on other studies.
    pub recruitment: Recruitment,
}

/// Writes only the count that applies, as a section has one count.
impl Serialize for Raters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Raters", 10)?;
        match self.per_item {
            Some(per_item) => fields.serialize_field("per_item", &per_item)?,
            None => fields.serialize_field("per_model", &self.per_model)?,
        }
        fields.serialize_field("design", &self.design)?;
        if self.cells.is_between() {
            fields.skip_field("cells")?;
        } else {
            fields.serialize_field("cells", &self.cells)?;
        }
        fields.serialize_field("replacements", &self.replacements)?;
        fields.serialize_field("qualification", &self.qualification)?;
        fields.serialize_field("payment", &self.payment)?;
        match &self.speed {
            Some(speed) => fields.serialize_field("speed", speed)?,
            None => fields.skip_field("speed")?,
        }
        let Recruitment { qualified_by, exclude_participants_of, hold_open } = &self.recruitment;
        match qualified_by {
            Some(study) => fields.serialize_field("qualified_by", study)?,
            None => fields.skip_field("qualified_by")?,
        }
        match &**exclude_participants_of {
            [] => fields.skip_field("exclude_participants_of")?,
            studies => fields.serialize_field("exclude_participants_of", studies)?,
        }
        match hold_open {
            Some(retainer) => fields.serialize_field("hold_open", retainer)?,
            None => fields.skip_field("hold_open")?,
        }
        fields.end()
    }
}

impl Default for Raters {
    fn default() -> Self {
        Self {
            per_model: 30,
            per_item: None,
            design: RaterDesign::Between,
            cells: RaterDesign::Between,
            replacements: 20,
            qualification: Some(Qualification::default()),
            payment: None,
            speed: None,
            recruitment: Recruitment::default(),
        }
    }
}

/// The `raters` section as written; missing settings are taken from the task's protocol.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RatersSection {
    /// Raters who complete the study for each model (default 30): for each cell of a model and its levels if raters judge one
    /// cell, for each model or each level if they judge all cells of it.
    pub per_model: Option<RaterCount>,
    /// The number of raters for each item, in tasks that divide items among raters.
    pub per_item: Option<RaterCount>,
    /// `between`: each rater judges one model (default); `within`: every rater judges all of them.
    pub design: Option<RaterDesign>,
    /// With facets of sets, `between`: each rater judges one level of each facet (default); `within`: every rater judges all
    /// levels, together with real stimuli of the same levels. `design` says whether of one model or of all.
    pub cells: Option<RaterDesign>,
    /// How many raters may replace one who is disqualified, leaves, or is excluded by a rule of the task (default 20). Those
    /// who leave before they have answered a fifth of the trials do not count.
    pub replacements: Option<ReplacementCount>,
    /// The qualification before the main phase; `null` for none.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<Qualification>")]
    pub qualification: Option<Option<Qualification>>,
    /// The raters' pay (default: nothing).
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<Payment>")]
    pub payment: Option<Option<Payment>>,
    /// A rule on response times (default: none).
    pub speed: Option<SpeedRule>,
    /// The folder of the study in which raters have qualified, relative to the spec. They skip the qualification (default: none).
    pub qualified_by: Option<Arc<str>>,
    /// The folders of studies whose participants cannot take part, relative to the spec (default: none).
    pub exclude_participants_of: Option<Vec<Arc<str>>>,
    /// Raters who are paid for waiting and answer within minutes (default: none).
    pub hold_open: Option<Retainer>,
}

/// Distinguishes an explicit `null` from a missing field.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl RatersSection {
    /// Fills in missing settings from a task's protocol.
    #[must_use]
    pub fn over(self, protocol: Raters) -> Raters {
        Raters {
            per_model: self.per_model.map_or(protocol.per_model, Bounded::get),
            per_item: self
                .per_item
                .map(Bounded::get)
                .or(protocol.per_item.filter(|_| self.per_model.is_none())),
            design: self.design.unwrap_or(protocol.design),
            cells: self.cells.unwrap_or(protocol.cells),
            replacements: self.replacements.map_or(protocol.replacements, Bounded::get),
            qualification: self.qualification.unwrap_or(protocol.qualification),
            payment: self.payment.unwrap_or(protocol.payment),
            speed: self.speed.or(protocol.speed),
            recruitment: Recruitment {
                qualified_by: self.qualified_by.or(protocol.recruitment.qualified_by),
                exclude_participants_of: self
                    .exclude_participants_of
                    .unwrap_or(protocol.recruitment.exclude_participants_of),
                hold_open: self.hold_open.or(protocol.recruitment.hold_open),
            },
        }
    }
}

impl Raters {
    /// How many there are.
    #[must_use]
    pub const fn counts(&self) -> RaterCounts {
        let Self { per_model, per_item, replacements, .. } = *self;
        RaterCounts { per_model, per_item, replacements }
    }

    /// The models of a study in groups: each rater judges the models of one group. Models at other levels of a facet count as
    /// separate models.
    #[must_use]
    pub fn groups(&self, stimuli: &Stimuli) -> Vec<Vec<SetId>> {
        let mut numbers: BTreeMap<(Option<&str>, Option<&Levels>), usize> = BTreeMap::new();
        let mut groups: Vec<Vec<SetId>> = Vec::new();
        for model in stimuli.models() {
            let Some(set) = stimuli.set(model) else { continue };
            let of_model = self.design.is_between().then(|| set.declared_name());
            let of_levels = self.cells.is_between().then_some(&set.levels);
            let number = *numbers.entry((of_model, of_levels)).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(model);
        }
        groups
    }

    /// The number of places in the plan for these groups of models, that is, of sessions that have to be completed.
    #[must_use]
    pub fn places(&self, groups: &[Vec<SetId>]) -> u32 {
        self.per_model.saturating_mul(u32::try_from(groups.len()).unwrap_or(u32::MAX).max(1))
    }

    /// A place of the plan: groups of models take turns.
    #[must_use]
    pub fn place(number: u32, groups: &[Vec<SetId>]) -> Place {
        let count = u32::try_from(groups.len()).unwrap_or(u32::MAX).max(1);
        let turn = number / count;
        let group = groups.get((number % count) as usize);
        Place { number, models: group.map_or_else(Vec::new, |models| williams_row(turn, models)), turn }
    }
}

/// One row of a Williams square: over its rows (two squares if the number is odd) each item is in each position, and
/// directly after each other item, equally often (Williams 1949).
fn williams_row(row: u32, items: &[SetId]) -> Vec<SetId> {
    let n = items.len();
    let rows = if n.is_multiple_of(2) { n } else { 2 * n };
    let row = row as usize % rows;
    let mut order: Vec<SetId> = (0..n)
        .map(|column| {
            let zigzag = if column % 2 == 1 { column.div_ceil(2) } else { n - column / 2 };
            items[(zigzag + row) % n]
        })
        .collect();
    if row >= n {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::stimulus::{Role, StimulusSet, Use};

    #[test]
    fn williams_squares_balance_position_and_carry_over() {
        for n in 1..8_usize {
            let items: Vec<SetId> = (0..n as u16).map(SetId).collect();
            let rows = if n.is_multiple_of(2) { n } else { 2 * n };
            let repeats = rows / n;
            let mut position = vec![0; n * n];
            let mut follows = vec![0; n * n];
            for row in 0..rows {
                let order = williams_row(row as u32, &items);
                for (column, item) in order.iter().enumerate() {
                    position[usize::from(item.0) * n + column] += 1;
                }
                for pair in order.windows(2) {
                    follows[usize::from(pair[0].0) * n + usize::from(pair[1].0)] += 1;
                }
            }
            assert!(position.iter().all(|&count| count == repeats), "{n}: {position:?}");
            for (index, &count) in follows.iter().enumerate() {
                let expected = if index / n == index % n { 0 } else { repeats };
                assert_eq!(count, expected, "{n} items, pair {index}");
            }
        }
    }

    #[test]
    fn one_count_of_raters_is_written() {
        let by_model = serde_json::to_value(Raters::default()).unwrap();
        assert!(by_model["per_model"] == 30 && by_model.get("per_item").is_none());
        let by_item = serde_json::to_value(Raters { per_item: Some(3), ..Raters::default() }).unwrap();
        assert!(by_item["per_item"] == 3 && by_item.get("per_model").is_none());
        let section: RatersSection = serde_json::from_value(by_item).unwrap();
        assert_eq!(section.over(Raters::default()).per_item, Some(3));
    }

    /// Two models at two levels of a class, and one without levels.
    fn crossed() -> Stimuli {
        let set = |model: &str, class: &str| StimulusSet {
            levels: [("class".into(), class.into())].into(),
            ..StimulusSet::new(&format!("{model}/{class}"), Role::Generated, Use::Main)
        };
        let mut sets: Vec<StimulusSet> =
            ["a", "b"].iter().flat_map(|model| ["lemon", "horn"].map(|class| set(model, class))).collect();
        sets.push(StimulusSet::new("c", Role::Generated, Use::Main));
        Stimuli::new(sets, Vec::new()).unwrap()
    }

    #[test]
    fn raters_judge_models_and_levels_as_the_design_says() {
        use RaterDesign::{Between, Within};
        let cases: [(RaterDesign, RaterDesign, &[&[u16]]); 4] = [
            (Between, Between, &[&[0], &[1], &[2], &[3], &[4]]),
            (Between, Within, &[&[0, 1], &[2, 3], &[4]]),
            (Within, Between, &[&[0, 2], &[1, 3], &[4]]),
            (Within, Within, &[&[0, 1, 2, 3, 4]]),
        ];
        for (design, cells, expected) in cases {
            let raters = Raters { per_model: 4, design, cells, ..Raters::default() };
            let groups = raters.groups(&crossed());
            let found: Vec<Vec<u16>> =
                groups.iter().map(|group| group.iter().map(|model| model.0).collect()).collect();
            assert_eq!(found, expected, "{design:?} {cells:?}");
            let places = raters.places(&groups);
            assert_eq!(places as usize, 4 * expected.len());
            // Every model has four raters with separate turns, and is judged in each position equally often.
            for (group, models) in groups.iter().enumerate() {
                let own: Vec<Place> = (0..places)
                    .map(|number| Raters::place(number, &groups))
                    .filter(|place| place.number as usize % groups.len() == group)
                    .collect();
                assert_eq!(own.iter().map(|place| place.turn).collect::<Vec<_>>(), [0, 1, 2, 3]);
                for place in &own {
                    let mut judged = place.models.clone();
                    judged.sort_unstable();
                    assert_eq!(judged, *models);
                }
                if models.len() == 2 {
                    let first = own.iter().filter(|place| place.models[0] == models[0]).count();
                    assert_eq!(first, 2);
                }
            }
        }
    }

    #[test]
    fn the_design_of_cells_is_written_if_it_is_not_the_default() {
        let between = serde_json::to_value(Raters::default()).unwrap();
        assert!(between.get("cells").is_none());
        let within =
            serde_json::to_value(Raters { cells: RaterDesign::Within, ..Raters::default() }).unwrap();
        assert_eq!(within["cells"], "within");
        let section: RatersSection = serde_json::from_value(within).unwrap();
        assert_eq!(section.over(Raters::default()).cells, RaterDesign::Within);
    }

    #[test]
    fn places_share_models_out() {
        let each = [vec![SetId(1)], vec![SetId(2)], vec![SetId(3)]];
        let raters = Raters { per_model: 2, ..Raters::default() };
        assert_eq!(raters.places(&each), 6);
        assert_eq!(Raters::place(4, &each), Place { number: 4, models: vec![SetId(2)], turn: 1 });
        let all = [each.concat()];
        assert_eq!(raters.places(&all), 2);
        assert_eq!(Raters::place(1, &all).models.len(), 3);
        assert_eq!((raters.places(&[]), Raters::place(1, &[]).models.len()), (2, 0));
    }
}
