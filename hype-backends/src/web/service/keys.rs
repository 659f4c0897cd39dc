//! Keys: everything secret that the server hands out, derived from one secret of the study.
//!
//! All processes that serve a study share its secret through the store, so that any of them understands what another
//! has handed out, and none keeps a table.

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::web::service::fault::Fault;
use crate::web::wire::request::Tab;

/// The length of a nonce of XChaCha20-Poly1305, long enough to be drawn at random.
const NONCE: usize = 24;

/// Derives what the server hands out from the study's secret.
#[derive(Clone)]
pub(crate) struct Keys {
    /// HMAC with the secret as its key, over nothing yet.
    keyed: Hmac<Sha256>,
}

/// Who holds a session, as its cookie says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Credential {
    /// The session's name in the store.
    pub(crate) session: String,
    /// The rater's key.
    pub(crate) rater: String,
}

impl Credential {
    /// Both in one word, as names are bound to it in the store.
    pub(crate) fn holder(&self) -> String {
        format!("{}.{}", self.session, self.rater)
    }

    /// The credential behind such a word.
    pub(crate) fn of_holder(holder: &str) -> Option<Self> {
        let (session, rater) = holder.split_once('.')?;
        Some(Self { session: session.to_owned(), rater: rater.to_owned() })
    }
}

impl Keys {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        #[expect(clippy::unwrap_used, reason = "HMAC takes keys of any length")]
        let keyed = Hmac::new_from_slice(&secret).unwrap();
        Self { keyed }
    }

    /// HMAC-SHA-256 over the purpose and the parts, each with its length, so that no two lists of parts are alike.
    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// 128 bits that nobody without the secret can tell from chance.
    fn token(&self, purpose: &str, parts: &[&[u8]]) -> String {
        hex(&self.mac(purpose, parts).finalize().into_bytes()[..16])
    }

    /// The cookie of a session.
    pub(crate) fn cookie(&self, credential: &Credential) -> String {
        let seal = self.token("session", &[credential.session.as_bytes(), credential.rater.as_bytes()]);
        format!("{}.{}.{seal}", credential.session, credential.rater)
    }

    /// Whose cookie it is, if it is one of this study's.
    pub(crate) fn credential(&self, cookie: &str) -> Option<Credential> {
        let mut parts = cookie.split('.');
        let (session, rater, seal) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        self.verify("session", &[session.as_bytes(), rater.as_bytes()], seal)
            .then(|| Credential { session: session.to_owned(), rater: rater.to_owned() })
    }

    /// The rater of a page: the same one however often that page agrees to take part, and nobody who knows the rater
    /// knows the page.
    pub(crate) fn rater(&self, tab: &Tab) -> String {
        format!("r{}", self.token("rater", &[tab.as_str().as_bytes()]))
    }

    /// The name of an image for one block of one session. Names of masks and stimuli never meet, and whoever has
    /// some of them knows nothing of the others.
    pub(crate) fn image(&self, credential: &Credential, block: &str, image: Shown) -> String {
        let (kind, number) = match image {
            Shown::Stimulus(number) => (b"s", number),
            Shown::Mask(number) => (b"m", number),
        };
        let parts: [&[u8]; 5] = [
            credential.session.as_bytes(),
            credential.rater.as_bytes(),
            block.as_bytes(),
            kind,
            &number.to_le_bytes(),
        ];
        self.token("image", &parts)
    }

    /// What opens the operator's page.
    pub(crate) fn operator(&self) -> String {
        self.token("operator", &[])
    }

    /// Whether a token opens the operator's page.
    pub(crate) fn is_operator(&self, token: &str) -> bool {
        self.verify("operator", &[], token)
    }

    /// The one-time link with a number.
    pub(crate) fn link(&self, number: u64) -> String {
        let number = format!("{number:x}");
        let seal = self.token("link", &[number.as_bytes()]);
        format!("{number}.{seal}")
    }

    /// What a one-time link is called in the store, if it is one of this study's.
    pub(crate) fn linked(&self, link: &str) -> Option<String> {
        let (number, seal) = link.split_once('.')?;
        self.verify("link", &[number.as_bytes()], seal).then(|| format!("link:{number}"))
    }

    /// What a platform's participant is called in the store: nobody without the secret can tell who it is.
    pub(crate) fn participant(&self, id: &str) -> String {
        format!("person:{}", self.token("participant", &[id.as_bytes()]))
    }

    /// A participant's id under the study's key, for its holder alone: a nonce, and XChaCha20-Poly1305 with the holder
    /// as associated data.
    pub(crate) fn seal(&self, holder: &str, id: &str) -> Result<Vec<u8>, Fault> {
        let nonce: [u8; NONCE] = random()?;
        let payload = Payload { msg: id.as_bytes(), aad: holder.as_bytes() };
        let sealed = self.sealing().encrypt(&XNonce::from(nonce), payload).map_err(|_| Fault::Failed)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// The id that was sealed for a holder; `None` if it was not sealed so.
    pub(crate) fn unseal(&self, holder: &str, sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload { msg: sealed, aad: holder.as_bytes() };
        String::from_utf8(self.sealing().decrypt(&XNonce::from(*nonce), payload).ok()?).ok()
    }

    fn sealing(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.mac("seal", &[]).finalize().into_bytes())
    }

    /// Compares in constant time.
    fn verify(&self, purpose: &str, parts: &[&[u8]], token: &str) -> bool {
        unhex(token).is_some_and(|seal| self.mac(purpose, parts).verify_truncated_left(&seal).is_ok())
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

/// What an image's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shown {
    /// A stimulus by its place in the study.
    Stimulus(u32),
    /// A mask by its place in the study's set of masks.
    Mask(u32),
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| Fault::Failed)?;
    Ok(bytes)
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

