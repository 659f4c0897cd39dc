//! How raters are handed back to a panel: addresses with placeholders, signatures of them, and forms.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use hype_core::model::hex;
use sha2::Sha256;

/// The form by which a session is handed in at the panel, as Mechanical Turk has it.
///
/// The arrival says in a parameter where to send it. That is obeyed only if it is one of the known origins; otherwise raters get
/// their code, and no form. The form has the fields `code` and `ending` in addition to those that name the submission.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the backends of panels make it")]
pub struct SubmitForm {
    /// The address parameter with the origin to send the form to, such as `turkSubmitTo`.
    pub address: Arc<str>,
    /// The origins that are obeyed, such as `https://www.mturk.com`.
    pub origins: Vec<Arc<str>>,
    /// The path of the form's address, such as `/mturk/externalSubmit`.
    pub path: Arc<str>,
    /// The address parameters that become fields of the form, such as `assignmentId`. Without all of them there is no form.
    pub fields: Vec<Arc<str>>,
}

impl SubmitForm {
    /// The address of the form for a value of the parameter; `None` if it names no known origin.
    pub(crate) fn action(&self, named: &str) -> Option<String> {
        let origin = origin(named)?;
        let known =
            self.origins.iter().find(|known| known.trim_end_matches('/').eq_ignore_ascii_case(origin))?;
        Some(format!("{}{}", known.trim_end_matches('/'), self.path))
    }
}

/// The scheme and the authority of a web address.
fn origin(url: &str) -> Option<&str> {
    let after = url.find("://")? + 3;
    let end = url[after..].find(['/', '?', '#', '\\']).map_or(url.len(), |length| after + length);
    Some(&url[..end])
}

/// Signs return addresses: the hexadecimal HMAC-SHA-256 over the address as it is without the signature is appended as a parameter.
#[derive(Clone)]
pub struct ReturnSignature {
    parameter: Arc<str>,
    keyed: Hmac<Sha256>,
}

impl ReturnSignature {
    /// Signs with a key, in a parameter of this name.
    #[must_use]
    pub fn new(parameter: impl Into<Arc<str>>, key: &[u8]) -> Self {
        #[expect(clippy::unwrap_used, reason = "HMAC takes keys of any length")]
        let keyed = Hmac::new_from_slice(key).unwrap();
        Self { parameter: parameter.into(), keyed }
    }

    /// The address with its signature. A fragment is not sent to the panel, so it is not signed.
    pub(crate) fn sign(&self, address: &str) -> String {
        let (signed, fragment) = address.split_at(address.find('#').unwrap_or(address.len()));
        let mut mac = self.keyed.clone();
        mac.update(signed.as_bytes());
        let signature = hex::to_hex(&mac.finalize().into_bytes());
        let joined = if signed.contains('?') { '&' } else { '?' };
        format!("{signed}{joined}{}={signature}{fragment}", self.parameter)
    }
}

impl fmt::Debug for ReturnSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReturnSignature").field("parameter", &self.parameter).finish_non_exhaustive()
    }
}

/// Fills the placeholders of a return address. `value` has the value of a name; the placeholder of one without a value is left
/// out. Whatever else is in braces stays.
pub(crate) fn filled<'a>(address: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut filled = String::with_capacity(address.len());
    let mut rest = address;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        let name = rest[open + 1..].split('}').next().unwrap_or_default();
        let is_placeholder = rest[open + 1..].len() > name.len() && is_name(name);
        if is_placeholder {
            if let Some(value) = value(name) {
                push_encoded(&mut filled, value);
            }
            rest = &rest[open + name.len() + 2..];
        } else {
            filled.push('{');
            rest = &rest[open + 1..];
        }
    }
    filled.push_str(rest);
    filled
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Appends a value in percent-encoding: only unreserved characters (RFC 3986, section 2.3) stay as they are.
fn push_encoded(to: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => to.push(byte.into()),
            _ => {
                to.push('%');
                to.push_str(&hex::to_hex(&[byte]).to_uppercase());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_take_encoded_values() {
        let value = |name: &str| match name {
            "participant" => Some("wörker 7&x=1/../#?"),
            "SESSION_ID" => Some("s~1"),
            _ => None,
        };
        for (address, expected) in [
            (
                "https://a.example/?p={participant}",
                "https://a.example/?p=w%C3%B6rker%207%26x%3D1%2F..%2F%23%3F",
            ),
            ("https://a.example/{SESSION_ID}/{SESSION_ID}?x={unknown}&y", "https://a.example/s~1/s~1?x=&y"),
            ("https://a.example/{not a name}{}{", "https://a.example/{not a name}{}{"),
            ("https://a.example/{{SESSION_ID}}", "https://a.example/{s~1}"),
            ("https://a.example/", "https://a.example/"),
        ] {
            assert_eq!(filled(address, value), expected);
        }
    }

    #[test]
    fn a_panel_can_verify_where_raters_were_sent() {
        // Computed by Python's `hmac`: hmac.new(b'secret', b'https://a.example/?p=1', 'sha256').hexdigest().
        let signature = "556cfe994634e99c51c200a276f54bf8f571324b9e7657ef917994803c2e1067";
        let signed = ReturnSignature::new("sig", b"secret");
        assert_eq!(signed.sign("https://a.example/?p=1"), format!("https://a.example/?p=1&sig={signature}"));
        assert_eq!(
            signed.sign("https://a.example/?p=1#top"),
            format!("https://a.example/?p=1&sig={signature}#top")
        );
        assert!(signed.sign("https://a.example/back").starts_with("https://a.example/back?sig="));
        assert!(!format!("{signed:?}").contains("secret"));
    }

    #[test]
    fn forms_go_to_known_origins_only() {
        let form = SubmitForm {
            address: "turkSubmitTo".into(),
            origins: vec!["https://www.mturk.com".into(), "http://127.0.0.1:4711/".into()],
            path: "/mturk/externalSubmit".into(),
            fields: vec!["assignmentId".into()],
        };
        let real = Some("https://www.mturk.com/mturk/externalSubmit".to_owned());
        for named in
            ["https://www.mturk.com", "https://www.mturk.com/", "https://WWW.mturk.com/mturk/externalSubmit"]
        {
            assert_eq!(form.action(named), real, "{named}");
        }
        assert_eq!(
            form.action("http://127.0.0.1:4711").as_deref(),
            Some("http://127.0.0.1:4711/mturk/externalSubmit")
        );
        for named in [
            "",
            "www.mturk.com",
            "http://www.mturk.com",
            "https://www.mturk.com.evil.example",
            "https://www.mturk.com@evil.example/",
            "https://evil.example/https://www.mturk.com",
            "https://evil.example\\@www.mturk.com",
            "https://www.mturk.com:444",
            "javascript:alert(1)//://www.mturk.com",
        ] {
            assert_eq!(form.action(named), None, "{named}");
        }
    }
}
