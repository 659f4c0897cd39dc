//! What a spec says of the rater page.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use hype_core::{Diagnostics, Digest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::web::wire::screen::Needs;

/// The languages that the page speaks, with the consent text of studies that have none of their own.
pub(crate) const LANGUAGES: [(&str, &str); 5] = [
    ("en", include_str!("consent/en.txt")),
    ("de", include_str!("consent/de.txt")),
    ("es", include_str!("consent/es.txt")),
    ("zh", include_str!("consent/zh.txt")),
    ("ar", include_str!("consent/ar.txt")),
];

/// The rater page: where it is served, who may come, and what raters read around the trials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    /// The address to listen at, such as `0.0.0.0:7850`; port 0 for any free one.
    pub listen: String,
    /// Where raters find the page, if that is not where the server listens: behind a proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<Arc<str>>,
    /// A certificate, for a server that speaks HTTPS itself and not behind a proxy that does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// What raters read above everything; the study's name by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// Whom raters can ask, such as an e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Arc<str>>,
    /// What raters agree to.
    pub consent: ConsentSettings,
    /// Who may take part.
    pub access: Access,
    /// The parameter of the address in which a panel names its participants, such as `PROLIFIC_PID`. Nobody whom it
    /// names takes part twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participant: Option<Arc<str>>,
    /// The language of the page, as a tag such as `de`; by default each rater's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Arc<str>>,
    /// After how many minutes without an answer the place is given to somebody else.
    #[schemars(range(min = 1, max = 10_080))]
    pub idle_minutes: u32,
    /// After how many hours a session can no longer be gone on with.
    #[schemars(range(min = 1, max = 8_760))]
    pub session_hours: u32,
    /// Whether raters come one after the other to one computer: when a session is over, its page makes room for the
    /// next rater. By default they do with the backend `local`, and nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_computer: Option<bool>,
    /// What timed tasks need of a rater's machine.
    pub needs: NeedsSettings,
    /// The size that all images are brought to; by default they stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<Resize>,
    /// What raters get at the end, by the way it ended.
    #[serde(skip_serializing_if = "Completion::is_empty")]
    pub completion: Completion,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:7850".into(),
            public_url: None,
            tls: None,
            title: None,
            contact: None,
            consent: ConsentSettings::default(),
            access: Access::Open,
            participant: None,
            language: None,
            idle_minutes: 30,
            session_hours: 24,
            shared_computer: None,
            needs: NeedsSettings::default(),
            resize: None,
            completion: Completion::default(),
        }
    }
}

/// A certificate and its key, as files in PEM form, relative to the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate and those that lead to its authority, the server's own first.
    pub certificate: Arc<str>,
    /// The private key, which nobody else may read.
    pub key: Arc<str>,
}

/// What raters agree to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsentSettings {
    /// The text by language, paragraphs with an empty line between them; a short general text by default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub text: BTreeMap<Arc<str>, Arc<str>>,
    /// The age that raters have to confirm; `null` to ask for none.
    #[schemars(range(max = 120))]
    pub minimum_age: Option<u8>,
}

impl Default for ConsentSettings {
    fn default() -> Self {
        Self { text: BTreeMap::new(), minimum_age: Some(18) }
    }
}

/// Who may take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Whoever has the address.
    #[default]
    Open,
    /// Whoever has a one-time link.
    Links,
}

/// What timed tasks need of a rater's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NeedsSettings {
    /// Width of the page in CSS pixels.
    pub width: u32,
    /// Height of the page in CSS pixels.
    pub height: u32,
    /// Refresh rate of the screen in hertz.
    pub refresh_hz: u32,
}

impl Default for NeedsSettings {
    fn default() -> Self {
        Self { width: 640, height: 480, refresh_hz: 50 }
    }
}

impl From<NeedsSettings> for Needs {
    fn from(NeedsSettings { width, height, refresh_hz }: NeedsSettings) -> Self {
        Self { width, height, refresh_hz, keyboard: true }
    }
}

/// The size that all images are brought to, by one resampler (antialiased bicubic).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    /// What becomes of images of another shape.
    #[serde(default)]
    pub fit: Fit,
    /// Width in pixels.
    #[schemars(range(min = 1, max = 16_384))]
    pub width: u32,
    /// Height in pixels.
    #[schemars(range(min = 1, max = 16_384))]
    pub height: u32,
}

/// What becomes of images of another shape than asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// What is beyond the shape is cut off on two sides equally.
    #[default]
    Cover,
    /// They are made as large as fits, and keep their shape.
    Within,
    /// They are distorted.
    Exact,
}

/// What raters get at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Completion {
    /// Of those who answered everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<Handover>,
    /// Of those who did not credential the qualification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disqualified: Option<Handover>,
    /// Of those who left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Handover>,
}

impl Completion {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How a rater goes back to the panel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Handover {
    /// A code to hand in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Arc<str>>,
    /// An address to go on to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Arc<str>>,
}

/// A consent text in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConsentText {
    pub(crate) language: Arc<str>,
    pub(crate) paragraphs: Vec<Arc<str>>,
    pub(crate) digest: Digest,
}

