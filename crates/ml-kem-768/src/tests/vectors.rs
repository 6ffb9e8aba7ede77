//! Tests that vectors agree with the portable one: each operation, and each kernel.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{Numbers, model::Model, portable::Portable};
#[cfg(target_arch = "wasm32")]
use crate::backend::wasm32::{Halves as OfMachine, Simd128 as Compiled};
#[cfg(target_arch = "x86_64")]
use crate::backend::x86_64::{Avx2 as Compiled, Vector256 as OfMachine};
use crate::{
    Backend, N_C,
    hash::Third,
    keccak::{Lanes, State, States},
    kernels::Kernels,
    product::{Plain, Table},
    tables::Q,
    transform::Poly,
    vector::Vector,
    words::Words,
};

impl Numbers {
    fn word(&mut self) -> i16 {
        i16::from_le_bytes(self.bytes())
    }

    /// Draws any words, or words at an end of their range.
    fn words(&mut self) -> Words {
        Words(std::array::from_fn(|_| match self.word() {
            word @ -2000..2000 => [i16::MIN, i16::MAX, -1, 0][usize::from(word.unsigned_abs() % 4)],
            word => word,
        }))
    }

    fn poly(&mut self, below: i16) -> Poly {
        std::array::from_fn(|_| Words(self.words().0.map(|word| word % below)))
    }

    fn plain(&mut self) -> Plain {
        std::array::from_fn(|_| self.word().rem_euclid(Q))
    }

    fn table(&mut self) -> Table {
        std::array::from_fn(|_| Words(self.words().0.map(|word| word % 1834)))
    }

    fn lanes(&mut self) -> Lanes {
        Lanes([(); 4].map(|()| u64::from_le_bytes(self.bytes())))
    }

    fn state(&mut self) -> State {
        [(); 25].map(|()| u64::from_le_bytes(self.bytes()))
    }

    fn states(&mut self) -> States {
        [(); 25].map(|()| self.lanes())
    }
}

fn words<V: Vector>(vector: V) -> Words {
    let mut words = Words::ZERO;
    vector.store(&mut words);
    words
}

/// Computes everything that a vector does, on two operands.
fn each_operation<V: Vector>(a: &Words, b: &Words, lanes: &Lanes) -> Vec<Words> {
    let (x, y) = (V::load(a), V::load(b));
    let [low, high] = [0, 8].map(|from| {
        let bytes = |i: usize| a.0[from + i / 2].to_le_bytes()[i % 2];
        std::array::from_fn(bytes)
    });
    let results = [
        x,
        V::from_lanes(lanes),
        V::from_lanes(&Lanes(x.to_lanes())),
        V::from_halves(&low, &high),
        V::splat(a.0[0]),
        V::quads(lanes.0[0]),
        x.add(y),
        x.sub(y),
        x.mul_low(y),
        x.mul_rounded(y.or(V::splat(1))),
        x.abs(),
        x.greater(y),
        x.equal(y),
        x.equal(x),
        x.and(y),
        x.or(y),
        V::splat(x.signs().cast_signed()),
        x.shift_right::<1>(),
        x.shift_right::<4>(),
        x.shift_right::<12>(),
        x.dot(y),
        x.add32(y),
        x.sub32(y),
        x.upper(),
        x.narrow(y),
        x.upper().narrow(y.upper()),
        x.shift_left64::<16>(),
        x.shift_left64::<48>(),
        x.shift_right64::<12>(),
        x.shift_right64::<32>(),
        x.interleave_low(y),
        x.interleave_high(y),
        x.interleave_low32(y),
        x.interleave_high32(y),
        x.interleave_low64(y),
        x.interleave_high64(y),
        x.low_halves(y),
        x.high_halves(y),
        x.interleave_own_halves32(),
        x.bytes_at(y.and(V::splat(0x8f8f_u16.cast_signed()))),
        x.spread32::<1>(),
        x.spread32::<2>(),
        x.spread32::<3>(),
        x.swap32(),
        x.swap(),
        x.alternate(y),
        x.alternate32(y),
        x.barrett(),
        x.product([y, x.or(V::splat(1))]),
        x.reduce(),
    ];
    results.map(words).into()
}

