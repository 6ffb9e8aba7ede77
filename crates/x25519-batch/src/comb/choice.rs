//! The selection of a digit's multiple, with a different digit in each lane.

use super::{
    digits::Digit,
    point::Affine,
    table::{LANES, MULTIPLES, Row},
};
use crate::{
    field::{LIMBS, Limbs, Radix, Table, kernels::Kernels, load, select, store},
    lanes::Lanes,
};

/// The operations of [`super::x25519`] in addition to field arithmetic.
pub(crate) trait Choice<const N: usize>: Kernels<N> {
    /// Sets `out` to the digit's multiple of one position, which is this lane of the row.
    fn choose(out: &mut Affine<N>, row: &Row, position: usize, digit: &Digit<N>);
}

/// The operations of [`super::one_scalar`].
pub(crate) trait RowChoice: Kernels<LANES> {
    /// Sets `out` to the digit's multiple of each position of the row.
    fn choose_row(out: &mut Affine<LANES>, row: &Row, digit: &Digit<LANES>);
}

/// Implements [`Choice::choose`] on lanes.
#[inline(always)]
pub(crate) fn choose<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Affine<N>,
    row: &Row,
    position: usize,
    digit: &Digit<N>,
) {
    let size = L::load(&digit.size);
    let words = OnePosition(position);
    choose_of::<R, L, N>(out, &OfRow { row, words, size }, L::load(&digit.minus));
}

/// Implements [`RowChoice::choose_row`] on lanes.
#[inline(always)]
pub(crate) fn choose_row<R: Radix<L, LANES>, L: Lanes<LANES>>(
    out: &mut Affine<LANES>,
    row: &Row,
    digit: &Digit<LANES>,
) {
    let size = L::load(&digit.size);
    let words = WholeRow;
    choose_of::<R, L, LANES>(out, &OfRow { row, words, size }, L::load(&digit.minus));
}

/// The multiples to choose from. Not closures: the compiler may compile these separately, without
/// the back end's instructions.
pub(crate) trait Multiples<L: Lanes<N>, const N: usize> {
    /// Returns y + x, y - x and 2 d x y of the multiple with this index, from 0 to 7.
    fn at(&self, place: usize) -> [Limbs<L>; 3];
    /// Returns all ones in the lanes whose digit has this size.
    fn is_size(&self, size: u64) -> L;
}

/// The multiples in a row of a table.
struct OfRow<'a, W, L> {
    row: &'a Row,
    words: W,
    size: L,
}

/// The assignment of a row's words to lanes.
trait Words<L: Lanes<N>, const N: usize> {
    fn load(&self, words: &[u64; LANES]) -> L;
}

/// The words of one position, in all lanes.
struct OnePosition(usize);

impl<L: Lanes<N>, const N: usize> Words<L, N> for OnePosition {
    #[inline(always)]
    fn load(&self, words: &[u64; LANES]) -> L {
        L::splat(words[self.0])
    }
}

/// The words of each position, in its own lane.
struct WholeRow;

impl<L: Lanes<LANES>> Words<L, LANES> for WholeRow {
    #[inline(always)]
    fn load(&self, words: &[u64; LANES]) -> L {
        L::load(words)
    }
}

impl<W: Words<L, N>, L: Lanes<N>, const N: usize> Multiples<L, N> for OfRow<'_, W, L> {
    #[inline(always)]
    fn at(&self, place: usize) -> [Limbs<L>; 3] {
        let mut multiple = [[L::splat(0); LIMBS]; 3];
        for (limbs, element) in multiple.iter_mut().zip(&self.row[place]) {
            for (limb, words) in limbs.iter_mut().zip(element) {
                *limb = self.words.load(words);
            }
        }
        multiple
    }
    #[inline(always)]
    fn is_size(&self, size: u64) -> L {
        equal(self.size, size)
    }
}

/// Chooses a multiple. All multiples are read, whatever the digit. For the digit 0 the point is (0,
/// 1).
#[inline(always)]
pub(crate) fn choose_of<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Affine<N>,
    multiples: &impl Multiples<L, N>,
    is_negative: L,
) {
    let (zero, one) = ([L::splat(0); LIMBS], load(&Table::small(R::ONE)));
    let mut chosen = [one, one, zero];
    for (place, size) in (0..MULTIPLES).zip(1..) {
        let mask = multiples.is_size(size);
        for (chosen, element) in chosen.iter_mut().zip(multiples.at(place)) {
            *chosen = select(mask, element, *chosen);
        }
    }
    // -(x, y) is (-x, y).
    let [plus, minus, product] = chosen;
    let opposite = R::difference(zero, product);
    store(&mut out.plus, select(is_negative, minus, plus));
    store(&mut out.minus, select(is_negative, plus, minus));
    store(&mut out.product, select(is_negative, opposite, product));
}

/// Returns all ones where a number from 0 to 15 equals `other`, otherwise zero.
#[inline(always)]
pub(crate) fn equal<L: Lanes<N>, const N: usize>(number: L, other: u64) -> L {
    let difference = number.sub(L::splat(other)).and(L::splat(15));
    let is_zero = difference.sub(L::splat(1)).shift_right::<63>();
    L::splat(0).sub(is_zero)
}
