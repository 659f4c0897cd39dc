//! The location of a study's tables: a database and a schema in it.

use std::time::Duration;

use hype_core::StoreError;
use tokio_postgres::Config;

/// The default schema.
const SCHEMA: &str = "hype";

/// The default timeout for connecting.
const CONNECT: Duration = Duration::from_secs(5);

/// The default time after which a connection with unconfirmed packets ends.
const SILENCE: Duration = Duration::from_secs(30);

/// The settings of each connection. Acknowledged data are on disk regardless of the server's default. A statement that
/// takes longer than 30 seconds is assumed to be stuck.
const SETTINGS: &str = "-c synchronous_commit=on -c statement_timeout=30s -c client_min_messages=warning";

#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) schema: String,
}

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let (rest, schema) = split_schema(url);
        let schema = schema.unwrap_or(SCHEMA).to_owned();
        if !is_plain(&schema) {
            return Err(StoreError::failed(format!(
                "{schema:?} is not a valid schema name: lower-case letters, digits and underscores, at most 63, with no \
                 digit at the beginning"
            )));
        }
        let mut config: Config = rest.parse().map_err(|error: tokio_postgres::Error| {
            StoreError::failed(format!("the address of the database cannot be parsed: {error}"))
                .caused_by(error)
        })?;
        let own = config.get_options().unwrap_or_default();
        let options = format!("{own} {SETTINGS} -c search_path={schema}");
        config.options(options.trim_start());
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("hype");
        }
        Ok(Self { config, schema })
    }
}

/// Removes the parameter `schema`, which is specific to hype, from an address.
fn split_schema(url: &str) -> (String, Option<&str>) {
    let Some((place, parameters)) = url.split_once('?') else { return (url.to_owned(), None) };
    let (own, others): (Vec<&str>, Vec<&str>) =
        parameters.split('&').partition(|parameter| parameter.starts_with("schema="));
    let schema = own.last().and_then(|parameter| parameter.strip_prefix("schema="));
    let rest = if others.is_empty() { place.to_owned() } else { format!("{place}?{}", others.join("&")) };
    (rest, schema)
}

/// Whether a name needs no quotes in SQL and in connection options.
fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && name.len() <= 63
        && !name.starts_with("pg_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_taken_out_of_the_address() {
        for (url, schema, user) in [
            ("postgres://ann@localhost/db", "hype", "ann"),
            ("postgres://ann@localhost/db?schema=faces_2", "faces_2", "ann"),
            ("postgres://localhost/db?user=bob&schema=x&connect_timeout=3", "x", "bob"),
            ("postgresql://bob@%2Frun%2Fpostgresql/db?schema=_x", "_x", "bob"),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!((address.schema.as_str(), address.config.get_user()), (schema, Some(user)), "{url}");
            let options = address.config.get_options().unwrap();
            assert!(options.ends_with(&format!("search_path={schema}")), "{options}");
            assert_eq!(address.config.get_dbname(), Some("db"));
        }
        let own = Address::parse("postgres://ann@localhost/db?options=-c%20work_mem%3D1MB").unwrap();
        assert!(own.config.get_options().unwrap().starts_with("-c work_mem=1MB -c synchronous_commit=on"));
    }

    #[test]
    fn invalid_addresses_are_refused() {
        let long = format!("postgres://localhost/db?schema={}", "x".repeat(64));
        for (url, reason) in [
            ("postgres://localhost/db?schema=", "not a valid schema name"),
            ("postgres://localhost/db?schema=a;b", "not a valid schema name"),
            ("postgres://localhost/db?schema=Faces", "not a valid schema name"),
            ("postgres://localhost/db?schema=2x", "not a valid schema name"),
            ("postgres://localhost/db?schema=pg_x", "not a valid schema name"),
            (&long, "not a valid schema name"),
            ("postgres://localhost:many/db", "cannot be parsed"),
            ("postgres://localhost/db?colour=red", "cannot be parsed"),
        ] {
            match Address::parse(url) {
                Err(StoreError::Failed { reason: text, .. }) => {
                    assert!(text.contains(reason), "{url}: {text}")
                }
                other => panic!("{url}: {other:?}"),
            }
        }
    }
}
