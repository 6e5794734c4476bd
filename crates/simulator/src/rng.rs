//! Chance that is the same on every machine, in every version and for every policy.

/// A permuted congruential generator (PCG-XSH-RR 64/32). Each thing that chance decides has a stream of its own, so that two
/// policies see the same load, the same boot times and the same interruptions.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: u64,
    stream: u64,
}

impl Rng {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    /// One of many independent generators of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut rng = Self { state: 0, stream: (stream << 1) | 1 };
        rng.next_u32();
        rng.state = rng.state.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        rng.next_u32();
        rng
    }

    fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(Self::MULTIPLIER).wrapping_add(self.stream);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// A number from 0 to `bound - 1`; 0 when `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        ((u64::from(self.next_u32()) * u64::from(bound)) >> 32) as usize
    }

    /// From 0 to 1, neither included.
    pub(crate) fn unit(&mut self) -> f64 {
        (f64::from(self.next_u32()) + 0.5) / 4_294_967_296.0
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }

    /// How long until something happens that happens so often on average.
    pub(crate) fn waiting(&mut self, mean: f64) -> f64 {
        -mean * self.unit().ln()
    }

    /// A number that is normally distributed around 0.
    pub(crate) fn normal(&mut self) -> f64 {
        // The sum of twelve is near enough, and uses no function whose last digit differs between machines.
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
