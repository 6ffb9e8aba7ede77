//! The ladder of a batch in integers, compiled as one function.
//!
//! A step has five products and four squares, of which sums and differences are taken before they
//! are carried: eleven times.

use zeroize::Zeroize;

use super::swap;
use crate::{
    division::Fraction,
    field::{
        A24, Integers51, Limbs, Radix, Table,
        integers::{
            ABOVE_COLUMNS, carried,
            columns::{product_of_many as product, square_of_many as square},
            difference, plus_multiple, sum,
        },
        load, select, store,
    },
    lanes::MulAdd52,
};

/// [`Ladder::ladder`](super::Ladder::ladder) on lanes.
#[inline(always)]
pub(crate) fn ladder<L: MulAdd52<N>, const N: usize, const GROUPS: usize>(
    scalar: &[u8; 32],
    x1: &[Table<N>; GROUPS],
    fractions: &mut [Fraction<N>; GROUPS],
) {
    let mut groups = [const { Group::ZERO }; GROUPS];
    for (group, x1) in groups.iter_mut().zip(x1) {
        group.start::<L>(x1);
    }
    for position in (0..255).rev() {
        step::<L, N>(&mut groups, swap(scalar, position));
    }
    for (group, fraction) in groups.iter().zip(fractions) {
        let (a, b) = (load::<L, N>(&group.a), load(&group.b));
        store(&mut fraction.x, <Integers51 as Radix<L, N>>::sum(a, b));
        store(
            &mut fraction.z,
            <Integers51 as Radix<L, N>>::difference(a, b),
        );
    }
}

/// A group of points on its way, with the names of RFC 7748, section 5. All are carried but x3.
pub(crate) struct Group<const N: usize> {
    pub(crate) x1: Table<N>,
    pub(crate) a: Table<N>,
    pub(crate) b: Table<N>,
    pub(crate) c: Table<N>,
    pub(crate) d: Table<N>,
    aa: Table<N>,
    bb: Table<N>,
    e: Table<N>,
    /// `aa + a24 e`.
    aa_e: Table<N>,
    /// `da + cb`, then its square, which is x3.
    plus: Table<N>,
    /// `da - cb`, then its square.
    minus: Table<N>,
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

    /// x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
    #[inline(always)]
    pub(crate) fn start<L: MulAdd52<N>>(&mut self, x1: &Table<N>) {
        let (x1, one) = (load::<L, N>(x1), load(&Table::small(1)));
        store(&mut self.x1, x1);
        store(&mut self.a, one);
        store(&mut self.b, one);
        store(&mut self.c, <Integers51 as Radix<L, N>>::sum(x1, one));
        store(
            &mut self.d,
            <Integers51 as Radix<L, N>>::difference(x1, one),
        );
    }
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

/// One bit. C and D are of the point that is doubled if `swap` has all ones, A and B if it is zero.
/// Groups take turns: one's products run while another's carries wait.
#[inline(always)]
pub(crate) fn step<L: MulAdd52<N>, const N: usize>(groups: &mut [Group<N>], swap: u64) {
    let swap = L::splat(swap);
    for group in &mut *groups {
        first_products(group, swap);
    }
    for group in &mut *groups {
        let plus = square(load::<L, N>(&group.plus));
        let minus = square(load::<L, N>(&group.minus));
        store(&mut group.plus, plus);
        store(&mut group.minus, carried(minus));
    }
    for group in &mut *groups {
        last_products::<L, N>(group);
    }
}

#[inline(always)]
fn first_products<L: MulAdd52<N>, const N: usize>(group: &mut Group<N>, swap: L) {
    let (a, b) = (load::<L, N>(&group.a), load::<L, N>(&group.b));
    let (c, d) = (load::<L, N>(&group.c), load::<L, N>(&group.d));
    let (da, cb) = (product(d, a), product(c, b));
    let aa = square(select(swap, c, a));
    store(&mut group.minus, carried(between_columns(da, cb)));
    store(&mut group.plus, carried(sum(da, cb)));
    let bb = square(select(swap, d, b));
    let e = carried(between_columns(aa, bb));
    store(&mut group.e, e);
    store(&mut group.aa, carried(aa));
    store(&mut group.bb, carried(bb));
    store(&mut group.aa_e, carried(plus_multiple(aa, e, A24)));
}

#[inline(always)]
fn last_products<L: MulAdd52<N>, const N: usize>(group: &mut Group<N>) {
    let x3 = load::<L, N>(&group.plus);
    let z3 = product(load(&group.minus), load(&group.x1));
    let x2 = product(load::<L, N>(&group.aa), load(&group.bb));
    store(&mut group.c, carried(sum(x3, z3)));
    store(&mut group.d, carried(between_columns(x3, z3)));
    let z2 = product(load::<L, N>(&group.aa_e), load(&group.e));
    store(&mut group.a, carried(sum(x2, z2)));
    store(&mut group.b, carried(between_columns(x2, z2)));
}

#[inline(always)]
fn between_columns<L: MulAdd52<N>, const N: usize>(f: Limbs<L>, g: Limbs<L>) -> Limbs<L> {
    difference::<ABOVE_COLUMNS, L, N>(f, g)
}
