//! Random numbers that are the same on every machine and in every version.

/// A permuted congruential generator (PCG-XSH-RR 64/32): small, fast, and ours, so that a seed written in a
/// test or a bug report gives the same cluster for ever.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    stream: u64,
}

impl Rng {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::with_stream(seed, 0x5eed)
    }

    /// One of many independent generators of a seed.
    pub fn with_stream(seed: u64, stream: u64) -> Self {
        let mut rng = Self { state: 0, stream: (stream << 1) | 1 };
        rng.next_u32();
        rng.state = rng.state.wrapping_add(seed);
        rng.next_u32();
        rng
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(Self::MULTIPLIER).wrapping_add(self.stream);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        (u64::from(self.next_u32()) << 32) | u64::from(self.next_u32())
    }

    /// A number from 0 to `bound - 1`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in that many of a thousand cases.
    pub fn permille(&mut self, permille: u32) -> bool {
        self.below(1000) < permille
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// An index, drawn with these weights.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        weights.len().saturating_sub(1)
    }
}

/// A number that belongs to (`seed`, `what`, `index`): attributes of an object without a generator to carry.
pub(crate) fn mix(seed: u64, what: u64, index: u64) -> u64 {
    let mut x = seed
        ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ index.wrapping_add(1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut rng = Rng::new(1);
        let first: Vec<u32> = (0..3).map(|_| rng.next_u32()).collect();
        let mut again = Rng::new(1);
        assert_eq!(first, [again.next_u32(), again.next_u32(), again.next_u32()]);
        assert_ne!(Rng::new(2).next_u32(), first[0]);
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut rng = Rng::new(7);
        for _ in 0..1000 {
            assert!(rng.below(3) < 3);
            assert!((5..=9).contains(&rng.between(5, 9)));
            assert!([1, 2].contains(&rng.weighted(&[0, 1, 1])));
        }
        assert_eq!(rng.below(0), 0);
    }
}
