//! The field arithmetic as a back end compiles it: each operation one function, on elements in
//! memory.

use core::{hint::black_box, mem::MaybeUninit};

use super::{Radix, Table, load, store};
use crate::lanes::Lanes;

/// What divisions and results take.
pub(crate) trait Kernels<const N: usize> {
    /// The number one.
    const ONE: Table<N>;
    /// `out = f`, of integers with no more than their bits.
    fn from_integers(out: &mut Table<N>, f: &Table<N>);
    /// `out = f`, as integers below 2^52.
    fn to_integers(out: &mut Table<N>, f: &Table<N>);
    /// `out = f g`.
    fn mul(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// `out = f^2`.
    fn square(out: &mut Table<N>, f: &Table<N>);
    /// `(plus, minus) = (f + g, f - g)`.
    fn sum_and_difference(plus: &mut Table<N>, minus: &mut Table<N>, f: &Table<N>, g: &Table<N>);
}

/// Gives a macro of the back ends the list of [`Kernels`], after what else it takes. `N` is a
/// constant where it is used.
macro_rules! each_kernel {
    ($implement:ident $($with:tt)*) => {
        $implement! {
            $($with)*
            from_integers(out: &mut Table<N>, f: &Table<N>);
            to_integers(out: &mut Table<N>, f: &Table<N>);
            mul(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
            square(out: &mut Table<N>, f: &Table<N>);
            sum_and_difference(plus: &mut Table<N>, minus: &mut Table<N>, f: &Table<N>, g: &Table<N>);
        }
    };
}
pub(crate) use each_kernel;

/// Makes the compiler align the stack frame of the function that this is inlined into, and with it
/// the registers that it saves there.
///
/// Without an aligned variable in the function it does not, and such a vector may straddle two
/// pages, which takes twenty cycles more for each store and load: whether one does depends on the
/// address of the stack, that is, on the callers and on the size of the environment
/// (`benches/stack.rs`).
#[inline(always)]
pub(crate) fn align_frame() {
    black_box(MaybeUninit::<Table<1>>::uninit().as_ptr());
}

/// `out = f g`.
#[inline(always)]
pub(crate) fn mul<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    store(out, R::product(f, load(g)));
}

/// `out = f^2`.
#[inline(always)]
pub(crate) fn square<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::squared(load(f)));
}

/// `(plus, minus) = (f + g, f - g)`.
#[inline(always)]
pub(crate) fn sum_and_difference<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    plus: &mut Table<N>,
    minus: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    let (f, g) = (load(f), load(g));
    store(plus, R::sum(f, g));
    store(minus, R::difference(f, g));
}

/// `out = f`, of integers with no more than their bits.
#[inline(always)]
pub(crate) fn from_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::from_integers(load(f)));
}

/// `out = f`, as integers below 2^52.
#[inline(always)]
pub(crate) fn to_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::to_integers(load(f)));
}
