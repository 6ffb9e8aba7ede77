//! Conversion between bytes and polynomials: ciphertexts, messages, noise and keys.
//!
//! v has four bits per coefficient, u has ten. Except for keys, all four polynomials are converted
//! at once, in the order of `transform`.

use core::hint::black_box;

use crate::{
    N_C, keccak::Lanes, product::Plain, tables::Q, transform::Poly, vector::Vector, words::Words,
};

/// The bits of a message. Vector i has bits 4 i to 4 i + 3, from the lowest, in the words of v.
pub(crate) type Message = [Words; 16];

/// The offset of v's bytes in a ciphertext.
const V_AT: usize = 960;

/// Returns a vector with one constant in the words of v and another in those of u.
#[inline(always)]
fn v_and_u<T: Vector, const V: i16, const U: i16>() -> T {
    T::constant(const { &Words::quads([V, U, U, U]) })
}

/// Unpacks a ciphertext (`received`) and decompresses it, into two copies: one will be transformed.
#[inline(always)]
pub(crate) fn decode<V: Vector>(
    c: &[u8; N_C],
    received: &mut Poly,
    decompressed: &mut Poly,
    again: &mut Poly,
) {
    const V_PLACES: Words = Words::bytes([
        [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3],
        [4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7],
    ]);
    static V_UP: Words = Words::twice([4096, 4096, 256, 256, 16, 16, 1, 1]);
    let (v_places, v_up) = (V::load(&V_PLACES), V::constant(&V_UP));
    for i in 0..16 {
        let bytes = V::quads(word(c, V_AT + 8 * i));
        let v = bytes.bytes_at(v_places).mul_low(v_up).shift_right::<12>();
        let (u0, u1, u2) = (tens::<V>(c, 0, i), tens::<V>(c, 1, i), tens::<V>(c, 2, i));
        let (a, b) = (v.interleave_low(u0), v.interleave_high(u0));
        let (d, f) = (u1.interleave_low(u2), u1.interleave_high(u2));
        let four = [
            a.interleave_low32(d),
            a.interleave_high32(d),
            b.interleave_low32(f),
            b.interleave_high32(f),
        ];
        for (j, words) in four.iter().enumerate() {
            let at = 4 * i + j;
            words.store(&mut received[at]);
            let whole = decompress(*words);
            whole.store(&mut decompressed[at]);
            whole.store(&mut again[at]);
        }
    }
}

/// Reads sixteen numbers of ten bits of polynomial `which` of u.
#[inline(always)]
fn tens<V: Vector>(c: &[u8; N_C], which: usize, i: usize) -> V {
    /// The two bytes, of ten, in which each number begins.
    const BEGIN: [u8; 16] = [0, 1, 5, 6, 1, 2, 6, 7, 2, 3, 7, 8, 3, 4, 8, 9];
    const PLACES: Words = Words::bytes([BEGIN; 2]);
    static UP: Words = Words::twice([64, 64, 16, 16, 4, 4, 1, 1]);
    let at = 320 * which + 20 * i;
    let bytes = V::from_halves(sixteen(c, at), sixteen(c, at + 10));
    let words = bytes.bytes_at(V::load(&PLACES)).mul_low(V::constant(&UP));
    words.shift_right::<6>()
}

/// Decompresses four bits and ten (section 4.2.1): q x / 2^d, to the nearest number.
#[inline(always)]
pub(crate) fn decompress<V: Vector>(x: V) -> V {
    x.mul_low(v_and_u::<V, 2048, 32>())
        .mul_rounded(V::all::<Q>())
}

#[inline(always)]
fn sixteen(bytes: &[u8; N_C], at: usize) -> &[u8; 16] {
    bytes[at..].first_chunk().expect("not at the end")
}

#[inline(always)]
fn word(bytes: &[u8; N_C], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("not at the end"))
}

/// Samples the binomial distribution (algorithm 8, eta = 2) from words of four Keccak states.
#[inline(always)]
pub(crate) fn noise<V: Vector>(words: &[Lanes; 16], out: &mut Poly) {
    /// Puts word k of one quad of a half next to word k of the other.
    const PLACES: Words = Words::bytes([[0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]; 2]);
    let (ones, twos) = (V::all::<0x5555>(), V::all::<0x3333>());
    let (lowest, eight) = (V::all::<15>(), V::all::<8>());
    for (words, out) in words.iter().zip(out.chunks_exact_mut(4)) {
        let words = V::from_lanes(words).bytes_at(V::load(&PLACES));
        let words = words.interleave_own_halves32();
        // Sums of two bits, then in four bits each: 8 plus the difference of two sums.
        let sums = words.and(ones).add(words.shift_right::<1>().and(ones));
        let eights = V::all::<{ 0x8888_u16.cast_signed() }>();
        let differences = sums
            .and(twos)
            .add(eights)
            .sub(sums.shift_right::<2>().and(twos));
        differences.and(lowest).sub(eight).store(&mut out[0]);
        let second = differences.shift_right::<4>();
        second.and(lowest).sub(eight).store(&mut out[1]);
        let third = differences.shift_right::<8>();
        third.and(lowest).sub(eight).store(&mut out[2]);
        differences
            .shift_right::<12>()
            .sub(eight)
            .store(&mut out[3]);
    }
}

