//! Secrets: read from the environment by the program, never from a spec.

use hype_core::study::spec::Secret;

/// A secret cannot be read; the operator sets the environment variable that the spec names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name}, which the spec names for a secret, is {state}")]
pub struct SecretError {
    /// The variable.
    pub name: String,
    /// `not set`, `empty` or `not text`.
    pub state: &'static str,
}

/// Reads a secret from the environment variable that the spec names.
///
/// # Errors
/// If the variable is not set, empty or not text. The message never holds a value.
pub fn secret(named: &Secret) -> Result<String, SecretError> {
    let state = match std::env::var(&named.env) {
        Ok(value) if !value.is_empty() => return Ok(value),
        Ok(_) => "empty",
        Err(std::env::VarError::NotPresent) => "not set",
        Err(std::env::VarError::NotUnicode(_)) => "not text",
    };
    Err(SecretError { name: named.env.clone(), state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_from_the_variable_that_is_named() {
        // Cargo sets this variable for every test.
        let named = |env: &str| Secret { env: env.to_owned() };
        assert_eq!(secret(&named("CARGO_PKG_NAME")).as_deref(), Ok("hype"));
        let said = secret(&named("HYPE_NO_SUCH_SECRET")).map_err(|error| error.to_string());
        assert_eq!(
            said,
            Err(
                "the environment variable HYPE_NO_SUCH_SECRET, which the spec names for a secret, is not set"
                    .into()
            )
        );
    }
}
