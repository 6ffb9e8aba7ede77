//! Inversion by an addition chain of Itoh and Tsujii (Drucker, Gueron and Kostic, ePrint 2020/298),
//! with the same steps for every element.
//!
//! The group of units of GF(2)\[x\]/(x^r - 1) has an order that divides 2^(r-1) - 1, so `a^-1 =
//! a^(2^(r-1) - 2) = (a^(2^(r-2) - 1))^2`.

use super::ring::{Poly, Ring};

impl Ring {
    /// Computes `a^-1`, for an `a` of odd weight that is not all ones.
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
