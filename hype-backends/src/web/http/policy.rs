//! Policy for browsers: the page loads only its own files, and only a panel may show it in a frame.

use std::sync::LazyLock;

use axum::http::header::{CONTENT_SECURITY_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::web::http::assets::FILES;
use crate::web::service::panel_rules::PanelRules;

/// The content security policy: the page's own origin, its inline styles and its first script, and nothing else.
static OWN: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src 'self' {}; style-src 'self' {}; img-src 'self' blob:; connect-src 'self'; base-uri 'none'",
        FILES.scripts, FILES.styles
    )
});

/// Marks the response with the rater page itself, which a panel may frame. All others stand in no frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaterPage;

/// Sets the policy of a response; `panel` has the rules of the panel if it is the rater page. Pages that play clips may play those
/// that their scripts have loaded.
pub(super) fn set(headers: &mut HeaderMap, panel: Option<&PanelRules>, plays_clips: bool) {
    let listed = |origins: &mut dyn Iterator<Item = &str>| {
        let origins: Vec<&str> = origins.filter(|origin| is_origin(origin)).collect();
        if origins.is_empty() { "'none'".to_owned() } else { origins.join(" ") }
    };
    let frames = listed(&mut panel.iter().flat_map(|rules| &rules.framed_by).map(|origin| &**origin));
    let forms = panel.and_then(|rules| rules.submit.as_ref());
    let forms = listed(&mut forms.iter().flat_map(|form| &form.origins).map(|origin| &**origin));
    let is_framed = frames != "'none'";
    let clips = if plays_clips { "; media-src blob:" } else { "" };
    let policy = format!("{}{clips}; form-action {forms}; frame-ancestors {frames}", *OWN);
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    // Browsers that do not know the policy know only one origin, or none.
    if !is_framed {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    let whose = if is_framed { "cross-origin" } else { "same-origin" };
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(resource, HeaderValue::from_static(whose));
}

/// Whether a text can stand in a list of a policy as the origin of a web address.
fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]*".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::service::panel_rules::SubmitForm;

    fn headers(panel: Option<&PanelRules>) -> [String; 3] {
        let mut headers = HeaderMap::new();
        set(&mut headers, panel, false);
        ["content-security-policy", "x-frame-options", "cross-origin-resource-policy"].map(|name| {
            headers.get(name).map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
        })
    }

    #[test]
    fn the_page_stands_in_no_frame_unless_a_panel_needs_it() {
        let own = format!("{}; form-action 'none'; frame-ancestors 'none'", *OWN);
        let strict = [own, "DENY".to_owned(), "same-origin".to_owned()];
        assert_eq!(headers(None), strict);
        assert_eq!(headers(Some(&PanelRules::default())), strict);
        let form = SubmitForm {
            address: "turkSubmitTo".into(),
            origins: vec!["https://www.mturk.com".into(), "https://workersandbox.mturk.com".into()],
            path: "/mturk/externalSubmit".into(),
            fields: Vec::new(),
        };
        let rules = PanelRules {
            framed_by: vec!["https://worker.mturk.com".into(), "http://127.0.0.1:4711".into()],
            submit: Some(form),
            ..PanelRules::default()
        };
        let policy = format!(
            "{}; form-action https://www.mturk.com https://workersandbox.mturk.com; frame-ancestors \
             https://worker.mturk.com http://127.0.0.1:4711",
            *OWN
        );
        assert_eq!(headers(Some(&rules)), [policy, String::new(), "cross-origin".to_owned()]);
    }

    #[test]
    fn nothing_but_origins_gets_into_a_policy() {
        for origin in [
            "*",
            "https://a.example; script-src *",
            "https://a.example https://b.example",
            "https://",
            "data:",
        ] {
            let rules = PanelRules { framed_by: vec![origin.into()], ..PanelRules::default() };
            assert_eq!(headers(Some(&rules)), headers(None), "{origin}");
        }
    }
}
