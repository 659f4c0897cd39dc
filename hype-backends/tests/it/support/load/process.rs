//! The page's server in a separate process, started from this same program.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use hype_backends::web::settings::EntryLimits;
use hype_backends::web::{ImageSource, Page, Services, SystemClock, serve as serve_page};
use hype_core::{StimulusId, Store, Study};
use hype_store::{PostgresStore, SqliteStore};
use tokio::runtime::Builder;

/// The argument that makes the program a server. The store and the address follow it, then the program's own
/// arguments.
pub(crate) const ARGUMENT: &str = "serve";

/// A running server, which is killed when it is dropped.
pub(crate) struct Process {
    pub(crate) address: SocketAddr,
    pub(crate) child: Child,
}

impl Process {
    /// Starts a server on a store, at an address (port 0 for any free port), with further arguments for `main`.
    pub(crate) fn start(store: &str, listen: SocketAddr, more: &[String]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([ARGUMENT, store, &listen.to_string()])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().parse().unwrap_or_else(|_| panic!("the server does not start: {line:?}"));
        Self { address, child }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An address of this machine with any free port.
pub(crate) fn anywhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// Runs the server until the program that started it ends. The arguments after [`ARGUMENT`] are the store and the
/// listen address.
pub(crate) fn serve(study: Study, arguments: &[String]) {
    let [store, listen, ..] = arguments else { panic!("the server needs a store and an address") };
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open(store).await;
        store.bind(study.digest()).await.unwrap();
        // All raters come from this machine, and as fast as they can.
        let entries = EntryLimits { source_burst: u32::MAX };
        let page = Page { entries, ..Page::default() };
        let service = Services::new(study, store, Arc::new(Blank), page, Arc::new(SystemClock)).await;
        let serving = serve_page(service.unwrap(), listen.parse().unwrap()).await.unwrap();
        println!("{}", serving.address());
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        drop(ended.await);
    });
    runtime.shutdown_background();
}

/// Opens a store: a file, or an address of PostgreSQL.
pub(crate) async fn open(store: &str) -> Arc<dyn Store> {
    if store.starts_with("postgres:") {
        Arc::new(PostgresStore::connect(store).await.unwrap())
    } else {
        Arc::new(SqliteStore::open(store).unwrap())
    }
}

/// Images that are never fetched, and sixteen masks that may follow any of them.
struct Blank;

impl ImageSource for Blank {
    fn stimulus(&self, _: StimulusId) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn size(&self, _: StimulusId) -> (u32, u32) {
        (256, 256)
    }

    fn masks(&self, _: StimulusId) -> Range<u32> {
        0..16
    }

    fn mask(&self, _: u32) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
