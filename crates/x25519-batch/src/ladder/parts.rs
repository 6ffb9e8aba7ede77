//! The parts of a ladder and their formulas, in every radix.
//!
//! A step has five products and four squares. Sums and differences are computed before carrying:
//! there are eleven carries.

use core::marker::PhantomData;

use super::group::Group;
use crate::{
    division::Fraction,
    field::{Columns, Table, load, select, store},
    lanes::Lanes,
};

/// The parts as a back end compiles them.
pub(crate) trait Parts<const N: usize> {
    /// Initializes x2 = 1, z2 = 0, x3 = x1 and z3 = 1.
    fn start(group: &mut Group<N>, x1: &Table<N>);
    /// Computes `da + cb` and `da - cb`.
    fn cross(group: &mut Group<N>);
    /// Computes `aa`, `bb`, `e` and `aa + a24 e` of one of the points: of C and D if `swap` is all
    /// ones, of A and B if it is zero.
    fn squares_of_one(group: &mut Group<N>, swap: u64);
    /// Computes the squares of `da + cb`, which remains in columns, and of `da - cb`.
    fn squares_of_cross(group: &mut Group<N>);
    /// Computes C and D from x3 and z3, the sum of the points.
    fn sum(group: &mut Group<N>);
    /// Computes A and B from x2 and z2, the doubled point.
    fn twice(group: &mut Group<N>);
    /// Computes x2 and z2, both twice.
    fn end(group: &Group<N>, fraction: &mut Fraction<N>);
}

/// Passes the list of [`Parts`] to a macro, after its other arguments. `N` is a constant where it
/// is used.
macro_rules! each_part {
    ($implement:ident $($with:tt)*) => {
        $implement! {
            $($with)*
            start(group: &mut Group<N>, x1: &Table<N>);
            cross(group: &mut Group<N>);
            squares_of_one(group: &mut Group<N>, swap: u64);
            squares_of_cross(group: &mut Group<N>);
            sum(group: &mut Group<N>);
            twice(group: &mut Group<N>);
            end(group: &Group<N>, fraction: &mut Fraction<N>);
        }
    };
}
pub(crate) use each_part;

/// The parts inlined into their caller, in this radix on these lanes.
pub(crate) struct Inlined<R, L>(PhantomData<(R, L)>);

macro_rules! inlined {
    ($($part:ident($($argument:ident: $type:ty),*);)*) => {
        impl<R: Columns<L, N>, L: Lanes<N>, const N: usize> Parts<N> for Inlined<R, L> {
            $(
                #[inline(always)]
                fn $part($($argument: $type),*) {
                    $part::<R, L, N>($($argument),*);
                }
            )*
        }
    };
}
each_part!(inlined);

#[inline(always)]
pub(crate) fn start<R: Columns<L, N>, L: Lanes<N>, const N: usize>(
    group: &mut Group<N>,
    x1: &Table<N>,
) {
    let (x1, one) = (load::<L, N>(x1), load(&Table::small(R::ONE)));
    store(&mut group.x1, x1);
    store(&mut group.a, one);
    store(&mut group.b, one);
    store(&mut group.c, R::sum(x1, one));
    store(&mut group.d, R::difference(x1, one));
}

#[inline(always)]
pub(crate) fn cross<R: Columns<L, N>, L: Lanes<N>, const N: usize>(group: &mut Group<N>) {
    let da = R::product_columns(&group.d, load(&group.a));
    let cb = R::product_columns(&group.c, load(&group.b));
    store(&mut group.minus, R::carried_difference(da, cb));
    store(&mut group.plus, R::carried_sum(da, cb));
}

#[inline(always)]
pub(crate) fn squares_of_one<R: Columns<L, N>, L: Lanes<N>, const N: usize>(
    group: &mut Group<N>,
    swap: u64,
) {
    let swap = L::splat(swap);
    let aa = R::square_columns(select(swap, load(&group.c), load(&group.a)));
    let bb = R::square_columns(select(swap, load(&group.d), load(&group.b)));
    let e = R::carried_difference(aa, bb);
    let aa = R::carried(aa);
    store(&mut group.e, e);
    store(&mut group.aa, aa);
    store(&mut group.bb, R::carried(bb));
    store(&mut group.aa_e, R::add_a24(aa, e));
}

#[inline(always)]
pub(crate) fn squares_of_cross<R: Columns<L, N>, L: Lanes<N>, const N: usize>(
    group: &mut Group<N>,
) {
    let plus = R::square_columns(load(&group.plus));
    let minus = R::square_columns(load(&group.minus));
    store(&mut group.plus, plus);
    store(&mut group.minus, R::carried(minus));
}

#[inline(always)]
pub(crate) fn sum<R: Columns<L, N>, L: Lanes<N>, const N: usize>(group: &mut Group<N>) {
    let x3 = load(&group.plus);
    let z3 = R::product_columns(&group.minus, load(&group.x1));
    store(&mut group.c, R::carried_sum(x3, z3));
    store(&mut group.d, R::carried_difference(x3, z3));
}

#[inline(always)]
pub(crate) fn twice<R: Columns<L, N>, L: Lanes<N>, const N: usize>(group: &mut Group<N>) {
    let x2 = R::product_columns(&group.aa, load(&group.bb));
    let z2 = R::product_columns(&group.aa_e, load(&group.e));
    store(&mut group.a, R::carried_sum(x2, z2));
    store(&mut group.b, R::carried_difference(x2, z2));
}

#[inline(always)]
pub(crate) fn end<R: Columns<L, N>, L: Lanes<N>, const N: usize>(
    group: &Group<N>,
    fraction: &mut Fraction<N>,
) {
    let (a, b) = (load::<L, N>(&group.a), load(&group.b));
    store(&mut fraction.x, R::sum(a, b));
    store(&mut fraction.z, R::difference(a, b));
}
