//! WebAssembly with vectors of 128 bits (simd128), of which two are a vector of sixteen words.
//!
//! A module with such instructions does not start in an engine without them, so there is nothing to
//! detect. The only unsafe code loads and stores vectors, at references to as many bytes; neither
//! needs an alignment.

use core::{
    arch::wasm32::*,
    ptr::{from_mut, from_ref, read_volatile},
};

use super::Implementation;
use crate::{
    N_C,
    coding::Message,
    hash::{Seed, Third},
    keccak::{Keccak, Lanes, State, States, Word, permute},
    kernels::{Kernels, each_kernel, inlined},
    product::{Plain, Table},
    transform::Poly,
    vector::Vector,
    words::Words,
};

pub(crate) struct Simd128;

/// Compiles each kernel for vectors, and keeps it from being inlined into its callers.
macro_rules! compiled {
    ($($name:ident: $module:ident::$function:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Kernels for Simd128 {
            const FOUR_STATES: bool = false;
            $(
                #[inline(never)]
                #[target_feature(enable = "simd128")]
                fn $name($($argument: $type),*) -> $result {
                    inlined::$name::<Halves>($($argument),*)
                }
            )*
        }
    };
}
each_kernel!(compiled);

pub(super) static SIMD128: Implementation = Implementation::of::<Simd128>(Keccak {
    one: |state| {
        #[inline(never)]
        fn compiled(state: &mut State) {
            *state = permute(*state);
        }
        compiled(state);
    },
    two: |[a, b]| {
        let mut words = [Pair::splat(0); 25];
        for i in 0..25 {
            words[i] = Pair::join(a[i], b[i]);
        }
        permute_two(&mut words);
        for i in 0..25 {
            [a[i], b[i]] = words[i].split();
        }
    },
    four: |states| {
        for half in 0..2 {
            let mut words = states.map(|lanes| Pair(Halves::from_lanes(&lanes).0[half]));
            permute_two(&mut words);
            for (lanes, word) in states.iter_mut().zip(words) {
                let (halves, _) = lanes.0.as_chunks_mut::<2>();
                halves[half] = word.split();
            }
        }
    },
});

/// Permutes two states. Not inlined, since more than one permutation needs it.
#[inline(never)]
#[target_feature(enable = "simd128")]
fn permute_two(words: &mut [Pair; 25]) {
    *words = permute(*words);
}

/// The words of two states.
#[derive(Clone, Copy)]
struct Pair(v128);

impl Word for Pair {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(u64x2_splat(word))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }
    #[inline(always)]
    fn rotate<const LEFT: i32>(self) -> Self {
        let a = self.0;
        Self(match LEFT {
            8 => u8x16_shuffle::<7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14>(a, a),
            56 => u8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8>(a, a),
            _ => {
                let left = LEFT.unsigned_abs();
                v128_or(u64x2_shl(a, left), u64x2_shr(a, 64 - left))
            }
        })
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(v128_xor(self.0, v128_andnot(c.0, b.0)))
    }
}

impl Pair {
    #[inline(always)]
    fn join(low: u64, high: u64) -> Self {
        Self(u64x2(low, high))
    }
    #[inline(always)]
    fn split(self) -> [u64; 2] {
        [
            u64x2_extract_lane::<0>(self.0),
            u64x2_extract_lane::<1>(self.0),
        ]
    }
}

/// Sixteen words, eight in each half.
#[derive(Clone, Copy)]
pub(crate) struct Halves([v128; 2]);

/// Loads a half.
#[inline(always)]
fn load<T>(half: &T) -> v128 {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: the reference is to sixteen bytes: integers, which have no padding.
    unsafe { v128_load(from_ref(half).cast()) }
}

/// Stores a half.
#[inline(always)]
fn store<T>(half: &mut T, vector: v128) {
    const { assert!(size_of::<T>() == 16) };
    // SAFETY: the reference is to sixteen bytes: integers, which may have any value.
    unsafe { v128_store(from_mut(half).cast(), vector) };
}

/// Operations on both halves, with a shuffle's places where it is one.
macro_rules! operations {
    ($($name:ident = $intrinsic:ident $(::<$($place:literal),*>)?;)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let ([a, b], [c, d]) = (self.0, other.0);
                Self([
                    $intrinsic $(::<$($place),*>)?(a, c),
                    $intrinsic $(::<$($place),*>)?(b, d),
                ])
            }
        )*
    };
}

impl Halves {
    #[inline(always)]
    const fn twice(half: v128) -> Self {
        Self([half; 2])
    }

    #[inline(always)]
    fn each(self, of: impl Fn(v128) -> v128) -> Self {
        let [a, b] = self.0;
        Self([of(a), of(b)])
    }
}

