//! How thoroughly tests prove what they claim.

/// Whether the long form of a proof is asked for, by `HYPE_PROVE=1`; the short one has fewer cases at the same seeds.
#[allow(clippy::disallowed_methods, reason = "tests are asked by the environment")]
pub(crate) fn is_long() -> bool {
    std::env::var_os("HYPE_PROVE").is_some_and(|value| value == "1")
}

/// One of two sizes, by whether the long form is asked for.
pub(crate) fn size<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}