/// The sixteen bytes of 32 lower-case hexadecimal digits.
fn unhex(text: &str) -> Option<[u8; 16]> {
    let digits = text.as_bytes();
    if digits.len() != 32 || !is_hex(text) {
        return None;
    }
    let value = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    Some(std::array::from_fn(|index| value(digits[2 * index]) << 4 | value(digits[2 * index + 1])))
}

/// Whether a text consists of lower-case hexadecimal digits.
pub(crate) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        Keys::new([7; 32])
    }

    fn credential() -> Credential {
        Credential { session: "p000001-000".into(), rater: "r0123".into() }
    }

    #[test]
    fn a_cookie_is_understood_by_every_process_with_the_secret_and_by_no_other() {
        let cookie = keys().cookie(&credential());
        assert_eq!(keys().credential(&cookie), Some(credential()));
        assert_eq!(Keys::new([8; 32]).credential(&cookie), None);
    }

    #[test]
    fn an_altered_cookie_is_none() {
        let cookie = keys().cookie(&credential());
        for index in 0..cookie.len() {
            let mut altered = cookie.clone().into_bytes();
            altered[index] = if altered[index] == b'0' { b'1' } else { b'0' };
            assert_eq!(keys().credential(&String::from_utf8(altered).unwrap()), None, "byte {index}");
        }
        for text in ["", ".", "..", "a.b", &cookie[..cookie.len() - 2], &format!("{cookie}.00")] {
            assert_eq!(keys().credential(text), None, "{text}");
        }
    }

    #[test]
    fn images_have_other_names_in_every_session_and_block() {
        let other = Credential { rater: "r0124".into(), ..credential() };
        let names = [
            keys().image(&credential(), "main-0", Shown::Stimulus(3)),
            keys().image(&credential(), "main-1", Shown::Stimulus(3)),
            keys().image(&credential(), "main-0", Shown::Mask(3)),
            keys().image(&other, "main-0", Shown::Stimulus(3)),
            Keys::new([8; 32]).image(&credential(), "main-0", Shown::Stimulus(3)),
        ];
        let different: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.iter().all(|name| name.len() == 32 && is_hex(name)));
    }

    #[test]
    fn a_sealed_id_opens_for_its_holder_and_its_study_alone() {
        let sealed = keys().seal("a.b", "5f3c").unwrap();
        assert_eq!(keys().unseal("a.b", &sealed).as_deref(), Some("5f3c"));
        assert_eq!(keys().unseal("a.c", &sealed), None);
        assert_eq!(Keys::new([8; 32]).unseal("a.b", &sealed), None);
        assert_ne!(
            keys().seal("a.b", "5f3c").unwrap(),
            sealed,
            "who has two of them cannot tell that they are one"
        );
        for index in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[index] ^= 1;
            assert_eq!(keys().unseal("a.b", &altered), None, "byte {index}");
        }
        assert_eq!(keys().unseal("a.b", &sealed[..NONCE - 1]), None);
    }

    #[test]
    fn links_and_operators_are_told_from_strangers() {
        let link = keys().link(0x2a);
        assert_eq!(keys().linked(&link).as_deref(), Some("link:2a"));
        assert_eq!(keys().linked(&link.replace("2a.", "2b.")), None);
        assert!(keys().is_operator(&keys().operator()));
        assert!(!keys().is_operator(&link));
    }
}
