//! Clients that open as many connections as they can, and send next to nothing, lock no rater out.

#![cfg(all(unix, feature = "web"))]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs, reason = "a test")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::proof::sized;
use crate::served::{Browser, Served, untimed_study};

const SPEC: &str = "study/evaluation.yaml";

/// The beginnings of requests that never end.
const BEGINNINGS: [&str; 4] = [
    "",
    "G",
    "POST /api/answer HTTP/1.1\r\nHost: x\r\n",
    "POST /api/answer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
];

/// Starts a server with a limit of open files that it cannot raise.
fn served(folder: &std::path::Path, files: usize) -> Served {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_hype")).current_dir(folder);
    command.args(["serve", SPEC, "--log-format", "json"]);
    Served::spawn(command)
}

#[test]
fn connections_beyond_the_limit_of_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "");
    let server = served(folder.path(), 256);
    // Files are numbered without gaps then.
    let open: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(500));
    let limit = |files: usize| {
        let (pid, files) = (server.id().to_string(), format!("--nofile={files}:256"));
        assert!(Command::new("prlimit").args(["--pid", &pid, &files]).status().unwrap().success());
    };
    let is_open =
        |file: &usize| Path::new(&format!("/proc/{}/fd/{file}", server.id())).symlink_metadata().is_ok();
    limit((0..).find(|file| !is_open(file)).unwrap());
    for _ in 0..20 {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
        let read = stream.read(&mut [0; 64]);
        let is_over = matches!(&read, Ok(0))
            || matches!(&read, Err(error) if error.kind() == ErrorKind::ConnectionReset);
        assert!(is_over, "{read:?}");
    }
    drop(open);
    limit(256);
    assert_eq!(server.health(200), json!({ "status": "ok" }));
}

#[test]
fn more_slow_connections_than_open_files_lock_no_rater_out() {
    // In the test this process has few open files as well; the proof needs `ulimit -n 10000`.
    let (slow, files) = sized((800, 400), (8_000, 4_000));
    let folder = tempfile::tempdir().unwrap();
    untimed_study(folder.path(), 1, "", "");
    let server = served(folder.path(), files);
    let mut rater = Browser::new(json!({}));
    assert_eq!(rater.consent(&server.address)["screen"], "instructions");
    let mut open: Vec<TcpStream> = Vec::new();
    let mut flood = |server: &Served, count: usize| {
        for number in 0..count {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            let _ = stream.write_all(BEGINNINGS[number % BEGINNINGS.len()].as_bytes());
            open.push(stream);
        }
    };
    flood(&server, slow);
    let mut screen = rater.begin(&server.address);
    while screen["screen"] == "trial" {
        screen = rater.judge(&server.address, &screen, "real");
        flood(&server, 20);
    }
    assert_eq!(screen["screen"], "end");
    let metrics = String::from_utf8(server.operator("/metrics").body).unwrap();
    let count = |name: &str| -> usize {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    assert!(count("hype_connections ") < files, "{metrics}");
    assert!(count("hype_connections_replaced_total ") > slow - files, "{metrics}");
    assert_eq!(count("hype_connections_not_accepted_total "), 0, "{metrics}");
    assert_eq!(server.health(200), json!({ "status": "ok" }));
}
