//! TLS by rustls.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::TlsError;
use crate::web::settings::Tls;

/// A certificate with its key.
pub(crate) struct Certified(TlsAcceptor);

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
        Ok(Self(TlsAcceptor::from(Arc::new(configuration))))
    }

    /// Performs the handshake of a new connection.
    ///
    /// # Errors
    /// If the client speaks no TLS that the server knows, or the connection ends.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}
