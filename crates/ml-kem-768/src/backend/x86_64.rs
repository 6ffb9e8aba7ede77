#![doc = include_str!("SAFETY.md")]

use core::{arch::x86_64::*, hint::black_box, mem::MaybeUninit};

use super::{Backend, Implementation};
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

cpufeatures::new!(has_avx2, "avx2", "bmi1", "bmi2");
cpufeatures::new!(has_avx512, "avx512f", "avx512vl");

/// Returns the implementation of a back end, if this machine has its instructions.
pub(super) fn implementation(backend: Backend) -> Option<&'static Implementation> {
    match backend {
        Backend::Avx2 => has_avx2::get().then_some(&AVX2),
        Backend::Avx512 => (has_avx2::get() && has_avx512::get()).then_some(&AVX512),
        Backend::Simd128 => None,
    }
}

/// Calls an intrinsic, or a function of this back end. The choice of the back end makes it safe.
macro_rules! simd {
    ($call:expr) => {{
        // SAFETY: code of this module is only reached through `implementation`, which has checked
        // that the machine has the instructions. References give the memory that loads and stores
        // need, which may be unaligned.
        #[allow(unused_unsafe, clippy::macro_metavars_in_unsafe)]
        unsafe {
            $call
        }
    }};
}

/// Makes the compiler align the stack frame of the function that this is inlined into, and with it
/// the registers that it saves there.
///
/// Without an aligned variable in the function it does not, and such a vector may straddle two
/// pages, which takes twenty cycles more for each store and load: whether one does depends on the
/// address of the stack, that is, on the callers and on the size of the environment
/// (`benches/stack.rs`).
#[inline(always)]
fn align_frame() {
    black_box(MaybeUninit::<Words>::uninit().as_ptr());
}

pub(crate) struct Avx2;

/// Compiles each kernel for AVX2, and keeps it from being inlined into its callers.
macro_rules! compiled {
    ($($name:ident: $module:ident::$function:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Kernels for Avx2 {
            const FOUR_STATES: bool = true;
            $(
                #[inline(always)]
                fn $name($($argument: $type),*) -> $result {
                    #[inline(never)]
                    #[target_feature(enable = "avx2,bmi1,bmi2")]
                    fn compiled($($argument: $type),*) -> $result {
                        align_frame();
                        inlined::$name::<Vector256>($($argument),*)
                    }
                    simd!(compiled($($argument),*))
                }
            )*
        }
    };
}
each_kernel!(compiled);

static AVX2: Implementation = Implementation::of::<Avx2>(Keccak {
    one: |state| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn compiled(state: &mut State) {
            *state = permute(*state);
        }
        simd!(compiled(state));
    },
    two: |[a, b]| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn compiled(a: &mut State, b: &mut State) {
            permute_two::<Shifted128>(a, Some(b));
        }
        simd!(compiled(a, b));
    },
    four: |states| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn compiled(states: &mut States) {
            align_frame();
            permute_four::<Shifted>(states);
        }
        simd!(compiled(states));
    },
});

static AVX512: Implementation = Implementation::of::<Avx2>(Keccak {
    one: |state| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vl")]
        fn compiled(state: &mut State) {
            permute_two::<Rotated128>(state, None);
        }
        simd!(compiled(state));
    },
    two: |[a, b]| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vl")]
        fn compiled(a: &mut State, b: &mut State) {
            permute_two::<Rotated128>(a, Some(b));
        }
        simd!(compiled(a, b));
    },
    four: |states| {
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vl")]
        fn compiled(states: &mut States) {
            align_frame();
            permute_four::<Rotated>(states);
        }
        simd!(compiled(states));
    },
});

/// A word of each of four states.
trait FourWords: Word {
    fn load(lanes: &Lanes) -> Self;
    fn store(self, lanes: &mut Lanes);
}

#[inline(always)]
fn permute_four<W: FourWords>(states: &mut States) {
    let mut words = [W::splat(0); 25];
    for i in 0..25 {
        words[i] = W::load(&states[i]);
    }
    let words = permute(words);
    for i in 0..25 {
        words[i].store(&mut states[i]);
    }
}

/// A word of each of two states.
trait TwoWords: Word {
    fn join(low: u64, high: u64) -> Self;
    fn split(self) -> [u64; 2];
}

/// Permutes one state, or two.
#[inline(always)]
fn permute_two<W: TwoWords>(a: &mut State, mut b: Option<&mut State>) {
    let mut words = [W::splat(0); 25];
    for i in 0..25 {
        let high = match &b {
            Some(b) => b[i],
            None => 0,
        };
        words[i] = W::join(a[i], high);
    }
    let words = permute(words);
    for i in 0..25 {
        let [low, high] = words[i].split();
        a[i] = low;
        if let Some(b) = &mut b {
            b[i] = high;
        }
    }
}

/// Shuffles that move each byte of a word to the next higher place, and to the next lower one.
const BYTE_UP: [u8; 16] = [7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14];
const BYTE_DOWN: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 12, 13, 14, 15, 8];

