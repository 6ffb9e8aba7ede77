//! ML-KEM-768 with kernels on the portable vector, and Keccak's definition.

use super::model::Model;
use crate::{
    N_C,
    backend::Implementation,
    coding::Message,
    hash::{Seed, Third},
    keccak::{Keccak, Lanes, State, States, permute},
    kernels::{Kernels, each_kernel, inlined},
    product::{Plain, Table},
    transform::Poly,
};

/// Hashes as with vectors of four states, or of two.
pub(crate) struct Portable<const FOUR_STATES: bool>;

macro_rules! portable {
    ($($name:ident: $module:ident::$function:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl<const FOUR_STATES: bool> Kernels for Portable<FOUR_STATES> {
            const FOUR_STATES: bool = FOUR_STATES;
            $(fn $name($($argument: $type),*) -> $result {
                inlined::$name::<Model>($($argument),*)
            })*
        }
    };
}
each_kernel!(portable);

pub(crate) static PORTABLE: [Implementation; 2] = [
    Implementation::of::<Portable<true>>(KECCAK),
    Implementation::of::<Portable<false>>(KECCAK),
];

pub(crate) const KECCAK: Keccak = Keccak {
    one,
    two: |[a, b]| {
        one(a);
        one(b);
    },
    four: |states: &mut States| {
        for lane in 0..4 {
            let mut state = states.map(|lanes| lanes.0[lane]);
            one(&mut state);
            for (lanes, word) in states.iter_mut().zip(state) {
                lanes.0[lane] = word;
            }
        }
    },
};

fn one(state: &mut State) {
    *state = permute(*state);
}
