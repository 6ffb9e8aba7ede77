//! The arithmetic below the public interface: the portable lanes against arithmetic of another
//! kind, the vectors against the lanes. The tests named `vectors` are those that Miri runs on every
//! instruction set.

mod reference;
pub(crate) mod samples;
mod words;

use alloc::vec;
use core::marker::PhantomData;

use self::{
    reference::Number,
    samples::{Representation, Samples},
    words::Words,
};
use crate::{
    backend::{Implementation, Many, One},
    encoding,
    field::{self, Doubles51, LIMBS, Radix, Radix51, Table},
    ladder::{self, Kernels, each_kernel},
    one::{self, Climb},
};

/// The portable lanes as a back end, in a radix.
struct Model<R, const WRAP: bool>(PhantomData<R>);

type Integers = Model<Radix51, false>;
type Floats = Model<Doubles51, true>;

macro_rules! model {
    ($($kernel:ident($($argument:ident: $type:ty),*);)*) => {
        impl<R: Radix<Words<N, WRAP>, N>, const N: usize, const WRAP: bool> Kernels<N> for Model<R, WRAP> {
            const ONE: Table<N> = Table::small(R::ONE);
            $(fn $kernel($($argument: $type),*) {
                field::$kernel::<R, Words<N, WRAP>, N>($($argument),*);
            })*
        }
    };
}
each_kernel!(model);

impl Climb for Floats {
    fn climb(scalar: &[u8; 32], x1: &Table<4>) -> Table<4> {
        one::climb::<Words<4, true>>(scalar, x1)
    }
}

/// Every kernel that gives carried limbs, on `f` and `g`.
fn all_kernels<K: Kernels<N>, const N: usize>(f: &Table<N>, g: &Table<N>) -> [Table<N>; 10] {
    let mut out = [Table::ZERO; 10];
    let [
        product,
        square,
        squares,
        sum,
        difference,
        left,
        right,
        plus,
        minus,
        z,
    ] = &mut out;
    K::mul(product, f, g);
    K::squares(square, f, 1);
    K::squares(squares, f, 3);
    K::square_either(left, 0, f, g);
    K::square_either(right, u64::MAX, f, g);
    K::square_sum(sum, f, g);
    K::square_difference(difference, f, g);
    K::sum_and_difference(plus, minus, f, g);
    K::double_z(z, f, g);
    out
}