/// Writes the message of v - s u as bits, and returns it as words.
#[inline(always)]
pub(crate) fn message<V: Vector>(v: &Poly, su: &Poly, message: &mut Message) -> [u64; 4] {
    /// Factors that move the four bits of each quad to their place.
    const PLACES: Lanes = Lanes([1, 16, 256, 4096]);
    let (is_v, places) = (v_and_u::<V, -1, 0>(), V::from_lanes(&PLACES));
    let mut words = [0; 4];
    for i in 0..16 {
        let mut bits = V::splat(0);
        for j in (0..4).rev() {
            let x = V::load(&v[4 * i + j]).sub(V::load(&su[4 * i + j]));
            bits = bits.add(bits).sub(compresses_to_one(x));
        }
        let bits = bits.and(is_v);
        bits.store(&mut message[i]);
        words[i / 4] |= bits.mul_low(places).any() << (16 * (i % 4));
    }
    words
}

/// Returns all ones where a number within 8 q compresses to 1, as one bit, else zero.
#[inline(always)]
pub(crate) fn compresses_to_one<V: Vector>(x: V) -> V {
    // The compressed bit is 1 from q / 4 to 3 q / 4, of either sign.
    x.barrett().abs().greater(V::all::<832>())
}

/// Writes a message as bits, from its words.
#[inline(always)]
pub(crate) fn spread<V: Vector>(words: &[u64; 4], message: &mut Message) {
    const PLACES: Lanes = Lanes([4096, 256, 16, 1]);
    for (i, out) in message.iter_mut().enumerate() {
        #[allow(clippy::cast_possible_truncation, reason = "sixteen bits are meant")]
        let bits = V::splat((words[i / 4] >> (16 * (i % 4))) as i16);
        let bits = bits.mul_low(V::from_lanes(&PLACES)).shift_right::<12>();
        // The message is added to v only.
        bits.and(v_and_u::<V, -1, 0>()).store(out);
    }
}

/// Decompresses bit `j` of each word: q / 2, rounded up, or zero.
#[inline(always)]
fn half_of_q<V: Vector>(message: V, j: usize) -> V {
    static BITS: [Words; 4] = [
        Words([1; 16]),
        Words([2; 16]),
        Words([4; 16]),
        Words([8; 16]),
    ];
    let bit = V::constant(&BITS[j]);
    message.and(bit).equal(bit).and(V::all::<{ Q / 2 + 1 }>())
}

/// Returns all ones if the ciphertext of `p + e` and the message differs from the one received,
/// else zero.
#[inline(always)]
pub(crate) fn compare<V: Vector>(
    received: &Poly,
    decompressed: &Poly,
    p: &Poly,
    e: &Poly,
    message: &Message,
) -> u64 {
    let mut differs = V::splat(0);
    for i in 0..16 {
        let message = V::load(&message[i]);
        for j in 0..4 {
            let at = 4 * i + j;
            let sum = V::load(&p[at]).add(V::load(&e[at]));
            let sum = sum.add(half_of_q(message, j));
            let other =
                compresses_otherwise(sum, V::load(&received[at]), V::load(&decompressed[at]));
            differs = differs.or(other);
        }
    }
    // Keeps the compiler from branching on whether it is zero.
    let differs = black_box(differs.any());
    0_u64.wrapping_sub((differs | differs.wrapping_neg()) >> 63)
}

/// Returns a nonzero word where a number does not compress to `received`, which decompresses to
/// `decompressed`. The difference of `x` and `decompressed` is within 8 q.
#[inline(always)]
pub(crate) fn compresses_otherwise<V: Vector>(x: V, received: V, decompressed: V) -> V {
    // x = decompressed + rest modulo q. x can only compress to `received` if the rest is small.
    // Then 2^d x - q received fits in 16 bits, and must be at most q / 2 in absolute value.
    let rest = x.sub(decompressed).barrett();
    let is_far = rest.abs().greater(v_and_u::<V, 105, 2>());
    let scaled = decompressed.add(rest).mul_low(v_and_u::<V, 16, 1024>());
    let error = scaled.sub(received.mul_low(V::all::<Q>()));
    is_far.or(error.abs().greater(V::all::<{ Q / 2 }>()))
}

