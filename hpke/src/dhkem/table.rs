//! X25519 of one point under many scalars: a precomputed table of its multiples, on the Edwards
//! form of the curve. It is used whichever library does single multiplications.
//!
//! [`crate::Sender::precompute`] asks for it, by way of [`crate::Kem::precompute`],
//! [`super::Group::precompute`] and [`super::XFunction::precompute`]. Results and errors stay the
//! same (`tests/precomputed.rs`). WebAssembly has none, for the size of its download.

use alloc::sync::Arc;
use core::borrow::Borrow;

use curve25519_dalek::{
    edwards::EdwardsBasepointTable, montgomery::MontgomeryPoint, traits::BasepointTable,
};
use x25519_batch::Multiples;
use zeroize::Zeroizing;

use super::Agreed;

/// A u-coordinate as it came, and the tables once they are asked for: one for single
/// multiplications, the other for many at once. Clones share them.
#[derive(Clone)]
pub struct TablePoint {
    u: [u8; 32],
    table: Option<Arc<EdwardsBasepointTable>>,
    multiples: Option<Arc<Multiples>>,
}

/// From how many scalars on a table for them alone takes less time than it saves: it takes as long as
/// about eight of them.
const LEAST: usize = 12;

impl TablePoint {
    /// Makes the tables: 60 kB in 1.6 ms, some 25 ladders of dalek's. A public key that somebody
    /// made is always a point of the curve; for other bytes, which may be a point of its twist,
    /// there is no table, and the ladder stays.
    pub(crate) fn precompute(&mut self) {
        if self.table.is_none() {
            let point = MontgomeryPoint(self.u).to_edwards(0);
            self.table = point.map(|point| Arc::new(EdwardsBasepointTable::create(&point)));
            self.multiples = Multiples::new(&self.u).map(Arc::new);
        }
    }

    /// `X25519(k, 9)` and `X25519(k, u)` of many `k`, if there are vectors for it and it is worth it.
    pub(crate) fn agree_batch(&self, scalars: &[[u8; 32]]) -> Option<Agreed<32>> {
        let results = match &self.multiples {
            Some(multiples) if scalars.len() > 1 => multiples.x25519(scalars),
            _ if scalars.len() >= LEAST => Multiples::new(&self.u)?.x25519(scalars),
            _ => return None,
        };
        let dhs = results.as_bytes().iter().map(|dh| Zeroizing::new(*dh));
        Some((x25519_batch::public_keys(scalars), dhs.collect()))
    }

    /// `X25519(k, u)`: by the table, else by `ladder`. Of the two points with this `u` either will
    /// do, since a point and its negative have one `u`. The clamped scalar is not reduced by
    /// the group order, so that a point with a part of low order loses that part as it does
    /// in the ladder. The identity, which is what is left of a point of low order, has the `u` 0
    /// here.
    pub(crate) fn multiply(
        &self,
        k: &[u8; 32],
        ladder: impl FnOnce(&[u8; 32]) -> Zeroizing<[u8; 32]>,
    ) -> Zeroizing<[u8; 32]> {
        let Some(table) = &self.table else {
            return ladder(&self.u);
        };
        let product = Zeroizing::new(table.mul_base_clamped(*k));
        let shared = Zeroizing::new(product.to_montgomery());
        Zeroizing::new(shared.to_bytes())
    }
}

impl From<[u8; 32]> for TablePoint {
    fn from(u: [u8; 32]) -> Self {
        Self {
            u,
            table: None,
            multiples: None,
        }
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

    /// Else nothing would tell a precomputed key that takes the ladder. 9 is the base point, 2 a point
    /// of the twist.
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
