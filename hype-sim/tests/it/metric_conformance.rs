//! A metric that misbehaves in any of several ways is caught by a check whose name describes the fault; a sound one passes.

use hype_sim::conformance::{METRIC_CHECKS, MetricSubject};
use hype_sim::metric_conformance;

use crate::brightness::{Brightness, Misstep};

metric_conformance!(brightness_of_images, metric = Brightness::default());

#[track_caller]
fn caught(misstep: Misstep, name: &str, reason: &str) {
    let (_, check) = METRIC_CHECKS.iter().find(|(known, _)| *known == name).unwrap();
    let found =
        check(&MetricSubject::new(&Brightness { misstep })).expect_err(&format!("{misstep:?} passes {name}"));
    assert!(found.contains(reason), "{misstep:?}: {name} says: {found}");
}

#[test]
fn metrics_that_misbehave_are_caught() {
    caught(Misstep::DeclaresTwice, "metric_values_are_declared", "declared twice");
    caught(Misstep::ReturnsMore, "metric_values_are_declared", "declares 1 values and returned 2");
    caught(Misstep::Wavers, "metric_values_are_declared", "twice gives different values");
    caught(Misstep::ReadsTheFirst, "order_changes_no_value", "in another order");
    caught(Misstep::FixesRows, "order_changes_no_value", "stay where they were");
    caught(Misstep::Remembers, "rows_depend_on_their_unit_alone", "alone");
    caught(Misstep::PassesOver, "outliers_are_never_silent", "passed over in silence");
    caught(Misstep::DividesByZero, "outliers_are_never_silent", "without units has a value");
    caught(Misstep::KnowsBetter, "identical_sets_have_the_known_value", "1 is declared");
}
