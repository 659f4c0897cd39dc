//! The settings of the rater page in a spec.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use hype_core::model::note::Enlargement;
use hype_core::{Diagnostics, Digest};
use hype_images::{Encoding, Framing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::web::wire::screen::Needs;

pub(crate) mod entries;
mod instructions;

pub use self::entries::EntryLimits;
use self::entries::Network;
pub use self::instructions::{ComprehensionSettings, ExampleSettings, InstructionSettings, Translations};

/// The languages of the page, each with the consent text for studies without their own.
pub(crate) const LANGUAGES: [(&str, &str); 5] = [
    ("en", include_str!("consent/en.txt")),
    ("de", include_str!("consent/de.txt")),
    ("es", include_str!("consent/es.txt")),
    ("zh", include_str!("consent/zh.txt")),
    ("ar", include_str!("consent/ar.txt")),
];

/// The message if a spec has `tls` but the program lacks that feature.
#[cfg(not(feature = "tls"))]
pub(crate) const TLS_ABSENT: &str = "this program was built without TLS";

/// The help for [`TLS_ABSENT`].
#[cfg(not(feature = "tls"))]
pub(crate) const TLS_REMEDY: &str = "build it with `cargo install --path hype-cli --features tls`, or leave `tls` out and put a proxy that terminates HTTPS in front of the page";

/// The rater page: where it is served, who may take part, and what raters read around the trials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    /// The address to listen on, such as `0.0.0.0:7850`; port 0 takes any free port.
    pub listen: String,
    /// The page's public address, if it differs from `listen`, as behind a proxy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<Arc<str>>,
    /// A certificate, if the server itself is to serve HTTPS instead of a proxy in front of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// The title above every screen; by default a general one, since the study's name may reveal what is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// A contact for raters' questions, such as an e-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Arc<str>>,
    /// The consent that raters give.
    pub consent: ConsentSettings,
    /// Who may take part.
    pub access: Access,
    /// The address parameter that carries a panel's participant id, such as `PROLIFIC_PID`. Each participant can take part
    /// once. Arrivals without an id are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participant: Option<Arc<str>>,
    /// The language of the page, as a tag such as `de`; by default the rater's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Arc<str>>,
    /// Additions to the instructions: examples, and a question on whether they were understood.
    #[serde(skip_serializing_if = "InstructionSettings::is_empty")]
    pub instructions: InstructionSettings,
    /// Translations of the spec's own texts, such as questions, options and the title: for each language, the text as it
    /// is written in the spec with its translation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub translations: Translations,
    /// The language in which the spec's own texts are written, as a tag such as `de`; by default English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_in: Option<Arc<str>>,
    /// Whether published instruments, such as HEIM's questions, are shown in the rater's language. By default raters read
    /// the published English wording. The translations have not been validated, and the findings say so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub translate_instruments: bool,
    /// The minutes without an answer after which a place is given to another rater.
    #[schemars(range(min = 1, max = 10_080))]
    pub idle_minutes: u32,
    /// The hours after which a session can no longer be resumed.
    #[schemars(range(min = 1, max = 8_760))]
    pub session_hours: u32,
    /// Whether raters take turns at one computer; the last screen then has a button for the next rater. By default this
    /// holds for the backend `local` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_computer: Option<bool>,
    /// How many raters may enter, by their network address and in all.
    #[serde(skip_serializing_if = "EntryLimits::is_default")]
    pub entries: EntryLimits,
    /// The proxies that say where raters come from, as addresses or networks such as `10.0.0.0/8`: only their
    /// `X-Forwarded-For` and `Forwarded` are believed. By default those on this machine if `listen` is a loopback address,
    /// and otherwise none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_proxies: Option<Vec<Arc<str>>>,
    /// Requirements of timed tasks for a rater's screen.
    pub needs: NeedsSettings,
    /// A size to which all images are resized; by default they keep theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<Resize>,
    /// How images without a limited exposure are enlarged where they are smaller than their place on the screen, always by
    /// whole factors.
    #[serde(skip_serializing_if = "Enlargement::is_nearest")]
    pub enlarge: Enlargement,
    /// Whether raters can look closely: zoom into all images of a trial in step, flip between them in one place, and compare
    /// images with their source by a divider. Never in tasks with a limited exposure.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub zoom: bool,
    /// How all images and masks are encoded; by default without loss, as PNG or WebP, whichever is smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encode: Option<Encode>,
    /// Codes and redirects for the end of a session, by how it ended.
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
            instructions: InstructionSettings::default(),
            translations: Translations::new(),
            written_in: None,
            translate_instruments: false,
            idle_minutes: 30,
            session_hours: 24,
            shared_computer: None,
            entries: EntryLimits::default(),
            trusted_proxies: None,
            needs: NeedsSettings::default(),
            resize: None,
            enlarge: Enlargement::default(),
            zoom: false,
            encode: None,
            completion: Completion::default(),
        }
    }
}

