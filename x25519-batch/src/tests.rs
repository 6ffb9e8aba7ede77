//! The arithmetic below the public interface: the portable lanes against arithmetic of another kind, the vectors against the lanes.
//! The tests named `vectors` are those that Miri runs on every instruction set.

mod reference;
mod samples;
mod words;

use alloc::vec;
use core::marker::PhantomData;

use self::{
    reference::Number,
    samples::{Samples, bounded},
    words::Words,
};
use crate::{
    backend::Function,
    encoding,
    field::{self, Radix, Radix25, Radix51, Table, bits},
    ladder::{self, Kernels, each_kernel},
};

/// The portable lanes as a back end, in a radix.
struct Model<R>(PhantomData<R>);

macro_rules! model {
    ($($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<R: Radix<Words<N>, N, M>, const N: usize, const M: usize> Kernels<N, M> for Model<R> {
            $(fn $kernel($($argument: $type),*) {
                field::$kernel::<R, Words<N>, N, M>($($argument),*);
            })*
        }
    };
}
each_kernel!(model);

/// Every kernel on `f` and `g`. The last two want carried limbs.
fn all_kernels<K: Kernels<N, M>, const N: usize, const M: usize>(
    carried: [u64; M],
    f: &Table<N, M>,
    g: &Table<N, M>,
) -> [Table<N, M>; 10] {
    let mut out = [Table::ZERO; 10];
    let [product, square, squares, sum, difference, left, right, plus, minus, z] = &mut out;
    K::mul(product, f, g);
    K::squares(square, f, 1);
    K::squares(squares, f, 3);
    K::square_either(left, 0, f, g);
    K::square_either(right, u64::MAX, f, g);
    let (f, g) = (&bounded(f, carried), &bounded(g, carried));
    K::square_sum(sum, f, g);
    K::square_difference(difference, f, g);
    K::sum_and_difference(plus, minus, f, g);
    K::double_z(z, f, g);
    out
}

/// What they should be, modulo p.
fn expected(f: Number, g: Number, carried_f: Number, carried_g: Number) -> [Number; 10] {
    let (sum, difference) = (carried_f.add(carried_g), carried_f.sub(carried_g));
    let e = carried_f.add(Number::small(121_665).mul(difference));
    [
        f.mul(g),
        f.mul(f),
        (0..3).fold(f, |power, _| power.mul(power)),
        sum.mul(sum),
        difference.mul(difference),
        f.mul(f),
        g.mul(g),
        sum,
        difference,
        difference.mul(e),
    ]
}

fn lane<const N: usize, const M: usize>(element: &Table<N, M>, lane: usize) -> [u64; M] {
    element.0.map(|limb| limb[lane])
}

/// In a build with overflow checks, as tests have them, this also checks the bounds.
fn assert_arithmetic_modulo_p<R: Radix<Words<1>, 1, M>, const M: usize>() {
    for (f, g) in Samples::pairs::<1, M>(200, R::DIFFERENCE) {
        let out = all_kernels::<Model<R>, 1, M>(R::CARRIED, &f, &g);
        let number = |element: &Table<1, M>| Number::from_limbs(lane(element, 0));
        let carried = |element| number(&bounded(element, R::CARRIED));
        let expected = expected(number(&f), number(&g), carried(&f), carried(&g));
        assert_eq!(out.each_ref().map(number).map(Number::reduced), expected.map(Number::reduced));
    }
}

#[test]
fn the_portable_lanes_compute_modulo_p() {
    assert_arithmetic_modulo_p::<Radix25, 10>();
    assert_arithmetic_modulo_p::<Radix51, 5>();
}

fn assert_bounds<R: Radix<Words<1>, 1, M>, const M: usize>() {
    for (f, g) in Samples::pairs::<1, M>(200, R::DIFFERENCE) {
        for (kernel, out) in all_kernels::<Model<R>, 1, M>(R::CARRIED, &f, &g).iter().enumerate() {
            let bounds = if kernel == 7 || kernel == 8 { R::DIFFERENCE } else { R::CARRIED };
            assert!(lane(out, 0).iter().zip(bounds).all(|(limb, bound)| *limb <= bound));
        }
    }
}

#[test]
fn kernels_keep_their_bounds() {
    assert_bounds::<Radix25, 10>();
    assert_bounds::<Radix51, 5>();
}

/// Limb for limb: a vector is nothing but lanes.
fn assert_like_the_model<K: Kernels<N, M>, R: Radix<Words<1>, 1, M>, const N: usize, const M: usize>(samples: usize) {
    for (f, g) in Samples::pairs::<N, M>(samples, R::DIFFERENCE) {
        let out = all_kernels::<K, N, M>(R::CARRIED, &f, &g);
        for i in 0..N {
            let alone = |element: &Table<N, M>| Table(lane(element, i).map(|limb| [limb]));
            let model = all_kernels::<Model<R>, 1, M>(R::CARRIED, &alone(&f), &alone(&g));
            assert_eq!(
                out.each_ref().map(|element| lane(element, i)),
                model.each_ref().map(|element| lane(element, 0))
            );
        }
    }
}

/// More points than two vectors hold, so that each way through the ladder is taken.
fn assert_ladder_like_dalek(x25519: Function, points: usize) {
    let mut samples = Samples::new(points as u64);
    let scalar = samples.bytes();
    let mut points: vec::Vec<[u8; 32]> = (0..points).map(|_| samples.bytes()).collect();
    points[1] = [0; 32];
    let mut out = vec![[0xff; 32]; points.len()];
    x25519(&scalar, &points, &mut out);
    let dalek = x25519_dalek::StaticSecret::from(scalar);
    for (point, out) in points.iter().zip(&out) {
        assert_eq!(dalek.diffie_hellman(&(*point).into()).as_bytes(), out);
    }
}

#[test]
fn the_portable_lanes_climb_the_ladder() {
    assert_ladder_like_dalek(ladder::x25519::<Model<Radix25>, 2, 10>, 2 * 2 + 3);
    assert_ladder_like_dalek(ladder::x25519::<Model<Radix51>, 2, 5>, 2 * 2 + 3);
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use super::*;
    use crate::{
        Backend,
        backend::x86_64::{avx2::Avx2, avx512::Avx512, ifma::Ifma},
    };

    /// Miri takes a thousand times as long.
    const SAMPLES: usize = if cfg!(miri) { 1 } else { 1000 };

    /// Says what this machine lacks, past the capture of test output.
    fn has(backend: Backend) -> bool {
        use std::io::Write;
        if !backend.is_available() {
            let mut out = std::io::stdout();
            writeln!(out, "not tested: this machine lacks {}", backend.name()).unwrap();
        }
        backend.is_available()
    }

    fn assert_ladder(backend: Backend) {
        if has(backend) {
            let points = if cfg!(miri) { 2 } else { 2 * backend.lanes() + 3 };
            assert_ladder_like_dalek(backend.function(), points);
        }
    }

    #[test]
    fn avx2_arithmetic() {
        if has(Backend::Avx2) {
            assert_like_the_model::<Avx2, Radix25, 4, 10>(SAMPLES);
        }
    }

    #[test]
    fn avx512_arithmetic() {
        if has(Backend::Avx512) {
            assert_like_the_model::<Avx512, Radix25, 8, 10>(SAMPLES);
        }
    }

    #[test]
    fn ifma_arithmetic() {
        if has(Backend::Ifma) {
            assert_like_the_model::<Ifma, Radix51, 8, 5>(SAMPLES);
        }
    }

    #[test]
    fn avx2_ladder() {
        assert_ladder(Backend::Avx2);
    }

    #[test]
    fn avx512_ladder() {
        assert_ladder(Backend::Avx512);
    }

    #[test]
    fn ifma_ladder() {
        assert_ladder(Backend::Ifma);
    }
}

#[test]
fn decoding_reduces_and_encoding_is_canonical() {
    let p_plus = |n: u8| -> [u8; 32] {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xed + n, 0x7f);
        bytes
    };
    let with_bit_255 = [[0xff; 31].as_slice(), &[0x80]].concat().try_into().unwrap();
    let without = [[0xff; 31].as_slice(), &[0x00]].concat().try_into().unwrap();
    let cases = [(p_plus(0), [0; 32]), (p_plus(18), *Number::small(18).bytes()), (with_bit_255, without)];
    for (from, to) in cases {
        let mut out = [[0; 32]; 1];
        encoding::encode::<4, 10>(&encoding::decode(&[from]), &mut out);
        assert_eq!(out, [to]);
        encoding::encode::<4, 5>(&encoding::decode(&[from]), &mut out);
        assert_eq!(out, [to]);
    }
}

/// Zero, p and 2p are zero, with limbs in more than one form; their neighbours are not.
fn assert_zeros<const M: usize>() {
    let (mut p, mut one) = (core::array::from_fn(|i| (1 << bits(M, i)) - 1), [0; M]);
    p[0] -= 18;
    one[0] = 1;
    let mut above = p;
    above[0] += 1;
    let mut uncarried = p;
    (uncarried[0], uncarried[1]) = (p[0] + (1 << bits(M, 0)), p[1] - 1);
    let element: Table<5, M> = Table(core::array::from_fn(|i| [[0; M], p, one, above, uncarried].map(|l| l[i])));
    assert_eq!(encoding::zeros(&element), [1, 1, 0, 0, 1]);
}

#[test]
fn zero_is_found_in_every_form() {
    assert_zeros::<10>();
    assert_zeros::<5>();
}
