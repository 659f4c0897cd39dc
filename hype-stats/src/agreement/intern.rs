//! Dense numbers for arbitrary keys.

use crate::StatError;

/// Marks a slot without a key.
const EMPTY: u32 = u32::MAX;

/// Numbers keys from 0 in the order of their first appearance.
///
/// Open addressing with at most half of the slots in use: at most 16 bytes for each key, and a few
/// instructions for a known key.
#[derive(Debug, Clone)]
pub(super) struct Interner {
    keys: Vec<u64>,
    slots: Vec<u32>,
    shift: u32,
}

impl Default for Interner {
    fn default() -> Self {
        Self { keys: Vec::new(), slots: vec![EMPTY; 16], shift: 60 }
    }
}

impl Interner {
    pub(super) const fn len(&self) -> usize {
        self.keys.len()
    }

    /// The keys by their numbers.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of a known key.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let mut slot = self.home(key);
        loop {
            let number = self.slots[slot];
            if number == EMPTY {
                return None;
            }
            if self.keys[number as usize] == key {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of a key; a new key gets the next number.
    #[inline]
    pub(super) fn intern(&mut self, key: u64) -> Result<u32, StatError> {
        match self.find(key) {
            Some(number) => Ok(number),
            None => self.insert(key),
        }
    }

    #[cold]
    fn insert(&mut self, key: u64) -> Result<u32, StatError> {
        let number = u32::try_from(self.keys.len()).ok().filter(|&number| number < EMPTY).ok_or(
            StatError::Parameter {
                parameter: "number of different ratings",
                expected: "below 2^32 - 1",
                got: self.keys.len() as f64,
            },
        )?;
        self.keys.push(key);
        if 2 * self.keys.len() > self.slots.len() {
            self.slots = vec![EMPTY; 2 * self.slots.len()];
            self.shift -= 1;
            for known in 0..=number {
                self.place(known);
            }
        } else {
            self.place(number);
        }
        Ok(number)
    }

    fn place(&mut self, number: u32) {
        let mut slot = self.home(self.keys[number as usize]);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = number;
    }

    /// The slot where the search for a key begins: the top bits of a product folded onto itself.
    #[inline]
    fn home(&self, key: u64) -> usize {
        let wide = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        ((wide as u64 ^ (wide >> 64) as u64) >> self.shift) as usize
    }
}

/// Numbers finite values from 0 in the order of their first appearance.
#[derive(Debug, Clone)]
pub(super) struct Values {
    /// The numbers of 0, 1, …, 255, the values of most scales.
    small: Box<[u32; 256]>,
    all: Interner,
}

impl Default for Values {
    fn default() -> Self {
        Self { small: Box::new([EMPTY; 256]), all: Interner::default() }
    }
}

impl Values {
    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// The value with this number.
    pub(super) fn value(&self, number: u32) -> f64 {
        f64::from_bits(self.all.keys[number as usize])
    }

    /// The values by their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = f64> {
        self.all.keys.iter().map(|&key| f64::from_bits(key))
    }

    /// The number of a known value.
    #[inline]
    pub(super) fn find(&self, value: f64) -> Option<u32> {
        match small_whole(value).map(|small| self.small[usize::from(small)]) {
            Some(number) => (number != EMPTY).then_some(number),
            None => self.all.find(value_key(value)),
        }
    }

    /// The number of a finite value; a new value gets the next number.
    pub(super) fn intern(&mut self, value: f64) -> Result<u32, StatError> {
        let number = self.all.intern(value_key(value))?;
        if let Some(small) = small_whole(value + 0.0) {
            self.small[usize::from(small)] = number;
        }
        Ok(number)
    }

    /// The numbers in ascending order of their values.
    pub(super) fn ascending(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&left, &right| self.value(left).total_cmp(&self.value(right)));
        order
    }

    /// The position of each number in that order.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, number) in (0..).zip(self.ascending()) {
            places[number as usize] = place;
        }
        places
    }

    /// The values in ascending order.
    pub(super) fn sorted(&self) -> Vec<f64> {
        self.ascending().into_iter().map(|number| self.value(number)).collect()
    }
}

/// The value as a number 0, 1, …, 255; -0 is left to the caller.
///
/// After adding 2^52 a float has no fractional digits, and its last byte is that of the integer.
/// This takes half the instructions of a saturating conversion.
#[inline]
fn small_whole(value: f64) -> Option<u8> {
    const BESIDE: f64 = 4_503_599_627_370_496.0;
    let shifted = value + BESIDE;
    let whole = shifted.to_bits().wrapping_sub(BESIDE.to_bits());
    (whole < 256 && (shifted - BESIDE).to_bits() == value.to_bits()).then_some(whole as u8)
}

/// The key of a finite value; both zeros have the same.
#[inline]
fn value_key(value: f64) -> u64 {
    (value + 0.0).to_bits()
}
