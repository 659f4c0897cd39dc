//! Rankings in JSON, in the format of ImageReward's release.

use std::collections::HashMap;
use std::fmt;
use std::io::BufReader;
use std::path::Path;

use hype_core::Row;
use hype_core::words::listed;
use hype_stats::nonparametric::ranks;
use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::Value;

use super::fault::{ImportError, ImportFault};
use super::importing::{Facts, ImportReport, Importing, Sink};
use super::lines::open;
use super::names::ModelOf;

/// The measure of rankings: the mid-rank among the candidates shown, 1 for the best.
const RANK: &str = "rank";

/// The fields of a ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankingFields {
    /// The item's key, a text or a number.
    pub item: String,
    /// The ranked candidates: a list of names or paths.
    pub candidates: String,
    /// The rank of each candidate, from 0 or 1 for the best; ties and gaps are allowed. A list of such lists has one ranking of each
    /// annotator.
    pub ranks: String,
    /// The rater; if `None`, all rankings are attributed to one rater.
    pub rater: Option<String>,
    /// How a candidate names its model, in the field of candidates.
    pub model: ModelOf,
}

impl Default for RankingFields {
    fn default() -> Self {
        Self {
            item: "id".into(),
            candidates: "generations".into(),
            ranks: "ranking".into(),
            rater: None,
            model: ModelOf::Value("generations".into()),
        }
    }
}

/// The greatest rank: whole numbers up to this are exact in double precision.
const GREATEST: u64 = 1 << 53;

/// The rater of rankings that name none.
const UNNAMED: &str = "unnamed";

/// Reads a JSON list of rankings and passes on one mid-rank per candidate. The rows of one ranking share rater,
/// item and block; a second ranking of an item by the same rater has block 1, and so on.
///
/// # Method
/// ImageReward (Xu et al. 2023) writes `{"id", "prompt", "generations", "ranking"}`, where ranks are positions on a
/// scale: they may be tied, skip numbers and begin above 1. Candidates with the same rank get the mean of the positions
/// that they occupy together: ranks 2, 3, 3, 5 become 1, 2.5, 2.5, 4. HPDv2 (Wu et al. 2023) counts ranks from 0, which is read if
/// every list has a rank 0: where only some have one, it may mean that a candidate was not ranked.
///
/// # Errors
/// If the file cannot be read, is not a JSON list, or contains faults. The error lists the faulty rows.
pub fn ranking_json(
    path: &Path,
    fields: &RankingFields,
    sink: &mut Sink<'_>,
) -> Result<ImportReport, ImportError> {
    let mut importing = Importing::new("ranking", sink);
    importing.facts = fields.rater.is_none().then_some(Facts::MADE_UP_RATERS);
    let mut import = Import {
        name: path.display().to_string(),
        fields,
        importing,
        times: HashMap::new(),
        begins: [None; 2],
        failed: None,
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(open(path)?));
    let read = json.deserialize_seq(&mut import).and_then(|()| json.end());
    if let Some(error) = import.failed {
        return Err(error);
    }
    if let Err(error) = read {
        if let Some(kind) = error.io_error_kind() {
            return Err(ImportError::disk(path)(kind.into()));
        }
        let fault = ImportFault {
            file: import.name.clone(),
            place: format!("line {}", error.line()),
            column: None,
            reason: error.to_string(),
            help: "write a JSON list of rankings".into(),
        };
        import.importing.fault(fault);
    }
    import.importing.report.files = 1;
    if import.begins[0].is_some() {
        import.importing.note("ranks count from 0");
    }
    if fields.rater.is_none() {
        import.importing.note(format!("the rankings name no raters: all are attributed to `{UNNAMED}`"));
    }
    import.importing.finish()
}

struct Import<'a, 'f> {
    name: String,
    fields: &'f RankingFields,
    importing: Importing<'a>,
    /// The number of rankings read for each rater and item.
    times: HashMap<[String; 2], u16>,
    /// The first rankings with and without a rank 0.
    begins: [Option<u64>; 2],
    failed: Option<ImportError>,
}

