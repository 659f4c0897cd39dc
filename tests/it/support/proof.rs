//! Tests that are small in `./test` and long in `cargo xtask prove`.

#![allow(dead_code, reason = "each of the crates that include this file uses some of it")]
#![allow(clippy::disallowed_methods, reason = "the environment says which size is wanted")]

/// The size of a test: `proof` where `HYPE_PROVE=1` is set, else `small`.
pub(crate) fn sized<T>(small: T, proof: T) -> T {
    if is_proof() { proof } else { small }
}

/// Whether the long variant of a test is requested.
pub(crate) fn is_proof() -> bool {
    std::env::var_os("HYPE_PROVE").is_some_and(|value| value == "1")
}

/// Prints a row of the table that `cargo xtask prove` writes: the name of the test, then these cells.
pub(crate) fn row(cells: &[&str]) {
    let test = std::env::var("NEXTEST_TEST_NAME").unwrap_or_default();
    println!("proof: {} | {}", test.rsplit("::").next().unwrap_or_default(), cells.join(" | "));
}
