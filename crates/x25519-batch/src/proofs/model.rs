//! Kernels by their documented functions: an element is one number, not limbs. The theorems of
//! [`kernels`](super::kernels) show that limbs behave the same.
//!
//! The first word of a table's lane is 0, 1, or the index of a number in memory, from 2 on.

use core::{fmt::Debug, marker::PhantomData};
use std::{array::from_fn, cell::RefCell, thread::LocalKey};

use crate::field::{
    Table,
    kernels::{Kernels, each_kernel},
};

/// The field operations on a number other than zero.
pub(super) trait Formal: Clone + Debug + PartialEq + 'static {
    fn one() -> Self;
    fn times(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    /// Returns the numbers that tables refer to.
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>>;
}

/// Makes a table with a number in each lane.
pub(super) fn table<F: Formal, const N: usize>(numbers: [F; N]) -> Table<N> {
    let mut table = Table::ZERO;
    table.0[0] = numbers.map(|number| {
        F::memory().with_borrow_mut(|memory| {
            memory.push(number);
            memory.len() as u64 + 1
        })
    });
    table
}

/// Returns the number of each lane.
pub(super) fn numbers<F: Formal, const N: usize>(table: &Table<N>) -> [F; N] {
    table.0[0].map(|word| match word {
        0 => panic!("zero, where a number other than zero should be"),
        1 => F::one(),
        index => F::memory().with_borrow(|memory| {
            let index = usize::try_from(index).unwrap();
            memory[index - 2].clone()
        }),
    })
}

/// Returns the number of a table with one lane.
pub(super) fn number<F: Formal>(table: &Table<1>) -> F {
    let [number] = numbers(table);
    number
}

pub(super) fn is_zero<const N: usize>(table: &Table<N>) -> bool {
    table.0.as_flattened().iter().all(|word| *word == 0)
}

pub(super) struct Model<F>(PhantomData<F>);

macro_rules! formal {
    ($trait:ident { $($constant:item)* } $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<F: Formal, const N: usize> $trait<N> for Model<F> {
            $($constant)*
            $(fn $kernel($($argument: $type),*) { meaning::$kernel::<F, N>($($argument),*) })*
        }
    };
}

each_kernel!(formal Kernels { const ONE: Table<N> = Table::small(1); });

mod meaning {
    use super::*;

    pub(super) fn from_integers<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        *out = *f;
    }
    /// Returns any limbs: the callers only test whether the number is zero.
    pub(super) fn to_integers<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        *out = Table::ZERO;
        out.0[0] = f.0[0].map(|word| u64::from(word != 0));
    }
    pub(super) fn mul<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>, g: &Table<N>) {
        let (f, g) = (numbers::<F, N>(f), numbers::<F, N>(g));
        *out = table::<F, N>(from_fn(|lane| f[lane].times(&g[lane])));
    }
    pub(super) fn square<F: Formal, const N: usize>(out: &mut Table<N>, f: &Table<N>) {
        mul::<F, N>(out, f, f);
    }
    pub(super) fn sum_and_difference<F: Formal, const N: usize>(
        plus: &mut Table<N>,
        minus: &mut Table<N>,
        f: &Table<N>,
        g: &Table<N>,
    ) {
        let (f, g) = (numbers::<F, N>(f), numbers::<F, N>(g));
        *plus = table::<F, N>(from_fn(|lane| f[lane].plus(&g[lane])));
        *minus = table::<F, N>(from_fn(|lane| f[lane].minus(&g[lane])));
    }
}