impl ConsentText {
    fn new(language: &str, text: &str) -> Self {
        let lines = text.replace("\r\n", "\n");
        let paragraphs: Vec<Arc<str>> = lines
            .split("\n\n")
            .map(str::trim)
            .filter(|paragraph| !paragraph.is_empty())
            .map(Into::into)
            .collect();
        let digest = Digest::of(paragraphs.join("\n\n").as_bytes());
        Self { language: language.into(), paragraphs, digest }
    }
}

impl Page {
    /// Checks the rules across fields, at the path of the settings.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        if self.listen.parse::<SocketAddr>().is_err() {
            at.field("listen")
                .error("bad-address", format!("{:?} is no address to listen at", self.listen))
                .help("write an address and a port, such as `127.0.0.1:7850` or `[::]:7850`");
        }
        for (field, url) in [("public_url", &self.public_url)] {
            if url.as_ref().is_some_and(|url| !is_web_address(url)) {
                at.field(field)
                    .error(
                        "bad-address",
                        format!("{:?} is no address of a page", url.as_deref().unwrap_or("")),
                    )
                    .help("write it whole, such as `https://example.org/study/`");
            }
        }
        for (field, value, most) in
            [("idle_minutes", self.idle_minutes, 10_080), ("session_hours", self.session_hours, 8_760)]
        {
            if !(1..=most).contains(&value) {
                at.field(field)
                    .error("out-of-range", format!("{field} is {value}"))
                    .help(format!("use a number from 1 to {most}"));
            }
        }
        if let Some(language) = self.language.as_ref().filter(|language| known(language).is_none()) {
            let names: Vec<&str> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
            at.field("language")
                .error("unknown-language", format!("the page does not speak {language:?}"))
                .help(format!("choose one of {}", names.join(", ")));
        }
        if let Some(Resize { width, height, .. }) = self.resize
            && !((1..=16_384).contains(&width) && (1..=16_384).contains(&height))
        {
            at.field("resize")
                .error("out-of-range", format!("images of {width} × {height} pixels"))
                .help("use widths and heights from 1 to 16384");
        }
        at.within("consent", |at| self.check_consent(at));
        at.within("completion", |at| self.check_completion(at));
    }

    fn check_consent(&self, at: &mut Diagnostics) {
        at.within("text", |at| {
            for (language, text) in &self.consent.text {
                if known(language).is_none() {
                    let names: Vec<&str> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
                    at.field(language)
                        .error("unknown-language", format!("the page does not speak {language:?}"))
                        .help(format!("choose among {}", names.join(", ")));
                }
                if text.trim().is_empty() {
                    at.field(language)
                        .error("empty", "the consent text is empty")
                        .help("write what raters agree to");
                }
            }
        });
    }

    fn check_completion(&self, at: &mut Diagnostics) {
        let ways = [
            ("completed", &self.completion.completed),
            ("disqualified", &self.completion.disqualified),
            ("left", &self.completion.left),
        ];
        for (way, handover) in ways {
            let redirect = handover.as_ref().and_then(|handover| handover.redirect.as_ref());
            if let Some(url) = redirect.filter(|url| !is_web_address(url)) {
                at.within(way, |at| {
                    at.field("redirect")
                        .error("bad-address", format!("{url:?} is no address of a page"))
                        .help(
                            "write it whole, such as `https://app.prolific.com/submissions/complete?cc=ABC`",
                        );
                });
            }
        }
    }

    /// Whether raters come one after the other to one computer.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared_computer.unwrap_or(false)
    }

    /// Whether raters reach the page by HTTPS alone.
    pub(crate) fn is_secure(&self) -> bool {
        match &self.public_url {
            Some(url) => url.starts_with("https://"),
            None => self.tls.is_some(),
        }
    }

    /// The consent texts, each with its language; raters who read none of them get the first.
    pub(crate) fn consents(&self) -> Vec<ConsentText> {
        let own = &self.consent.text;
        let texts: Vec<ConsentText> = LANGUAGES
            .iter()
            .filter_map(|&(tag, text)| match own.get(tag) {
                Some(own) => Some(ConsentText::new(tag, own)),
                None => own.is_empty().then(|| ConsentText::new(tag, text)),
            })
            .collect();
        match self.language.as_deref() {
            Some(only) if texts.iter().any(|text| &*text.language == only) => {
                texts.into_iter().filter(|text| &*text.language == only).collect()
            }
            _ => texts,
        }
    }
}

/// The tag of a language that the page speaks, by the first part of a tag such as `de-AT`.
pub(crate) fn known(tag: &str) -> Option<&'static str> {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES.iter().map(|&(known, _)| known).find(|known| known.eq_ignore_ascii_case(first))
}

fn is_web_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.chars().all(|character| !character.is_whitespace() && !character.is_control())
}
