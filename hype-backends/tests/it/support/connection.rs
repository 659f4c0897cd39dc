//! Hand-written HTTP/1.1, in which tests control and see every byte.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    /// Bytes that were received but not consumed yet.
    ahead: Vec<u8>,
}

/// A response as it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The time until its first byte.
    pub(crate) first: Duration,
    /// The time until its last byte.
    pub(crate) whole: Duration,
}

impl Reply {
    /// The headers in the order sent.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.lines().skip(1).filter_map(|line| line.split_once(": "))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers().find_map(|(header, value)| header.eq_ignore_ascii_case(name).then_some(value))
    }

    /// The body; `null` if it is not JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The code of a fault.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// The bytes of a request, its length included.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nhost: test\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend(format!("{name}: {value}\r\n").bytes());
    }
    if !body.is_empty() {
        bytes.extend(format!("content-length: {}\r\n", body.len()).bytes());
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    bytes
}

impl Connection {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, ahead: Vec::new() }
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Closes the sending side.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        self.stream.shutdown().await
    }

    /// The next response with its body.
    ///
    /// # Errors
    /// If the server has closed the connection.
    pub(crate) async fn reply(&mut self) -> io::Result<Reply> {
        let begun = Instant::now();
        let mut reply = self.head().await?;
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        while self.ahead.len() < length {
            self.more().await?;
        }
        reply.body = self.ahead.drain(..length).collect();
        reply.whole = begun.elapsed();
        Ok(reply)
    }

    /// The head of the next response, which has no body.
    ///
    /// # Errors
    /// If the server has closed the connection.
    pub(crate) async fn head(&mut self) -> io::Result<Reply> {
        let begun = Instant::now();
        let mut first = None;
        loop {
            let end = self.ahead.windows(4).position(|window| window == b"\r\n\r\n");
            if let Some(end) = end {
                let head: Vec<u8> = self.ahead.drain(..end + 4).collect();
                let head = String::from_utf8(head).unwrap();
                let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
                if status >= 200 {
                    let first = first.unwrap_or_default();
                    return Ok(Reply { status, head, body: Vec::new(), first, whole: begun.elapsed() });
                }
                continue;
            }
            self.more().await?;
            first.get_or_insert(begun.elapsed());
        }
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.ahead).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
