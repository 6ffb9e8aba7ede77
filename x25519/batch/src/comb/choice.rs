//! The multiple that a digit names, in each lane another.

use super::{
    digits::Digit,
    point::Affine,
    table::{Entry, MULTIPLES},
};
use crate::{
    field::{LIMBS, Radix, Table, kernels::Kernels, load, select, store},
    lanes::Lanes,
};

/// What [`super::x25519`] takes beside the field arithmetic.
pub(crate) trait Choice<const N: usize>: Kernels<N> {
    /// `out` is the digit's multiple, of these multiples 1 to 8.
    fn choose(out: &mut Affine<N>, multiples: &[Entry; MULTIPLES], digit: &Digit<N>);
}

/// [`Choice::choose`] on lanes.
#[inline(always)]
pub(crate) fn choose<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Affine<N>,
    multiples: &[Entry; MULTIPLES],
    digit: &Digit<N>,
) {
    let size = L::load(&digit.size);
    let is_multiple = |multiple| equal(size, multiple);
    choose_by::<R, L, N>(out, multiples, is_multiple, L::load(&digit.minus));
}

/// By a mask for each multiple, and one for a negative digit. All multiples are read, whatever the
/// digit. For the digit 0 the point is (0, 1).
#[inline(always)]
pub(crate) fn choose_by<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Affine<N>,
    multiples: &[Entry; MULTIPLES],
    is_multiple: impl Fn(u64) -> L,
    is_negative: L,
) {
    let (zero, one) = ([L::splat(0); LIMBS], load(&Table::small(R::ONE)));
    let mut chosen = [one, one, zero];
    for (entry, multiple) in multiples.iter().zip(1..) {
        let mask = is_multiple(multiple);
        for (chosen, element) in chosen.iter_mut().zip(entry) {
            *chosen = select(mask, element.map(L::splat), *chosen);
        }
    }
    // -(x, y) is (-x, y).
    let [plus, minus, product] = chosen;
    let opposite = R::difference(zero, product);
    store(&mut out.plus, select(is_negative, minus, plus));
    store(&mut out.minus, select(is_negative, plus, minus));
    store(&mut out.product, select(is_negative, opposite, product));
}

/// All ones where a number from 0 to 15 is this one, else zero.
#[inline(always)]
pub(crate) fn equal<L: Lanes<N>, const N: usize>(number: L, other: u64) -> L {
    let difference = number.sub(L::splat(other)).and(L::splat(15));
    let is_zero = difference.sub(L::splat(1)).shift_right::<63>();
    L::splat(0).sub(is_zero)
}
