//! A participant, who does one thing at a time and carries on where the page was lost.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use hype_images::{Decoding, decode};
use serde_json::{Value, json};

use super::Recruiting;
use super::platform::Arrived;

/// Which pictures are photographs, by their pixels.
pub struct Truth(BTreeMap<Vec<u8>, bool>);

impl Truth {
    /// The truth about the sets in a folder: only `real` is real.
    pub fn of(folder: &Path) -> Self {
        let sets = folder.read_dir().unwrap().map(|set| set.unwrap().path());
        let images = sets.flat_map(|set| {
            let is_real = set.ends_with("real");
            set.read_dir().unwrap().map(move |image| (image.unwrap().path(), is_real)).collect::<Vec<_>>()
        });
        Self(images.map(|(path, is_real)| (pixels(&std::fs::read(path).unwrap()), is_real)).collect())
    }

    fn is_real(&self, image: &[u8]) -> bool {
        self.0[&pixels(image)]
    }
}

fn pixels(image: &[u8]) -> Vec<u8> {
    decode("image", image, &Decoding::default()).unwrap().picture.into_pixels()
}

/// How a participant behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// Finishes, with one error in four answers of the main phase.
    Careful,
    /// Finishes without errors.
    Perfect,
    /// Is wrong about everything, and does not pass the qualification.
    Wrong,
    /// Returns the work after some answers.
    Returns,
    /// Lets the time run out after some answers.
    RunsOut,
    /// Hands in a made-up code, and never comes to the page.
    MadeUp,
    /// Finishes, and hands in a wrong code.
    WrongCode,
    /// Goes on in a second browser after some answers.
    TwoBrowsers,
    /// Finishes, and comes again.
    ComesAgain,
}

impl Conduct {
    pub const ALL: [Self; 9] = [
        Self::Careful,
        Self::Returns,
        Self::Wrong,
        Self::TwoBrowsers,
        Self::RunsOut,
        Self::MadeUp,
        Self::ComesAgain,
        Self::WrongCode,
        Self::Perfect,
    ];

    const fn leaves(self) -> bool {
        matches!(self, Self::Returns | Self::RunsOut)
    }
}

/// How taking part has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// On the last page of a participant who has completed the session or has not qualified, with a code to hand in.
    WithCode { code: String, ending: String },
    /// By leaving.
    Left,
    /// Without a place.
    NoPlace,
}

/// The next step of a participant.
#[derive(Debug, Clone)]
enum Stage {
    Open,
    Shown(Value),
    Again { ended: Ended, arrived: Arrived },
    Over(Ended),
}

/// An answer that was sent and not acknowledged.
#[derive(Debug, Clone, Copy)]
struct Sent {
    trial: u64,
    is_main: bool,
    is_right: bool,
}

/// A browser with one page.
#[derive(Debug)]
struct Browser {
    cookie: Option<String>,
    page: String,
}

impl Browser {
    fn new() -> Self {
        static PAGES: AtomicU64 = AtomicU64::new(1);
        Self { cookie: None, page: format!("{:032x}", PAGES.fetch_add(1, Ordering::Relaxed)) }
    }

    /// Sends a report, and returns the answer if there is one that the page would show.
    fn post(&mut self, address: &str, path: &str, mut body: Value) -> Option<Value> {
        body["tab"] = self.page.as_str().into();
        let cookie = self.cookie.as_ref().map(|cookie| format!("Cookie: {cookie}\r\n")).unwrap_or_default();
        let head = format!("POST /api/{path} HTTP/1.1\r\nContent-Type: application/json\r\n{cookie}");
        let (head, body) = exchange(address, &head, body.to_string().as_bytes())?;
        let set = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().map(str::trim))?
        });
        self.cookie = set.map(str::to_owned).or_else(|| self.cookie.take());
        serde_json::from_slice(&body).ok()
    }
}

/// Sends a request on a new connection. Returns the head and the body of the answer unless the program is killed on the way, or
/// the answer is a refusal.
fn exchange(address: &str, head: &str, body: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = body.len();
    let head = format!("{head}Host: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let body = answer[end + 4..].to_vec();
    let field = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned));
    let is_whole = field.is_some_and(|length| length.trim().parse() == Ok(body.len()));
    (head.split(' ').nth(1) == Some("200") && is_whole).then_some((head, body))
}

/// The screen of a participant who comes with these parameters in a new browser, unless the page cannot be reached.
pub fn looks(study: &Recruiting, parameters: &Value) -> Option<Value> {
    let body = json!({ "arrival": parameters, "language": "en" });
    Browser::new().post(&study.address, "open", body)
}

/// A participant.
#[derive(Debug)]
pub struct Participant {
    pub arrived: Arrived,
    pub conduct: Conduct,
    /// The right answers of the main phase.
    pub right: u64,
    /// Answers that were acknowledged.
    pub answered: u64,
    browser: Browser,
    stage: Stage,
    sent: Option<Sent>,
    has_changed: bool,
    known: BTreeMap<String, bool>,
}

impl Participant {
    pub fn new(arrived: Arrived, conduct: Conduct) -> Self {
        Self {
            arrived,
            conduct,
            right: 0,
            answered: 0,
            browser: Browser::new(),
            stage: Stage::Open,
            sent: None,
            has_changed: false,
            known: BTreeMap::new(),
        }
    }