/// Words with AVX2, which has no rotation.
macro_rules! shifted {
    ($(#[$doc:meta])* $name:ident($vector:ty), $splat:ident, $xor:ident, $or:ident, $left:ident, $right:ident, $and_not:ident, $bytes:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name($vector);

        impl Word for $name {
            #[inline(always)]
            fn splat(word: u64) -> Self {
                Self(simd!($splat(word.cast_signed())))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(simd!($xor(self.0, other.0)))
            }
            #[inline(always)]
            fn rotate<const LEFT: i32>(self) -> Self {
                match LEFT {
                    8 => self.bytes_at(&BYTE_UP),
                    56 => self.bytes_at(&BYTE_DOWN),
                    _ => Self(simd!($or(
                        $left(self.0, _mm_cvtsi32_si128(LEFT)),
                        $right(self.0, _mm_cvtsi32_si128(64 - LEFT))
                    ))),
                }
            }
            #[inline(always)]
            fn chi(self, b: Self, c: Self) -> Self {
                Self(simd!($xor(self.0, $and_not(b.0, c.0))))
            }
        }

        impl $name {
            #[inline(always)]
            fn bytes_at(self, places: &[u8; 16]) -> Self {
                let half = simd!(_mm_loadu_si128(places.as_ptr().cast()));
                Self(simd!($bytes(self.0, half)))
            }
        }
    };
}
shifted! {
    /// The words of two states.
    Shifted128(__m128i), _mm_set1_epi64x, _mm_xor_si128, _mm_or_si128, _mm_sll_epi64, _mm_srl_epi64, _mm_andnot_si128, _mm_shuffle_epi8
}
shifted! {
    /// The words of four states.
    Shifted(__m256i), _mm256_set1_epi64x, _mm256_xor_si256, _mm256_or_si256, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_andnot_si256, bytes_of_both_halves
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes_of_both_halves(words: __m256i, places: __m128i) -> __m256i {
    _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(places))
}

/// The truth tables of a, b and c as functions of three bits: bit 4 a + 2 b + c is the value.
const A: i32 = 0xf0;
const B: i32 = 0xcc;
const C: i32 = 0xaa;

/// Words with AVX-512 VL: rotations, and functions of three operands.
macro_rules! rotated {
    ($(#[$doc:meta])* $name:ident($vector:ty), $splat:ident, $xor:ident, $rotate:ident, $ternary:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name($vector);

        impl Word for $name {
            #[inline(always)]
            fn splat(word: u64) -> Self {
                Self(simd!($splat(word.cast_signed())))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(simd!($xor(self.0, other.0)))
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                Self(simd!($ternary::<{ A ^ B ^ C }>(self.0, b.0, c.0)))
            }
            #[inline(always)]
            fn rotate<const LEFT: i32>(self) -> Self {
                Self(simd!($rotate::<LEFT>(self.0)))
            }
            #[inline(always)]
            fn chi(self, b: Self, c: Self) -> Self {
                Self(simd!($ternary::<{ A ^ (!B & C) }>(self.0, b.0, c.0)))
            }
        }
    };
}
rotated! {
    /// The words of one state or of two.
    Rotated128(__m128i), _mm_set1_epi64x, _mm_xor_si128, _mm_rol_epi64, _mm_ternarylogic_epi64
}
rotated! {
    /// The words of four states.
    Rotated(__m256i), _mm256_set1_epi64x, _mm256_xor_si256, _mm256_rol_epi64, _mm256_ternarylogic_epi64
}

macro_rules! four_words {
    ($($name:ident)*) => {
        $(impl FourWords for $name {
            #[inline(always)]
            fn load(lanes: &Lanes) -> Self {
                Self(Vector256::from_lanes(lanes).0)
            }
            #[inline(always)]
            fn store(self, lanes: &mut Lanes) {
                simd!(_mm256_storeu_si256(lanes.0.as_mut_ptr().cast(), self.0));
            }
        })*
    };
}
four_words!(Shifted Rotated);

macro_rules! two_words {
    ($($name:ident)*) => {
        $(impl TwoWords for $name {
            #[inline(always)]
            fn join(low: u64, high: u64) -> Self {
                Self(simd!(_mm_set_epi64x(high.cast_signed(), low.cast_signed())))
            }
            #[inline(always)]
            fn split(self) -> [u64; 2] {
                [
                    simd!(_mm_cvtsi128_si64(self.0)).cast_unsigned(),
                    simd!(_mm_extract_epi64::<1>(self.0)).cast_unsigned(),
                ]
            }
        })*
    };
}
two_words!(Shifted128 Rotated128);

/// Sixteen words.
#[derive(Clone, Copy)]
pub(crate) struct Vector256(__m256i);

/// Operations that are one intrinsic.
macro_rules! operations {
    ($($name:ident = $intrinsic:ident;)*) => {
        $(
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(simd!($intrinsic(self.0, other.0)))
            }
        )*
    };
}

impl Vector for Vector256 {
    #[inline(always)]
    fn load(words: &Words) -> Self {
        Self(simd!(_mm256_loadu_si256(words.0.as_ptr().cast())))
    }
    #[inline(always)]
    fn store(self, words: &mut Words) {
        simd!(_mm256_storeu_si256(words.0.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn from_lanes(lanes: &Lanes) -> Self {
        Self(simd!(_mm256_loadu_si256(lanes.0.as_ptr().cast())))
    }
    #[inline(always)]
    fn to_lanes(self) -> [u64; 4] {
        let low = simd!(_mm256_castsi256_si128(self.0));
        let high = simd!(_mm256_extracti128_si256::<1>(self.0));
        [
            simd!(_mm_cvtsi128_si64(low)).cast_unsigned(),
            simd!(_mm_extract_epi64::<1>(low)).cast_unsigned(),
            simd!(_mm_cvtsi128_si64(high)).cast_unsigned(),
            simd!(_mm_extract_epi64::<1>(high)).cast_unsigned(),
        ]
    }
    #[inline(always)]
    fn from_halves(low: &[u8; 16], high: &[u8; 16]) -> Self {
        let low = simd!(_mm_loadu_si128(low.as_ptr().cast()));
        let high = simd!(_mm_loadu_si128(high.as_ptr().cast()));
        Self(simd!(_mm256_set_m128i(high, low)))
    }
    #[inline(always)]
    fn splat(word: i16) -> Self {
        Self(simd!(_mm256_set1_epi16(word)))
    }
    #[inline(always)]
    fn quads(quad: u64) -> Self {
        Self(simd!(_mm256_set1_epi64x(quad.cast_signed())))
    }
    operations! {
        add = _mm256_add_epi16;
        sub = _mm256_sub_epi16;
        mul_low = _mm256_mullo_epi16;
        mul_rounded = _mm256_mulhrs_epi16;
        greater = _mm256_cmpgt_epi16;
        equal = _mm256_cmpeq_epi16;
        and = _mm256_and_si256;
        or = _mm256_or_si256;
        dot = _mm256_madd_epi16;
        add32 = _mm256_add_epi32;
        sub32 = _mm256_sub_epi32;
        narrow = _mm256_packs_epi32;
        interleave_low = _mm256_unpacklo_epi16;
        interleave_high = _mm256_unpackhi_epi16;
        interleave_low32 = _mm256_unpacklo_epi32;
        interleave_high32 = _mm256_unpackhi_epi32;
        interleave_low64 = _mm256_unpacklo_epi64;
        interleave_high64 = _mm256_unpackhi_epi64;
        bytes_at = _mm256_shuffle_epi8;
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(simd!(_mm256_abs_epi16(self.0)))
    }
    #[inline(always)]
    fn signs(self) -> u16 {
        let low = simd!(_mm256_castsi256_si128(self.0));
        let high = simd!(_mm256_extracti128_si256::<1>(self.0));
        let bits = simd!(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
        #[allow(
            clippy::cast_possible_truncation,
            reason = "one bit for each of sixteen bytes"
        )]
        let bits = bits.cast_unsigned() as u16;
        bits
    }
    #[inline(always)]
    fn shift_right<const BITS: i32>(self) -> Self {
        Self(simd!(_mm256_srli_epi16::<BITS>(self.0)))
    }
    #[inline(always)]
    fn upper(self) -> Self {
        Self(simd!(_mm256_srai_epi32::<16>(self.0)))
    }
    #[inline(always)]
    fn shift_left64<const BITS: i32>(self) -> Self {
        Self(simd!(_mm256_slli_epi64::<BITS>(self.0)))
    }
    #[inline(always)]
    fn shift_right64<const BITS: i32>(self) -> Self {
        Self(simd!(_mm256_srli_epi64::<BITS>(self.0)))
    }
    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self(simd!(_mm256_permute2x128_si256::<0x20>(self.0, other.0)))
    }
    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self(simd!(_mm256_permute2x128_si256::<0x31>(self.0, other.0)))
    }
    #[inline(always)]
    fn interleave_own_halves32(self) -> Self {
        let order = simd!(_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        Self(simd!(_mm256_permutevar8x32_epi32(self.0, order)))
    }
    #[inline(always)]
    fn spread32<const WHICH: i32>(self) -> Self {
        Self(simd!(match WHICH {
            0 => _mm256_shuffle_epi32::<0x00>(self.0),
            1 => _mm256_shuffle_epi32::<0x55>(self.0),
            2 => _mm256_shuffle_epi32::<0xaa>(self.0),
            _ => _mm256_shuffle_epi32::<0xff>(self.0),
        }))
    }
    #[inline(always)]
    fn swap32(self) -> Self {
        Self(simd!(_mm256_shuffle_epi32::<0b10_11_00_01>(self.0)))
    }
    #[inline(always)]
    fn swap(self) -> Self {
        let low = simd!(_mm256_shufflelo_epi16::<0b10_11_00_01>(self.0));
        Self(simd!(_mm256_shufflehi_epi16::<0b10_11_00_01>(low)))
    }
    #[inline(always)]
    fn alternate(self, other: Self) -> Self {
        Self(simd!(_mm256_blend_epi16::<0b1010_1010>(self.0, other.0)))
    }
    #[inline(always)]
    fn alternate32(self, other: Self) -> Self {
        Self(simd!(_mm256_blend_epi32::<0b1010_1010>(self.0, other.0)))
    }
}
