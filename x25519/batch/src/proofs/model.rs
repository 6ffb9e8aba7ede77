//! Kernels by what they say they do: an element is a whole number of its own, not limbs. The
//! theorems of [`kernels`](super::kernels) say that limbs do the same.
//!
//! A table's first word is 0, 1, or the index of a number in memory, from 2 on.

use core::{fmt::Debug, marker::PhantomData};
use std::{cell::RefCell, thread::LocalKey};

use crate::field::{
    Table,
    kernels::{Kernels, each_kernel},
};

pub(super) type Element = Table<1>;

/// What field operations do to a number other than zero.
pub(super) trait Formal: Clone + Debug + PartialEq + 'static {
    fn one() -> Self;
    fn times(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    /// The numbers that tables stand for.
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>>;

    fn squared(&self) -> Self {
        self.times(self)
    }
}

/// The table of a number.
pub(super) fn table<F: Formal>(number: F) -> Element {
    F::memory().with_borrow_mut(|memory| {
        memory.push(number);
        Table::small(memory.len() as u64 + 1)
    })
}

/// The number of a table.
pub(super) fn number<F: Formal>(table: &Element) -> F {
    match table.0[0][0] {
        0 => panic!("zero, where a number other than zero should be"),
        1 => F::one(),
        index => F::memory().with_borrow(|memory| {
            let index = usize::try_from(index).unwrap();
            memory[index - 2].clone()
        }),
    }
}

pub(super) fn is_zero(table: &Element) -> bool {
    table.0.as_flattened().iter().all(|word| *word == 0)
}

pub(super) struct Model<F>(PhantomData<F>);

macro_rules! formal {
    ($trait:ident { $($constant:item)* } $($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<F: Formal> $trait<1> for Model<F> {
            $($constant)*
            $(fn $kernel($($argument: $type),*) { meaning::$kernel::<F>($($argument),*) })*
        }
    };
}

/// The lanes of [`Model`], for the list of kernels.
const N: usize = 1;

each_kernel!(formal Kernels { const ONE: Element = Table::small(1); });

mod meaning {
    use super::*;

    pub(super) fn from_integers<F: Formal>(out: &mut Element, f: &Element) {
        *out = *f;
    }
    /// Any limbs will do: what is done with them asks no more than whether the number is zero.
    pub(super) fn to_integers<F: Formal>(out: &mut Element, f: &Element) {
        *out = Table::small(u64::from(!is_zero(f)));
    }
    pub(super) fn mul<F: Formal>(out: &mut Element, f: &Element, g: &Element) {
        *out = table(number::<F>(f).times(&number(g)));
    }
    pub(super) fn squares<F: Formal>(out: &mut Element, f: &Element, times: u32) {
        *out = table((0..times).fold(number::<F>(f), |power, _| power.squared()));
    }
    pub(super) fn sum_and_difference<F: Formal>(
        plus: &mut Element,
        minus: &mut Element,
        f: &Element,
        g: &Element,
    ) {
        let (f, g) = (number::<F>(f), number::<F>(g));
        *plus = table(f.plus(&g));
        *minus = table(f.minus(&g));
    }
}
