//! nginx and Caddy with the configurations of `docs/hosting`, in front of a server of a test.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tempfile::TempDir;
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;

/// The proxies whose configurations are in `docs/hosting`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nginx,
    Caddy,
}

/// The name of the host, as [`HttpClient`](crate::http_client::HttpClient) says it.
const HOST: &str = "test";

/// A running proxy, which ends when the value is dropped.
pub(crate) struct Proxy {
    process: Child,
    client: TlsConnector,
    /// The addresses that it serves by HTTPS, and by HTTP if it does.
    https: SocketAddr,
    pub(crate) http: SocketAddr,
    folder: TempDir,
}

/// An address that was free a moment ago.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

impl Proxy {
    /// Starts a proxy in front of a server.
    pub(crate) async fn start(kind: Kind, server: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec![HOST.to_owned()]).unwrap();
        fs::write(folder.path().join("fullchain.pem"), made.cert.pem()).unwrap();
        fs::write(folder.path().join("privkey.pem"), made.signing_key.serialize_pem()).unwrap();
        let mut trusted = RootCertStore::empty();
        trusted.add(made.cert.der().clone()).unwrap();
        let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(trusted)
            .with_no_client_auth();
        let (https, http) = (free(), free());
        let mut command = match kind {
            Kind::Nginx => nginx(folder.path(), server, https, http),
            Kind::Caddy => caddy(folder.path(), server, https),
        };
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        let process = started
            .unwrap_or_else(|error| panic!("{kind:?}: {error}; scripts/install-test-tools installs it"));
        let mut proxy = Self { process, client: TlsConnector::from(Arc::new(client)), https, http, folder };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(https).await.is_err() {
            let ended = proxy.process.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < until, "{kind:?} does not start: {}", proxy.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        proxy
    }

    /// Returns what it wrote to standard error.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// All files below its folder, without the copy of its configuration that Caddy saves some time after its start.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    found.push(entry.file_name().unwrap().to_string_lossy().into_owned());
                }
            }
        }
        found.retain(|name| name != "autosave.json");
        found.sort();
        found
    }

    /// An address at which a client without TLS reaches the proxy by HTTPS.
    pub(crate) async fn reached(&self) -> SocketAddr {
        self.reached_from(Ipv4Addr::LOCALHOST.into()).await
    }

    /// The same for a client that the proxy sees at another address of this machine.
    pub(crate) async fn reached_from(&self, source: IpAddr) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, https) = (self.client.clone(), self.https);
        tokio::spawn(async move {
            while let Ok((mut plain, _)) = listener.accept().await {
                let client = client.clone();
                tokio::spawn(async move {
                    let socket = TcpSocket::new_v4().unwrap();
                    socket.bind((source, 0).into()).unwrap();
                    let stream = socket.connect(https).await.unwrap();
                    let mut secure =
                        client.connect(ServerName::try_from(HOST).unwrap(), stream).await.unwrap();
                    // Either side may end it.
                    let _ = tokio::io::copy_bidirectional(&mut plain, &mut secure).await;
                });
            }
        });
        address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A file of `docs/hosting` with other names in it. Each must occur.
fn configuration(name: &str, changes: &[(&str, String)]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/hosting").join(name);
    let mut text = fs::read_to_string(path).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{name} does not contain {from}");
        text = text.replace(from, to);
    }
    text
}

fn nginx(folder: &Path, server: SocketAddr, https: SocketAddr, http: SocketAddr) -> Command {
    let changes = [
        ("/etc/letsencrypt/live/study.example.org", folder.display().to_string()),
        ("study.example.org", HOST.to_owned()),
        ("listen 80;", format!("listen {http};")),
        ("listen 443 ssl http2;", format!("listen {https} ssl http2;")),
        ("127.0.0.1:7850", server.to_string()),
    ];
    fs::write(folder.join("hype.conf"), configuration("nginx.conf", &changes)).unwrap();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()))
        .concat();
    let around = format!(
        "daemon off;\nmaster_process off;\npid {0}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\n{temporary}include \
         {0}/hype.conf;\n}}\n",
        folder.display()
    );
    fs::write(folder.join("nginx.conf"), around).unwrap();
    // Debian keeps it where only root looks for programs.
    let program = ["/usr/sbin/nginx", "nginx"]
        .into_iter()
        .find(|name| !name.starts_with('/') || Path::new(name).exists());
    let mut command = Command::new(program.unwrap_or("nginx"));
    command.arg("-p").arg(folder).arg("-e").arg("stderr").arg("-c").arg(folder.join("nginx.conf"));
    command
}

fn caddy(folder: &Path, server: SocketAddr, https: SocketAddr) -> Command {
    let pem = |name: &str| folder.join(name).display().to_string();
    let changes = [
        ("{\n\tservers {", "{\n\tadmin off\n\tauto_https off\n\tservers {".to_owned()),
        (
            "study.example.org {\n",
            format!(
                "https://{HOST}:{} {{\n\tbind {}\n\ttls {} {}\n",
                https.port(),
                https.ip(),
                pem("fullchain.pem"),
                pem("privkey.pem")
            ),
        ),
        ("127.0.0.1:7850", server.to_string()),
    ];
    fs::write(folder.join("Caddyfile"), configuration("Caddyfile", &changes)).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    // Where it would keep certificates and its last configuration.
    command.env("XDG_DATA_HOME", folder.join("data")).env("XDG_CONFIG_HOME", folder.join("config"));
    command
}
