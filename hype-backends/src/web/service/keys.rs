//! Cookies, links, tokens and image names, all derived from one secret of the study.
//!
//! The processes that serve a study share its secret through the store. Each can verify what another issued, and none
//! needs a table of what was issued.

use std::sync::Arc;

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, KeyInit as _, Mac as _};
use hype_core::model::hex;
#[cfg(feature = "crowd")]
use hype_core::model::ledger::PaymentKey;
use sha2::Sha256;

use crate::web::service::fault::Fault;
use crate::web::service::panel_ids::folded;
use crate::web::wire::request::Tab;
use crate::web::wire::status::OperatorRole;

/// The length of an XChaCha20-Poly1305 nonce in bytes, long enough to draw nonces at random.
const NONCE: usize = 24;

/// Derives and verifies tokens with the study's secret.
#[derive(Clone)]
pub(crate) struct Keys {
    /// HMAC keyed with the secret, before any input.
    keyed: Hmac<Sha256>,
}

/// A key of the operator's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OperatorKey {
    /// The role that it allows.
    pub(crate) role: OperatorRole,
    /// Whose it is.
    pub(crate) name: Arc<str>,
    /// The number of keys that this name has had; 0 for the keys that a study has from the beginning, which are named after
    /// what they allow.
    pub(crate) number: u32,
}

impl OperatorKey {
    /// Returns the text that its token seals.
    fn sealed(&self) -> String {
        format!("{} {} {}", self.role.name(), self.name, self.number)
    }
}

/// The session and the rater that a cookie names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Credential {
    /// The session's name in the store.
    pub(crate) session: String,
    /// The rater's key.
    pub(crate) rater: String,
}

impl Credential {
    /// Both joined by a dot, the form in which the store binds links and participants to a session.
    pub(crate) fn holder(&self) -> String {
        format!("{}.{}", self.session, self.rater)
    }

    /// The inverse of [`holder`](Self::holder).
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

    /// HMAC-SHA-256 over the purpose and the parts, each preceded by its length: different lists never collide.
    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// A token of 128 bits, indistinguishable from random bits without the secret.
    fn token(&self, purpose: &str, parts: &[&[u8]]) -> String {
        hex::to_hex(&self.mac(purpose, parts).finalize().into_bytes()[..16])
    }

    /// The cookie of a session.
    pub(crate) fn cookie(&self, credential: &Credential) -> String {
        let seal = self.token("session", &[credential.session.as_bytes(), credential.rater.as_bytes()]);
        format!("{}.{}.{seal}", credential.session, credential.rater)
    }

    /// The credential in a cookie; `None` unless this study issued it.
    pub(crate) fn credential(&self, cookie: &str) -> Option<Credential> {
        let mut parts = cookie.split('.');
        let (session, rater, seal) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        self.verify("session", &[session.as_bytes(), rater.as_bytes()], seal)
            .then(|| Credential { session: session.to_owned(), rater: rater.to_owned() })
    }

    /// The rater's key for a page. A page that repeats its consent gets the same key, and the key does not reveal the
    /// page's name.
    pub(crate) fn rater(&self, tab: &Tab) -> String {
        format!("r{}", self.token("rater", &[tab.as_str().as_bytes()]))
    }

