//! X25519 (RFC 7748) of one private key and many points, four or eight points at a time, and of one
//! point in four lanes.
//!
//! Opening many messages with one private key means computing X25519 of one scalar and many points.
//! The ladder's bits are then the same for all points, so each lane of a vector can hold another
//! point: the work of one ladder gives four results with AVX2 and eight with AVX-512 IFMA.
//! [`x25519_one`] uses four lanes for the four products in each step of one point's ladder. Both
//! use IFMA or AVX2 if the machine supports it, otherwise x25519-dalek ([`Backend::chosen`]).
//!
//! ```
//! let private_key = [7; 32];
//! let points = [[9; 32], [0; 32], [1; 32]];
//! let results = x25519_batch::x25519(&private_key, &points);
//! assert_eq!(results.len(), 3);
//! for result in results.iter() {
//!     match result {
//!         Some(shared_secret) => assert_eq!(shared_secret.len(), 32),
//!         None => println!("refused: the point is of low order"),
//!     }
//! }
//! # assert_eq!(results.iter().map(|result| result.is_some()).collect::<Vec<_>>(), [true, false, true]);
//! ```
//!
//! The function is RFC 7748's `X25519`: any 32 bytes are a private key, which is clamped here and
//! not before; any 32 bytes are a point, of which bit 255 is ignored and the rest is reduced modulo
//! 2^255 - 19. A point of low order has an all-zero result, which is `None` for only that point;
//! that check is constant-time.
//!
//! **Constant time.** No branch and no address depends on the private key, on a result or on
//! intermediate values. All of these are wiped from memory, except for values that the compiler
//! spills to the stack. The points and their number are not secret. `cargo run --release --example
//! constant_time` under valgrind checks the branches and addresses.
//!
//! **Cost.** A vector costs the same with one point as with all lanes filled ([`Backend::lanes`]).
//! So points that do not fill a vector are computed in narrower vectors or one by one, whichever
//! takes less time.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod backend;
#[cfg(any(target_arch = "x86_64", test))]
mod batch;
#[cfg(any(target_arch = "x86_64", test))]
mod comb;
#[cfg(any(target_arch = "x86_64", test))]
mod division;
#[cfg(any(target_arch = "x86_64", test))]
mod encoding;
#[cfg(any(target_arch = "x86_64", test))]
mod field;
#[cfg(any(target_arch = "x86_64", test))]
mod ladder;
#[cfg(any(target_arch = "x86_64", test))]
mod lanes;
mod multiples;
#[cfg(any(target_arch = "x86_64", test))]
mod one;
#[cfg(test)]
mod proofs;
#[cfg(test)]
mod tests;

use alloc::{vec, vec::Vec};
use core::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub use backend::Backend;
use backend::Implementation;
pub use multiples::{Agreement, Multiples, agree, public_keys};
pub use pqseal_backend_choice::Unavailable;

/// Computes X25519 of `scalar`, 32 bytes, clamped here, and each of `points`, 32 bytes each.
/// Returns one result per point, in the same order.
///
/// It allocates 32 bytes per point for the results, and at most 64 KiB of scratch memory.
pub fn x25519(scalar: &[u8; 32], points: &[[u8; 32]]) -> SharedSecrets {
    Backend::chosen().x25519(scalar, points)
}

/// Computes X25519 of `scalar`, 32 bytes, clamped here, and one point, 32 bytes. Returns 32 bytes,
/// all zero if the point is of low order.
pub fn x25519_one(scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    Backend::chosen().x25519_one(scalar, point)
}

impl Backend {
    /// Computes [`x25519`] with this back end. Uses the portable one if this machine lacks its
    /// instructions, or [in a thread](Backend::in_this_thread) with another rounding mode.
    pub fn x25519(self, scalar: &[u8; 32], points: &[[u8; 32]]) -> SharedSecrets {
        let Implementation { vectors, one, .. } = self.in_this_thread().implementation();
        let mut results = Zeroizing::new(vec![[0; 32]; points.len()]);
        let (mut points, mut rest) = (points, results.as_mut_slice());
        for vector in vectors {
            let share = vector.share(points.len());
            let (now, later) = points.split_at(share);
            let (out, rest_of_out) = rest.split_at_mut(share);
            if !now.is_empty() {
                (vector.many)(scalar, now, out);
            }
            (points, rest) = (later, rest_of_out);
        }
        for (point, result) in points.iter().zip(rest) {
            result.copy_from_slice(&*one(scalar, point));
        }
        SharedSecrets(results)
    }

    /// Computes [`x25519_one`] with this back end. Uses the portable one if this machine lacks its
    /// instructions, or [in a thread](Backend::in_this_thread) with another rounding mode.
    pub fn x25519_one(self, scalar: &[u8; 32], point: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        (self.in_this_thread().implementation().one)(scalar, point)
    }
}

/// The results of a batch. Wiped on drop.
pub struct SharedSecrets(Zeroizing<Vec<[u8; 32]>>);

impl SharedSecrets {
    /// Returns the number of results, which is the number of points.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether there were no points.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists each point's 32 bytes, or `None` if they are all zero (RFC 7748, section 6.1).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&[u8; 32]>> + DoubleEndedIterator {
        self.0.iter().map(|result| {
            if result.ct_eq(&[0; 32]).into() {
                None
            } else {
                Some(result)
            }
        })
    }

    /// Returns each point's 32 bytes, including all-zero ones, for callers with their own check.
    pub fn as_bytes(&self) -> &[[u8; 32]] {
        &self.0
    }
}

impl fmt::Debug for SharedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedSecrets({} results, redacted)", self.len())
    }
}