/// Compresses numbers within 8 q to four bits and to ten (section 4.2.1).
#[inline(always)]
pub(crate) fn compress<V: Vector>(x: V) -> V {
    let x = x.barrett();
    // The product with 2^15 2^d / q is 2^d x / q or off by one; the remainder corrects it.
    let about = x.mul_rounded(v_and_u::<V, 157, 10079>());
    let rest = x
        .mul_low(v_and_u::<V, 16, 1024>())
        .sub(about.mul_low(V::all::<Q>()));
    let about = about.sub(rest.greater(V::all::<{ Q / 2 }>()));
    let about = about.add(V::all::<{ -(Q / 2) }>().greater(rest));
    about.and(v_and_u::<V, 15, 1023>())
}

/// Writes the ciphertext of `p + e` and the message.
#[inline(always)]
pub(crate) fn encode<V: Vector>(p: &Poly, e: &Poly, message: &Message, c: &mut [u8; N_C]) {
    /// Masks of two numbers of 32 bits: 8 bits each in v's words, 20 in u's.
    static LOW: Words = Words::twice([-1, -1, -1, -1, -1, 0xf, 0, 0]);
    static HIGH: Words = Words::twice([0, 0, 0, 0, 0, -0x10, 0xff, 0]);
    static LOW_U: Words = Words::quads([-1, 0xf, 0, 0]);
    static HIGH_U: Words = Words::quads([0, -0x10, 0xff, 0]);
    const NONE: u8 = 0x80;
    const FOURS: [u8; 16] = [
        0, 4, 8, 12, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    ];
    const V_PLACES: Words = Words::bytes([FOURS; 2]);
    let (low, high) = (V::constant(&LOW), V::constant(&HIGH));
    let (low_u, high_u) = (V::constant(&LOW_U), V::constant(&HIGH_U));
    for i in 0..16 {
        let bits = V::load(&message[i]);
        let [a0, a1] = joined(
            compressed(p, e, bits, 4 * i, 0),
            compressed(p, e, bits, 4 * i, 1),
        );
        let [b0, b1] = joined(
            compressed(p, e, bits, 4 * i, 2),
            compressed(p, e, bits, 4 * i, 3),
        );
        // Four numbers from each end of the halves (v, u0) and (u1, u2).
        let vu_low: V = closed(a0.interleave_low32(b0), low, high);
        let vu_high = closed(a1.interleave_low32(b1), low, high);
        let u_low = closed(a0.interleave_high32(b0), low_u, high_u);
        let u_high = closed(a1.interleave_high32(b1), low_u, high_u);
        put_tens(vu_low.interleave_high64(vu_high), 0, i, c);
        put_tens(u_low.interleave_low64(u_high), 1, i, c);
        put_tens(u_low.interleave_high64(u_high), 2, i, c);
        let v = vu_low.interleave_low64(vu_high);
        let [low, _, high, _] = v.bytes_at(V::load(&V_PLACES)).to_lanes();
        let both = low | high << 32;
        c[V_AT + 8 * i..][..8].copy_from_slice(&both.to_le_bytes());
    }
}

/// Compresses vector `at + j` of a sum and its bits of the message.
#[inline(always)]
fn compressed<V: Vector>(p: &Poly, e: &Poly, bits: V, at: usize, j: usize) -> V {
    let sum = V::load(&p[at + j]).add(V::load(&e[at + j]));
    compress(sum.add(half_of_q(bits, j)))
}

/// Packs pairs of numbers: 4 bits next to 4, and 10 next to 10.
#[inline(always)]
fn joined<V: Vector>(a: V, b: V) -> [V; 2] {
    static JOINS: Words = Words::twice([1, 16, 1, 1024, 1, 1024, 1, 1024]);
    let joins = V::constant(&JOINS);
    [
        a.interleave_low(b).dot(joins),
        a.interleave_high(b).dot(joins),
    ]
}

/// Moves the second 32-bit number of each 64 bits next to the first.
#[inline(always)]
fn closed<V: Vector>(x: V, low: V, high: V) -> V {
    x.and(low).or(x.shift_right64::<12>().and(high))
}

/// Writes sixteen numbers of ten bits of polynomial `which` of u: ten bytes from each half.
#[inline(always)]
fn put_tens<V: Vector>(row: V, which: usize, i: usize, c: &mut [u8; N_C]) {
    const NONE: u8 = 0x80;
    const BYTES: [u8; 16] = [
        0, 1, 2, 3, 4, 8, 9, 10, 11, 12, NONE, NONE, NONE, NONE, NONE, NONE,
    ];
    const PLACES: Words = Words::bytes([BYTES; 2]);
    let out: &mut [u8; 20] = c[320 * which + 20 * i..]
        .first_chunk_mut()
        .expect("before v's");
    let [a, b, d, f] = row.bytes_at(V::load(&PLACES)).to_lanes();
    out[..8].copy_from_slice(&a.to_le_bytes());
    out[8..10].copy_from_slice(&b.to_le_bytes()[..2]);
    out[10..18].copy_from_slice(&d.to_le_bytes());
    out[18..].copy_from_slice(&f.to_le_bytes()[..2]);
}

