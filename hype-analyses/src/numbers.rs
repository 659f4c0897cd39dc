//! A set of small whole numbers, such as those of names.

/// One bit for each number up to the greatest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    words: Vec<u64>,
}

impl Numbers {
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
