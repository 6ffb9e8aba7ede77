//! The exponents of the inversion, which depend only on r: the addition chain of
//! [`super::inverse`], and for each of its squarings the decomposition for [`super::permute`].

use super::matrix::Matrix;

/// The length of the chain: the most bits of r - 2, minus one.
pub(crate) const CHAIN_LEN: usize = 15;

/// Step i of the chain. With `f = a^(2^(2^(i-1)) - 1)`, it has the squaring that doubles the length
/// of f's exponent, and the one that joins f to the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// k = 2^(i-1).
    pub(crate) double: KSquare,
    /// k = (r - 2) mod 2^i, if bit i of r - 2 is set.
    pub(crate) join: Option<KSquare>,
    /// Set past the top bit of r - 2, where there is no step.
    pub(crate) end: bool,
}

/// Returns the chain of r, which is public.
pub(crate) const fn chain(r: usize) -> [Link; CHAIN_LEN] {
    let none = Link {
        double: KSquare::new(r, 1),
        join: None,
        end: true,
    };
    let mut links = [none; CHAIN_LEN];
    let mut i = 1;
    while (r - 2) >> i != 0 {
        let join = if ((r - 2) >> i) & 1 == 1 {
            Some(KSquare::new(r, (r - 2) % (1 << i)))
        } else {
            None
        };
        links[i - 1] = Link {
            double: KSquare::new(r, 1 << (i - 1)),
            join,
            end: false,
        };
        i += 1;
    }
    links
}

/// An exponent k, with the decomposition of its l.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KSquare {
    pub(crate) k: usize,
    pub(crate) p: usize,
    pub(crate) q: usize,
    pub(crate) negative: bool,
}

/// The largest k for which squaring k times costs less.
const FEW: usize = 16;

impl KSquare {
    /// Returns the decomposition with the fewest blocks, among the fractions that Euclid's
    /// algorithm on (r, l) passes.
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
