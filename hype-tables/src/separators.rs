//! The places of separators in a text.

/// Finds all delimiters and line feeds.
///
/// # Method
///
/// Eight bytes at a time are compared in one word: a byte of `word ^ pattern` is zero exactly where the top bit of
/// `((x & 0x7f…) + 0x7f…) | x` is clear (Warren, "Hacker's Delight", section 6-1). The top bits of eight words are gathered
/// to one mask.
pub(crate) fn find_separators(bytes: &[u8], delimiter: u8, into: &mut Vec<u32>) {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const ONES: u64 = 0x0101_0101_0101_0101;
    const GATHER: u64 = 0x0002_0408_1020_4081;
    let (delimiters, feeds) = (ONES * u64::from(delimiter), ONES * u64::from(b'\n'));
    let is_other = |word: u64, pattern: u64| {
        let apart = word ^ pattern;
        ((apart & LOW) + LOW) | apart
    };
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut start = 0;
    for block in blocks {
        let mut mask = 0;
        for (place, word) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let found = !((is_other(word, delimiters) & is_other(word, feeds)) | LOW);
            mask |= (((found >> 7).wrapping_mul(GATHER) >> 49) & 0xff) << (8 * place);
        }
        while mask != 0 {
            into.push(start + mask.trailing_zeros());
            mask &= mask - 1;
        }
        start += 64;
    }
    let found = |(place, &byte): (u32, &u8)| (byte == delimiter || byte == b'\n').then_some(place);
    into.extend((start..).zip(rest).filter_map(found));
}
