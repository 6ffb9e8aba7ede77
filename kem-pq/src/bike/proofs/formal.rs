//! Words that are formal sums over GF(2): of words of one factor, or of halves of products of a
//! word of each. An operation that is neither a sum of the same degree nor such a product panics.

use alloc::{rc::Rc, vec, vec::Vec};
use core::{
    cell::RefCell,
    ops::{BitXor, BitXorAssign},
};

use crate::bike::{
    Params,
    multiply::{self, BLOCK, Carryless, Word},
    tests::levels,
};

std::thread_local! {
    /// The sums of this thread's words, each sorted and without duplicates. The first is zero.
    static SUMS: RefCell<Vec<Rc<[Term]>>> = RefCell::new(vec![Rc::new([])]);
}

/// A term of a sum. The number is the index of a word in a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term {
    A(u16),
    B(u16),
    /// A word with its bits in reverse.
    ReversedA(u16),
    ReversedB(u16),
    /// The low and the high 64 bits of the product of a word of each.
    Low(u16, u16),
    High(u16, u16),
    /// The low 64 bits of the product of the reversed words.
    LowOfReversed(u16, u16),
    /// The low and the high 64 bits of the square of a word of the first factor.
    LowOfSquare(u16),
    HighOfSquare(u16),
}

use Term::{A, B, High, HighOfSquare, Low, LowOfReversed, LowOfSquare, ReversedA, ReversedB};

/// An index of a sum, which goes through memory as other words do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Formal(u32);

impl Term {
    /// Returns the degree, which all terms of a sum share: in the first factor, in the second, and
    /// whether reversed.
    fn degree(self) -> (u8, u8, bool) {
        match self {
            A(_) => (1, 0, false),
            B(_) => (0, 1, false),
            ReversedA(_) => (1, 0, true),
            ReversedB(_) => (0, 1, true),
            Low(..) | High(..) => (1, 1, false),
            LowOfReversed(..) => (1, 1, true),
            LowOfSquare(_) | HighOfSquare(_) => (2, 0, false),
        }
    }
}

impl Formal {
    pub(crate) fn new(sum: Vec<Term>) -> Self {
        if sum.is_empty() {
            return Self::ZERO;
        }
        assert!(
            sum.iter().all(|term| term.degree() == sum[0].degree()),
            "a sum of different degrees: {sum:?}"
        );
        assert!(sum.is_sorted_by(|a, b| a < b), "{sum:?}");
        SUMS.with_borrow_mut(|sums| {
            sums.push(sum.into());
            Self(u32::try_from(sums.len() - 1).expect("fewer sums"))
        })
    }

    pub(crate) fn sum(self) -> Rc<[Term]> {
        SUMS.with_borrow(|sums| sums[self.0 as usize].clone())
    }

    /// Maps each term to another, in the same order.
    pub(crate) fn map(self, of: impl Fn(Term) -> Term) -> Self {
        Self::new(self.sum().iter().map(|term| of(*term)).collect())
    }

    /// Sums over all pairs of terms, since multiplication is bilinear.
    pub(crate) fn times(self, other: Self, of: impl Fn(Term, Term) -> Term) -> Self {
        let (mut f, mut g) = (self.sum(), other.sum());
        if f.first() > g.first() {
            (f, g) = (g, f);
        }
        let products = f.iter().flat_map(|f| g.iter().map(|g| of(*f, *g)));
        Self::new(products.collect())
    }

    /// Returns the low and the high 64 bits of a carry-less product, or of a square. Squaring is
    /// linear, since the products of two different terms occur twice.
    pub(crate) fn carryless(self, other: Self) -> [Self; 2] {
        [0, 1].map(|half| match self == other {
            true => self.map(|term| match term {
                A(i) => [LowOfSquare(i), HighOfSquare(i)][half],
                term => panic!("the square of {term:?}"),
            }),
            false => self.times(other, |f, g| match (f, g) {
                (A(i), B(j)) => [Low(i, j), High(i, j)][half],
                (f, g) => panic!("the product of {f:?} and {g:?}"),
            }),
        })
    }
}

impl Word for Formal {
    const ZERO: Self = Self(0);
}

impl BitXor for Formal {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        if self == Self::ZERO || other == Self::ZERO {
            return Self(self.0 | other.0);
        }
        let (f, g) = (self.sum(), other.sum());
        let (mut f, mut g) = (&f[..], &g[..]);
        let mut sum = Vec::with_capacity(f.len() + g.len());
        while let (Some((first, rest_f)), Some((second, rest_g))) =
            (f.split_first(), g.split_first())
        {
            if first <= second {
                f = rest_f;
            }
            if second <= first {
                g = rest_g;
            }
            if first != second {
                sum.push(*first.min(second));
            }
        }
        sum.extend_from_slice(f);
        sum.extend_from_slice(g);
        Self::new(sum)
    }
}

