//! The files of the rater's and the operator's page, embedded in the program.
//!
//! A page is one document with its styles and the texts of one language, and one module. The module's name contains its digest,
//! so browsers can keep it for a year.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use hype_core::model::hex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::web::settings::{Page, supported_language};

const HTML: &str = "text/html; charset=utf-8";
const MODULE: &str = "text/javascript; charset=utf-8";

/// The code that loads the rater page's module, and says so when it does not arrive.
const START: &str = include_str!(concat!(env!("OUT_DIR"), "/start.js"));

/// Files with their own names, with their media types.
const ALONE: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/alone.rs"));

/// The language of a browser that asks for none that the page has.
const DEFAULT_LANGUAGE: &str = "en";

/// All files of both pages.
pub(crate) static FILES: LazyLock<Files> = LazyLock::new(Files::new);

/// A file, as it is and compressed.
struct File {
    kind: &'static str,
    is_kept: bool,
    plain: Bytes,
    compressed: Bytes,
}

/// The files, and what a policy must allow for them.
pub(crate) struct Files {
    /// By the path below `assets/`.
    named: BTreeMap<String, File>,
    /// The rater page in English, without texts and contact.
    index: String,
    operator: File,
    /// The inline styles and scripts, as sources of a content security policy.
    pub(crate) styles: String,
    pub(crate) scripts: String,
}

/// A page's parts: its document, styles and module.
struct Parts {
    html: &'static str,
    styles: &'static str,
    module: &'static str,
}

macro_rules! parts {
    ($html:literal, $stem:literal) => {
        Parts {
            html: include_str!(concat!("../../../page/", $html)),
            styles: include_str!(concat!(env!("OUT_DIR"), "/", $stem, ".css")),
            module: include_str!(concat!(env!("OUT_DIR"), "/", $stem, ".js")),
        }
    };
}

const RATERS: Parts = parts!("index.html", "main");
const OPERATORS: Parts = parts!("operator.html", "operator");

impl Files {
    fn new() -> Self {
        let mut named: BTreeMap<String, File> = ALONE
            .iter()
            .map(|&(name, kind, bytes)| (name.to_owned(), File::new(kind, Bytes::from_static(bytes), false)))
            .collect();
        let mut keep = |stem: &str, module: &'static str| {
            let digest = hex::to_hex(&Sha256::digest(module)[..6]);
            let name = format!("{stem}-{digest}.js");
            named.insert(name.clone(), File::new(MODULE, Bytes::from_static(module.as_bytes()), true));
            name
        };
        let main = format!("<script data-main=\"assets/{}\">{START}</script>", keep("main", RATERS.module));
        let operator = keep("operator", OPERATORS.module);
        let operator = format!("<script type=\"module\" src=\"assets/{operator}\"></script>");
        let index = RATERS.joined(&main);
        let operator = File::new(HTML, OPERATORS.joined(&operator).into(), false);
        let source = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
        let styles = format!("{} {}", source(RATERS.styles), source(OPERATORS.styles));
        Self { named, index, operator, styles, scripts: source(START) }
    }

    /// The operator's page.
    pub(crate) fn operator(&self, asked: &HeaderMap) -> Response {
        self.operator.response(asked)
    }

    /// Finds a file by its path below `assets/`.
    pub(crate) fn find(&self, name: &str, asked: &HeaderMap) -> Option<Response> {
        self.named.get(name).map(|file| file.response(asked))
    }
}

impl File {
    fn new(kind: &'static str, plain: Bytes, is_kept: bool) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Nothing that is written to memory fails.
        let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
        Self { kind, is_kept, compressed: written.map_or_else(|_| plain.clone(), Bytes::from), plain }
    }

