//! Who may accept a HIT.

use std::collections::BTreeMap;

use serde_json::Value;

/// The values of qualifications that requesters gave, by qualification type and worker.
pub(super) type Qualifications = BTreeMap<(String, String), i64>;

/// A worker, as far as the service's own qualifications tell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "tests make it")]
pub struct TurkWorker {
    /// The share of assignments that were approved, in percent.
    pub approval_rate: i64,
    /// The number of assignments that were approved.
    pub approved_assignments: i64,
    /// The country.
    pub country: String,
    /// The state within the country, if it is known.
    pub subdivision: Option<String>,
    /// Whether the worker agrees to see content for adults.
    pub adult: bool,
    /// Whether the worker is a Master.
    pub masters: bool,
}

/// A worker of long standing in California.
impl Default for TurkWorker {
    fn default() -> Self {
        Self {
            approval_rate: 99,
            approved_assignments: 5_000,
            country: "US".into(),
            subdivision: Some("CA".into()),
            adult: false,
            masters: false,
        }
    }
}

/// The qualifications of Masters, in the sandbox and where money is paid.
const MASTERS: [&str; 2] = ["2ARFPLSP75KLA8M8DH1HTEQVJT3SY6", "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"];

/// The qualifications that the service itself gives.
pub(super) const SYSTEM: [&str; 6] = [
    "000000000000000000L0",
    "00000000000000000040",
    "00000000000000000071",
    "00000000000000000060",
    MASTERS[0],
    MASTERS[1],
];

/// A requirement of a HIT type.
#[derive(Debug, Clone)]
pub(super) struct Requirement {
    pub(super) id: String,
    comparator: String,
    integers: Vec<i64>,
    /// Countries, each with a state if one is asked for.
    locales: Vec<(String, Option<String>)>,
}

/// The value of a qualification that a worker holds.
enum Held {
    Nothing,
    Number(i64),
    Locale(String, Option<String>),
}

impl Requirement {
    /// A requirement as the protocol writes it; the model has found it to be one.
    ///
    /// # Errors
    /// If its values do not fit its comparator.
    pub(super) fn of(stated: &Value) -> Result<Self, &'static str> {
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| stated.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let integers: Vec<i64> = list("IntegerValues").iter().filter_map(Value::as_i64).collect();
        let locales: Vec<_> = list("LocaleValues")
            .iter()
            .filter_map(|locale| Some((text(locale, "Country")?, text(locale, "Subdivision"))))
            .collect();
        let comparator = text(stated, "Comparator").ok_or("a requirement has no comparator")?;
        let id = text(stated, "QualificationTypeId").ok_or("a requirement has no qualification type")?;
        let is_locale = id == SYSTEM[2];
        let values = integers.len() + locales.len();
        let fits = match &*comparator {
            "Exists" | "DoesNotExist" => values == 0,
            "In" | "NotIn" => (1..=if is_locale { 30 } else { 15 }).contains(&values),
            "EqualTo" | "NotEqualTo" => values == 1,
            _ => values == 1 && !is_locale,
        };
        let is_of_kind = if is_locale { integers.is_empty() } else { locales.is_empty() };
        if !fits || !is_of_kind {
            return Err("the values of a requirement do not fit its comparator");
        }
        if stated.get("ActionsGuarded").is_some() && stated.get("RequiredToPreview").is_some() {
            return Err("a requirement has both ActionsGuarded and RequiredToPreview");
        }
        Ok(Self { id, comparator, integers, locales })
    }

    pub(super) fn is_masters(&self) -> bool {
        MASTERS.contains(&&*self.id)
    }

    /// Whether a worker meets it.
    pub(super) fn is_met(&self, given: &Qualifications, name: &str, worker: &TurkWorker) -> bool {
        let held = self.held(given, name, worker);
        let equals = match &held {
            Held::Nothing => false,
            Held::Number(number) => self.integers.contains(number),
            Held::Locale(country, state) => self
                .locales
                .iter()
                .any(|(wanted, within)| wanted == country && (within.is_none() || within == state)),
        };
        let number = match held {
            Held::Number(number) => Some(number),
            _ => None,
        };
        let compared = |compare: fn(&i64, &i64) -> bool| {
            number.zip(self.integers.first()).is_some_and(|(number, limit)| compare(&number, limit))
        };
        let exists = !matches!(held, Held::Nothing);
        match &*self.comparator {
            "Exists" => exists,
            "DoesNotExist" => !exists,
            "EqualTo" | "In" => equals,
            "NotEqualTo" | "NotIn" => exists && !equals,
            "LessThan" => compared(i64::lt),
            "LessThanOrEqualTo" => compared(i64::le),
            "GreaterThan" => compared(i64::gt),
            "GreaterThanOrEqualTo" => compared(i64::ge),
            _ => false,
        }
    }

    fn held(&self, given: &Qualifications, name: &str, worker: &TurkWorker) -> Held {
        let flag = |is_held: bool| if is_held { Held::Number(1) } else { Held::Nothing };
        let [approval, approved, locale, adult, ..] = SYSTEM;
        match &*self.id {
            id if id == approval => Held::Number(worker.approval_rate),
            id if id == approved => Held::Number(worker.approved_assignments),
            id if id == locale => Held::Locale(worker.country.clone(), worker.subdivision.clone()),
            id if id == adult => flag(worker.adult),
            _ if self.is_masters() => flag(worker.masters),
            id => {
                let value = given.get(&(id.to_owned(), name.to_owned()));
                value.map_or(Held::Nothing, |value| Held::Number(*value))
            }
        }
    }
}
