//! The surroundings against which a backend or a cohort is checked.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

use crate::model::stimulus::Stimuli;

/// The surroundings against which a backend or a cohort is checked: the stimuli and, if the study is about to run,
/// everything relevant outside the spec.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The study's stimuli.
    pub stimuli: &'a Stimuli,
    /// `None` if nothing outside the spec is needed, for example to score sessions that were collected earlier.
    pub outside: Option<Outside<'a>>,
}

/// The relevant environment of a spec.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The folder that paths in the spec are relative to.
    pub folder: &'a Path,
    /// The environment variables.
    pub environment: &'a EnvironmentVariables,
    /// The purpose for which the study is opened.
    pub purpose: Purpose,
}

/// The purpose for which a study is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To collect sessions through the backend.
    Collect,
    /// To simulate sessions with the raters of the section `simulate`. The requirements of the backend and the store
    /// are not checked.
    Simulate,
}

/// Environment variables, which provide secrets. This crate never reads them itself.
#[derive(Clone, Default)]
pub struct EnvironmentVariables(BTreeMap<OsString, OsString>);

/// Shows only the number of variables, as their values may be secret.
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

/// An environment variable that a spec names cannot be used; the operator has to set it.
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
        let error = |name: &str| environment.variable(name).map_err(|error| error.to_string());
        assert_eq!(error("EMPTY"), Err("the environment variable EMPTY is empty".into()));
        assert_eq!(error("ABSENT"), Err("the environment variable ABSENT is not set".into()));
        assert_eq!(format!("{environment:?}"), "EnvironmentVariables(2)");
    }
}