#[test]
fn operations_are_those_of_the_portable_vector() {
    if Backend::ALL.iter().all(|backend| !backend.is_available()) {
        return;
    }
    let mut numbers = Numbers::new("operations");
    for _ in 0..10_000 {
        let (a, b, lanes) = (numbers.words(), numbers.words(), numbers.lanes());
        let expected = each_operation::<Model>(&a, &b, &lanes);
        let found = each_operation::<OfMachine>(&a, &b, &lanes);
        for (which, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "operation {which} of {a:?} and {b:?}");
        }
    }
}

/// Runs each kernel on inputs that need not occur in ML-KEM, and returns the results.
fn each_kernel<K: Kernels>(numbers: &mut Numbers) -> (Vec<Poly>, Vec<u64>, Vec<u8>, Vec<i16>) {
    let (mut polys, mut words, mut bytes, mut plains) = (vec![], vec![], vec![], vec![]);
    let zero = [Words::ZERO; 64];
    let mut p = numbers.poly(Q);
    K::forward(&mut p);
    polys.push(p);
    let mut q = numbers.poly(5000);
    K::inverse(&mut q);
    polys.push(q);
    let tables = [numbers.table(), numbers.table(), numbers.table()];
    let mut out = zero;
    K::secret_product(&tables[0], &p, &mut out);
    polys.push(out);
    K::matrix_product(&tables, &p, &mut out);
    polys.push(out);
    K::key_product(&tables, &p, &mut out);
    polys.push(out);
    let mut table = [Words::ZERO; 128];
    let four = [(); 4].map(|()| numbers.plain());
    K::table(four.each_ref(), &mut table);
    plains.extend(table.iter().flat_map(|words| words.0));

    let c: [u8; N_C] = numbers.bytes();
    let [mut received, mut decompressed, mut again] = [zero; 3];
    K::decode(&c, &mut received, &mut decompressed, &mut again);
    polys.extend([received, decompressed, again]);
    let sixteen = [(); 16].map(|()| numbers.lanes());
    let mut e = zero;
    K::noise(&sixteen, &mut e);
    polys.push(e);
    let su = numbers.poly(20_296);
    let mut message = [Words::ZERO; 16];
    words.extend(K::message(&decompressed, &su, &mut message));
    plains.extend(message.iter().flat_map(|words| words.0));
    let lanes = numbers.lanes();
    K::spread(&lanes.0, &mut message);
    plains.extend(message.iter().flat_map(|words| words.0));
    words.push(K::compare(&received, &decompressed, &su, &e, &message));
    let mut c = [0; N_C];
    K::encode(&su, &e, &message, &mut c);
    bytes.extend(c);
    K::decode(&c, &mut received, &mut decompressed, &mut again);
    words.push(K::compare(&received, &decompressed, &su, &e, &message));

    let mut plain = [0; 256];
    K::decode_12(&numbers.bytes(), &mut plain);
    plains.extend(plain);
    let mut four = [[0; 256]; 4];
    K::plain(&su, &mut four);
    plains.extend(four.as_flattened());
    let mut states = numbers.states();
    let r = [numbers.lanes().0, numbers.lanes().0];
    for (block, seeds) in [(1, Some(r.each_ref())), (5, None), (8, None)] {
        let c: [[u8; N_C]; 2] = [numbers.bytes(), numbers.bytes()];
        K::sum_of_two(c.each_ref(), block, seeds, &mut states);
        words.extend(states.iter().flat_map(|lanes| lanes.0));
    }
    K::prf(&numbers.state(), &r[0], [3, 4, 6], &mut states);
    words.extend(states.iter().flat_map(|lanes| lanes.0));
    let mut thirds = [const { Third::new() }; 3];
    K::sample(&numbers.states(), thirds.each_mut());
    plains.extend(thirds.iter().flat_map(|third| third.numbers));
    (polys, words, bytes, plains)
}

#[test]
fn kernels_give_what_the_portable_vector_gives() {
    if Backend::ALL.iter().all(|backend| !backend.is_available()) {
        return;
    }
    for round in 0..200 {
        let name = format!("kernels {round}");
        let expected = each_kernel::<Portable<true>>(&mut Numbers::new(&name));
        assert!(
            each_kernel::<Compiled>(&mut Numbers::new(&name)) == expected,
            "round {round}"
        );
        assert_eq!(
            expected.1[4 + 1],
            0,
            "a ciphertext is what it was encoded from"
        );
    }
}