/// Reads numbers of twelve bits.
#[inline(always)]
pub(crate) fn decode_12<V: Vector>(bytes: &[u8; 384], out: &mut Plain) {
    for (bytes, out) in bytes.chunks_exact(24).zip(out.chunks_exact_mut(16)) {
        let (eights, _) = bytes.as_chunks();
        let [a, b, c] = [0, 1, 2].map(|i| u64::from_le_bytes(eights[i]));
        let mut numbers = Words::ZERO;
        twelves::<V>([a, b, c]).store(&mut numbers);
        out.copy_from_slice(&numbers.0);
    }
}

/// Reads sixteen numbers of twelve bits.
#[inline(always)]
pub(crate) fn twelves<V: Vector>([a, b, c]: [u64; 3]) -> V {
    /// The two bytes, of twelve, that hold each number. Those of the high half begin at byte 4.
    const LOW: [u8; 16] = [0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11];
    const HIGH: [u8; 16] = [4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15];
    const PLACES: Words = Words::bytes([LOW, HIGH]);
    let words = V::from_lanes(&Lanes([a, b, b, c])).bytes_at(V::load(&PLACES));
    words
        .and(V::all::<0xfff>())
        .alternate(words.shift_right::<4>())
}

/// Writes transformed polynomials as numbers from 0 to q - 1, in the order of FIPS 203.
#[inline(always)]
pub(crate) fn plain<V: Vector>(p: &Poly, out: &mut [Plain; 4]) {
    for t in 0..4 {
        let mut x = [V::splat(0); 16];
        for (i, x) in x.iter_mut().enumerate() {
            *x = least(V::load(&p[16 * t + i]));
        }
        // Row 4 k + n has coefficients 64 t + 16 k and the next fifteen of polynomial n.
        for (row, x) in transpose(x).iter().enumerate() {
            let mut words = Words::ZERO;
            x.store(&mut words);
            out[row % 4][64 * t + 16 * (row / 4)..][..16].copy_from_slice(&words.0);
        }
    }
}

/// Transposes a matrix of 16 by 16 words.
#[inline(always)]
fn transpose<V: Vector>(mut a: [V; 16]) -> [V; 16] {
    let mut b = a;
    for i in 0..8 {
        b[2 * i] = a[2 * i].interleave_low(a[2 * i + 1]);
        b[2 * i + 1] = a[2 * i].interleave_high(a[2 * i + 1]);
    }
    for i in 0..4 {
        for j in 0..2 {
            let (even, odd) = (b[4 * i + j], b[4 * i + 2 + j]);
            a[4 * i + 2 * j] = even.interleave_low32(odd);
            a[4 * i + 2 * j + 1] = even.interleave_high32(odd);
        }
    }
    for i in 0..2 {
        for j in 0..4 {
            let (even, odd) = (a[8 * i + j], a[8 * i + 4 + j]);
            b[8 * i + 2 * j] = even.interleave_low64(odd);
            b[8 * i + 2 * j + 1] = even.interleave_high64(odd);
        }
    }
    for j in 0..8 {
        a[j] = b[j].low_halves(b[8 + j]);
        a[8 + j] = b[j].high_halves(b[8 + j]);
    }
    a
}

/// Returns the residue from 0 to q - 1.
#[inline(always)]
pub(crate) fn least<V: Vector>(x: V) -> V {
    let (q, x) = (V::all::<Q>(), x.barrett());
    let x = x.add(V::splat(0).greater(x).and(q));
    x.sub(x.greater(V::all::<{ Q - 1 }>()).and(q))
}

/// Writes numbers from 0 to q - 1 as twelve bits each.
#[inline(always)]
pub(crate) fn encode_12(p: &Plain, out: &mut [u8]) {
    let (pairs, _) = p.as_chunks::<2>();
    for ([a, b], out) in pairs.iter().zip(out.chunks_exact_mut(3)) {
        let both = u32::from(a.cast_unsigned()) | u32::from(b.cast_unsigned()) << 12;
        out.copy_from_slice(&both.to_le_bytes()[..3]);
    }
}

/// Reports whether all numbers are below q.
#[inline(always)]
pub(crate) fn is_canonical(p: &Plain) -> bool {
    p.iter().fold(0, |any, number| any | (Q - 1 - number)) >= 0
}
