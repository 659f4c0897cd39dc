//! How a platform is reached: with secrets from the environment, and by default without real money.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hype_core::study::backend::BackendError;
use hype_core::study::spec::Secret;

/// Whether real money is spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third kind of money")]
pub enum Money {
    /// The platform's sandbox, or studies for tests.
    #[default]
    Test,
    /// The real thing.
    Real,
}

/// How a platform is reached by this program. It is not part of a spec.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PlatformAccess {
    /// Whether real money is spent.
    pub money: Money,
    /// An address in place of the platform's, with secrets in place of those of the environment, such as those of a fake on this
    /// machine.
    given: Option<Given>,
}

#[derive(Clone, PartialEq, Eq)]
struct Given {
    address: Arc<str>,
    secrets: BTreeMap<String, String>,
}

impl PlatformAccess {
    /// Real money, at the addresses and with the secrets that the spec names.
    #[must_use]
    pub fn production() -> Self {
        Self { money: Money::Real, given: None }
    }

    /// Another address than the platform's, with these secrets by the names of their environment variables.
    #[must_use]
    pub fn given(address: impl Into<Arc<str>>, secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let given = Given { address: address.into(), secrets: secrets.into_iter().collect() };
        Self { money: Money::Test, given: Some(given) }
    }

    /// Whether the platform is reached as the spec says.
    #[must_use]
    pub const fn is_configured(&self) -> bool {
        self.given.is_none()
    }

    /// The address that was given in place of the platform's.
    #[must_use]
    pub fn address(&self) -> Option<&Arc<str>> {
        self.given.as_ref().map(|given| &given.address)
    }

    /// A secret that the spec names.
    ///
    /// # Errors
    /// If it is not set, empty or not UTF-8.
    pub fn secret(&self, secret: &Secret) -> Result<String, BackendError> {
        let found = match &self.given {
            Some(given) => given.secrets.get(&secret.env).cloned(),
            None => std::env::var(&secret.env).ok(),
        };
        found.filter(|value| !value.is_empty()).ok_or_else(|| {
            BackendError::Settings(format!(
                "the environment variable {}, which the spec names for a secret, is not set",
                secret.env
            ))
        })
    }
}

/// Shows no secrets.
impl fmt::Debug for PlatformAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlatformAccess")
            .field("money", &self.money)
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}
