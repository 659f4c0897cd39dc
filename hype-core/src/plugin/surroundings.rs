//! What a backend or a cohort is checked against.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

use crate::model::stimulus::Stimuli;

/// What a backend or a cohort is checked against: the stimuli and, where the study is about to be run, what lies outside
/// the spec.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// `None` where nothing outside the spec is needed, such as when sessions are scored that were collected before.
    pub outside: Option<Outside<'a>>,
}

/// What lies outside a spec.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The folder that paths in the spec are relative to.
    pub folder: &'a Path,
    /// The environment variables.
    pub environment: &'a EnvironmentVariables,
    /// What the study is about to be used for.
    pub purpose: Purpose,
}

/// What a study is about to be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The backend collects.
    Collect,
    /// The raters of the section `simulate` answer; what only the backend or the store needs is not looked for.
    Simulate,
}

/// Environment variables, by which a program is given its secrets. This crate never reads them itself.
#[derive(Clone, Default)]
pub struct EnvironmentVariables(BTreeMap<OsString, OsString>);

/// Names no variable, as their values are secrets.
impl fmt::Debug for EnvironmentVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EnvironmentVariables").field(&self.0.len()).finish()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for EnvironmentVariables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl EnvironmentVariables {
    /// The value of a variable.
    ///
    /// # Errors
    /// If the variable is not set, empty, or not UTF-8.
    pub fn variable(&self, name: &str) -> Result<&str, VariableError> {
        match self.0.get(OsStr::new(name)).map(|value| value.to_str()) {
            Some(Some(value)) if !value.is_empty() => Ok(value),
            found => Err(VariableError {
                name: name.to_owned(),
                state: match found {
                    None => "not set",
                    Some(None) => "not UTF-8",
                    Some(Some(_)) => "empty",
                },
            }),
        }
    }
}

/// An environment variable that a spec names cannot be used; the operator sets it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name} is {state}")]
pub struct VariableError {
    /// The variable.
    pub name: String,
    /// `not set`, `empty` or `not UTF-8`.
    pub state: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_cannot_be_used_are_named_and_values_never_shown() {
        let environment: EnvironmentVariables = [("TOKEN", "secret"), ("EMPTY", "")].into_iter().collect();
        assert_eq!(environment.variable("TOKEN"), Ok("secret"));
        let said = |name: &str| environment.variable(name).map_err(|error| error.to_string());
        assert_eq!(said("EMPTY"), Err("the environment variable EMPTY is empty".into()));
        assert_eq!(said("ABSENT"), Err("the environment variable ABSENT is not set".into()));
        assert_eq!(format!("{environment:?}"), "EnvironmentVariables(2)");
    }
}
