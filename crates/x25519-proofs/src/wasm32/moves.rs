//! Shuffles and swizzles, of whole halves.

use super::{HALVES, Half, ZERO, v128};

/// Defines a constructor of a constant vector.
macro_rules! bytes {
    ($name:ident, $type:ty, $to_unsigned:expr) => {
#[expect(clippy::too_many_arguments)]
        #[rustfmt::skip]
        pub fn $name(
            a: $type, b: $type, c: $type, d: $type, e: $type, f: $type, g: $type, h: $type,
            i: $type, j: $type, k: $type, l: $type, m: $type, n: $type, o: $type, p: $type,
        ) -> v128 {
            of_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p].map($to_unsigned))
        }
    };
}

bytes!(i8x16, i8, i8::cast_unsigned);
bytes!(u8x16, u8, u8::from);

pub fn u8x16_splat(a: u8) -> v128 {
    of_bytes([a; 16])
}

fn of_bytes(bytes: [u8; 16]) -> v128 {
    let (pairs, _) = bytes.as_chunks::<2>();
    v128(std::array::from_fn(|half| {
        Half::Constant(u16::from_le_bytes(pairs[half]))
    }))
}

/// Selects bytes that form halves; a byte from beyond is zero.
pub fn i8x16_swizzle(a: v128, places: v128) -> v128 {
    swizzle(a, places, |_| ZERO)
}

/// Selects bytes that form halves. A byte from beyond panics, because engines differ
/// there.
pub fn i8x16_relaxed_swizzle(a: v128, places: v128) -> v128 {
    swizzle(a, places, |place| panic!("byte {place} of a vector"))
}

fn swizzle(a: v128, places: v128, beyond: impl Fn(u8) -> Half) -> v128 {
    v128(places.0.map(|half| {
        let Half::Constant(places) = half else {
            panic!("places that are not constant")
        };
        let [low, high] = places.to_le_bytes();
        match (usize::from(low), usize::from(high)) {
            (low, high) if low % 2 == 0 && high == low + 1 && high < 16 => a.0[low / 2],
            (low_place, 16..) if low_place >= 16 => beyond(low),
            _ => panic!("bytes {low} and {high} are not a half"),
        }
    }))
}

/// Selects halves of both vectors, the first's before the second's.
fn shuffled(a: v128, b: v128, places: [usize; HALVES]) -> v128 {
    v128(places.map(|place| match place {
        0..HALVES => a.0[place],
        _ => b.0[place - HALVES],
    }))
}

pub fn i64x2_shuffle<const A: usize, const B: usize>(a: v128, b: v128) -> v128 {
    let places = [A, B].map(|lane| std::array::from_fn::<_, 4, _>(|half| 4 * lane + half));
    shuffled(a, b, places.as_flattened().try_into().unwrap())
}

pub fn i32x4_shuffle<const A: usize, const B: usize, const C: usize, const D: usize>(
    a: v128,
    b: v128,
) -> v128 {
    let places = [A, B, C, D].map(|lane| [2 * lane, 2 * lane + 1]);
    shuffled(a, b, places.as_flattened().try_into().unwrap())
}

pub fn i16x8_shuffle<
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
    const E: usize,
    const F: usize,
    const G: usize,
    const H: usize,
>(
    a: v128,
    b: v128,
) -> v128 {
    shuffled(a, b, [A, B, C, D, E, F, G, H])
}
