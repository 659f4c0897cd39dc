//! TLS by rustls.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::TlsError;
use crate::web::settings::Tls;

/// The number of concurrent handshakes. Further connections wait.
const HANDSHAKES: usize = 256;

/// How long a handshake may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the listener waits after a failure that concerns all connections, such as too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// A certificate with its key.
pub(crate) struct Certified(Arc<ServerConfig>);

impl Certified {
    /// Reads the certificate and its key, by paths relative to a folder.
    ///
    /// # Errors
    /// If one of them cannot be read, or they do not belong together.
    pub(crate) fn read(tls: &Tls, folder: &Path) -> Result<Self, TlsError> {
        let fault = |file: &Path, reason: &dyn std::fmt::Display| TlsError {
            file: file.display().to_string(),
            reason: reason.to_string(),
        };
        let [certificate, key] = [&tls.certificate, &tls.key].map(|file| folder.join(&**file));
        let chain = CertificateDer::pem_file_iter(&certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| fault(&certificate, &error))?;
        if chain.is_empty() {
            return Err(fault(&certificate, &"the file contains no certificate in PEM form"));
        }
        let private = PrivateKeyDer::from_pem_file(&key).map_err(|error| fault(&key, &error))?;
        let mut configuration = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
            .map_err(|error| fault(&key, &error))?;
        configuration.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(configuration)))
    }

    /// Wraps a listener, within a tokio runtime. Connections are accepted until the new listener is dropped.
    pub(crate) fn listen(self, listener: TcpListener) -> io::Result<TlsListener> {
        TlsListener::new(listener, self.0)
    }
}

/// Yields connections after their handshakes, which run concurrently.
pub(crate) struct TlsListener {
    address: SocketAddr,
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl TlsListener {
    fn new(listener: TcpListener, configuration: Arc<ServerConfig>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (done, ready) = mpsc::channel(HANDSHAKES);
        tokio::spawn(accept(listener, TlsAcceptor::from(configuration), done));
        Ok(Self { address, ready })
    }
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    done: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(HANDSHAKES));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, from) = tokio::select! {
            () = done.closed() => return,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
        };
        let (acceptor, done) = (acceptor.clone(), done.clone());
        tokio::spawn(async move {
            // A client that fails the handshake is not a rater's browser and needs no answer.
            if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await {
                let _ = done.send((stream, from)).await;
            }
            drop(place);
        });
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(accepted) => accepted,
            // The accepting task has ended with its runtime.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