impl Vector for Halves {
    #[inline(always)]
    fn load(words: &Words) -> Self {
        let (halves, _) = words.0.as_chunks::<8>();
        Self([load(&halves[0]), load(&halves[1])])
    }
    #[inline(always)]
    fn store(self, words: &mut Words) {
        let (halves, _) = words.0.as_chunks_mut::<8>();
        store(&mut halves[0], self.0[0]);
        store(&mut halves[1], self.0[1]);
    }
    #[inline(always)]
    fn from_lanes(lanes: &Lanes) -> Self {
        let (halves, _) = lanes.0.as_chunks::<2>();
        Self([load(&halves[0]), load(&halves[1])])
    }
    #[inline(always)]
    fn to_lanes(self) -> [u64; 4] {
        let [a, b] = self.0.map(|half| Pair(half).split());
        [a[0], a[1], b[0], b[1]]
    }
    #[inline(always)]
    fn from_halves(low: &[u8; 16], high: &[u8; 16]) -> Self {
        Self([load(low), load(high)])
    }
    #[inline(always)]
    fn splat(word: i16) -> Self {
        Self::twice(i16x8_splat(word))
    }
    #[inline(always)]
    fn quads(quad: u64) -> Self {
        Self::twice(u64x2_splat(quad))
    }
    /// Loads a constant from memory. Otherwise the compiler writes its bits at each use, where
    /// engines make it again, and replaces products by shifts of each word.
    #[inline(always)]
    fn constant(words: &'static Words) -> Self {
        let (halves, _) = words.0.as_chunks::<8>();
        // SAFETY: the reference is to sixteen bytes, which are aligned as all of `words` is.
        Self::twice(unsafe { read_volatile(from_ref(&halves[0]).cast()) })
    }
    operations! {
        add = i16x8_add;
        sub = i16x8_sub;
        mul_low = i16x8_mul;
        mul_rounded = i16x8_q15mulr_sat;
        greater = i16x8_gt;
        equal = i16x8_eq;
        and = v128_and;
        or = v128_or;
        dot = i32x4_dot_i16x8;
        add32 = i32x4_add;
        sub32 = i32x4_sub;
        narrow = i16x8_narrow_i32x4;
        interleave_low = i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>;
        interleave_high = i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>;
        interleave_low32 = i32x4_shuffle::<0, 4, 1, 5>;
        interleave_high32 = i32x4_shuffle::<2, 6, 3, 7>;
        interleave_low64 = i64x2_shuffle::<0, 2>;
        interleave_high64 = i64x2_shuffle::<1, 3>;
        bytes_at = u8x16_swizzle;
        alternate = i16x8_shuffle::<0, 9, 2, 11, 4, 13, 6, 15>;
        alternate32 = i32x4_shuffle::<0, 5, 2, 7>;
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.each(|half| i16x8_abs(half))
    }
    #[inline(always)]
    fn signs(self) -> u16 {
        let [low, high] = self.0;
        i8x16_bitmask(i8x16_narrow_i16x8(low, high))
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        self.each(|half| u16x8_shr(half, BITS.unsigned_abs()))
    }
    #[inline(always)]
    fn upper(self) -> Self {
        self.each(|half| i32x4_shr(half, 16))
    }
    #[inline(always)]
    fn shift_left64<const BITS: i32>(self) -> Self {
        self.each(|half| u64x2_shl(half, BITS.unsigned_abs()))
    }
    #[inline(always)]
    fn shift_right64<const BITS: i32>(self) -> Self {
        self.each(|half| u64x2_shr(half, BITS.unsigned_abs()))
    }
    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self([self.0[0], other.0[0]])
    }
    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self([self.0[1], other.0[1]])
    }
    #[inline(always)]
    fn interleave_own_halves32(self) -> Self {
        let [low, high] = self.0;
        Self([
            i32x4_shuffle::<0, 4, 1, 5>(low, high),
            i32x4_shuffle::<2, 6, 3, 7>(low, high),
        ])
    }
    #[inline(always)]
    fn spread32<const WHICH: i32>(self) -> Self {
        self.each(|half| match WHICH {
            0 => i32x4_shuffle::<0, 0, 0, 0>(half, half),
            1 => i32x4_shuffle::<1, 1, 1, 1>(half, half),
            2 => i32x4_shuffle::<2, 2, 2, 2>(half, half),
            _ => i32x4_shuffle::<3, 3, 3, 3>(half, half),
        })
    }
    #[inline(always)]
    fn swap32(self) -> Self {
        self.each(|half| i32x4_shuffle::<1, 0, 3, 2>(half, half))
    }
    #[inline(always)]
    fn swap(self) -> Self {
        self.each(|half| i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>(half, half))
    }
}
