//! The origin of requests: only the page's own scripts may write.
//!
//! The session's cookie is not sent from other sites (`SameSite=Strict`), and bodies have to be JSON, which a form cannot send.
//! The origin is the third line of defence, and the only one against other pages of the same site. The rule is that of
//! `CrossOriginProtection` in Go's standard library.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{Method, Request, Uri};

/// Whether a request only reads, or was sent by the page itself or by a program that is not a browser.
pub(super) fn is_own<B>(request: &Request<B>, public_url: Option<&str>) -> bool {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method()) {
        return true;
    }
    let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or("null"));
    // The browser's own finding is right behind every proxy. It is sent only to pages that it trusts, such as by HTTPS.
    if let Some(site) = header("sec-fetch-site") {
        return ["same-origin", "none"].contains(&site);
    }
    let Some(origin) = header(ORIGIN.as_str()) else { return true };
    let Some(from) = authority(origin) else { return false };
    let host = header(HOST.as_str()).map(str::to_lowercase);
    host.as_ref() == Some(&from) || public_url.and_then(authority) == Some(from)
}

/// The host and port of a web address.
fn authority(url: &str) -> Option<String> {
    let url: Uri = url.parse().ok()?;
    Some(url.authority()?.as_str().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/api/answer").header(HOST, "Rate.example.org:7850");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        is_own(&request.body(()).unwrap(), Some("https://public.example.org/study/"))
    }

    #[test]
    fn only_the_page_itself_may_write() {
        assert!(own(&[]), "a program other than a browser");
        assert!(own(&[("origin", "http://rate.example.org:7850")]));
        assert!(own(&[("origin", "https://public.example.org")]), "behind a proxy that changes the host");
        assert!(own(&[("origin", "https://other.example.org"), ("sec-fetch-site", "same-origin")]));
        for origin in
            ["https://evil.example", "http://rate.example.org", "https://x.public.example.org", "null", ""]
        {
            assert!(!own(&[("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(!own(&[("origin", "http://rate.example.org:7850"), ("sec-fetch-site", site)]), "{site}");
        }
    }

    #[test]
    fn everyone_may_read() {
        let request = Request::get("/").header(ORIGIN, "https://evil.example").body(()).unwrap();
        assert!(is_own(&request, None));
    }
}
