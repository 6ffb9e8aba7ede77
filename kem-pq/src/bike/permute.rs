//! k-squaring: a^(2^k) moves the coefficient of x^j to x^(j 2^k), so `c[i] = a[i l mod r]` with `l
//! = 2^-k mod r`.
//!
//! Write `l = +-P/Q mod r` with P and Q near the square root of r. Then `c[Q j] = a[+-P j]`: take
//! every P-th coefficient, going round until all are taken (decimation), then set them down Q apart
//! (interleaving). Both are transpositions of a bit matrix with rows of P or Q bits, and all their
//! addresses are public.

use super::{
    Params,
    chain::KSquare,
    matrix::{GROUP, Matrix, transpose},
};

/// Returns the scratch space of the largest step: the groups of a matrix, and two elements with
/// room to read past the end.
pub(crate) fn scratch_len(p: &Params) -> usize {
    let links = p
        .chain
        .iter()
        .flat_map(|link| [Some(link.double), link.join])
        .flatten();
    let steps = links.filter(|step| !step.is_few_squarings());
    let groups = |step: KSquare| {
        Matrix::new(p.r, step.p)
            .groups()
            .max(Matrix::new(p.r, step.q).groups())
    };
    steps.map(groups).max().unwrap_or(0) * GROUP + 2 * element_len(p)
}

/// Returns the words of an element and of what the last row of a matrix reads or writes past its
/// end.
const fn element_len(p: &Params) -> usize {
    p.words() + 16
}

/// Computes `a^(2^k)` in place.
#[inline(always)]
pub(crate) fn k_square(p: &Params, step: &KSquare, a: &mut [u64], scratch: &mut [u64]) {
    let (source, rest) = scratch.split_at_mut(element_len(p));
    let (target, groups) = rest.split_at_mut(element_len(p));
    source.fill(0);
    source[..a.len()].copy_from_slice(a);
    decimate(Matrix::new(p.r, step.p), source, target, groups);
    if step.negative {
        negate(p, source, target);
    }
    interleave(Matrix::new(p.r, step.q), target, source, groups);
    a.copy_from_slice(&source[..a.len()]);
}

/// Computes `target[j] = source[P j mod r]`.
#[inline(always)]
fn decimate(matrix: Matrix, source: &[u64], target: &mut [u64], groups: &mut [u64]) {
    let groups = &mut groups[..matrix.groups() * GROUP];
    groups.fill(0);
    // Row i of the matrix has the bits i P to i P + P - 1, so bit i P + j is in column j.
    for row in 0..matrix.r.div_ceil(matrix.columns) {
        for across in 0..matrix.across {
            groups[matrix.at(row / 64, across, row % 64)] =
                bits_at(source, row * matrix.columns + 64 * across);
        }
    }
    transpose(groups);
    let mut target = Writer::new(target);
    // Column j is j, j + P, j + 2 P, ... The next number, past r, is the head of the next column.
    for (column, len) in matrix.walk() {
        for (down, bits) in chunks_of_64(len).enumerate() {
            let word = groups[matrix.at(down, column / 64, column % 64)];
            target.append(word & low_mask(bits), bits);
        }
    }
    target.finish();
}

/// Computes `target[Q j mod r] = source[j]`.
#[inline(always)]
fn interleave(matrix: Matrix, source: &[u64], target: &mut [u64], groups: &mut [u64]) {
    let groups = &mut groups[..matrix.groups() * GROUP];
    groups.fill(0);
    let mut end = 0;
    // The inverse of `decimate` with Q: the next bits of the source go down one column.
    for (column, len) in matrix.walk() {
        for (down, bits) in chunks_of_64(len).enumerate() {
            let word = bits_at(source, end + 64 * down) & low_mask(bits);
            groups[matrix.at(down, column / 64, column % 64)] = word;
        }
        end += len;
    }
    transpose(groups);
    let mut target = Writer::new(target);
    for row in 0..matrix.r.div_ceil(matrix.columns) {
        for (across, bits) in chunks_of_64(matrix.columns).enumerate() {
            target.append(groups[matrix.at(row / 64, across, row % 64)], bits);
        }
    }
    target.finish();
}

/// Computes `a[j] = a[-j mod r]`: reverses the bits, less one place.
#[inline(always)]
fn negate(p: &Params, reversed: &mut [u64], a: &mut [u64]) {
    let limbs = p.limbs();
    reversed.fill(0);
    for (reversed, word) in reversed[..limbs].iter_mut().zip(a[..limbs].iter().rev()) {
        *reversed = word.reverse_bits();
    }
    // -0 = 0, so the constant coefficient stays. Bit i of `a` is bit 64 limbs - 1 - i of
    // `reversed`, and r - i must become i: bit 64 limbs - 1 - r + i.
    let constant = a[0] & 1;
    for (i, word) in a[..limbs].iter_mut().enumerate() {
        *word = bits_at(reversed, 64 * limbs - 1 - p.r + 64 * i);
    }
    a[0] |= constant;
}

/// Returns 64 bits from bit `at` on.
#[inline(always)]
fn bits_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    // `<< 1 << (63 - shift)` is `<< (64 - shift)`, also for shift = 0.
    (words[word] >> shift) | (words[word + 1] << 1 << (63 - shift))
}

/// A writer of bits, one after the other.
struct Writer<'a> {
    words: &'a mut [u64],
    place: usize,
    /// The word at `place`, and the number of its bits that are set so far.
    word: u64,
    used: usize,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    fn new(words: &'a mut [u64]) -> Self {
        Self {
            words,
            place: 0,
            word: 0,
            used: 0,
        }
    }

    /// Appends the lowest `len` of `bits`, 64 at most. All others must be zero.
    #[inline(always)]
    fn append(&mut self, bits: u64, len: usize) {
        let whole = self.word | (bits << self.used);
        self.words[self.place] = whole;
        let end = self.used + len;
        self.word = if end < 64 {
            whole
        } else {
            bits >> 1 >> (63 - self.used)
        };
        self.place += end / 64;
        self.used = end % 64;
    }

    #[inline(always)]
    fn finish(self) {
        self.words[self.place] = self.word;
        self.words[self.place + 1..].fill(0);
    }
}

/// Returns the lengths of `len` bits word by word: 64, 64 and so on, then the rest.
#[inline(always)]
fn chunks_of_64(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(64).map(move |start| (len - start).min(64))
}

/// Returns the mask of the lowest `bits` of a word, 1 to 64.
#[inline(always)]
const fn low_mask(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}
