//! Any bytes are decoded into a picture that survives encoding, or are refused, within the limits of memory and work.

use hype_images::{Decoding, Encoding, Filter, PADDING_BYTES, PixelDigest, Size, decode, encode, pad};

/// Small enough that a fuzzer reaches the limit often, and that memory above the limit shows.
const ALLOWED: Decoding =
    Decoding { background: [255, 128, 0], bytes: 1 << 20, pixels: 1 << 18, memory: 128 << 20, work: 1 << 22 };

/// Decodes the bytes as they are, and with corrected check sums.
///
/// # Panics
/// If the decoder, the encoder or the resampler is at fault.
pub fn run(bytes: &[u8]) {
    look(bytes);
    if let Some(mended) = mended(bytes).filter(|mended| mended != bytes) {
        look(&mended);
    }
}

fn look(bytes: &[u8]) {
    let decoded = match decode("input", bytes, &ALLOWED) {
        Ok(decoded) => decoded,
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("input"), "{message}");
            assert!(!message.contains("defeats the decoder"), "a decoder panics: {message}");
            return;
        }
    };
    let picture = decoded.picture;
    assert!(picture.size().pixels() as u64 <= ALLOWED.pixels);
    assert!((1..=8).contains(&decoded.orientation));
    let small = Size::new(7, 5).expect("a possible size");
    for filter in [Filter::Box, Filter::Bilinear, Filter::Bicubic, Filter::Lanczos] {
        assert_eq!(picture.resample(small, filter).size(), small);
    }
    for encoding in [Encoding::Png, Encoding::Webp] {
        let encoded = encode(&picture, encoding);
        let length = encoded.len() + PADDING_BYTES + 6;
        let padded = pad(encoded.clone(), length).expect("there is room");
        let again = decode("input", &padded, &Decoding::default());
        let again = again.expect("an encoded picture can be decoded").picture;
        assert_eq!(PixelDigest::of(&again), PixelDigest::of(&picture));
        assert_eq!(encode(&again, encoding), encoded);
    }
}

/// A PNG with corrected check sums, for decoders to read the contents of its chunks.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended = bytes.to_vec();
    let mut at = 8;
    if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return None;
    }
    while let Some(length) = bytes.get(at..at + 4).and_then(|length| length.first_chunk::<4>()) {
        let end = (at + 8).checked_add(u32::from_be_bytes(*length) as usize)?;
        let Some(content) = bytes.get(at + 4..end) else { break };
        let check = crc32fast::hash(content).to_be_bytes();
        let Some(place) = mended.get_mut(end..end + 4) else { break };
        place.copy_from_slice(&check);
        at = end + 4;
    }
    Some(mended)
}