    fn response(&self, asked: &HeaderMap) -> Response {
        let reads = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let is_read = reads.is_some_and(|reads| reads.split(',').any(|one| one.trim() == "gzip"));
        let bytes = if is_read { &self.compressed } else { &self.plain };
        let mut response =
            ([(CONTENT_TYPE, HeaderValue::from_static(self.kind))], bytes.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if is_read {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if self.is_kept {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
        }
        response
    }
}

impl Parts {
    /// The document with its styles in it, and with a script in place of its module.
    fn joined(&self, script: &str) -> String {
        let mut joined = String::new();
        for line in self.html.lines() {
            let bare = line.trim();
            if bare.starts_with("<link rel=\"stylesheet\"") {
                continue;
            }
            if bare.starts_with("<script type=\"module\"") {
                joined.push_str(&format!("<style>{}</style>\n{script}\n", self.styles));
            } else {
                joined.push_str(bare);
                joined.push('\n');
            }
        }
        joined
    }
}

/// The page of a study's raters, in each language.
pub(crate) struct RaterPages {
    /// The language of the study, if it has only one.
    language: Option<&'static str>,
    by_language: BTreeMap<&'static str, File>,
}

impl RaterPages {
    /// The pages of a study with these settings.
    pub(crate) fn new(settings: &Page) -> Self {
        let contact = settings.contact.as_deref().map(escaped);
        let pages = ALONE.iter().filter_map(|(name, _, texts)| {
            let tag = supported_language(name.strip_prefix("locale/")?.strip_suffix(".json")?)?;
            let mut page = localized(&FILES.index, tag, texts);
            if contact.is_none() {
                page = page
                    .lines()
                    .filter(|line| !line.contains("<p") || !line.contains(CONTACT))
                    .map(|line| format!("{line}\n"))
                    .collect();
            }
            let page = page.replace(CONTACT, contact.as_deref().unwrap_or_default());
            Some((tag, File::new(HTML, page.into(), false)))
        });
        Self {
            language: settings.language.as_deref().and_then(supported_language),
            by_language: pages.collect(),
        }
    }

    /// The page, in the language that the study or else the browser asks for.
    pub(crate) fn page(&self, asked: &HeaderMap) -> Option<Response> {
        let mut response =
            self.by_language.get(self.language.unwrap_or_else(|| preferred(asked)))?.response(asked);
        response.headers_mut().append(VARY, HeaderValue::from_static("accept-language"));
        Some(response)
    }
}

/// Where the rater page names the address to write to.
const CONTACT: &str = "{contact}";

/// The rater page in a language: with its texts for the module, and with those that it shows before the module has arrived.
fn localized(page: &str, tag: &str, texts: &[u8]) -> String {
    let texts: Value = serde_json::from_slice(texts).unwrap_or_default();
    let direction = if tag == "ar" { "rtl" } else { "ltr" };
    let page = page.replacen("lang=\"en\" dir=\"ltr\"", &format!("lang=\"{tag}\" dir=\"{direction}\""), 1);
    let mut parts = page.split("data-text=\"");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let words = part
            .split_once("\">")
            .and_then(|(key, rest)| Some((key, escaped(texts[key].as_str()?), rest.split_once('<')?.1)));
        match words {
            Some((key, words, rest)) => said.extend(["data-text=\"", key, "\">", &words, "<", rest]),
            None => said.extend(["data-text=\"", part]),
        }
    }
    // A text cannot end the element that it stands in.
    let texts = texts.to_string().replace('<', "\\u003c");
    said.replacen(
        "</head>",
        &format!("<script type=\"application/json\" id=\"texts\" lang=\"{tag}\">{texts}</script>\n</head>"),
        1,
    )
}

/// The first language of a request that the page has.
fn preferred(asked: &HeaderMap) -> &'static str {
    let wanted = asked.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let tags = wanted.split(',').filter_map(|one| one.split(';').next());
    tags.filter_map(|tag| supported_language(tag.trim())).next().unwrap_or(DEFAULT_LANGUAGE)
}

/// A text that can stand in HTML, in and outside of attributes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn joined_modules_import_nothing() {
        for module in [RATERS.module, OPERATORS.module] {
            let lines = || module.lines().map(str::trim_start);
            assert!(lines().count() > 500);
            assert!(lines().all(|line| !line.starts_with("import ") && !line.starts_with("export ")));
            assert!(lines().all(|line| !line.starts_with("//") && !line.contains(" from './")));
        }
    }

    #[test]
    fn pages_speak_the_requested_language_and_name_a_contact() {
        let settings = Page { contact: Some("a&b@example.org".into()), ..Page::default() };
        let pages = RaterPages::new(&settings);
        for (asked, tag, words) in [
            ("de-AT,en;q=0.5", "lang=\"de\" dir=\"ltr\"", ">Einen Moment …<"),
            ("fr, ar", "lang=\"ar\" dir=\"rtl\"", "لحظة من فضلك…"),
            ("fr", "lang=\"en\" dir=\"ltr\"", "write to a&amp;b@example.org"),
        ] {
            let page = pages.by_language.get(preferred(&asking(ACCEPT_LANGUAGE, asked))).unwrap();
            let text = std::str::from_utf8(&page.plain).unwrap();
            assert!(text.contains(tag) && text.contains(words), "{asked}");
            assert!(!text.contains(CONTACT), "{asked}");
            let mut read = String::new();
            GzDecoder::new(&*page.compressed).read_to_string(&mut read).unwrap();
            assert!(read == text && page.compressed.len() * 2 < page.plain.len());
        }
        let silent = RaterPages::new(&Page::default());
        let text = String::from_utf8_lossy(&silent.by_language["en"].plain).into_owned();
        assert!(!text.contains("write to <") && text.contains("name=\"contact\" content=\"\""));
    }

    #[test]
    fn browsers_keep_modules_and_get_what_they_read() {
        let name = FILES.named.keys().find(|name| name.starts_with("main-")).unwrap();
        let reply = FILES.find(name, &asking(ACCEPT_ENCODING, "deflate, gzip")).unwrap();
        assert_eq!(reply.headers()[CONTENT_ENCODING], "gzip");
        assert_eq!(reply.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
        let reply = FILES.find("icon.svg", &HeaderMap::new()).unwrap();
        assert_eq!((reply.headers().get(CONTENT_ENCODING), reply.headers().get(CACHE_CONTROL)), (None, None));
    }

    fn asking(header: axum::http::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header, HeaderValue::from_str(value).unwrap())])
    }
}
