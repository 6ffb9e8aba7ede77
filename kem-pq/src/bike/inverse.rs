//! Inversion by an addition chain of Itoh and Tsujii (Drucker, Gueron and Kostic, ePrint 2020/298):
//! same steps for every element.
//!
//! The units' group of GF(2)\[x\]/(x^r - 1) has an order that divides 2^(r-1) - 1, so `a^-1 =
//! a^(2^(r-1) - 2) = (a^(2^(r-2) - 1))^2`.

use super::{
    permute::KSquare,
    ring::{Poly, Ring},
};

/// The bits of r - 2 at most, less one.
pub(crate) const CHAIN_LEN: usize = 15;

/// Step i of the chain: with `f = a^(2^(2^(i-1)) - 1)`, what doubles its exponent's length, and
/// what then joins it to the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// k = 2^(i-1).
    pub(crate) double: KSquare,
    /// k = (r - 2) mod 2^i, if bit i of r - 2 is set.
    pub(crate) join: Option<KSquare>,
    /// Past the top bit of r - 2: no step.
    end: bool,
}

/// The chain of r, which is public.
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

impl Ring {
    /// `a^-1`, for an `a` of odd weight that is not all ones.
    pub(crate) fn invert(&mut self, a: &Poly) -> Poly {
        let (mut f, mut result) = (a.copy(), a.copy());
        let chain = &self.p.chain;
        for link in chain.iter().take_while(|link| !link.end) {
            let g = self.k_square(&f, &link.double);
            f = self.multiply(&f, &g);
            if let Some(join) = &link.join {
                let g = self.k_square(&f, join);
                result = self.multiply(&result, &g);
            }
        }
        self.square(&mut result);
        result
    }
}
