//! The Montgomery ladder (RFC 7748, section 5) on all lanes, one point per lane.

pub(crate) mod group;
pub(crate) mod parts;

use zeroize::Zeroizing;

use self::{group::Group, parts::Parts};
use crate::{
    division::Fraction,
    field::{Table, kernels::Kernels},
};

/// A back end's ladder.
pub(crate) trait Ladder<const N: usize>: Kernels<N> {
    /// Computes x2 and z2 of this number of groups after all bits of a clamped scalar, with `x1` as
    /// their points, in lockstep: the arithmetic of one group runs while another waits for its
    /// carries.
    fn ladder<const GROUPS: usize>(
        scalar: &[u8; 32],
        x1: &[Table<N>; GROUPS],
        fractions: &mut [Fraction<N>; GROUPS],
    );
}

/// Implements [`Ladder::ladder`] with these parts.
#[inline(always)]
pub(crate) fn ladder<P: Parts<N>, const N: usize, const GROUPS: usize>(
    scalar: &[u8; 32],
    x1: &[Table<N>; GROUPS],
    fractions: &mut [Fraction<N>; GROUPS],
) {
    let mut groups = [const { Group::ZERO }; GROUPS];
    for (group, x1) in groups.iter_mut().zip(x1) {
        P::start(group, x1);
    }
    for position in (0..255).rev() {
        step::<P, N>(&mut groups, swap(scalar, position));
    }
    for (group, fraction) in groups.iter().zip(fractions) {
        P::end(group, fraction);
    }
}

/// Processes one bit. C and D belong to the point that is doubled if `swap` is all ones, A and B if
/// it is zero. The groups alternate: one's products run while another's carries are pending.
#[inline(always)]
pub(crate) fn step<P: Parts<N>, const N: usize>(groups: &mut [Group<N>], swap: u64) {
    for group in &mut *groups {
        P::cross(group);
        P::squares_of_one(group, swap);
    }
    for group in &mut *groups {
        P::squares_of_cross(group);
    }
    for group in &mut *groups {
        P::sum(group);
        P::twice(group);
    }
}

/// Clamps a scalar (RFC 7748, section 5): to a multiple of 8 whose highest bit is bit 254.
pub(crate) fn clamped(scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut scalar = Zeroizing::new(*scalar);
    scalar[0] &= 248;
    scalar[31] = scalar[31] & 127 | 64;
    scalar
}

/// Returns all ones if this bit of a clamped scalar differs from the one above, otherwise zero:
/// whether the two points change places. The lowest three bits are zero, so the points end in their
/// original order.
///
/// Swapping the two points does not change their sum, since it only changes the sign of `da - cb`.
/// So no ladder swaps: it chooses which of the two is doubled.
#[inline(always)]
pub(crate) fn swap(scalar: &[u8; 32], position: usize) -> u64 {
    let bit = |position: usize| u64::from(scalar[position / 8] >> (position % 8) & 1);
    (bit(position) ^ bit(position + 1)).wrapping_neg()
}
