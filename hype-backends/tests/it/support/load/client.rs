//! A cheap connection to a server: requests are sent as bytes, and replies are read with little parsing.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;

use tokio::net::TcpStream;

/// A connection that is kept open from request to request.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// The server's reply.
pub(crate) struct Reply<'a> {
    pub(crate) status: u16,
    /// The name and value of the cookie to set.
    pub(crate) cookie: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

impl Connection {
    pub(crate) async fn open(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::with_capacity(8 * 1024) })
    }

    /// Sends a request and waits for the whole reply.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<Reply<'_>> {
        let mut sent = 0;
        while sent < request.len() {
            match self.stream.try_write(&request[sent..]) {
                Ok(written) => sent += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.stream.writable().await?,
                Err(error) => return Err(error),
            }
        }
        self.received.clear();
        let head = loop {
            self.receive().await?;
            if let Some(end) = find(&self.received, b"\r\n\r\n") {
                break end;
            }
        };
        let body = head + 4;
        let length = header(&self.received[..head], "content-length").map(str::parse::<usize>);
        let Some(Ok(length)) = length else {
            return Err(Error::new(ErrorKind::InvalidData, "a reply without its length"));
        };
        while self.received.len() < body + length {
            self.receive().await?;
        }
        let (head, body) = (&self.received[..head], &self.received[body..body + length]);
        let status = head.get(9..12).and_then(|digits| str::from_utf8(digits).ok()).map(str::parse::<u16>);
        let Some(Ok(status)) = status else {
            return Err(Error::new(ErrorKind::InvalidData, "a reply without a status"));
        };
        let cookie = header(head, "set-cookie").and_then(|cookie| cookie.split(';').next());
        Ok(Reply { status, cookie, body })
    }

    /// Appends received bytes, at least one.
    async fn receive(&mut self) -> Result<()> {
        loop {
            self.stream.readable().await?;
            match self.stream.try_read_buf(&mut self.received) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The value of a header, by its name in lower case.
fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let lines = str::from_utf8(head).ok()?.split("\r\n").skip(1);
    let mut headers = lines.filter_map(|line| line.split_once(':'));
    headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
