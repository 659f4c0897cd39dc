//! Features of the program that a spec needs.

use hype_core::Diagnostics;
use hype_core::study::spec::Draft;

/// The backends of features that are not defaults, with their features.
const BACKENDS: [(&str, &str); 3] = [("prolific", "crowd"), ("panel", "crowd"), ("mturk", "mturk")];

/// The diagnostics, in which a backend that this program was built without is named as such.
pub(super) fn named(diagnostics: Diagnostics) -> Diagnostics {
    let mut named = Diagnostics::new();
    for mut diagnostic in diagnostics.into_vec() {
        let needed = BACKENDS.iter().find(|(kind, _)| {
            diagnostic.code == "unknown-kind"
                && diagnostic.path == "backend.kind"
                && diagnostic.message == format!("unknown kind `{kind}`")
        });
        if let Some((kind, feature)) = needed {
            diagnostic.code = "missing-feature";
            diagnostic.message = format!("this program was built without the backend `{kind}`");
            diagnostic.help(format!("build it with `cargo install --path hype-cli --features {feature}`"));
        }
        named.push(diagnostic);
    }
    named
}

/// Checks that the program has the features that the collection needs.
pub(super) fn check(draft: &Draft, at: &mut Diagnostics) {
    if cfg!(not(feature = "postgres")) && draft.document.root().get("store").is_some() {
        at.field("store").error("missing-feature", "this program was built without PostgreSQL").help(
            "build it with `cargo install --path hype-cli --features postgres`, or leave out `store` to keep the \
             logs in the study's folder",
        );
    }
    if cfg!(not(feature = "web")) && draft.facets().iter().any(|(_, facet)| facet.participants.is_some()) {
        at.field("facets").error("missing-feature", "this program was built without the rater page").help(
            "build it with `cargo install --path hype-cli --features web`, or name the raters in a column `rater`",
        );
    }
}

#[cfg(test)]
mod tests {
    use hype_core::Spec;

    use super::*;

    #[test]
    fn a_backend_of_a_feature_is_named_with_it() {
        let mut found = Diagnostics::new();
        found
            .field("backend")
            .field("kind")
            .error("unknown-kind", "unknown kind `mturk`")
            .help("known kinds: web");
        found
            .field("backend")
            .field("kind")
            .error("unknown-kind", "unknown kind `mturks`")
            .help("known kinds: web");
        found.field("task").field("kind").error("unknown-kind", "unknown kind `panel`");
        let named = named(found).into_vec();
        let shown: Vec<_> = named.iter().map(|one| (one.code, &*one.message, one.help.as_deref())).collect();
        assert_eq!(
            shown,
            [
                (
                    "missing-feature",
                    "this program was built without the backend `mturk`",
                    Some("build it with `cargo install --path hype-cli --features mturk`")
                ),
                ("unknown-kind", "unknown kind `mturks`", Some("known kinds: web")),
                ("unknown-kind", "unknown kind `panel`", None),
            ]
        );
    }

    /// The message of the reader of specs has the form that is looked for.
    #[test]
    fn the_reader_reports_unknown_backends_in_this_form() {
        let read = Spec::draft(b"backend: { kind: nowhere }\n");
        let found = read.map_or_else(|faults| faults, |draft| draft.found);
        let unknown = found.iter().find(|one| one.code == "unknown-kind").unwrap();
        assert_eq!((&*unknown.path, &*unknown.message), ("backend.kind", "unknown kind `nowhere`"));
    }
}