    /// Does one thing. Returns how taking part has ended, once it has.
    pub fn step(&mut self, study: &Recruiting) -> Option<Ended> {
        let address = &study.address;
        match std::mem::replace(&mut self.stage, Stage::Open) {
            Stage::Open => {
                let body = json!({ "arrival": self.arrived.parameters, "language": "en" });
                if let Some(screen) = self.browser.post(address, "open", body) {
                    self.came_back_to(&screen);
                    self.stage = Stage::Shown(screen);
                }
            }
            Stage::Shown(screen) => self.react(study, &screen),
            Stage::Again { ended, arrived } => match looks(study, &arrived.parameters) {
                None => self.stage = Stage::Again { ended, arrived },
                Some(screen) => {
                    assert_eq!(screen["screen"], "end", "{} has taken part: {screen}", self.arrived.person);
                    if arrived.work != self.arrived.work {
                        study.platform.give_back(&arrived.work);
                    }
                    self.stage = Stage::Over(ended);
                }
            },
            Stage::Over(ended) => {
                self.stage = Stage::Over(ended.clone());
                return Some(ended);
            }
        }
        None
    }

    /// Nothing that was acknowledged is missing, and what was not may have arrived.
    fn came_back_to(&mut self, screen: &Value) {
        let next = screen["trial"]["number"].as_u64();
        match next {
            Some(next) => assert!(next >= self.answered, "an answer was lost: {screen} after {self:?}"),
            None => assert!(self.answered == 0 || screen["screen"] == "end", "{screen} after {self:?}"),
        }
        if let Some(sent) = self.sent.take()
            && next.is_none_or(|next| next > sent.trial)
        {
            self.count(sent);
        }
    }

    fn count(&mut self, sent: Sent) {
        self.answered = sent.trial + 1;
        self.right += u64::from(sent.is_main && sent.is_right);
    }

    fn react(&mut self, study: &Recruiting, screen: &Value) {
        let address = &study.address;
        let next = match screen["screen"].as_str().unwrap_or_default() {
            "consent" => {
                let body = json!({
                    "arrival": self.arrived.parameters, "language": "en", "text": screen["text"], "adult": true,
                });
                self.browser.post(address, "consent", body)
            }
            "instructions" => {
                let environment = json!({
                    "width": 1_280, "height": 800, "pixel_ratio": 1.0, "touch": false, "refresh_hz": 60.0,
                    "frame_us": 16_667, "frame_spread": 0.0, "grain_us": 5, "reduced_motion": false,
                });
                self.browser.post(address, "begin", json!({ "environment": environment }))
            }
            "trial" if self.conduct.leaves() && self.answered == 3 => {
                if study.platform.reports_gone() {
                    self.stage = Stage::Over(Ended::Left);
                    return;
                }
                self.browser.post(address, "leave", json!({}))
            }
            "trial" if self.conduct == Conduct::TwoBrowsers && self.answered == 5 && !self.has_changed => {
                self.has_changed = true;
                self.browser = Browser::new();
                None
            }
            "trial" => self.answer(study, &screen["trial"]),
            "end" => {
                self.end(study, screen);
                return;
            }
            "closed" | "full" | "wait" => {
                self.stage = Stage::Over(Ended::NoPlace);
                return;
            }
            other => panic!("{other}: {screen}"),
        };
        // Without an answer, the page is loaded again.
        if let Some(next) = next {
            self.stage = Stage::Shown(next);
        }
    }

    fn end(&mut self, study: &Recruiting, screen: &Value) {
        if self.conduct.leaves() {
            self.stage = Stage::Over(Ended::Left);
            return;
        }
        let form = &screen["hand_in"]["fields"];
        let code = if form.is_null() { &screen["code"] } else { &form["code"] };
        let code = code.as_str().unwrap_or_else(|| panic!("no code: {screen}")).to_owned();
        let ending = screen["ending"].as_str().unwrap().to_owned();
        let ended = Ended::WithCode { code, ending };
        let again = (self.conduct == Conduct::ComesAgain)
            .then(|| study.platform.arrive_as(&self.arrived.person))
            .flatten();
        self.stage = match again {
            Some(arrived) => Stage::Again { ended, arrived },
            None => Stage::Over(ended),
        };
    }

    /// Looks at the image of a trial and judges it. Returns the next screen.
    fn answer(&mut self, study: &Recruiting, trial: &Value) -> Option<Value> {
        let image = trial["parts"].as_array()?.iter().find_map(|part| part["image"].as_str())?;
        let is_real = match self.known.get(image) {
            Some(&is_real) => is_real,
            None => {
                let cookie = self.browser.cookie.as_deref().unwrap_or_default();
                let head = format!("GET /image/{image} HTTP/1.1\r\nCookie: {cookie}\r\n");
                let (_, bytes) = exchange(&study.address, &head, b"")?;
                let is_real = study.truth.is_real(&bytes);
                self.known.insert(image.to_owned(), is_real);
                is_real
            }
        };
        let number = trial["number"].as_u64()?;
        let is_main = trial["phase"] == "main";
        let is_right = match self.conduct {
            Conduct::Wrong => false,
            Conduct::Careful => !(is_main && number.is_multiple_of(4)),
            _ => true,
        };
        let judgment = if is_right == is_real { "real" } else { "generated" };
        let sent = Sent { trial: number, is_main, is_right };
        self.sent = Some(sent);
        let body = json!({
            "trial": number, "showing": trial["showing"], "answer": { "judgment": judgment }, "rt_us": 90_000,
        });
        let mut receipt = self.browser.post(&study.address, "answer", body)?;
        assert_eq!(receipt["saved"], true, "{receipt}");
        self.sent = None;
        self.count(sent);
        Some(receipt["next"].take())
    }
}