impl<'de> Visitor<'de> for &mut Import<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rankings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(ranking) = list.next_element::<Value>()? {
            self.importing.report.rows += 1;
            let result = match self.ranking(&ranking) {
                Ok(found) => found.iter().try_for_each(|one| self.hand_on(one)),
                Err(fault) => {
                    self.importing.fault(fault);
                    Ok(())
                }
            };
            if let Err(error) = result {
                self.failed = Some(error);
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

struct Found {
    rater: String,
    item: String,
    models: Vec<String>,
    ranks: Vec<f64>,
    block: u16,
}

impl Import<'_, '_> {
    fn ranking(&mut self, row: &Value) -> Result<Vec<Found>, ImportFault> {
        let fields = self.fields;
        let number = self.importing.report.rows;
        let fault = |field: &str, reason: String, help: &str| ImportFault {
            file: self.name.clone(),
            place: format!("row {number}"),
            column: (!field.is_empty()).then(|| field.to_owned()),
            reason,
            help: help.into(),
        };
        let Some(object) = row.as_object() else {
            return Err(fault("", "not an object".into(), "write a ranking with its fields"));
        };
        let field = |name: &str| {
            let known = || listed(object.keys().map(String::as_str));
            object
                .get(name)
                .ok_or_else(|| fault(name, format!("the field is missing; the fields are {}", known()), ""))
        };
        let key = |name: &str| match field(name)? {
            Value::String(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(fault(name, "not a text".into(), "write a name")),
        };
        let list = |name: &str| {
            field(name)?.as_array().ok_or_else(|| fault(name, "not a list".into(), "write a list"))
        };
        let item = key(&fields.item)?;
        let rater = fields.rater.as_deref().map_or_else(|| Ok(UNNAMED.to_owned()), key)?;
        let candidates = list(&fields.candidates)?;
        let given = list(&fields.ranks)?;
        // A list of lists is one ranking of each annotator.
        let rankings: Vec<&Vec<Value>> = match given.iter().map(Value::as_array).collect() {
            Some(lists) if !given.is_empty() => lists,
            _ => vec![given],
        };
        if let Some(odd) =
            rankings.iter().find(|ranks| candidates.len() != ranks.len() || candidates.len() < 2)
        {
            let reason = format!("{} ranks for {} candidates", odd.len(), candidates.len());
            return Err(fault(&fields.ranks, reason, "write a rank for each of at least two candidates"));
        }
        let models = models_of(candidates, fields)
            .map_err(|(reason, help)| fault(&fields.candidates, reason, help))?;
        let whole = |rank: &Value| Some(rank.as_u64().filter(|rank| *rank <= GREATEST)? as f64);
        let mut found = Vec::with_capacity(rankings.len());
        for given in rankings {
            let values = given.iter().map(whole).collect::<Option<Vec<f64>>>();
            let Some((values, ranks)) =
                values.and_then(|values| ranks(&values).ok().map(|ranks| (values, ranks)))
            else {
                let reason = format!("{} are not valid ranks", Value::from(given.clone()));
                let help = "ranks are whole numbers from 0 or 1, the best lowest";
                return Err(fault(&fields.ranks, reason, help));
            };
            let from_zero = values.iter().any(|rank| *rank < 0.5);
            self.begins[usize::from(!from_zero)].get_or_insert(number);
            if let [Some(zero), Some(one)] = self.begins {
                let reason = format!("ranks count from 0 in row {zero}, and not in row {one}");
                return Err(fault(
                    &fields.ranks,
                    reason,
                    "write all rankings in one way, without candidates that were not ranked",
                ));
            }
            let times = self.times.entry([rater.clone(), item.clone()]).or_default();
            let block = *times;
            *times = times.saturating_add(1);
            found.push(Found {
                rater: rater.clone(),
                item: item.clone(),
                models: models.clone(),
                ranks: ranks.ranks,
                block,
            });
        }
        Ok(found)
    }

    fn hand_on(&mut self, found: &Found) -> Result<(), ImportError> {
        for (model, &value) in found.models.iter().zip(&found.ranks) {
            self.importing.row(&Row {
                rater: &found.rater,
                model,
                against: "",
                item: &found.item,
                block: found.block,
                measure: RANK,
                value,
            })?;
        }
        Ok(())
    }
}

/// The model of each candidate, or the fault and how to mend it.
fn models_of(candidates: &[Value], fields: &RankingFields) -> Result<Vec<String>, (String, &'static str)> {
    let mut models: Vec<String> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let model = fields.model.name(candidate.as_str().unwrap_or_default());
        if model.is_empty() {
            return Err((format!("{candidate} names no model"), "write a name or a path for each candidate"));
        }
        if models.iter().any(|known| known == model) {
            let help = "rank each model once; where neither names nor folders of candidates tell models apart, no models can be \
                        compared";
            return Err(("two candidates name the same model".into(), help));
        }
        models.push(model.to_owned());
    }
    Ok(models)
}
