//! The field arithmetic as a back end compiles it: each operation is one function, on elements in
//! memory.

use core::{hint::black_box, mem::MaybeUninit};

use super::{Radix, Table, load, store};
use crate::lanes::Lanes;

/// The operations of divisions and encoding.
pub(crate) trait Kernels<const N: usize> {
    /// The number one.
    const ONE: Table<N>;
    /// Computes `out = f`, from integer limbs of their nominal size.
    fn from_integers(out: &mut Table<N>, f: &Table<N>);
    /// Computes `out = f`, as integer limbs below 2^52.
    fn to_integers(out: &mut Table<N>, f: &Table<N>);
    /// Computes `out = f g`.
    fn mul(out: &mut Table<N>, f: &Table<N>, g: &Table<N>);
    /// Computes `out = f^2`.
    fn square(out: &mut Table<N>, f: &Table<N>);
    /// Computes `(plus, minus) = (f + g, f - g)`.
    fn sum_and_difference(plus: &mut Table<N>, minus: &mut Table<N>, f: &Table<N>, g: &Table<N>);
}

/// Passes the list of [`Kernels`] to a macro of the back ends, after the macro's other arguments.
/// `N` is a constant where it is used.
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

/// Makes the compiler align the stack frame of the function into which this is inlined, and with
/// it the registers that it saves there.
///
/// Without an aligned variable in the function the frame is not aligned. A saved vector may then
/// straddle two pages, which adds twenty cycles to each store and load. Whether it does depends on
/// the address of the stack, that is, on the callers and on the size of the environment
/// (`benches/stack.rs`).
#[inline(always)]
pub(crate) fn align_frame() {
    black_box(MaybeUninit::<Table<1>>::uninit().as_ptr());
}

/// Computes `out = f g`.
#[inline(always)]
pub(crate) fn mul<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
    g: &Table<N>,
) {
    store(out, R::product(f, load(g)));
}

/// Computes `out = f^2`.
#[inline(always)]
pub(crate) fn square<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::squared(load(f)));
}

/// Computes `(plus, minus) = (f + g, f - g)`.
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

/// Computes `out = f`, from integer limbs of their nominal size.
#[inline(always)]
pub(crate) fn from_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::from_integers(load(f)));
}

/// Computes `out = f`, as integer limbs below 2^52.
#[inline(always)]
pub(crate) fn to_integers<R: Radix<L, N>, L: Lanes<N>, const N: usize>(
    out: &mut Table<N>,
    f: &Table<N>,
) {
    store(out, R::to_integers(load(f)));
}
