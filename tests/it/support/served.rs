//! A running `hype serve` or `hype run`, and requests to it as a browser sends them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

/// A server in a separate process, which is killed when the value is dropped.
pub struct Served {
    process: Child,
    /// Its standard error until it was ready.
    pub stderr: String,
    /// Its listen address, such as `127.0.0.1:41234`.
    pub address: String,
    /// The operator's token.
    pub token: String,
}

impl Served {
    /// Starts the program in a folder, and waits until it is ready.
    pub fn start(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hype"))
            .current_dir(folder)
            .args(arguments)
            .args(["--progress", "json"])
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut stderr = String::new();
        let opened = loop {
            let Some(line) = lines.next() else { panic!("the server ended before it was ready:\n{stderr}") };
            if let Ok(opened) = serde_json::from_str::<Value>(&line)
                && opened["raters"].is_string()
            {
                break opened;
            }
            stderr.push_str(&line);
            stderr.push('\n');
        };
        std::thread::spawn(move || lines.for_each(drop));
        let raters = opened["raters"].as_str().unwrap();
        let address = raters.split("//").nth(1).unwrap().trim_end_matches('/').to_owned();
        let token = opened["operator"].as_str().unwrap().split('#').nth(1).unwrap().to_owned();
        Self { process, stderr, address, token }
    }

    /// Kills it, as a crash would.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    /// Asks it to stop, and waits until it has ended.
    pub fn terminate(mut self) -> ExitStatus {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.process.wait().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server's response.
#[derive(Debug)]
pub struct Answered {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answered {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The cookie that it sets.
    pub fn cookie(&self) -> Option<String> {
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"))?;
        Some(line.split_once(':')?.1.split(';').next()?.trim().to_owned())
    }
}

/// Sends one request on a new connection.
pub fn request(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answered {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answered { status, head, body: answer[end + 4..].to_vec() }
}

/// A rater's browser: one page, and the cookie of its session.
#[derive(Debug)]
pub struct Browser {
    pub cookie: Option<String>,
    pub arrival: Value,
    page: String,
}

impl Browser {
    /// A browser with a new page.
    pub fn new(arrival: Value) -> Self {
        static PAGES: AtomicU64 = AtomicU64::new(1);
        let page = format!("{:032x}", PAGES.fetch_add(1, Ordering::Relaxed));
        Self { cookie: None, arrival, page }
    }

    /// Sends a report to a server, and returns the status and the screen.
    pub fn post(&mut self, address: &str, path: &str, mut body: Value) -> (u16, Value) {
        body["tab"] = self.page.as_str().into();
        let mut headers = vec![("Content-Type", "application/json")];
        if let Some(cookie) = &self.cookie {
            headers.push(("Cookie", cookie));
        }
        let answered = request(address, "POST", path, &headers, &body.to_string());
        if let Some(cookie) = answered.cookie() {
            self.cookie = Some(cookie);
        }
        (answered.status, answered.json())
    }

    pub fn open(&mut self, address: &str) -> Value {
        let body = json!({ "arrival": self.arrival, "language": "en" });
        self.post(address, "/api/open", body).1
    }

    /// Takes part, from the consent to the instructions if there is a place.
    pub fn consent(&mut self, address: &str) -> Value {
        let screen = self.open(address);
        if screen["screen"] != "consent" {
            return screen;
        }
        let body =
            json!({ "arrival": self.arrival, "language": "en", "text": screen["text"], "adult": true });
        self.post(address, "/api/consent", body).1
    }

    /// Proceeds to the first trial.
    pub fn begin(&mut self, address: &str) -> Value {
        let environment = json!({
            "width": 1_280, "height": 800, "pixel_ratio": 1.0, "touch": false, "refresh_hz": 60.0,
            "frame_us": 16_667, "frame_spread": 0.0, "grain_us": 5, "reduced_motion": false,
        });
        self.post(address, "/api/begin", json!({ "environment": environment })).1
    }

    /// Answers the trial of a screen, and returns the next screen.
    pub fn judge(&mut self, address: &str, screen: &Value, judgment: &str) -> Value {
        let trial = &screen["trial"];
        let body = json!({
            "trial": trial["number"], "showing": trial["showing"], "answer": { "judgment": judgment }, "rt_us": 700_000,
        });
        let (status, mut receipt) = self.post(address, "/api/answer", body);
        assert_eq!((status, &receipt["saved"]), (200, &Value::Bool(true)), "{receipt}");
        receipt["next"].take()
    }
}