/// A certificate and its key, as PEM files relative to the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate chain, with the server's own certificate first.
    pub certificate: Arc<str>,
    /// The private key. No other user should be able to read this file.
    pub key: Arc<str>,
}

/// The consent that raters give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsentSettings {
    /// The text by language, with an empty line between paragraphs; by default a short general text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub text: BTreeMap<Arc<str>, Arc<str>>,
    /// The minimum age that raters have to confirm; `null` to ask for none.
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
    /// Anyone with the address.
    #[default]
    Open,
    /// Anyone with a one-time link.
    Links,
}

/// Requirements of timed tasks for a rater's screen.
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

/// The size to which all images are resized with antialiased bicubic resampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    /// How images of another aspect ratio are fitted.
    #[serde(default)]
    pub fit: ImageFit,
    /// Width in pixels.
    #[schemars(range(min = 1, max = 16_384))]
    pub width: u32,
    /// Height in pixels.
    #[schemars(range(min = 1, max = 16_384))]
    pub height: u32,
}

/// How `resize` changes pictures.
pub(crate) fn framing(resize: Option<Resize>) -> Framing {
    match resize {
        None => Framing::Whole,
        Some(Resize { fit: ImageFit::Within, width, height }) => Framing::Within { width, height },
        Some(Resize { fit: ImageFit::Cover, width, height }) => Framing::Cover { width, height },
        Some(Resize { fit: ImageFit::Exact, width, height }) => Framing::Exact { width, height },
    }
}

/// How all images and masks are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Encode {
    /// The format.
    pub kind: EncodeKind,
    /// The quality of JPEG, from 1 to 100. PNG and WebP are written without loss and have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub quality: Option<u8>,
}

impl Encode {
    /// The encoding; `None` if the quality is missing.
    pub(crate) fn encoding(self) -> Option<Encoding> {
        match self.kind {
            EncodeKind::Png => Some(Encoding::Png),
            EncodeKind::Webp => Some(Encoding::Webp),
            EncodeKind::Jpeg => self.quality.map(|quality| Encoding::Jpeg { quality }),
        }
    }

    fn check(self, at: &mut Diagnostics) {
        match (self.kind, self.quality) {
            (EncodeKind::Jpeg, None) => {
                at.error("missing", "a JPEG needs a quality")
                    .help("add `quality: 90`, or another number from 1 to 100");
            }
            (EncodeKind::Jpeg, Some(quality)) => {
                at.warning(
                    "lossy",
                    format!(
                        "raters see every image and mask compressed as JPEG of quality {quality}, which can hide or add \
                         artefacts, more in some sets than in others"
                    ),
                )
                .help("leave `encode` out where compression could change a judgment, and say in reports that it was used");
            }
            (EncodeKind::Webp, Some(_)) => {
                at.field("quality")
                    .error("unknown", "WebP is written without loss and has no quality")
                    .help("leave `quality` out, or use `kind: jpeg` for smaller files");
            }
            (EncodeKind::Png, Some(_)) => {
                at.field("quality")
                    .error("unknown", "PNG is written without loss and has no quality")
                    .help("leave `quality` out, or use `kind: jpeg` for smaller files");
            }
            (EncodeKind::Png | EncodeKind::Webp, None) => {}
        }
    }
}

/// The format of images as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EncodeKind {
    /// PNG, without loss.
    Png,
    /// WebP, without loss.
    Webp,
    /// Baseline JPEG with full chroma resolution. Raters see its losses.
    Jpeg,
}

/// How images of another aspect ratio are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageFit {
    /// Fill the size, and crop the excess equally on two sides.
    #[default]
    Cover,
    /// Fit within the size, and keep the aspect ratio.
    Within,
    /// Stretch to the size.
    Exact,
}

/// Codes and redirects for the end of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Completion {
    /// For raters who answered everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<Handover>,
    /// For raters who did not pass the qualification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disqualified: Option<Handover>,
    /// For raters who were screened out by a survey before the task; those of `disqualified` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screened_out: Option<Handover>,
    /// For raters who left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Handover>,
    /// For people who read the consent and do not want to take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declined: Option<Handover>,
}

