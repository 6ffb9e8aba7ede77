//! The state of a ladder between steps.

use zeroize::Zeroize;

use crate::field::Table;

/// A group of points, one per lane, with the names of RFC 7748, section 5. All except x3 are
/// carried.
pub(crate) struct Group<const N: usize> {
    pub(crate) x1: Table<N>,
    pub(crate) a: Table<N>,
    pub(crate) b: Table<N>,
    pub(crate) c: Table<N>,
    pub(crate) d: Table<N>,
    pub(super) aa: Table<N>,
    pub(super) bb: Table<N>,
    pub(super) e: Table<N>,
    /// The sum `aa + a24 e`, not carried: the other factor is `e`.
    pub(super) aa_e: Table<N>,
    /// The sum `da + cb`, then the columns of its square, which is x3.
    pub(super) plus: Table<N>,
    /// The difference `da - cb`, then its square.
    pub(super) minus: Table<N>,
}

impl<const N: usize> Group<N> {
    pub(crate) const ZERO: Self = Self {
        x1: Table::ZERO,
        a: Table::ZERO,
        b: Table::ZERO,
        c: Table::ZERO,
        d: Table::ZERO,
        aa: Table::ZERO,
        bb: Table::ZERO,
        e: Table::ZERO,
        aa_e: Table::ZERO,
        plus: Table::ZERO,
        minus: Table::ZERO,
    };
}

impl<const N: usize> Drop for Group<N> {
    fn drop(&mut self) {
        let Self {
            x1,
            a,
            b,
            c,
            d,
            aa,
            bb,
            e,
            aa_e,
            plus,
            minus,
        } = self;
        for element in [x1, a, b, c, d, aa, bb, e, aa_e, plus, minus] {
            element.zeroize();
        }
    }
}
