//! A running `hype serve` or `hype run`, and requests to it as a browser sends them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::succeeds;

/// A study of untimed judgments with a number of raters for each of three models, and additional sections.
pub fn untimed_study(folder: &Path, raters: u32, backend: &str, more: &str) {
    succeeds(folder, &["new", "study", "--task", "hype-infinity", "--images", "24", "--size", "32"]);
    let spec = folder.join("study/evaluation.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let stimuli = text.split("\ntask:").next().unwrap();
    let text = format!(
        "{stimuli}\ntask: {{ kind: hype_infinity, generated: 3, real: 3 }}\nraters: {{ per_model: {raters}, qualification: \
         null, payment: null }}\nbackend: {{ kind: web, listen: \"127.0.0.1:0\"{backend} }}\n{more}\n"
    );
    fs::write(&spec, text).unwrap();
}

/// A server in a separate process, which is killed when the value is dropped.
pub struct Served {
    process: Child,
    /// Its standard error until it was ready.
    pub stderr: String,
    /// Its standard error since then.
    log: Arc<Mutex<Vec<String>>>,
    /// Its listen address, such as `127.0.0.1:41234`.
    pub address: String,
    /// The operator's token.
    pub token: String,
}

impl Served {
    /// Starts the program in a folder, and waits until it is ready.
    pub fn start(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hype"));
        command.current_dir(folder).args(arguments).envs(variables.iter().copied());
        Self::spawn(command)
    }

    /// Starts a command that runs the program, and waits until it is ready.
    pub fn spawn(mut command: Command) -> Self {
        let mut process = command
            .args(["--progress", "json"])
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
        let log = Arc::<Mutex<Vec<String>>>::default();
        let logged = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| logged.lock().unwrap().push(line)));
        let raters = opened["raters"].as_str().unwrap();
        let address = raters.split("//").nth(1).unwrap().trim_end_matches('/').to_owned();
        let token = opened["operator"].as_str().unwrap().split('#').nth(1).unwrap().to_owned();
        Self { process, stderr, log, address, token }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Waits for a line of its log, in JSON, about a problem.
    pub fn logged(&self, level: &str, problem: &str) -> Value {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let lines = self.log.lock().unwrap().clone();
            let mut logged = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(line) = logged.find(|line| line["problem"] == problem && line["level"] == level) {
                return line;
            }
            assert!(Instant::now() < until, "{problem} is not logged: {lines:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a line of its log that contains a text.
    pub fn said(&self, text: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let lines = self.log.lock().unwrap().clone();
            if let Some(line) = lines.iter().find(|line| line.contains(text)) {
                return line.clone();
            }
            assert!(Instant::now() < until, "{text} is not said: {lines:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    /// Returns the response at one of the operator's addresses.
    pub fn operator(&self, path: &str) -> Answered {
        let token = format!("Bearer {}", self.token);
        request(&self.address, "GET", path, &[("Authorization", &*token)], "")
    }

    /// Asks for its health until it has this status, and returns it.
    pub fn health(&self, status: u16) -> Value {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let found = request(&self.address, "GET", "/health", &[], "");
            if found.status == status {
                return found.json();
            }
            assert!(Instant::now() < until, "{found:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until this many places are done, held, given up and free.
    pub fn has_places(&self, expected: [u64; 4]) {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let status = self.operator("/operator/status").json();
            let found = ["done", "held", "given_up", "free"].map(|kind| status[kind].as_u64().unwrap());
            if found == expected {
                return;
            }
            assert!(Instant::now() < until, "{found:?} instead of {expected:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
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

    /// Answers the trial of a screen in less time than clocks may be wrong by, and returns the status and the receipt or
    /// the refusal.
    pub fn answer(&mut self, address: &str, screen: &Value, judgment: &str) -> (u16, Value) {
        let trial = &screen["trial"];
        let body = json!({
            "trial": trial["number"], "showing": trial["showing"], "answer": { "judgment": judgment }, "rt_us": 90_000,
        });
        self.post(address, "/api/answer", body)
    }

    /// Answers the trial of a screen, and returns the next screen.
    pub fn judge(&mut self, address: &str, screen: &Value, judgment: &str) -> Value {
        let (status, mut receipt) = self.answer(address, screen, judgment);
        assert_eq!((status, &receipt["saved"]), (200, &Value::Bool(true)), "{receipt}");
        receipt["next"].take()
    }
}
