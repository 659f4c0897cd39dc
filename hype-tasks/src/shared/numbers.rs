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

    /// The numbers in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.words).flat_map(|(place, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * place + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_once_and_in_order() {
        let mut numbers = Numbers::default();
        for number in [200, 3, 63, 64, 3, 0, 200] {
            numbers.insert(number);
        }
        assert_eq!(numbers.iter().collect::<Vec<_>>(), [0, 3, 63, 64, 200]);
        assert_eq!(numbers.len(), 5);
    }
}