/// What they should be, modulo p.
fn expected(f: Number, g: Number) -> [Number; 10] {
    let (sum, difference) = (f.add(g), f.sub(g));
    let e = f.add(Number::small(121_665).mul(difference));
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

fn lane<const N: usize>(element: &Table<N>, lane: usize) -> [u64; LIMBS] {
    element.0.map(|limb| limb[lane])
}

/// That a radix computes modulo p, within its bounds. In a build with overflow checks, as tests
/// have them, integers are checked on their way too.
fn assert_arithmetic<R: Representation, K: Kernels<1>>() {
    let numbers = |element: &Table<1>| lane(element, 0).map(R::number);
    let number = |element: &Table<1>| Number::from_limbs(numbers(element)).reduced();
    for (f, g) in Samples::pairs::<R, 1>(500) {
        let out = all_kernels::<K, 1>(&f, &g);
        assert_eq!(
            out.each_ref().map(number),
            expected(number(&f), number(&g)).map(Number::reduced)
        );
        let [least, most] = R::CARRIED;
        assert!(
            out.iter()
                .flat_map(numbers)
                .all(|limb| least <= limb && limb <= most)
        );
        let mut integers = Table::ZERO;
        K::to_integers(&mut integers, &f);
        assert_eq!(
            Number::from_limbs(lane(&integers, 0).map(u64::cast_signed)).reduced(),
            number(&f)
        );
        assert!(integers.0.as_flattened().iter().all(|limb| *limb < 1 << 52));
    }
}

#[test]
fn the_portable_lanes_compute_modulo_p_within_bounds() {
    assert_arithmetic::<Radix51, Integers>();
    assert_arithmetic::<Doubles51, Floats>();
}

#[test]
fn a_decoded_point_is_the_same_number_in_every_radix() {
    let mut samples = Samples::new(51);
    for bytes in core::iter::repeat_with(|| samples.bytes())
        .take(200)
        .chain([[0xff; 32], [0; 32]])
    {
        let decoded = encoding::decode::<1>(&[bytes]);
        let expected = Number::from_limbs(lane(&decoded, 0).map(u64::cast_signed)).reduced();
        let (mut integers, mut floats) = (Table::ZERO, Table::ZERO);
        <Integers as Kernels<1>>::from_integers(&mut integers, &decoded);
        <Floats as Kernels<1>>::from_integers(&mut floats, &decoded);
        assert_eq!(
            Number::from_limbs(lane(&integers, 0).map(Radix51::number)).reduced(),
            expected
        );
        assert_eq!(
            Number::from_limbs(lane(&floats, 0).map(Doubles51::number)).reduced(),
            expected
        );
    }
}

/// Limb for limb: a vector is nothing but lanes.
fn assert_like_the_model<K: Kernels<N>, R: Representation, M: Kernels<1>, const N: usize>(
    samples: usize,
) {
    for (f, g) in Samples::pairs::<R, N>(samples) {
        let out = all_kernels::<K, N>(&f, &g);
        for i in 0..N {
            let alone = |element: &Table<N>| Table(lane(element, i).map(|limb| [limb]));
            let model = all_kernels::<M, 1>(&alone(&f), &alone(&g));
            assert_eq!(
                out.each_ref().map(|element| lane(element, i)),
                model.each_ref().map(|element| lane(element, 0))
            );
        }
    }
}

/// More points than two vectors hold, so that each way through the ladder is taken.
fn assert_ladder_like_dalek(many: Many, points: usize) {
    let mut samples = Samples::new(points as u64);
    let scalar = samples.bytes();
    let mut points: vec::Vec<[u8; 32]> = (0..points).map(|_| samples.bytes()).collect();
    points[1] = [0; 32];
    let mut out = vec![[0xff; 32]; points.len()];
    many(&scalar, &points, &mut out);
    let dalek = x25519_dalek::StaticSecret::from(scalar);
    for (point, out) in points.iter().zip(&out) {
        assert_eq!(dalek.diffie_hellman(&(*point).into()).as_bytes(), out);
    }
}

/// One point after the other.
fn assert_one_like_dalek(one: One, count: u64) {
    for seed in 0..count {
        let mut samples = Samples::new(seed);
        let (scalar, point) = (
            samples.bytes(),
            if seed == 1 { [0; 32] } else { samples.bytes() },
        );
        let dalek = x25519_dalek::StaticSecret::from(scalar).diffie_hellman(&point.into());
        assert_eq!(dalek.as_bytes(), &*one(&scalar, &point));
    }
}

#[test]
fn the_portable_lanes_climb_the_ladder() {
    assert_ladder_like_dalek(ladder::x25519::<Integers, 2>, 2 * 2 + 3);
    assert_ladder_like_dalek(ladder::x25519::<Floats, 2>, 2 * 2 + 3);
    assert_one_like_dalek(one::x25519::<Floats>, 5);
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
            let points = if cfg!(miri) {
                2
            } else {
                2 * backend.lanes() + 3
            };
            let Implementation { many, one } = backend.implementation();
            assert_ladder_like_dalek(many, points);
            assert_one_like_dalek(one, if cfg!(miri) { 1 } else { 200 });
        }
    }

    #[test]
    fn avx2_arithmetic() {
        if has(Backend::Avx2) {
            assert_like_the_model::<Avx2, Doubles51, Floats, 4>(SAMPLES);
        }
    }

    #[test]
    fn avx512_arithmetic() {
        if has(Backend::Avx512) {
            assert_like_the_model::<Avx512, Doubles51, Floats, 8>(SAMPLES);
        }
    }

    #[test]
    fn ifma_arithmetic() {
        if has(Backend::Ifma) {
            assert_like_the_model::<Ifma, Radix51, Integers, 8>(SAMPLES);
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
    let with_bit_255 = [[0xff; 31].as_slice(), &[0x80]]
        .concat()
        .try_into()
        .unwrap();
    let without = [[0xff; 31].as_slice(), &[0x00]]
        .concat()
        .try_into()
        .unwrap();
    let cases = [
        (p_plus(0), [0; 32]),
        (p_plus(18), *Number::small(18).bytes()),
        (with_bit_255, without),
    ];
    for (from, to) in cases {
        let mut out = [[0; 32]; 1];
        encoding::encode::<4>(&encoding::decode(&[from]), &mut out);
        assert_eq!(out, [to]);
    }
}

/// Zero, p and 2p are zero, with limbs in more than one form; their neighbours are not.
#[test]
fn zero_is_found_in_every_form() {
    let (mut p, mut one) = ([(1 << 51) - 1; LIMBS], [0; LIMBS]);
    p[0] -= 18;
    one[0] = 1;
    let mut above = p;
    above[0] += 1;
    let mut uncarried = p;
    (uncarried[0], uncarried[1]) = (p[0] + (1 << 51), p[1] - 1);
    let twice = p.map(|limb| 2 * limb);
    let forms = [[0; LIMBS], p, one, above, uncarried, twice];
    let element: Table<6> = Table(core::array::from_fn(|i| forms.map(|limbs| limbs[i])));
    assert_eq!(encoding::zeros(&element), [1, 1, 0, 0, 1, 1]);
}
