//! `hype health`: whether a study's page answers, for those who watch a service, such as a container's.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use super::args::HealthArguments;
use super::failure::Failure;
use super::output;

/// How long the page may take.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &HealthArguments) -> Result<(), Failure> {
    let address = &arguments.address;
    let refused = |reason: &str| Failure::Message(format!("{address} is not healthy: {reason}"));
    let rest = address.strip_prefix("http://").ok_or_else(|| refused("write its address with http://"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let named = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
    let mut places = named.to_socket_addrs().map_err(|error| refused(&error.to_string()))?;
    let place = places.next().ok_or_else(|| refused("the name has no address"))?;
    let answered = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&place, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let below = path.trim_end_matches('/');
        let slash = if below.is_empty() { "" } else { "/" };
        write!(stream, "GET {slash}{below}/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.take(1 << 16).read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = answered().map_err(|error| refused(&error.to_string()))?;
    let answer = String::from_utf8_lossy(&answer);
    let first = answer.lines().next().unwrap_or_default();
    if first.split(' ').nth(1) != Some("200") {
        return Err(refused(if first.is_empty() { "it did not answer" } else { first }));
    }
    output::print(format_args!("{address} is healthy"))
}
