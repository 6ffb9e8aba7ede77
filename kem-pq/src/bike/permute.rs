//! k-squaring: a^(2^k) moves the coefficient of x^j to x^(j 2^k), so `c[i] = a[i l mod r]` with `l
//! = 2^-k mod r`.
//!
//! Write `l = +-P/Q mod r` with P and Q near the square root of r. Then `c[Q j] = a[+-P j]`: take
//! every P-th coefficient, going round until all are taken (decimation), then set them down Q apart
//! (interleaving). Both are transpositions of a bit matrix with rows of P or Q bits, and all their
//! addresses are public.

use super::Params;

/// One exponent k, with the decomposition of its l.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KSquare {
    pub(crate) k: usize,
    pub(crate) p: usize,
    pub(crate) q: usize,
    negative: bool,
}

/// Bit matrices are transposed in blocks of 64 by 64, so many at a time.
const LANES: usize = 4;
/// The words of that many blocks.
const GROUP: usize = 64 * LANES;

/// Up to this k squaring k times costs less.
const FEW: usize = 16;

impl KSquare {
    /// The decomposition with the fewest blocks, among the fractions that Euclid's algorithm on (r,
    /// l) passes.
    pub(crate) const fn new(r: usize, k: usize) -> Self {
        let mut best = Self {
            k,
            p: 1,
            q: 1,
            negative: false,
        };
        // Invariant: remainder = +-cofactor * l mod r, the sign alternating.
        let (mut before, mut remainder) = (r, inverse_power_of_2(r, k));
        let (mut cofactor_before, mut cofactor, mut negative) = (0, 1, false);
        let mut cost = usize::MAX;
        while remainder != 0 {
            let here = Self {
                k,
                p: remainder,
                q: cofactor,
                negative,
            };
            if here.blocks(r) < cost {
                (best, cost) = (here, here.blocks(r));
            }
            let quotient = before / remainder;
            (before, remainder) = (remainder, before % remainder);
            (cofactor_before, cofactor) = (cofactor, cofactor_before + quotient * cofactor);
            negative = !negative;
        }
        best
    }

    pub(crate) const fn is_few_squarings(&self) -> bool {
        self.k <= FEW
    }

    const fn blocks(&self, r: usize) -> usize {
        Matrix::new(r, self.p).groups() + Matrix::new(r, self.q).groups()
    }
}

const fn inverse_power_of_2(r: usize, k: usize) -> usize {
    let (mut l, mut i) = (1, 0);
    while i < k {
        l = l * r.div_ceil(2) % r;
        i += 1;
    }
    l
}

/// r bits as a matrix of rows of `columns` bits.
#[derive(Clone, Copy)]
struct Matrix {
    r: usize,
    columns: usize,
    /// Blocks across and down.
    across: usize,
    down: usize,
}

impl Matrix {
    const fn new(r: usize, columns: usize) -> Self {
        Self {
            r,
            columns,
            across: columns.div_ceil(64),
            down: r.div_ceil(columns).div_ceil(64),
        }
    }

    const fn groups(&self) -> usize {
        (self.across * self.down).div_ceil(LANES)
    }

    /// Where row or column `i` of a block lies in the groups.
    const fn at(&self, down: usize, across: usize, i: usize) -> usize {
        let block = down * self.across + across;
        block / LANES * GROUP + i * LANES + block % LANES
    }

    /// The columns in the order in which steps of `columns` bits round r bits pass them, with the
    /// bits of each.
    fn walk(self) -> impl Iterator<Item = (usize, usize)> {
        let (mut column, rows) = (0, self.r.div_ceil(self.columns));
        (0..self.columns).map(move |_| {
            // All rows but the last are whole.
            let len = if column + (rows - 1) * self.columns < self.r {
                rows
            } else {
                rows - 1
            };
            let here = column;
            column = here + len * self.columns - self.r;
            (here, len)
        })
    }
}

