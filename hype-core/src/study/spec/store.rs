//! The `store` section: the database for the logs of a study, if they are not in its folder.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::diagnostics::Diagnostics;
use crate::plugin::surroundings::Outside;
use crate::study::spec::Secret;

/// The prefixes of addresses of shared databases.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// A database that any number of servers can share, instead of a file in the study's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StoreSpec {
    /// Its address, such as `postgres://hype@localhost/studies?schema=faces`, without a password.
    Address(String),
    /// The environment variable that contains the address, for an address with a password.
    Named(Secret),
}

impl StoreSpec {
    /// Checks the address at the path of the section. If `outside` is given, also checks the address in an environment
    /// variable.
    pub(crate) fn check(&self, outside: Option<Outside<'_>>, at: &mut Diagnostics) {
        match self {
            Self::Address(address) if !is_address(address) => {
                at.error("bad-address", "the address of a store must begin with `postgres://`").help(
                    "write `store: postgres://user@host/database?schema=study`, or leave out `store` to keep the \
                     logs in the study's folder",
                );
            }
            Self::Address(address) if has_password(address) => {
                at.error("secret-in-spec", "the address contains a password, which readers of the spec can see").help(
                    "put the address into an environment variable and name it here: `store: { env: HYPE_STORE }`",
                );
            }
            Self::Named(secret) if secret.env.is_empty() => {
                at.field("env")
                    .error("empty", "the environment variable has no name")
                    .help("name it, such as `store: { env: HYPE_STORE }`");
            }
            Self::Named(secret) => {
                if let Some(outside) = outside {
                    check_variable(secret, outside, at);
                }
            }
            Self::Address(_) => {}
        }
    }
}

/// Checks that a variable contains an address. Messages never show its value.
fn check_variable(secret: &Secret, outside: Outside<'_>, at: &mut Diagnostics) {
    let help = format!(
        "set it before running the study, such as `export {}='postgres://user:password@host/database?schema=study'`",
        secret.env
    );
    match outside.environment.variable(&secret.env) {
        Ok(address) if is_address(address) => {}
        Ok(_) => {
            let message =
                format!("the environment variable {} does not begin with `postgres://`", secret.env);
            at.field("env").error("bad-address", message).help(help);
        }
        Err(error) => {
            at.field("env").error("missing-variable", error.to_string()).help(help);
        }
    }
}

fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Whether the address has a password before the host or among the parameters.
fn has_password(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = place.split('/').next().unwrap_or_default();
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    user.is_some_and(|user| user.contains(':'))
        || parameters.split('&').any(|parameter| parameter.starts_with("password="))
}

impl<'de> Deserialize<'de> for StoreSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AddressOrSecret;
        impl<'de> Visitor<'de> for AddressOrSecret {
            type Value = StoreSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the address of a database, or `{ env: NAME }` for a variable that contains it")
            }
            fn visit_str<E>(self, address: &str) -> Result<StoreSpec, E> {
                Ok(StoreSpec::Address(address.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StoreSpec, A::Error> {
                Secret::deserialize(MapAccessDeserializer::new(map)).map(StoreSpec::Named)
            }
        }
        deserializer.deserialize_any(AddressOrSecret)
    }
}

impl JsonSchema for StoreSpec {
    fn schema_name() -> Cow<'static, str> {
        "StoreSpec".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let secret = generator.subschema_for::<Secret>();
        json_schema!({
            "description": "A database that any number of servers share, instead of a file in the study's folder: its \
                            address, or the environment variable that holds it",
            "anyOf": [{ "type": "string", "pattern": "^postgres(ql)?://" }, secret],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Document;

    fn codes(text: &str) -> Vec<&'static str> {
        let read = Document::parse(text).unwrap().root().read::<StoreSpec>();
        let mut at = Diagnostics::new();
        read.unwrap().check(None, &mut at);
        at.iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn an_address_is_one_of_a_database_and_holds_no_password() {
        for fine in [
            "postgres://hype@localhost/studies?schema=faces",
            "postgresql://%2Frun%2Fpostgresql/studies",
            "postgres://localhost:5432/db",
            "{ env: HYPE_STORE }",
        ] {
            assert_eq!(codes(fine), [""; 0], "{fine}");
        }
        for secret in
            ["postgres://hype:geheim@localhost/db", "postgres://localhost/db?user=x&password=geheim"]
        {
            assert_eq!(codes(secret), ["secret-in-spec"], "{secret}");
        }
        for none in ["study.db", "mysql://localhost/db", "\"\""] {
            assert_eq!(codes(none), ["bad-address"], "{none}");
        }
        assert_eq!(codes("{ env: \"\" }"), ["empty"]);
        let fault = Document::parse("[a]").unwrap().root().read::<StoreSpec>().unwrap_err();
        assert_eq!(fault.code, "wrong-type");
    }
}