impl Completion {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These ways, and others where these have none.
    pub(crate) fn or(self, others: &Self) -> Self {
        let or = |own: Option<Handover>, other: &Option<Handover>| own.or_else(|| other.clone());
        Self {
            completed: or(self.completed, &others.completed),
            disqualified: or(self.disqualified, &others.disqualified),
            screened_out: or(self.screened_out, &others.screened_out),
            left: or(self.left, &others.left),
            declined: or(self.declined, &others.declined),
        }
    }
}

/// How a rater returns to the panel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Handover {
    /// A completion code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Arc<str>>,
    /// An address to be redirected to.
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
    /// Reports faults in the settings, at their path.
    pub(crate) fn check(&self, at: &mut Diagnostics) {
        if self.listen.parse::<SocketAddr>().is_err() {
            at.field("listen")
                .error("bad-address", format!("{:?} is not a listen address", self.listen))
                .help("write an address and a port, such as `127.0.0.1:7850` or `[::]:7850`");
        }
        for (field, url) in [("public_url", &self.public_url)] {
            if url.as_ref().is_some_and(|url| !is_web_address(url)) {
                at.field(field)
                    .error("bad-address", format!("{:?} is not a web address", url.as_deref().unwrap_or("")))
                    .help("write the whole address, such as `https://example.org/study/`");
            }
        }
        for (field, language) in [("language", &self.language), ("written_in", &self.written_in)] {
            let Some(language) = language.as_ref().filter(|tag| supported_language(tag).is_none()) else {
                continue;
            };
            let names: Vec<&str> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
            at.field(field)
                .error("unknown-language", format!("the page has no language {language:?}"))
                .help(format!("choose one of {}", names.join(", ")));
        }
        if let Some(encode) = self.encode {
            at.within("encode", |at| encode.check(at));
        }
        #[cfg(not(feature = "tls"))]
        if self.tls.is_some() {
            at.field("tls").error("not-built", TLS_ABSENT).help(TLS_REMEDY);
        }
        for proxy in self.trusted_proxies.iter().flatten() {
            if proxy.parse::<Network>().is_err() {
                at.field("trusted_proxies")
                    .error("bad-address", format!("{proxy:?} is neither an address nor a network"))
                    .help("write the proxy's own address, such as `192.0.2.1`, or a network, such as `10.0.0.0/8`");
            }
        }
        at.within("consent", |at| self.check_consent(at));
        at.within("translations", |at| instructions::check_translations(&self.translations, at));
        if let Some(comprehension) = &self.instructions.comprehension {
            at.within("instructions", |at| at.within("comprehension", |at| comprehension.check(at)));
        }
        at.within("completion", |at| self.check_completion(at));
    }

    fn check_consent(&self, at: &mut Diagnostics) {
        at.within("text", |at| {
            for (language, text) in &self.consent.text {
                if supported_language(language).is_none() {
                    let names: Vec<&str> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
                    at.field(language)
                        .error("unknown-language", format!("the page has no language {language:?}"))
                        .help(format!("choose from {}", names.join(", ")));
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
            ("screened_out", &self.completion.screened_out),
            ("left", &self.completion.left),
            ("declined", &self.completion.declined),
        ];
        for (way, handover) in ways {
            let redirect = handover.as_ref().and_then(|handover| handover.redirect.as_ref());
            if let Some(url) = redirect.filter(|url| !is_web_address(url)) {
                at.within(way, |at| {
                    at.field("redirect")
                        .error("bad-address", format!("{url:?} is not a web address"))
                        .help(
                            "write the whole address, such as `https://app.prolific.com/submissions/complete?cc=ABC`",
                        );
                });
            }
        }
    }

    /// Whether uninvited people can reach the page and enter.
    pub(crate) fn is_open_to_strangers(&self) -> bool {
        let is_private = || self.listen.parse().is_ok_and(|address: SocketAddr| address.ip().is_loopback());
        self.access == Access::Open && !self.is_shared() && (self.public_url.is_some() || !is_private())
    }

    /// Whether raters take turns at one computer.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared_computer.unwrap_or(false)
    }

    /// Whether raters reach the page by HTTPS only.
    pub(crate) fn is_secure(&self) -> bool {
        match &self.public_url {
            Some(url) => url.starts_with("https://"),
            None => self.tls.is_some(),
        }
    }

    /// The consent texts by language. Raters who read none of the languages get the first.
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

/// The page's language for a tag such as `de-AT`, by the tag's first part.
pub(crate) fn supported_language(tag: &str) -> Option<&'static str> {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES.iter().map(|&(known, _)| known).find(|known| known.eq_ignore_ascii_case(first))
}

fn is_web_address(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.chars().all(|character| !character.is_whitespace() && !character.is_control())
}
