//! The kernels that each back end compiles. All take and return values in memory.

use crate::{
    N_C, coding,
    coding::Message,
    hash,
    hash::{Seed, Third},
    keccak::{Lanes, State, States},
    product,
    product::{Plain, Table},
    transform,
    transform::Poly,
    vector::Vector,
};

/// Passes the list of [`Kernels`] to a macro of a back end, after its other arguments.
macro_rules! each_kernel {
    ($implement:ident $($with:tt)*) => {
        $implement! {
            $($with)*
            forward: transform::forward(p: &mut Poly) -> ();
            inverse: transform::inverse(p: &mut Poly) -> ();
            secret_product: product::secret_product(s: &Table, u: &Poly, out: &mut Poly) -> ();
            matrix_product: product::matrix_product(a: &[Table; 3], y: &Poly, out: &mut Poly) -> ();
            key_product: product::key_product(a: &[Table; 3], s: &Poly, out: &mut Poly) -> ();
            table: product::table(polys: [&Plain; 4], out: &mut Table) -> ();
            decode: coding::decode(c: &[u8; N_C], received: &mut Poly, decompressed: &mut Poly, again: &mut Poly) -> ();
            noise: coding::noise(words: &[Lanes; 16], out: &mut Poly) -> ();
            message: coding::message(v: &Poly, su: &Poly, message: &mut Message) -> [u64; 4];
            spread: coding::spread(words: &[u64; 4], message: &mut Message) -> ();
            compare: coding::compare(received: &Poly, decompressed: &Poly, p: &Poly, e: &Poly, message: &Message) -> u64;
            encode: coding::encode(p: &Poly, e: &Poly, message: &Message, c: &mut [u8; N_C]) -> ();
            decode_12: coding::decode_12(bytes: &[u8; 384], out: &mut Plain) -> ();
            plain: coding::plain(p: &Poly, out: &mut [Plain; 4]) -> ();
            prf: hash::prf(first: &State, seed: &Seed, nonces: [u64; 3], out: &mut States) -> ();
            sum_of_two: hash::sum_of_two(c: [&[u8; N_C]; 2], block: usize, seeds: Option<[&Seed; 2]>, states: &mut States) -> ();
            sample: hash::sample(states: &States, thirds: [&mut Third; 3]) -> ();
        }
    };
}
pub(crate) use each_kernel;

macro_rules! kernels {
    ($($name:ident: $module:ident::$function:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        /// The kernels of one back end. Each is documented at the function of the same name.
        #[allow(clippy::too_many_arguments, reason = "what is in memory")]
        pub(crate) trait Kernels {
            /// Whether four states take less time together than two and two.
            const FOUR_STATES: bool;
            $(fn $name($($argument: $type),*) -> $result;)*
        }

        /// The kernels, generic over vectors, to be inlined where a back end compiles them.
        pub(crate) mod inlined {
            use super::*;
            $(
                #[inline(always)]
                pub(crate) fn $name<V: Vector>($($argument: $type),*) -> $result {
                    $module::$function::<V>($($argument),*)
                }
            )*
        }
    };
}
each_kernel!(kernels);
