//! Signed addresses: the token by which Prolific proves who has come.
//!
//! The token is a JSON Web Token (RFC 7519) in the address, signed by RS256 with a key that Prolific publishes. Its claim `prolific` has
//! the ids that the address would have. By Prolific's reference ("Retrieve JSON Web Key Set"), one verifies the signature by the key
//! that the token names, the time until which it holds, the site for which it was made, and the ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use hype_core::Micros;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use super::api::Api;
use super::transport::Transport;
use crate::clock::Clock;
use crate::web::ArrivalProof;
use crate::web::wire::request::Arrival;

/// The parameter with the token.
const PARAMETER: &str = "prolific_token";

/// Where the keys are.
const KEYS: &str = ".well-known/study/jwks.json";

/// How long keys are kept.
const KEPT: Micros = Micros(86_400_000_000);

/// How long an unknown key is not asked for again.
const PATIENCE: Micros = Micros(60_000_000);

/// Checks tokens of participants of Prolific.
#[derive(Debug)]
pub(super) struct SignedAddresses {
    api: Api,
    clock: Arc<dyn Clock>,
    /// The workspace of the study, if the settings name it.
    workspace: Option<Arc<str>>,
    keys: Mutex<Keys>,
}

/// The keys by their names, and when they were asked for.
#[derive(Debug, Default)]
struct Keys {
    known: BTreeMap<String, Key>,
    asked: Option<Micros>,
}

#[derive(Debug, Clone, Deserialize)]
struct Key {
    kid: String,
    n: String,
    e: String,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
}

#[derive(Deserialize)]
struct Claims {
    /// In seconds since the Unix epoch.
    exp: f64,
    aud: Value,
    prolific: Map<String, Value>,
}

impl SignedAddresses {
    /// Keys of the platform at an address. They need no token of an account.
    pub(super) fn new(
        base_url: &str,
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
        workspace: Option<Arc<str>>,
    ) -> Option<Self> {
        let api = Api::new(base_url, "", transport, Arc::clone(&clock))?;
        Some(Self { api, clock, workspace, keys: Mutex::default() })
    }

    /// The key of a name, which is asked for if it is not known.
    async fn key(&self, name: &str) -> Option<Key> {
        let now = self.clock.now();
        let mut keys = self.keys.lock().await;
        let age = keys.asked.map(|asked| now.0.saturating_sub(asked.0));
        let is_known = keys.known.contains_key(name);
        let is_due = age.is_none_or(|age| age >= if is_known { KEPT.0 } else { PATIENCE.0 });
        if is_due {
            keys.asked = Some(now);
            match self.api.read_file::<KeySet>("read the keys of signed addresses", KEYS).await {
                Ok(KeySet { keys: read }) => {
                    let read = read.into_iter().filter_map(|key| serde_json::from_value::<Key>(key).ok());
                    keys.known = read.map(|key| (key.kid.clone(), key)).collect();
                }
                Err(error) => tracing::warn!(%error, "participants with signed addresses may have to wait"),
            }
        }
        keys.known.get(name).cloned()
    }

    /// The claims of a token that Prolific has signed for the page, and that still holds.
    async fn claims(&self, token: &str, page: &str) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = serde_json::from_slice(&decoded(header)?).ok()?;
        if header.alg != "RS256" {
            return None;
        }
        let key = self.key(&header.kid).await?;
        let key = RsaPublicKeyComponents { n: decoded(&key.n)?, e: decoded(&key.e)? };
        key.verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &decoded(signature)?).ok()?;
        let claims: Claims = serde_json::from_slice(&decoded(claims)?).ok()?;
        let holds = claims.exp > self.clock.now().as_secs_f64();
        (holds && is_for(&claims.aud, page)).then_some(claims)
    }
}

#[async_trait]
impl ArrivalProof for SignedAddresses {
    async fn signed(&self, arrival: &Arrival, page: &str) -> Option<Arrival> {
        let claims = self.claims(arrival.get(PARAMETER)?, page).await?;
        let text = |name: &str| claims.prolific.get(name).and_then(Value::as_str);
        if self.workspace.as_deref().is_some_and(|own| text("workspace_id") != Some(own)) {
            return None;
        }
        let ids =
            claims.prolific.iter().filter_map(|(name, id)| Some((name.clone(), id.as_str()?.to_owned())));
        Some(ids.collect())
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// Whether a token was made for the site of a page. Prolific documents the domain; whether a scheme and a path come with it, it does
/// not say.
fn is_for(audience: &Value, page: &str) -> bool {
    match audience {
        Value::String(audience) => site(audience).eq_ignore_ascii_case(site(page)),
        Value::Array(all) => all.iter().any(|audience| is_for(audience, page)),
        _ => false,
    }
}

/// The host of an address, without its scheme, port and path.
fn site(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_token_is_for_one_site() {
        let page = "https://rate.example.org/study/";
        for fine in ["rate.example.org", "https://rate.example.org", "https://Rate.example.org/x"] {
            assert!(is_for(&json!(fine), page) && is_for(&json!(["other.example", fine]), page), "{fine}");
        }
        for other in ["", "example.org", "rate.example.org.evil.example", "evil.example/rate.example.org"] {
            assert!(!is_for(&json!(other), page), "{other}");
        }
        assert!(!is_for(&Value::Null, page) && is_for(&json!("127.0.0.1:7000"), "http://127.0.0.1:7000/"));
    }
}
