//! A private PostgreSQL server with the stores that a test opens in it.

use std::path::Path;

use hype_core::StoreError;
use hype_store::PostgresStore;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::NoTls;

use crate::server::Server;

/// A server, and the runtime of its stores.
pub(crate) struct Database {
    // Dropped first, together with its connections.
    pub(crate) runtime: Runtime,
    pub(crate) server: Server,
}

impl Database {
    pub(crate) fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        // These tests kill processes, not the machine.
        Self { runtime, server: Server::start(&["fsync=off", "max_connections=300"]) }
    }

    pub(crate) fn url(&self, schema: &str) -> String {
        let [network, _] = self.server.urls(schema);
        network
    }

    pub(crate) fn open(&self, url: &str) -> Result<PostgresStore, StoreError> {
        self.runtime.block_on(PostgresStore::connect(url))
    }

    /// Opens stores with one schema per folder.
    pub(crate) fn opener(self) -> impl Fn(&Path) -> PostgresStore + Sync + 'static {
        move |folder| {
            let name = folder.file_name().unwrap().as_encoded_bytes();
            let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            self.open(&self.url(&format!("test_{name}"))).unwrap()
        }
    }

    /// Runs statements outside the store.
    pub(crate) fn execute(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        let url = self.url("");
        self.runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url.split_once('?').unwrap().0, NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(statements).await
        })
    }
}
