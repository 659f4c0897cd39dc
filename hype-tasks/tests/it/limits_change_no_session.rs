//! Settings that may change while a study runs are not in its session digest: the spending limit, and the people that it
//! recruits.

use hype_core::{Amount, Spec};
use hype_sim::fixtures;

fn spec(raters: &str) -> Spec {
    let text = format!(
        "name: faces\nseed: 7\nstimuli: {{ real: {{ role: real, images: \"real/*\" }}, gan: {{ role: generated, images: \
         \"gan/*\" }} }}\ntask: {{ kind: hype_infinity }}\nraters: {{ {raters} }}\n"
    );
    Spec::read(text.as_bytes()).unwrap().spec
}

fn digest(spec: &Spec) -> String {
    spec.session_digest(&fixtures::stimuli(300, &[("gan", 300)])).to_string()
}

/// The digests of the version before specs had limits.
#[test]
fn digests_of_earlier_specs_are_the_same() {
    let paid = spec("payment: { base: 1.00, per_correct: 0.02, minimum_hourly: 9 }");
    assert_eq!(digest(&paid), "d7a2369c0d31608d210842683f1f2674b77e92710fcb06d8837a50a375e85035");
    assert_eq!(
        digest(&spec("qualification: null")),
        "fbd4a6f308d7d1fc9655570be00ecb463a6e2e8943c89958314e58c01c6113b0"
    );
}

#[test]
fn limits_and_other_studies_do_not_change_the_digest() {
    let paid = "payment: { base: 1.00, per_correct: 0.02";
    let plain = spec(&format!("{paid} }}"));
    for (raters, whole) in [
        (format!("{paid}, limit: 300.00 }}"), true),
        (format!("{paid} }}, qualified_by: a.study"), true),
        (format!("{paid} }}, exclude_participants_of: [b.study, c.study]"), true),
        (format!("{paid} }}, hold_open: {{ raters: 3, per_hour: 9.00, minutes_at_most: 20 }}"), true),
        (format!("{paid}, limit: null }}, exclude_participants_of: []"), false),
    ] {
        let changed = spec(&raters);
        assert_eq!(digest(&changed), digest(&plain), "{raters}");
        assert_eq!(changed.digest() != plain.digest(), whole, "{raters}");
        // The written form is read again.
        let written = serde_json::to_string(&changed).unwrap();
        assert_eq!(Spec::read(written.as_bytes()).unwrap().spec.raters(), changed.raters(), "{raters}");
    }
    assert_ne!(digest(&spec(&format!("{}1 }}", paid.trim_end_matches(char::is_numeric)))), digest(&plain));
}

#[test]
fn the_limit_belongs_to_the_collection() {
    let limited = spec("payment: { base: 1.00, limit: 300.00 }");
    assert_eq!(limited.collection.limit, Some(Amount(300_000_000)));
    assert_eq!(limited.protocol.payment.as_ref().unwrap().limit, None);
    assert_eq!(limited.raters().payment.unwrap().limit, Some(Amount(300_000_000)));
    let protocol = serde_json::to_value(&limited.protocol).unwrap();
    assert_eq!(protocol["payment"].get("limit"), None);
    // Nor is a limit in the digest that code puts next to the promise.
    let mut misplaced = spec("payment: { base: 1.00 }");
    let plain = digest(&misplaced);
    misplaced.protocol.payment.as_mut().unwrap().limit = Some(Amount(1));
    assert_eq!(digest(&misplaced), plain);
    let written = serde_json::to_value(spec("payment: { base: 1.00 }")).unwrap();
    assert_eq!(written["raters"]["payment"].get("limit"), None);
    assert_eq!(written["raters"].get("exclude_participants_of"), None);
}
