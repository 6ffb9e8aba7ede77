//! X25519 of one point under many scalars: a precomputed table of its multiples, on the Edwards
//! form of the curve. It is x25519-batch's where the machine has vectors, else curve25519-dalek's,
//! whichever library does other multiplications.
//!
//! [`crate::Sender::precompute`] asks for it, by way of [`crate::Kem::precompute`],
//! [`super::Group::precompute`] and [`super::XFunction::precompute`]. Results and errors stay the
//! same (`tests/it/precomputed.rs`). WebAssembly has none, for the size of its download.

use alloc::{boxed::Box, sync::Arc};
use core::borrow::Borrow;

use curve25519_dalek::{
    edwards::EdwardsBasepointTable, montgomery::MontgomeryPoint, traits::BasepointTable,
};
use x25519_batch::{Agreement, Multiples};
use zeroize::Zeroizing;

use super::{Agreed, vectors::has_vectors};

/// A u-coordinate as it came, and its table once it is asked for. Clones share it.
#[derive(Clone)]
pub struct TablePoint {
    u: [u8; 32],
    table: Option<Arc<Table>>,
}

// An `Option<Table>` in place would have room beside `None` for what was on the stack, such as eight
// bytes of a private key, which moves along with the point.
const _: () = assert!(size_of::<TablePoint>() == 32 + size_of::<usize>());

enum Table {
    InVectors(Multiples),
    Serial(Box<EdwardsBasepointTable>),
}

/// From how many scalars on a table for them alone takes less time than it saves: it takes as long as
/// about eight of them.
const LEAST: usize = 12;

/// Up to so many scalars, with a table for them, take less time one by one.
const ONE_BY_ONE: usize = 2;

impl TablePoint {
    /// Makes the table, of 30 kB: with vectors it takes as long as ten ladders, without them 25. A
    /// public key that somebody made is always a point of the curve; for other bytes, which may be a
    /// point of its twist, there is no table, and the ladder stays.
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

    /// `X25519(k, 9)` and `X25519(k, u)`, if there are vectors for it.
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

    /// `X25519(k, 9)` and `X25519(k, u)` of many `k`, if there are vectors for it and it is worth it.
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