/// The scratch space of the largest step: the groups of a matrix, and two elements with room to
/// read past the end.
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

/// An element, and what the last row of a matrix reads or writes past its end.
const fn element_len(p: &Params) -> usize {
    p.words() + 16
}

/// `a^(2^k)` in place.
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

/// `target[j] = source[P j mod r]`.
#[inline(always)]
fn decimate(matrix: Matrix, source: &[u64], target: &mut [u64], groups: &mut [u64]) {
    let groups = &mut groups[..matrix.groups() * GROUP];
    groups.fill(0);
    for row in 0..matrix.r.div_ceil(matrix.columns) {
        for across in 0..matrix.across {
            groups[matrix.at(row / 64, across, row % 64)] =
                bits_at(source, row * matrix.columns + 64 * across);
        }
    }
    transpose(groups);
    let mut target = Writer::new(target);
    for (column, len) in matrix.walk() {
        for (down, bits) in chunks_of_64(len).enumerate() {
            let word = groups[matrix.at(down, column / 64, column % 64)];
            target.append(word & low_mask(bits), bits);
        }
    }
    target.finish();
}

/// `target[Q j mod r] = source[j]`.
#[inline(always)]
fn interleave(matrix: Matrix, source: &[u64], target: &mut [u64], groups: &mut [u64]) {
    let groups = &mut groups[..matrix.groups() * GROUP];
    groups.fill(0);
    let mut end = 0;
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

/// `a[j] = a[-j mod r]`: the bits in reverse, less one place.
#[inline(always)]
fn negate(p: &Params, reversed: &mut [u64], a: &mut [u64]) {
    let limbs = p.limbs();
    reversed.fill(0);
    for (reversed, word) in reversed[..limbs].iter_mut().zip(a[..limbs].iter().rev()) {
        *reversed = word.reverse_bits();
    }
    let constant = a[0] & 1;
    for (i, word) in a[..limbs].iter_mut().enumerate() {
        *word = bits_at(reversed, 64 * limbs - 1 - p.r + 64 * i);
    }
    a[0] |= constant;
}

/// Each block of 64 by 64 bits, all blocks of a group at once: swap ever smaller quarters.
#[inline(always)]
fn transpose(groups: &mut [u64]) {
    for group in groups.chunks_exact_mut(GROUP) {
        swap_quarters::<32>(group, 0x0000_0000_ffff_ffff);
        swap_quarters::<16>(group, 0x0000_ffff_0000_ffff);
        swap_quarters::<8>(group, 0x00ff_00ff_00ff_00ff);
        swap_quarters::<4>(group, 0x0f0f_0f0f_0f0f_0f0f);
        swap_quarters::<2>(group, 0x3333_3333_3333_3333);
        swap_quarters::<1>(group, 0x5555_5555_5555_5555);
    }
}

#[inline(always)]
fn swap_quarters<const SIDE: usize>(group: &mut [u64], mask: u64) {
    for rows in group.chunks_exact_mut(2 * SIDE * LANES) {
        let (upper, lower) = rows.split_at_mut(SIDE * LANES);
        for (x, y) in upper.iter_mut().zip(lower) {
            let swap = ((*x >> SIDE) ^ *y) & mask;
            *y ^= swap;
            *x ^= swap << SIDE;
        }
    }
}

/// 64 bits from bit `at` on.
#[inline(always)]
fn bits_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    (words[word] >> shift) | (words[word + 1] << 1 << (63 - shift))
}

/// Writes bits one after the other.
struct Writer<'a> {
    words: &'a mut [u64],
    place: usize,
    /// The word at `place`, and how many bits of it are there.
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

    /// The lowest `len` of `bits`, which has no others; 64 at most.
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

/// `len` bits word by word: 64, 64 and so on, then the rest.
#[inline(always)]
fn chunks_of_64(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(64).map(move |start| (len - start).min(64))
}

/// The lowest `bits` of a word, 1 to 64.
#[inline(always)]
const fn low_mask(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}
