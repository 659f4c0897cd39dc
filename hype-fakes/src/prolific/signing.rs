//! Signed addresses: the token by which the platform proves who has come.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents};
use serde_json::{Value, json};

use super::WORKSPACE;

/// The name of the only key.
const KEY_ID: &str = "a-key-for-tests";

/// The private key of the fake in PKCS #8, which signs nothing else.
const KEY: &str = "\
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDpofNJvcXQMmC5HupsLEBFiqbBIo3Vl+nlObT/4/VSH2wldewmECzHyZ2BUQ\
    IYP7GodS6gt5scNCjwNse5UogeSPYB7Y2beSPRG0EjEhyo3rVDi7mVJD/6RJIGBFsneIaZEsEK9EqqVcxsqYKb1VLvAGf6kEQP5Fr+y611NZU9\
    p5anlrs3LSyKVgkKjBWXC3DfzbBr71wGMZmueUVEC3ngyf3g+1BcFS6WY1PgrlVE2Ntq+TeeyG+QBr2eGGAmo/La9SQClrr33zePFbxeiv3hYN\
    YfCF0iFDZWMSTeXhLTBTQKPzX2vaU6W+6+kdbcLZARNYRQYBgXwyIK+b3txnDrAgMBAAECggEANB1/IpTlelKyhrjhu+2HDLwoBG8LyniPoSVl\
    PauA/qepvRV37umuw4YyzzTdzcDvhU9Wbl1miT0NYMAnfyxs1qyZy8ZMz0CPf8afmg4hPH4pWv7hD+a9Krt/Az6Xgs983spzK1lhCmwHJLoPO2\
    mzjUK+7wKdXBopPir672lbeBvr+Mzz+wkZ2OqTme4ExAM6y7oLiFLYfvRrOuudqy4EWFgCdUAZGkrhTymgtXPwvsOKmdIsj3unHvg/EiaE3EbW\
    e7Iv000WPdy1ZHUdp9J10GH7p0jp238jLgpWqPuVtxVM4S1g2NRZIGxQ822BPz2Sw63TqV+fhX4TBO3hGiN7cQKBgQD6eUqNxRc4q0nojXr0Od\
    ygbDJbR5ot/GTNS77aYBwOeChj9pdto9otH35qkSbg8VV9sJI2c9frYznQagSTUEu0T6Q7O7pHNNyJ1BHB4JkIK3Ax7t9aaCtUjh2f2TdIrt29\
    TULxMkzAG0sZsh2ALlLOnqbs/HzIC3JWXtkGCbNiswKBgQDuyYm3dCIXEapi6wunkj4fZN1qkcpMtE+AK3t0Gt/KR4vAGoB+P+Rdsk/JOm8Xra\
    O9CWIKyZtq5SMeBLdN73Gj36gx3G/RsbFH6n9qLl7+FXxvSAS099kKLWfuGcsR5Dg0ls5RcScwpvtfx2YXB4ipb1MUyzS+KHsqE5rTPlX06QKB\
    gB+A7/qi5ofPK42fde6P9IsM8MyAVgkgrMERnOC0o/LB9DqWgndc240/X9Qhi6VRVXJoqgtFSMwnf9cR7p9kwxDbz4lPut9H69E+JjmfeUAIzq\
    TJKbiiT4jkEx/O32A59lPgCuJxdCvZgvmpaIJ90RaB5/b4zu0OW4Q3i85xm+l3AoGAHzi4ygTkRDHqHl7vOizT9JTiooGHevoEfxSwYqD06+To\
    7+hHLrq56EpdRklepzDr/NaSPCjaKmLlcZJaSVVqfWvL+SECed+K94VAvahsgTpb98zp2KOjfEItmaNDuwYlFzM0rM9nuWPL8F0JCy/P/Z9xtI\
    FRVx/B4uGHV+GJqakCgYEA6b96LJvxlmTL6UImEuIK1xeXuTCvIV4+tKc1CnS9IrCkjtYurObN/eNFsPVrhX1+wIj78BZsLSgUhltXH+pMP9FN\
    T17TLwDh3ev/bxtorH0SZt6qMeVDQD+tasFe7aQacCRjN3QA3cG7ScHE6UtcpT2kUvguRmipiRX+YKmG7jc=";

/// For how many seconds a token holds.
const SECONDS: u64 = 300;

#[expect(clippy::unwrap_used, reason = "the key is the constant above")]
fn key() -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(&BASE64_STANDARD.decode(KEY).unwrap()).unwrap()
}

/// The public keys, as the platform publishes them.
pub(super) fn keys() -> Value {
    let key = key();
    let number = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let parts = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
    let (modulus, exponent) = (number(&parts.n), number(&parts.e));
    json!({ "keys": [{
        "kty": "RSA", "kid": KEY_ID, "alg": "RS256", "use": "sig", "key_ops": ["verify"], "n": modulus, "e": exponent,
    }] })
}

/// The content of a token.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "tests make it")]
pub struct SignedArrival {
    /// The site for which it is made.
    pub audience: String,
    /// The participant.
    pub participant: String,
    /// The study.
    pub study: String,
    /// The submission.
    pub submission: String,
}

impl SignedArrival {
    /// The token, made at a time in milliseconds since the Unix epoch.
    #[must_use]
    #[expect(clippy::unwrap_used, reason = "the buffer has the length of the signature")]
    pub fn token(&self, unix_ms: u64) -> String {
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let header = part(&json!({ "alg": "RS256", "typ": "JWT", "kid": KEY_ID }));
        let now = unix_ms / 1_000;
        let claims = part(&json!({
            "iss": "https://www.prolific.com", "aud": self.audience, "sub": self.submission, "iat": now, "exp": now + SECONDS,
            "prolific": {
                "PROLIFIC_PID": self.participant, "STUDY_ID": self.study, "SESSION_ID": self.submission,
                "workspace_id": WORKSPACE,
            },
        }));
        let (signed, key) = (format!("{header}.{claims}"), key());
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }
}
