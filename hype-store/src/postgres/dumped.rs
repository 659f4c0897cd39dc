//! Copies of a study's schema, which PostgreSQL's own programs write and read.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use hype_core::StoreError;
use tokio_postgres::config::{Host, SslMode};

use super::PostgresStore;
use super::address::Address;

impl PostgresStore {
    /// Copies a study's schema as it is at one moment into a new file, by `pg_dump`, while others may write to it.
    ///
    /// # Errors
    /// If the address cannot be parsed, `pg_dump` or `pg_restore` is not installed or fails, or the copy has no store of hype.
    pub fn back_up(url: &str, to: &Path) -> Result<(), StoreError> {
        let address = Address::parse(url)?;
        let mut dump = address.program("pg_dump");
        dump.args(["--no-password", "--format=custom", "--no-owner", "--no-privileges"]);
        dump.arg(format!("--schema={}", address.schema)).arg("--file").arg(to);
        address.output(dump)?;
        address.find_in(to)
    }

    /// Makes a study's schema again from a copy that [`back_up`](Self::back_up) wrote, by `pg_restore`: all of it or nothing.
    ///
    /// # Errors
    /// If the address cannot be parsed, `pg_restore` is not installed or fails, the copy is of another schema, or the schema
    /// exists.
    pub fn restore(url: &str, from: &Path) -> Result<(), StoreError> {
        let address = Address::parse(url)?;
        address.find_in(from)?;
        let mut restore = address.program("pg_restore");
        restore.args([
            "--no-password",
            "--single-transaction",
            "--exit-on-error",
            "--no-owner",
            "--no-privileges",
        ]);
        let database = address.config.get_dbname().or(address.config.get_user()).unwrap_or("postgres");
        restore.arg(format!("--dbname={database}")).arg(from);
        address.output(restore).map(drop)
    }
}

impl Address {
    /// One of PostgreSQL's programs, which connects as the store does. Variables, unlike arguments, are not seen by others.
    fn program(&self, name: &str) -> Command {
        let config = &self.config;
        let mut command = Command::new(name);
        let hosts = config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        });
        let ports = config.get_ports().iter().map(u16::to_string);
        let security = match config.get_ssl_mode() {
            SslMode::Disable => "disable",
            SslMode::Require => "require",
            _ => "prefer",
        };
        let joined = |all: Vec<String>| (!all.is_empty()).then(|| all.join(","));
        let variables = [
            ("PGHOST", joined(hosts.collect())),
            ("PGHOSTADDR", joined(config.get_hostaddrs().iter().map(ToString::to_string).collect())),
            ("PGPORT", joined(ports.collect())),
            ("PGUSER", config.get_user().map(str::to_owned)),
            ("PGDATABASE", config.get_dbname().map(str::to_owned)),
            ("PGPASSWORD", config.get_password().map(|word| String::from_utf8_lossy(word).into_owned())),
            ("PGSSLMODE", Some(security.to_owned())),
        ];
        command.envs(variables.into_iter().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// Checks that a copy can be read and has this schema's store.
    fn find_in(&self, copy: &Path) -> Result<(), StoreError> {
        let mut list = Command::new("pg_restore");
        list.arg("--list").arg(copy);
        let listed = self.output(list)?;
        if listed.contains(&format!(" TABLE {} hype_version ", self.schema)) {
            return Ok(());
        }
        let (copy, schema) = (copy.display(), &self.schema);
        Err(StoreError::failed(format!(
            "{copy} is not a copy of the schema {schema}: name in `store` the schema that was backed up"
        )))
    }

    /// Returns the output of a program that succeeds.
    fn output(&self, mut command: Command) -> Result<String, StoreError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command.output().map_err(|error| {
            let reason = match error.kind() {
                ErrorKind::NotFound => format!(
                    "`{name}` copies the answers in the schema {} and is not installed here: install PostgreSQL's client programs, \
                     or call it where they are",
                    self.schema
                ),
                _ => format!("`{name}` cannot be started: {error}"),
            };
            StoreError::failed(reason).caused_by(error)
        })?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error:")).or(said.lines().next());
        let first = first.unwrap_or("it did not say why").trim();
        Err(StoreError::failed(match first.contains(" already exists") {
            true => format!(
                "the database has a schema {} already, which is not overwritten: rename or drop it first ({first})",
                self.schema
            ),
            false => format!("`{name}` failed: {first}"),
        }))
    }
}
