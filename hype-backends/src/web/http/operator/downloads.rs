//! Files that operators download, written while they are sent.

use std::io::{self, BufWriter, Write};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::mpsc;

use super::acting;
use crate::web::http::streamed;
use crate::web::service::fault::Fault;
use crate::web::service::services::Services;

/// The size of a chunk, in bytes.
const CHUNK: usize = 64 * 1024;

/// `POST operator/download/FILE`. A download is an action, which is logged.
pub(super) async fn download(
    State(Services { operator, running, context, .. }): State<Services>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, Fault> {
    let by = acting(&operator, &headers)?;
    let downloads = operator.downloads().ok_or(Fault::NothingThere)?;
    let file = downloads.files().into_iter().find(|file| file.name == name).ok_or(Fault::NothingThere)?;
    operator.log_download(&by, file.name).await?;
    let (sender, body) = streamed::body();
    tokio::task::spawn_blocking(move || {
        let study = running.current();
        let mut out = BufWriter::with_capacity(CHUNK, Sending(sender.clone()));
        let written = downloads.write(file.name, &study, &*context.store, &mut out);
        let written = written.and_then(|()| out.flush().map_err(|error| error.to_string()));
        if let Err(reason) = written {
            tracing::error!(file = file.name, reason, "a download has failed");
            // The client finds that the file is incomplete, unless it has gone.
            let _ = sender.blocking_send(Err(io::Error::other(reason)));
        }
    });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{}\"", file.name)) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// Sends what is written to the client.
struct Sending(mpsc::Sender<streamed::Chunk>);

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
