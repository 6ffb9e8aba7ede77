//! Intervals.

use crate::dyadic::Dyadic;

/// An interval from the least to the most, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) least: Dyadic,
    pub(crate) most: Dyadic,
}

impl Range {
    pub(crate) fn new(least: Dyadic, most: Dyadic) -> Self {
        assert!(least <= most, "no number is in {least:?}..{most:?}");
        Self { least, most }
    }

    pub(crate) fn only(number: Dyadic) -> Self {
        Self::new(number, number)
    }

    pub(crate) fn around_zero(most: Dyadic) -> Self {
        Self::new(-most, most)
    }

    /// Returns the interval from 0 to 2^bits - 1.
    pub(crate) fn of_bits(bits: i32) -> Self {
        Self::new(Dyadic::ZERO, Dyadic::power_of_2(bits) - Dyadic::ONE)
    }

    /// Adds intervals. Bounds far below 1 would need too many bits, so both are widened to
    /// multiples of this power of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        const FINEST: i32 = -20;
        let [a, b] = [self, other].map(|range| range.outwards(FINEST));
        Self::new(a.least + b.least, a.most + b.most)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let ends = [
            self.least * other.least,
            self.least * other.most,
            self.most * other.least,
            self.most * other.most,
        ];
        Self::new(*ends.iter().min().unwrap(), *ends.iter().max().unwrap())
    }

    /// Returns the interval times 2^bits.
    pub(crate) fn scaled(self, bits: i32) -> Self {
        Self::new(self.least.scaled(bits), self.most.scaled(bits))
    }

    /// Returns the interval with `number` added.
    pub(crate) fn moved(self, number: Dyadic) -> Self {
        Self::new(self.least + number, self.most + number)
    }

    /// Returns the interval of `floor(x / 2^bits)`.
    pub(crate) fn shifted_right(self, bits: i32) -> Self {
        Self::new(self.least.floor(bits), self.most.floor(bits)).scaled(-bits)
    }

    /// Rounds the bounds outwards to multiples of 2^e.
    pub(crate) fn outwards(self, e: i32) -> Self {
        Self::new(self.least.floor(e), self.most.ceil(e))
    }

    /// Rounds the bounds inwards to multiples of 2^e.
    pub(crate) fn inwards(self, e: i32) -> Self {
        Self::new(self.least.ceil(e), self.most.floor(e))
    }

    /// Returns the intersection.
    pub(crate) fn and(self, other: Self) -> Self {
        Self::new(self.least.max(other.least), self.most.min(other.most))
    }

    pub(crate) fn contains(self, number: Dyadic) -> bool {
        self.least <= number && number <= self.most
    }

    pub(crate) fn is_within(self, least: Dyadic, most: Dyadic) -> bool {
        least <= self.least && self.most <= most
    }

    /// Returns the largest size of a number within.
    pub(crate) fn farthest(self) -> Dyadic {
        self.least.abs().max(self.most.abs())
    }
}
