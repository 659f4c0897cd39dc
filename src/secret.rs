//! Secrets, which the program reads only from the environment, never from a spec.

use hype_core::plugin::surroundings::{EnvironmentVariables, VariableError};
use hype_core::study::spec::Secret;

/// A secret cannot be read; the operator has to set the environment variable that the spec names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name}, which the spec names for a secret, is {state}")]
pub struct SecretError {
    /// The variable.
    pub name: String,
    /// `not set`, `empty` or `not UTF-8`.
    pub state: &'static str,
}

/// Reads a secret from the environment variable that the spec names.
///
/// # Errors
/// If the variable is not set, empty or not UTF-8. The message never contains a value.
pub fn secret(named: &Secret) -> Result<String, SecretError> {
    let found = environment();
    let value = found.variable(&named.env).map(str::to_owned);
    value.map_err(|VariableError { name, state }| SecretError { name, state })
}

/// The environment of this program.
pub(crate) fn environment() -> EnvironmentVariables {
    std::env::vars_os().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_from_the_variable_that_is_named() {
        // Cargo sets this variable for every test.
        let named = |env: &str| Secret { env: env.to_owned() };
        assert_eq!(secret(&named("CARGO_PKG_NAME")).as_deref(), Ok("hype"));
        let error = secret(&named("HYPE_NO_SUCH_SECRET")).map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err(
                "the environment variable HYPE_NO_SUCH_SECRET, which the spec names for a secret, is not set"
                    .into()
            )
        );
    }
}
