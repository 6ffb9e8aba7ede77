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

pub(crate) struct Portable;

macro_rules! portable {
    ($($name:ident: $module:ident::$function:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Kernels for Portable {
            $(fn $name($($argument: $type),*) -> $result {
                inlined::$name::<Model>($($argument),*)
            })*
        }
    };
}
each_kernel!(portable);

pub(crate) static PORTABLE: Implementation = Implementation::of::<Portable>(KECCAK);

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
