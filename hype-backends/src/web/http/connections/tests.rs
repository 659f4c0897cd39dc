use std::net::SocketAddr;

use axum::body::Bytes;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Long enough for every step of a test; a test that needs it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Generous limits. Each test shortens one of them.
fn limits() -> Limits {
    Limits { connections: 100, handshake: PATIENCE, head: PATIENCE, body: PATIENCE, write: PATIENCE }
}

/// Serves a router that answers `GET /` with 64 MiB and `POST /` with the length of the body.
async fn served(limits: Limits) -> (SocketAddr, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let large = get(|| async { vec![0_u8; 64 << 20] });
    let router = Router::new()
        .route("/", large)
        .route("/length", post(|body: Bytes| async move { body.len().to_string() }));
    let (stop, stopped) = oneshot::channel();
    let server = Server { router, tls: None, limits, counts: Arc::default() };
    tokio::spawn(server.answer(listener, stopped));
    (address, stop)
}

async fn connected(address: SocketAddr, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads what the server sends until it closes the connection.
async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE / 2, stream.read_to_end(&mut bytes)).await;
    let _ = read.expect("the server closes the connection");
    String::from_utf8_lossy(&bytes).into_owned()
}

const HELLO: &str = "POST /length HTTP/1.1\r\nhost: test\r\ncontent-length: 5\r\n";

#[tokio::test]
async fn clients_that_send_no_whole_head_are_closed() {
    let (address, _stop) = served(Limits { head: Duration::from_millis(100), ..limits() }).await;
    for begun in ["", "POST /length HT", HELLO] {
        assert_eq!(rest(connected(address, begun).await).await, "", "{begun:?}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_refused() {
    let (address, _stop) = served(Limits { body: Duration::from_millis(100), ..limits() }).await;
    let answer = rest(connected(address, &format!("{HELLO}\r\nab")).await).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let answer = rest(connected(address, &format!("{HELLO}connection: close\r\n\r\nabcde")).await).await;
    assert!(answer.ends_with("\r\n\r\n5"), "{answer}");
}

#[tokio::test]
async fn a_client_that_takes_no_response_is_closed() {
    let (address, _stop) = served(Limits { write: Duration::from_millis(100), ..limits() }).await;
    let mut stream = connected(address, "GET / HTTP/1.1\r\nhost: test\r\n\r\n").await;
    // The server waits to write until it gives up; it then forgets the rest of the response.
    let mut first = [0; 1];
    stream.read_exact(&mut first).await.unwrap();
    let writes_fail = async {
        while stream.write_all(&[0; 1024]).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE / 2, writes_fail).await.expect("the server closes the connection");
}

#[tokio::test]
async fn a_new_connection_replaces_the_one_that_was_idle_longest() {
    let (address, _stop) = served(Limits { connections: 3, ..limits() }).await;
    let ask = format!("{HELLO}\r\nabcde");
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = connected(address, &ask).await;
        answered(&mut stream).await;
        open.push(stream);
    }
    // The first is active again.
    open[0].write_all(ask.as_bytes()).await.unwrap();
    answered(&mut open[0]).await;
    let mut new = connected(address, &ask).await;
    answered(&mut new).await;
    let third = open.remove(2);
    let second = open.remove(1);
    assert_eq!(rest(second).await, "");
    for mut stream in [open.remove(0), third, new] {
        stream.write_all(ask.as_bytes()).await.unwrap();
        answered(&mut stream).await;
    }
}

/// Reads one response of the length.
async fn answered(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n5") {
        let read = timeout(PATIENCE / 2, stream.read_buf(&mut bytes)).await.unwrap().unwrap();
        assert!(read > 0, "closed after {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[tokio::test]
async fn stopping_ends_idle_connections() {
    let (address, stop) = served(limits()).await;
    let mut stream = connected(address, &format!("{HELLO}\r\nabcde")).await;
    answered(&mut stream).await;
    drop(stop);
    assert_eq!(rest(stream).await, "");
}
