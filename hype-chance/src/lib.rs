//! Portable seeded randomness: the same seed gives the same numbers on every platform and in every
//! version.
//!
//! Every purpose draws from its own stream, so an additional draw in one place does not shift any other. The generator
//! is ChaCha8; the routines for bounded integers, shuffles and unit floats are written here and fixed by golden
//! vectors, because those of general-purpose crates change between versions.
//!
//! This is a separate crate because drawing is compiled for speed, and sessions, specs and plugins for size.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests may panic and compare exactly")
)]

use std::convert::Infallible;

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng, TryRng};
use sha2::{Digest, Sha256};

/// The name of the generator, as sessions record it.
pub const GENERATOR: &str = "chacha8/sha256-key/1";

/// A tree of named streams that grows from one seed.
///
/// # Examples
/// ```
/// use hype_chance::Streams;
/// let study = Streams::new(7);
/// let session = study.child("session", 3);
/// let mut draw = session.stream("images");
/// assert!(draw.below(10) < 10);
/// assert_eq!(session.stream("images").next_u64(), session.stream("images").next_u64());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams {
    key: [u8; 32],
}

impl Streams {
    /// The root of a study's streams.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"hype");
        hash.update(seed.to_le_bytes());
        Self { key: hash.finalize().into() }
    }

    /// The streams of one branch, such as `("session", 3)`.
    #[must_use]
    pub fn child(&self, name: &str, index: u64) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.key);
        hash.update(index.to_le_bytes());
        hash.update(name.as_bytes());
        Self { key: hash.finalize().into() }
    }

    /// The stream for one purpose, from its start.
    #[must_use]
    pub fn stream(&self, purpose: &str) -> Stream {
        let mut generator = ChaCha8Rng::from_seed(self.key);
        generator.set_stream(stream_number(purpose));
        Stream { generator }
    }

    /// A 64-bit seed for a generator outside this tree, such as that of a bootstrap.
    #[must_use]
    pub fn seed(&self, purpose: &str) -> u64 {
        self.stream(purpose).next_u64()
    }
}

/// FNV-1a: stable, and spreads short names over the stream numbers.
fn stream_number(purpose: &str) -> u64 {
    purpose.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Words reserved for each step of a stream that is addressed by step.
const WORDS_A_STEP: u128 = 256;

/// One random stream.
///
/// It also implements the generator traits of the crate `rand`, for raters and analyses that need its distributions.
/// Code that decides the next trial uses only the methods below, because those of `rand` change
/// between versions.
///
/// # Examples
/// ```
/// use hype_chance::Streams;
/// use rand::seq::IndexedRandom as _;
/// let mut stream = Streams::new(7).stream("answers");
/// assert!(["real", "fake"].choose(&mut stream).is_some());
/// ```
#[derive(Debug)]
pub struct Stream {
    generator: ChaCha8Rng,
}

/// A clone continues where the original stands.
impl Clone for Stream {
    fn clone(&self) -> Self {
        Self { generator: ChaCha8Rng::deserialize_state(&self.generator.serialize_state()) }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.generator.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.generator.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.generator.fill_bytes(bytes);
        Ok(())
    }
}

impl Stream {
    /// Moves to the numbers reserved for one step, regardless of what was drawn before, so the draws of a step do not
    /// depend on how many numbers earlier steps used.
    pub fn seek(&mut self, step: u64) {
        self.generator.set_word_pos(u128::from(step) * WORDS_A_STEP);
    }

    /// The next 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        self.generator.next_u32()
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A uniform integer below `bound`; 0 if `bound` is 0.
    ///
    /// # Method
    /// Lemire 2019, "Fast random integer generation in an interval", with rejection, on 32 bits.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        loop {
            let product = u64::from(self.next_u32()) * u64::from(bound);
            // The threshold is below the bound, so hardly any draw needs the division.
            if product as u32 >= bound || product as u32 >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// A float in [0, 1) with 53 random bits.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// True with the given probability, to 53 bits.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit_f64() < probability
    }

    /// Puts the items in random order, every order equally likely (Fisher-Yates, from the back).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
            items.swap(last, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from an independent implementation of ChaCha8, SHA-256 and FNV-1a in Python.
    #[test]
    fn golden_vectors_fix_every_routine() {
        let streams = Streams::new(20_190_401).child("session", 5);
        let mut stream = streams.stream("images");
        let words: Vec<u32> = (0..4).map(|_| stream.next_u32()).collect();
        let bounded: Vec<u32> = (0..8).map(|_| stream.below(10)).collect();
        let unit = stream.unit_f64();
        let mut order: Vec<u32> = (0..8).collect();
        stream.shuffle(&mut order);
        stream.seek(3);
        let sought = stream.next_u32();
        assert_eq!(
            format!("{words:x?} {bounded:?} {unit} {order:?} {sought:x}"),
            "[6155556b, 229ad261, a828d804, 7fef998b] [5, 9, 6, 5, 0, 4, 3, 5] 0.5225349402193729 [4, 0, 3, 5, 7, 6, \
             1, 2] c976a416"
        );
    }

    #[test]
    fn a_clone_continues_where_the_original_stands() {
        for drawn in [0, 1, 15, 16, 17, 63, 64, 65, 200] {
            let mut stream = Streams::new(9).stream("clone");
            stream.seek(2);
            (0..drawn).for_each(|_| _ = stream.next_u32());
            let mut clone = stream.clone();
            let draw = |from: &mut Stream| (0..100).map(|_| from.next_u32()).collect::<Vec<_>>();
            assert_eq!(draw(&mut clone), draw(&mut stream), "after {drawn} words");
        }
    }

    #[test]
    fn purposes_and_children_do_not_share_numbers() {
        let root = Streams::new(1);
        let firsts = [
            root.stream("a").next_u64(),
            root.stream("b").next_u64(),
            root.child("a", 0).stream("a").next_u64(),
            root.child("a", 1).stream("a").next_u64(),
            Streams::new(2).stream("a").next_u64(),
        ];
        for (index, first) in firsts.iter().enumerate() {
            assert!(!firsts[index + 1..].contains(first));
        }
    }

    #[test]
    fn bounded_numbers_are_uniform() {
        let mut stream = Streams::new(3).stream("uniform");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        let deviates = counts.iter().map(|&n| (f64::from(n) - 10_000.0) / 100.0);
        let chi_squared: f64 = deviates.map(|deviate| deviate * deviate).sum();
        assert!(chi_squared < 20.5, "chi-squared {chi_squared} passes 20.5 once in a thousand times");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
    }
}