    /// The name of an image in one block of one session. Names of masks and stimuli never coincide, and knowing some
    /// names reveals nothing about others.
    pub(crate) fn image(&self, credential: &Credential, block: &str, image: ImageId) -> String {
        let (kind, number) = match image {
            ImageId::Stimulus(number) => (b"s", number),
            ImageId::Mask(number) => (b"m", number),
            ImageId::Example(number) => (b"e", number),
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

    /// The token of a key of the operator's page.
    pub(crate) fn operator(&self, key: &OperatorKey) -> String {
        let OperatorKey { role, name, number } = key;
        if *number == 0 {
            return self.token(role.name(), &[]);
        }
        format!("{name}.{number}.{}", self.token("operator key", &[key.sealed().as_bytes()]))
    }

    /// The key that a token is of; `None` unless this study issued it. A later key may have replaced it.
    pub(crate) fn operator_key(&self, token: &str) -> Option<OperatorKey> {
        let roles = [OperatorRole::Operator, OperatorRole::Reader];
        let Some((name, rest)) = token.split_once('.') else {
            let role = roles.into_iter().find(|role| self.verify(role.name(), &[], token))?;
            return Some(OperatorKey { role, name: role.name().into(), number: 0 });
        };
        let (number, seal) = rest.split_once('.')?;
        let number = number.parse().ok().filter(|&number| number > 0)?;
        let mut keys = roles.map(|role| OperatorKey { role, name: name.into(), number }).into_iter();
        keys.find(|key| self.verify("operator key", &[key.sealed().as_bytes()], seal))
    }

    /// The one-time link with a number.
    pub(crate) fn link(&self, number: u64) -> String {
        let number = format!("{number:x}");
        let seal = self.token("link", &[number.as_bytes()]);
        format!("{number}.{seal}")
    }

    /// The key of a one-time link in the store; `None` unless this study issued the link.
    pub(crate) fn linked(&self, link: &str) -> Option<String> {
        let (number, seal) = link.split_once('.')?;
        self.verify("link", &[number.as_bytes()], seal).then(|| format!("link:{number}"))
    }

    /// The key of a panel's participant in the store, a keyed hash that only the secret can link to the id.
    pub(crate) fn participant(&self, id: &str) -> String {
        self.participant_as_written(&folded(id))
    }

    /// The same of an id as it was written, under which earlier versions kept participants.
    pub(crate) fn participant_as_written(&self, id: &str) -> String {
        format!("person:{}", self.token("participant", &[id.as_bytes()]))
    }

    /// The name in the ledger of a participant who was forgotten.
    #[cfg(feature = "crowd")]
    pub(crate) fn forgotten(&self, id: &str) -> String {
        self.token("forgotten", &[id.as_bytes()])
    }

    /// The name of work that was handed in without a session, by its id at the panel.
    #[cfg(feature = "crowd")]
    pub(crate) fn unknown(&self, submission: &str) -> String {
        format!("x{}", &self.token("submission", &[submission.as_bytes()])[..12])
    }

    /// The mark by which a panel knows a listing of the study.
    #[cfg(feature = "crowd")]
    pub(crate) fn listing(&self, number: u32) -> String {
        self.token("listing", &[&number.to_le_bytes()])
    }

    /// The token of a payment, always the same one.
    #[cfg(feature = "crowd")]
    pub(crate) fn payment(&self, payment: &PaymentKey) -> String {
        self.token("payment", &[payment.session.as_bytes(), payment.purpose.name().as_bytes()])
    }

    /// The completion code of sessions that end in one way: ten letters and digits that cannot be guessed.
    #[cfg(feature = "crowd")]
    pub(crate) fn completion_code(&self, way: &str) -> String {
        self.token("code", &[way.as_bytes()])[..10].to_uppercase()
    }

    /// Encrypts a participant's id for one holder: a random nonce, then XChaCha20-Poly1305 with the holder as associated
    /// data.
    pub(crate) fn seal(&self, holder: &str, id: &str) -> Result<Vec<u8>, Fault> {
        let nonce: [u8; NONCE] = random()?;
        let payload = Payload { msg: id.as_bytes(), aad: holder.as_bytes() };
        let sealed = self.sealing().encrypt(&XNonce::from(nonce), payload).map_err(|_| Fault::Failed)?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Decrypts the id that [`seal`](Self::seal) encrypted for this holder; `None` if it fails to authenticate.
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
        hex::from_hex::<16>(token)
            .is_some_and(|seal| self.mac(purpose, parts).verify_truncated_left(&seal).is_ok())
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

/// The image that a name on the page refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ImageId {
    /// A stimulus, by its index in the study.
    Stimulus(u32),
    /// A mask, by its index in the study's set of masks.
    Mask(u32),
    /// An example in the instructions, by its position.
    Example(u32),
}

/// Random bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| Fault::Failed)?;
    Ok(bytes)
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
    fn cookies_are_valid_only_for_processes_with_the_secret() {
        let cookie = keys().cookie(&credential());
        assert_eq!(keys().credential(&cookie), Some(credential()));
        assert_eq!(Keys::new([8; 32]).credential(&cookie), None);
    }

    #[test]
    fn an_altered_cookie_is_invalid() {
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
    fn image_names_differ_between_sessions_and_blocks() {
        let other = Credential { rater: "r0124".into(), ..credential() };
        let names = [
            keys().image(&credential(), "main-0", ImageId::Stimulus(3)),
            keys().image(&credential(), "main-1", ImageId::Stimulus(3)),
            keys().image(&credential(), "main-0", ImageId::Mask(3)),
            keys().image(&other, "main-0", ImageId::Stimulus(3)),
            Keys::new([8; 32]).image(&credential(), "main-0", ImageId::Stimulus(3)),
        ];
        let different: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.iter().all(|name| name.len() == 32 && hex::is_hex(name)));
    }

    #[test]
    fn a_sealed_id_opens_only_for_its_holder_and_study() {
        let sealed = keys().seal("a.b", "5f3c").unwrap();
        assert_eq!(keys().unseal("a.b", &sealed).as_deref(), Some("5f3c"));
        assert_eq!(keys().unseal("a.c", &sealed), None);
        assert_eq!(Keys::new([8; 32]).unseal("a.b", &sealed), None);
        assert_ne!(keys().seal("a.b", "5f3c").unwrap(), sealed, "two ciphertexts of one id are equal");
        for index in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[index] ^= 1;
            assert_eq!(keys().unseal("a.b", &altered), None, "byte {index}");
        }
        assert_eq!(keys().unseal("a.b", &sealed[..NONCE - 1]), None);
    }

    #[test]
    fn forged_links_and_operator_tokens_are_rejected() {
        let link = keys().link(0x2a);
        assert_eq!(keys().linked(&link).as_deref(), Some("link:2a"));
        assert_eq!(keys().linked(&link.replace("2a.", "2b.")), None);
        let key = |role: OperatorRole, name: &str, number| OperatorKey { role, name: name.into(), number };
        let all = [
            key(OperatorRole::Operator, "operator", 0),
            key(OperatorRole::Reader, "reader", 0),
            key(OperatorRole::Operator, "anna", 1),
            key(OperatorRole::Reader, "anna", 2),
            key(OperatorRole::Operator, "reader", 1),
        ];
        for one in &all {
            assert_eq!(keys().operator_key(&keys().operator(one)).as_ref(), Some(one));
            assert_eq!(Keys::new([8; 32]).operator_key(&keys().operator(one)), None);
        }
        assert_eq!(keys().operator_key(&keys().operator(&all[2]).replace("anna.1", "anna.2")), None);
        assert_eq!(keys().operator_key(&link), None);
    }
}
