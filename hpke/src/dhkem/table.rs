//! X25519 of one point under many scalars: a precomputed table of its multiples, on the Edwards
//! form of the curve. It is x25519-batch's on machines with SIMD, otherwise curve25519-dalek's,
//! whichever library does the other multiplications.
//!
//! [`crate::Sender::precompute`] requests it, through [`crate::Kem::precompute`],
//! [`super::Group::precompute`] and [`super::XFunction::precompute`]. Results and errors stay the
//! same (`tests/it/precomputed.rs`). WebAssembly has no table, to keep the download small.

use alloc::{boxed::Box, sync::Arc};
use core::borrow::Borrow;

use curve25519_dalek::{
    edwards::EdwardsBasepointTable, montgomery::MontgomeryPoint, traits::BasepointTable,
};
use x25519_batch::{Agreement, Multiples};
use zeroize::Zeroizing;

use super::{Agreed, vectors::has_vectors};

/// A u-coordinate as received, and its table once it is requested. Clones share the table.
#[derive(Clone)]
pub struct TablePoint {
    u: [u8; 32],
    table: Option<Arc<Table>>,
}

// With an `Option<Table>` in place, `None` would keep bytes of the stack, such as eight bytes of a
// private key, and they would move along with the point.
const _: () = assert!(size_of::<TablePoint>() == 32 + size_of::<usize>());

enum Table {
    InVectors(Multiples),
    Serial(Box<EdwardsBasepointTable>),
}

/// The number of scalars from which on a table made only for them saves more time than it takes. It
/// takes as long as about eight of them.
const LEAST: usize = 12;

/// The largest number of scalars that, with a table, are faster one by one.
const ONE_BY_ONE: usize = 2;

impl TablePoint {
    /// Makes the table of 30 kB. It takes as long as ten ladders with SIMD, or 25 without. An
    /// honestly generated public key is always a point of the curve. Other bytes, which may be a
    /// point of the twist, get no table and use the ladder.
    pub(crate) fn precompute(&mut self) {
        if self.table.is_some() {
            return;
        }
        self.table = if has_vectors() {
            Multiples::new(&self.u).map(Table::InVectors)
        } else {
            let point = MontgomeryPoint(self.u).to_edwards(0);
            point.map(|point| Table::Serial(Box::new(EdwardsBasepointTable::create(&point))))
        }
        .map(Arc::new);
    }

    /// Computes `X25519(k, 9)` and `X25519(k, u)`, if SIMD is available for it.
    pub(crate) fn agree(&self, k: &[u8; 32]) -> Option<([u8; 32], Zeroizing<[u8; 32]>)> {
        let Agreement {
            public_key,
            shared_secret,
        } = match self.table.as_deref() {
            Some(Table::InVectors(multiples)) => multiples.agree(k),
            None if has_vectors() => x25519_batch::agree(k, &self.u),
            _ => return None,
        };
        Some((public_key, shared_secret))
    }

    /// Computes `X25519(k, 9)` and `X25519(k, u)` of many `k`, if SIMD is available and saves time.
    pub(crate) fn agree_batch(&self, scalars: &[[u8; 32]]) -> Option<Agreed<32>> {
        let results = match self.table.as_deref() {
            Some(Table::InVectors(multiples)) if scalars.len() > ONE_BY_ONE => {
                multiples.x25519(scalars)
            }
            None if scalars.len() >= LEAST => Multiples::new(&self.u)?.x25519(scalars),
            _ => return None,
        };
        let dhs = results.as_bytes().iter().map(|dh| Zeroizing::new(*dh));
        Some((x25519_batch::public_keys(scalars), dhs.collect()))
    }

    /// Computes `X25519(k, u)` with the table, or else with `ladder`. Either of the two points with
    /// this `u` works, since a point and its negative have the same `u`. The clamped scalar is not
    /// reduced by the group order, so a point with a low-order component loses that component as in
    /// the ladder. A point of low order becomes the identity, which has the `u` 0 here.
    pub(crate) fn multiply(
        &self,
        k: &[u8; 32],
        ladder: impl FnOnce(&[u8; 32]) -> Zeroizing<[u8; 32]>,
    ) -> Zeroizing<[u8; 32]> {
        match self.table.as_deref() {
            None => ladder(&self.u),
            Some(Table::InVectors(multiples)) => multiples.x25519_one(k),
            Some(Table::Serial(table)) => {
                let product = Zeroizing::new(table.mul_base_clamped(*k));
                let shared = Zeroizing::new(product.to_montgomery());
                Zeroizing::new(shared.to_bytes())
            }
        }
    }
}

impl From<[u8; 32]> for TablePoint {
    fn from(u: [u8; 32]) -> Self {
        Self { u, table: None }
    }
}

impl Borrow<[u8; 32]> for TablePoint {
    fn borrow(&self) -> &[u8; 32] {
        &self.u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this test a precomputed key that uses the ladder would go unnoticed. 9 is the base
    /// point, 2 a point of the twist.
    #[test]
    fn only_a_point_of_the_curve_has_a_table() {
        for (u, has_table) in [(9, true), (2, false)] {
            let mut bytes = [0; 32];
            bytes[0] = u;
            let mut point = TablePoint::from(bytes);
            assert!(point.table.is_none());
            point.precompute();
            assert_eq!(point.table.is_some(), has_table);
            assert!(!has_table || *point.multiply(&[7; 32], |_| panic!("the ladder")) != [0; 32]);
        }
    }
}
