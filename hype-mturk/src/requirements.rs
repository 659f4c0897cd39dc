//! Who may accept a HIT, in the words of the protocol.

use aws_sdk_mturk::types::builders::QualificationRequirementBuilder;
use aws_sdk_mturk::types::{Comparator, HitAccessActions, Locale, QualificationRequirement};
use hype_backends::crowd::access::Money;

use crate::WorkerRequirements;

/// The qualifications that the service itself gives its workers.
const APPROVAL_RATE: &str = "000000000000000000L0";
const APPROVED_ASSIGNMENTS: &str = "00000000000000000040";
const LOCALE: &str = "00000000000000000071";
const ADULT: &str = "00000000000000000060";

/// The most requirements of a HIT.
pub(crate) const REQUIREMENTS_AT_MOST: usize = 10;

/// The qualification of Masters.
const fn masters(money: Money) -> &'static str {
    match money {
        Money::Test => "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6",
        Money::Real => "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH",
    }
}

/// The requirements of a HIT: those of the settings, the qualification that workers must have, and those that they must not have.
/// Workers who do not meet them do not see the HIT.
pub(crate) fn of(
    settings: &WorkerRequirements,
    money: Money,
    pool: Option<&str>,
    excluded: &[String],
) -> Vec<QualificationRequirement> {
    let at_least = |id, value: u32| {
        requirement(id, Comparator::GreaterThanOrEqualTo)
            .integer_values(i32::try_from(value).unwrap_or(i32::MAX))
    };
    let locales = || {
        let locales = settings.locales.iter().filter_map(|locale| {
            let (country, state) = locale.split_once('-').map_or((&**locale, None), |(c, s)| (c, Some(s)));
            Locale::builder().country(country).set_subdivision(state.map(Into::into)).build().ok()
        });
        requirement(LOCALE, Comparator::In).set_locale_values(Some(locales.collect()))
    };
    let own = [
        settings.approval_rate.map(|rate| at_least(APPROVAL_RATE, rate.into())),
        settings.approved_assignments.map(|number| at_least(APPROVED_ASSIGNMENTS, number)),
        (!settings.locales.is_empty()).then(locales),
        settings.adult.then(|| requirement(ADULT, Comparator::EqualTo).integer_values(1)),
        settings.masters.then(|| requirement(masters(money), Comparator::Exists)),
        pool.map(|pool| requirement(pool, Comparator::Exists)),
    ];
    let excluded = excluded.iter().map(|pool| requirement(pool, Comparator::DoesNotExist));
    // Both required members are given.
    own.into_iter().flatten().chain(excluded).filter_map(|one| one.build().ok()).collect()
}

fn requirement(id: &str, comparator: Comparator) -> QualificationRequirementBuilder {
    QualificationRequirement::builder()
        .qualification_type_id(id)
        .comparator(comparator)
        .actions_guarded(HitAccessActions::DiscoverPreviewAndAccept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_pools_become_requirements() {
        let settings = WorkerRequirements {
            approved_assignments: Some(500),
            locales: vec!["US".into(), "DE-BY".into()],
            adult: true,
            masters: true,
            ..WorkerRequirements::default()
        };
        let excluded = ["X1".to_owned(), "X2".to_owned()];
        let all = of(&settings, Money::Real, Some("P"), &excluded);
        let ids: Vec<_> = all.iter().map(QualificationRequirement::qualification_type_id).collect();
        assert_eq!(
            ids,
            [APPROVAL_RATE, APPROVED_ASSIGNMENTS, LOCALE, ADULT, masters(Money::Real), "P", "X1", "X2"]
        );
        let [rate, .., locale, _, _, _, _, last] = &*all else { panic!("eight requirements") };
        assert_eq!(
            (rate.comparator(), rate.integer_values()),
            (&Comparator::GreaterThanOrEqualTo, &[98][..])
        );
        let subdivisions: Vec<_> =
            locale.locale_values().iter().map(|locale| (locale.country(), locale.subdivision())).collect();
        assert_eq!(subdivisions, [("US", None), ("DE", Some("BY"))]);
        assert_eq!(last.comparator(), &Comparator::DoesNotExist);
        let anybody = WorkerRequirements { approval_rate: None, ..WorkerRequirements::default() };
        assert_eq!(of(&anybody, Money::Test, None, &[]), []);
    }
}
