//! A search for words and digests in every byte of a response, compressed texts included.

use std::collections::{BTreeSet, HashMap};
use std::io::Cursor;

use crate::connection::Reply;

/// The length of the prefix by which secrets are looked up. No secret is shorter.
const BEGINNING: usize = 8;

/// The secrets, by their prefixes.
pub(crate) struct Secrets(HashMap<[u8; BEGINNING], Vec<Vec<u8>>>);

impl Secrets {
    /// Texts in lower case, and bytes.
    pub(crate) fn new(all: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let mut secrets: HashMap<_, Vec<Vec<u8>>> = HashMap::new();
        for secret in all {
            let beginning = *secret.first_chunk().expect("a secret has eight bytes or more");
            secrets.entry(beginning).or_default().push(secret);
        }
        Self(secrets)
    }

    /// The secrets found in a response: in its bytes as sent, in lower case, in its pixels, and in compressed texts
    /// of a PNG.
    pub(crate) fn found_in(&self, reply: &Reply) -> BTreeSet<String> {
        let mut sent = reply.head.clone().into_bytes();
        sent.extend(&reply.body);
        let mut found = self.found(&sent);
        found.extend(self.found(&sent.to_ascii_lowercase()));
        if reply.body.starts_with(b"\x89PNG") {
            let mut reader = png::Decoder::new(Cursor::new(&reply.body)).read_info().unwrap();
            for text in &reader.info().compressed_latin1_text {
                found.extend(self.found(text.get_text().unwrap().to_lowercase().as_bytes()));
            }
            for text in &reader.info().utf8_text {
                found.extend(self.found(text.get_text().unwrap().to_lowercase().as_bytes()));
            }
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            found.extend(self.found(&pixels));
        }
        found
    }

    fn found(&self, bytes: &[u8]) -> BTreeSet<String> {
        let beginnings = bytes.windows(BEGINNING).enumerate();
        let begun = beginnings.filter_map(|(at, window)| Some((at, self.0.get(window)?)));
        begun
            .flat_map(|(at, secrets)| secrets.iter().filter(move |secret| bytes[at..].starts_with(secret)))
            .map(|secret| String::from_utf8_lossy(secret).into_owned())
            .collect()
    }
}
