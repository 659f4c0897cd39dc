//! Secrets: the only values of a spec that environment variables can stand in for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A secret, told by where it is found, so that it never stands in a spec: `token: { env: PANEL_TOKEN }`.
///
/// The library never reads the environment; the program that runs the study does, by the name given here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// The name of the environment variable that holds it.
    pub env: String,
}
