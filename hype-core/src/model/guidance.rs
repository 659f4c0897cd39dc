//! Instructions for raters.

use std::fmt;
use std::sync::Arc;

/// A paragraph of instructions: messages that follow one another. Each message is translated by itself.
///
/// # Examples
/// ```
/// use hype_core::model::guidance::Guidance;
///
/// let guidance = Guidance::from("You will see two images.").then("Choose the better one.");
/// assert_eq!(guidance.to_string(), "You will see two images. Choose the better one.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guidance(Vec<Arc<str>>);

impl Guidance {
    /// Adds a message.
    #[must_use]
    pub fn then(mut self, message: impl Into<Arc<str>>) -> Self {
        self.0.push(message.into());
        self
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Arc<str>] {
        &self.0
    }
}

impl From<Arc<str>> for Guidance {
    fn from(message: Arc<str>) -> Self {
        Self(vec![message])
    }
}

impl From<&str> for Guidance {
    fn from(message: &str) -> Self {
        Self(vec![message.into()])
    }
}

impl From<String> for Guidance {
    fn from(message: String) -> Self {
        Self(vec![message.into()])
    }
}

impl fmt::Display for Guidance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, message) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}
