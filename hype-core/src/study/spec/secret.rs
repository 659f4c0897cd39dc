//! Secrets: the only values in a spec that are read from environment variables.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A secret, given by the name of its environment variable and never part of a spec: `token: { env:
/// PANEL_TOKEN }`.
///
/// This crate never reads the environment; the program that runs the study does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// The name of the environment variable that holds it.
    pub env: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Document;

    #[test]
    fn a_secret_is_named_by_its_variable() {
        let read = |text: &str| Document::parse(text).unwrap().root().read::<Secret>();
        assert_eq!(read("{ env: PANEL_TOKEN }").unwrap().env, "PANEL_TOKEN");
        let fault = read("abc123").unwrap_err();
        assert_eq!((fault.code, &*fault.message), ("wrong-type", "expected a map, found a string"));
    }
}