impl BitXorAssign for Formal {
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

/// Returns a factor as long as an element, with zeros up to whole vectors.
fn factor(p: &Params, of: fn(u16) -> Term) -> Vec<Formal> {
    let limbs = u16::try_from(p.limbs()).expect("a short element");
    let mut words: Vec<Formal> = (0..limbs).map(|i| Formal::new(vec![of(i)])).collect();
    words.resize(p.words(), Formal::ZERO);
    words
}

/// Returns old content of memory, which must not reach a result.
fn unused(len: usize) -> Vec<Formal> {
    vec![Formal::new(vec![B(u16::MAX)]); len]
}

fn begin() {
    SUMS.with_borrow_mut(|sums| sums.truncate(1));
}

/// A block, multiplied by the schoolbook definition.
#[derive(Clone, Copy)]
struct Schoolbook;

impl Carryless<Formal> for Schoolbook {
    fn block(self, out: &mut [Formal], a: &[Formal], b: &[Formal], _: &mut [Formal]) {
        out.fill(Formal::ZERO);
        for (i, x) in a.iter().enumerate() {
            self.add_row(&mut out[i..=i + BLOCK], *x, b);
        }
    }
    fn add_row(self, out: &mut [Formal], x: Formal, a: &[Formal]) {
        for (i, a) in a.iter().enumerate() {
            let [low, high] = x.carryless(*a);
            out[i] ^= low;
            out[i + 1] ^= high;
        }
    }
}

/// Proves that products of blocks are combined correctly, at every level and once for all back
/// ends. A back end proves its own products of blocks.
#[test]
fn products_of_blocks_make_the_product() {
    for p in levels() {
        assert_multiplies(Schoolbook, p);
    }
}

/// Proves a block, and rows of an odd number of words: the toy has one block and one word more, and
/// level 1 three blocks.
pub(crate) fn assert_back_end(c: impl Carryless<Formal>) {
    for p in levels().filter(|p| p.limbs() < 4 * BLOCK) {
        assert_multiplies(c, p);
    }
}

/// Proves for all elements of this length that `multiply` gives their product, not reduced: word k
/// is the sum of the low halves of all `a[i] b[k - i]` and of the high halves of all
/// `a[i] b[k - 1 - i]`.
fn assert_multiplies(c: impl Carryless<Formal>, p: &'static Params) {
    begin();
    let (a, b) = (factor(p, A), factor(p, B));
    let mut out = unused(2 * p.words());
    let mut scratch = unused(multiply::scratch_len(p));
    multiply::multiply(c, p, &mut out, &a, &b, &mut scratch);
    let limbs = u16::try_from(p.limbs()).expect("a short element");
    for (k, word) in (0..).zip(&out) {
        let low = pairs(k, limbs).map(|(i, j)| Low(i, j));
        let high = pairs(k.saturating_sub(1), limbs).map(|(i, j)| High(i, j));
        let expected: Vec<Term> = low.chain(high.filter(|_| k > 0)).collect();
        assert!(*word.sum() == expected, "{}: word {k}", p.name);
    }
}

/// Returns the places below `limbs` whose sum is `k`.
fn pairs(k: u16, limbs: u16) -> impl Iterator<Item = (u16, u16)> {
    (0..=k)
        .map(move |i| (i, k - i))
        .filter(move |(i, j)| *i < limbs && *j < limbs)
}

/// Proves for all elements that `square` gives their square, not reduced: words 2 i and 2 i + 1 are
/// the square of word i.
pub(crate) fn assert_squares(square: impl Fn(&mut [Formal], &[Formal]), p: &'static Params) {
    begin();
    let mut out = unused(2 * p.words());
    square(&mut out, &factor(p, A));
    for (i, halves) in (0..).zip(out.as_chunks::<2>().0) {
        let expected = match usize::from(i) < p.limbs() {
            true => [vec![LowOfSquare(i)], vec![HighOfSquare(i)]],
            false => [vec![], vec![]],
        };
        assert_eq!(
            halves.map(|half| half.sum().to_vec()),
            expected,
            "{}",
            p.name
        );
    }
}

/// Returns the same word with its bits in reverse.
pub(crate) fn reversed(term: Term) -> Term {
    match term {
        A(i) => ReversedA(i),
        B(i) => ReversedB(i),
        term => panic!("{term:?} in reverse"),
    }
}

/// Returns the low 64 bits of a product.
pub(crate) fn low(f: Term, g: Term) -> Term {
    match (f, g) {
        (A(i), B(j)) => Low(i, j),
        (ReversedA(i), ReversedB(j)) => LowOfReversed(i, j),
        (f, g) => panic!("the product of {f:?} and {g:?}"),
    }
}

/// Returns the high 64 bits of a product, given the low ones of the reversed words.
pub(crate) fn high(term: Term) -> Term {
    match term {
        LowOfReversed(i, j) => High(i, j),
        term => panic!("{term:?} is not of reversed words"),
    }
}
